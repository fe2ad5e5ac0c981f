//! `sprio`: the jobs that wait, their priorities, and the parts that these are made of.
//!
//! `sprio` with any fields is read: points (`sprio -l`), factors (`-n`), both (`-o`), and the weights (`-w`). `multifactor` adds
//! factor × weight in doubles and cuts the sum to a whole number, while `sprio` rounds the points of each part for itself.
//! Outputs of one time are joined by the job and its partition: a job in two partitions has a line for each.

mod sheet;

pub use sheet::read;

use super::companion::{JobLabel, take_longer};
use super::prices::PartitionTotals;
use super::squeue::{ListedJobs, RequestedResources};
use crate::base::number::counted;
use crate::base::shown::Shown;
use crate::format::problem::{Problems, problems};
use crate::model::{Figure, PriorityWeights};
use sheet::SprioColumn;
use std::borrow::Cow;
use std::collections::HashMap;

/// A part of a priority.
#[derive(Clone, Copy)]
pub struct PriorityPart {
    /// The column with its points, or with its factor.
    column: SprioColumn,
    /// Its name in JSON.
    pub key: &'static str,
    /// Its name for people.
    pub title: &'static str,
}

const fn part(column: SprioColumn, key: &'static str, title: &'static str) -> PriorityPart {
    PriorityPart { column, key, title }
}

/// The parts of a priority. Numbers of a job by part are in this order.
pub const PARTS: [PriorityPart; 9] = [
    part(SprioColumn::Site, "site", "Site"),
    part(SprioColumn::Age, "age", "Age"),
    part(SprioColumn::Assoc, "assoc", "Assoc"),
    part(SprioColumn::Fairshare, "fairshare", "Fairshare"),
    part(SprioColumn::JobSize, "job_size", "Job size"),
    part(SprioColumn::Partition, "partition", "Partition"),
    part(SprioColumn::Qos, "qos", "QOS"),
    part(SprioColumn::Tres, "tres", "TRES"),
    part(SprioColumn::Nice, "nice", "Nice"),
];

/// The place of the site's own factor among [`PARTS`]. It has no weight.
pub(crate) const SITE: usize = 0;
/// The place of the age among [`PARTS`].
pub(crate) const AGE: usize = 1;
/// The place of fairshare among [`PARTS`].
pub(crate) const FAIR_SHARE: usize = 3;
/// The place of the partition's points among [`PARTS`].
const PARTITION: usize = 5;
/// The place of TRES among [`PARTS`]: a number for each of several resources.
pub(crate) const TRES: usize = 7;
/// The place of nice among [`PARTS`]. It has no weight, and is subtracted.
pub(crate) const NICE: usize = 8;

/// The letters to which partitions are cut without bars.
const CUT_PARTITION: usize = 9;

/// What `sprio -n` divides a priority by.
pub(crate) const MOST: f64 = u32::MAX as f64;

/// The points of one unit in the eight decimals of `sprio -n`.
const COARSE: f64 = 43.0;

/// A job that waits, in one partition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WaitingJob {
    /// What it is called.
    pub label: JobLabel,
    /// The priority in points; `None` where only its fraction is printed.
    pub priority: Option<i64>,
    /// The priority before it was cut, as a fraction of 2^32 - 1; one that was set by hand is not divided. `None` where it
    /// is not printed.
    pub fraction: Option<Figure>,
    /// The points of each of [`PARTS`], nice as it is subtracted; `None` for those that are not printed.
    pub points: [Option<i64>; PARTS.len()],
    /// How many numbers were rounded to print the points of TRES.
    pub resources: u32,
    /// The factors of [`PARTS`], without TRES; `None` for those that are not printed.
    pub factors: [Option<Figure>; PARTS.len()],
    /// The factors of TRES, by resource; `None` where they are not printed.
    pub tres: Option<Vec<(String, Figure)>>,
    /// Whether TRES was cut where it was printed.
    pub cuts_tres: bool,
}

/// The jobs of one output or of several.
#[derive(Debug, Default)]
pub struct WaitingJobs {
    /// The jobs in the order of the file; `None` if it holds only weights.
    pub jobs: Option<Vec<WaitingJob>>,
    /// The weights that `sprio -w` prints.
    pub weights: Option<PriorityWeights>,
    /// How many jobs are left out, because their lines cannot be read.
    pub left_out: usize,
    /// What is odd about the file.
    pub problems: Problems,
}

problems! {
    /// What is wrong with outputs that are read together.
    enum PriorityProblem {
        Apart { jobs: Shown }, Warning "slurm-sprio-apart",
            "{jobs} another priority here than in the outputs read before, which count",
            "save the outputs of sprio at one time";
    }
}

/// Returns a number without its decimals.
#[expect(
    clippy::cast_possible_truncation,
    reason = "what does not fit is cut to the largest number"
)]
pub(crate) const fn whole(number: f64) -> i64 {
    number as i64
}

