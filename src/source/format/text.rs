//! Numbers and losses in the files we write.

use crate::model::{Kind, NodeId, Record, Tree};

/// Returns the shortest text of a number that reads back to the same bits.
pub(super) fn number(amount: f64) -> String {
    let magnitude = amount.abs();
    if magnitude == 0.0 || (1e-5..1e16).contains(&magnitude) || !amount.is_finite() {
        amount.to_string()
    } else {
        format!("{amount:e}")
    }
}

/// A number of nodes and the first of them, for messages.
#[derive(Default)]
pub(super) struct FirstAndCount {
    count: usize,
    first: Option<NodeId>,
}

impl FirstAndCount {
    /// Counts a node.
    pub(super) fn add(&mut self, node: NodeId) {
        self.count += 1;
        self.first.get_or_insert(node);
    }

    /// Returns `alice` or `alice and 3 more`, or `None` if no node was counted.
    pub(super) fn nodes(&self, tree: &Tree) -> Option<String> {
        let name = crate::base::shown::shown(tree.name(self.first?));
        let name = if name.is_empty() {
            "(the empty name)".to_owned()
        } else {
            name
        };
        Some(match self.count {
            1 => name,
            count => format!("{name} and {} more", count - 1),
        })
    }

    /// Adds a sentence about the counted nodes, if there are any. They replace `{}` in it.
    pub(super) fn tell(&self, tree: &Tree, losses: &mut Vec<String>, sentence: &str) {
        if let Some(nodes) = self.nodes(tree) {
            losses.push(sentence.replacen("{}", &nodes, 1));
        }
    }
}

/// Returns whether the records give the same sums in any order: whole numbers whose sum a double holds, each of another
/// user.
pub(super) fn sums_in_any_order(tree: &Tree, records: &[Record]) -> bool {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let mut sum = tree.id_count() as f64;
    let mut seen = vec![false; tree.id_count()];
    records.iter().all(|record| {
        sum += record.amount;
        let is_first = !std::mem::replace(&mut seen[record.node.index()], true);
        let is_plain = is_first && record.adds_to_ancestors && tree.kind(record.node) == Kind::User;
        is_plain && record.amount.fract() == 0.0 && record.amount >= 0.0 && sum < EXACT
    })
}

/// Returns whether every record is of a user, is the only one of it, and is in tree order.
pub(super) fn records_follow_rows(tree: &Tree, records: &[Record]) -> bool {
    let mut last = None;
    records.iter().all(|record| {
        let place = tree.order().position(record.node);
        let follows = place.is_some() && place > last;
        last = place;
        follows && record.adds_to_ancestors && tree.kind(record.node) == Kind::User
    })
}
