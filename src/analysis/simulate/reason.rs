//! Why a goal is not reached, in a sentence.

use super::pace::named;
use super::recovery::is_same;
use super::{Recovery, Simulation};
use crate::analysis::solve::{Goal, Standing, against_target};
use crate::base::number::{fraction, percent};
use crate::model::{Kind, NodeId, Scheduler, Tree};
use crate::rules::policy::pbs::INITIAL_USAGE;
use crate::rules::policy::{Evaluation, Policy};

/// What is closer together than this part is the same: PBS holds targets in 32 bits.
const CLOSE: f64 = 1e-6;

/// Why a goal is not reached at the horizon: what stands in the way, and where the node stands then.
pub(super) fn sentence(start: &Simulation, end: &mut Simulation, recovery: &Recovery) -> String {
    let policy = end.policy();
    let rates = Rates::at(end);
    let idle = Idle::until(start, end);
    let (tree, evaluation) = end.look();
    if recovery.then.rank.is_none() && matches!(recovery.goal, Goal::Rank(_) | Goal::AheadOf(_)) {
        return match tree.kind(recovery.node) {
            Kind::Account => "only users have a rank, and nobody is in it".to_owned(),
            Kind::User => "it has no rank then".to_owned(),
        };
    }
    if let (Goal::OnTarget, Some(target)) = (recovery.goal, recovery.then.target)
        && target.share == 0.0
    {
        return "its target is 0%: it, or an account above it, has no shares".to_owned();
    }
    let why = if rates.sum(&tree, NodeId::ROOT) > 0.0 {
        too_much(policy, &tree, evaluation, &rates, recovery)
    } else {
        Some(idle.sentence(policy, recovery))
    };
    let stands = stands(policy, &tree, evaluation, recovery);
    match why {
        Some(why) => format!("{why}; {stands}"),
        None => stands,
    }
}

/// What is said where usage has become too little to matter.
const SHARES_DECIDE: &str =
    "nobody uses anything, and so little usage is left then that shares decide";

/// What becomes of the usage that there is, where nobody uses anything at the horizon.
struct Idle {
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

impl Idle {
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

    fn sentence(&self, policy: Policy, recovery: &Recovery) -> String {
        if self.before == 0.0 && self.after == 0.0 {
            return "nobody has used anything and nobody does, so only shares count".to_owned();
        }
        if self.after == 0.0 || self.is_at_floor {
            return self.little_left(recovery).to_owned();
        }
        let until = if self.scheduler == Some(Scheduler::Flux) {
            " until the oldest bins are forgotten"
        } else {
            ""
        };
        let unchanged = format!(
            "idle decay alone changes nothing under {}: all usage shrinks by the same factor{until}; what helps is new \
             usage of others",
            policy.name()
        );
        if self.had_campaigns {
            return format!("the campaigns are over then, and {unchanged}");
        }
        // What becomes less, or no number at all.
        if self.after >= self.before {
            return "nobody uses anything, and no usage decays until then".to_owned();
        }
        if is_same(recovery.goal, recovery.now, recovery.then) {
            return unchanged;
        }
        self.little_left(recovery).to_owned()
    }

    /// What little usage means: shares decide the order, but a target is held against whatever is left.
    fn little_left(&self, recovery: &Recovery) -> &'static str {
        match recovery.goal {
            Goal::OnTarget if self.scheduler == Some(Scheduler::Pbs) => {
                "nobody uses anything, and usage decays to the least that PBS keeps, 1 for every node"
            }
            Goal::OnTarget => "nobody uses anything",
            _ => SHARES_DECIDE,
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
    rates: &Rates,
    recovery: &Recovery,
) -> Option<String> {
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
        (part > target * (1.0 + CLOSE)).then(|| {
            let whose = if here == node {
                "its share of new usage".to_owned()
            } else {
                format!("the share of new usage of {}", named(tree, here))
            };
            format!(
                "{whose}, {}, exceeds its target, {}",
                percent(part),
                percent(target)
            )
        })
    })
}

/// Where the node stands at the horizon, and whom it would have to pass.
fn stands(policy: Policy, tree: &Tree, evaluation: &Evaluation, recovery: &Recovery) -> String {
    if let (Goal::OnTarget, Some(target)) = (recovery.goal, recovery.then.target) {
        let uses = against_target(policy, tree, recovery.node, target);
        return format!("it {uses} then");
    }
    let own = match recovery.then {
        Standing { rank: None, .. } => "it has no rank then".to_owned(),
        Standing {
            rank: Some(rank),
            factor: Some(factor),
            ..
        } => format!(
            "it stands at rank {rank} with factor {} then",
            fraction(factor)
        ),
        Standing {
            rank: Some(rank), ..
        } => format!("it stands at rank {rank} then"),
    };
    let ranks = evaluation.ranks();
    match recovery.goal {
        Goal::AheadOf(other) => {
            let below = &ranks[tree.order().span(other)];
            match below.iter().filter(|&&rank| rank > 0).min() {
                Some(rank) => format!("{own}, {} at rank {rank}", named(tree, other)),
                None => own,
            }
        }
        Goal::Rank(wanted) => {
            // Who holds the place, or ties for a better one.
            let places = ranks.iter().zip(tree.nodes());
            let last = places
                .filter(|&(&rank, _)| rank > 0 && rank <= wanted)
                .max_by_key(|&(&rank, _)| rank);
            match last {
                Some((rank, &other)) => {
                    format!("{own}, {} at rank {rank}", named(tree, other))
                }
                None => own,
            }
        }
        Goal::OnTarget | Goal::Factor(_) | Goal::Share(_) => own,
    }
}

/// What is used a second, summed so that any subtree can be asked.
struct Rates {
    /// The sum of the rates of all nodes before each position.
    before: Vec<f64>,
}

impl Rates {
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
