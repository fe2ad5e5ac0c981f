//! Presets for future usage.

use super::measured::{PaceError, measured};
use crate::model::{NodeId, Pace, Premise, Settings, Snapshot, Tree};
use crate::rules::clock::Clock;
use crate::scenario::{EditError, PaceChange, Scenario};
use std::sync::Arc;

/// An assumption about future usage.
#[derive(Clone, Copy, Debug)]
pub enum Preset<'a> {
    /// The scenario's own pace.
    AsPlanned,
    /// Nobody uses anything.
    Idle,
    /// Everybody keeps the usage they have now.
    Steady,
    /// Everybody keeps the usage they have now, except that this node and all users below it use nothing.
    OnlyIdle(NodeId),
    /// Everybody uses as much as between this older snapshot of the same cluster and the scenario's own.
    Measured(&'a Snapshot),
}

impl Preset<'_> {
    /// Returns the pace of the preset, counted from the scenario's own time. The pace lists its premises.
    ///
    /// Planned campaigns stay, except under [`Self::Idle`].
    ///
    /// # Errors
    /// Returns an error if a pace cannot be measured between the two snapshots.
    pub fn pace(self, scenario: &Scenario) -> Result<Pace, PaceError> {
        let (tree, settings) = (scenario.tree(), scenario.settings());
        match self {
            Self::AsPlanned => Ok(Pace::clone(&settings.time.pace)),
            Self::Idle => Ok(Pace::default()),
            Self::Steady => Ok(assumed_steady(steady(scenario))),
            Self::OnlyIdle(node) => Ok(resting(assumed_steady(steady(scenario)), tree, node)),
            Self::Measured(old) => measured(scenario, old),
        }
    }
}

/// Adds the premise of a pace that keeps everybody's usage.
fn assumed_steady(mut pace: Pace) -> Pace {
    let is_at_rest = pace.rates().next().is_none();
    pace.premises = vec![if is_at_rest {
        Premise::SteadyAtRest
    } else {
        Premise::Steady
    }];
    pace
}

/// Returns a pace at which a user, or everybody below an account, uses nothing. Their planned campaigns stay.
pub fn resting(mut pace: Pace, tree: &Tree, node: NodeId) -> Pace {
    for &user in &tree.nodes()[tree.order().span(node)] {
        if pace.rate(user) > 0.0 {
            pace.set_rate(user, 0.0);
        }
    }
    add_exception(&mut pace, Premise::Resting(node));
    pace
}

/// Adds an exception to the premises of a pace. A pace without premises is described by its rates instead.
fn add_exception(pace: &mut Pace, exception: Premise) {
    if !pace.premises.is_empty() {
        pace.premises.push(exception);
    }
}

/// Returns the rates that keep everybody's usage, with the planned campaigns.
fn steady(scenario: &Scenario) -> Pace {
    Clock::of(scenario.tree(), scenario.settings()).steady()
}

/// Applies a change to a pace and to its premises.
///
/// # Errors
/// Returns an error if the change does not fit the tree.
pub fn assume(
    pace: Pace,
    change: &PaceChange,
    tree: &Tree,
    settings: &Settings,
) -> Result<Pace, EditError> {
    let premises = pace.premises.clone();
    let mut pace = change.of_pace(Arc::new(pace), tree, settings)?;
    pace.premises = premises;
    match change {
        PaceChange::Idle => pace.premises.clear(),
        PaceChange::Steady => pace = assumed_steady(pace),
        PaceChange::Rate { node, rate } => {
            let (node, rate) = (*node, *rate);
            add_exception(&mut pace, Premise::Rate { node, rate });
        }
        PaceChange::Campaign(campaign) => {
            add_exception(&mut pace, Premise::Campaign(campaign.clone()));
        }
    }
    Ok(pace)
}
