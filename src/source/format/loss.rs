//! What a format cannot hold of a tree.

use crate::base::shown::{Shown, shown};
use crate::model::{NodeId, Tree};
use std::collections::BTreeMap;

/// What a format cannot hold of a tree that is written in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Loss {
    /// Something of some nodes.
    OfNodes(Fault, Named),
    /// Users whose DefaultAccount is one that they are no longer in.
    DefaultAccounts(Vec<Shown>),
    /// What Slurm knows of accounts and users and none of its outputs but a dump tells.
    Untold,
    /// The cluster of a dump: the source names none.
    Cluster,
    /// What `sacctmgr load` removes first with `clean`, if it then fails.
    CleanLoad,
    /// The order in which usage was recorded.
    RecordOrder,
    /// The settings with the scheduler, which CSV has no place for.
    CsvSettings,
    /// The settings with the scheduler, which Flux's JSON has no place for.
    FluxSettings,
    /// Settings of these names that are not the usual ones.
    Settings(Vec<&'static str>),
    /// Which associations are newer.
    Age,
    /// What printed columns show of usage behind its digits.
    Digits,
    /// The columns of these names that the scheduler printed.
    Columns(Vec<&'static str>),
}

/// Something that a format cannot hold for some nodes. Reports list the faults in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// A name that no line of `resource_group` holds.
    PbsName,
    /// A name that another node has.
    PbsNameTaken,
    /// A line that PBS does not read as one.
    PbsLine,
    /// Shares called `parent`.
    PbsParent,
    /// Shares that PBS does not hold.
    PbsShares,
    /// A group without members.
    PbsChildless,
    /// The usage of a group.
    PbsGroupUsage,
    /// Usage that PBS does not read.
    PbsUsage,
    /// Usage that PBS does not write.
    PbsLeastUsage,
    /// A partition.
    PbsPartition,
    /// A name that `sacctmgr load` does not take.
    SlurmName,
    /// A name that another account has.
    SlurmAccountTaken,
    /// An association that stands twice.
    SlurmUserTwice,
    /// Quotes in a name.
    SlurmQuotes,
    /// Capital letters in a name.
    SlurmCapitals,
    /// Blanks around a name.
    SlurmBlanks,
    /// Shares that Slurm does not hold.
    SlurmShares,
    /// A user with nodes below.
    SlurmCrowded,
    /// The partition of an account.
    SlurmPartition,
    /// PBS's group for users that nobody named.
    SlurmUnknown,
    /// Usage.
    SlurmUsage,
    /// Limits.
    SlurmLimits,
    /// A node without a name.
    CsvName,
    /// Usage that CSV does not hold.
    CsvUsage,
    /// An account above of a name that several have.
    CsvParent,
    /// An inactive association or bank.
    FluxInactive,
    /// What stands below an inactive bank.
    FluxBelowInactive,
    /// Shares called `parent`.
    FluxParent,
    /// A partition.
    FluxPartition,
    /// A group number of PBS.
    Groups,
    /// Whether a user is active.
    SlurmActive,
    /// A new name that `sacctmgr load` does not take.
    SlurmNewName,
    /// A line that opens a quote and does not close it.
    SlurmOpenQuote,
    /// The WCKeys of a user's line.
    SlurmWcKeys,
    /// Bytes of a name that are not UTF-8.
    FluxBytes,
    /// Usage that is not finite.
    FluxUsage,
}

/// Nodes of which the first is named.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Named {
    /// The name of the first.
    pub first: Shown,
    /// How many more there are.
    pub more: usize,
}

/// What a format cannot hold of nodes, counted while they are written.
#[derive(Default)]
pub(super) struct Losses(BTreeMap<Fault, FirstAndCount>);

/// How many nodes something is true of, and the first of them.
struct FirstAndCount {
    first: NodeId,
    more: usize,
}

impl Losses {
    /// Counts a node.
    pub(super) fn add(&mut self, fault: Fault, node: NodeId) {
        let counted = self.0.entry(fault).and_modify(|tally| tally.more += 1);
        counted.or_insert(FirstAndCount {
            first: node,
            more: 0,
        });
    }

    /// Returns what was counted.
    pub(super) fn list(&self, tree: &Tree) -> Vec<Loss> {
        let losses = self.0.iter().map(|(&fault, tally)| {
            let named = Named {
                first: shown(tree.name(tally.first)),
                more: tally.more,
            };
            Loss::OfNodes(fault, named)
        });
        losses.collect()
    }
}
