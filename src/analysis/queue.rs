//! The jobs that wait: each with its place, compared with its parts and with the fairshare of a tree, and the priority and
//! place that it gets at the next calculation.
//!
//! The part of fairshare is the factor of the job's association × `PriorityWeightFairShare`. At the next calculation age is
//! one `PriorityCalcPeriod` more, and the factor is that of the tree with its edits. Why one job is behind another is the
//! difference of their priorities, by parts.

mod job;
mod overtakes;
mod priority;

pub use job::{Gap, JobAnswer, UserRank, WaitingRank};
pub use overtakes::{Aging, MissingAge, Overtake, Overtakes, Pass, PassMoment, PassTime};
pub use priority::{Part, Parts};

use crate::base::shown::{Shown, sentence, shown};
use crate::format::slurm::companion::{JobLabel, UsersByName};
use crate::format::slurm::companions::Companions;
use crate::format::slurm::sprio::{AGE, FAIR_SHARE, TRES, WaitingJob};
use crate::format::slurm::squeue::ListedJob;
use crate::format::{LoadError, OnProgress, Problems};
use crate::model::{Fact, NodeId, PriorityWeights};
use crate::open::waiting::{self, GivenOutputs};
use crate::rules::policy::Evaluation;
use crate::scenario::Scenario;
use priority::{cut, joined, parts, rest, sum, total, uncut};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

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
    /// What the jobs are called that `squeue` lists and that do not wait.
    pub others: Vec<JobLabel>,
    /// How many jobs are left out, because their lines cannot be read.
    pub left_out: usize,
    /// Whether priorities never fall: `INCR_ONLY`.
    pub only_rises: bool,
    /// How many users have a rank; `None` without a tree, where no job has an association.
    pub users: Option<usize>,
    /// How age raises priorities.
    pub aging: Aging,
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
    /// Returns the standing of a job that has no place yet.
    fn unplaced(priority: i64, parts: Parts) -> Self {
        Self {
            place: 0,
            priority,
            parts,
        }
    }

    /// Returns how many points a part has more than that of another one, or `None` if one of them is not known.
    fn more_points(&self, other: &Self, part: usize) -> Option<f64> {
        Some(self.points(part)? - other.points(part)?)
    }

    /// Returns the points of a part, or `None` if they are not known.
    pub(crate) fn points(&self, part: usize) -> Option<f64> {
        Some(self.parts[part]?.points)
    }

    /// Returns whether a part is known to give points.
    pub(crate) fn has_points(&self, part: usize) -> bool {
        self.points(part).unwrap_or(0.0) != 0.0
    }
}

/// A job where it is compared with others.
#[derive(Clone, Copy, Debug)]
pub struct ComparedJob<'a> {
    /// The job.
    pub job: &'a QueuedJob,
    /// Where it is; with edits, at the next calculation.
    pub standing: Standing,
}

/// A job in the queue.
#[derive(Debug)]
pub struct QueuedJob {
    /// The job as it was printed.
    pub job: WaitingJob,
    /// By what it is asked for: its number, with the partition where it is in several.
    pub name: Shown,
    /// Its association in the tree; `None` if it has none, or if the names that are printed leave several.
    pub node: Option<NodeId>,
    /// The rank of this association with the edits; `None` without association or rank.
    pub rank: Option<u32>,
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
    #[error(
        "job {0} does not wait: squeue lists it in another state than PENDING; name a job that waits"
    )]
    NotWaiting(Shown),
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
        let mut listed: HashMap<Cow<'_, str>, &ListedJob> = HashMap::new();
        for job in &of_squeue.jobs {
            listed.insert(job.label.number(), job);
        }
        let only_rises = scenario.base().settings.slurm.only_rises;
        let computing = Computing::of(scenario, &of_sprio.weights.unwrap_or_default());
        let mut jobs = Vec::new();
        for mut job in of_sprio.jobs.into_iter().flatten() {
            let own = listed.get(&*job.label.id);
            if let Some(listed) = own {
                job.label.fill(&listed.label);
            }
            let Some(mut queued) = computing.queued(job) else {
                return Err(QueueError::UnknownWeights);
            };
            if let Some(listed) = own {
                queued.reason.clone_from(&listed.reason);
                queued.listed = Some(listed.label.clone());
                if only_rises {
                    queued.keep(listed);
                }
            }
            jobs.push(queued);
        }
        jobs.sort_by_key(|queued| Reverse(queued.now.priority));
        set_places(&mut jobs);
        set_names(&mut jobs);
        let mut known: HashSet<&str> = HashSet::new();
        for queued in &jobs {
            known.insert(&queued.job.label.id);
        }
        let knows_reasons = !of_squeue.jobs.is_empty();
        let mut unlisted = of_squeue.jobs;
        unlisted.retain(|job| !known.contains(&*job.label.number()));
        let mut users = None;
        if !scenario.base().source.lacks_tree {
            users = Some(scenario.evaluation().user_count());
        }
        let queue = Self {
            jobs,
            unlisted,
            weight: computing.weights.fair_share(),
            has_edits: !scenario.history().is_untouched(),
            knows_reasons,
            others: of_squeue.others,
            left_out: of_sprio.left_out + of_squeue.left_out,
            only_rises,
            users,
            aging: computing.aging(),
        };
        Ok((queue, problems))
    }

    /// Returns whether the next calculation gives other places for a reason that is known: edits, or shares and usage that are
    /// newer than the priorities.
    pub fn is_ahead(&self) -> bool {
        self.has_edits || self.jobs.iter().any(QueuedJob::gets_other_fair_share)
    }

    /// Returns where a job is; with edits, at the next calculation.
    fn standing(&self, queued: &QueuedJob) -> Standing {
        if self.has_edits {
            queued.next
        } else {
            queued.now
        }
    }

    /// Returns a job with its standing.
    fn compared<'a>(&self, job: &'a QueuedJob) -> ComparedJob<'a> {
        ComparedJob {
            job,
            standing: self.standing(job),
        }
    }
}

