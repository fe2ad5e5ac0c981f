//! One job of the queue: the gaps to the jobs before it, the rank of its user, and the jobs that it passes.

use super::overtakes::{Overtake, Overtakes};
use super::{ComparedJob, Queue, QueueError, QueuedJob};
use crate::base::nearest::unknown_of;
use crate::base::shown::{Shown, shown};
use crate::format::slurm::sprio::PARTS;
use crate::model::NodeId;
use std::collections::HashMap;
use std::{mem, ptr};

/// How far a job is behind one that is before it.
#[derive(Debug)]
pub struct Gap<'a> {
    /// The job before.
    pub before: ComparedJob<'a>,
    /// How many points each part gives the job before more; `None` where it is not known for both.
    pub parts: [Option<f64>; PARTS.len()],
    /// How many points more it has: the difference of the sums before they are cut, or of the priorities where a part is not
    /// known.
    pub difference: f64,
}

impl Gap<'_> {
    /// Returns the portion of the difference that a part makes, by its place among [`PARTS`], negative where it makes it
    /// smaller; `None` if the part is not known, or if there is no difference.
    pub(crate) fn portion(&self, part: usize) -> Option<f64> {
        let portion = self.parts[part]? / self.difference;
        if portion.is_finite() {
            return Some(portion);
        }
        None
    }
}

/// The rank of a user among all of the tree, and among those who wait.
#[derive(Clone, Copy, Debug)]
pub struct UserRank {
    /// The rank in the tree, from 1.
    pub rank: u32,
    /// How many users have a rank.
    pub users: usize,
    /// The rank among the users of the queue; `None` if the user of some job is not known.
    pub waiting: Option<WaitingRank>,
}

/// A rank among the users whose jobs have a place in the queue.
#[derive(Clone, Copy, Debug)]
pub struct WaitingRank {
    /// One more than how many of these users have a better rank.
    pub rank: usize,
    /// How many users have jobs in the queue.
    pub users: usize,
}

/// What there is to say of one job.
#[derive(Debug)]
pub struct JobAnswer<'a> {
    /// The job; of two that are compared the one that is behind.
    pub own: ComparedJob<'a>,
    /// How many jobs have a place.
    pub jobs: usize,
    /// How many jobs are left out, because their lines cannot be read.
    pub left_out: usize,
    /// How many other jobs have the same priority.
    pub equals: usize,
    /// The gap to the first job of the queue; `None` if no job has a higher priority.
    pub to_first: Option<Gap<'a>>,
    /// The gap to the job that it is compared with; `None` if it is first and was not compared with another one.
    pub behind: Option<Gap<'a>>,
    /// Whether it passes that job with time, and when; `None` without one.
    pub overtake: Option<Overtake>,
    /// The rank of its user; `None` without tree, association or rank.
    pub rank: Option<UserRank>,
    /// The jobs before it that it passes with time.
    pub overtakes: Overtakes<'a>,
    /// Whether there is a tree, which tells ranks.
    pub has_tree: bool,
    /// Whether these are the numbers of the next calculation, after edits.
    pub has_edits: bool,
}

