//! The machine to simulate and the demand for its cores.

use super::error::{MOST_CORES, MachineError};
use crate::analysis::simulate::Simulation;
use crate::base::number::DAY;
use crate::model::{Kind, NodeId, Scheduler, Tree};
use crate::scenario::Scenario;

/// A machine and the demand for its cores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The number of cores.
    pub cores: u64,
    /// Seconds between cycles. `None` for the scheduler's own.
    pub cycle: Option<u64>,
    /// The cores that every job needs.
    pub job_cores: u64,
    /// The mean length of a job, in seconds.
    pub job_time: u64,
    /// How much longer or shorter than the mean a job may be, in percent.
    pub spread: u8,
    /// The most cores that each user wants. `None` for all there are.
    pub demand: Option<u64>,
    /// Users, or all users of an account, with a demand of their own. Of several entries for a user the last applies.
    pub demands: Vec<(NodeId, Option<u64>)>,
    /// The seed of the job lengths; it has no effect if `spread` is 0.
    pub seed: u64,
    /// The length of the simulation, in seconds.
    pub until: u64,
    /// The length of a window over which deliveries are added up, in seconds. `None` for a day, or a tenth of a
    /// simulation shorter than ten days.
    pub window: Option<u64>,
}

/// The longest simulation and the longest job, in seconds: a century.
const LONGEST: u64 = 100 * 365 * DAY as u64;

/// The most numbers that are kept, one for every window and node: a gigabyte.
const MOST_KEPT: u64 = 1 << 27;

/// Seconds between cycles if the scheduler does not set them.
const USUAL_CYCLE: u64 = 300;

impl Default for Machine {
    /// A hundred cores for ninety days, jobs of one core and one hour.
    fn default() -> Self {
        Self {
            cores: 100,
            cycle: None,
            job_cores: 1,
            job_time: 60 * 60,
            spread: 0,
            demand: None,
            demands: Vec::new(),
            seed: 1,
            until: 90 * u64::from(DAY),
            window: None,
        }
    }
}

impl Machine {
    /// Checks that the machine's own numbers are in range.
    pub(super) fn check(&self) -> Result<(), MachineError> {
        if !(1..=MOST_CORES).contains(&self.cores) {
            return Err(MachineError::Cores(self.cores));
        }
        if !(1..=self.cores).contains(&self.job_cores) {
            return Err(MachineError::JobCores {
                job: self.job_cores,
                cores: self.cores,
            });
        }
        if self.spread > 100 {
            return Err(MachineError::Spread(self.spread));
        }
        let times = [
            ("a run", Some(self.until)),
            ("a job", Some(self.job_time)),
            ("a cycle", self.cycle),
            ("a window", self.window),
        ];
        for (what, seconds) in times {
            if let Some(seconds) = seconds.filter(|seconds| !(1..=LONGEST).contains(seconds)) {
                return Err(MachineError::Time { what, seconds });
            }
        }
        Ok(())
    }

    /// Returns the seconds between cycles on a scenario.
    pub(super) fn cycle_on(
        &self,
        scenario: &Scenario,
        simulation: &Simulation,
    ) -> Result<u64, MachineError> {
        let period = simulation.clock().cycle();
        let scheduler = scenario.settings().scheduler;
        let cycle = self.cycle.unwrap_or(match scheduler {
            Some(Scheduler::Pbs | Scheduler::Slurm) => period,
            Some(Scheduler::Flux) | None => USUAL_CYCLE,
        });
        // PBS counts usage within its cycle. The others count it apart, so several cycles may pass between two counts.
        let is_within = scheduler != Some(Scheduler::Pbs) && period.is_multiple_of(cycle);
        if !is_within && !cycle.is_multiple_of(period) {
            return Err(MachineError::Cycle { cycle, period });
        }
        if cycle > self.until {
            let until = self.until;
            return Err(MachineError::LongCycle { cycle, until });
        }
        Ok(cycle)
    }

    /// Returns the length of a window in seconds, a multiple of the cycle, for a tree of `nodes` nodes.
    pub(super) fn window_of(&self, cycle: u64, nodes: u64) -> Result<u64, MachineError> {
        let window = self
            .window
            .unwrap_or_else(|| u64::from(DAY).min(self.until / 10).max(cycle));
        if window < cycle {
            return Err(MachineError::Window { window, cycle });
        }
        let window = window / cycle * cycle;
        let most = (MOST_KEPT / nodes).max(1);
        if self.until.div_ceil(window) > most {
            let least = self.until.div_ceil(most).next_multiple_of(cycle);
            return Err(MachineError::Windows {
                window,
                nodes,
                least,
            });
        }
        Ok(window)
    }

    /// Returns the most cores that each user wants, in whole jobs, by node id. Users without a rank want none.
    pub(super) fn demand_by_node(
        &self,
        tree: &Tree,
        is_ranked: impl Fn(NodeId) -> bool,
    ) -> Vec<u64> {
        let whole = |cores: Option<u64>| {
            let cores = cores.unwrap_or(self.cores).min(self.cores);
            cores / self.job_cores * self.job_cores
        };
        let mut demand = vec![0; tree.id_count()];
        let is_user = |node: &NodeId| tree.kind(*node) == Kind::User && is_ranked(*node);
        for user in tree.nodes().iter().copied().filter(is_user) {
            demand[user.index()] = whole(self.demand);
        }
        for &(node, cores) in &self.demands {
            let within = &tree.nodes()[tree.order().span(node)];
            for user in within.iter().copied().filter(is_user) {
                demand[user.index()] = whole(cores);
            }
        }
        demand
    }
}
