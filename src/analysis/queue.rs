//! The jobs that wait: each with its place, compared with its parts and with the fairshare of a tree, and the priority and
//! place that it gets at the next calculation.
//!
//! The part of fairshare is the factor of the job's association × `PriorityWeightFairShare`. At the next calculation age is
//! one `PriorityCalcPeriod` more, and the factor is that of the tree with its edits. Why one job is behind another is the
//! difference of their priorities, by parts.

mod priority;

pub use priority::{Part, Parts};

use crate::base::nearest::unknown_of;
use crate::base::shown::{Shown, shown};
use crate::format::slurm::companion::{JobLabel, UsersByName};
use crate::format::slurm::companions::Companions;
use crate::format::slurm::sprio::{AGE, FAIR_SHARE, PARTS, TRES, WaitingJob};
use crate::format::slurm::squeue::ListedJob;
use crate::format::{LoadError, OnProgress, Problems};
use crate::model::{Fact, NodeId, PriorityWeights};
use crate::open::waiting::{self, GivenOutputs};
use crate::rules::policy::Evaluation;
use crate::scenario::Scenario;
use priority::{cut, or_else, parts, rest, sum, uncut};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::{array, ptr};

/// The jobs that wait, by priority.
#[derive(Debug)]
pub struct Queue {
    /// The jobs, the highest priority first; those of one priority in the order of the file.
    pub jobs: Vec<QueuedJob>,
    /// The jobs that wait without a place: those of `squeue` that `sprio` does not list.
    pub unlisted: Vec<ListedJob>,
    /// `PriorityWeightFairShare`; `None` if neither the source nor `sprio -w` tells it.
    pub weight: Option<u32>,
    /// Whether the tree has edits, so that jobs may get another place.
    pub has_edits: bool,
    /// Whether `squeue` tells why jobs wait.
    pub knows_reasons: bool,
    /// How many jobs are left out, because their lines cannot be read.
    pub left_out: usize,
    /// Whether priorities never fall: `INCR_ONLY`.
    pub only_rises: bool,
}

/// Where a job is in the queue.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// From 1; jobs of one priority have the same place.
    pub place: usize,
    /// The priority in points.
    pub priority: i64,
    /// The parts of the priority.
    pub parts: Parts,
}

impl Standing {
    /// Returns the points of a part, or `None` if they are not known.
    pub(crate) fn points(&self, part: usize) -> Option<f64> {
        self.parts[part].map(|it| it.points)
    }
}

