//! Edits of time: it passes, and users use something meanwhile.

use super::{EditError, path};
use crate::base::shown::sentence;
use crate::model::{
    Campaign, Kind, LAST_MOMENT, NodeId, Pace, Settings, Tree, duration_for_people,
};
use crate::rules::clock::{Clock, OnSeconds};
use std::ops::ControlFlow;
use std::sync::Arc;

/// More units per second than any machine gives. Usage stays finite even if a million users use that much for ever.
const MOST_RATE: f64 = 1e15;

/// A change of usage rates or campaigns.
#[derive(Clone, Debug, PartialEq)]
pub enum PaceChange {
    /// Nobody uses anything.
    Idle,
    /// Every user keeps its present usage.
    Steady,
    /// A user uses so many units per second. A rate of 0 is allowed for all users below an account, too.
    Rate {
        /// The user, or the account with a rate of 0.
        node: NodeId,
        /// In units of usage per second.
        rate: f64,
    },
    /// A user uses something for a limited time.
    Campaign(Campaign),
}

impl PaceChange {
    /// Returns the pace that results from applying this change to another one.
    pub(crate) fn of_pace(
        &self,
        pace: Arc<Pace>,
        tree: &Tree,
        settings: &Settings,
    ) -> Result<Pace, EditError> {
        check_pace(tree, settings.time.passed, self)?;
        let mut paced = settings.clone();
        paced.time.pace = pace;
        change_pace(tree, &mut paced, self);
        Ok(Arc::unwrap_or_clone(paced.time.pace))
    }
}

/// Checks that so much time can pass: no clock goes beyond the year 9999.
pub fn check_wait(settings: &Settings, seconds: u64) -> Result<(), EditError> {
    // A source from before 1970 gets no longer time than one from then.
    let begin = settings.time.taken.unwrap_or(0).max(0);
    if let Some(passed) = settings.time.passed.checked_add(seconds)
        && let Some(end) = begin.checked_add_unsigned(passed)
        && end <= LAST_MOMENT
    {
        return Ok(());
    }
    Err(EditError::TooLate)
}

/// Checks that a change of the pace fits the tree, of which so many seconds have passed since the snapshot.
pub(super) fn check_pace(tree: &Tree, passed: u64, change: &PaceChange) -> Result<(), EditError> {
    match change {
        PaceChange::Idle | PaceChange::Steady => Ok(()),
        // All users below an account can be stopped at once.
        PaceChange::Rate { node, rate } => check_rate(tree, *node, *rate, *rate == 0.0),
        PaceChange::Campaign(campaign) => {
            if campaign.until <= campaign.from {
                return Err(EditError::CampaignEndsFirst);
            }
            if campaign.until <= passed {
                return Err(EditError::CampaignIsOver(duration_for_people(passed)));
            }
            check_rate(tree, campaign.node, campaign.rate, false)
        }
    }
}

/// Checks that a node can use so much a second: a user, or an account where that is accepted.
fn check_rate(
    tree: &Tree,
    node: NodeId,
    rate: f64,
    accepts_accounts: bool,
) -> Result<(), EditError> {
    if !tree.contains(node) {
        return Err(EditError::Gone(path(tree, node)));
    }
    if tree.kind(node) == Kind::Account && !accepts_accounts {
        return Err(EditError::RateOfAccount(path(tree, node)));
    }
    if !(0.0..=MOST_RATE).contains(&rate) {
        let is_long = rate.is_finite() && rate.abs() > MOST_RATE;
        let text = if is_long {
            sentence!("{rate:e}")
        } else {
            sentence!("{rate}")
        };
        return Err(EditError::Rate(text));
    }
    Ok(())
}

/// Lets time pass. If `progress` breaks off, nothing changes.
pub(in crate::scenario) fn wait_while(
    tree: &mut Tree,
    settings: &mut Settings,
    seconds: u64,
    progress: OnSeconds<'_>,
) -> ControlFlow<()> {
    let mut clock = Clock::new(tree, settings);
    clock.advance(seconds, progress)?;
    *tree = clock.tree();
    *settings = clock.settings().clone();
    ControlFlow::Continue(())
}

/// Changes the pace of settings, in place unless it is shared.
pub(super) fn change_pace(tree: &Tree, settings: &mut Settings, change: &PaceChange) {
    match change {
        PaceChange::Idle => settings.time.pace = Arc::default(),
        PaceChange::Steady => {
            let steady = Clock::new(tree, settings).steady();
            settings.time.pace = Arc::new(steady);
        }
        PaceChange::Rate { node, rate } => {
            let pace = Arc::make_mut(&mut settings.time.pace);
            for &below in tree.within(*node) {
                if tree.kind(below) == Kind::User {
                    pace.set_rate(below, *rate);
                }
            }
        }
        PaceChange::Campaign(campaign) => {
            let pace = Arc::make_mut(&mut settings.time.pace);
            pace.plan(campaign.clone());
        }
    }
}
