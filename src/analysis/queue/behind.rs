//! Why one job is behind another: the difference of their priorities, by parts.

use super::{Queue, QueuedJob, Standing};
use crate::base::nearest::unknown_of;
use crate::base::shown::{Shown, shown};
use crate::format::LoadError;
use crate::format::slurm::sprio::PARTS;
use std::{array, ptr};

/// A job and one that is before it.
#[derive(Debug)]
pub struct Behind<'a> {
    /// The job that is behind, and the job that is before it.
    pub jobs: [&'a QueuedJob; 2],
    /// Where they are; with edits, at the next calculation.
    pub standings: [Standing; 2],
    /// How many points each part gives the job before more; `None` where it is not known for both.
    pub parts: [Option<f64>; PARTS.len()],
    /// How many points more it has: the difference of the sums before they are cut, or of the priorities where a part is not
    /// known.
    pub difference: f64,
    /// Whether these are the numbers of the next calculation, after edits.
    pub has_edits: bool,
}

/// Why jobs cannot be ordered, or two of them not compared.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each variant says what it is")]
pub enum QueueError {
    #[error(
        "sprio prints factors without points, and the weights are not known; give --config FILE with scontrol show config, \
         or --sprio FILE with sprio -w"
    )]
    UnknownWeights,
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error("{0}")]
    Unknown(Shown),
    #[error("job {0} has no place, because sprio does not list it; Slurm's reason is {1}")]
    Unlisted(Shown, Shown),
    #[error("job {0} is in several partitions; name one as in {0}/{1}")]
    Several(Shown, Shown),
    #[error("job {0} is first in the queue; name another job to compare it with")]
    First(Shown),
    #[error("job {0} is named twice; name another one to compare it with")]
    Same(Shown),
}

impl Queue {
    /// Compares a job with another, or with the one just before it. Jobs are named by their number, and by number and
    /// partition as in `12/batch` where they are in several. With edits the next calculation counts.
    pub fn behind(&self, name: &str, other: Option<&str>) -> Result<Behind<'_>, QueueError> {
        let has_edits = self.has_edits;
        let standing = |it: &QueuedJob| if has_edits { it.next } else { it.now };
        let job = self.job(name)?;
        let id = || job.job.label.id.clone();
        let other = if let Some(other) = other {
            self.job(other)?
        } else {
            let before = self.jobs.iter();
            let before = before.filter(|it| standing(it).place < standing(job).place);
            let last = before.max_by_key(|it| standing(it).place);
            last.ok_or_else(|| QueueError::First(id()))?
        };
        if ptr::eq(job, other) {
            return Err(QueueError::Same(id()));
        }
        let mut jobs = [job, other];
        jobs.sort_by_key(|it| std::cmp::Reverse(standing(it).place));
        let standings = jobs.map(standing);
        let [own, before] = standings;
        // A priority that was set by hand has no parts.
        let are_sums = jobs.iter().all(|it| !it.job.is_by_hand());
        let more = |part: usize| Some(before.parts[part]?.points - own.parts[part]?.points);
        let parts = array::from_fn(|part| more(part).filter(|_| are_sums));
        let difference = if jobs.iter().all(|it| it.is_sum == Some(true)) {
            parts.iter().flatten().sum()
        } else {
            (before.priority - own.priority) as f64
        };
        Ok(Behind {
            jobs,
            standings,
            parts,
            difference,
            has_edits,
        })
    }

    fn job(&self, name: &str) -> Result<&QueuedJob, QueueError> {
        let (id, partition) = name.split_once('/').unwrap_or((name, ""));
        let is = |it: &&QueuedJob| {
            let label = &it.job.label;
            let is_in =
                partition.is_empty() || label.partition.as_deref() == Some(partition.as_bytes());
            *label.id == *id && is_in
        };
        let mut found = self.jobs.iter().filter(is);
        match (found.next(), found.next()) {
            (Some(job), None) => return Ok(job),
            (Some(job), Some(_)) => {
                let partition = job.job.label.partition.as_deref().unwrap_or_default();
                let id = job.job.label.id.clone();
                return Err(QueueError::Several(id, shown(partition)));
            }
            (None, _) => {}
        }
        if let Some(listed) = self.unlisted.iter().find(|it| it.label.number() == id) {
            let reason = listed.reason.as_deref().unwrap_or(b"not printed");
            return Err(QueueError::Unlisted(listed.label.id.clone(), shown(reason)));
        }
        let names: Vec<&str> = self.jobs.iter().map(|it| &*it.job.label.id).collect();
        let error = |accepted| QueueError::Unknown(unknown_of("job", name, &names, accepted));
        Err(error("one of the jobs that sprio lists"))
    }
}
