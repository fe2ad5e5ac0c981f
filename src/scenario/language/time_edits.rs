//! The edits of time in the edit language: `wait`, `rate`, `campaign`, `pace`.

use super::{EditLine, LanguageError, Parsed, split_at_equals, split_at_last};
use crate::base::number::DAY;
use crate::base::shown::shown;
use crate::model::{
    Campaign, DurationError, DurationForm, NodeId, Scheduler, Settings, moment_of, seconds_of,
};
use crate::scenario::{Edit, JobError, PaceChange, job_usage};

impl EditLine<'_> {
    /// Reads `wait 7d`, `wait until 2026-12-02`.
    pub(super) fn wait(&self) -> Parsed<Edit> {
        let words = text_of(self.rest);
        if words.is_empty() {
            return Err(self.form("wait 7d, wait 36h or wait until 2026-12-02"));
        }
        if let Some(back) = words.strip_prefix('-')
            && duration(back).is_ok()
        {
            return Err(past(words));
        }
        let seconds = match words.strip_prefix("until") {
            Some(date) if date.starts_with(char::is_whitespace) => self.seconds_until(date)?,
            _ => duration(words)?,
        };
        Ok(Edit::Wait { seconds })
    }

    /// Returns how long it is until a date.
    fn seconds_until(&self, date: &str) -> Parsed<u64> {
        let time = &self.settings.time;
        let taken = time.taken.ok_or(LanguageError::NoDate)?;
        let now = taken.saturating_add_unsigned(time.passed);
        let zone = time.local_zone();
        let then = moment_of(date, &zone)?.usual();
        match u64::try_from(then.saturating_sub(now)) {
            Ok(seconds) => Ok(seconds),
            Err(_) => Err(past(date.trim())),
        }
    }

    /// Reads `pace idle`, `pace steady`.
    pub(super) fn pace(&self) -> Parsed<Edit> {
        match self.rest {
            b"idle" => Ok(Edit::Pace(PaceChange::Idle)),
            b"steady" => Ok(Edit::Pace(PaceChange::Steady)),
            _ => Err(self.form("pace idle or pace steady")),
        }
    }

    /// Reads `rate PATH=2.5`, in units of usage per second, or `rate PATH=64 cores`.
    pub(super) fn rate(&self) -> Parsed<Edit> {
        let expected =
            "rate PATH=2.5, in units of usage per second, or rate PATH=64 cores, nodes or gpus";
        let (node, rate) = self.rated(self.rest, expected)?;
        let change = PaceChange::Rate { node, rate };
        Ok(Edit::Pace(change))
    }

    /// Reads `campaign PATH=64 from 3d until 10d`, counted from the snapshot.
    pub(super) fn campaign(&self) -> Parsed<Edit> {
        let expected = "campaign PATH=2.5 from 3d until 10d, or PATH=64 cores";
        let Some((begin, until)) = split_at_last(self.rest, b"until") else {
            return Err(self.form(expected));
        };
        let Some((rated, from)) = split_at_last(begin, b"from") else {
            return Err(self.form(expected));
        };
        let (node, rate) = self.rated(rated, expected)?;
        let campaign = Campaign {
            node,
            rate,
            from: duration(&String::from_utf8_lossy(from))?,
            until: duration(&String::from_utf8_lossy(until))?,
        };
        let change = PaceChange::Campaign(campaign);
        Ok(Edit::Pace(change))
    }

    /// Reads `PATH=2.5`, `PATH=64 cores`: the node and its rate.
    fn rated(&self, text: &[u8], expected: &'static str) -> Parsed<(NodeId, f64)> {
        let Some((path, amount)) = split_at_equals(text) else {
            return Err(self.form(expected));
        };
        let words = text_of(amount);
        let rate = if let Some(rate) = rate_of_job(words, self.settings) {
            rate?
        } else if let Ok(rate) = words.parse() {
            rate
        } else {
            return Err(self.form(expected));
        };
        let node = self.find(path.trim_ascii())?;
        Ok((node, rate))
    }
}

/// Returns the error for a moment that is over.
fn past(moment: &str) -> LanguageError {
    LanguageError::Past(shown(moment.as_bytes()))
}

/// Returns a text without blanks around it; an empty one if it is not UTF-8.
fn text_of(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default().trim()
}

/// Reads a duration as people write it.
fn duration(text: &str) -> Result<u64, DurationError> {
    seconds_of(text, DurationForm::Common)
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
        match scheduler {
            Some(Scheduler::Pbs) => match self {
                Self::Cores => "ncpus",
                Self::Nodes => "nodect",
                Self::Gpus => "ngpus",
            },
            _ => match self {
                Self::Cores if scheduler == Some(Scheduler::Slurm) => "cpus",
                Self::Cores => "cores",
                Self::Nodes => "nodes",
                Self::Gpus => "gpus",
            },
        }
    }
}

/// Reads `64 cores`, `4 nodes`: the charge per second of a job that holds so many for a day. `None` for other texts.
fn rate_of_job(text: &str, settings: &Settings) -> Option<Result<f64, JobError>> {
    let (number, word) = text.split_once(char::is_whitespace)?;
    let held = Held::named(word.trim())?;
    let name = held.name(settings.scheduler);
    let count: f64 = number.parse().ok()?;
    let day = f64::from(DAY);
    let job = if settings.scheduler == Some(Scheduler::Pbs) {
        // All of its cores count as busy.
        let busy = match held {
            Held::Cores => count * day,
            Held::Nodes | Held::Gpus => 0.0,
        };
        format!("{name}={count} cput={busy} walltime={DAY}")
    } else {
        format!("{name}={count} time={DAY}")
    };
    match job_usage(&job, settings) {
        Ok(usage) => Some(Ok(usage / day)),
        Err(error) => Some(Err(error)),
    }
}
