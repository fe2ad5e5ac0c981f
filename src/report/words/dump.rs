//! The current policy beside the one that made a dump: `policy: LEVEL_BASED (dump: Fair Tree, verified 14/14)`.

use super::verify as words;
use crate::base::number::{counted, grouped};
use crate::base::shown::{Shown, sentence};
use crate::model::{Scheduler, Settings};
use crate::report::View;
use crate::rules::policy::Policy;
use crate::trust::verify::{ColumnCheck, KnownSetting, Verification};

/// Returns the current policy and the policy that made the recorded numbers, with its verification. `None` if both are
/// the same or nothing was recorded.
pub fn headline(view: &View<'_>) -> Option<Shown> {
    headline_of(view.verification?, view.policy, view.settings)
}

/// As [`headline`], for a policy under settings.
pub fn headline_of(
    verification: &Verification,
    policy: Policy,
    settings: &Settings,
) -> Option<Shown> {
    beside(verification, policy, settings)
        .as_deref()
        .map(headline_with)
}

/// Returns the policy with the word `policy` before it.
pub fn headline_with(policy: &str) -> Shown {
    sentence!("policy: {policy}")
}

/// As [`headline_of`], without the word before it.
pub fn beside(verification: &Verification, policy: Policy, settings: &Settings) -> Option<Shown> {
    if verification.is_of(policy, settings) {
        return None;
    }
    let same = verification.policy == Some(policy);
    let dump = dump(verification, settings, same)?;
    let own: Vec<_> = verification
        .settings
        .iter()
        .filter(|_| same)
        .filter_map(|known| Some(sentence!("{}={}", known.key(), settings.get(known.key())?)))
        .collect();
    let own = with(&own);
    Some(sentence!("{}{own} (dump: {dump})", name(policy, settings)))
}

/// Returns the policy that made the recorded numbers, with its verification; `None` if nothing was recorded.
fn dump(
    verification: &Verification,
    settings: &Settings,
    names_all_settings: bool,
) -> Option<Shown> {
    let policy = verification.policy?;
    let is_named = |known: &&KnownSetting| names_all_settings || !known.is_usual();
    let named = verification.settings.iter().filter(is_named);
    let named: Vec<_> = named.map(|known| words::setting(*known)).collect();
    let policy = sentence!("{}{}", name(policy, settings), with(&named));
    if verification.unverified.is_some() {
        return Some(sentence!("{policy}, incomplete"));
    }
    let column = verification.main_column()?;
    if let Some(stale) = stale(verification) {
        return Some(sentence!("{policy}, {stale}"));
    }
    let differing = most_differing(verification);
    if differing > 0 {
        let rows = counted(differing, "row differs", "rows differ");
        return Some(if verification.detected.is_some() {
            sentence!("{policy}, {rows}")
        } else {
            sentence!("policy unknown, {rows} from {policy}")
        });
    }
    let verified = verified(column);
    Some(sentence!("{policy}, {verified}"))
}

/// Whether the recorded numbers equal the computed ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The source lists only some of the associations.
    Incomplete,
    /// The recorded numbers are of another moment, and why.
    Stale(&'static str),
    /// Some rows differ.
    Differing(usize),
    /// They are equal, as far as that can be decided.
    Verified(Shown),
}

impl Standing {
    /// Returns it in two or three words.
    pub fn text(&self) -> Shown {
        match self {
            Self::Incomplete => "incomplete".into(),
            Self::Stale(why) => (*why).into(),
            Self::Differing(rows) => counted(*rows, "row differs", "rows differ"),
            Self::Verified(rows) => rows.clone(),
        }
    }
}

/// Returns whether the recorded numbers equal the computed ones. `None` if the policy is not that of the dump, which
/// [`beside`] tells, or if nothing was recorded.
pub fn standing(
    verification: &Verification,
    policy: Policy,
    settings: &Settings,
) -> Option<Standing> {
    if !verification.is_of(policy, settings) {
        return None;
    }
    if verification.unverified.is_some() {
        return Some(Standing::Incomplete);
    }
    if let Some(stale) = stale(verification) {
        return Some(Standing::Stale(stale));
    }
    let column = verification.main_column()?;
    Some(match most_differing(verification) {
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
pub fn verified(column: &ColumnCheck) -> Shown {
    let (equal, rows) = (grouped(column.equal), grouped(column.rows));
    if column.undecided > 0 {
        let undecided = grouped(column.undecided);
        return sentence!("verified {equal}/{rows}, {undecided} undecided");
    }
    sentence!("verified {equal}/{rows}")
}

/// Returns the number of differing rows in the column with the most differences.
pub fn most_differing(verification: &Verification) -> usize {
    let differing = verification.columns.iter().map(ColumnCheck::differing);
    differing.max().unwrap_or(0)
}

/// Returns the policy as its scheduler calls it: on a tree of Slurm's, `Fair Tree` for `Slurm Fair Tree`.
pub fn name(policy: Policy, settings: &Settings) -> &'static str {
    let title = policy.title();
    let own = settings.scheduler.map_or("", Scheduler::title);
    let rule = title.strip_prefix(own).map(str::trim_start);
    rule.filter(|rule| !rule.is_empty()).unwrap_or(title)
}

fn with(settings: &[Shown]) -> Shown {
    if settings.is_empty() {
        Shown::default()
    } else {
        sentence!(" with {}", settings.join(" and "))
    }
}
