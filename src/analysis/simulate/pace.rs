//! Future usage: presets, changes, and the assumptions to report.

use super::decay::Decay;
use super::measured::{PaceError, measured};
use crate::model::{Campaign, NodeId, Pace, Premise, Settings, Snapshot, Tree};
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
    /// Returns the pace of the preset from the scenario's own time, with its premises. Campaigns stay, except when
    /// idle.
    pub fn pace(self, scenario: &Scenario) -> Result<Pace, PaceError> {
        let (tree, settings) = (scenario.tree(), scenario.settings());
        match self {
            Self::AsPlanned => Ok(Pace::clone(&settings.time.pace)),
            Self::Idle => Ok(Pace::default()),
            Self::Steady => Ok(assumed_steady(Clock::of(tree, settings).steady())),
            Self::OnlyIdle(node) => Ok(resting(Self::Steady.pace(scenario)?, tree, node)),
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
    for &user in tree.within(node) {
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

/// Applies a change to a pace and to its premises.
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

/// The most users whose rates are listed one by one.
const NAMED: usize = 3;

/// Assumptions about the future.
#[derive(Clone, Debug, PartialEq)]
pub struct Assumptions {
    /// The assumed usage.
    pub usage: Vec<UsageAssumption>,
    /// The decay of usage.
    pub decay: Decay,
}

/// One assumption about future usage.
#[derive(Clone, Debug, PartialEq)]
pub enum UsageAssumption {
    /// The pace states this assumption itself.
    Premise(Premise),
    Nobody,
    /// So many users have a rate that they are not listed one by one.
    Many {
        users: usize,
        /// Their total rate, in units of usage per second.
        total: f64,
        /// The user with the highest rate.
        most: NodeId,
    },
    /// A user has a constant rate.
    Rate {
        node: NodeId,
        /// The rate, in units of usage per second.
        rate: f64,
    },
    /// A user has a rate for a limited time.
    Campaign(Campaign),
    NobodyElse,
}

impl Assumptions {
    /// Returns the assumptions of a pace for a tree and its settings.
    pub fn of(tree: &Tree, settings: &Settings, pace: &Pace) -> Self {
        Self {
            usage: UsageAssumption::all_of(pace),
            decay: Decay::of(tree, settings),
        }
    }
}

impl UsageAssumption {
    /// Returns the assumptions of a pace: those it states itself, otherwise those its rates imply.
    fn all_of(pace: &Pace) -> Vec<Self> {
        if !pace.premises.is_empty() {
            return pace.premises.iter().cloned().map(Self::Premise).collect();
        }
        if pace.is_idle() {
            return vec![Self::Nobody];
        }
        let mut rates: Vec<(NodeId, f64)> = pace.rates().collect();
        rates.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        let mut uses: Vec<Self> = if rates.len() > NAMED {
            vec![Self::Many {
                users: rates.len(),
                total: rates.iter().map(|(_, rate)| rate).sum(),
                most: rates[0].0,
            }]
        } else {
            let rates = rates.into_iter();
            rates
                .map(|(node, rate)| Self::Rate { node, rate })
                .collect()
        };
        uses.extend(pace.campaigns().iter().cloned().map(Self::Campaign));
        uses.push(Self::NobodyElse);
        uses
    }
}
