//! The edits of time in the edit language: `wait`, `rate`, `campaign`, `pace`.

use super::{EditLine, LanguageError, Parsed, find, split_at_equals, split_at_last};
use crate::base::number::DAY;
use crate::base::shown::shown;
use crate::model::{Campaign, DurationForm, Scheduler, Settings, moment_of, seconds_of};
use crate::scenario::{Edit, JobError, PaceChange, job_usage};

/// Reads `wait 7d`, `wait until 2026-12-02`.
pub(super) fn wait(line: &EditLine<'_>) -> Parsed<Edit> {
    let words = std::str::from_utf8(line.rest).unwrap_or_default().trim();
    if words.is_empty() {
        return Err(line.form("wait 7d, wait 36h or wait until 2026-12-02"));
    }
    let back = words.strip_prefix('-');
    if back.is_some_and(|back| seconds_of(back, DurationForm::Common).is_ok()) {
        return Err(LanguageError::Past(shown(words.as_bytes())));
    }
    let date = words.strip_prefix("until");
    let Some(date) = date.filter(|date| date.starts_with(char::is_whitespace)) else {
        let seconds = seconds_of(words, DurationForm::Common)?;
        return Ok(Edit::Wait { seconds });
    };
    let time = &line.settings.time;
    let taken = time.taken.ok_or(LanguageError::NoDate)?;
    let now = taken.saturating_add_unsigned(time.passed);
    let left = moment_of(date, &time.local_zone())?
        .usual()
        .saturating_sub(now);
    let past = |_| LanguageError::Past(shown(date.trim().as_bytes()));
    let seconds = u64::try_from(left).map_err(past)?;
    Ok(Edit::Wait { seconds })
}

/// Reads `pace idle`, `pace steady`.
pub(super) fn pace(line: &EditLine<'_>) -> Parsed<Edit> {
    match line.rest {
        b"idle" => Ok(Edit::Pace(PaceChange::Idle)),
        b"steady" => Ok(Edit::Pace(PaceChange::Steady)),
        _ => Err(line.form("pace idle or pace steady")),
    }
}

/// What a job holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    Cores,
    Nodes,
    Gpus,
}

impl Held {
    /// Returns what a word of a rate means.
    fn named(word: &str) -> Option<Self> {
        match word {
            "cores" | "core" | "cpus" | "cpu" => Some(Self::Cores),
            "nodes" | "node" => Some(Self::Nodes),
            "gpus" | "gpu" => Some(Self::Gpus),
            _ => None,
        }
    }

    /// Returns its name in the description of a job of a scheduler.
    fn name(self, scheduler: Option<Scheduler>) -> &'static str {
        match (self, scheduler) {
            (Self::Cores, Some(Scheduler::Pbs)) => "ncpus",
            (Self::Cores, Some(Scheduler::Slurm)) => "cpus",
            (Self::Cores, _) => "cores",
            (Self::Nodes, Some(Scheduler::Pbs)) => "nodect",
            (Self::Nodes, _) => "nodes",
            (Self::Gpus, Some(Scheduler::Pbs)) => "ngpus",
            (Self::Gpus, _) => "gpus",
        }
    }
}

/// Reads `64 cores`, `4 nodes`: the charge per second of a job that holds so many for a day.
fn rate_of_job(text: &str, settings: &Settings) -> Option<Result<f64, JobError>> {
    let (count, word) = text.split_once(char::is_whitespace)?;
    let held = Held::named(word.trim())?;
    let name = held.name(settings.scheduler);
    let count: f64 = count.parse().ok()?;
    let day = f64::from(DAY);
    let job = if settings.scheduler == Some(Scheduler::Pbs) {
        // All of its cores count as busy.
        let is_cores = held == Held::Cores;
        let busy = if is_cores { count * day } else { 0.0 };
        format!("{name}={count} cput={busy} walltime={DAY}")
    } else {
        format!("{name}={count} time={DAY}")
    };
    Some(job_usage(&job, settings).map(|usage| usage / day))
}

/// Reads `PATH=2.5`, `PATH=64 cores`.
fn rated<'a>(text: &'a [u8], line: &EditLine<'_>, form: &'static str) -> Parsed<(&'a [u8], f64)> {
    let Some((path, amount)) = split_at_equals(text) else {
        return Err(line.form(form));
    };
    let amount = std::str::from_utf8(amount).unwrap_or_default().trim();
    let rate = match rate_of_job(amount, line.settings) {
        Some(rate) => rate?,
        None => amount.parse().map_err(|_| line.form(form))?,
    };
    Ok((path.trim_ascii(), rate))
}

/// Reads `rate PATH=2.5`, in units of usage per second, or `rate PATH=64 cores`.
pub(super) fn rate(line: &EditLine<'_>) -> Parsed<Edit> {
    let expected =
        "rate PATH=2.5, in units of usage per second, or rate PATH=64 cores, nodes or gpus";
    let (path, rate) = rated(line.rest, line, expected)?;
    let node = find(line.tree, path)?;
    Ok(Edit::Pace(PaceChange::Rate { node, rate }))
}

/// Reads `campaign PATH=64 from 3d until 10d`, counted from the snapshot.
pub(super) fn campaign(line: &EditLine<'_>) -> Parsed<Edit> {
    let expected = "campaign PATH=2.5 from 3d until 10d, or PATH=64 cores";
    let parts = || {
        let (rest, until) = split_at_last(line.rest, b"until")?;
        let (rated, from) = split_at_last(rest, b"from")?;
        Some((rated, from, until))
    };
    let (target, from, until) = parts().ok_or_else(|| line.form(expected))?;
    let duration = |text| seconds_of(&String::from_utf8_lossy(text), DurationForm::Common);
    let (path, rate) = rated(target, line, expected)?;
    let campaign = Campaign {
        node: find(line.tree, path)?,
        rate,
        from: duration(from)?,
        until: duration(until)?,
    };
    Ok(Edit::Pace(PaceChange::Campaign(campaign)))
}
