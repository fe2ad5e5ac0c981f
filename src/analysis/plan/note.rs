//! Notes about a plan, when it takes effect, and why a scheduler cannot apply a part of it. A note about a thousand nodes
//! is one entry.

use crate::base::shown::{Shown, shown};
use crate::model::{NodeId, Scheduler, Shares, Tree, escape_name, path_of};
use hashbrown::HashMap;
use std::collections::BTreeSet;
use std::hash::Hash;

/// A note about a plan. Names are as in the tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "fields are what their names say")]
pub enum Note {
    /// The commands contain a placeholder, because the cluster's name is unknown.
    NoCluster,
    /// Only a part of the tree is listed, so the rollback restores no more than that.
    Part,
    /// A user that moves starts with no usage.
    UserMoves,
    /// Slurm renames a user in every cluster.
    RenamedEverywhere,
    /// Slurm cannot restore usage that it resets.
    UsageForgotten,
    Deletes,
    /// Slurm may ignore the deletion of a name with a backslash.
    IgnoredDeletion(Tested),
    /// Slurm may lose users below a moved account at its next restart.
    LostAtRestart(Tested),
    /// `sacctmgr dump` may omit users that are added below a moved account.
    OmittedInDump(Tested),
    /// The rollback leaves the record of an added account. That of a user goes with its last association.
    RecordStays,
    /// Jobs run or wait in an association that is deleted: the first of them, and how many more there are.
    HasJobs {
        jobs: Vec<Shown>,
        more: usize,
    },
    /// The first calculation of `DEPTH_OBLIVIOUS` after an addition is wrong.
    SettlesLater,
    /// The plan adds something that Flux may have had before.
    Adds,
    /// No command can restore the present shares, for this fault.
    SharesOneWay {
        shares: Shares,
        fault: SharesFault,
    },
    /// A user's default account in Slurm changes.
    Default {
        user: Vec<u8>,
        account: DefaultAccount,
    },
    /// The admin has to change a line of `slurm.conf`; `before` is unknown if the source does not tell.
    WriteSetting {
        key: &'static str,
        value: String,
        before: Option<String>,
    },
    /// This line of `resource_group`, from 1, becomes a comment, because PBS would otherwise start to read it.
    Muted {
        line: usize,
        text: Vec<u8>,
    },
    /// `resource_group` is written from scratch.
    WrittenAnew,
    /// PBS knows the node only from a usage record, which is dropped.
    RecordDropped,
    /// The files to save in `sched_priv` first, by name.
    SaveFiles(Vec<&'static str>),
    /// The rollback unsets `job_sort_formula`, because the source does not tell its present value.
    FormulaUntold,
    /// The formula may be the attribute of the server, which is the older form.
    FormulaOfServer,
    /// The plan sets usage with `pbsfs` while scheduling is off.
    SetsUsage,
    /// Usage records of removed or renamed nodes are dropped.
    DropsRecords,
    /// The seconds that pass in the scenario, 0 if it only assumes usage, are not part of the plan.
    TimeLeftOut {
        passed: u64,
    },
}

/// Whether a fault of Slurm 24.11.5 was looked for in the version of the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Tested {
    /// It was seen there: the source is of the same release.
    Seen,
    /// It was not tried on this version.
    Untried(Shown),
    /// The source states no version.
    Unstated,
}

/// A change of a user's default account, which Slurm does not delete while the user has others. Names are of accounts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DefaultAccount {
    /// It is deleted, so another account becomes the default first.
    Replaced { old: Vec<u8>, new: Vec<u8> },
    /// The same, but the source does not tell which account is the default.
    Guessed {
        old: Vec<u8>,
        new: Vec<u8>,
        /// Whether the rollback makes the old account the default again.
        comes_back: bool,
    },
    /// No other account can become the default meanwhile.
    NoOther,
    /// The user is added to this account while the commands run, and it is the default meanwhile.
    Meanwhile(Vec<u8>),
    /// The user is deleted, and the source does not tell the default account; this one is assumed.
    Last(Vec<u8>),
}

/// When and how a plan takes effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Slurm's commands take effect at once.
    Committed,
    /// Slurm's numbers change at its next calculation.
    AtCalculation { period: String, is_assumed: bool },
    /// Flux's commands must be run by the owner of its service.
    AsOwner,
    /// Nothing takes effect before the last two commands of Flux.
    AtTheEnd,
    /// PBS reads its files on the reload command.
    AtReload,
    /// PBS reads usage at its next cycle.
    AtNextCycle,
    /// An admin of PBS sets a formula, which PBS evaluates once a cycle.
    FormulaAtNextCycle,
}

/// The most nodes that an entry names.
const NAMED: usize = 3;

/// A statement and the nodes that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement<T> {
    /// The statement.
    pub what: T,
    /// The paths of the first nodes that it is about. Empty if it is about no node.
    pub named: Vec<Shown>,
    pub(crate) count: usize,
}

impl<T> From<T> for Statement<T> {
    fn from(what: T) -> Self {
        Self {
            what,
            named: Vec::new(),
            count: 0,
        }
    }
}

impl<T> Statement<T> {
    pub(super) fn about_node(what: T, tree: &Tree, node: NodeId) -> Self {
        Self {
            what,
            named: vec![path(tree, node)],
            count: 1,
        }
    }

    pub(super) fn about_names(what: T, names: &BTreeSet<&[u8]>) -> Self {
        Self {
            what,
            named: names.iter().take(NAMED).map(|name| shown(name)).collect(),
            count: names.len(),
        }
    }
}

/// Statements in the order in which they were first made.
#[derive(Debug)]
pub(super) struct Statements<T> {
    pub(super) list: Vec<Statement<T>>,
    known: HashMap<T, usize>,
}

impl<T> Default for Statements<T> {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            known: HashMap::new(),
        }
    }
}

impl<T: Clone + Eq + Hash> Statements<T> {
    pub(super) fn add(&mut self, tree: &Tree, node: NodeId, what: T) {
        let place = *self.known.entry(what.clone()).or_insert_with(|| {
            self.list.push(what.into());
            self.list.len() - 1
        });
        let about = &mut self.list[place];
        about.count += 1;
        if about.named.len() < NAMED {
            about.named.push(path(tree, node));
        }
    }

    pub(super) fn add_general(&mut self, what: T) {
        self.list.push(what.into());
    }
}

/// Returns the path of a node, or the name of the root.
pub(super) fn path(tree: &Tree, node: NodeId) -> Shown {
    match path_of(tree, node) {
        Some(path) if !path.is_empty() => shown(path.as_bytes()),
        _ => shown(escape_name(tree.name(node)).as_bytes()),
    }
}

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
