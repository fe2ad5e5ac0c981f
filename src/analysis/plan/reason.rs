//! Reasons why a scheduler cannot apply a part of a scenario.

use crate::base::shown::Shown;
use crate::model::Scheduler;

/// Why a scheduler cannot apply a part of a scenario. Names are as in the tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum OmissionReason {
    #[error(transparent)]
    Name(#[from] NameFault),
    #[error(transparent)]
    Shares(#[from] SharesFault),
    #[error("the cluster {name}: {fault}")]
    Cluster { name: Shown, fault: NameFault },
    #[error(
        "{} identifies every {} by its name alone, and several have this one; give them different names first",
        .0.title(), .0.noun().one
    )]
    SeveralAccounts(Scheduler),
    #[error(
        "several associations look the same here, and a command of {} would change all of them; open a dump that \
         separates them, such as sshare with -m or --json",
        .0.title()
    )]
    SeveralAssociations(Scheduler),
    #[error(
        "{} allows each name for one {} only, and this one is taken; choose another name",
        .0.title(), .0.noun().one
    )]
    AccountTaken(Scheduler),
    #[error(
        "{} allows a user once in each {}, and this name is taken; choose another name",
        .0.title(), .0.noun().one
    )]
    UserTaken(Scheduler),
    #[error(
        "{} of {} holds either {} or users, not both; put it under another one",
        .0.noun().any, .0.title(), .0.noun().many
    )]
    Mixed(Scheduler),
    #[error(
        "{} cannot rename {}; add the {} under its new name, move what it holds, and remove the old one",
        .0.title(), .0.noun().many, .0.noun().one
    )]
    AccountRenamed(Scheduler),
    #[error("{} cannot rename; add the user under the new name and remove the old one", .0.title())]
    UserRenamed(Scheduler),
    #[error("{} has a user of the new name already; choose another name", .0.title())]
    NewNameTaken(Scheduler),
    #[error(
        "{} renames a user in all associations at once, and the new name must be free; rename every association of \
         the user, no other user to the same name, and add no user under the old name",
        .0.title()
    )]
    RenamedInPart(Scheduler),
    #[error("it is not moved, because its new parent cannot be created or moved")]
    StaysBehind,
    #[error("it is kept, because something below it cannot be removed")]
    HoldsWhatStays,
    #[error(
        "flux-accounting computes usage from its job records; it cannot be set (flux account clear-usage BANK clears \
         that of a whole bank)"
    )]
    CountedByFlux,
    #[error("Slurm counts usage from its jobs; sacctmgr can only set it to 0")]
    CountedBySlurm,
    #[error(
        "rawusage=0 on an account clears the usage of its whole subtree; set the usage of each node below it to 0 as \
         well, or only those"
    )]
    UsageBelow,
    #[error("TieOrder depends on the version of Slurm; no setting changes it")]
    TieOrder,
    #[error("{key}={value}{fault}")]
    Setting {
        key: &'static str,
        value: Shown,
        fault: SettingFault,
    },
    #[error("the usage of a group is the sum of its entities'; set theirs")]
    GroupUsage,
    #[error("PBS keeps usage only of names of up to 49 letters, digits and . - _ :")]
    NotRecordable,
    #[error(
        "PBS reads the name root as the root of the tree, so a group of that name cannot have members"
    )]
    BelowRootWord,
    #[error("PBS has that name already; choose another name")]
    NameTaken,
    #[error(
        "a name in resource_group cannot be empty, hold a blank or begin with # or *; choose another name"
    )]
    NotInLine,
    #[error("PBS reads lines of at most 254 bytes; choose a shorter name")]
    LongLine,
    #[error(
        "resource_group has lines longer than 255 bytes or with a NUL, which PBS reads as several lines; split them \
         and open the file again"
    )]
    SplitLines,
    #[error(
        "resource_group is not the file that the tree was read from: {0} differs there; open it again"
    )]
    OtherInFile(Shown),
    #[error(
        "resource_group is not the file that the tree was read from: {0} is not in it; open it again"
    )]
    MissingInFile(Shown),
    #[error("resource_group is not changed: the edits that were left out block the others")]
    InTheWay,
    #[error("job_sort_formula contains quotes or invisible characters; set it with qmgr by hand")]
    FormulaQuotes,
    #[error(
        "sched_config was not read, so it cannot be changed here: write {0} in it and send the scheduler a HUP"
    )]
    ConfigUnread(Shown),
    /// What a new `resource_group` cannot contain.
    #[error("{0}")]
    Lost(Shown),
}

/// Why the commands of a scheduler would misread a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum NameFault {
    #[error("the name is not UTF-8, and a terminal may change it")]
    NotText,
    #[error("Flux has no empty names")]
    Empty,
    #[error("an empty name means every name to sacctmgr")]
    MeansAll,
    #[error("the name has more than 255 bytes, and Slurm's database cuts it")]
    TooLong,
    #[error("the name contains an invisible character, so the command could not be checked")]
    Invisible,
    #[error("sacctmgr converts capital letters to lower case and would change another name")]
    Capitals,
    #[error("sacctmgr reads a comma or a bracket in a name as a list of names")]
    List,
    #[error("sacctmgr replaces quotes in a name and would change another name")]
    Quotes,
    #[error("a name that begins with a hyphen is read as an option")]
    Hyphen,
    #[error("the name begins or ends with a blank, which newer versions of sacctmgr drop")]
    Blanks,
    #[error(
        "Slurm 24.11 does not delete a name with a backslash: sacctmgr answers Nothing deleted; set its shares to 0 \
         instead"
    )]
    Backslash,
}

/// Why a scheduler does not accept shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum SharesFault {
    #[error("sacctmgr reads 2147483647 shares as parent")]
    ParentNumber,
    #[error("sacctmgr accepts whole numbers of shares from 0 to 2147483646, or parent")]
    OutOfRange,
    #[error("Flux has no shares called parent")]
    NoParent,
    #[error("flux account edit-bank accepts shares from 1 up")]
    BankBelowOne,
    #[error("Flux reads -1 shares as 1, and other negative shares as a very large number")]
    Negative,
    #[error("PBS accepts whole numbers of shares up to 2147483647")]
    NotHeld,
}

/// Why a plan cannot change a setting; the sentence follows the key and the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum SettingFault {
    #[error(" is not a setting of {0}")]
    Unknown(&'static str),
    #[error(
        ": flux account edit-config sets it, but discards all usage counted so far; plan it by hand"
    )]
    DropsUsage,
    #[error(
        ": flux account edit-config sets it, but it applies only to jobs that end later; plan it by hand"
    )]
    LaterJobs,
    #[error(
        ": the weight of a factor of priority is set with flux account edit-factor; plan it by hand"
    )]
    OfPriority,
}
