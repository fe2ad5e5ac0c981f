//! A simulated cluster with a fixed number of cores: whether the cores that users are given match their shares.
//!
//! Time passes in cycles, as in a scheduler. In each cycle the free cores go to the users with demand, best rank first;
//! users of the same rank follow the order of the tree. The first user is given all the cores it asks for, because
//! ranks are read once per cycle. The clock charges what runs, and the ranks of the next cycle follow from that usage.
//!
//! All amounts and random numbers are whole, so the result is the same on every computer, unless users would tie to the
//! last bit of a power of the clock or the policy, which the C library computes as it does for the schedulers.

mod machine;
mod outcome;
mod verdict;

pub use machine::{DemandError, Machine, MachineError};
pub use outcome::{Contention, TargetFit};
pub(crate) use verdict::{Caveat, Deviation, Verdict, is_promised};
pub use verdict::{Promise, promise};

use crate::analysis::simulate::Simulation;
use crate::model::{NodeId, Pace, Scheduler, Settings, Shares, Tree};
use crate::rules::clock::OnSeconds;
use crate::rules::policy::{NextUser, UsageCount, UserQueue};
use crate::scenario::Scenario;
use machine::MachineState;
use outcome::Timing;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Advances a clock that is between two of its own cycles to the next one.
fn finish_cycle(simulation: &mut Simulation, progress: OnSeconds<'_>) {
    let cycle = simulation.clock.cycle();
    let late = simulation.clock.passed() % cycle;
    if late > 0 {
        simulation.clock.set_pace(Arc::default());
        // If the caller stops here, the first cycle of the simulation stops too.
        let _ = simulation.advance(cycle - late, progress);
    }
}

/// How the users of the best ranks are found. The result is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranks {
    /// One after the other, where the policy allows that.
    Needed,
    /// By the ranks of all users.
    All,
}

/// Simulates users who compete for the cores of a machine under the scenario's policy. Only the simulated jobs use
/// anything. `progress` is given the seconds simulated so far.
pub fn contend(
    scenario: &Scenario,
    machine: &Machine,
    progress: OnSeconds<'_>,
) -> Result<Contention, MachineError> {
    contend_by(scenario, machine, Ranks::Needed, progress)
}

/// Does the same as [`contend`] with the given search for the users of the best ranks.
pub fn contend_by(
    scenario: &Scenario,
    machine: &Machine,
    how: Ranks,
    progress: OnSeconds<'_>,
) -> Result<Contention, MachineError> {
    machine.check()?;
    let mut simulation = Simulation::of(scenario);
    if !simulation.clock.is_charging() {
        return Err(MachineError::Uncharged);
    }
    if scenario.tree().part().is_some() {
        return Err(MachineError::Part);
    }
    let cycle = machine.cycle_on(scenario, simulation.clock.cycle())?;
    let tree = scenario.tree();
    let window = machine.window_of(cycle, tree.id_count() as u64)?;
    let first = scenario.evaluation();
    let demand = machine.demand_in(tree, |user| first.rank(user).is_some());
    let mut state = MachineState::of(machine, tree, &demand).ok_or(MachineError::NoDemand)?;
    let mut ranks = match how {
        Ranks::Needed => RankSource::of(scenario, &demand),
        Ranks::All => RankSource::default(),
    };
    if progress(0).is_break() {
        return Err(MachineError::Stopped);
    }
    let targets = targets(tree, scenario.settings(), machine.cores, &demand);
    let counted = simulation.clock.cycle().max(cycle);
    let timing = Timing {
        cycle,
        counted,
        window,
        lost_per_second: simulation.clock.lost_per_second(),
    };
    let mut outcome = Contention::new(scenario, machine, timing, targets);
    finish_cycle(&mut simulation, progress);
    // What users ran since usage was last counted, in core-seconds.
    let mut uncounted: BTreeMap<NodeId, u64> = BTreeMap::new();
    let mut now = 0;
    while now < machine.until {
        if state.can_start() {
            ranks.start(now, &mut state, &mut simulation);
        }
        state.run(now, cycle);
        for (user, ran) in state.ran() {
            *uncounted.entry(user).or_default() += ran;
            outcome.deliver(now / window, user, ran);
        }
        let is_counted = (now + cycle).is_multiple_of(counted);
        if is_counted {
            let mut pace = Pace::default();
            for (user, ran) in std::mem::take(&mut uncounted) {
                pace.set_rate(user, ran as f64 / counted as f64);
            }
            simulation.clock.set_pace(Arc::new(pace));
        }
        let report = &mut |passed| progress(now + passed);
        if simulation.advance(cycle, report).is_break() {
            return Err(MachineError::Stopped);
        }
        if is_counted {
            ranks.count(&simulation, counted);
        }
        now += cycle;
    }
    outcome.end(tree, state.started);
    Ok(outcome)
}

