//! What of a tree is still being computed.

use crate::rules::policy::Comparison;
use crate::scenario::{Edit, Scenario};
use crate::tui::job::Running;

/// A tree under all policies.
#[derive(Clone, Debug, Default)]
pub(crate) struct PolicyComparison {
    pub(crate) comparison: Option<Box<Comparison>>,
    pub(crate) revision: u64,
    /// The job that compares, and the revision of its tree.
    pub(crate) asked: Running<u64>,
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

/// The change that is not on the screen yet, and the job that computes its numbers. Only one runs at a time, because a
/// held key would start a thread with each repeat.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pending {
    pub(crate) changed: Option<PendingChange>,
    pub(crate) asked: Running<()>,
}
