//! Reads the settings of a tree.
//!
//! PBS holds values that `--set` would refuse, and state beside its settings. A file may state both, so that a tree comes
//! back as it was written.

use super::document::{Document, plain};
use super::problem::NativeProblem;
use crate::base::shown::{sentence, shown};
use crate::model::{FairShare, JOB_RESOURCES, Settings};
use crate::rules::policy::formula::{FORMULA, Formula};
use toml::de::DeTable;

/// How many resources of the file itself are named in messages about unknown keys.
const MOST_NAMED: usize = 64;

/// Settings in a file that `--set` does not know: PBS's state beside them.
const STATE_KEYS: &[&str] = &["fair_share_prime", "fair_share_non_prime", "last_decay"];

/// Reads `[settings]`, and returns whether `unknown_shares` was among them.
pub(super) fn configure<'a>(
    document: &mut Document<'a>,
    top: &DeTable<'a>,
    settings: &mut Settings,
) -> bool {
    let Some(table) = document.table(top, "settings") else {
        return false;
    };
    let mut known: Vec<&str> = Settings::keys().collect();
    known.extend(STATE_KEYS);
    known.extend(JOB_RESOURCES);
    // A site has resources of its own, of which a few are named beside the other keys.
    let mut named = known.clone();
    let most = known.len() + MOST_NAMED;
    for key in table.keys() {
        let key = key.get_ref();
        if named.len() < most && Settings::expected(key).is_some() {
            named.push(key);
        }
    }
    let is_known = |key: &str| known.contains(&key) || Settings::expected(key).is_some();
    for key in table.keys() {
        if !is_known(key.get_ref()) {
            document.report_unknown_key(key, &named);
        }
    }
    for (key, value) in table {
        let name: &str = key.get_ref();
        if !is_known(name) {
            continue;
        }
        let text = plain(value.get_ref()).unwrap_or_default();
        if let Some(problem) = set(settings, name, &text) {
            document.report(value, problem);
        }
    }
    if let Some(value) = table.get(FORMULA)
        && let Err(error) = Formula::of_settings(settings)
    {
        settings.formula.set = None;
        let problem = NativeProblem::RefusedFormula {
            key: FORMULA,
            column: error.span().start + 1,
            error: sentence!("{}", error.sentence()),
        };
        document.report(value, problem);
    }
    table.contains_key("unknown_shares")
}

/// Sets one of the settings. Returns what is odd about its value.
fn set(settings: &mut Settings, key: &str, text: &str) -> Option<NativeProblem> {
    if set_state(settings, key, text).is_some() {
        return no_decay(settings, key);
    }
    if STATE_KEYS.contains(&key) {
        return Some(NativeProblem::RefusedState {
            key: shown(key.as_bytes()),
            text: shown(text.as_bytes()),
        });
    }
    let error = settings.set(key, text).err()?;
    Some(NativeProblem::RefusedSetting {
        error: sentence!("{error}"),
    })
}

/// Sets a value that PBS may hold although `--set` would refuse it. Returns `None` if it is none.
fn set_state(settings: &mut Settings, key: &str, text: &str) -> Option<()> {
    let pbs = &mut settings.pbs;
    match key {
        // The two halves of `fair_share`. A half that is not named is off, as in PBS.
        "fair_share_prime" => {
            let non_prime = stated(pbs.fair_share).is_on_in_non_prime();
            pbs.fair_share = FairShare::of(text.parse().ok()?, non_prime);
        }
        "fair_share_non_prime" => {
            let prime = stated(pbs.fair_share).is_on_in_prime();
            pbs.fair_share = FairShare::of(prime, text.parse().ok()?);
        }
        "last_decay" => pbs.last_decay = text.parse().ok()?,
        "unknown_shares" => pbs.unknown_shares = text.parse().ok()?,
        "fairshare_decay_factor" => {
            // PBS also accepts a factor that is no number.
            let factor: f32 = text.parse().ok()?;
            let is_accepted = factor.is_nan() || (factor > 0.0 && factor < 1.0);
            if !is_accepted {
                return None;
            }
            pbs.fairshare_decay_factor = factor;
        }
        "fairshare_decay_time" => pbs.fairshare_decay_time = text.parse().ok()?,
        "fairshare_entity" => text.clone_into(&mut pbs.fairshare_entity),
        "fairshare_usage_res" => text.clone_into(&mut pbs.fairshare_usage_res),
        _ => return None,
    }
    Some(())
}

/// Returns the value of `fair_share` as a file states it: off while only assumed.
fn stated(fair_share: FairShare) -> FairShare {
    match fair_share {
        FairShare::Assumed => FairShare::Never,
        stated => stated,
    }
}

/// Returns the effect of a decay setting that PBS accepts and nobody can mean, or `None` for other settings.
fn no_decay(settings: &Settings, key: &str) -> Option<NativeProblem> {
    let pbs = &settings.pbs;
    match key {
        "fairshare_decay_factor" if pbs.fairshare_decay_factor.is_nan() => {
            Some(NativeProblem::FactorIsNoNumber)
        }
        "fairshare_decay_time" if pbs.fairshare_decay_time <= 0 => Some(NativeProblem::NeverDecays),
        _ => None,
    }
}
