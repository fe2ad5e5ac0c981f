//! Time in the edit language: `wait`, `rate`, `campaign`, `pace`.

use super::LanguageError;
use crate::model::{Campaign, Settings, Tree, duration_of, resolve, seconds_of};
use crate::scenario::{Edit, EditError, PaceChange};
use crate::shown::shown;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

fn form(text: &[u8], expected: &'static str) -> LanguageError {
    LanguageError::Form {
        text: shown(text),
        expected,
    }
}

/// `wait 7d`, `wait until 2026-12-02`.
pub(super) fn wait(text: &[u8], settings: &Settings) -> Result<Edit, LanguageError> {
    let expected = "wait 7d, wait 36h or wait until 2026-12-02";
    let words = std::str::from_utf8(text).map_err(|_| form(text, expected))?;
    let seconds = match words.strip_prefix("until ") {
        None => seconds_of(words),
        Some(moment) => {
            let taken = settings.time.taken.ok_or(LanguageError::NoDate)?;
            let moment = moment_of(moment.trim()).ok_or_else(|| form(text, expected))?;
            let now = taken.saturating_add_unsigned(settings.time.passed);
            let left = moment
                .checked_sub(now)
                .and_then(|left| u64::try_from(left).ok());
            Some(left.ok_or_else(|| LanguageError::Past(shown(text)))?)
        }
    };
    let seconds = seconds.ok_or_else(|| form(text, expected))?;
    Ok(Edit::Wait { seconds })
}

/// A moment in Unix seconds: RFC 3339, or a date, with a time of day if you like, in UTC.
pub(super) fn moment_of(text: &str) -> Option<i64> {
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(moment.as_second());
    }
    let at = match text.parse::<DateTime>() {
        Ok(at) => at,
        Err(_) => text.parse::<Date>().ok()?.at(0, 0, 0, 0),
    };
    let zoned = at.to_zoned(TimeZone::UTC).ok()?;
    Some(zoned.timestamp().as_second())
}

/// `pace idle`, `pace steady`.
pub(super) fn pace(text: &[u8]) -> Result<Edit, LanguageError> {
    match text {
        b"idle" => Ok(Edit::Pace(PaceChange::Idle)),
        b"steady" => Ok(Edit::Pace(PaceChange::Steady)),
        _ => Err(form(text, "pace idle or pace steady")),
    }
}

/// `PATH=2.5`.
fn rated<'a>(text: &'a [u8], expected: &'static str) -> Result<(&'a [u8], f64), LanguageError> {
    let equals = text.iter().rposition(|&byte| byte == b'=');
    let equals = equals.ok_or_else(|| form(text, expected))?;
    let rate = std::str::from_utf8(&text[equals + 1..]).ok();
    let rate = rate.and_then(|rate| rate.trim().parse().ok());
    let rate: f64 = rate.ok_or_else(|| form(text, expected))?;
    if rate.is_nan() || rate < 0.0 {
        return Err(EditError::Rate(rate.to_string()).into());
    }
    Ok((text[..equals].trim_ascii(), rate))
}

/// `rate PATH=2.5`, in units of usage per second.
pub(super) fn rate(text: &[u8], tree: &Tree) -> Result<Edit, LanguageError> {
    let (path, rate) = rated(text, "rate PATH=2.5, in units of usage per second")?;
    let node = resolve(tree, path)?;
    Ok(Edit::Pace(PaceChange::Rate { node, rate }))
}

/// `campaign PATH=64 from 3d until 10d`, counted from the snapshot.
pub(super) fn campaign(text: &[u8], tree: &Tree) -> Result<Edit, LanguageError> {
    let expected = "campaign PATH=64 from 3d until 10d";
    let split = |text: &'_ [u8], word: &[u8]| {
        let at = text.windows(word.len()).rposition(|part| part == word)?;
        Some((text[..at].to_vec(), text[at + word.len()..].to_vec()))
    };
    let duration = |text: &[u8]| seconds_of(std::str::from_utf8(text).ok()?);
    let parts = || {
        let (rest, until) = split(text, b" until ")?;
        let (rated, from) = split(&rest, b" from ")?;
        Some((rated, duration(&from)?, duration(&until)?))
    };
    let (target, from, until) = parts().ok_or_else(|| form(text, expected))?;
    let (path, rate) = rated(&target, expected)?;
    let campaign = Campaign {
        node: resolve(tree, path)?,
        rate,
        from,
        until,
    };
    Ok(Edit::Pace(PaceChange::Campaign(campaign)))
}

/// Writes an edit of the pace; `path` writes a node.
pub(super) fn write_pace(
    change: &PaceChange,
    path: impl Fn(crate::model::NodeId) -> String,
) -> String {
    match change {
        PaceChange::Idle => "pace idle".to_owned(),
        PaceChange::Steady => "pace steady".to_owned(),
        PaceChange::Rate { node, rate } => format!("rate {}={rate}", path(*node)),
        PaceChange::Campaign(campaign) => format!(
            "campaign {}={} from {} until {}",
            path(campaign.node),
            campaign.rate,
            duration_of(campaign.from),
            duration_of(campaign.until)
        ),
    }
}
