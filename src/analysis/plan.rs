//! The plan to take away: what an admin runs to make a scenario true, what takes it back, and what shows that it
//! worked. Nothing is run and nothing is read here: a plan is a value.

pub mod changes;
pub mod flux;
mod note;
mod omission;
mod originals;
pub mod pbs;
mod reason;
pub mod shell;
pub mod slurm;
mod statement;
mod steps;
pub mod verify;

pub use changes::{EditState, NetChanges, SettingChange};
pub use note::{DefaultAccount, Effect, Note};
pub use omission::{Omission, planned_tree};
pub use originals::originals;
pub use reason::{NameFault, OmissionReason, SettingFault, SharesFault};
pub use statement::Statement;

use crate::model::Scheduler;
use crate::scenario::Scenario;
use omission::Omissions;
use std::collections::BTreeSet;

/// What a plan needs and a snapshot does not hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanInputs {
    /// The cluster's name, where the source does not tell; empty if nobody knows it.
    pub cluster: String,
    /// The bytes of PBS's `resource_group`, of which only what must change is changed.
    pub resource_group: Option<Vec<u8>>,
    /// The bytes of PBS's `sched_config`.
    pub sched_config: Option<Vec<u8>>,
}

/// A file for the admin to put in place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanFile {
    /// Its name, as the scheduler knows it.
    pub name: &'static str,
    /// What is in it.
    pub bytes: Vec<u8>,
    /// What is in the one it takes the place of, where that was read.
    pub before: Option<Vec<u8>>,
}

/// How a scenario becomes true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The scheduler whose commands these are.
    pub scheduler: Scheduler,
    /// What to run, in this order; each is one line of a POSIX shell.
    pub commands: Vec<String>,
    /// What takes it all back, in this order.
    pub rollback: Vec<String>,
    /// Files that the commands put in place.
    pub files: Vec<PlanFile>,
    /// When and how it takes effect.
    pub effective: Vec<Effect>,
    /// What to know before it is run.
    pub notes: Vec<Statement<Note>>,
    /// What the scheduler cannot be told: that part of the scenario stays undone.
    pub omission_reasons: Vec<Statement<OmissionReason>>,
    /// The same, part by part.
    pub omissions: BTreeSet<Omission>,
    /// Commands that show the state afterwards; they change nothing.
    pub check: Vec<String>,
    /// Whether the commands name a cluster that is none, for nobody told its name.
    pub lacks_cluster: bool,
}

impl Plan {
    /// A plan that does nothing yet.
    fn new(scheduler: Scheduler) -> Self {
        Self {
            scheduler,
            commands: Vec::new(),
            rollback: Vec::new(),
            files: Vec::new(),
            effective: Vec::new(),
            notes: Vec::new(),
            omission_reasons: Vec::new(),
            omissions: BTreeSet::new(),
            check: Vec::new(),
            lacks_cluster: false,
        }
    }

    /// Takes over what cannot be done.
    fn refuse(&mut self, omissions: Omissions) {
        self.omissions.extend(&omissions.parts);
        self.omission_reasons.extend(omissions.reasons.list());
    }

    /// Takes over what to know that is about no node.
    fn note(&mut self, note: Note) {
        self.notes.push(note.into());
    }

    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty() && self.files.is_empty()
    }
}

/// How to make a scenario true with the commands of a scheduler.
#[must_use]
pub fn plan(scenario: &Scenario, scheduler: Scheduler, given: &PlanInputs) -> Plan {
    let timeless = scenario.without_time();
    let of = timeless.as_ref().unwrap_or(scenario);
    let mut plan = match scheduler {
        Scheduler::Pbs => pbs::plan(of, given),
        Scheduler::Slurm => slurm::plan(of, given),
        Scheduler::Flux => flux::plan(of),
    };
    if timeless.is_some() {
        let passed = scenario.time_passed();
        plan.note(Note::TimeLeftOut { passed });
    }
    plan
}
