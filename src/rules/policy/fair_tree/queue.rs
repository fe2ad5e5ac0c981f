//! The users in the order of Fair Tree, one after the other.
//!
//! Siblings are put in order by usage / shares. Slurm's decay multiplies all usage alike, so usage divided by what is
//! left of it stays the same but for rounding, and grows where it is charged. Level FS is computed from rounded numbers:
//! siblings that are as close as rounding are not told apart here, unless they have the same shares and usage. Neither
//! are accounts that tie. Then the walk through all users decides.

use super::NO_VALUE;
use crate::base::extended::Extended;
use crate::model::{NodeId, Settings, Tree, UsageResetPeriod};
use crate::rules::policy::siblings::{Bounds, NextUser, SiblingKeys, SiblingQueue};
use crate::rules::policy::slurm::Associations;

/// How many counts are taken before all usage is read again, because rounding adds up.
const MOST_COUNTS: u32 = 1 << 18;

/// By how much a key may be off, relative to it: a few roundings of doubles for every count.
const RELATIVE_ERROR: f64 = 8.0 * f64::EPSILON * MOST_COUNTS as f64;

/// What is left of usage when all usage is read again.
const LEAST_LEFT: f64 = 1e-100;

/// Usage from the one to the other is followed. There, nothing here overflows or loses bits.
const FOLLOWED: std::ops::Range<f64> = 1e-100..1e100;

/// The users in the order of Fair Tree, while Slurm's clock charges usage to them.
#[derive(Debug)]
pub(crate) struct FairTreeQueue {
    siblings: SiblingQueue,
    usage: UsageByShares,
    /// How many counts were taken since all usage was read.
    counts: u32,
    /// The user after the next one.
    ahead: Option<NextUser>,
}

/// Usage divided by what is left, and the part of the level's shares.
#[derive(Debug)]
struct UsageByShares {
    tree: Tree,
    /// Raw shares, by position.
    shares: Vec<u32>,
    /// The part of the level's shares, by position.
    portions: Vec<f64>,
    /// Usage divided by what is left, by position; 0 only without any usage.
    usage: Vec<f64>,
    /// What is left of the usage that was read, as a part of 1.
    left: f64,
    /// Not before the first count, nor once a usage is out of range.
    is_followed: bool,
}

impl UsageByShares {
    /// Takes the usage that Slurm holds of a node.
    fn set(&mut self, position: usize, held: Extended) {
        let usage = held.to_f64() / self.left;
        self.is_followed &= held.is_zero() || FOLLOWED.contains(&usage);
        self.usage[position] = usage;
    }
}

/// The keys at one moment, with the usage that Slurm holds.
struct HeldUsage<'a> {
    usage: &'a UsageByShares,
    /// The usage that Slurm holds of a node.
    held: &'a dyn Fn(NodeId) -> Extended,
}

impl SiblingKeys for HeldUsage<'_> {
    const MERGES: bool = false;

    fn bounds(&self, position: usize) -> Bounds {
        let portion = self.usage.portions[position];
        if portion == 0.0 {
            return Bounds::UNKNOWN;
        }
        let key = self.usage.usage[position] / portion;
        Bounds {
            least: key * (1.0 - RELATIVE_ERROR),
            most: key * (1.0 + RELATIVE_ERROR),
        }
    }

    fn are_alike(&self, one: usize, other: usize) -> bool {
        let nodes = self.usage.tree.nodes();
        let shares = &self.usage.shares;
        shares[one] == shares[other] && (self.held)(nodes[one]) == (self.held)(nodes[other])
    }

    /// Slurm compares the first member with its mark for "no value".
    fn may_continue(&self, position: usize) -> bool {
        /// How near a number is to the mark, relative to it.
        const NEAR: f64 = 1e-6;
        let usage = &self.usage.usage;
        let above = self.usage.tree.above()[position];
        let level_fs = self.usage.portions[position] * usage[above as usize] / usage[position];
        (level_fs / NO_VALUE - 1.0).abs() < NEAR
    }
}

impl FairTreeQueue {
    /// Returns the queue of users by position. `None` for trees in which shares are inherited or usage is reset.
    pub(crate) fn new(tree: &Tree, settings: &Settings, mut is_wanted: Vec<bool>) -> Option<Self> {
        let associations = Associations::new(tree);
        let is_followed = match settings.slurm.usage_reset_period {
            UsageResetPeriod::None | UsageResetPeriod::Now => !associations.has_parents(),
            _ => false,
        };
        if !is_followed {
            return None;
        }
        // An account without users can tie with another one all the same.
        let users = tree.order().count_within(&associations.is_user);
        for (is_wanted, users) in is_wanted.iter_mut().zip(users) {
            *is_wanted |= users == 0;
        }
        let count = associations.len();
        let mut portions = Vec::with_capacity(count);
        for position in 0..count {
            portions.push(associations.portion(position));
        }
        let usage = UsageByShares {
            tree: tree.clone(),
            shares: associations.shares,
            portions,
            usage: vec![0.0; count],
            left: 0.0,
            is_followed: false,
        };
        Some(Self {
            siblings: SiblingQueue::new(tree, is_wanted),
            usage,
            counts: 0,
            ahead: None,
        })
    }

    /// Takes the usage after a count, at which these users were charged and others kept that part of theirs.
    pub(crate) fn charge(
        &mut self,
        left: f64,
        charged: &[NodeId],
        held: &dyn Fn(NodeId) -> Extended,
    ) {
        self.counts += 1;
        self.usage.left *= left;
        let tree = self.usage.tree.clone();
        if self.usage.left < LEAST_LEFT || self.counts >= MOST_COUNTS {
            self.usage.left = 1.0;
            self.usage.is_followed = true;
            for (position, node) in tree.positions() {
                self.usage.set(position, held(node));
            }
            self.siblings.clear();
            self.counts = 0;
            return;
        }
        for &node in charged {
            for node in tree.upwards(node) {
                if let Some(position) = tree.order().position(node) {
                    self.usage.set(position, held(node));
                }
            }
        }
    }

    /// Begins again with the first user.
    pub(crate) fn begin(&mut self) {
        self.siblings.begin();
        self.ahead = None;
    }

    /// Returns the next user. The one after it is looked for first: an account without users may tie with one that has
    /// some, whose first user then ties with the user before.
    pub(crate) fn next_user(&mut self, held: &dyn Fn(NodeId) -> Extended) -> NextUser {
        if !self.usage.is_followed {
            return NextUser::Unknown;
        }
        let mut keys = HeldUsage {
            usage: &self.usage,
            held,
        };
        let next = match self.ahead.take() {
            Some(next) => next,
            None => self.siblings.next(&mut keys),
        };
        if !matches!(next, NextUser::At(_)) {
            return next;
        }
        let ahead = self.siblings.next(&mut keys);
        if ahead == NextUser::Unknown {
            return ahead;
        }
        self.ahead = Some(ahead);
        next
    }
}
