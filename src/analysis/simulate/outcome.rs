//! When a goal is reached, or why it is not.

use super::Simulation;
use crate::analysis::solve::{Goal, Standing, TargetUse};
use crate::model::{Kind, NodeId, Scheduler, Tree};
use crate::rules::policy::pbs::INITIAL_USAGE;
use crate::rules::policy::{ColumnId, Evaluation, Policy, Target};

/// The largest relative difference at which two numbers count as equal.
const SAME: f64 = 1e-6;

/// The largest relative difference at which two portions count as equal: PBS stores targets in 32 bits.
const CLOSE: f64 = 1e-6;

/// When a node reaches a goal, or why it does not.
#[derive(Clone, Debug, PartialEq)]
pub struct Recovery {
    pub(crate) node: NodeId,
    pub(crate) goal: Goal,
    /// The answer.
    pub outcome: RecoveryOutcome,
    pub(crate) now: Standing,
    /// Its standing one step before the goal is reached. `None` if the goal is reached now or not at all.
    pub(crate) almost: Option<Standing>,
    /// Its standing when the goal is reached, otherwise at the horizon.
    pub then: Standing,
    /// For the goal on target: the accounts above with targets, from the top, and the node, at the moment of `then`.
    pub levels: Vec<(NodeId, Target)>,
    /// Why the goal is not reached. `None` if it is.
    pub shortfall: Option<Shortfall>,
    pub(crate) samples: usize,
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

impl RecoveryOutcome {
    /// Returns after how many seconds the goal is reached; `None` if it is not.
    pub(crate) const fn seconds(self) -> Option<u64> {
        match self {
            Self::Now => Some(0),
            Self::After(seconds) => Some(seconds),
            Self::NotYet | Self::Never => None,
        }
    }
}

/// Why a goal is not reached at the horizon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shortfall {
    /// The goal is a rank, and the account has no users.
    NoUsers,
    /// The goal is a rank, and the user has none.
    NoRank,
    /// The goal is a rank, and not all users are listed.
    UnknownRank,
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
    Target(TargetUse),
    Order {
        rank: Option<u32>,
        factor: Option<f64>,
        /// The column of the factor.
        column: ColumnId,
        /// The node that it would have to pass, and that node's rank. `None` if there is none, or the goal is no rank.
        other: Option<(NodeId, u32)>,
    },
}

/// Returns whether a node's standing is the same at two moments, as far as the goal is concerned.
pub(super) fn is_same(goal: Goal, before: Standing, after: Standing) -> bool {
    if goal == Goal::OnTarget {
        return is_close(used_of(before), used_of(after));
    }
    before.rank == after.rank && is_close(before.factor, after.factor)
}

/// Returns what a node used, as a portion. `None` if it has no target.
fn used_of(standing: Standing) -> Option<f64> {
    Some(standing.target?.used)
}

/// Returns whether two numbers are the same but for rounding, or both unknown.
fn is_close(before: Option<f64>, after: Option<f64>) -> bool {
    match (before, after) {
        (Some(before), Some(after)) => {
            (before - after).abs() <= SAME * before.abs().max(after.abs())
        }
        _ => before == after,
    }
}

/// The end of a simulation, which tells of each node why it has not reached its goal.
pub(super) struct Horizon {
    policy: Policy,
    pub(super) tree: Tree,
    pub(super) evaluation: Evaluation,
    /// By position, the sum of the rates before it, so that the total of any subtree follows.
    rates_before: Vec<f64>,
    decline: Decline,
}

/// How existing usage has decayed from the start of a simulation to its end.
struct Decline {
    scheduler: Option<Scheduler>,
    /// All usage at the start.
    used_before: f64,
    /// All usage at the end.
    used_after: f64,
    /// Whether all usage is the least that PBS keeps.
    is_at_floor: bool,
    /// Whether campaigns ran in between.
    had_campaigns: bool,
}

