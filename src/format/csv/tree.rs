//! The tree that rows of CSV describe.

use super::rows::{CsvRows, NodeType, ROOT_NAME};
use crate::base::shown::{sentence, shown};
use crate::format::origin::source;
use crate::format::problem::Problems;
use crate::format::{Format, Loaded, Request};
use crate::model::{Kind, NodeId, Position, Settings, Snapshot};
use std::sync::Arc;

impl CsvRows {
    /// Returns the row of the root: the only one at the top, if it is an account, or else the one with the name or type
    /// of a root. `None` if there is none.
    fn root(&self) -> Option<usize> {
        let mut top = (0..self.list.len()).filter(|&row| self.list[row].parent.is_none());
        let first = top.next()?;
        let second = top.next();
        if second.is_none() && self.list[first].is_account() {
            return Some(first);
        }
        std::iter::once(first)
            .chain(second)
            .chain(top)
            .find(|&row| self.may_be_root(row))
    }

    /// Whether a row is at the top and has the name or type of a root.
    pub(super) fn may_be_root(&self, row: usize) -> bool {
        let row = &self.list[row];
        let has_name = || self.builder.name_bytes(row.name) == ROOT_NAME;
        let is_root =
            row.node_type == NodeType::Root || row.node_type != NodeType::User && has_name();
        is_root && row.parent.is_none()
    }

    pub(super) fn into_loaded(mut self, request: &Request, mut problems: Problems) -> Loaded {
        let root = self.root();
        let name = root
            .map_or(ROOT_NAME, |row| {
                self.builder.name_bytes(self.list[row].name)
            })
            .to_vec();
        self.builder.rename_root(&name);
        let mut nodes: Vec<NodeId> = Vec::with_capacity(self.list.len());
        let others = (0..self.list.len())
            .filter(|&row| root.is_some_and(|root| row != root) && self.may_be_root(row));
        let others: Vec<usize> = others.collect();
        for (index, row) in self.list.iter().enumerate() {
            if let (Some(root), true) = (root, others.binary_search(&index).is_ok()) {
                let message = sentence!(
                    "{} is a second root; the root on line {} has its members, and its shares and usage are not read",
                    shown(self.builder.name_bytes(row.name)),
                    self.list[root].line
                );
                let advice = "remove one of the two rows, or name its account in the column parent";
                let code = "csv-second-root";
                problems.warn(row.line, code, message, advice);
                nodes.push(NodeId::ROOT);
                continue;
            }
            let kind = if row.is_account() {
                Kind::Account
            } else {
                Kind::User
            };
            let node = if Some(index) == root {
                NodeId::ROOT
            } else {
                let parent = row.parent.map_or(NodeId::ROOT, |row| nodes[row as usize]);
                self.builder.push(parent, row.name, kind, Position::Last)
            };
            nodes.push(node);
            self.builder.set_shares(node, row.shares);
            match row.usage.amount() {
                Some(amount) if kind == Kind::User => self.builder.record(node, amount, true),
                Some(_) => self.builder.set_usage(node, row.usage),
                None => {}
            }
        }
        for (row, partition) in &self.partitions {
            self.builder.set_partition(nodes[*row as usize], partition);
        }
        for &(row, active) in &self.active {
            self.builder.set_active(nodes[row as usize], active);
        }
        let tree = self.builder.build();
        for (row, &node) in self.list.iter().zip(&nodes) {
            if tree.ordinal(node).is_some() {
                let message = sentence!(
                    "{} appears twice under its account; both are kept",
                    shown(tree.name(node))
                );
                let advice = "remove one of the two, or give it another name";
                let code = "csv-repeated-name";
                problems.warn(row.line, code, message, advice);
            }
        }
        Loaded::new(
            Snapshot {
                tree,
                settings: Settings::default(),
                source: source(request, Format::Csv),
                recorded: Arc::default(),
            },
            problems,
        )
    }
}
