//! Reads the settings of a tree.

use super::document::{Document, plain};
use crate::base::shown::{Shown, sentence, shown};
use crate::model::{FairShare, JOB_RESOURCES, Settings};
use crate::rules::policy::formula::{FORMULA, Formula};
use toml::de::DeTable;

/// How many resources of the file itself are named in messages about unknown keys.
const MOST_NAMED: usize = 64;

/// Settings in a file that `--set` does not know: PBS's state beside them.
const STATE_KEYS: &[&str] = &["fair_share_prime", "fair_share_non_prime", "last_decay"];

/// Reads `[settings]`, and returns whether `unknown_shares` was among them.
pub(super) fn read<'a>(
    document: &mut Document<'a>,
    top: &DeTable<'a>,
    settings: &mut Settings,
) -> bool {
    let Some(table) = document.table(top, "settings") else {
        return false;
    };
    let mut known: Vec<&str> = Settings::keys().collect();
    known.extend(STATE_KEYS.iter().chain(JOB_RESOURCES));
    // A site has resources of its own, of which a few are named beside the other keys.
    let is_own = |key: &str| Settings::expected(key).is_some();
    let keys = table.keys().map(|key| -> &str { key.get_ref() });
    let mut named = known.clone();
    named.extend(keys.filter(|key| is_own(key)).take(MOST_NAMED));
    document.check_other_keys(table, &named, is_own);
    for (key, value) in table {
        let key: &str = key.get_ref();
        if !known.contains(&key) && !is_own(key) {
            continue;
        }
        let text = plain(value.get_ref()).unwrap_or_default();
        let odd = if set_state(settings, key, &text).is_some() {
            no_decay(settings, key).map(Shown::from)
        } else if STATE_KEYS.contains(&key) {
            let text = shown(text.as_bytes());
            Some(sentence!("{key} cannot be {text}; the default is used"))
        } else {
            let refused = settings.set(key, &text).err();
            refused.map(|error| sentence!("{error}; the default is used"))
        };
        if let Some(message) = odd {
            let advice = "correct the value, or remove the line";
            document.warn(value, "toml-bad-setting", message, advice);
        }
    }
    if let Some((_, value)) = table.iter().find(|(key, _)| key.get_ref() == FORMULA)
        && let Err(error) = Formula::of(settings)
    {
        settings.formula.set = None;
        let (column, why) = (error.span().start + 1, error.sentence());
        let message = sentence!("{FORMULA}, column {column} of it: {why}; the formula is ignored");
        let advice = "correct the formula, or remove the line";
        document.warn(value, "toml-bad-setting", message, advice);
    }
    table.contains_key("unknown_shares")
}

/// Sets a value that PBS may hold although `--set` would refuse it. Returns `None` if it is none.
fn set_state(settings: &mut Settings, key: &str, text: &str) -> Option<()> {
    let pbs = &mut settings.pbs;
    let known = |fair_share| match fair_share {
        FairShare::Assumed => FairShare::Never,
        stated => stated,
    };
    match key {
        // The two halves of `fair_share`. A half that is not named is off, as in PBS.
        "fair_share_prime" => {
            let non_prime = known(pbs.fair_share).is_on_in_non_prime();
            pbs.fair_share = FairShare::of(text.parse().ok()?, non_prime);
        }
        "fair_share_non_prime" => {
            let prime = known(pbs.fair_share).is_on_in_prime();
            pbs.fair_share = FairShare::of(prime, text.parse().ok()?);
        }
        "last_decay" => pbs.last_decay = text.parse().ok()?,
        "unknown_shares" => pbs.unknown_shares = text.parse().ok()?,
        "fairshare_decay_factor" => {
            // PBS also accepts a factor that is no number.
            let factor: f32 = text.parse().ok()?;
            let is_held = factor.is_nan() || (factor > 0.0 && factor < 1.0);
            pbs.fairshare_decay_factor = Some(factor).filter(|_| is_held)?;
        }
        "fairshare_decay_time" => pbs.fairshare_decay_time = text.parse().ok()?,
        "fairshare_entity" => text.clone_into(&mut pbs.fairshare_entity),
        "fairshare_usage_res" => text.clone_into(&mut pbs.fairshare_usage_res),
        _ => return None,
    }
    Some(())
}

/// Returns the effect of a decay setting that PBS accepts and nobody can mean, or `None` for other settings.
fn no_decay(settings: &Settings, key: &str) -> Option<&'static str> {
    let pbs = &settings.pbs;
    match key {
        "fairshare_decay_factor" if pbs.fairshare_decay_factor.is_nan() => {
            Some("fairshare_decay_factor is not a number; every usage becomes 1 at the next decay")
        }
        "fairshare_decay_time" if pbs.fairshare_decay_time <= 0 => {
            Some("fairshare_decay_time is not above 0; PBS never decays usage then")
        }
        _ => None,
    }
}
