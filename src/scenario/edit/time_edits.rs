//! Time as edits: it passes, and somebody uses something meanwhile.

use super::{Edit, EditError, path};
use crate::model::{
    Campaign, Kind, NodeId, Pace, Settings, Tree, Usage, UsageState, duration_for_people,
};
use crate::rules::clock::{Clock, OnSeconds};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The last moment there is: the end of the year 9999, in Unix seconds.
const LAST_MOMENT: i64 = 253_402_300_799;

/// The longest that can be waited in all: as long as from 1970 to the last moment.
const LONGEST: u64 = 253_402_300_799;

/// More units a second than any machine gives; usage stays a number even if all of 1e6 users use that for ever.
const MOST_RATE: f64 = 1e15;

/// Who uses how much from now on.
#[derive(Clone, Debug, PartialEq)]
pub enum PaceChange {
    /// Nobody uses anything.
    Idle,
    /// Everybody keeps the usage they have now.
    Steady,
    /// A user uses so many units a second; 0 also for all users below an account.
    Rate {
        /// The user, or the account.
        node: NodeId,
        /// Units of usage per second.
        rate: f64,
    },
    /// A user uses something for a while.
    Campaign(Campaign),
}

impl PaceChange {
    /// Returns the pace that this change makes of one that need not be in force.
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

/// All usage of a tree, with what its scheduler has of it in memory.
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
    /// Returns the usage of a tree as it is.
    #[must_use]
    pub fn of(tree: &Tree) -> Self {
        Self {
            usage: tree.shared_usage(),
            usage_state: tree.shared_usage_state(),
        }
    }

    /// Puts it into a tree; nodes that it does not know keep what they have.
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

/// Whether so much time can pass.
///
/// # Errors
/// If it would be past the year 9999.
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
    // What lies below an account can all stop at once.
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
        return Err(EditError::Rate(rate));
    }
    Ok(())
}

/// Lets time pass, and gives back the way home.
pub(super) fn wait(tree: &mut Tree, settings: &mut Settings, seconds: u64) -> Edit {
    let back = wait_while(tree, settings, seconds, &mut |_| ControlFlow::Continue(()));
    back.expect("nobody breaks it off")
}

/// Lets time pass as long as somebody waits for it, and gives back the way home; broken off, nothing has changed.
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

/// Changes the pace, and gives back the way home.
pub(super) fn change_pace(tree: &Tree, settings: &mut Settings, change: &PaceChange) -> Edit {
    let mut changed = settings.clone();
    changed.time.pace = Arc::new(changed_pace(tree, settings, change));
    Edit::RestoreMoment {
        usage: TotalUsage::of(tree),
        settings: Box::new(std::mem::replace(settings, changed)),
    }
}

/// Puts a moment back, and gives back the way to the one that was.
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