/// A job in the queue.
#[derive(Debug)]
pub struct QueuedJob {
    /// The job as it was printed.
    pub job: WaitingJob,
    /// Its association in the tree; `None` if it has none, or if the names that are printed leave several.
    pub node: Option<NodeId>,
    /// Its place by the priority that was printed, else by the computed one.
    pub now: Standing,
    /// The priority of its parts, or itself if it was set by hand; `None` where the parts are not all known.
    pub priority_computed: Option<i64>,
    /// Whether the priority is that of its parts, as far as their rounding lets it be told; `None` for a priority set by
    /// hand, and where it cannot be told.
    pub is_sum: Option<bool>,
    /// Whether it is exactly the sum of factor × weight; `None` also where factors or weights are not known.
    pub is_exact: Option<bool>,
    /// The points of fairshare by the factor that the scheduler printed, else by the computed one; `None` without
    /// association or weight.
    pub fair_share: Option<f64>,
    /// Whether these are the points that `sprio` printed; `None` where one of them is not known.
    pub is_fair_share: Option<bool>,
    /// Its place at the next calculation.
    pub next: Standing,
    /// Whether the tree tells the fairshare of the next calculation; if not, it stays as it is.
    pub is_next_told: bool,
    /// Slurm's reason why the job waits; `None` without `squeue`.
    pub reason: Option<Vec<u8>>,
    /// What `squeue` calls it: `190_[0-20%4]`, `192+1`; `None` without it.
    pub listed: Option<JobLabel>,
    /// Whether Slurm goes by another priority than `sprio` computes, because priorities never fall.
    pub is_kept: bool,
}

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
    /// Reads outputs of `sprio` and `squeue`, or those that were found with the tree of a scenario; orders the jobs, and finds
    /// the association of each. Also returns what is odd about the outputs.
    pub fn read(
        scenario: &Scenario,
        given: GivenOutputs<'_>,
        found: &Companions,
        report: OnProgress<'_>,
    ) -> Result<(Self, Problems), QueueError> {
        let scheduler = scenario.settings().scheduler;
        let read = waiting::read(given, found, scheduler, report)?;
        let of_sprio = read.waiting;
        let of_squeue = read.listed;
        let mut problems = of_sprio.problems;
        problems.append(of_squeue.problems);
        let listed = of_squeue.jobs.iter().map(|it| (it.label.number(), it));
        let listed: HashMap<Cow<'_, str>, &ListedJob> = listed.collect();
        let only_rises = scenario.base().settings.slurm.only_rises;
        let computing = Computing::of(scenario, &of_sprio.weights.unwrap_or_default());
        let mut jobs = Vec::new();
        for mut job in of_sprio.jobs.into_iter().flatten() {
            let listed = listed.get(&*job.label.id);
            if let Some(listed) = listed {
                job.label.fill(&listed.label);
            }
            let mut queued = computing.queued(job).ok_or(QueueError::UnknownWeights)?;
            if let Some(listed) = listed {
                queued.reason.clone_from(&listed.reason);
                queued.listed = Some(listed.label.clone());
                if only_rises {
                    queued.keep(listed);
                }
            }
            jobs.push(queued);
        }
        jobs.sort_by_key(|it| Reverse(it.now.priority));
        set_places(&mut jobs, |it| &mut it.now);
        set_places(&mut jobs, |it| &mut it.next);
        let known: HashSet<&str> = jobs.iter().map(|it| &*it.job.label.id).collect();
        let knows_reasons = !of_squeue.jobs.is_empty();
        let mut unlisted = of_squeue.jobs;
        unlisted.retain(|it| !known.contains(&*it.label.number()));
        let queue = Self {
            jobs,
            unlisted,
            weight: computing.weights.fair_share(),
            has_edits: !scenario.history().is_untouched(),
            knows_reasons,
            left_out: of_sprio.left_out + of_squeue.left_out,
            only_rises,
        };
        Ok((queue, problems))
    }

    /// Returns whether the next calculation gives other places for a reason that is known: edits, or shares and usage that are
    /// newer than the priorities.
    pub fn is_ahead(&self) -> bool {
        let is_other = |it: &QueuedJob| {
            let parts = it.next.parts[FAIR_SHARE].zip(it.now.parts[FAIR_SHARE]);
            parts
                .is_some_and(|(next, now)| (next.points - now.points).abs() > 1.0 + 2.0 * now.slack)
        };
        self.has_edits || self.jobs.iter().any(is_other)
    }

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
        jobs.sort_by_key(|it| Reverse(standing(it).place));
        let standings = jobs.map(standing);
        let [own, before] = standings;
        // A priority that was set by hand has no parts, and one that was kept has others.
        let are_sums = jobs.iter().all(|it| !it.job.is_by_hand() && !it.is_kept);
        let more = |part: usize| Some(before.parts[part]?.points - own.parts[part]?.points);
        let parts = array::from_fn(|part| more(part).filter(|_| are_sums));
        let difference = if are_sums && jobs.iter().all(|it| it.is_sum == Some(true)) {
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
            is_in && it.listed.as_ref().unwrap_or(label).is_called(id)
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
        if let Some(listed) = self.unlisted.iter().find(|it| it.label.is_called(id)) {
            let reason = listed.reason.as_deref().unwrap_or(b"not printed");
            return Err(QueueError::Unlisted(listed.label.id.clone(), shown(reason)));
        }
        let names: Vec<&str> = self.jobs.iter().map(|it| &*it.job.label.id).collect();
        let error = |accepted| QueueError::Unknown(unknown_of("job", name, &names, accepted));
        Err(error("one of the jobs that sprio lists"))
    }
}

impl QueuedJob {
    /// Returns the priority at the next calculation, or `None` where nothing tells the points of fairshare.
    pub fn told_next_priority(&self) -> Option<i64> {
        let is_told = self.is_next_told && !self.job.is_by_hand();
        is_told.then_some(self.next.priority)
    }

    /// Takes over the priority of `squeue`, by which Slurm goes: one for all partitions of the job.
    fn keep(&mut self, listed: &ListedJob) {
        if let Some(kept) = listed.priority {
            self.is_kept = kept != self.now.priority;
            self.now.priority = kept;
        }
        self.next.priority = self.next.priority.max(self.now.priority);
    }

    /// Returns the part of the priority that is fairshare, or `None` without the points.
    pub(crate) fn fair_share_part(&self) -> Option<f64> {
        let points = self.now.points(FAIR_SHARE)?;
        Some(points / self.now.priority.max(1) as f64)
    }
}

/// What the numbers of every job are computed with.
struct Computing<'a> {
    scenario: &'a Scenario,
    weights: PriorityWeights,
    next_weights: PriorityWeights,
    users: UsersByName<'a>,
}

