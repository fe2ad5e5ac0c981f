//! Jobs that ran, from whatever a scheduler lists them in: who is charged for each, when, and how much a second.

use super::problem::Problems;
use crate::model::NodeId;

/// A job that ran, or one run of a job that was put back into the queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RanJob {
    /// The association that is charged.
    pub node: NodeId,
    /// When it began, in Unix seconds.
    pub from: i64,
    /// When it ended, in Unix seconds, not before it began; `i64::MAX` if it still runs.
    pub until: i64,
    /// The units of usage that a second of it costs.
    pub rate: f64,
}

/// The jobs of a file.
#[derive(Clone, Debug, Default)]
pub struct RanJobs {
    /// The jobs that are charged, in the order of the file.
    pub jobs: Vec<RanJob>,
    /// The last moment at which one began or ended, in Unix seconds; `None` without jobs.
    pub last: Option<i64>,
    /// What was odd: lines that cannot be read, users who are not in the tree.
    pub problems: Problems,
}

impl RanJobs {
    /// Adds a job.
    pub(super) fn push(&mut self, job: RanJob) {
        let known = if job.until == i64::MAX {
            job.from
        } else {
            job.until
        };
        self.last = self.last.max(Some(known));
        self.jobs.push(job);
    }
}
