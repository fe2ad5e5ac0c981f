//! Future usage: presets, the pace measured between two snapshots, changes, and the assumptions to report.

use super::Decay;
use crate::analysis::diff::Matching;
use crate::base::shown::Shown;
use crate::model::{Campaign, Measured, NodeId, Pace, Premise, Settings, Snapshot, Subject, Tree};
use crate::rules::clock::Clock;
use crate::scenario::{EditError, PaceChange, Scenario};
use std::ops::ControlFlow;
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
    /// Returns the pace of the preset from the scenario's own time. Campaigns stay, except when idle.
    pub fn pace(self, scenario: &Scenario) -> Result<Pace, PaceError> {
        let tree = scenario.tree();
        let settings = scenario.settings();
        match self {
            Self::AsPlanned => Ok(Pace::clone(&settings.time.pace)),
            Self::Idle => Ok(Pace::default()),
            Self::Steady => Ok(assumed_steady(Clock::new(tree, settings).steady())),
            Self::OnlyIdle(node) => Ok(resting(Self::Steady.pace(scenario)?, tree, node)),
            Self::Measured(old) => measured(scenario, old),
        }
    }
}

impl Preset<'static> {
    /// Returns the assumptions under which a node is looked at: all stop, all go on, it alone stops, and the scenario's own
    /// pace if anybody uses anything by it.
    pub(crate) fn around(node: NodeId, scenario: &Scenario) -> Vec<Self> {
        let mut presets = vec![Self::Idle, Self::Steady, Self::OnlyIdle(node)];
        if !scenario.settings().time.pace.is_idle() {
            presets.push(Self::AsPlanned);
        }
        presets
    }
}

/// Returns a pace that is said to be the steady one.
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
        &PaceChange::Rate { node, rate } => {
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
        most: NodeId,
    },
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
        let mut uses = Vec::new();
        if rates.len() > NAMED {
            let (most, _) = rates[0];
            uses.push(Self::Many {
                users: rates.len(),
                total: rates.iter().map(|(_, rate)| rate).sum(),
                most,
            });
        } else {
            for (node, rate) in rates {
                uses.push(Self::Rate { node, rate });
            }
        }
        uses.extend(pace.campaigns().iter().cloned().map(Self::Campaign));
        uses.push(Self::NobodyElse);
        uses
    }
}

/// Why a pace cannot be measured between two snapshots.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each variant says what it is")]
pub enum PaceError {
    #[error(
        "{0} does not say when it was taken, so it gives no pace; give a snapshot with a time, or another pace such as \
         steady"
    )]
    NoDate(Shown),
    #[error("{old} was not taken before {new}; give an older dump of the same cluster as the pace")]
    NotOlder { old: Shown, new: Shown },
    #[error(
        "{old} is from {of_old} and {new} from {of_new}, so they give no common pace; give two dumps of one cluster"
    )]
    Strangers {
        old: Shown,
        of_old: Subject,
        new: Shown,
        of_new: Subject,
    },
    #[error("{old} and {new} have no user in common; give two dumps of one cluster")]
    NobodyKnown { old: Shown, new: Shown },
}

/// Returns the pace that leads from the usage of the older snapshot to the usage of the scenario's own snapshot.
fn measured(scenario: &Scenario, old: &Snapshot) -> Result<Pace, PaceError> {
    let new = scenario.base();
    let elapsed = elapsed(old, new)?;
    // What is left of the usage in the older snapshot, and all usage in the newer one.
    let idle = run(old, Pace::default(), elapsed);
    let then = Clock::new(&new.tree_in_memory(), &new.settings);
    let matching = Matching::of_paths(&old.tree, &new.tree, None);
    let mut is_anybody_known = false;
    // What each user gained, and what those gained that were in the older snapshot, by their nodes in it.
    let mut gained = Vec::new();
    let mut gained_before = Vec::new();
    for node in new.tree.charged() {
        let mut more = then.in_memory(node);
        if let Some(before) = matching.before(node)
            && old.tree.is_charged(before)
        {
            is_anybody_known = true;
            more -= idle.in_memory(before);
            if more > 0.0 {
                gained_before.push((before, more));
            }
        }
        if more > 0.0 {
            gained.push((node, more));
        }
    }
    if !is_anybody_known {
        return Err(PaceError::NobodyKnown {
            old: old.source.path.clone(),
            new: new.source.path.clone(),
        });
    }
    let portion = portion_left(old, &idle, &gained_before, elapsed);
    let mut pace = scenario.settings().time.pace.plans();
    for (node, more) in gained {
        if scenario.tree().contains(node) {
            pace.set_rate(node, more / portion / elapsed as f64);
        }
    }
    let total: f64 = pace.rates().map(|(_, rate)| rate).sum();
    let users = pace.rates().count();
    pace.premises = vec![Premise::Measured(Measured {
        old: old.source.path.clone(),
        new: new.source.path.clone(),
        elapsed,
        total,
        users,
    })];
    Ok(pace)
}

/// Returns the portion of new usage that has not decayed, which is the same for all users. It shows if users of a snapshot
/// use as much as they gained.
fn portion_left(old: &Snapshot, idle: &Clock, gained: &[(NodeId, f64)], elapsed: u64) -> f64 {
    let mut pace = Pace::default();
    let mut total = 0.0;
    for &(node, more) in gained {
        pace.set_rate(node, more / elapsed as f64);
        total += more;
    }
    let busy = run(old, pace.clone(), elapsed);
    let mut kept = 0.0;
    for (node, _) in pace.rates() {
        kept += busy.in_memory(node) - idle.in_memory(node);
    }
    if kept > 0.0 { kept / total } else { 1.0 }
}

/// Returns the seconds from the older snapshot to the newer one. Fails without their times, or if they are not of one
/// cluster or not in that order.
fn elapsed(old: &Snapshot, new: &Snapshot) -> Result<u64, PaceError> {
    if let Some((of_old, of_new)) = old.different_clusters(new) {
        return Err(PaceError::Strangers {
            old: old.source.path.clone(),
            of_old,
            new: new.source.path.clone(),
            of_new,
        });
    }
    let seconds = taken(new)?.saturating_sub(taken(old)?);
    if seconds <= 0 {
        return Err(PaceError::NotOlder {
            old: old.source.path.clone(),
            new: new.source.path.clone(),
        });
    }
    Ok(seconds.unsigned_abs())
}

/// Returns when a snapshot was taken, in seconds.
fn taken(snapshot: &Snapshot) -> Result<i64, PaceError> {
    match snapshot.settings.time.taken {
        Some(taken) => Ok(taken),
        None => Err(PaceError::NoDate(snapshot.source.path.clone())),
    }
}

/// Returns the clock of a snapshot after so many seconds at a pace.
fn run(snapshot: &Snapshot, pace: Pace, seconds: u64) -> Clock {
    let mut clock = Clock::new(&snapshot.tree_in_memory(), &snapshot.settings);
    clock.set_pace(Arc::new(pace));
    // This callback never stops it.
    let _ = clock.advance(seconds, &mut |_| ControlFlow::Continue(()));
    clock
}
