//! Reasons why a scheduler cannot apply a part of a scenario.

use crate::base::shown::{Shown, sentence, shown};
use crate::format::Loss;
use crate::model::{Noun, Scheduler};

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

impl OmissionReason {
    /// Returns why a part of a scenario cannot be applied to a scheduler.
    pub fn clause(&self, scheduler: Scheduler) -> Shown {
        let title = scheduler.title();
        let Noun {
            one: account,
            many: accounts,
            any: an_account,
            ..
        } = scheduler.noun();
        match self {
            Self::Name(fault) => fault.clause(scheduler).into(),
            Self::Shares(fault) => fault.clause().into(),
            Self::Cluster { name, fault } => {
                let fault = fault.clause(scheduler);
                sentence!("the cluster {}: {fault}", shown(name.as_bytes()))
            }
            Self::SeveralAccounts => sentence!(
                "{title} identifies every {account} by its name alone, and several have this one; give them different names first"
            ),
            Self::SeveralAssociations => sentence!(
                "several associations look the same here, and a command of {title} would change all of them; open a dump that separates them, such as sshare with -m or --json"
            ),
            Self::AccountTaken => sentence!(
                "{title} allows each name for one {account} only, and this one is taken; choose another name"
            ),
            Self::UserTaken => sentence!(
                "{title} allows a user once in each {account}, and this name is taken; choose another name"
            ),
            Self::Mixed => sentence!(
                "{an_account} of {title} holds either {accounts} or users, not both; put it under another one"
            ),
            Self::AccountRenamed => sentence!(
                "{title} cannot rename {accounts}; add the {account} under its new name, move what it holds, and remove the old one"
            ),
            Self::UserRenamed => sentence!(
                "{title} cannot rename; add the user under the new name and remove the old one"
            ),
            Self::NewNameTaken => {
                sentence!("{title} has a user of the new name already; choose another name")
            }
            Self::RenamedInPart => sentence!(
                "{title} renames a user in all associations at once, and the new name must be free; rename every association of the user, no other user to the same name, and add no user under the old name"
            ),
            Self::StaysBehind => {
                "it is not moved, because its new parent cannot be created or moved".into()
            }
            Self::HoldsWhatStays => "it is kept, because something below it cannot be removed".into(),
            Self::UsageIsCounted => usage_is_counted(scheduler).into(),
            Self::UsageBelow => "rawusage=0 on an account clears the usage of its whole subtree; set the usage of each node below it to 0 as well, or only those".into(),
            Self::TieOrder => {
                "TieOrder depends on the version of Slurm; no setting changes it".into()
            }
            Self::Setting { key, value, fault } => {
                sentence!("{key}={value}{}", fault.clause(scheduler))
            }
            Self::GroupUsage => "the usage of a group is the sum of its entities'; set theirs".into(),
            Self::NotRecordable => {
                "PBS keeps usage only of names of up to 49 letters, digits and . - _ :".into()
            }
            Self::BelowRootWord => "PBS reads the name root as the root of the tree, so a group of that name cannot have members".into(),
            Self::NameTaken => "PBS has that name already; choose another name".into(),
            Self::NotInLine => "a name in resource_group cannot be empty, hold a blank or begin with # or *; choose another name".into(),
            Self::LongLine => "PBS reads lines of at most 254 bytes; choose a shorter name".into(),
            Self::SplitLines => "resource_group has lines longer than 255 bytes or with a NUL, which PBS reads as several lines; split them and open the file again".into(),
            Self::OtherInFile(name) => sentence!(
                "resource_group is not the file that the tree was read from: {} differs there; open it again",
                shown(name)
            ),
            Self::MissingInFile(path) => sentence!(
                "resource_group is not the file that the tree was read from: {path} is not in it; open it again"
            ),
            Self::InTheWay => {
                "resource_group is not changed: the edits that were left out block the others".into()
            }
            Self::FormulaQuotes => {
                "job_sort_formula contains quotes or invisible characters; set it with qmgr by hand".into()
            }
            Self::ConfigUnread(line) => sentence!(
                "sched_config was not read, so it cannot be changed here: write {line} in it and send the scheduler a HUP"
            ),
            Self::Lost(loss) => loss.clause(),
        }
    }
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

impl NameFault {
    /// Returns why a scheduler's commands would misread a name.
    pub const fn clause(self, scheduler: Scheduler) -> &'static str {
        match self {
            Self::NotText => "the name is not UTF-8, and a terminal may change it",
            Self::Empty => match scheduler {
                Scheduler::Flux => "Flux has no empty names",
                Scheduler::Pbs | Scheduler::Slurm => "an empty name means every name to sacctmgr",
            },
            Self::TooLong => "the name has more than 255 bytes, and Slurm's database cuts it",
            Self::Invisible => {
                "the name contains an invisible character, so the command could not be checked"
            }
            Self::Capitals => {
                "sacctmgr converts capital letters to lower case and would change another name"
            }
            Self::List => "sacctmgr reads a comma or a bracket in a name as a list of names",
            Self::Quotes => "sacctmgr replaces quotes in a name and would change another name",
            Self::Hyphen => "a name that begins with a hyphen is read as an option",
            Self::Blanks => {
                "the name begins or ends with a blank, which newer versions of sacctmgr drop"
            }
            Self::Backslash => {
                "Slurm 24.11 does not delete a name with a backslash: sacctmgr answers Nothing deleted; set its shares to 0 instead"
            }
        }
    }
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

impl SharesFault {
    /// Returns the reason in words.
    pub const fn clause(self) -> &'static str {
        match self {
            Self::ParentNumber => "sacctmgr reads 2147483647 shares as parent",
            Self::OutOfRange => {
                "sacctmgr accepts whole numbers of shares from 0 to 2147483646, or parent"
            }
            Self::NoParent => "Flux has no shares called parent",
            Self::BankBelowOne => "flux account edit-bank accepts shares from 1 up",
            Self::Negative => {
                "Flux reads -1 shares as 1, and other negative shares as a very large number"
            }
            Self::NotHeld => "PBS accepts whole numbers of shares up to 2147483647",
        }
    }
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

impl SettingFault {
    /// Returns the reason, to follow the key and the value.
    const fn clause(self, scheduler: Scheduler) -> &'static str {
        match self {
            Self::Unknown => match scheduler {
                Scheduler::Slurm => " is not a setting of slurm.conf",
                Scheduler::Flux => " is not a setting of flux-accounting",
                Scheduler::Pbs => " is not a setting of PBS",
            },
            Self::DropsUsage => {
                ": flux account edit-config sets it, but discards all usage counted so far; plan it by hand"
            }
            Self::LaterJobs => {
                ": flux account edit-config sets it, but it applies only to jobs that end later; plan it by hand"
            }
            Self::OfPriority => {
                ": the weight of a factor of priority is set with flux account edit-factor; plan it by hand"
            }
        }
    }
}

/// Why usage cannot be changed otherwise than by forgetting all of it, or at all.
const fn usage_is_counted(scheduler: Scheduler) -> &'static str {
    match scheduler {
        Scheduler::Flux => {
            "flux-accounting computes usage from its job records; it cannot be set (flux account clear-usage BANK clears that of a whole bank)"
        }
        Scheduler::Pbs | Scheduler::Slurm => {
            "Slurm counts usage from its jobs; sacctmgr can only set it to 0"
        }
    }
}
