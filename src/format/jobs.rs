//! Jobs that ran, from whatever a scheduler lists them in: who is charged for each, when, and how much a second.

use super::problem::Problems;
use crate::base::number::DAY;
use crate::base::shown::{Shown, sentence};
use crate::model::{LAST_MOMENT, NodeId, Snapshot, date_of};
use jiff::tz::TimeZone;
use std::sync::Arc;

/// A job that ran, or one run of a job that was put back into the queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RanJob {
    /// The association that is charged.
    pub node: NodeId,
    /// When it began, in Unix seconds.
    pub from: i64,
    /// When it ended, in Unix seconds, not before it began; `i64::MAX` if it still runs.
    pub until: i64,
    /// The moment from which it is charged, in Unix seconds, though not before the last calculation before `from`. It is
    /// earlier than `from` where Slurm charges the time before that, too.
    pub since: i64,
    /// The units of usage that a second of it costs.
    pub rate: f64,
}

impl RanJob {
    /// Creates a job that is charged from its beginning on.
    pub(super) fn new(node: NodeId, from: i64, until: i64, rate: f64) -> Self {
        Self {
            node,
            from,
            until,
            since: from,
            rate,
        }
    }
}

/// How much later than its sources a job may be, in seconds: a year.
pub(crate) const LATEST: i64 = 366 * DAY as i64;

/// The time after which the date of a job is wrong: a typing error, or another unit than seconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct LatestDate {
    /// The date of the tree or of the file of jobs, whichever is later, in Unix seconds; `None` if both are unknown.
    known: Option<i64>,
}

impl LatestDate {
    /// Returns the latest date of the jobs of a tree and a file that have these dates, in Unix seconds.
    pub fn after(tree: Option<i64>, file: Option<i64>) -> Self {
        match tree.max(file) {
            Some(latest) if latest > LATEST => Self {
                known: Some(latest),
            },
            // Files that were stored without their dates have one in 1970.
            _ => Self { known: None },
        }
    }

    /// Returns whether a date is too far beyond those of the sources, or beyond the year 9999.
    pub fn excludes(self, moment: i64) -> bool {
        let latest = match self.known {
            Some(known) => known.saturating_add(LATEST).min(LAST_MOMENT),
            None => LAST_MOMENT,
        };
        moment > latest
    }

    /// Returns what is wrong with such a date.
    pub(super) fn refusal(self, moment: i64) -> Shown {
        let written = match date_of(moment) {
            Some(date) => sentence!("it is dated {}", date.date()),
            None => "it is dated past the year 9999".into(),
        };
        match self.known.and_then(date_of) {
            Some(known) => sentence!(
                "{written}, more than a year after its file and the tree, the later of which is dated {}",
                known.date()
            ),
            None => written,
        }
    }
}

/// An entity of PBS that `resource_group` lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stranger {
    /// Its name.
    pub name: Vec<u8>,
    /// The places of its jobs.
    pub jobs: Vec<usize>,
}

/// The jobs of a file.
#[derive(Clone, Debug, Default)]
pub struct RanJobs {
    /// The jobs that are charged, in the order of the file.
    pub jobs: Vec<RanJob>,
    /// The entities that the tree lacks, which PBS adds below its group `unknown`, to whose node their jobs are.
    pub strangers: Vec<Stranger>,
    /// What was odd: lines that cannot be read, users who are not in the tree.
    pub problems: Problems,
}

impl RanJobs {
    /// Returns the moment at which the first one began, in Unix seconds; `None` without jobs.
    pub fn first(&self) -> Option<i64> {
        self.jobs.iter().map(|job| job.from).min()
    }

    /// Returns the last moment at which one began or ended, in Unix seconds; `None` without jobs.
    pub fn last(&self) -> Option<i64> {
        let mut last = None;
        for job in &self.jobs {
            let is_running = job.until == i64::MAX;
            let known = if is_running { job.from } else { job.until };
            last = last.max(Some(known));
        }
        last
    }
}

/// The moments at which the usage that jobs gave a tree is asked for. By default that is the last one in their file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// The first of several, in Unix seconds; `None` without an interval asks for the last one alone.
    pub from: Option<i64>,
    /// The last one; `None` is the last moment in the file.
    pub until: Option<i64>,
    /// The seconds from one to the next; `None` is a day where there are several.
    pub every: Option<u64>,
    /// Whether jobs are charged in addition to the usage of the source, since its date.
    pub adds_usage: bool,
    /// Whether jobs of users who are not in the tree are refused.
    pub is_strict: bool,
    /// The time zone of local times in the file; `None` is UTC.
    pub zone: Option<TimeZone>,
    /// The tree, if it was already computed.
    pub computed: Option<Computed>,
}

impl History {
    /// Returns the time zone of local times.
    pub(crate) fn zone(&self) -> TimeZone {
        self.zone.clone().unwrap_or(TimeZone::UTC)
    }
}

/// A tree with the usage that jobs gave it. Two are equal if they are clones of one.
#[derive(Clone, Debug)]
pub struct Computed(pub Arc<Snapshot>);

impl PartialEq for Computed {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Computed {}
