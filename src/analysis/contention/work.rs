//! How long a simulation takes, from the work it is: no clock is read.

use super::Machine;
use crate::analysis::simulate::Simulation;
use crate::model::Scheduler;
use crate::scenario::Scenario;

/// How many nodes one core goes through in a second, each once a cycle.
///
/// Measured with 50 and with 2,000 users: 10 to 31 million under the policies of all schedulers. The number of jobs
/// makes no difference, because those that a user starts together are counted as few.
const NODES_PER_SECOND: u64 = 13_000_000;

/// What a cycle takes besides its nodes, as a number of nodes.
const NODES_PER_CYCLE: u64 = 64;

/// What is too short to be worth a word, in seconds.
const SHORT: u64 = 60;

/// The size of a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    pub(crate) nodes: u64,
    pub(crate) cycles: u64,
    /// The nodes that a cycle goes through, on average.
    per_cycle: u64,
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
    /// Returns the work of a simulation. `None` if the machine's numbers are out of range, which simulating reports.
    pub(crate) fn of(scenario: &Scenario, machine: &Machine) -> Option<Self> {
        machine.check().ok()?;
        let simulation = Simulation::of(scenario);
        let cycle = machine.cycle_on(scenario, &simulation).ok()?;
        let tree = scenario.tree();
        machine.window_of(cycle, tree.id_count() as u64).ok()?;
        let nodes = tree.node_count() as u64;
        simulation.clock.is_charging().then(|| Self {
            nodes,
            cycles: machine.until.div_ceil(cycle),
            per_cycle: per_cycle(scenario, nodes, cycle),
        })
    }

    /// Returns the seconds that `runs` such simulations take, about. `None` if that is a minute or less.
    pub(crate) fn long(self, runs: u64) -> Option<u64> {
        let of_cycle = self.per_cycle + NODES_PER_CYCLE;
        let nodes = of_cycle.saturating_mul(self.cycles).saturating_mul(runs);
        Some(nodes / NODES_PER_SECOND).filter(|&seconds| seconds > SHORT)
    }
}
