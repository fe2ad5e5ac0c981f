//! The machine to simulate, the demand for its cores, why it cannot be simulated; and its state, the free cores and the
//! jobs that run.

use crate::base::number::DAY;
use crate::model::generate::Random;
use crate::model::{Kind, NodeId, PathError, Scheduler, Tree, resolve};
use crate::scenario::Scenario;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

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

/// The most cores of a machine.
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
    /// Fails for numbers that are out of range.
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
        check_time("a run", self.until)?;
        check_time("a job", self.job_time)?;
        if let Some(cycle) = self.cycle {
            check_time("a cycle", cycle)?;
        }
        if let Some(window) = self.window {
            check_time("a window", window)?;
        }
        Ok(())
    }

    /// Returns the seconds between cycles. Fails if they do not fit the period in which the scheduler counts usage, or the
    /// length of the simulation.
    pub(crate) fn cycle_on(&self, scenario: &Scenario, period: u64) -> Result<u64, MachineError> {
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
        let usual = u64::from(DAY).min(self.until / 10).max(cycle);
        let wanted = self.window.unwrap_or(usual);
        if wanted < cycle {
            return Err(MachineError::Window {
                window: wanted,
                cycle,
            });
        }
        let window = wanted / cycle * cycle;
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

    /// Takes up a demand as people write it, `[PATH=]CORES`: of a node, or without a path of everybody else.
    pub fn add_demand(&mut self, text: &[u8], tree: &Tree) -> Result<(), DemandError> {
        let equals = text.iter().rposition(|&byte| byte == b'=');
        let Some(equals) = equals else {
            self.demand = cores(text)?;
            return Ok(());
        };
        let cores = cores(&text[equals + 1..])?;
        let node = resolve(tree, &text[..equals])?;
        self.demands.push((node, cores));
        Ok(())
    }

    /// Returns the most cores that each user wants, in whole jobs, by node id. Users without a rank want none.
    pub(super) fn demand_in(&self, tree: &Tree, is_ranked: impl Fn(NodeId) -> bool) -> Vec<u64> {
        let mut demand = vec![0; tree.id_count()];
        for user in tree.users() {
            if is_ranked(user) {
                demand[user.index()] = self.whole_jobs(self.demand);
            }
        }
        for &(node, cores) in &self.demands {
            for &user in tree.within(node) {
                if tree.kind(user) == Kind::User && is_ranked(user) {
                    demand[user.index()] = self.whole_jobs(cores);
                }
            }
        }
        demand
    }

    /// Returns the cores of the whole jobs that a user runs who wants so many; `None` is for all there are.
    fn whole_jobs(&self, cores: Option<u64>) -> u64 {
        let most = match cores {
            Some(cores) => cores.min(self.cores),
            None => self.cores,
        };
        most / self.job_cores * self.job_cores
    }
}

/// Fails if something cannot last so many seconds.
fn check_time(what: &'static str, seconds: u64) -> Result<(), MachineError> {
    if seconds == 0 || seconds > LONGEST {
        return Err(MachineError::Time { what, seconds });
    }
    Ok(())
}

/// Why a text is not the demand of a user or of all of them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each variant says what it is")]
pub enum DemandError {
    #[error("expected a number of cores or unlimited, as in 16 or group/user=16")]
    Cores,
    #[error(transparent)]
    Path(#[from] PathError),
}

/// Returns a number of cores; `None` for `unlimited`.
fn cores(text: &[u8]) -> Result<Option<u64>, DemandError> {
    if text == b"unlimited" {
        return Ok(None);
    }
    let digits = std::str::from_utf8(text).map_err(|_| DemandError::Cores)?;
    let count = digits.parse().map_err(|_| DemandError::Cores)?;
    Ok(Some(count))
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
    #[error(
        "not all users are listed, so it is not known who competes for the machine; give the whole tree, as sshare -a \
         -m -l -P prints it"
    )]
    Part,
    #[error("the simulation was cancelled")]
    Stopped,
}

/// How many different lengths the jobs have that one user starts at a time.
const LENGTHS: u64 = 64;

/// Jobs of one user that start together and end together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct JobBatch {
    end: u64,
    /// The place of the user.
    user: usize,
    cores: u64,
}

/// A user with demand.
#[derive(Clone, Copy, Debug)]
struct Contender {
    node: NodeId,
    position: usize,
    /// The cores that it wants.
    demand: u64,
    /// The cores that its jobs hold.
    running: u64,
}

