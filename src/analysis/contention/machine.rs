//! The machine: what it is, and cycle after cycle.

use super::error::MachineError;
use super::floor::{Floor, User};
use super::outcome::{Contention, Rhythm};
use super::targets::targets;
use crate::analysis::simulate::Simulation;
use crate::base::number::DAY;
use crate::model::{Kind, NodeId, Pace, Scheduler, Tree};
use crate::rules::clock::Progress;
use crate::scenario::Scenario;
use std::sync::Arc;

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

/// The most cores of a machine.
pub(super) const MOST_CORES: u64 = 1 << 30;

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
    fn check(&self) -> Result<(), MachineError> {
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
    fn cycle_on(&self, scenario: &Scenario, simulation: &Simulation) -> Result<u64, MachineError> {
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
    fn window_of(&self, cycle: u64, nodes: u64) -> Result<u64, MachineError> {
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
    fn wanted(&self, tree: &Tree, is_ranked: impl Fn(NodeId) -> bool) -> Vec<u64> {
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

/// What ran since usage was counted last.
struct Meter {
    /// How often usage is counted, in seconds.
    every: u64,
    /// By user, in core-seconds.
    uncounted: Vec<u64>,
}

impl Meter {
    /// What is to be charged for the stretch that is over, as rates; the next one begins.
    fn pace(&mut self, users: &[User]) -> Pace {
        let mut pace = Pace::default();
        for (user, uncounted) in users.iter().zip(&mut self.uncounted) {
            if *uncounted > 0 {
                pace.set_rate(user.node, *uncounted as f64 / self.every as f64);
                *uncounted = 0;
            }
        }
        pace
    }
}

/// Lets a clock that stands between two of its own cycles go on to the next one.
fn finish_cycle(simulation: &mut Simulation, progress: Progress<'_>) {
    let cycle = simulation.clock().cycle();
    let late = simulation.clock().passed() % cycle;
    if late > 0 {
        simulation.clock_mut().set_pace(Arc::default());
        // What is called off here is called off in the first cycle, too.
        let _ = simulation.advance(cycle - late, progress);
    }
}

/// Lets users contend for a machine's cores under a scenario's policy. The scenario stays as it is, and what is
/// assumed of its time to come is left out: who runs uses something, and nobody else.
///
/// # Errors
/// If the machine is none, if nobody wants a core of it, or if `progress` called it off.
pub fn contend(
    scenario: &Scenario,
    machine: &Machine,
    progress: Progress<'_>,
) -> Result<Contention, MachineError> {
    machine.check()?;
    let mut simulation = Simulation::of(scenario);
    if !simulation.clock().is_charging() {
        return Err(MachineError::Uncharged);
    }
    let cycle = machine.cycle_on(scenario, &simulation)?;
    let tree = scenario.tree();
    let window = machine.window_of(cycle, tree.id_count() as u64)?;
    let first = scenario.evaluation();
    let wanted = machine.wanted(tree, |user| first.rank(user).is_some());
    let mut floor = Floor::of(machine, tree, &wanted).ok_or(MachineError::NoDemand)?;
    let targets = targets(tree, scenario.settings(), machine.cores, &wanted);
    let counted = simulation.clock().cycle().max(cycle);
    let rhythm = Rhythm {
        cycle,
        counted,
        window,
        lost_per_second: simulation.clock().lost_per_second(),
    };
    let mut outcome = Contention::new(scenario, machine, rhythm, targets);
    finish_cycle(&mut simulation, progress);
    let mut meter = Meter {
        every: counted,
        uncounted: vec![0; floor.users.len()],
    };
    // The ranks since usage was counted last.
    let mut ranks = simulation.evaluate().ranks().to_vec();
    let mut is_counted = false;
    let mut now = 0;
    while now < machine.until {
        if floor.can_start() {
            if is_counted {
                ranks.clear();
                ranks.extend_from_slice(simulation.evaluate().ranks());
                is_counted = false;
            }
            floor.start(now, &ranks);
        }
        floor.run(now, cycle);
        for ((user, &ran), uncounted) in
            floor.users.iter().zip(&floor.ran).zip(&mut meter.uncounted)
        {
            if ran > 0 {
                *uncounted += ran;
                outcome.deliver(now / window, user.node, ran);
            }
        }
        if (now + cycle).is_multiple_of(counted) {
            let pace = meter.pace(&floor.users);
            simulation.clock_mut().set_pace(Arc::new(pace));
            is_counted = true;
        }
        if simulation
            .advance(cycle, &mut |passed| progress(now + passed))
            .is_break()
        {
            return Err(MachineError::Stopped);
        }
        now += cycle;
    }
    outcome.end(tree, now, floor.started);
    Ok(outcome)
}