impl Decline {
    /// Returns how usage has decayed between two moments.
    fn of(start: &Simulation, end: &Simulation) -> Self {
        let clock = &end.clock;
        let settings = clock.settings();
        let usage = used(end);
        // In PBS usage never falls below its initial value.
        let is_pbs = settings.scheduler == Some(Scheduler::Pbs);
        let is_at_floor = is_pbs && usage.iter().all(|&usage| usage <= INITIAL_USAGE);
        let begin = start.clock.passed();
        let mut had_campaigns = false;
        for campaign in settings.time.pace.campaigns() {
            had_campaigns |= campaign.from < clock.passed() && campaign.until > begin;
        }
        Self {
            scheduler: settings.scheduler,
            used_before: used(start).iter().sum(),
            used_after: usage.iter().sum(),
            is_at_floor,
            had_campaigns,
        }
    }

    /// Returns why the goal is not reached if nobody uses anything at the end.
    fn cause(&self, recovery: &Recovery) -> ShortfallCause {
        let before = self.used_before;
        let after = self.used_after;
        let had_campaigns = self.had_campaigns;
        let same_factor = ShortfallCause::SameFactor {
            // In Flux all usage shrinks by one factor only until the oldest bins are dropped.
            forgets: self.scheduler == Some(Scheduler::Flux),
            had_campaigns,
        };
        // Shares then decide the order, but a target is compared with whatever usage is left.
        let little_left = match recovery.goal {
            Goal::OnTarget if self.scheduler == Some(Scheduler::Pbs) => ShortfallCause::LeastOfPbs,
            Goal::OnTarget => ShortfallCause::NobodyUses,
            _ => ShortfallCause::LittleLeft,
        };
        if before == 0.0 && after == 0.0 {
            ShortfallCause::NothingUsed
        } else if after == 0.0 || self.is_at_floor {
            little_left
        } else if had_campaigns {
            same_factor
        } else if after >= before {
            // Usage that does not shrink does not decay; a NaN counts as shrinking.
            ShortfallCause::NoDecay
        } else if is_same(recovery.goal, recovery.now, recovery.then) {
            same_factor
        } else {
            little_left
        }
    }
}

impl Horizon {
    /// Returns the end of a simulation.
    pub(super) fn of(start: &Simulation, end: &mut Simulation) -> Self {
        let (tree, evaluation) = end.look();
        Self {
            policy: end.policy,
            rates_before: rates_before(end, &tree),
            decline: Decline::of(start, end),
            tree,
            evaluation,
        }
    }

    /// Returns why a node has not reached its goal.
    pub(super) fn shortfall(&self, recovery: &Recovery) -> Shortfall {
        let tree = &self.tree;
        if recovery.then.rank.is_none() && matches!(recovery.goal, Goal::Rank(_) | Goal::AheadOf(_))
        {
            if tree.part().is_some() {
                return Shortfall::UnknownRank;
            }
            return match tree.kind(recovery.node) {
                Kind::Account => Shortfall::NoUsers,
                Kind::User | Kind::Others => Shortfall::NoRank,
            };
        }
        if let (Goal::OnTarget, Some(target)) = (recovery.goal, recovery.then.target)
            && target.share == 0.0
        {
            return Shortfall::NoShares;
        }
        let cause = if self.rate(NodeId::ROOT) > 0.0 {
            self.too_much(recovery)
        } else {
            Some(self.decline.cause(recovery))
        };
        Shortfall::Obstructed {
            cause,
            standing: self.standing(recovery),
        }
    }

    /// Returns the rate of a node and all nodes below it at the end.
    fn rate(&self, node: NodeId) -> f64 {
        let span = self.tree.order().span(node);
        self.rates_before[span.end] - self.rates_before[span.start]
    }

