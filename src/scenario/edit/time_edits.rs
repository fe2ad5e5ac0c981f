//! Edits of time: it passes, and users use something meanwhile.

use super::{Edit, EditError, path};
use crate::base::shown::Shown;
use crate::model::{
    Campaign, Kind, NodeId, Pace, Settings, Tree, Usage, UsageState, duration_for_people,
};
use crate::rules::clock::{Clock, OnSeconds};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The last possible moment: the end of the year 9999, in Unix seconds.
const LAST_MOMENT: i64 = 253_402_300_799;

/// The longest simulated time: from 1970 to the last moment.
const LONGEST: u64 = 253_402_300_799;

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
        /// The user, or the account.
        node: NodeId,
        /// Units of usage per second.
        rate: f64,
    },
    /// A user uses something for a limited time.
    Campaign(Campaign),
}

impl PaceChange {
    /// Returns the pace that results from applying this change to another one.
    ///
    /// # Errors
    /// As if it were made by [`Edit::Pace`].
    pub fn of_pace(
        &self,
        pace: Arc<Pace>,
        tree: &Tree,
        settings: &Settings,
    ) -> Result<Pace, EditError> {
        check_pace(tree, settings.time.passed, self)?;
        let mut settings = settings.clone();
        settings.time.pace = pace;
        Ok(changed_pace(tree, &settings, self))
    }
}

/// All usage of a tree, with the scheduler's internal usage state.
#[derive(Clone, Debug)]
pub struct TotalUsage {
    usage: Arc<Vec<Usage>>,
    usage_state: Option<Arc<UsageState>>,
}

impl PartialEq for TotalUsage {
    fn eq(&self, other: &Self) -> bool {
        self.usage == other.usage
    }
}

impl TotalUsage {
    /// Returns the present usage of a tree.
    pub fn of(tree: &Tree) -> Self {
        Self {
            usage: tree.shared_usage(),
            usage_state: tree.shared_usage_state(),
        }
    }

    /// Puts the usage into a tree. Nodes that were added later keep theirs.
    pub(super) fn put_into(self, tree: &mut Tree) {
        let mut usage = self.usage;
        if usage.len() < tree.id_count() {
            let later = (usage.len()..tree.id_count()).map(NodeId::from_index);
            let later: Vec<Usage> = later.map(|node| tree.usage(node)).collect();
            Arc::make_mut(&mut usage).extend(later);
        }
        tree.share_usage(usage, self.usage_state);
    }
}

/// Checks that so much time can pass.
///
/// # Errors
/// If it would end after the year 9999.
pub fn check_wait(settings: &Settings, seconds: u64) -> Result<(), EditError> {
    let passed = settings.time.passed.checked_add(seconds);
    let passed = passed.filter(|&passed| passed <= LONGEST);
    let end = settings
        .time
        .taken
        .unwrap_or(0)
        .checked_add_unsigned(passed.ok_or(EditError::TooLate)?);
    if end.is_some_and(|end| end <= LAST_MOMENT) {
        Ok(())
    } else {
        Err(EditError::TooLate)
    }
}

pub(super) fn check_pace(tree: &Tree, passed: u64, change: &PaceChange) -> Result<(), EditError> {
    let (node, rate) = match change {
        PaceChange::Idle | PaceChange::Steady => return Ok(()),
        PaceChange::Rate { node, rate } => (*node, *rate),
        PaceChange::Campaign(campaign) => {
            if campaign.until <= campaign.from {
                return Err(EditError::CampaignEndsFirst);
            }
            if campaign.until <= passed {
                return Err(EditError::CampaignIsOver(duration_for_people(passed)));
            }
            (campaign.node, campaign.rate)
        }
    };
    if !tree.contains(node) {
        return Err(EditError::Gone(path(tree, node)));
    }
    // All users below an account can be stopped at once.
    let stops = matches!(change, PaceChange::Rate { .. }) && rate == 0.0;
    if tree.kind(node) == Kind::Account && !stops {
        return Err(EditError::RateOfAccount(path(tree, node)));
    }
    if !(0.0..=MOST_RATE).contains(&rate) {
        let is_long = rate.is_finite() && rate.abs() > MOST_RATE;
        let rate = if is_long {
            format!("{rate:e}")
        } else {
            rate.to_string()
        };
        return Err(EditError::Rate(Shown::again(rate)));
    }
    Ok(())
}

/// Lets time pass, and returns the inverse.
pub(super) fn wait(tree: &mut Tree, settings: &mut Settings, seconds: u64) -> Edit {
    let back = wait_while(tree, settings, seconds, &mut |_| ControlFlow::Continue(()));
    back.expect("nobody breaks it off")
}

/// Lets time pass, and returns the inverse, or `None` if `progress` broke off. Nothing has changed then.
pub(in crate::scenario) fn wait_while(
    tree: &mut Tree,
    settings: &mut Settings,
    seconds: u64,
    progress: OnSeconds<'_>,
) -> Option<Edit> {
    let mut clock = Clock::of(tree, settings);
    if clock.advance(seconds, progress).is_break() {
        return None;
    }
    let back = Edit::RestoreMoment {
        usage: TotalUsage::of(tree),
        settings: Box::new(settings.clone()),
    };
    *tree = clock.tree();
    *settings = clock.settings().clone();
    Some(back)
}

/// Changes the pace, and returns the inverse.
pub(super) fn change_pace(tree: &Tree, settings: &mut Settings, change: &PaceChange) -> Edit {
    let mut changed = settings.clone();
    changed.time.pace = Arc::new(changed_pace(tree, settings, change));
    Edit::RestoreMoment {
        usage: TotalUsage::of(tree),
        settings: Box::new(std::mem::replace(settings, changed)),
    }
}

/// Restores a moment, and returns the edit that restores the present one.
pub(super) fn restore(
    usage: TotalUsage,
    restored: Settings,
    tree: &mut Tree,
    settings: &mut Settings,
) -> Edit {
    let before = TotalUsage::of(tree);
    usage.put_into(tree);
    Edit::RestoreMoment {
        usage: before,
        settings: Box::new(std::mem::replace(settings, restored)),
    }
}

/// Returns the pace after a change.
fn changed_pace(tree: &Tree, settings: &Settings, change: &PaceChange) -> Pace {
    let mut pace = Pace::clone(&settings.time.pace);
    match change {
        PaceChange::Idle => pace = Pace::default(),
        PaceChange::Steady => pace = Clock::of(tree, settings).steady(),
        PaceChange::Rate { node, rate } => {
            let below = &tree.nodes()[tree.order().span(*node)];
            for &user in below.iter().filter(|&&node| tree.kind(node) == Kind::User) {
                pace.set_rate(user, *rate);
            }
        }
        PaceChange::Campaign(campaign) => pace.plan(campaign.clone()),
    }
    pace
}
