//! Why a goal is not reached.

use super::Simulation;
use super::outcome::{HorizonStanding, Recovery, Shortfall, ShortfallCause, is_same};
use crate::analysis::solve::{Goal, TargetUse};
use crate::model::{Kind, NodeId, Scheduler, Tree};
use crate::rules::policy::pbs::INITIAL_USAGE;
use crate::rules::policy::{Evaluation, Policy};

/// What is closer together than this part is the same: PBS holds targets in 32 bits.
const CLOSE: f64 = 1e-6;

/// Why a goal is not reached at the horizon: what stands in the way, and where the node stands then.
pub(super) fn shortfall(
    start: &Simulation,
    end: &mut Simulation,
    recovery: &Recovery,
) -> Shortfall {
    let policy = end.policy();
    let rates = RateSums::at(end);
    let idle = IdleDecay::until(start, end);
    let (tree, evaluation) = end.look();
    if recovery.then.rank.is_none() && matches!(recovery.goal, Goal::Rank(_) | Goal::AheadOf(_)) {
        return match tree.kind(recovery.node) {
            Kind::Account => Shortfall::NoUsers,
            Kind::User => Shortfall::NoRank,
        };
    }
    if let (Goal::OnTarget, Some(target)) = (recovery.goal, recovery.then.target)
        && target.share == 0.0
    {
        return Shortfall::NoShares;
    }
    let cause = if rates.sum(&tree, NodeId::ROOT) > 0.0 {
        too_much(policy, &tree, evaluation, &rates, recovery)
    } else {
        Some(idle.cause(policy, recovery))
    };
    Shortfall::Obstructed {
        cause,
        standing: standing(policy, &tree, evaluation, recovery),
    }
}

/// What becomes of the usage that there is, where nobody uses anything at the horizon.
struct IdleDecay {
    /// The sum of all users at the start.
    before: f64,
    /// The same at the horizon.
    after: f64,
    /// Nobody is above what PBS begins with, below which nothing decays.
    is_at_floor: bool,
    /// Somebody used something before the horizon.
    had_campaigns: bool,
    /// In PBS no usage falls below 1; in Flux it shrinks by one factor only until the oldest bins are forgotten.
    scheduler: Option<Scheduler>,
}

impl IdleDecay {
    fn until(start: &Simulation, end: &Simulation) -> Self {
        let clock = end.clock();
        let (scheduler, pace) = (clock.settings().scheduler, &clock.settings().time.pace);
        let begin = start.clock().passed();
        let usage = used(end);
        let is_at_floor =
            scheduler == Some(Scheduler::Pbs) && usage.iter().all(|&usage| usage <= INITIAL_USAGE);
        Self {
            before: used(start).iter().sum(),
            after: usage.iter().sum(),
            is_at_floor,
            had_campaigns: (pace.campaigns().iter())
                .any(|campaign| campaign.from < clock.passed() && campaign.until > begin),
            scheduler,
        }
    }

    fn cause(&self, policy: Policy, recovery: &Recovery) -> ShortfallCause {
        if self.before == 0.0 && self.after == 0.0 {
            return ShortfallCause::NothingUsed;
        }
        if self.after == 0.0 || self.is_at_floor {
            return self.little_left(recovery);
        }
        let same_factor = ShortfallCause::SameFactor {
            policy,
            forgets: self.scheduler == Some(Scheduler::Flux),
            had_campaigns: self.had_campaigns,
        };
        if self.had_campaigns {
            return same_factor;
        }
        // What becomes less, or no number at all.
        if self.after >= self.before {
            return ShortfallCause::NoDecay;
        }
        if is_same(recovery.goal, recovery.now, recovery.then) {
            return same_factor;
        }
        self.little_left(recovery)
    }

    /// What little usage means: shares decide the order, but a target is held against whatever is left.
    fn little_left(&self, recovery: &Recovery) -> ShortfallCause {
        match recovery.goal {
            Goal::OnTarget if self.scheduler == Some(Scheduler::Pbs) => ShortfallCause::LeastOfPbs,
            Goal::OnTarget => ShortfallCause::NobodyUses,
            _ => ShortfallCause::LittleLeft,
        }
    }
}

