//! The users in PBS's order without a formula, one after the other.
//!
//! An account's usage is the sum of what PBS writes of the entities below it, added one after the other in the order of
//! the file. The charges of a cycle change one term of such a sum, and then the whole sum may be rounded in another way.
//! So a sum that follows from the earlier one by the difference is good for bounds only. It is added up again where the
//! bounds do not tell which of two siblings comes first.

use super::{INITIAL_USAGE, in_32_bits, is_recordable, percentages, usage_over_perc};
use crate::model::{NodeId, Settings, Tree, Usage};
use crate::rules::policy::siblings::{NextUser, SiblingKeys, SiblingQueue};

/// How many charges are taken before all sums are computed again, because the bounds grow apart with them.
const MOST_CHARGES: usize = 1 << 20;

/// Beyond this, sums are not followed: they could overflow.
const MOST_USAGE: f64 = 1e300;

/// The users in the order of the policy `PbsWalk`, while a PBS clock charges usage to them.
#[derive(Clone, Debug)]
pub(crate) struct PbsQueue {
    tree: Tree,
    siblings: SiblingQueue,
    keys: UsageOverPerc,
    /// The time of the last decay for which the usage was read. `None` before the first reading.
    last_decay: Option<i64>,
    /// Whether the usage of each node is the recorded one, by position.
    is_recorded: Vec<bool>,
    /// How many nodes have another usage. While there are none, the records of the source count and not these sums.
    changed: usize,
    charges: usize,
}

/// Usage / perc by position, as far as it is known.
#[derive(Clone, Debug)]
struct UsageOverPerc {
    above: Vec<u32>,
    percentages: Vec<f32>,
    /// Exact for users, and for accounts that are marked.
    usage: Vec<f64>,
    is_exact: Vec<bool>,
    /// What PBS writes of the leaves, in its order; 0 of those that it does not write.
    written: Vec<f64>,
    /// The places of the leaves below each node, and of the leaf itself, in that order.
    places: Vec<(u32, u32)>,
    /// Whether PBS writes and reads the usage of a leaf.
    is_written: Vec<bool>,
    /// By how much a sum may be off, relative to the sum.
    slack: f64,
}

impl SiblingKeys for UsageOverPerc {
    const MERGES: bool = true;

    fn bounds(&self, position: usize) -> (f64, f64) {
        let percentage = self.percentages[position];
        // Where PBS's walk ends, users of all levels tie.
        if percentage.is_nan() || percentage <= 0.0 {
            return (f64::INFINITY, f64::INFINITY);
        }
        let usage = self.usage[position];
        let of = |usage: f64| usage_over_perc(usage, percentage);
        if self.is_exact[position] {
            return (of(usage), of(usage));
        }
        let slack = self.slack;
        (of(usage * (1.0 - slack)), of(usage * (1.0 + slack)))
    }

    fn settle(&mut self, position: usize) -> bool {
        let (start, end) = self.places[position];
        let written = &self.written[start as usize..end as usize];
        self.usage[position] = written.iter().fold(INITIAL_USAGE, |sum, more| sum + more);
        self.is_exact[position] = true;
        true
    }
}

impl UsageOverPerc {
    fn of(tree: &Tree) -> Self {
        let order = tree.order();
        let count = tree.node_count();
        let nodes = tree.nodes().iter();
        let shares: Vec<i32> = nodes.map(|&node| in_32_bits(tree.shares(node))).collect();
        let (_, percentages) = percentages(tree, None, &shares);
        let (places, leaves) = places(tree);
        let is_written = tree.nodes().iter().map(|&node| {
            let name = tree.name(node);
            !tree.has_children(node) && name != b"unknown" && is_recordable(name)
        });
        Self {
            above: order.above().to_vec(),
            percentages,
            usage: vec![INITIAL_USAGE; count],
            is_exact: vec![true; count],
            written: vec![0.0; leaves],
            is_written: is_written.collect(),
            places,
            slack: 4.0 * f64::EPSILON * (count + MOST_CHARGES + 16) as f64,
        }
    }

    /// Sets the usage of a leaf, and returns by how much that changes what PBS writes of it.
    fn set(&mut self, position: usize, usage: Usage) -> f64 {
        let amount = usage.amount().filter(|&amount| {
            self.is_written[position] && amount != INITIAL_USAGE && amount >= 0.0
        });
        self.usage[position] = amount.unwrap_or(INITIAL_USAGE);
        let written = &mut self.written[self.places[position].0 as usize];
        let before = std::mem::replace(written, amount.unwrap_or(0.0));
        *written - before
    }

