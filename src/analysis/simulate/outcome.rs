//! When a goal is reached, or why it is not.

use crate::analysis::solve::{Goal, Standing, TargetUse};
use crate::model::NodeId;
use crate::rules::policy::{Policy, Target};

/// Two numbers that differ by no more than this part of them are the same for this purpose.
const SAME: f64 = 1e-6;

/// When a node reaches a goal, or why not.
#[derive(Clone, Debug, PartialEq)]
pub struct Recovery {
    /// The node.
    pub node: NodeId,
    /// What is wanted of it.
    pub goal: Goal,
    /// The answer.
    pub outcome: RecoveryOutcome,
    /// Where it stands now.
    pub now: Standing,
    /// Where it stands one step before the answer; nothing if there is none, or none before.
    pub almost: Option<Standing>,
    /// Where it stands at the answer, or else at the horizon.
    pub then: Standing,
    /// Where being on target is the goal: the accounts above the node that have a target of their own, from the top,
    /// and the node itself, at the same moment as `then`; else empty.
    pub levels: Vec<(NodeId, Target)>,
    /// Why it is not reached. `None` where it is.
    pub shortfall: Option<Shortfall>,
    /// How many moments were looked at.
    pub samples: usize,
}

/// When a goal is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryOutcome {
    /// It is reached already.
    Now,
    /// After so many seconds, counted from where the simulation stood.
    After(u64),
    /// Not before the horizon, and where it stands still changes.
    NotYet,
    /// Not before the horizon, and where it stands no longer changes at this pace.
    Never,
}

/// Why a goal is not reached at the horizon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shortfall {
    /// A place is wanted of an account, and nobody is in it.
    NoUsers,
    /// A place is wanted of a user without a rank.
    NoRank,
    /// The node, or an account above it, has no shares, so that its target is 0.
    NoShares,
    /// Something stands in the way.
    Obstructed {
        /// What that is. `None` if it is not known.
        cause: Option<ShortfallCause>,
        /// Where the node stands at the horizon.
        standing: HorizonStanding,
    },
}

/// What stands in the way of a goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ShortfallCause {
    /// Nobody has used anything and nobody does.
    NothingUsed,
    /// Nobody uses anything, and so little usage is left at the horizon that shares decide.
    LittleLeft,
    /// Nobody uses anything, and usage is at the least that PBS keeps.
    LeastOfPbs,
    /// Nobody uses anything.
    NobodyUses,
    /// Nobody uses anything, and no usage decays.
    NoDecay,
    /// Nobody uses anything, and all usage shrinks by the same factor.
    SameFactor {
        /// The policy under which only ratios count.
        policy: Policy,
        /// Whether it does so only until the oldest bins are forgotten, as in Flux.
        forgets: bool,
        /// Whether somebody used something before the horizon.
        had_campaigns: bool,
    },
    /// The node, or an account above it, takes more of the new usage than its target.
    TooMuchUse {
        /// The one of them that does.
        node: NodeId,
        /// The portion it takes.
        part: f64,
        /// The portion it may take.
        target: f64,
    },
}

/// Where a node stands at the horizon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HorizonStanding {
    /// Against its target, where that is the goal.
    Target(TargetUse),
    /// Among others.
    Order {
        /// Its rank.
        rank: Option<u32>,
        /// Its factor.
        factor: Option<f64>,
        /// Whom it would have to pass, and the rank of that. `None` if there is nobody, or no place is the goal.
        other: Option<(NodeId, u32)>,
    },
}

/// Whether a node stands where it stood, as far as the goal looks at it.
pub(super) fn is_same(goal: Goal, before: Standing, after: Standing) -> bool {
    if goal == Goal::OnTarget {
        let used = |standing: Standing| standing.target.map(|target| target.used);
        return is_close(used(before), used(after));
    }
    before.rank == after.rank && is_close(before.factor, after.factor)
}

/// Whether two numbers are the same for this purpose, or neither is there.
fn is_close(before: Option<f64>, after: Option<f64>) -> bool {
    match (before, after) {
        (Some(before), Some(after)) => {
            (before - after).abs() <= SAME * before.abs().max(after.abs())
        }
        (before, after) => before.is_none() && after.is_none(),
    }
}
