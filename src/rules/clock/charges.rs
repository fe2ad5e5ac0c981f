//! Usage charged within a period: rates all the time, campaigns for a part of it.

use crate::model::{Campaign, NodeId, Pace, Tree};
use std::collections::BTreeMap;
use std::ops::AddAssign;

/// The rates and campaigns of all users with usage, to be asked for one period after another.
#[derive(Clone, Debug)]
pub(super) struct Charges {
    /// The campaigns; a rate is one that never ends.
    parts: Vec<Campaign>,
}

/// The usage of one user within a period.
#[derive(Clone, Copy, Debug)]
pub(super) struct Charge {
    pub(super) node: NodeId,
    /// Units of usage per second.
    pub(super) rate: f64,
    /// For how many seconds of the period.
    pub(super) seconds: u64,
    /// When it ends, in seconds since the snapshot: at the end of the period or earlier.
    pub(super) until: u64,
}

fn charge(part: &Campaign, from: u64, until: u64) -> Option<Charge> {
    let end = until.min(part.until);
    let seconds = end.saturating_sub(from.max(part.from));
    (seconds > 0).then_some(Charge {
        node: part.node,
        rate: part.rate,
        seconds,
        until: end,
    })
}

impl Charges {
    pub(super) fn of(pace: &Pace) -> Self {
        let rates = pace.rates().map(|(node, rate)| Campaign {
            node,
            rate,
            from: 0,
            until: u64::MAX,
        });
        Self {
            parts: rates.chain(pace.campaigns().iter().cloned()).collect(),
        }
    }

    pub(super) fn between(&self, from: u64, until: u64) -> impl Iterator<Item = Charge> {
        let parts = self.parts.iter();
        parts.filter_map(move |part| charge(part, from, until))
    }

    /// Returns what is charged within a period for what goes on after it.
    pub(super) fn running(&self, from: u64, until: u64) -> impl Iterator<Item = Charge> {
        let going_on = self.parts.iter().filter(move |part| part.until > until);
        going_on.filter_map(move |part| charge(part, from, until))
    }

    /// Returns what is charged since `from` for what ended after one moment, up to another.
    pub(super) fn ended(&self, from: u64, after: u64, until: u64) -> impl Iterator<Item = Charge> {
        let has_ended = move |part: &&Campaign| part.until > after && part.until <= until;
        let ended = self.parts.iter().filter(has_ended);
        ended.filter_map(move |part| charge(part, from, until))
    }

    /// Returns the next moment after this one at which somebody starts or stops using something.
    pub(super) fn next_change(&self, after: u64) -> u64 {
        let ends = self.parts.iter().flat_map(|part| [part.from, part.until]);
        let next = ends.filter(|&moment| moment > after).min();
        next.unwrap_or(u64::MAX)
    }
}

/// One part in so many of the tree is few nodes, which are summed up without looking at the others.
const FEW: usize = 32;

/// A number that is added up from 0, its default.
pub(super) trait Sum: Copy + Default + PartialEq + AddAssign {}

impl<T: Copy + Default + PartialEq + AddAssign> Sum for T {}

/// What is charged to each node and to all nodes below it.
#[derive(Clone, Debug)]
pub(super) enum Sums<T> {
    /// By node id.
    OfAll(Vec<T>),
    /// Of a few nodes; all others are charged nothing.
    OfFew(Vec<(NodeId, T)>),
}

impl<T: Sum> Sums<T> {
    /// Sums up what is charged to users. Those that were removed are charged nothing.
    pub(super) fn of(tree: &Tree, charged: impl Iterator<Item = (NodeId, T)>) -> Self {
        let charged: Vec<(NodeId, T)> = charged.collect();
        let all = || Self::OfAll(summed_up(tree, charged.iter().copied()));
        of_few(tree, &charged).map_or_else(all, Self::OfFew)
    }
}

/// Returns the sums that [`summed_up`] returns, of the nodes that are charged something. `None` if these are many.
///
/// The last position is summed up first, so every account adds up its children in the same order as there.
fn of_few<T: Sum>(tree: &Tree, charged: &[(NodeId, T)]) -> Option<Vec<(NodeId, T)>> {
    let order = tree.order();
    let most = order.nodes().len() / FEW;
    if charged.len() > most {
        return None;
    }
    let mut open: BTreeMap<usize, T> = BTreeMap::new();
    for &(node, amount) in charged {
        if let Some(position) = order.position(node) {
            *open.entry(position).or_default() += amount;
        }
    }
    let mut sums = Vec::new();
    while let Some((position, amount)) = open.pop_last() {
        if sums.len() >= most {
            return None;
        }
        sums.push((order.nodes()[position], amount));
        if position > 0 {
            let above = order.above()[position] as usize;
            *open.entry(above).or_default() += amount;
        }
    }
    Some(sums)
}

/// Returns, by node id, what is charged to a node and all nodes below it. Removed users are charged nothing.
pub(super) fn summed_up<T: Sum>(tree: &Tree, charged: impl Iterator<Item = (NodeId, T)>) -> Vec<T> {
    let nothing = T::default();
    let mut charged = charged.peekable();
    if charged.peek().is_none() {
        return vec![nothing; tree.id_count()];
    }
    let order = tree.order();
    let mut by_position = vec![nothing; order.nodes().len()];
    for (node, amount) in charged {
        if let Some(position) = order.position(node) {
            by_position[position] += amount;
        }
    }
    for position in (1..by_position.len()).rev() {
        let (above, amount) = (order.above()[position] as usize, by_position[position]);
        if amount != nothing {
            by_position[above] += amount;
        }
    }
    let mut by_id = vec![nothing; tree.id_count()];
    for (&node, amount) in order.nodes().iter().zip(by_position) {
        by_id[node.index()] = amount;
    }
    by_id
}
