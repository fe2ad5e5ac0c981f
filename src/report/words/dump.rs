//! The current policy beside the one that made a dump: `policy: LEVEL_BASED (dump: Fair Tree, verified 14/14)`.

use super::verify as words;
use crate::base::number::{counted, grouped};
use crate::base::shown::{Shown, sentence};
use crate::model::Settings;
use crate::report::View;
use crate::rules::policy::Policy;
use crate::trust::verify::{ColumnCheck, Verification};

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

/// Returns a policy with the word before it.
pub(crate) fn headline_with(policy: &str) -> Shown {
    sentence!("policy: {policy}")
}

/// As [`headline_of`], without the word before it.
pub fn beside(verification: &Verification, policy: Policy, settings: &Settings) -> Option<Shown> {
    if verification.is_of(policy, settings) {
        return None;
    }
    let is_same = verification.policy == Some(policy);
    let dump = dump(verification, settings, is_same)?;
    let mut own = Vec::new();
    if is_same {
        for known in &verification.settings {
            let key = known.key();
            if let Some(value) = settings.get(key) {
                own.push(sentence!("{key}={value}"));
            }
        }
    }
    let own_settings = words::with(&own);
    let title = name(policy, settings);
    Some(sentence!("{title}{own_settings} (dump: {dump})"))
}

/// Returns the policy of the dump, with the settings that are unusual or all, and how far it was verified.
fn dump(
    verification: &Verification,
    settings: &Settings,
    names_all_settings: bool,
) -> Option<Shown> {
    let policy = verification.policy?;
    let mut named = Vec::new();
    for known in &verification.settings {
        if names_all_settings || !known.is_usual() {
            named.push(words::setting(*known));
        }
    }
    let title = name(policy, settings);
    let policy = sentence!("{title}{}", words::with(&named));
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

/// How the recorded numbers compare with the computed ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Not all of it could be verified.
    Incomplete,
    /// The recorded numbers are of another moment, and why.
    Stale(&'static str),
    /// So many rows differ.
    Differing(usize),
    /// They are equal, as far as that can be decided.
    Verified(Shown),
}

impl Standing {
    /// Returns it in words.
    pub(crate) fn text(&self) -> Shown {
        match self {
            Self::Incomplete => "incomplete".into(),
            Self::Stale(why) => (*why).into(),
            Self::Differing(rows) => counted(*rows, "row differs", "rows differ"),
            Self::Verified(rows) => rows.clone(),
        }
    }
}

/// Returns how the recorded numbers compare. `None` if the policy is not that of the dump, which [`beside`] tells, or
/// if nothing was recorded.
pub(crate) fn standing(
    verification: &Verification,
    policy: Policy,
    settings: &Settings,
) -> Option<Standing> {
    if !verification.is_of(policy, settings) {
        return None;
    }
    standing_of(verification)
}

/// Returns how the recorded numbers compare under the policy of the dump.
fn standing_of(verification: &Verification) -> Option<Standing> {
    if verification.unverified.is_some() {
        return Some(Standing::Incomplete);
    }
    if let Some(stale) = stale(verification) {
        return Some(Standing::Stale(stale));
    }
    let column = verification.main_column()?;
    let mut most = 0;
    for check in &verification.columns {
        most = most.max(check.differing());
    }
    if most > 0 {
        return Some(Standing::Differing(most));
    }
    Some(Standing::Verified(verified(column)))
}

/// Returns why the recorded numbers are of another moment, in two or three words; `None` if they are of this one.
pub fn stale(verification: &Verification) -> Option<&'static str> {
    verification.stale.as_ref()?;
    if verification.is_unsettled() {
        return Some("not settled yet");
    }
    Some("stale columns")
}

/// Returns how many rows of a column were verified, and how many could not be decided: `verified 9/19, 10 undecided`.
pub(crate) fn verified(column: &ColumnCheck) -> Shown {
    let equal = grouped(column.equal);
    let rows = grouped(column.rows);
    if column.undecided == 0 {
        return sentence!("verified {equal}/{rows}");
    }
    let undecided = grouped(column.undecided);
    sentence!("verified {equal}/{rows}, {undecided} undecided")
}

/// Returns the policy as its scheduler calls it: on a tree of Slurm's, `Fair Tree` for `Slurm Fair Tree`.
pub fn name(policy: Policy, settings: &Settings) -> &'static str {
    let title = policy.title();
    let own = match settings.scheduler {
        Some(scheduler) => scheduler.title(),
        None => "",
    };
    match title.strip_prefix(own) {
        Some(rule) if !rule.trim_start().is_empty() => rule.trim_start(),
        _ => title,
    }
}
