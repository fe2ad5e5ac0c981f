//! Changes whose numbers are still being worked out, and the question about them.

use crate::scenario::{Edit, Scenario};

/// A scenario whose numbers are to be worked out. Its clones are cheap: they share every column.
#[derive(Clone, Debug)]
pub struct EvaluationTask {
    pub(crate) scenario: Box<Scenario>,
}

impl EvaluationTask {
    /// Works out the numbers, which takes up to a second for a million nodes.
    #[must_use]
    pub(crate) fn answer(self) -> Box<Scenario> {
        let _ = (self.scenario.before(), self.scenario.evaluation());
        self.scenario
    }
}

/// What a change concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scope {
    /// Only which policy is in force: what is known about all policies stays true.
    Policy,
    /// Single nodes: numbers far from them are kept, so the rest is there soon.
    Nodes,
    /// A setting.
    Settings,
}

impl Scope {
    /// What an edit concerns.
    pub(crate) const fn by(edit: &Edit) -> Self {
        match edit {
            Edit::SetSetting { .. }
            | Edit::RestoreSettings { .. }
            | Edit::Wait { .. }
            | Edit::Pace(_)
            | Edit::RestoreMoment { .. } => Self::Settings,
            _ => Self::Nodes,
        }
    }
}

/// A scenario that is ahead of the screen.
#[derive(Clone, Debug)]
pub(crate) struct PendingChange {
    pub(crate) scenario: Scenario,
    pub(crate) scope: Scope,
    /// Whether the question under way is about this very state.
    pub(crate) is_asked: bool,
}

/// What is ahead of the screen, and the question under way: one at a time, or a held key would start a thread each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pending {
    pub(crate) changed: Option<PendingChange>,
    pub(crate) under_way: Option<u64>,
}