/// The usage of each user.
fn used(simulation: &Simulation) -> Vec<f64> {
    let clock = simulation.clock();
    let tree = clock.tree();
    let nodes = tree.nodes().iter().copied();
    let users = nodes.filter(|&node| tree.kind(node) == Kind::User);
    users.map(|node| clock.in_memory(node).0).collect()
}

/// The level at which a node, or an account above it, takes more of the new usage than its target. Who is to come before
/// another gains nothing from an account that both are in.
fn too_much(
    policy: Policy,
    tree: &Tree,
    evaluation: &Evaluation,
    rates: &RateSums,
    recovery: &Recovery,
) -> Option<ShortfallCause> {
    let node = recovery.node;
    let shared = match recovery.goal {
        Goal::AheadOf(other) => tree.line(other),
        // A target is the node's own.
        Goal::OnTarget => tree
            .parent(node)
            .map_or_else(Vec::new, |above| tree.line(above)),
        Goal::Rank(_) | Goal::Factor(_) | Goal::Share(_) => Vec::new(),
    };
    // Both lines begin at the top.
    let line = tree.line(node).into_iter().enumerate();
    let own = line.filter(|&(depth, here)| shared.get(depth) != Some(&here));
    own.map(|(_, here)| here).find_map(|here| {
        let (target, _) = policy.portions(evaluation, here)?;
        let among = if policy.counts_by_level() {
            tree.parent(here)?
        } else {
            NodeId::ROOT
        };
        let all = rates.sum(tree, among);
        let part = if all > 0.0 {
            rates.sum(tree, here) / all
        } else {
            0.0
        };
        (part > target * (1.0 + CLOSE)).then_some(ShortfallCause::TooMuchUse {
            node: here,
            part,
            target,
        })
    })
}

/// Where the node stands at the horizon, and whom it would have to pass.
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
        Goal::AheadOf(other) => {
            let below = ranks[tree.order().span(other)].iter().copied();
            let best = below.filter(|&rank| rank > 0).min();
            best.map(|rank| (other, rank))
        }
        Goal::Rank(wanted) => {
            // Who holds the place, or ties for a better one.
            let places = tree.nodes().iter().copied().zip(ranks.iter().copied());
            places
                .filter(|&(_, rank)| rank > 0 && rank <= wanted)
                .max_by_key(|&(_, rank)| rank)
        }
        Goal::OnTarget | Goal::Factor(_) | Goal::Share(_) => None,
    };
    HorizonStanding::Order {
        rank: recovery.then.rank,
        factor: recovery.then.factor,
        other,
    }
}

/// What is used a second, summed so that any subtree can be asked.
struct RateSums {
    /// The sum of the rates of all nodes before each position.
    before: Vec<f64>,
}

impl RateSums {
    /// The rates of a moment, campaigns that run then among them.
    fn at(simulation: &Simulation) -> Self {
        let clock = simulation.clock();
        let tree = clock.tree();
        let (pace, passed) = (&clock.settings().time.pace, clock.passed());
        let mut rates = vec![0.0; tree.node_count()];
        let running = pace
            .campaigns()
            .iter()
            .filter(|campaign| (campaign.from..campaign.until).contains(&passed));
        let campaigns = running.map(|campaign| (campaign.node, campaign.rate));
        for (node, rate) in pace.rates().chain(campaigns) {
            if let Some(position) = tree.order().position(node) {
                rates[position] += rate;
            }
        }
        let mut before = Vec::with_capacity(rates.len() + 1);
        let mut sum = 0.0;
        before.push(sum);
        for rate in rates {
            sum += rate;
            before.push(sum);
        }
        Self { before }
    }

    fn sum(&self, tree: &Tree, node: NodeId) -> f64 {
        let span = tree.order().span(node);
        self.before[span.end] - self.before[span.start]
    }
}
