//! The layouts of `pbsfs`, with C's `printf` where it matters.

use crate::base::number::Value;
use crate::model::{NodeId, Tree};
use crate::rules::policy::{ColumnId, Evaluation};

/// Writes the reports of one tree.
pub(super) struct Printer<'a> {
    pub(super) tree: &'a Tree,
    pub(super) evaluation: &'a Evaluation,
    /// The unit of usage.
    pub(super) unit: &'a [u8],
    pub(super) out: &'a mut Vec<u8>,
}

/// The indentation of `-t` for each level.
const INDENT: usize = 5;

impl Printer<'_> {
    /// Writes what `-p` prints: one line a node.
    pub(super) fn all(&mut self) {
        self.bytes(b"Fairshare usage units are in: ");
        self.bytes(self.unit);
        self.bytes(b"\n");
        for &node in self.tree.nodes() {
            self.name(node);
            let line = format!(
                ": Grp: {:<5}  cgrp: {:<5}Shares: {:<6} Usage: {:<6} Perc: {:>6}%\n",
                self.group_above(node),
                self.tree.group(node),
                self.shares(node),
                fixed(self.double(ColumnId::Usage, node), 0),
                fixed(self.percent(node), 3),
            );
            self.bytes(line.as_bytes());
        }
    }

    /// Writes what `-t` prints: the tree.
    pub(super) fn tree(&mut self) {
        for &node in self.tree.nodes() {
            let indent = (self.tree.depth(node) as usize * INDENT).max(1);
            self.out.resize(self.out.len() + indent, b' ');
            self.bytes(self.tree.name(node));
            self.bytes(format!("({})\n", self.tree.group(node)).as_bytes());
        }
    }

    /// Writes what `-g` prints: one entity and the path to it.
    pub(super) fn entity(&mut self, node: NodeId) {
        let unit = self.unit;
        self.bytes(b"fairshare entity: ");
        self.bytes(self.tree.name(node));
        let block = format!(
            "\nResgroup\t\t: {}\ncresgroup\t\t: {}\nShares\t\t\t: {}\nPercentage\t\t: {}%\nfairshare_tree_usage\t: {}\nusage\t\t\t: {} (",
            self.group_above(node),
            self.tree.group(node),
            self.shares(node),
            fixed(self.percent(node), 6),
            fixed(self.double(ColumnId::FairshareTreeUsage, node), 6),
            fixed(self.double(ColumnId::Usage, node), 0),
        );
        self.bytes(block.as_bytes());
        self.bytes(unit);
        let ratio = fixed(self.double(ColumnId::UsageOverPerc, node), 0);
        self.bytes(format!(")\nusage/perc\t\t: {ratio}\nPath from root: \n").as_bytes());
        // The path of the root is empty: it does not contain the root itself.
        if node == NodeId::ROOT {
            return;
        }
        self.step(NodeId::ROOT);
        for node in self.tree.line(node) {
            self.step(node);
        }
    }

    /// Prints one node of the path.
    fn step(&mut self, node: NodeId) {
        self.name(node);
        let line = format!(
            ": {:>5} {:>10} / {:>5} = {}\n",
            self.tree.group(node),
            fixed(self.double(ColumnId::Usage, node), 0),
            fixed(self.double(ColumnId::FairsharePerc, node), 3),
            fixed(self.double(ColumnId::UsageOverPerc, node), 0),
        );
        self.bytes(line.as_bytes());
    }

    /// Prints a name, padded to ten bytes.
    fn name(&mut self, node: NodeId) {
        const WIDTH: usize = 10;
        let name = self.tree.name(node);
        self.out.extend_from_slice(name);
        let padding = WIDTH.saturating_sub(name.len());
        self.out.resize(self.out.len() + padding, b' ');
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    /// Returns PBS's resgroup: the group number of the parent.
    fn group_above(&self, node: NodeId) -> i32 {
        self.tree
            .parent(node)
            .map_or(-1, |parent| self.tree.group(parent))
    }

    fn shares(&self, node: NodeId) -> i64 {
        self.tree.shares(node).count().unwrap_or(0)
    }

    fn double(&self, column: ColumnId, node: NodeId) -> f64 {
        self.evaluation.number(column, node).unwrap_or(f64::NAN)
    }

    /// Returns the portion of the tree in percent, multiplied as a 32-bit float.
    fn percent(&self, node: NodeId) -> f64 {
        match self.evaluation.value(ColumnId::FairsharePerc, node) {
            Value::Single(portion) => f64::from(portion * 100.0),
            _ => f64::NAN,
        }
    }
}

/// Formats as C's `%.Nf`: exact digits, halves to even, the sign of a zero and of a NaN kept.
fn fixed(number: f64, decimals: usize) -> String {
    if number.is_nan() {
        let sign = if number.is_sign_negative() { "-" } else { "" };
        return format!("{sign}nan");
    }
    format!("{number:.decimals$}")
}
