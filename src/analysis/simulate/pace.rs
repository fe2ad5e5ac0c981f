//! What can be assumed of the usage to come.

use super::measured::{PaceError, measured};
use crate::model::{NodeId, Pace, Premise, Settings, Snapshot, Tree};
use crate::rules::clock::Clock;
use crate::scenario::{EditError, PaceChange, Scenario};
use std::sync::Arc;

/// What can be assumed of the usage to come.
#[derive(Clone, Copy, Debug)]
pub enum Preset<'a> {
    /// What the scenario itself says.
    AsPlanned,
    /// Nobody uses anything.
    Idle,
    /// Everybody keeps the usage they have now.
    Steady,
    /// Everybody keeps the usage they have now, but this node, or whoever is below it, uses nothing.
    OnlyIdle(NodeId),
    /// Everybody goes on as between this older snapshot of the same cluster and the scenario's own.
    Measured(&'a Snapshot),
}

impl Preset<'_> {
    /// Who uses how much then, counted from where the scenario's clock stands; the pace says itself what it assumes.
    /// Planned campaigns stay, but where everybody is idle.
    ///
    /// # Errors
    /// If it is to be measured and cannot.
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

/// A pace that keeps everybody's usage, with what it assumes.
fn assumed_steady(mut pace: Pace) -> Pace {
    let is_at_rest = pace.rates().next().is_none();
    pace.premises = vec![if is_at_rest {
        Premise::SteadyAtRest
    } else {
        Premise::Steady
    }];
    pace
}

/// A pace at which a user, or everybody below an account, uses nothing; what is planned for them stays.
#[must_use]
pub fn resting(mut pace: Pace, tree: &Tree, node: NodeId) -> Pace {
    for &user in &tree.nodes()[tree.order().span(node)] {
        if pace.rate(user) > 0.0 {
            pace.set_rate(user, 0.0);
        }
    }
    except(&mut pace, Premise::Resting(node));
    pace
}

/// Notes an exception from what a pace assumes; a pace that assumes nothing is known by its numbers.
fn except(pace: &mut Pace, exception: Premise) {
    if !pace.premises.is_empty() {
        pace.premises.push(exception);
    }
}

/// The rates that keep everybody's usage, and the campaigns that are planned.
fn steady(scenario: &Scenario) -> Pace {
    Clock::of(scenario.tree(), scenario.settings()).steady()
}

/// Changes a pace, and says so among what it assumes.
///
/// # Errors
/// If the change does not fit the tree.
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
            except(&mut pace, Premise::Rate { node, rate });
        }
        PaceChange::Campaign(campaign) => except(&mut pace, Premise::Campaign(campaign.clone())),
    }
    Ok(pace)
}
