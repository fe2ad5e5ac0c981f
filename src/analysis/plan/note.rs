//! Notes about a plan, and when it takes effect. A note about a thousand nodes is one entry.

use super::SharesFault;
use crate::base::shown::{Shown, shown};
use crate::model::{Kind, NodeId, Shares, Tree, escape_name, path_of};
use hashbrown::HashMap;
use std::collections::BTreeSet;
use std::hash::Hash;

/// A note about a plan. Names are as in the tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "fields are what their names say")]
pub enum Note {
    /// The commands contain a placeholder, because the cluster's name is unknown.
    NoCluster,
    /// A user that moves starts with no usage.
    UserMoves,
    /// Slurm renames a user in every cluster.
    RenamedEverywhere,
    /// Slurm cannot restore usage that it resets.
    UsageForgotten,
    Deletes,
    /// Slurm may ignore the deletion of a name with a backslash.
    IgnoredDeletion,
    /// Slurm may lose users below a moved account at its next restart.
    LostAtRestart,
    /// `sacctmgr dump` may omit users that are added below a moved account.
    OmittedInDump,
    /// The rollback may leave the record of an added account or user.
    RecordStays(Kind),
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
    /// The plan sets usage with `pbsfs` while scheduling is off.
    SetsUsage,
    /// Usage records of removed or renamed nodes are dropped.
    DropsRecords,
    /// The seconds that pass in the scenario, 0 if it only assumes usage, are not part of the plan.
    TimeLeftOut {
        passed: u64,
    },
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