/// The users with demand in rank order.
struct RankedUsers {
    queue: UserQueue,
    /// The places of users among the contenders, by position in the tree.
    places: Vec<u32>,
}

/// Who is given cores next: users by rank, found one after the other or by the ranks of all.
#[derive(Default)]
struct RankSource {
    /// The users one after the other. `None` where no queue applies.
    users: Option<RankedUsers>,
    /// The ranks by position in the tree, if they were computed since usage was counted.
    ranks: Option<Vec<u32>>,
}

impl RankSource {
    /// Returns the source for users with a demand, which is given by node id.
    fn of(scenario: &Scenario, demand: &[u64]) -> Self {
        let tree = scenario.tree();
        let mut is_wanted = Vec::with_capacity(tree.node_count());
        let mut places = Vec::with_capacity(tree.node_count());
        let mut place = 0;
        for node in tree.nodes() {
            let has_demand = demand[node.index()] > 0;
            is_wanted.push(has_demand);
            places.push(place);
            place += u32::from(has_demand);
        }
        let policy = scenario.policy();
        let queue = policy.queue(tree, scenario.settings(), is_wanted);
        Self {
            users: queue.map(|queue| RankedUsers { queue, places }),
            ranks: None,
        }
    }

    /// Takes note that usage was counted after so many seconds, so that ranks have changed.
    fn count(&mut self, simulation: &Simulation, seconds: u64) {
        self.ranks = None;
        let Some(users) = &mut self.users else {
            return;
        };
        let clock = &simulation.clock;
        let mut charged = Vec::new();
        for (node, _) in clock.settings().time.pace.rates() {
            charged.push(node);
        }
        users.queue.count(UsageCount {
            settings: clock.settings(),
            charged: &charged,
            left: clock.left_after(seconds),
            usage: &|node| clock.usage(node),
            held: &|node| clock.held(node),
        });
    }

    /// Starts jobs on the free cores, users of the best rank first.
    fn start(&mut self, now: u64, state: &mut MachineState<'_>, simulation: &mut Simulation) {
        if self.ranks.is_none()
            && let Some(users) = &mut self.users
            && users.start(now, state, simulation)
        {
            return;
        }
        // Users that were given cores before want no more, so the others follow in the order of their ranks.
        let ranks = self.ranks.get_or_insert_with(|| {
            let (_, evaluation) = simulation.look();
            evaluation.ranks().to_vec()
        });
        state.start(now, ranks);
    }
}

impl RankedUsers {
    /// Starts jobs on the free cores as long as the queue knows who is next, and returns whether it always did.
    fn start(&mut self, now: u64, state: &mut MachineState<'_>, simulation: &Simulation) -> bool {
        self.queue.begin();
        while state.can_start() {
            match self.queue.next_user(&|node| simulation.clock.held(node)) {
                NextUser::At(position) => state.start_for(now, self.places[position] as usize),
                NextUser::None => return true,
                NextUser::Unknown => return false,
            }
        }
        true
    }
}

/// How many nodes one core goes through in a second, each once a cycle.
///
/// Measured with 50 and with 2,000 users: 10 to 31 million under the policies of all schedulers. The number of jobs
/// makes no difference, because those that a user starts together are counted as few.
const NODES_PER_SECOND: u64 = 13_000_000;

/// What a cycle takes besides its nodes, as a number of nodes.
const NODES_PER_CYCLE: u64 = 64;

/// What is too short to be worth a word, in seconds.
const SHORT: u64 = 60;

/// The size of simulations that take long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    pub(crate) nodes: u64,
    pub(crate) cycles: u64,
    /// The time that they take together, about.
    pub(crate) seconds: u64,
}

/// The most nodes of a cycle that finds users one after the other, besides those whose usage decays.
const FEW: u64 = 300;

/// How many nodes decay in the time in which one is evaluated.
const DECAYS_AS_ONE: u64 = 16;

/// Returns how many nodes a cycle goes through, on average. With a queue only decay goes through all, in PBS seldom.
fn per_cycle(scenario: &Scenario, nodes: u64, cycle: u64) -> u64 {
    let settings = scenario.settings();
    if !scenario.policy().has_queue(settings) {
        return nodes;
    }
    let decaying = match settings.scheduler {
        Some(Scheduler::Pbs) => {
            let interval = u64::try_from(settings.pbs.fairshare_decay_time).unwrap_or(u64::MAX);
            nodes.saturating_mul(cycle) / interval.max(cycle)
        }
        _ => nodes / DECAYS_AS_ONE,
    };
    nodes.min(decaying + FEW)
}