impl<'a> Computing<'a> {
    fn of(scenario: &'a Scenario, others: &PriorityWeights) -> Self {
        Self {
            scenario,
            weights: or_else(&scenario.base().settings.slurm.weights, others),
            next_weights: or_else(&scenario.settings().slurm.weights, others),
            users: UsersByName::of(&scenario.base().tree),
        }
    }

    /// Returns a job with its numbers, or `None` if its priority does not follow from what is printed.
    fn queued(&self, job: WaitingJob) -> Option<QueuedJob> {
        let (scenario, base) = (self.scenario, self.scenario.base());
        let mut parts = parts(&job, &self.weights);
        parts[TRES] = parts[TRES].or_else(|| rest(&job, &parts));
        let sum = sum(&job, &parts);
        let uncut = uncut(&job, sum.as_ref())?;
        let priority = job.priority.unwrap_or_else(|| cut(uncut));
        let is_by_hand = job.is_by_hand();
        let by_hand = is_by_hand.then_some(priority);
        let node = self.users.association(&job.label);
        let factor = |of: &Evaluation| of.number(scenario.policy().factor_column(), node?);
        let points = |factor: f64| Some(f64::from(self.weights.fair_share()?) * factor);
        let printed = node.and_then(|node| base.recorded.figure(Fact::FairShare, node));
        let slack = printed.and_then(|it| points(it.half_unit())).unwrap_or(0.0);
        let of_tree = printed
            .map(|it| it.value)
            .or_else(|| factor(scenario.baseline()));
        let fair_share = of_tree.and_then(points);
        let stated = fair_share.zip(parts[FAIR_SHARE].filter(|_| !is_by_hand));
        let is_fair_share =
            stated.map(|(points, it)| (points - it.points).abs() <= it.slack + slack);
        let (next_parts, is_next_told) = self.next(&job, &parts, factor(scenario.evaluation()));
        // The tree tells the points of fairshare better than they are printed.
        let rounding = stated.filter(|(_, it)| is_fair_share == Some(true) && !it.is_exact);
        let rounding = rounding.map_or(0.0, |(points, it)| points - it.points);
        let total = |parts: &Parts| parts.iter().flatten().map(|it| it.points).sum::<f64>();
        let next = cut(uncut + total(&next_parts) - total(&parts) - rounding);
        let standing = |priority, parts| Standing {
            place: 0,
            priority,
            parts,
        };
        Some(QueuedJob {
            node,
            now: standing(priority, parts),
            priority_computed: sum.map(|it| cut(it.points)).or(by_hand),
            is_sum: sum.and_then(|it| it.is_priority),
            is_exact: sum.and_then(|it| it.is_exact),
            fair_share,
            is_fair_share,
            next: standing(next, next_parts),
            is_next_told,
            reason: None,
            listed: None,
            is_kept: false,
            job,
        })
    }

    /// Returns the parts at the next calculation, under the weights and by a factor of the scenario, with age one period on;
    /// and whether the factor tells fairshare.
    fn next(&self, job: &WaitingJob, parts: &Parts, factor: Option<f64>) -> (Parts, bool) {
        if job.is_by_hand() {
            return (*parts, true);
        }
        let weights = &self.next_weights;
        let mut next = self::parts(job, weights);
        next[TRES] = next[TRES].or(parts[TRES]);
        let settings = &self.scenario.settings().slurm;
        if let (Some(age), Some(weight)) = (&mut next[AGE], weights.factors[AGE - 1]) {
            let (weight, most) = (f64::from(weight), f64::from(settings.max_age));
            let aged = age.points + f64::from(settings.calc_period) / most * weight;
            age.points = aged.min(age.points.max(weight));
        }
        let known = parts[FAIR_SHARE].and(factor);
        let fair_share = known.zip(weights.fair_share());
        if let Some((factor, weight)) = fair_share {
            next[FAIR_SHARE] = Some(Part::exact(f64::from(weight) * factor, 0.0));
        }
        (next, fair_share.is_some())
    }
}

/// Gives each job its place: one more than how many have a higher priority.
fn set_places(jobs: &mut [QueuedJob], standing: fn(&mut QueuedJob) -> &mut Standing) {
    let mut sorted: Vec<i64> = jobs.iter_mut().map(|it| standing(it).priority).collect();
    sorted.sort_unstable_by_key(|it| Reverse(*it));
    for it in jobs.iter_mut().map(standing) {
        it.place = sorted.partition_point(|&other| other > it.priority) + 1;
    }
}
