//! What is asked of a tree where a node does not say it all, and the tree with what was opened beside it.

use super::View;
use crate::analysis::advise::{Contributions, SiteGoal};
use crate::analysis::contention::Machine;
use crate::analysis::queue::Queue;
use crate::base::shown::Shown;
use crate::rules::policy::Policy;
use crate::scenario::Scenario;
use std::ops::RangeInclusive;

/// The goals of a site, and what else is asked of its shares.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AdviceQuestion {
    /// What is to hold.
    pub(crate) goals: Vec<SiteGoal>,
    /// What accounts contributed, which is what their shares are to be in proportion to.
    pub(crate) contributions: Contributions,
    /// The half-lives, in seconds, of which it is asked what they would do.
    pub(crate) half_lives: Option<RangeInclusive<u64>>,
    /// The cores of the machine on which times are measured.
    pub(crate) cores: u64,
}

impl AdviceQuestion {
    /// Returns the question for edits that keep goals, with the usual machine.
    pub(crate) fn of(goals: Vec<SiteGoal>) -> Self {
        Self {
            goals,
            contributions: Contributions::new(),
            half_lives: None,
            cores: Machine::default().cores,
        }
    }
}

/// A machine, and the policies under which it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MachineQuestion {
    pub(crate) machine: Machine,
    /// A policy beside that of the scenario.
    pub(crate) against: Option<Policy>,
}

/// The served ratios to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MetricsQuestion {
    /// Whether single users are listed beside the accounts.
    pub(crate) with_users: bool,
    /// How many over- and under-served nodes people see; `None` for the usual number.
    pub(crate) limit: Option<usize>,
}

/// A job of the queue, and the one with which it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JobQuestion {
    /// The name of the job, as in `12` or `12/batch`.
    pub(crate) job: Shown,
    /// The name of the other one; `None` for the one just before it.
    pub(crate) other: Option<Shown>,
    /// How many of the jobs that it passes people see; `None` for the usual number.
    pub(crate) limit: Option<usize>,
}

/// The tree that is asked about.
#[derive(Clone, Copy)]
pub(crate) struct AskedTree<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) view: &'a View<'a>,
    /// The jobs that wait, where they are known.
    pub(crate) queue: Option<&'a Queue>,
    /// Returns which part of its time a search has had, from 0 to 1; `None` where a search ends after the usual number of
    /// tries.
    pub(crate) spent: Option<&'a dyn Fn() -> f64>,
}
