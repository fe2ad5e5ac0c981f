//! The users in PBS's order without a formula, one after the other.
//!
//! An account's usage is the sum of what PBS writes of the entities below it, added one after the other in the order of
//! the file. The charges of a cycle change one term of such a sum, and then the whole sum may be rounded in another way.
//! So a sum that follows from the earlier one by the difference is good for bounds only. It is added up again where the
//! bounds do not tell which of two siblings comes first.

use super::{INITIAL_USAGE, Percentages, UNKNOWN_ENTITY, is_recordable, usage_over_perc};
use crate::model::{NodeId, Settings, Tree, Usage};
use crate::rules::policy::blank::BlankNodes;
use crate::rules::policy::siblings::{Bounds, NextUser, SiblingKeys, SiblingQueue};

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
    /// How many charges were taken since all sums were computed.
    charges: usize,
}

/// The places of the leaves below a node, and of the leaf itself, among all leaves in the order in which PBS writes them.
#[derive(Clone, Copy, Debug, Default)]
struct LeafPlaces {
    start: u32,
    end: u32,
}

/// Usage / perc by position, as far as it is known.
#[derive(Clone, Debug)]
struct UsageOverPerc {
    /// The account above each node; the root's is itself.
    above: Vec<u32>,
    /// `tree_percentage`, the part of the whole tree.
    percentages: Vec<f32>,
    /// Exact for users, and for accounts that are marked.
    usage: Vec<f64>,
    /// Whether an account's usage is exact.
    is_exact: Vec<bool>,
    /// What PBS writes of the leaves, in its order; 0 of those that it does not write.
    written: Vec<f64>,
    /// Where that is, by position.
    places: Vec<LeafPlaces>,
    /// Whether PBS writes and reads the usage of a leaf.
    is_written: Vec<bool>,
    /// By how much a sum may be off, relative to the sum.
    slack: f64,
}

impl SiblingKeys for UsageOverPerc {
    const MERGES: bool = true;

    fn bounds(&self, position: usize) -> Bounds {
        let percentage = self.percentages[position];
        // Where PBS's walk ends, users of all levels tie.
        if percentage.is_nan() || percentage <= 0.0 {
            return Bounds::UNKNOWN;
        }
        let usage = self.usage[position];
        if self.is_exact[position] {
            return Bounds::exactly(usage_over_perc(usage, percentage));
        }
        Bounds {
            least: usage_over_perc(usage * (1.0 - self.slack), percentage),
            most: usage_over_perc(usage * (1.0 + self.slack), percentage),
        }
    }

    fn settle(&mut self, position: usize) -> bool {
        let places = self.places[position];
        let mut sum = INITIAL_USAGE;
        for written in &self.written[places.start as usize..places.end as usize] {
            sum += written;
        }
        self.usage[position] = sum;
        self.is_exact[position] = true;
        true
    }
}

impl UsageOverPerc {
    fn new(tree: &Tree) -> Self {
        let count = tree.node_count();
        let mut is_written = Vec::with_capacity(count);
        for &node in tree.nodes() {
            let name = tree.name(node);
            is_written
                .push(!tree.has_children(node) && name != UNKNOWN_ENTITY && is_recordable(name));
        }
        let places = leaf_places(tree);
        let leaf_count = places[0].end as usize;
        Self {
            above: tree.above().to_vec(),
            percentages: Percentages::new(tree, &BlankNodes::default()).of_tree,
            usage: vec![INITIAL_USAGE; count],
            is_exact: vec![true; count],
            written: vec![0.0; leaf_count],
            is_written,
            places,
            slack: 4.0 * f64::EPSILON * (count + MOST_CHARGES + 16) as f64,
        }
    }

    /// Sets the usage of a leaf, and returns by how much that changes what PBS writes of it.
    fn set(&mut self, position: usize, usage: Usage) -> f64 {
        let written = &mut self.written[self.places[position].start as usize];
        let before = *written;
        match usage.amount() {
            Some(amount)
                if self.is_written[position] && amount != INITIAL_USAGE && amount >= 0.0 =>
            {
                self.usage[position] = amount;
                *written = amount;
            }
            _ => {
                self.usage[position] = INITIAL_USAGE;
                *written = 0.0;
            }
        }
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

    /// Computes the usage of all accounts from what PBS writes of the leaves.
    fn sum_up(&mut self) {
        let mut sums = vec![0.0; self.above.len()];
        for position in (1..sums.len()).rev() {
            if self.is_leaf(position) {
                sums[position] = self.written[self.places[position].start as usize];
            } else {
                self.usage[position] = INITIAL_USAGE + sums[position];
                self.is_exact[position] = sums[position] == 0.0;
            }
            sums[self.above[position] as usize] += sums[position];
        }
        self.usage[0] = INITIAL_USAGE + sums[0];
    }

    fn is_leaf(&self, position: usize) -> bool {
        match self.above.get(position + 1) {
            Some(&above) => above as usize != position,
            None => true,
        }
    }
}

/// Returns, by position, where the leaves below each node are in the order in which PBS writes them. See
/// [`write_order`](super::write_order).
fn leaf_places(tree: &Tree) -> Vec<LeafPlaces> {
    let order = tree.order();
    let mut is_leaf = Vec::with_capacity(tree.node_count());
    for (position, &end) in (0..).zip(order.ends()) {
        is_leaf.push(end == position + 1);
    }
    let leaves = order.count_within(&is_leaf);
    let mut places = vec![LeafPlaces::default(); leaves.len()];
    let mut next = 0;
    let mut pending = vec![0];
    while let Some(parent) = pending.pop() {
        places[parent as usize] = LeafPlaces {
            start: next,
            end: next + leaves[parent as usize],
        };
        for child in order.children(parent) {
            if is_leaf[child as usize] {
                places[child as usize] = LeafPlaces {
                    start: next,
                    end: next + 1,
                };
                next += 1;
            } else {
                pending.push(child);
            }
        }
    }
    places
}

impl PbsQueue {
    /// Returns the queue of users by position. `None` for a tree that PBS itself would not have.
    pub(crate) fn new(tree: &Tree, is_wanted: Vec<bool>) -> Option<Self> {
        if !tree.kinds_follow_shape() {
            return None;
        }
        for &node in tree.nodes() {
            if tree.shares(node).is_parent() {
                return None;
            }
        }
        Some(Self {
            tree: tree.clone(),
            siblings: SiblingQueue::new(tree, is_wanted),
            keys: UsageOverPerc::new(tree),
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
        let has_decayed = self.last_decay != Some(settings.pbs.last_decay);
        if has_decayed || self.charges > MOST_CHARGES {
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

    /// Reads all usage, and computes all sums again.
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

    /// Begins again with the first user.
    pub(crate) fn begin(&mut self) {
        self.siblings.begin();
    }

    /// Returns the next user by the usage of the last cycle.
    pub(crate) fn next_user(&mut self) -> NextUser {
        if self.last_decay.is_none() || self.changed == 0 || self.keys.usage[0] > MOST_USAGE {
            return NextUser::Unknown;
        }
        self.siblings.next(&mut self.keys)
    }
}