/// A machine while it is simulated.
pub(super) struct MachineState<'a> {
    machine: &'a Machine,
    users: Vec<Contender>,
    /// The running jobs, those that end first on top.
    running: BinaryHeap<Reverse<JobBatch>>,
    free: u64,
    random: Random,
    pub(super) started: u64,
    /// How many users want more cores than their jobs hold.
    waiting: usize,
    /// The places of the users that ran something in the last cycle or hold cores now.
    busy: Vec<usize>,
    /// What each user ran in the last cycle, in core-seconds.
    ran: Vec<u64>,
}

impl<'a> MachineState<'a> {
    /// Returns a machine on which nothing runs yet. `demand` is in cores, by node id. `None` if no node wants any.
    pub(super) fn of(machine: &'a Machine, tree: &Tree, demand: &[u64]) -> Option<Self> {
        let mut users = Vec::new();
        for (position, &node) in tree.nodes().iter().enumerate() {
            let demand = demand[node.index()];
            if demand > 0 {
                users.push(Contender {
                    node,
                    position,
                    demand,
                    running: 0,
                });
            }
        }
        if users.is_empty() {
            return None;
        }
        Some(Self {
            machine,
            ran: vec![0; users.len()],
            waiting: users.len(),
            busy: Vec::new(),
            users,
            running: BinaryHeap::new(),
            free: machine.cores,
            random: Random(machine.seed),
            started: 0,
        })
    }

    /// Returns whether there are cores for a job, and users that want more.
    pub(super) fn can_start(&self) -> bool {
        self.free >= self.machine.job_cores && self.waiting > 0
    }

    /// Starts jobs on the free cores, users of the best rank first. `ranks` holds the ranks by position in the tree.
    pub(super) fn start(&mut self, now: u64, ranks: &[u32]) {
        let mut by_rank = Vec::with_capacity(self.waiting);
        for (place, user) in self.users.iter().enumerate() {
            if user.running < user.demand {
                by_rank.push(Reverse((ranks[user.position], place)));
            }
        }
        // Users of one rank come in the order of the tree, which is that of their places.
        let mut waiting = BinaryHeap::from(by_rank);
        while self.can_start()
            && let Some(Reverse((_, place))) = waiting.pop()
        {
            self.start_for(now, place);
        }
    }

    /// Starts as many jobs of the user at this place of the list as it wants and as there are cores for.
    pub(super) fn start_for(&mut self, now: u64, place: usize) {
        let Contender {
            demand, running, ..
        } = self.users[place];
        let jobs = self.free.min(demand - running) / self.machine.job_cores;
        let mut lengths = 1;
        if now == 0 || self.machine.spread > 0 {
            lengths = LENGTHS;
        }
        let parts = jobs.min(lengths);
        for part in 0..parts {
            let here = jobs * (part + 1) / parts - jobs * part / parts;
            let cores = here * self.machine.job_cores;
            let length = self.length(now);
            let user = &mut self.users[place];
            if user.running == 0 && self.ran[place] == 0 {
                self.busy.push(place);
            }
            user.running += cores;
            if user.running >= user.demand {
                self.waiting -= 1;
            }
            self.running.push(Reverse(JobBatch {
                end: now + length,
                user: place,
                cores,
            }));
            self.free -= cores;
        }
        self.started += jobs;
    }

    /// Draws the length of the next jobs, in seconds. The first jobs have run for part of it, as on a busy machine.
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

    /// Runs jobs until the end of a cycle, and records what each user ran.
    pub(super) fn run(&mut self, now: u64, cycle: u64) {
        self.busy.retain(|&place| {
            let running = self.users[place].running;
            self.ran[place] = running * cycle;
            running > 0
        });
        let next = now + cycle;
        while let Some(&Reverse(batch)) = self.running.peek()
            && batch.end <= next
        {
            self.running.pop();
            let place = batch.user;
            self.ran[place] -= batch.cores * (next - batch.end);
            let user = &mut self.users[place];
            if user.running >= user.demand {
                self.waiting += 1;
            }
            user.running -= batch.cores;
            self.free += batch.cores;
        }
    }

    /// Returns what users ran in the last cycle, in core-seconds.
    pub(super) fn ran(&self) -> impl Iterator<Item = (NodeId, u64)> {
        let busy = self.busy.iter();
        busy.map(|&place| (self.users[place].node, self.ran[place]))
            .filter(|&(_, ran)| ran > 0)
    }
}
