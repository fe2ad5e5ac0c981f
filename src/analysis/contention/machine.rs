//! The machine, and what is wanted of it.

use super::error::{MOST_CORES, MachineError};
use crate::analysis::simulate::Simulation;
use crate::base::number::DAY;
use crate::model::{Kind, NodeId, Scheduler, Tree};
use crate::scenario::Scenario;

/// A machine, and what is wanted of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// How many cores it has.
    pub cores: u64,
    /// Seconds between cycles; the scheduler's own if nothing was said.
    pub cycle: Option<u64>,
    /// The cores of every job.
    pub job_cores: u64,
    /// How long jobs run, in seconds.
    pub job_time: u64,
    /// By how much jobs may be longer or shorter than that, in percent.
    pub spread: u8,
    /// How many cores each user wants at most; as many as there are if nothing was said.
    pub demand: Option<u64>,
    /// Users, or accounts of users, that want another number of cores each; of several the last counts.
    pub demands: Vec<(NodeId, Option<u64>)>,
    /// Another seed draws other lengths of jobs, where they differ at all.
    pub seed: u64,
    /// How long it is watched, in seconds.
    pub until: u64,
    /// The seconds over which what was delivered is added up; a day if nothing was said, but a tenth of a shorter time.
    pub window: Option<u64>,
}

/// The longest time a machine is watched, and the longest job, in seconds: a century.
const LONGEST: u64 = 100 * 365 * DAY as u64;

/// How many numbers of what was delivered are kept at most, one for every window and node: a gigabyte.
const MOST_KEPT: u64 = 1 << 27;

/// Seconds between cycles where no scheduler says it.
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

    /// The seconds between cycles on a scenario.
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
        // PBS counts usage in its cycle; the others do so beside their cycles, of which some can go by meanwhile.
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

    /// The seconds of a window, which is made of whole cycles, in a tree of so many nodes.
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

    /// The cores that each user wants at most, in whole jobs, by node id.
    pub(super) fn wanted(&self, tree: &Tree, is_ranked: impl Fn(NodeId) -> bool) -> Vec<u64> {
        let whole = |cores: Option<u64>| {
            let cores = cores.unwrap_or(self.cores).min(self.cores);
            cores / self.job_cores * self.job_cores
        };
        let mut wanted = vec![0; tree.id_count()];
        let is_user = |node: &NodeId| tree.kind(*node) == Kind::User && is_ranked(*node);
        for user in tree.nodes().iter().copied().filter(is_user) {
            wanted[user.index()] = whole(self.demand);
        }
        for &(node, cores) in &self.demands {
            let within = &tree.nodes()[tree.order().span(node)];
            for user in within.iter().copied().filter(is_user) {
                wanted[user.index()] = whole(cores);
            }
        }
        wanted
    }
}