impl Work {
    /// Returns the work of `runs` such simulations. `None` if they take a minute or less, or the machine's numbers are out
    /// of range, which simulating reports.
    pub(crate) fn of(scenario: &Scenario, machine: &Machine, runs: u64) -> Option<Self> {
        machine.check().ok()?;
        let simulation = Simulation::of(scenario);
        let cycle = machine.cycle_on(scenario, simulation.clock.cycle()).ok()?;
        let tree = scenario.tree();
        machine.window_of(cycle, tree.id_count() as u64).ok()?;
        let nodes = tree.node_count() as u64;
        let cycles = machine.until.div_ceil(cycle);
        let of_cycle = per_cycle(scenario, nodes, cycle) + NODES_PER_CYCLE;
        let seconds = of_cycle.saturating_mul(cycles).saturating_mul(runs) / NODES_PER_SECOND;
        let is_long = simulation.clock.is_charging() && seconds > SHORT;
        is_long.then_some(Self {
            nodes,
            cycles,
            seconds,
        })
    }
}

/// Returns the cores that each node should get, by node id. `None` without demand and with Slurm's `parent` shares.
///
/// At each level the cores are divided by shares. A node that wants fewer cores gets those, and the rest is divided
/// among its siblings. A node without shares gets what the others do not want.
fn targets(tree: &Tree, settings: &Settings, cores: u64, demand: &[u64]) -> Vec<Option<f64>> {
    let demand_within = demand_within(tree, demand);
    let mut targets = vec![None; tree.id_count()];
    targets[NodeId::ROOT.index()] = Some(cores.min(demand_within[0]) as f64);
    for &account in tree.nodes() {
        let Some(cores) = targets[account.index()] else {
            continue;
        };
        let mut level = Vec::new();
        for node in tree.children(account) {
            let Some(position) = tree.order().position(node) else {
                continue;
            };
            let demand = demand_within[position];
            if let Some(shares) = shares(tree, settings, node).count()
                && demand > 0
            {
                level.push(Sibling {
                    node,
                    shares: shares.max(0) as f64,
                    demand: demand as f64,
                });
            }
        }
        divide(&level, cores, &mut targets);
    }
    targets
}

/// A node with demand among its siblings.
struct Sibling {
    node: NodeId,
    shares: f64,
    /// The most cores wanted by the node and all nodes below it.
    demand: f64,
}

impl Sibling {
    /// Returns the cores per share with which its demand is met.
    fn satisfied_at(&self) -> f64 {
        self.demand / self.shares
    }
}

/// Returns the shares of a node. Those of PBS's `unknown` are a setting.
fn shares(tree: &Tree, settings: &Settings, node: NodeId) -> Shares {
    if tree.unknown() == Some(node) {
        return Shares::new(i64::from(settings.pbs.unknown_shares));
    }
    tree.shares(node)
}

/// Returns the cores wanted by each node and all nodes below it, by position, at most [`u64::MAX`].
fn demand_within(tree: &Tree, demand: &[u64]) -> Vec<u64> {
    let mut below = Vec::with_capacity(tree.node_count());
    for node in tree.nodes() {
        below.push(demand[node.index()]);
    }
    tree.order().sum_up(&mut below, u64::saturating_add);
    below
}

/// Divides the cores of a level. Nodes whose demand is met with the fewest cores per share come first.
fn divide(level: &[Sibling], cores: f64, targets: &mut [Option<f64>]) {
    let mut sharing = Vec::new();
    let mut rest = Vec::new();
    for sibling in level {
        if sibling.shares > 0.0 {
            sharing.push(sibling);
        } else {
            rest.push(sibling);
        }
    }
    sharing.sort_by(|a, b| a.satisfied_at().total_cmp(&b.satisfied_at()));
    let mut left = cores;
    let mut shares = 0.0;
    for sibling in &sharing {
        shares += sibling.shares;
    }
    for sibling in sharing {
        let part = (left / shares * sibling.shares).min(sibling.demand);
        targets[sibling.node.index()] = Some(part);
        left = (left - part).max(0.0);
        shares -= sibling.shares;
    }
    let mut demand = 0.0;
    for sibling in &rest {
        demand += sibling.demand;
    }
    for sibling in rest {
        targets[sibling.node.index()] = Some((left * sibling.demand / demand).min(sibling.demand));
    }
}
