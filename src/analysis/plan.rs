//! The plan to apply a scenario: the commands for an admin to run, their rollback, and commands that show the result.
//! Nothing is run here: a plan is a value.

mod flux;
mod note;
mod omission;
pub mod pbs;
mod precondition;
pub mod slurm;
mod steps;
pub mod verify;

pub(crate) use note::{
    DefaultAccount, Effect, NameFault, OmissionReason, SettingFault, SharesFault,
};
pub use note::{Note, Statement, Tested};
pub use omission::{NetChanges, Omission, planned_tree};
pub use precondition::Precondition;
pub(crate) use precondition::{Listing, StateRow};

use crate::format::input::{self, PathKind};
use crate::format::pbs::sched_priv;
use crate::format::slurm::companion::JobLabel;
use crate::format::slurm::companions::Companions;
use crate::format::{LoadResult, Request};
use crate::model::{Format, Scheduler, Snapshot};
use crate::open::waiting;
use crate::scenario::Scenario;
use omission::Omissions;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;

/// Inputs of a plan that a snapshot does not contain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanInputs {
    /// The cluster's name, if the source does not tell it. Empty if it is unknown.
    pub cluster: String,
    /// The bytes of PBS's `resource_group`, of which the plan changes as little as possible.
    pub resource_group: Option<Vec<u8>>,
    /// The bytes of PBS's `sched_config`.
    pub sched_config: Option<Vec<u8>>,
    /// The jobs of Slurm that run or wait, as far as they are known.
    pub jobs: Vec<JobLabel>,
}

/// A file for the admin to install.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanFile {
    /// The name that the scheduler expects.
    pub(crate) name: &'static str,
    /// The new content.
    pub bytes: Vec<u8>,
    /// The content of the file that it replaces. `None` if that was not read.
    pub(crate) before: Option<Vec<u8>>,
}

/// The commands that apply a scenario to a scheduler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The scheduler whose commands these are.
    pub scheduler: Scheduler,
    /// The commands in order; each is one line of a POSIX shell.
    pub commands: Vec<String>,
    /// The commands that undo them, in order.
    pub rollback: Vec<String>,
    /// The files that the commands install.
    pub files: Vec<PlanFile>,
    /// When and how the plan takes effect.
    pub effective: Vec<Effect>,
    /// What to know before the commands are run.
    pub notes: Vec<Statement<Note>>,
    /// Why parts of the scenario cannot be applied.
    pub omission_reasons: Vec<Statement<OmissionReason>>,
    /// The parts of the scenario that cannot be applied.
    pub omissions: BTreeSet<Omission>,
    /// Commands that show the result; they change nothing.
    pub(crate) check: Vec<String>,
    /// What must hold before the commands run, and before the rollback.
    pub(crate) precondition: Precondition,
    /// Whether the commands contain a placeholder because the cluster's name is unknown.
    pub(crate) lacks_cluster: bool,
}

impl Plan {
    /// Returns a plan without anything to do.
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
            precondition: Precondition::default(),
            lacks_cluster: false,
        }
    }

    /// Adds what the commands cannot apply, and why.
    fn omit(&mut self, omissions: Omissions) {
        self.omissions.extend(&omissions.parts);
        self.omission_reasons.extend(omissions.reasons.list);
    }

    /// Adds a note that is about no node.
    fn note(&mut self, note: Note) {
        self.notes.push(note.into());
    }

    /// Returns whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty() && self.files.is_empty()
    }
}

/// Returns the plan that applies a scenario with the commands of a scheduler.
pub fn plan(scenario: &Scenario, scheduler: Scheduler, given: &PlanInputs) -> Plan {
    let timeless = scenario.without_time();
    let stored = timeless.as_ref().unwrap_or(scenario);
    let mut plan = match scheduler {
        Scheduler::Pbs => pbs::plan(stored, given),
        Scheduler::Slurm => slurm::plan(stored, given),
        Scheduler::Flux => flux::plan(stored),
    };
    if timeless.is_some() {
        let passed = scenario.time_passed();
        plan.note(Note::TimeLeftOut { passed });
    }
    plan
}

impl PlanInputs {
    /// Reads what a plan needs beside the tree: for PBS the files that it changes, for Slurm the jobs that were found with
    /// the tree; and the name of the cluster, if it was given.
    pub(crate) fn read(
        scheduler: Scheduler,
        snapshot: &Snapshot,
        request: &Request,
        found: &Companions,
    ) -> LoadResult<Self> {
        let mut inputs = match scheduler {
            Scheduler::Pbs => originals(snapshot, request)?,
            Scheduler::Slurm => Self::with_jobs(found),
            Scheduler::Flux => Self::default(),
        };
        inputs.cluster = request.cluster.clone().unwrap_or_default();
        Ok(inputs)
    }

    /// Returns what a plan for Slurm uses of the outputs that were found with a tree: the jobs.
    fn with_jobs(found: &Companions) -> Self {
        Self {
            jobs: waiting::present(found, &mut |_| ControlFlow::Continue(())),
            ..Self::default()
        }
    }
}

/// Reads the PBS files of a tree again, which a plan changes. Empty for other sources, and for standard input.
fn originals(snapshot: &Snapshot, request: &Request) -> LoadResult<PlanInputs> {
    let path = request.path();
    if snapshot.source.format != Format::Pbs || request.is_standard_input() {
        return Ok(PlanInputs::default());
    }
    let Some(kind) = input::find(path)? else {
        return Ok(PlanInputs::default());
    };
    let mut resource_group = path.to_owned();
    let mut sched_config = request.beside.sched_config.clone();
    if kind == PathKind::Directory {
        let folder = match sched_priv(path)? {
            Some(folder) => folder,
            None => path.to_owned(),
        };
        resource_group = folder.join("resource_group");
        if sched_config.is_none() {
            sched_config = Some(folder.join("sched_config"));
        }
    }
    let mut inputs = PlanInputs {
        resource_group: read(&resource_group)?,
        ..PlanInputs::default()
    };
    if let Some(path) = sched_config {
        inputs.sched_config = read(&path)?;
    }
    Ok(inputs)
}

/// Reads a file as it is. `None` if it is not there.
fn read(path: &Path) -> LoadResult<Option<Vec<u8>>> {
    if !input::is_there(path)? {
        return Ok(None);
    }
    let read = input::read_as_is(path, &mut |_| ControlFlow::Continue(()))?;
    Ok(Some(read.bytes))
}