impl QueuedJob {
    /// Returns the priority at the next calculation, or `None` where nothing tells the points of fairshare.
    pub fn told_next_priority(&self) -> Option<i64> {
        if self.is_next_told && !self.job.is_by_hand() {
            Some(self.next.priority)
        } else {
            None
        }
    }

    /// Returns whether fairshare gives other points at the next calculation, beyond rounding.
    fn gets_other_fair_share(&self) -> bool {
        let Some(now) = self.now.parts[FAIR_SHARE] else {
            return false;
        };
        let Some(next) = self.next.parts[FAIR_SHARE] else {
            return false;
        };
        let difference = next.points - now.points;
        difference.abs() > 1.0 + 2.0 * now.slack
    }

    /// Returns whether its parts can be compared: a priority that was set by hand has none, and one that was kept has others.
    fn is_comparable(&self) -> bool {
        !self.job.is_by_hand() && !self.is_kept
    }

    /// Returns whether its priority is known to be the sum of its parts.
    fn is_sum_of_parts(&self) -> bool {
        self.is_comparable() && self.is_sum == Some(true)
    }

    /// Returns whether it has that number, and is in that partition. An empty partition is any.
    fn is_called(&self, id: &str, partition: &str) -> bool {
        let label = &self.job.label;
        let is_in = label.partition.as_deref() == Some(partition.as_bytes());
        if !partition.is_empty() && !is_in {
            return false;
        }
        match &self.listed {
            Some(listed) => listed.is_called(id),
            None => label.is_called(id),
        }
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

/// The parts of a priority at the next calculation.
struct NextParts {
    parts: Parts,
    /// Whether a factor tells fairshare.
    is_told: bool,
}

/// The points of fairshare by the tree.
struct FairSharePoints {
    points: f64,
    /// The most by which Slurm's own may differ.
    slack: f64,
}

impl FairSharePoints {
    /// Returns whether these are the points that were printed, as far as rounding lets it be told.
    fn are(&self, printed: Part) -> bool {
        let difference = self.points - printed.points;
        difference.abs() <= printed.slack + self.slack
    }
}

impl<'a> Computing<'a> {
    /// Takes the weights of the source and of the scenario, and others where they are not known.
    fn of(scenario: &'a Scenario, others: &PriorityWeights) -> Self {
        Self {
            scenario,
            weights: joined(&scenario.base().settings.slurm.weights, others),
            next_weights: joined(&scenario.settings().slurm.weights, others),
            users: UsersByName::of(&scenario.base().tree),
        }
    }

    /// Returns a job with its numbers, or `None` if its priority does not follow from what is printed.
    fn queued(&self, job: WaitingJob) -> Option<QueuedJob> {
        let mut parts = parts(&job, &self.weights);
        if parts[TRES].is_none() {
            parts[TRES] = rest(&job, &parts);
        }
        let sum = sum(&job, &parts);
        let uncut = uncut(&job, sum)?;
        let priority = match job.priority {
            Some(priority) => priority,
            None => cut(uncut),
        };
        let mut priority_computed = sum.map(|sum| cut(sum.points));
        if job.is_by_hand() {
            priority_computed = Some(priority);
        }
        let node = self.users.association(&job.label);
        let fair_share = self.fair_share(node);
        let mut is_fair_share = None;
        let mut rounding = 0.0;
        if let Some(own) = &fair_share
            && let Some(printed) = parts[FAIR_SHARE]
            && !job.is_by_hand()
        {
            let is_printed = own.are(printed);
            is_fair_share = Some(is_printed);
            if is_printed && !printed.is_exact {
                // The tree tells the points of fairshare better than they are printed.
                rounding = own.points - printed.points;
            }
        }
        let next = self.next(&job, &parts, node);
        let next_priority = cut(uncut + total(&next.parts) - total(&parts) - rounding);
        let rank = match node {
            Some(node) => self.scenario.evaluation().rank(node),
            None => None,
        };
        Some(QueuedJob {
            node,
            rank,
            now: Standing::unplaced(priority, parts),
            priority_computed,
            is_sum: sum.and_then(|sum| sum.is_priority),
            is_exact: sum.and_then(|sum| sum.is_exact),
            fair_share: fair_share.map(|own| own.points),
            is_fair_share,
            next: Standing::unplaced(next_priority, next.parts),
            is_next_told: next.is_told,
            reason: None,
            listed: None,
            is_kept: false,
            name: job.label.id.clone(),
            job,
        })
    }

    /// Returns the factor of an association, or `None` if it has none.
    fn factor(&self, evaluation: &Evaluation, node: Option<NodeId>) -> Option<f64> {
        let column = self.scenario.policy().factor_column();
        evaluation.number(column, node?)
    }

    /// Returns the points of fairshare by the factor that the scheduler printed, else by the computed one; `None` without
    /// association or weight.
    fn fair_share(&self, node: Option<NodeId>) -> Option<FairSharePoints> {
        let weight = f64::from(self.weights.fair_share()?);
        let recorded = &self.scenario.base().recorded;
        if let Some(printed) = recorded.figure(Fact::FairShare, node?) {
            return Some(FairSharePoints {
                points: weight * printed.value,
                slack: weight * printed.half_unit(),
            });
        }
        let factor = self.factor(self.scenario.baseline(), node)?;
        Some(FairSharePoints {
            points: weight * factor,
            slack: 0.0,
        })
    }

    /// Returns the parts at the next calculation, under the weights and by a factor of the scenario, with age one period on.
    fn next(&self, job: &WaitingJob, parts: &Parts, node: Option<NodeId>) -> NextParts {
        if job.is_by_hand() {
            return NextParts {
                parts: *parts,
                is_told: true,
            };
        }
        let weights = &self.next_weights;
        let mut next = NextParts {
            parts: priority::parts(job, weights),
            is_told: false,
        };
        if next.parts[TRES].is_none() {
            next.parts[TRES] = parts[TRES];
        }
        if let Some(age) = &mut next.parts[AGE]
            && let Some(weight) = weights.factors[AGE - 1]
        {
            age.points = self.aged(age.points, f64::from(weight));
        }
        if let Some(factor) = self.factor(self.scenario.evaluation(), node)
            && let Some(weight) = weights.fair_share()
            && parts[FAIR_SHARE].is_some()
        {
            let points = f64::from(weight) * factor;
            next.parts[FAIR_SHARE] = Some(Part::exact(points, 0.0));
            next.is_told = true;
        }
        next
    }

    /// Returns how age raises priorities under the settings of the scenario, as far as the source tells them.
    fn aging(&self) -> Aging {
        let base = &self.scenario.base().settings.slurm;
        let settings = &self.scenario.settings().slurm;
        let weight = self.next_weights.factors[AGE - 1];
        let is_max_age_known = !self.scenario.base().source.lacks_settings
            || settings.weights.factors[AGE - 1].is_some();
        let is_edited = self.weights.factors[AGE - 1] != weight || base.max_age != settings.max_age;
        Aging {
            weight,
            max_age: is_max_age_known.then_some(settings.max_age),
            period: settings.calc_period,
            is_edited,
        }
    }

    /// Returns the points of age after one more period, up to those of `PriorityMaxAge`.
    fn aged(&self, points: f64, weight: f64) -> f64 {
        let settings = &self.scenario.settings().slurm;
        let most = f64::from(settings.max_age);
        let aged = points + f64::from(settings.calc_period) / most * weight;
        aged.min(points.max(weight))
    }
}

/// Gives each job its place, now and at the next calculation.
fn set_places(jobs: &mut [QueuedJob]) {
    let mut now = Vec::new();
    let mut next = Vec::new();
    for queued in jobs.iter() {
        now.push(queued.now.priority);
        next.push(queued.next.priority);
    }
    now.sort_unstable();
    next.sort_unstable();
    for queued in jobs {
        queued.now.place = place(&now, queued.now.priority);
        queued.next.place = place(&next, queued.next.priority);
    }
}

/// Adds the partition to the names of jobs that are in several.
fn set_names(jobs: &mut [QueuedJob]) {
    let mut counts: HashMap<Shown, u32> = HashMap::new();
    for queued in jobs.iter() {
        *counts.entry(queued.name.clone()).or_default() += 1;
    }
    for queued in jobs {
        if counts[&queued.name] > 1
            && let Some(partition) = &queued.job.label.partition
        {
            queued.name = sentence!("{}/{}", queued.name, shown(partition));
        }
    }
}

/// Returns the place of a priority among all of them, which rise: one more than how many are higher.
fn place(priorities: &[i64], priority: i64) -> usize {
    let end = priorities.partition_point(|&other| other <= priority);
    priorities.len() - end + 1
}
