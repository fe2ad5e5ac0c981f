//! A tree written in another format, and what that cannot hold.

use crate::base::number::counted;
use crate::base::shown::{Shown, sentence, shown};
use crate::model::{NodeId, Tree};
use std::collections::BTreeMap;

/// A tree in another format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conversion {
    /// The files by name, the one with the tree first.
    pub files: Vec<(String, Vec<u8>)>,
    /// What the format cannot hold.
    pub losses: Vec<Loss>,
}

/// What a format cannot hold of a tree that is written in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Loss {
    /// Something of some nodes.
    OfNodes(Fault, Named),
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
    /// The ranks of so many users, which depend on names.
    Names(usize),
    /// That names cannot be told from the order of the nodes.
    Order,
    /// What so many levels have and the source does not list.
    Unlisted(usize),
    /// The columns of these names that the scheduler printed.
    Columns(Vec<&'static str>),
}

impl Conversion {
    /// Returns a conversion of one file.
    pub(super) fn of(name: &str, file: Vec<u8>, losses: Vec<Loss>) -> Self {
        let files = vec![(name.to_owned(), file)];
        Self { files, losses }
    }

    /// Adds a file.
    pub(super) fn add(&mut self, name: &str, file: Vec<u8>) {
        self.files.push((name.to_owned(), file));
    }
}

impl Loss {
    /// Returns what the format cannot hold, and what was made of it.
    pub fn clause(&self) -> Shown {
        match self {
            Self::OfNodes(fault, nodes) => of_nodes(*fault, &nodes.named()),
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
            Self::Unlisted(levels) => sentence!(
                "what is not listed is left out, so the portions of {} are larger than they are",
                counted(*levels, "level", "levels")
            ),
            Self::Names(users) => sentence!(
                "ties are ordered by name, and pseudonyms have another order: {} another rank",
                counted(*users, "user has", "users have")
            ),
            Self::Order => "groups and entities keep the order of resource_group, on which ranks and sums depend in PBS: a reader \
                 who knows that order can tell who is who"
                .into(),
            Self::Columns(names) => sentence!(
                "the scheduler's other printed columns are left out, so the copy cannot be verified: {}",
                names.join(", ")
            ),
        }
    }
}

/// Defines the faults from rows of `Variant, "text";` in the order of reports. `{}` in the text are the nodes.
macro_rules! faults {
    ($($variant:ident, $text:literal;)*) => {
        /// What a format cannot hold for some nodes, and what is made of it, in the order of reports.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Fault {
            $(#[doc = $text] $variant,)*
        }

        fn of_nodes(fault: Fault, nodes: &Shown) -> Shown {
            match fault {
                $(Fault::$variant => sentence!($text, nodes),)*
            }
        }
    };
}

faults! {
    PbsName,
        "PBS separates fields by blanks and reads # and * as comments: {} cannot be written and is left out together \
         with its subtree";
    PbsNameTaken, "PBS identifies nodes by name alone, and the name is taken: {} is left out together with its subtree";
    PbsLine, "PBS reads lines of at most 254 bytes: {} is left out together with its subtree";
    PbsParent, "PBS has no shares called parent: those of {} are written as 0";
    PbsShares, "PBS stores shares up to 2147483647: those of {} are written as the nearest possible number";
    PbsChildless, "PBS reads a group without members as an entity: {}";
    PbsGroupUsage, "PBS sums a group's usage from its entities: the usage given for {} itself is left out";
    PbsUsage,
        "PBS reads usage only of names of up to 49 letters, digits and . - _ : and only from 0 up: that of {} will be \
         refused";
    PbsLeastUsage, "PBS does not write a usage of exactly 1, where every entity starts: {} adds 1 less to its groups";
    PbsPartition, "PBS has no partitions: that of {} is left out";
    SlurmName,
        "sacctmgr load refuses names that are empty, longer than 255 bytes, or contain = or a line end: {} is left \
         out together with its subtree";
    SlurmAccountTaken,
        "Slurm identifies accounts by name alone, in lower case, and the name is taken: {} is left out together with \
         its subtree";
    SlurmUserTwice, "Slurm has one association per user, account and partition: {} appears twice and is written once";
    SlurmQuotes, "Slurm writes ` instead of quotes: {} is changed";
    SlurmCapitals, "Slurm makes names lower case when it loads them: that of {} will change";
    SlurmBlanks, "Slurm drops blanks around names since 26.05: that of {} will change there";
    SlurmShares, "Slurm stores shares from 0 to 2147483646: those of {} are written as the nearest possible number";
    SlurmCrowded, "a user of Slurm has no members: {} is written as an account";
    SlurmPartition, "accounts of Slurm have no partition: that of {} is left out";
    SlurmUnknown, "Slurm has no group for unknown users: PBS's {} is written as an ordinary account";
    SlurmUsage, "sacctmgr load sets no usage: that of {} is left out";
    SlurmLimits, "limits are left out, and loading without clean keeps them: GrpTRESMins of {}";
    CsvName, "a row must have a name: {} is left out, and its members move one level up";
    CsvUsage,
        "the recorded usage of {} is left out: CSV accepts numbers from 0 up, and for PBS accounts the sum of their \
         users";
    CsvParent,
        "an account is identified by its name alone, and several have this one: {} will be under another account of \
         that name";
    FluxInactive, "the JSON cannot mark a node as inactive, and Flux does not count inactive nodes: {} is left out";
    FluxBelowInactive, "members of an inactive bank are left out: {}";
    FluxParent, "Flux has no shares called parent: those of {} are written as 1";
    FluxPartition, "Flux has no partitions: those of {} are left out";
    Groups, "PBS's group numbers are left out: those of {}";
    SlurmActive, "Slurm has no inactive users: whether {} is active is left out";
    SlurmWcKeys,
        "WCKeys= on the line of a user aborts sacctmgr load without a message since Slurm 25.11: remove it from that \
         of {}";
    FluxBytes, "JSON is Unicode: other bytes in the name of {} are replaced";
    FluxUsage, "JSON has only finite numbers: the usage of {} is written as 0";
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
        let first = match self.first.as_str() {
            "" => "(the empty name)".into(),
            _ => self.first.clone(),
        };
        match self.more {
            0 => first,
            more => sentence!("{first} and {more} more"),
        }
    }
}

/// What a format cannot hold of nodes, counted while they are written.
#[derive(Default)]
pub(super) struct Losses {
    counts: BTreeMap<Fault, FaultCount>,
}

/// The nodes with a fault.
struct FaultCount {
    /// The one that was written first.
    first: NodeId,
    /// How many more there are.
    more: usize,
}

impl Losses {
    /// Counts a node.
    pub(super) fn add(&mut self, fault: Fault, node: NodeId) {
        if let Some(count) = self.counts.get_mut(&fault) {
            count.more += 1;
            return;
        }
        let first = FaultCount {
            first: node,
            more: 0,
        };
        self.counts.insert(fault, first);
    }

    /// Counts a node if it has the fault.
    pub(super) fn add_if(&mut self, is_lost: bool, fault: Fault, node: NodeId) {
        if is_lost {
            self.add(fault, node);
        }
    }

    /// Returns the losses in the order of the faults.
    pub(super) fn list(&self, tree: &Tree) -> Vec<Loss> {
        let mut losses = Vec::with_capacity(self.counts.len());
        for (&fault, count) in &self.counts {
            let nodes = Named {
                first: shown(tree.name(count.first)),
                more: count.more,
            };
            losses.push(Loss::OfNodes(fault, nodes));
        }
        losses
    }
}
