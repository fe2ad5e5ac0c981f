//! Cores, and the jobs that run on them.

use super::Machine;
use crate::model::generate::Random;
use crate::model::{NodeId, Tree};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How many lengths the jobs have that one user starts at a time.
const LENGTHS: u64 = 64;

/// Jobs of one user that began together and end together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct JobBatch {
    end: u64,
    user: u32,
    cores: u64,
}

/// One who wants cores.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contender {
    pub(super) node: NodeId,
    /// Its place in the tree's order.
    position: usize,
    wanted: u64,
    running: u64,
}

/// The cores as they are at a moment.
pub(super) struct MachineState<'a> {
    machine: &'a Machine,
    pub(super) users: Vec<Contender>,
    running: BinaryHeap<Reverse<JobBatch>>,
    free: u64,
    random: Random,
    /// Jobs that were started.
    pub(super) started: u64,
    /// What each user ran in the cycle, in core-seconds.
    pub(super) ran: Vec<u64>,
}

impl<'a> MachineState<'a> {
    /// A machine on which nothing runs yet, and who wants how many cores of it, by node id; nothing if nobody does.
    pub(super) fn of(machine: &'a Machine, tree: &Tree, wanted: &[u64]) -> Option<Self> {
        let users: Vec<Contender> = tree
            .nodes()
            .iter()
            .enumerate()
            .filter(|(_, node)| wanted[node.index()] > 0)
            .map(|(position, &node)| Contender {
                node,
                position,
                wanted: wanted[node.index()],
                running: 0,
            })
            .collect();
        (!users.is_empty()).then(|| Self {
            machine,
            ran: vec![0; users.len()],
            users,
            running: BinaryHeap::new(),
            free: machine.cores,
            random: Random(machine.seed),
            started: 0,
        })
    }

    /// Whether there is a job that could start.
    pub(super) fn can_start(&self) -> bool {
        self.free >= self.machine.job_cores
            && self.users.iter().any(|user| user.running < user.wanted)
    }

    /// Gives the free cores to those who want some, the best rank first.
    pub(super) fn start(&mut self, now: u64, ranks: &[u32]) {
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
            let Contender {
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
            self.running.push(Reverse(JobBatch {
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
    pub(super) fn run(&mut self, now: u64, cycle: u64) {
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
