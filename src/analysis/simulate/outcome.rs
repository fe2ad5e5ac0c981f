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
        let used = |standing: Standing| standing.target.map(|target| target.used);
        return is_close(used(before), used(after));
    }
    before.rank == after.rank && is_close(before.factor, after.factor)
}

fn is_close(before: Option<f64>, after: Option<f64>) -> bool {
    let both = before.zip(after);
    both.map_or(before == after, |(before, after)| {
        (before - after).abs() <= SAME * before.abs().max(after.abs())
    })
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
    /// All usage at the start, and at the end.
    used: [f64; 2],
    /// Whether all usage is the least that PBS keeps.
    is_at_floor: bool,
    had_campaigns: bool,
}

impl Decline {
    fn of(start: &Simulation, end: &Simulation) -> Self {
        let clock = &end.clock;
        let (scheduler, pace) = (clock.settings().scheduler, &clock.settings().time.pace);
        let usage = used(end);
        // In PBS usage never falls below its initial value.
        let is_pbs = scheduler == Some(Scheduler::Pbs);
        let is_at_floor = is_pbs && usage.iter().all(|&usage| usage <= INITIAL_USAGE);
        let begin = start.clock.passed();
        let had_campaigns = (pace.campaigns().iter())
            .any(|campaign| campaign.from < clock.passed() && campaign.until > begin);
        Self {
            scheduler,
            used: [used(start).iter().sum(), usage.iter().sum()],
            is_at_floor,
            had_campaigns,
        }
    }

    /// Returns why the goal is not reached if nobody uses anything at the end.
    fn cause(&self, recovery: &Recovery) -> ShortfallCause {
        let [before, after] = self.used;
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
        let (policy, tree, evaluation) = (self.policy, &self.tree, &self.evaluation);
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
        let rate_of = |node| {
            let span = tree.order().span(node);
            self.rates_before[span.end] - self.rates_before[span.start]
        };
        let cause = if rate_of(NodeId::ROOT) > 0.0 {
            too_much(policy, tree, evaluation, &rate_of, recovery)
        } else {
            Some(self.decline.cause(recovery))
        };
        Shortfall::Obstructed {
            cause,
            standing: standing(policy, tree, evaluation, recovery),
        }
    }
}

fn used(simulation: &Simulation) -> Vec<f64> {
    let clock = &simulation.clock;
    let tree = clock.tree();
    tree.charged().map(|node| clock.in_memory(node)).collect()
}

/// Returns the topmost level of the node's own path that has a larger portion of the new usage than its target.
fn too_much(
    policy: Policy,
    tree: &Tree,
    evaluation: &Evaluation,
    rate_of: &dyn Fn(NodeId) -> f64,
    recovery: &Recovery,
) -> Option<ShortfallCause> {
    let node = recovery.node;
    let shared = match recovery.goal {
        Goal::AheadOf(other) => tree.line(other),
        // A node is on target by its own numbers, so the accounts above it do not count.
        Goal::OnTarget => tree.line(tree.parent(node).unwrap_or(NodeId::ROOT)),
        Goal::Rank(_) | Goal::Factor(_) | Goal::Share(_) => Vec::new(),
    };
    // Both paths begin at the top level.
    let line = tree.line(node).into_iter().enumerate();
    let own = line.filter(|&(depth, here)| shared.get(depth) != Some(&here));
    own.map(|(_, here)| here).find_map(|here| {
        let (target, _) = policy.portions(evaluation, here)?;
        let among = if policy.counts_by_level() {
            tree.parent(here)?
        } else {
            NodeId::ROOT
        };
        let all = rate_of(among);
        let part = if all > 0.0 { rate_of(here) / all } else { 0.0 };
        (part > target * (1.0 + CLOSE)).then_some(ShortfallCause::TooMuchUse {
            node: here,
            among,
            part,
            target,
        })
    })
}

fn standing(
    policy: Policy,
    tree: &Tree,
    evaluation: &Evaluation,
    recovery: &Recovery,
) -> HorizonStanding {
    if let (Goal::OnTarget, Some(target)) = (recovery.goal, recovery.then.target) {
        return HorizonStanding::Target(TargetUse::of(policy, tree, recovery.node, target));
    }
    let ranks = evaluation.ranks();
    let other = match recovery.goal {
        Goal::AheadOf(other) => evaluation.best_rank(other).map(|rank| (other, rank)),
        Goal::Rank(wanted) => {
            // The user with the wanted rank, or the last one tied for a better rank.
            let places = tree.nodes().iter().copied().zip(ranks.iter().copied());
            let reached = places.filter(|&(_, rank)| rank > 0 && rank <= wanted);
            reached.max_by_key(|&(_, rank)| rank)
        }
        Goal::OnTarget | Goal::Factor(_) | Goal::Share(_) => None,
    };
    HorizonStanding::Order {
        rank: recovery.then.rank,
        factor: recovery.then.factor,
        column: policy.factor_column(),
        other,
    }
}

/// Returns, by position, the sum of the present rates before it, so that the total of any subtree follows.
fn rates_before(simulation: &Simulation, tree: &Tree) -> Vec<f64> {
    let clock = &simulation.clock;
    let (pace, passed) = (&clock.settings().time.pace, clock.passed());
    let mut rates = vec![0.0; tree.node_count()];
    let campaigns = pace.campaigns().iter();
    let running = campaigns.filter(|own| (own.from..own.until).contains(&passed));
    let campaigns = running.map(|campaign| (campaign.node, campaign.rate));
    for (node, rate) in pace.rates().chain(campaigns) {
        if let Some(position) = tree.order().position(node) {
            rates[position] += rate;
        }
    }
    let sums = rates.into_iter().scan(0.0, |sum, rate| {
        *sum += rate;
        Some(*sum)
    });
    std::iter::once(0.0).chain(sums).collect()
}