    /// Sets the usage of a charged leaf and of the accounts above. Returns `false` if PBS writes less than before.
    fn charge(&mut self, position: usize, usage: Usage) -> bool {
        let more = self.set(position, usage);
        let mut here = position;
        while more > 0.0 && here > 0 {
            here = self.above[here] as usize;
            self.usage[here] += more;
            self.is_exact[here] = false;
        }
        more >= 0.0
    }

    fn sum_up(&mut self) {
        let mut sums = vec![0.0; self.above.len()];
        for position in (1..sums.len()).rev() {
            let (start, end) = self.places[position];
            let is_leaf = self.is_leaf(position);
            if is_leaf && start < end {
                sums[position] = self.written[start as usize];
            }
            sums[self.above[position] as usize] += sums[position];
            if !is_leaf {
                self.usage[position] = INITIAL_USAGE + sums[position];
                self.is_exact[position] = sums[position] == 0.0;
            }
        }
        self.usage[0] = INITIAL_USAGE + sums[0];
    }

    fn is_leaf(&self, position: usize) -> bool {
        let next = self.above.get(position + 1);
        next.is_none_or(|&above| above as usize != position)
    }
}

/// Returns the places of the leaves below each node in the order in which PBS writes them, and how many leaves there
/// are. See [`write_order`](super::write_order).
fn places(tree: &Tree) -> (Vec<(u32, u32)>, usize) {
    let order = tree.order();
    let ends = (0..).zip(order.ends());
    let is_leaf: Vec<bool> = ends.map(|(position, &end)| end == position + 1).collect();
    let leaves = order.count_within(&is_leaf);
    let mut places = vec![(0, 0); leaves.len()];
    let (mut next, mut pending) = (0, vec![0]);
    while let Some(parent) = pending.pop() {
        places[parent as usize] = (next, next + leaves[parent as usize]);
        for child in order.children(parent) {
            if is_leaf[child as usize] {
                places[child as usize] = (next, next + 1);
                next += 1;
            } else {
                pending.push(child);
            }
        }
    }
    (places, next as usize)
}

impl PbsQueue {
    /// Returns the queue of users by position. `None` for a tree that PBS itself would not have.
    pub(crate) fn of(tree: &Tree, is_wanted: Vec<bool>) -> Option<Self> {
        let has_parents = || {
            let mut nodes = tree.nodes().iter();
            nodes.any(|&node| tree.shares(node).is_parent())
        };
        (tree.kinds_follow_shape() && !has_parents()).then(|| Self {
            tree: tree.clone(),
            siblings: SiblingQueue::of(tree, is_wanted),
            keys: UsageOverPerc::of(tree),
            last_decay: None,
            is_recorded: vec![true; tree.node_count()],
            changed: 0,
            charges: 0,
        })
    }

    /// Takes the usage after a cycle in which these users were charged. If usage has decayed, all of it is read.
    pub(crate) fn charge(
        &mut self,
        settings: &Settings,
        charged: &[NodeId],
        usage: impl Fn(NodeId) -> Usage,
    ) {
        self.charges = self.charges.saturating_add(charged.len());
        let is_same = self.last_decay == Some(settings.pbs.last_decay);
        if !is_same || self.charges > MOST_CHARGES {
            self.read(usage);
            self.last_decay = Some(settings.pbs.last_decay);
            return;
        }
        for &node in charged {
            let Some(position) = self.tree.order().position(node) else {
                continue;
            };
            let now = usage(node);
            self.note(position, now);
            if !self.keys.charge(position, now) {
                // Less usage than before is no charge.
                self.read(usage);
                return;
            }
        }
    }

    fn read(&mut self, usage: impl Fn(NodeId) -> Usage) {
        for position in 0..self.tree.node_count() {
            let now = usage(self.tree.nodes()[position]);
            self.note(position, now);
            if self.keys.is_leaf(position) {
                self.keys.set(position, now);
            }
        }
        self.keys.sum_up();
        self.siblings.clear();
        self.charges = 0;
    }

    /// Notes whether a node's usage is the recorded one.
    fn note(&mut self, position: usize, usage: Usage) {
        let node = self.tree.nodes()[position];
        let is_recorded = self.tree.is_recorded(node, usage);
        let was_recorded = std::mem::replace(&mut self.is_recorded[position], is_recorded);
        self.changed += usize::from(was_recorded);
        self.changed -= usize::from(is_recorded);
    }

    pub(crate) fn begin(&mut self) {
        self.siblings.begin();
    }

    pub(crate) fn next_user(&mut self) -> NextUser {
        if self.last_decay.is_none() || self.changed == 0 || self.keys.usage[0] > MOST_USAGE {
            return NextUser::Unknown;
        }
        self.siblings.next(&mut self.keys)
    }
}
