//! The state of the machine: its free cores and the jobs that run.

use super::Machine;
use crate::model::generate::Random;
use crate::model::{NodeId, Tree};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

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

#[derive(Clone, Copy, Debug)]
pub(super) struct Contender {
    pub(super) node: NodeId,
    position: usize,
    demand: u64,
    running: u64,
}

pub(super) struct MachineState<'a> {
    machine: &'a Machine,
    pub(super) users: Vec<Contender>,
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
        let users: Vec<Contender> = tree
            .nodes()
            .iter()
            .enumerate()
            .filter(|(_, node)| demand[node.index()] > 0)
            .map(|(position, &node)| Contender {
                node,
                position,
                demand: demand[node.index()],
                running: 0,
            })
            .collect();
        (!users.is_empty()).then(|| Self {
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

    pub(super) fn can_start(&self) -> bool {
        self.free >= self.machine.job_cores && self.waiting > 0
    }

    /// Starts jobs on the free cores, users of the best rank first. `ranks` holds the ranks by position in the tree.
    pub(super) fn start(&mut self, now: u64, ranks: &[u32]) {
        let waiting = self
            .users
            .iter()
            .enumerate()
            .filter(|(_, user)| user.running < user.demand)
            .map(|(place, user)| Reverse((ranks[user.position], user.position, place)));
        let mut waiting: BinaryHeap<_> = waiting.collect();
        while self.can_start()
            && let Some(Reverse((_, _, place))) = waiting.pop()
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
        if jobs > 0 {
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
        let (users, ran) = (&self.users, &mut self.ran);
        self.busy.retain(|&place| {
            ran[place] = users[place].running * cycle;
            users[place].running > 0
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

    /// Returns what users ran in the last cycle, in core-seconds, by their places in the list.
    pub(super) fn ran(&self) -> impl Iterator<Item = (usize, u64)> {
        let ran = |&place: &usize| (place, self.ran[place]);
        self.busy.iter().map(ran).filter(|&(_, ran)| ran > 0)
    }
}