impl Queue {
    /// Returns what there is to say of a job, compared with another one, or with the one just before it. Jobs are named by
    /// their number, and by number and partition as in `12/batch` where they are in several. With edits the next
    /// calculation counts.
    pub fn job_answer(
        &self,
        name: &str,
        other: Option<&Shown>,
    ) -> Result<JobAnswer<'_>, QueueError> {
        let mut own = self.job(name)?;
        let mut compared = match other {
            Some(other) => Some(self.job(other)?),
            None => self.job_before(own),
        };
        if let Some(other) = &mut compared {
            if ptr::eq(own, *other) {
                return Err(QueueError::Same(own.name.clone()));
            }
            if self.standing(other).place > self.standing(own).place {
                mem::swap(&mut own, other);
            }
        }
        let mut behind = None;
        let mut overtake = None;
        if let Some(before) = compared {
            behind = Some(self.gap(own, before));
            overtake = Some(self.overtake(own, before));
        }
        Ok(JobAnswer {
            own: self.compared(own),
            jobs: self.jobs.len(),
            left_out: self.left_out,
            equals: self.equals(own),
            to_first: self.gap_to_first(own),
            behind,
            overtake,
            rank: self.user_rank(own),
            overtakes: self.overtakes(own),
            has_tree: self.users.is_some(),
            has_edits: self.has_edits,
        })
    }

    /// Returns how far a job is behind another one.
    fn gap<'a>(&self, own: &QueuedJob, before: &'a QueuedJob) -> Gap<'a> {
        let own_standing = self.standing(own);
        let standing = self.standing(before);
        let mut parts = [None; PARTS.len()];
        if own.is_comparable() && before.is_comparable() {
            for (part, more) in parts.iter_mut().enumerate() {
                *more = standing.more_points(&own_standing, part);
            }
        }
        let difference = if own.is_sum_of_parts() && before.is_sum_of_parts() {
            parts.iter().flatten().sum()
        } else {
            (standing.priority - own_standing.priority) as f64
        };
        Gap {
            before: self.compared(before),
            parts,
            difference,
        }
    }

    /// Returns how far a job is behind the first one; `None` if no job has a higher priority.
    fn gap_to_first(&self, own: &QueuedJob) -> Option<Gap<'_>> {
        if self.standing(own).place == 1 {
            return None;
        }
        for first in &self.jobs {
            if self.standing(first).place == 1 {
                return Some(self.gap(own, first));
            }
        }
        None
    }

    /// Counts the other jobs of the same priority.
    fn equals(&self, own: &QueuedJob) -> usize {
        let place = self.standing(own).place;
        let mut equals = 0;
        for other in &self.jobs {
            if self.standing(other).place == place && !ptr::eq(other, own) {
                equals += 1;
            }
        }
        equals
    }

    /// Returns the job just before another one: of those of one place the last. `None` if there is none.
    fn job_before(&self, job: &QueuedJob) -> Option<&QueuedJob> {
        let end = self.standing(job).place;
        let mut last: Option<&QueuedJob> = None;
        let mut last_place = 0;
        for other in &self.jobs {
            let place = self.standing(other).place;
            if place < end && place >= last_place {
                last = Some(other);
                last_place = place;
            }
        }
        last
    }

    /// Returns the rank of a job's user; `None` without association or rank.
    fn user_rank(&self, job: &QueuedJob) -> Option<UserRank> {
        let rank = job.rank?;
        Some(UserRank {
            rank,
            users: self.users?,
            waiting: self.waiting_rank(rank),
        })
    }

    /// Returns the place of a rank among those of the users of the queue; `None` if a job has none or is left out,
    /// for its user may be before or behind.
    fn waiting_rank(&self, rank: u32) -> Option<WaitingRank> {
        if self.left_out > 0 {
            return None;
        }
        let mut ranks: HashMap<NodeId, u32> = HashMap::new();
        for job in &self.jobs {
            ranks.insert(job.node?, job.rank?);
        }
        let mut better = 0;
        for &other in ranks.values() {
            if other < rank {
                better += 1;
            }
        }
        Some(WaitingRank {
            rank: better + 1,
            users: ranks.len(),
        })
    }

    /// Finds a job by its number, or by number and partition. Fails if none or several are named so, or if it has no place.
    fn job(&self, name: &str) -> Result<&QueuedJob, QueueError> {
        let (id, partition) = name.split_once('/').unwrap_or((name, ""));
        let mut found: Option<&QueuedJob> = None;
        for queued in &self.jobs {
            if !queued.is_called(id, partition) {
                continue;
            }
            if let Some(first) = found {
                let label = &first.job.label;
                let partition = label.partition.as_deref().unwrap_or_default();
                return Err(QueueError::Several(label.id.clone(), shown(partition)));
            }
            found = Some(queued);
        }
        match found {
            Some(queued) => Ok(queued),
            None => Err(self.why_unknown(name, id)),
        }
    }

    /// Returns why no job of that name has a place.
    fn why_unknown(&self, name: &str, id: &str) -> QueueError {
        for listed in &self.unlisted {
            if listed.label.is_called(id) {
                let reason = listed.reason.as_deref().unwrap_or(b"not printed");
                return QueueError::Unlisted(listed.label.id.clone(), shown(reason));
            }
        }
        for other in &self.others {
            if other.is_called(id) {
                return QueueError::NotWaiting(other.id.clone());
            }
        }
        let mut names: Vec<&str> = Vec::new();
        for queued in &self.jobs {
            names.push(&queued.job.label.id);
        }
        let expected = "expected the number of a job that sprio lists";
        QueueError::Unknown(unknown_of("job", name, &names, expected))
    }
}
