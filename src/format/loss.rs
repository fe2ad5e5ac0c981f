//! What a format cannot hold of a tree.

use crate::base::shown::{Shown, sentence, shown};
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

impl Loss {
    /// Returns what the format cannot hold, and what was made of it.
    pub fn clause(&self) -> Shown {
        match self {
            Self::OfNodes(fault, nodes) => of_nodes(*fault, &nodes.named()),
            Self::DefaultAccounts(users) => sentence!(
                "the edits move users out of their DefaultAccount, which is not changed: set another one before \
                 loading the file, for {}",
                users.join(", ")
            ),
            Self::Untold => "Description, Organization, DefaultAccount, AdminLevel, Coordinator, WCKeys, DefaultQOS, QOS \
                 and limits exist only in a dump: none are written, and loading without clean keeps the existing ones"
                .into(),
            Self::Cluster => {
                "the source names no cluster: write its name in the Cluster line instead of 'cluster'".into()
            }
            Self::CleanLoad => "load the file without clean: on Slurm 24.11 sacctmgr load with clean removes the cluster's \
                 associations first, and may then fail halfway with status 0"
                .into(),
            Self::RecordOrder => {
                "the order in which usage was recorded is left out, so sums may differ in their last digit".into()
            }
            Self::CsvSettings => "the name of the scheduler and its settings are left out, such as decay and the \
                 unit of usage"
                .into(),
            Self::FluxSettings => "the name of the scheduler and its settings are left out, such as decay and weights"
                .into(),
            Self::Settings(keys) => sentence!("settings are left out: {}", keys.join(", ")),
            Self::Age => "the age of associations is left out, and TieOrder=newest follows the order of the rows: \
                 tied users may change order"
                .into(),
            Self::Digits => "digits of usage inferred from other printed columns are left out: users that nearly tie may swap ranks"
                .into(),
            Self::Columns(names) => sentence!(
                "the scheduler's other printed columns are left out, so the copy cannot be verified: {}",
                names.join(", ")
            ),
        }
    }
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

/// Returns what a format cannot hold for some nodes.
fn of_nodes(fault: Fault, nodes: &str) -> Shown {
    match fault {
        Fault::PbsName => sentence!(
            "PBS separates fields by blanks and reads # and * as comments: {nodes} cannot be written and is left out together with its subtree"
        ),
        Fault::PbsNameTaken => sentence!(
            "PBS identifies nodes by name alone, and the name is taken: {nodes} is left out together with its subtree"
        ),
        Fault::PbsLine => {
            sentence!(
                "PBS reads lines of at most 254 bytes: {nodes} is left out together with its subtree"
            )
        }
        Fault::PbsParent => sentence!("PBS has no shares called parent: {nodes} gets 0 shares"),
        Fault::PbsShares => sentence!(
            "PBS stores shares up to 2147483647: those of {nodes} are written as the nearest possible number"
        ),
        Fault::PbsChildless => {
            sentence!("PBS reads a group without members as an entity: {nodes}")
        }
        Fault::PbsGroupUsage => sentence!(
            "PBS sums a group's usage from its entities: the usage given for {nodes} itself is left out"
        ),
        Fault::PbsUsage => sentence!(
            "PBS reads usage only of names of up to 49 letters, digits and . - _ : and only from 0 up: that of {nodes} will be refused"
        ),
        Fault::PbsLeastUsage => sentence!(
            "PBS does not write a usage of exactly 1, where every entity starts: {nodes} adds 1 less to its groups"
        ),
        Fault::PbsPartition => sentence!("PBS has no partitions: that of {nodes} is left out"),
        Fault::SlurmName => sentence!(
            "sacctmgr load refuses names that are empty, longer than 255 bytes, or contain = or a line end: {nodes} is left out together with its subtree"
        ),
        Fault::SlurmAccountTaken => sentence!(
            "Slurm identifies accounts by name alone, in lower case, and the name is taken: {nodes} is left out together with its subtree"
        ),
        Fault::SlurmUserTwice => sentence!(
            "Slurm has one association per user, account and partition: {nodes} appears twice and is written once"
        ),
        Fault::SlurmQuotes => sentence!("Slurm writes ` instead of quotes: {nodes} is changed"),
        Fault::SlurmCapitals => {
            sentence!(
                "Slurm makes names lower case when it loads them: that of {nodes} will change"
            )
        }
        Fault::SlurmBlanks => sentence!(
            "Slurm drops blanks around names since 26.05: that of {nodes} will change there"
        ),
        Fault::SlurmShares => sentence!(
            "Slurm stores shares from 0 to 2147483646: those of {nodes} are written as the nearest possible number"
        ),
        Fault::SlurmCrowded => {
            sentence!("a user of Slurm has no members: {nodes} is written as an account")
        }
        Fault::SlurmPartition => {
            sentence!("accounts of Slurm have no partition: that of {nodes} is left out")
        }
        Fault::SlurmUnknown => sentence!(
            "Slurm has no group for unknown users: PBS's {nodes} is written as an ordinary account"
        ),
        Fault::SlurmUsage => sentence!("sacctmgr load sets no usage: that of {nodes} is left out"),
        Fault::SlurmLimits => sentence!(
            "limits are left out, and loading without clean keeps them: GrpTRESMins of {nodes}"
        ),
        Fault::CsvName => sentence!(
            "a row must have a name: {nodes} is left out, and its members move one level up"
        ),
        Fault::CsvUsage => sentence!(
            "the recorded usage of {nodes} is left out: CSV accepts numbers from 0 up, and for PBS accounts the sum of their users"
        ),
        Fault::CsvParent => sentence!(
            "an account is identified by its name alone, and several have this one: {nodes} will be under another account of that name"
        ),
        Fault::FluxInactive => sentence!(
            "the JSON cannot mark a node as inactive, and Flux does not count inactive nodes: {nodes} is left out"
        ),
        Fault::FluxBelowInactive => {
            sentence!("members of an inactive bank are left out: {nodes}")
        }
        Fault::FluxParent => sentence!("Flux has no shares called parent: {nodes} is given 1"),
        Fault::FluxPartition => sentence!("Flux has no partitions: those of {nodes} are left out"),
        Fault::Groups => sentence!("PBS's group numbers are left out: those of {nodes}"),
        Fault::SlurmActive => {
            sentence!("Slurm has no inactive users: whether {nodes} is active is left out")
        }
        Fault::SlurmNewName => {
            sentence!("sacctmgr load does not accept {nodes} as a name: the old one is kept")
        }
        Fault::SlurmOpenQuote => sentence!(
            "the line of {nodes} opens a quote and does not close it: its edits are left out"
        ),
        Fault::SlurmWcKeys => sentence!(
            "WCKeys= on the line of a user aborts sacctmgr load without a message since Slurm 25.11: remove it from that of {nodes}"
        ),
        Fault::FluxBytes => {
            sentence!("JSON is Unicode: other bytes in the name of {nodes} are replaced")
        }
        Fault::FluxUsage => {
            sentence!("JSON has only finite numbers: the usage of {nodes} is written as 0")
        }
    }
}

/// Nodes of which the first is named.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Named {
    /// The name of the first.
    pub first: Shown,
    /// How many more there are.
    pub more: usize,
}

impl Named {
    /// `alice` or `alice and 3 more`.
    fn named(&self) -> Shown {
        let first = if self.first.is_empty() {
            "(the empty name)".into()
        } else {
            self.first.clone()
        };
        match self.more {
            0 => first,
            more => sentence!("{first} and {more} more"),
        }
    }
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
