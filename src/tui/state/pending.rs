//! Changes whose numbers are still being computed, and the task that computes them.

use crate::scenario::{Edit, Scenario};

/// Computes the numbers of a scenario. Clones are cheap: they share every column.
#[derive(Clone, Debug)]
pub struct EvaluationTask {
    pub(crate) scenario: Box<Scenario>,
}

impl EvaluationTask {
    /// Returns the scenario with its numbers. Takes up to a second for a million nodes.
    pub(crate) fn answer(self) -> Box<Scenario> {
        let _ = (self.scenario.before(), self.scenario.evaluation());
        self.scenario
    }
}

/// What a change affects, from the least to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scope {
    /// The current policy: what is known of all policies stays true.
    Policy,
    /// Single nodes: only numbers near them are computed again.
    Nodes,
    /// A setting, and with it every number.
    Settings,
}

impl Scope {
    /// Returns what an edit affects.
    pub(crate) const fn by(edit: &Edit) -> Self {
        match edit {
            Edit::SetSetting { .. } | Edit::Wait { .. } | Edit::Pace(_) => Self::Settings,
            _ => Self::Nodes,
        }
    }
}

/// A change whose numbers are not on the screen yet.
#[derive(Clone, Debug)]
pub(crate) struct PendingChange {
    pub(crate) scenario: Scenario,
    pub(crate) scope: Scope,
    /// Whether the job that runs computes this very state.
    pub(crate) is_asked: bool,
}

/// The change that is not on the screen yet, and the number of the job that runs. Only one runs at a time, because a
/// held key would start a thread with each repeat.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pending {
    pub(crate) changed: Option<PendingChange>,
    pub(crate) under_way: Option<u64>,
}
