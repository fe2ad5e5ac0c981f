//! When a goal is reached, or why it is not.

use crate::analysis::solve::{Goal, Standing, TargetUse};
use crate::model::NodeId;
use crate::rules::policy::Target;

/// The largest relative difference at which two numbers count as equal.
const SAME: f64 = 1e-6;

/// When a node reaches a goal, or why it does not.
#[derive(Clone, Debug, PartialEq)]
pub struct Recovery {
    /// The node.
    pub node: NodeId,
    /// The goal.
    pub goal: Goal,
    /// The answer.
    pub outcome: RecoveryOutcome,
    /// The node's standing now.
    pub now: Standing,
    /// Its standing one step before the goal is reached. `None` if the goal is reached now or not at all.
    pub almost: Option<Standing>,
    /// Its standing when the goal is reached, otherwise at the horizon.
    pub then: Standing,
    /// If the goal is to be on target: the accounts above the node that have a target of their own, from the top, and
    /// the node itself, at the same moment as `then`. Empty for other goals.
    pub levels: Vec<(NodeId, Target)>,
    /// Why the goal is not reached. `None` if it is.
    pub shortfall: Option<Shortfall>,
    /// The number of moments that were evaluated.
    pub samples: usize,
}

/// When a goal is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryOutcome {
    /// The goal is reached already.
    Now,
    /// The goal is reached after this many seconds, counted from the start of the simulation.
    After(u64),
    /// The goal is not reached by the horizon, but the node's standing still changes.
    NotYet,
    /// The goal is not reached by the horizon, and the node's standing no longer changes at this pace.
    Never,
}

/// Why a goal is not reached at the horizon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shortfall {
    /// The goal is a rank, and the account has no users.
    NoUsers,
    /// The goal is a rank, and the user has none.
    NoRank,
    /// The node, or an account above it, has no shares, so that its target is 0.
    NoShares,
    /// Something keeps the node from its goal.
    Obstructed {
        /// What that is. `None` if it is unknown.
        cause: Option<ShortfallCause>,
        standing: HorizonStanding,
    },
}

/// What keeps a node from its goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ShortfallCause {
    /// Nobody has used anything and nobody does.
    NothingUsed,
    /// Nobody uses anything, and so little usage is left at the horizon that shares decide.
    LittleLeft,
    /// Nobody uses anything, and usage is at the minimum that PBS keeps.
    LeastOfPbs,
    NobodyUses,
    /// Nobody uses anything, and no usage decays.
    NoDecay,
    /// Nobody uses anything, and all usage shrinks by the same factor.
    SameFactor {
        /// Whether that ends when the oldest bins are dropped, as in Flux.
        forgets: bool,
        had_campaigns: bool,
    },
    /// The node, or an account above it, has a larger portion of the new usage than its target.
    TooMuchUse {
        node: NodeId,
        /// The account whose new usage it shares; the root under policies that do not count by level.
        among: NodeId,
        part: f64,
        target: f64,
    },
}

/// The standing of a node at the horizon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HorizonStanding {
    /// Compared with its target, if that is the goal.
    Target(TargetUse),
    /// Compared with other nodes.
    Order {
        rank: Option<u32>,
        factor: Option<f64>,
        /// The node that it would have to pass, and that node's rank. `None` if there is none, or the goal is no rank.
        other: Option<(NodeId, u32)>,
    },
}

/// Returns whether a node's standing is the same at two moments, as far as the goal is concerned.
pub(super) fn is_same(goal: Goal, before: Standing, after: Standing) -> bool {
    if goal == Goal::OnTarget {
        let used = |standing: Standing| standing.target.map(|target| target.used);
        return is_close(used(before), used(after));
    }
    before.rank == after.rank && is_close(before.factor, after.factor)
}

fn is_close(before: Option<f64>, after: Option<f64>) -> bool {
    match (before, after) {
        (Some(before), Some(after)) => {
            (before - after).abs() <= SAME * before.abs().max(after.abs())
        }
        (before, after) => before.is_none() && after.is_none(),
    }
}
