//! What Slurm cannot hold, or a dump has no place for.

use super::spelling::is_quote;
use crate::base::shown::Shown;
use crate::format::loss::{self, Fault, Loss};
use crate::model::{Fact, NodeId, Recorded, Tree};
use std::collections::BTreeSet;

/// What Slurm cannot hold.
#[derive(Default)]
pub(super) struct Losses {
    of_nodes: loss::Losses,
    /// Users whose DefaultAccount is one that they are no longer in.
    pub(super) stranded: BTreeSet<Shown>,
}

impl Losses {
    /// Counts a node.
    pub(super) fn add(&mut self, fault: Fault, node: NodeId) {
        self.of_nodes.add(fault, node);
    }

    /// Counts a written name that Slurm will change.
    pub(super) fn count_name(&mut self, tree: &Tree, node: NodeId) {
        let name = tree.name(node);
        if name.iter().copied().any(is_quote) {
            self.add(Fault::SlurmQuotes, node);
        }
        if name.iter().any(u8::is_ascii_uppercase) {
            self.add(Fault::SlurmCapitals, node);
        }
        if name.trim_ascii().len() < name.len() {
            self.add(Fault::SlurmBlanks, node);
        }
    }

    /// Counts nodes with usage.
    pub(super) fn count_usage(&mut self, tree: &Tree) {
        let has_used = |node: NodeId| tree.usage(node).amount().is_some_and(|used| used != 0.0);
        for &node in tree.nodes().iter().filter(|&&node| has_used(node)) {
            self.add(Fault::SlurmUsage, node);
        }
    }

    /// Counts what a dump has no place for.
    pub(super) fn count_facts(&mut self, tree: &Tree, recorded: &Recorded) {
        self.count_usage(tree);
        for &node in tree.nodes() {
            if recorded.text(Fact::GrpTresMins, node).is_some() {
                self.add(Fault::SlurmLimits, node);
            }
            if tree.active(node).is_some() {
                self.add(Fault::SlurmActive, node);
            }
            if tree.group(node) != 0 && node != NodeId::ROOT && Some(node) != tree.unknown() {
                self.add(Fault::Groups, node);
            }
        }
        if let Some(unknown) = tree.unknown() {
            self.add(Fault::SlurmUnknown, unknown);
        }
    }

    /// Returns what was counted.
    pub(super) fn list(&self, tree: &Tree) -> Vec<Loss> {
        let mut losses = self.of_nodes.list(tree);
        if !self.stranded.is_empty() {
            let users = self.stranded.iter().cloned().collect();
            losses.push(Loss::DefaultAccounts(users));
        }
        losses
    }
}
