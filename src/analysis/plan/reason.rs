//! Reasons why a scheduler cannot apply a part of a scenario.

use crate::base::shown::Shown;
use crate::source::format::Loss;

/// Why a scheduler cannot apply a part of a scenario. Names are as in the tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OmissionReason {
    /// The scheduler's commands would misread a name.
    Name(NameFault),
    /// The scheduler does not accept the shares.
    Shares(SharesFault),
    /// Slurm's commands would misread the cluster's name.
    Cluster {
        /// The cluster's name.
        name: String,
        /// What is wrong with it.
        fault: NameFault,
    },
    /// Several accounts have this name, by which the scheduler identifies them.
    SeveralAccounts,
    /// Several associations have this address, by which the scheduler identifies them.
    SeveralAssociations,
    /// Another account has the name.
    AccountTaken,
    /// Another user of the account has the name.
    UserTaken,
    /// The account would hold both accounts and users.
    Mixed,
    /// The scheduler cannot rename accounts.
    AccountRenamed,
    /// The scheduler cannot rename users.
    UserRenamed,
    /// Another user has the new name.
    NewNameTaken,
    /// A user is renamed in all associations or in none, and the scenario renames only some.
    RenamedInPart,
    /// The new parent of the account cannot be made or moved.
    StaysBehind,
    /// The account stays, because something below it stays.
    HoldsWhatStays,
    /// The scheduler counts usage itself.
    UsageIsCounted,
    /// The usage of an account can only be reset together with that of all nodes below it.
    UsageBelow,
    /// `TieOrder` follows from the version of Slurm.
    TieOrder,
    /// The setting cannot be changed.
    Setting {
        /// Its key.
        key: &'static str,
        /// The wanted value.
        value: String,
        /// Why it cannot be set.
        fault: SettingFault,
    },
    /// PBS sums up the usage of a group.
    GroupUsage,
    /// PBS cannot keep a usage record for such a name.
    NotRecordable,
    /// PBS reads the name of the group above as the root.
    BelowRootWord,
    /// A group or entity of PBS already has the name.
    NameTaken,
    /// The name cannot be written in a line of `resource_group`.
    NotInLine,
    /// The line of `resource_group` would be too long.
    LongLine,
    /// Lines of `resource_group` are so long that PBS reads each as several, and these would have to move.
    SplitLines,
    /// The node is elsewhere in the present `resource_group`.
    OtherInFile(Vec<u8>),
    /// The node of this path is not in the present `resource_group`.
    MissingInFile(Shown),
    /// The omitted parts of `resource_group` conflict with the rest.
    InTheWay,
    /// The formula cannot be quoted for `qmgr`.
    FormulaQuotes,
    /// `sched_config` was not read; the text is the line to add to it.
    ConfigUnread(String),
    /// A new `resource_group` cannot contain this part of the tree.
    Lost(Loss),
}

/// Why the commands of a scheduler would misread a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NameFault {
    /// It is not UTF-8.
    NotText,
    /// It is empty.
    Empty,
    /// It is longer than Slurm's database stores.
    TooLong,
    /// It contains an invisible character.
    Invisible,
    /// It contains capital letters.
    Capitals,
    /// It contains a character that separates names of a list.
    List,
    /// It contains quotes.
    Quotes,
    /// It begins with a hyphen.
    Hyphen,
    /// It begins or ends with a blank.
    Blanks,
    /// It contains a backslash, and Slurm does not find it to delete it.
    Backslash,
}

/// Why a scheduler does not accept shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SharesFault {
    /// They are Slurm's number for the word `parent`.
    ParentNumber,
    /// They are outside the numbers that `sacctmgr` accepts.
    OutOfRange,
    /// Flux has no `parent` shares.
    NoParent,
    /// A bank of Flux has at least 1.
    BankBelowOne,
    /// Flux misreads negative shares of a user.
    Negative,
    /// PBS cannot store the number.
    NotHeld,
}

/// Why a setting cannot be changed by a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SettingFault {
    /// The scheduler does not have the setting or the value.
    Unknown,
    /// The change makes Flux drop all usage.
    DropsUsage,
    /// Flux applies the change to later jobs only.
    LaterJobs,
    /// The setting is the weight of a priority factor, which has a command of its own in Flux.
    OfPriority,
}