impl WaitingJob {
    /// Returns whether the priority was set by hand: it has no parts.
    pub fn is_by_hand(&self) -> bool {
        let Some(2..) = self.priority else {
            return false;
        };
        for &points in self.points.iter().flatten() {
            if points != 0 {
                return false;
            }
        }
        for factor in self.factors.iter().flatten() {
            if factor.value != 0.0 {
                return false;
            }
        }
        for (_, factor) in self.tres.iter().flatten() {
            if factor.value != 0.0 {
                return false;
            }
        }
        !self.is_tres_cut()
    }

    /// Returns whether TRES is known only as what the other parts leave of the priority.
    pub(crate) fn is_tres_cut(&self) -> bool {
        let is_printed = self.points[TRES].is_some() || self.tres.is_some();
        self.cuts_tres && !is_printed
    }

    /// Returns the priority as well as it is known; `None` where it is not printed.
    fn approximate_priority(&self) -> Option<f64> {
        match self.priority {
            Some(priority) => Some(priority as f64),
            None => Some(self.fraction?.value * MOST),
        }
    }

    /// Returns whether both may be printed of one priority.
    fn agrees(&self, other: &Self) -> bool {
        if let Some(one) = self.priority
            && let Some(two) = other.priority
        {
            return one == two;
        }
        let Some(one) = self.approximate_priority() else {
            return true;
        };
        let Some(two) = other.approximate_priority() else {
            return true;
        };
        let difference = one - two;
        difference.abs() <= COARSE + 1.0
    }

    /// Returns whether both may be in one partition.
    fn shares_partition(&self, other: &Self) -> bool {
        let Some(one) = &self.label.partition else {
            return true;
        };
        let Some(two) = &other.label.partition else {
            return true;
        };
        one == two || is_cut_partition(one, two) || is_cut_partition(two, one)
    }

    /// Takes over what another output says of the same job.
    fn fill(&mut self, other: Self) {
        let label = other.label;
        self.label.fill(&label);
        take_longer(&mut self.label.partition, label.partition.as_ref());
        if self.points[TRES].is_none() {
            self.resources = other.resources;
        }
        self.priority = self.priority.or(other.priority);
        let known_decimals = self.fraction.map(|fraction| fraction.decimals);
        if let Some(fraction) = other.fraction
            && known_decimals < Some(fraction.decimals)
        {
            self.fraction = Some(fraction);
        }
        for part in 0..PARTS.len() {
            let points = &mut self.points[part];
            *points = points.or(other.points[part]);
            let factor = &mut self.factors[part];
            *factor = factor.or(other.factors[part]);
        }
        if self.tres.is_none() {
            self.tres = other.tres;
        }
        self.cuts_tres |= other.cuts_tres;
    }
}

/// Returns whether a partition may be printed as `cut`.
fn is_cut_partition(cut: &[u8], partition: &[u8]) -> bool {
    if cut.len() != CUT_PARTITION {
        return false;
    }
    partition.starts_with(cut)
}

impl WaitingJobs {
    /// Replaces factors of TRES, of which Slurm prints two decimals, by what jobs request of the totals of their
    /// partitions, where these agree.
    pub(crate) fn refine(
        &mut self,
        listed: &ListedJobs,
        totals: &HashMap<Vec<u8>, PartitionTotals>,
    ) {
        let mut requests: HashMap<Cow<'_, str>, RequestedResources> = HashMap::new();
        for job in &listed.jobs {
            requests.insert(job.label.number(), job.requested);
        }
        for job in self.jobs.iter_mut().flatten() {
            let partition = job.label.partition.as_deref().unwrap_or_default();
            let (Some(request), Some(total)) =
                (requests.get(&job.label.number()), totals.get(partition))
            else {
                continue;
            };
            for (name, factor) in job.tres.iter_mut().flatten() {
                let exact = match name.as_str() {
                    "cpu" => request.cpus / total.cpus,
                    "mem" => request.memory * request.nodes / total.memory,
                    _ => continue,
                };
                if (exact - factor.value).abs() <= factor.half_unit() {
                    *factor = Figure::exact(exact);
                }
            }
        }
    }

    /// Adds what another output says of the same jobs, and the jobs that only it lists. Jobs that have another priority there
    /// stay as they are, which is a problem.
    pub(crate) fn join(&mut self, other: Self) {
        let file = other.problems.file.clone();
        self.problems.append(other.problems);
        self.weights = self.weights.take().or(other.weights);
        self.left_out = self.left_out.max(other.left_out);
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
            let mut is_known = false;
            let mut same = None;
            for &place in places.get(&job.label.id).into_iter().flatten() {
                if jobs[place].shares_partition(&job) {
                    is_known = true;
                    // Without partitions two lines of a job differ only by their priorities.
                    if jobs[place].agrees(&job) {
                        same = Some(place);
                        break;
                    }
                }
            }
            match same {
                Some(place) => jobs[place].fill(job),
                None if is_known => apart += 1,
                None => jobs.push(job),
            }
        }
        if apart > 0 {
            let jobs = counted(apart, "job has", "jobs have");
            self.problems.report(file, PriorityProblem::Apart { jobs });
        }
    }
}
