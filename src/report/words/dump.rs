//! The current policy beside the one that made a dump: `policy: LEVEL_BASED (dump: Fair Tree, verified 14/14)`.

use super::verify as words;
use crate::base::number::{counted, grouped};
use crate::base::shown::{Shown, sentence};
use crate::model::{Scheduler, Settings};
use crate::report::View;
use crate::rules::policy::Policy;
use crate::trust::verify::{ColumnCheck, KnownSetting, Verification};

/// Returns the current policy and that of the dump, verified; `None` if they are the same or nothing was recorded.
pub fn headline(view: &View<'_>) -> Option<Shown> {
    headline_of(view.verification?, view.policy, view.settings)
}

/// As [`headline`], for a policy under settings.
pub fn headline_of(
    verification: &Verification,
    policy: Policy,
    settings: &Settings,
) -> Option<Shown> {
    let policy = beside(verification, policy, settings)?;
    Some(headline_with(&policy))
}

pub(crate) fn headline_with(policy: &str) -> Shown {
    sentence!("policy: {policy}")
}

/// As [`headline_of`], without the word before it.
pub fn beside(verification: &Verification, policy: Policy, settings: &Settings) -> Option<Shown> {
    if verification.is_of(policy, settings) {
        return None;
    }
    let same = verification.policy == Some(policy);
    let dump = dump(verification, settings, same)?;
    let own = verification.settings.iter().filter(|_| same);
    let own = own.filter_map(|it| Some(sentence!("{}={}", it.key(), settings.get(it.key())?)));
    let own = words::with(own);
    Some(sentence!("{}{own} (dump: {dump})", name(policy, settings)))
}

fn dump(
    verification: &Verification,
    settings: &Settings,
    names_all_settings: bool,
) -> Option<Shown> {
    let policy = verification.policy?;
    let is_named = |known: &&KnownSetting| names_all_settings || !known.is_usual();
    let named = verification.settings.iter().filter(is_named);
    let named = words::with(named.map(|known| words::setting(*known)));
    let policy = sentence!("{}{named}", name(policy, settings));
    let standing = standing_of(verification)?;
    if let Standing::Stale(_) = standing {
        verification.main_column()?;
    }
    let text = standing.text();
    Some(match standing {
        Standing::Differing(_) if verification.detected.is_none() => {
            sentence!("policy unknown, {text} from {policy}")
        }
        _ => sentence!("{policy}, {text}"),
    })
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Incomplete,
    /// The recorded numbers are of another moment, and why.
    Stale(&'static str),
    Differing(usize),
    /// They are equal, as far as that can be decided.
    Verified(Shown),
}

impl Standing {
    pub(crate) fn text(&self) -> Shown {
        match self {
            Self::Incomplete => "incomplete".into(),
            Self::Stale(why) => (*why).into(),
            Self::Differing(rows) => counted(*rows, "row differs", "rows differ"),
            Self::Verified(rows) => rows.clone(),
        }
    }
}

/// `None` if the policy is not that of the dump, which [`beside`] tells, or if nothing was recorded.
pub(crate) fn standing(
    verification: &Verification,
    policy: Policy,
    settings: &Settings,
) -> Option<Standing> {
    let is_own = verification.is_of(policy, settings);
    is_own.then(|| standing_of(verification)).flatten()
}

fn standing_of(verification: &Verification) -> Option<Standing> {
    if verification.unverified.is_some() {
        return Some(Standing::Incomplete);
    }
    if let Some(stale) = stale(verification) {
        return Some(Standing::Stale(stale));
    }
    let column = verification.main_column()?;
    let differing = verification.columns.iter().map(ColumnCheck::differing);
    Some(match differing.max().unwrap_or(0) {
        0 => Standing::Verified(verified(column)),
        differing => Standing::Differing(differing),
    })
}

/// Returns why the recorded numbers are of another moment, in two or three words; `None` if they are of this one.
pub fn stale(verification: &Verification) -> Option<&'static str> {
    verification.stale.as_ref()?;
    Some(if verification.is_unsettled() {
        "not settled yet"
    } else {
        "stale columns"
    })
}

/// Returns how many rows of a column were verified, and how many could not be decided: `verified 9/19, 10 undecided`.
pub(crate) fn verified(column: &ColumnCheck) -> Shown {
    let (equal, rows) = (grouped(column.equal), grouped(column.rows));
    let undecided = column.undecided;
    match undecided {
        0 => sentence!("verified {equal}/{rows}"),
        more => sentence!("verified {equal}/{rows}, {} undecided", grouped(more)),
    }
}

/// Returns the policy as its scheduler calls it: on a tree of Slurm's, `Fair Tree` for `Slurm Fair Tree`.
pub fn name(policy: Policy, settings: &Settings) -> &'static str {
    let title = policy.title();
    let own = settings.scheduler.map_or("", Scheduler::title);
    let rule = title.strip_prefix(own).map(str::trim_start);
    rule.filter(|rule| !rule.is_empty()).unwrap_or(title)
}
