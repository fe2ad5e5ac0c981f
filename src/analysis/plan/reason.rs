//! Why a scheduler cannot be told a part of a scenario.

use crate::source::format::Loss;

/// Why a scheduler cannot be told a part of a scenario. Names are as the tree has them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OmissionReason {
    /// A name that the scheduler's commands would not take for what it is.
    Name(NameFault),
    /// Shares that the scheduler does not take.
    Shares(SharesFault),
    /// The cluster has a name that Slurm's commands would not take for what it is.
    Cluster {
        /// The cluster's name.
        name: String,
        /// What is wrong with it.
        fault: NameFault,
    },
    /// Several accounts have the name by which the scheduler knows this one.
    SeveralAccounts,
    /// Several associations have the address by which the scheduler knows this one.
    SeveralAssociations,
    /// Another account has the name.
    AccountTaken,
    /// Another user of the account has the name.
    UserTaken,
    /// The account would hold both accounts and users.
    Mixed,
    /// The scheduler gives accounts no new names.
    AccountRenamed,
    /// The scheduler gives users no new names.
    UserRenamed,
    /// Another user has the new name.
    NewNameTaken,
    /// A user gets another name in all associations or in none, and this is not in all of them.
    RenamedInPart,
    /// What the account should go under cannot be made or moved.
    StaysBehind,
    /// Something below the account stays, so the account does.
    HoldsWhatStays,
    /// The scheduler counts usage itself.
    UsageIsCounted,
    /// An account forgets its usage with all that lies below it only.
    UsageBelow,
    /// The version of Slurm decides on `TieOrder`.
    TieOrder,
    /// A setting cannot get another value.
    Setting {
        /// Its key.
        key: &'static str,
        /// The value it was to get.
        value: String,
        /// What is wrong with that.
        fault: SettingFault,
    },
    /// PBS sums up the usage of a group.
    GroupUsage,
    /// PBS keeps no usage record of such a name.
    NotRecordable,
    /// PBS takes the name of the group above for the root.
    BelowRootWord,
    /// PBS has a group or entity of the name.
    NameTaken,
    /// A line of `resource_group` cannot hold the name.
    NotInLine,
    /// The line of `resource_group` would be too long.
    LongLine,
    /// Lines of `resource_group` that PBS reads as several are in the way.
    SplitLines,
    /// The node stands elsewhere in the `resource_group` that is there.
    OtherInFile(Vec<u8>),
    /// The node of this path is not in the `resource_group` that is there.
    MissingInFile(String),
    /// What is left out of `resource_group` is in the way of the rest.
    InTheWay,
    /// `qmgr` cannot be given the formula.
    FormulaQuotes,
    /// `sched_config` was not read: the line to write in it.
    ConfigUnread(String),
    /// What a `resource_group` that is written anew cannot hold.
    Lost(Loss),
}

/// Why the commands of a scheduler would not take a name for what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NameFault {
    /// It is not UTF-8.
    NotText,
    /// It is empty.
    Empty,
    /// It is longer than Slurm's database keeps.
    TooLong,
    /// It holds a character that cannot be seen.
    Invisible,
    /// It holds capital letters.
    Capitals,
    /// It holds what separates names of a list.
    List,
    /// It holds quotes.
    Quotes,
    /// It holds an equals sign.
    Equals,
    /// It begins with a hyphen.
    Hyphen,
    /// It begins or ends with a blank.
    Blanks,
}

/// Why a scheduler does not take shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SharesFault {
    /// Slurm's number for the word `parent`.
    ParentNumber,
    /// Beyond the numbers that `sacctmgr` takes.
    OutOfRange,
    /// Flux has no shares called `parent`.
    NoParent,
    /// A bank of Flux has at least one.
    BankBelowOne,
    /// Flux takes negative shares of a user for others.
    Negative,
    /// PBS holds no such number.
    NotHeld,
}

/// Why the plan changes no setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SettingFault {
    /// The scheduler does not have it, or not such a value of it.
    Unknown,
    /// Flux throws away all usage for it.
    DropsUsage,
    /// Flux counts only later jobs by it.
    LaterJobs,
    /// Flux sets the weight of a factor of priority by a command of its own.
    OfPriority,
}
