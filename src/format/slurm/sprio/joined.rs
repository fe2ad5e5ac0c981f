//! Outputs of `sprio` of one time, joined by the job and its partition.

use super::super::companion::take_longer;
use super::{CUT_PARTITION, MOST, WaitingJob, WaitingJobs};
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence};
use std::array;
use std::collections::HashMap;

/// The points of one unit in the eight decimals of `sprio -n`.
const COARSE: f64 = 43.0;

impl WaitingJob {
    /// Returns whether both may be printed of one priority.
    fn agrees(&self, other: &Self) -> bool {
        if let (Some(one), Some(two)) = (self.priority, other.priority) {
            return one == two;
        }
        let points = |it: &Self| {
            let points = it.priority.map(|points| points as f64);
            points.or_else(|| Some(it.fraction?.value * MOST))
        };
        let both = points(self).zip(points(other));
        both.is_none_or(|(one, two)| (one - two).abs() <= COARSE + 1.0)
    }

    fn is_same(&self, other: &Self) -> bool {
        let partitions = self
            .label
            .partition
            .as_ref()
            .zip(other.label.partition.as_ref());
        let is_cut = |cut: &[u8], it: &[u8]| cut.len() == CUT_PARTITION && it.starts_with(cut);
        partitions.is_none_or(|(one, two)| one == two || is_cut(one, two) || is_cut(two, one))
    }

    /// Takes over what another output says of the same job.
    fn fill(&mut self, other: Self) {
        self.label.fill(&other.label);
        take_longer(&mut self.label.partition, other.label.partition.as_ref());
        if self.points[super::TRES].is_none() {
            self.resources = other.resources;
        }
        self.priority = self.priority.or(other.priority);
        let known = self.fraction.map(|it| it.decimals);
        self.fraction = other
            .fraction
            .filter(|it| known < Some(it.decimals))
            .or(self.fraction);
        self.points = array::from_fn(|part| self.points[part].or(other.points[part]));
        self.factors = array::from_fn(|part| self.factors[part].or(other.factors[part]));
        self.tres = self.tres.take().or(other.tres);
    }
}

impl WaitingJobs {
    /// Adds what another output says of the same jobs, and the jobs that only it lists. Jobs that have another priority there
    /// stay as they are, which is a problem.
    pub(crate) fn join(&mut self, other: Self) {
        let file = other.problems.file.clone();
        self.problems.append(other.problems);
        self.weights = self.weights.take().or(other.weights);
        let Some(jobs) = &mut self.jobs else {
            self.jobs = other.jobs;
            return;
        };
        let mut places: HashMap<Shown, Vec<usize>> = HashMap::new();
        for (place, job) in jobs.iter().enumerate() {
            places.entry(job.label.id.clone()).or_default().push(place);
        }
        let mut apart = 0;
        for job in other.jobs.into_iter().flatten() {
            let same = places.get(&job.label.id).into_iter().flatten();
            let mut same = same.filter(|&&place| jobs[place].is_same(&job)).peekable();
            if same.peek().is_none() {
                jobs.push(job);
                continue;
            }
            // Without partitions two lines of a job differ only by their priorities.
            match same.find(|&&place| jobs[place].agrees(&job)) {
                Some(&place) => jobs[place].fill(job),
                None => apart += 1,
            }
        }
        if apart > 0 {
            let jobs = counted(apart, "job has", "jobs have");
            let message = sentence!(
                "{jobs} another priority here than in the outputs read before, which count"
            );
            let advice = "save the outputs of sprio at one time";
            self.problems
                .warn(file, "slurm-sprio-apart", message, advice);
        }
    }
}
