//! The jobs that wait: each with its place, compared with its parts and with the fairshare of a tree, and what edits of
//! the tree make of its place.
//!
//! Follows `_get_priority_internal` of `priority_multifactor.c`: the parts are added in doubles, and the sum is cut to a
//! whole number, 1 at least. The part of fairshare is the factor of the job's association × `PriorityWeightFairShare`.

use crate::format::slurm::sprio::{FAIR_SHARE, WaitingJob, printed};
use crate::model::{Fact, NodeId, Tree};
use crate::rules::policy::Evaluation;
use crate::scenario::Scenario;
use std::collections::HashMap;

/// The jobs that wait, by priority.
#[derive(Debug)]
pub struct Queue {
    /// The jobs, the highest priority first; those of one priority in the order of the file.
    pub jobs: Vec<QueuedJob>,
    /// `PriorityWeightFairShare`; `None` if the source does not tell it.
    pub weight: Option<u32>,
    /// Whether the tree has edits, so that jobs may get another place.
    pub has_edits: bool,
}

/// A job in the queue.
#[derive(Debug)]
pub struct QueuedJob {
    /// The job as it was printed.
    pub job: WaitingJob,
    /// Its association in the tree; `None` if it has none, or if the names that are printed leave several.
    pub node: Option<NodeId>,
    /// From 1; jobs of one priority have the same place.
    pub place: usize,
    /// The points of fairshare by the factor that the scheduler printed, else by the computed one; `None` without
    /// association or weight.
    pub fair_share: Option<f64>,
    /// Whether these are the points that `sprio` printed; `None` where one of them is not known.
    pub is_fair_share: Option<bool>,
    /// The priority at the next calculation, all other parts as they are; it may be one point less than Slurm's. `None`
    /// without edits, and where nothing tells the points of fairshare.
    pub next_priority: Option<i64>,
    /// The place with that priority; jobs without it keep theirs.
    pub next_place: usize,
}

impl QueuedJob {
    /// Returns whether the priority is the sum of the parts, as far as their rounding lets it be told; `None` for a
    /// priority set by hand, and where the parts are not all printed.
    pub fn is_sum(&self) -> Option<bool> {
        let sum = self
            .job
            .sum()
            .filter(|_| self.job.parts.iter().all(Option::is_some))?;
        // Each rounding misses by half a point at most, and the cut by less than one.
        let slack = u64::from(self.job.rounded.div_ceil(2)) + 1;
        Some(self.job.priority.max(1).abs_diff(sum.max(1)) <= slack)
    }
}

impl Queue {
    /// Orders jobs, and finds the association of each in the tree of a scenario. `cuts_names` says whether names may be
    /// cut.
    pub fn of(scenario: &Scenario, jobs: Vec<WaitingJob>, cuts_names: bool) -> Self {
        let base = scenario.base();
        let weight = base.settings.slurm.weights.fair_share();
        let has_edits = !scenario.history().is_untouched();
        let column = scenario.policy().factor_column();
        let points = |factor: f64| Some(f64::from(weight?) * factor);
        // By what may be printed of their names.
        let mut users: HashMap<&[u8], Vec<NodeId>> = HashMap::new();
        for user in base.tree.users() {
            let name = printed(base.tree.name(user), cuts_names);
            users.entry(name).or_default().push(user);
        }
        let queued = jobs.into_iter().map(|job| {
            let node = association(&base.tree, &users, &job, cuts_names);
            let number = |of: &Evaluation| points(of.number(column, node?)?);
            let (before, now) = (number(scenario.baseline()), number(scenario.evaluation()));
            let printed = node.and_then(|node| base.recorded.figure(Fact::FairShare, node));
            let fair_share = printed.map_or(before, |it| points(it.value));
            let slack = printed.and_then(|it| points(it.half_unit())).unwrap_or(0.0);
            let is_by_hand = job.sum().is_none();
            let stated = job.parts[FAIR_SHARE].filter(|_| !is_by_hand);
            let is_fair_share = fair_share
                .zip(stated)
                .map(|(points, stated)| (points - stated as f64).abs() <= 0.5 + slack);
            let change = before.zip(now).map(|(before, now)| now - before);
            let change = change.filter(|_| has_edits && !is_by_hand);
            QueuedJob {
                node,
                place: 0,
                fair_share,
                is_fair_share,
                next_priority: change.map(|change| changed(job.priority, change)),
                next_place: 0,
                job,
            }
        });
        let mut jobs: Vec<QueuedJob> = queued.collect();
        jobs.sort_by_key(|job| std::cmp::Reverse(job.job.priority));
        let places = places(jobs.iter().map(|it| it.job.priority));
        let next = jobs
            .iter()
            .map(|it| it.next_priority.unwrap_or(it.job.priority));
        let next_places = self::places(next);
        for ((job, place), next_place) in jobs.iter_mut().zip(places).zip(next_places) {
            (job.place, job.next_place) = (place, next_place);
        }
        Self {
            jobs,
            weight,
            has_edits,
        }
    }
}

/// Returns a priority after a change of its sum. The digits that were cut off the priority are not known.
#[expect(clippy::cast_possible_truncation, reason = "a priority is below 2^32")]
fn changed(priority: i64, change: f64) -> i64 {
    (priority as f64 + change).floor().max(1.0) as i64
}

/// Returns the place of each priority: one more than how many are higher.
fn places(priorities: impl Iterator<Item = i64> + Clone) -> Vec<usize> {
    let mut sorted: Vec<i64> = priorities.clone().collect();
    sorted.sort_unstable();
    let places = priorities.map(|priority| {
        let higher = sorted.len() - sorted.partition_point(|&other| other <= priority);
        higher + 1
    });
    places.collect()
}

/// Returns the association of a job: that of its user and account, for its partition if there is one.
fn association(
    tree: &Tree,
    users: &HashMap<&[u8], Vec<NodeId>>,
    job: &WaitingJob,
    cuts_names: bool,
) -> Option<NodeId> {
    let is_account = |account: &[u8], node| {
        let name = tree.parent(node).map(|parent| tree.name(parent));
        name.is_some_and(|name| printed(name, cuts_names) == account)
    };
    let mut nodes = users.get(job.user.as_deref()?)?.clone();
    nodes.retain(|&node| job.account.as_deref().is_none_or(|it| is_account(it, node)));
    // Without the partition of the job, its association may be any of them.
    if let Some(partition) = &job.partition {
        let is_own = |node: &NodeId| tree.partition(*node) == Some(partition);
        if let Some(&own) = nodes.iter().find(|node| is_own(node)) {
            return Some(own);
        }
        nodes.retain(|&node| tree.partition(node).is_none());
    }
    match nodes[..] {
        [node] => Some(node),
        _ => None,
    }
}
