//! The machine: cores, jobs that run on them, and cycle after cycle.

use super::error::MachineError;
use super::outcome::{Contention, Rhythm};
use super::targets::targets;
use crate::clock::Progress;
use crate::generate::Random;
use crate::model::{Kind, NodeId, Pace, Scheduler, Tree};
use crate::scenario::Scenario;
use crate::simulate::Simulation;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
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
const LONGEST: u64 = 100 * 365 * 24 * 60 * 60;

/// Seconds between cycles where no scheduler says it.
const USUAL_CYCLE: u64 = 300;

/// Seconds of a day.
const DAY: u64 = 24 * 60 * 60;

/// How many lengths the jobs have that one user starts at a time.
const LENGTHS: u64 = 64;

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
            until: 90 * DAY,
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

    /// The seconds of a window, which is made of whole cycles.
    fn window_of(&self, cycle: u64) -> Result<u64, MachineError> {
        let window = self
            .window
            .unwrap_or_else(|| DAY.min(self.until / 10).max(cycle));
        match window / cycle {
            0 => Err(MachineError::Window { window, cycle }),
            cycles => Ok(cycles * cycle),
        }
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

/// Jobs of one user that began together and end together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Batch {
    end: u64,
    user: u32,
    cores: u64,
}

/// One who wants cores.
#[derive(Clone, Copy, Debug)]
struct User {
    node: NodeId,
    /// Its place in the tree's order.
    position: usize,
    wanted: u64,
    running: u64,
}

/// The cores as they are at a moment.
struct Floor<'a> {
    machine: &'a Machine,
    users: Vec<User>,
    running: BinaryHeap<Reverse<Batch>>,
    free: u64,
    random: Random,
    /// Jobs that were started.
    started: u64,
    /// What each user ran in the cycle, in core-seconds.
    ran: Vec<u64>,
}

impl Floor<'_> {
    /// Whether there is a job that could start.
    fn can_start(&self) -> bool {
        self.free >= self.machine.job_cores
            && self.users.iter().any(|user| user.running < user.wanted)
    }

    /// Gives the free cores to those who want some, the best rank first.
    fn start(&mut self, now: u64, ranks: &[u32]) {
        let waiting = self
            .users
            .iter()
            .enumerate()
            .filter(|(_, user)| user.running < user.wanted)
            .map(|(place, user)| Reverse((ranks[user.position], user.position, place)));
        let mut waiting: BinaryHeap<_> = waiting.collect();
        while self.free >= self.machine.job_cores {
            let Some(Reverse((_, _, place))) = waiting.pop() else {
                return;
            };
            let User {
                wanted, running, ..
            } = self.users[place];
            let jobs = self.free.min(wanted - running) / self.machine.job_cores;
            self.start_jobs(now, place, jobs);
        }
    }

    fn start_jobs(&mut self, now: u64, place: usize, jobs: u64) {
        let parts = jobs.min(if now == 0 || self.machine.spread > 0 {
            LENGTHS
        } else {
            1
        });
        for part in 0..parts {
            let here = jobs * (part + 1) / parts - jobs * part / parts;
            let cores = here * self.machine.job_cores;
            let length = self.length(now);
            self.running.push(Reverse(Batch {
                end: now + length,
                user: u32::try_from(place).unwrap_or(u32::MAX),
                cores,
            }));
            self.users[place].running += cores;
            self.free -= cores;
        }
        self.started += jobs;
    }

    /// The length of the next jobs, in seconds. A machine is found running: the first jobs have run for a while.
    fn length(&mut self, now: u64) -> u64 {
        let time = self.machine.job_time;
        let room = time * u64::from(self.machine.spread) / 100;
        let mut length = time - room;
        if room > 0 {
            length += self.random.next() % (2 * room + 1);
        }
        if now == 0 {
            length = 1 + self.random.next() % length.max(1);
        }
        length.max(1)
    }

    /// Runs until the end of a cycle, and notes what each user ran.
    fn run(&mut self, now: u64, cycle: u64) {
        for (ran, user) in self.ran.iter_mut().zip(&self.users) {
            *ran = user.running * cycle;
        }
        let next = now + cycle;
        while let Some(&Reverse(batch)) = self.running.peek()
            && batch.end <= next
        {
            self.running.pop();
            let place = batch.user as usize;
            self.ran[place] -= batch.cores * (next - batch.end);
            self.users[place].running -= batch.cores;
            self.free += batch.cores;
        }
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
    let cycle = machine.cycle_on(scenario, &simulation)?;
    let window = machine.window_of(cycle)?;
    let tree = scenario.tree();
    let first = scenario.evaluation();
    let wanted = machine.wanted(tree, |user| first.rank(user).is_some());
    let users: Vec<User> = tree
        .nodes()
        .iter()
        .enumerate()
        .filter(|(_, node)| wanted[node.index()] > 0)
        .map(|(position, &node)| User {
            node,
            position,
            wanted: wanted[node.index()],
            running: 0,
        })
        .collect();
    if users.is_empty() {
        return Err(MachineError::NoDemand);
    }
    let targets = targets(tree, scenario.settings(), machine.cores, &wanted);
    let counted = simulation.clock().cycle().max(cycle);
    let rhythm = Rhythm {
        cycle,
        counted,
        window,
        lost_per_second: simulation.clock().lost_per_second(),
    };
    let mut outcome = Contention::new(scenario, machine, rhythm, targets);
    let mut floor = Floor {
        machine,
        ran: vec![0; users.len()],
        users,
        running: BinaryHeap::new(),
        free: machine.cores,
        random: Random(machine.seed),
        started: 0,
    };
    // A clock that stands between two of its own cycles goes on to the next one first.
    let begin = simulation.clock().passed();
    let late = begin % simulation.clock().cycle();
    if late > 0 {
        let rest = simulation.clock().cycle() - late;
        simulation.clock_mut().set_pace(Arc::default());
        // What is called off here is called off in the first cycle, too.
        let _ = simulation.advance(rest, progress);
    }
    // What is not counted yet, in core-seconds, and the ranks since it was counted last.
    let mut uncounted = vec![0; floor.users.len()];
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
        for ((user, &ran), uncounted) in floor.users.iter().zip(&floor.ran).zip(&mut uncounted) {
            if ran > 0 {
                *uncounted += ran;
                outcome.deliver(now / window, user.node, ran);
            }
        }
        if (now + cycle).is_multiple_of(counted) {
            let mut pace = Pace::default();
            for (user, uncounted) in floor.users.iter().zip(&mut uncounted) {
                if *uncounted > 0 {
                    pace.set_rate(user.node, *uncounted as f64 / counted as f64);
                    *uncounted = 0;
                }
            }
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
