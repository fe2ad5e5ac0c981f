//! The machine to simulate, the demand for its cores, and why it cannot be simulated.

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
    /// The seconds over which deliveries are added up. `None` for a day, or a tenth of a run shorter than ten days.
    pub window: Option<u64>,
}

const MOST_CORES: u64 = 1 << 30;

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

    pub(super) fn cycle_on(
        &self,
        scenario: &Scenario,
        simulation: &Simulation,
    ) -> Result<u64, MachineError> {
        let period = simulation.clock.cycle();
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
            for user in tree.within(node).iter().copied().filter(is_user) {
                demand[user.index()] = whole(cores);
            }
        }
        demand
    }
}

/// Parses `[PATH=]CORES` into the path, `None` for all users, and the cores, `None` for `unlimited`.
pub fn demand(text: &[u8]) -> Option<(Option<&[u8]>, Option<u64>)> {
    let equals = text.iter().rposition(|&byte| byte == b'=');
    let (path, cores) = match equals {
        Some(equals) => (Some(&text[..equals]), &text[equals + 1..]),
        None => (None, text),
    };
    let cores = match cores {
        b"unlimited" => None,
        cores => Some(std::str::from_utf8(cores).ok()?.parse().ok()?),
    };
    Some((path, cores))
}

/// Why a machine cannot be simulated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each variant says what it is")]
pub enum MachineError {
    #[error("a machine needs 1 to {MOST_CORES} cores, not {0}")]
    Cores(u64),
    #[error("a job on this machine needs 1 to {cores} cores, not {job}")]
    JobCores { job: u64, cores: u64 },
    #[error("{what} cannot last {seconds} s; expected 1 s to 100 years")]
    Time { what: &'static str, seconds: u64 },
    #[error("job lengths cannot vary by {0} %; expected 0 to 100 %")]
    Spread(u8),
    #[error(
        "a cycle of {cycle} s does not fit the calculation of usage every {period} s; expected a multiple of {period} s"
    )]
    Cycle { cycle: u64, period: u64 },
    #[error("a cycle of {cycle} s is longer than the simulation; expected at most {until} s")]
    LongCycle { cycle: u64, until: u64 },
    #[error("a window of {window} s is shorter than a cycle; expected at least {cycle} s")]
    Window { window: u64, cycle: u64 },
    #[error(
        "windows of {window} s are too short to store for {nodes} nodes; expected at least {least} s"
    )]
    Windows { window: u64, nodes: u64, least: u64 },
    #[error(
        "fair_share is false: PBS charges no usage to this tree, so ranks would never change; set fair_share=true to \
         simulate it"
    )]
    Uncharged,
    #[error(
        "no demand: the policy ranks no users, or each user wants fewer cores than a job needs"
    )]
    NoDemand,
    #[error("the simulation was cancelled")]
    Stopped,
}
