//! The scheduler's clock: usage decays, and is charged, as time goes on.
//!
//! Each scheduler has a rule of its own, and each rule is followed to the bit where it is known: PBS multiplies in whole
//! intervals, Slurm at every calculation, Flux shifts bins. A tree of our own halves smoothly.

mod plain;

use crate::model::{NodeId, Pace, Scheduler, Settings, Tree, Usage};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Hears how many of the seconds have passed, and stops a long way when nobody waits any more.
pub type Progress<'a> = &'a mut dyn FnMut(u64) -> ControlFlow<()>;

/// A tree's usage at a moment that can be moved forward.
#[derive(Clone, Debug)]
pub struct Clock {
    tree: Tree,
    settings: Settings,
    /// When the snapshot was taken, in Unix seconds; nothing where the source does not tell.
    taken: Option<i64>,
    state: State,
}

/// What a scheduler remembers of usage.
#[derive(Clone, Debug)]
enum State {
    Plain(plain::Plain),
}

impl Clock {
    /// The clock of a tree, standing where `settings.time` says.
    #[must_use]
    pub fn of(tree: &Tree, settings: &Settings, taken: Option<i64>) -> Self {
        let state = match settings.scheduler {
            Some(Scheduler::Pbs | Scheduler::Slurm | Scheduler::Flux) | None => {
                State::Plain(plain::Plain::of(tree))
            }
        };
        Self {
            tree: tree.clone(),
            settings: settings.clone(),
            taken,
            state,
        }
    }

    /// The seconds that have passed since the snapshot.
    #[must_use]
    pub fn passed(&self) -> u64 {
        self.settings.time.passed
    }

    /// The moment, in Unix seconds; nothing where the source does not tell when it was taken.
    #[must_use]
    pub fn now(&self) -> Option<i64> {
        self.taken?.checked_add_unsigned(self.passed())
    }

    /// Replaces what is assumed of the time to come.
    pub fn set_pace(&mut self, pace: Arc<Pace>) {
        self.settings.time.pace = pace;
    }

    /// Lets time pass: usage decays, and what the pace says is charged. Broken off, it stands where it had come to.
    pub fn advance(&mut self, seconds: u64, progress: Progress<'_>) -> ControlFlow<()> {
        match &mut self.state {
            State::Plain(plain) => plain.advance(&self.tree, &mut self.settings, seconds, progress),
        }
    }

    /// Charges usage to a user, and to the accounts above it as its scheduler does, at this moment.
    pub fn charge(&mut self, node: NodeId, amount: f64) {
        match &mut self.state {
            State::Plain(plain) => plain.charge(&self.tree, node, amount),
        }
    }

    /// The usage of a node at this moment, as its scheduler holds it: for accounts whose usage follows from what lies
    /// below them, nothing.
    #[must_use]
    pub fn usage(&self, node: NodeId) -> Usage {
        match &self.state {
            State::Plain(plain) => plain.usage(node),
        }
    }

    /// The tree at this moment.
    #[must_use]
    pub fn tree(&self) -> Tree {
        let mut tree = self.tree.clone();
        let ids = 0..tree.id_count();
        let usages = ids.map(|index| self.usage(NodeId::from_index(index)));
        tree.set_usages(usages.collect());
        tree
    }

    /// The settings at this moment: with the time that has passed, and what a scheduler notes of its last decay.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
}