    /// Returns the topmost level of the node's own path that has a larger portion of the new usage than its target.
    fn too_much(&self, recovery: &Recovery) -> Option<ShortfallCause> {
        let tree = &self.tree;
        let node = recovery.node;
        let shared = match recovery.goal {
            Goal::AheadOf(other) => tree.line(other),
            // A node is on target by its own numbers, so the accounts above it do not count.
            Goal::OnTarget => tree.line(tree.parent(node).unwrap_or(NodeId::ROOT)),
            Goal::Rank(_) | Goal::Factor(_) | Goal::Share(_) => Vec::new(),
        };
        // Both paths begin at the top level.
        for (depth, here) in tree.line(node).into_iter().enumerate() {
            if shared.get(depth) == Some(&here) {
                continue;
            }
            let cause = self.too_much_use(here);
            if cause.is_some() {
                return cause;
            }
        }
        None
    }

    /// Returns that a node has a larger portion of the new usage than its target. `None` if it has not.
    fn too_much_use(&self, node: NodeId) -> Option<ShortfallCause> {
        let (target, _) = self.policy.portions(&self.evaluation, node)?;
        let among = if self.policy.counts_by_level() {
            self.tree.parent(node)?
        } else {
            NodeId::ROOT
        };
        let all = self.rate(among);
        let mut part = 0.0;
        if all > 0.0 {
            part = self.rate(node) / all;
        }
        (part > target * (1.0 + CLOSE)).then_some(ShortfallCause::TooMuchUse {
            node,
            among,
            part,
            target,
        })
    }

    /// Returns the standing of a node at the end.
    fn standing(&self, recovery: &Recovery) -> HorizonStanding {
        if let (Goal::OnTarget, Some(target)) = (recovery.goal, recovery.then.target) {
            let used = TargetUse::of(self.policy, &self.tree, recovery.node, target);
            return HorizonStanding::Target(used);
        }
        HorizonStanding::Order {
            rank: recovery.then.rank,
            factor: recovery.then.factor,
            column: self.policy.factor_column(),
            other: self.to_pass(recovery.goal),
        }
    }

    /// Returns the node to pass for a goal, with its rank. `None` if there is none, or the goal is no rank.
    fn to_pass(&self, goal: Goal) -> Option<(NodeId, u32)> {
        match goal {
            Goal::AheadOf(other) => Some((other, self.evaluation.best_rank(other)?)),
            Goal::Rank(wanted) => self.last_of_rank(wanted),
            Goal::OnTarget | Goal::Factor(_) | Goal::Share(_) => None,
        }
    }

    /// Returns the last user with a rank, or else with the next better rank, and that rank. `None` if nobody is that good.
    fn last_of_rank(&self, wanted: u32) -> Option<(NodeId, u32)> {
        let mut last = None;
        let mut worst = 0;
        for (position, &rank) in self.evaluation.ranks().iter().enumerate() {
            if rank > 0 && rank <= wanted && rank >= worst {
                worst = rank;
                last = Some((self.tree.nodes()[position], rank));
            }
        }
        last
    }
}

/// Returns what each user has used at the moment of a simulation.
fn used(simulation: &Simulation) -> Vec<f64> {
    let clock = &simulation.clock;
    let tree = clock.tree();
    tree.charged().map(|node| clock.in_memory(node)).collect()
}

/// Returns, by position, the sum of the present rates before it, so that the total of any subtree follows.
fn rates_before(simulation: &Simulation, tree: &Tree) -> Vec<f64> {
    let clock = &simulation.clock;
    let passed = clock.passed();
    let pace = &clock.settings().time.pace;
    let mut rates = pace.rates().collect::<Vec<_>>();
    for campaign in pace.campaigns() {
        if campaign.from <= passed && passed < campaign.until {
            rates.push((campaign.node, campaign.rate));
        }
    }
    let mut own = vec![0.0; tree.node_count()];
    for (node, rate) in rates {
        if let Some(position) = tree.order().position(node) {
            own[position] += rate;
        }
    }
    let mut before = vec![0.0];
    let mut sum = 0.0;
    for rate in own {
        sum += rate;
        before.push(sum);
    }
    before
}
