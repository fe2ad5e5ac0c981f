//! The columns of the jobs that wait, and which of them give way where the table is too wide.

use super::{QueueReport, add_name_columns, name, places, rounded};
use crate::analysis::queue::QueuedJob;
use crate::base::number::{Unit, Value};
use crate::format::slurm::sprio::{FAIR_SHARE, PARTS};
use crate::report::render::table::Column;

/// A column of the jobs with a place.
type JobColumn<'c, 'a> = Column<'c, &'a QueuedJob>;

/// The order of fairshare among the columns that give way.
const OF_FAIR_SHARE: u8 = 2;

/// The order of the first part that differs among the listed jobs.
const OF_DIFFERENT: u8 = 9;

/// The order of parts that are the same for all listed jobs.
const OF_EQUALS: u8 = 30;

/// The order of Slurm's reasons.
const OF_REASONS: u8 = 20;

/// The order of parts that are 0 for all listed jobs.
const OF_ZEROS: u8 = 40;

/// The cells of the longest reason in the table.
const LONGEST_REASON: usize = 24;

/// By how much a part differs among jobs.
struct PartSpread {
    /// The place of the part among [`PARTS`].
    part: usize,
    /// The most points of a job less the fewest.
    spread: f64,
}

/// Returns by how many points a part differs among jobs, as they are shown; 0 if it is the same for all.
fn spread(jobs: &[QueuedJob], part: usize) -> f64 {
    let mut least = f64::INFINITY;
    let mut most = f64::NEG_INFINITY;
    for job in jobs {
        // A priority that was set by hand has no parts.
        if job.job.is_by_hand() {
            continue;
        }
        let points = job.now.points(part).unwrap_or(0.0).round();
        least = least.min(points);
        most = most.max(points);
    }
    (most - least).max(0.0)
}

/// Returns whether a part, by its place among [`PARTS`], gives any job points.
fn has_points(jobs: &[QueuedJob], part: usize) -> bool {
    jobs.iter().any(|job| job.now.has_points(part))
}

impl<'a> QueueReport<'a> {
    /// Returns the columns of the jobs: their places, names and priorities, and of the parts those that some job has.
    pub(super) fn columns(&self) -> Vec<JobColumn<'_, 'a>> {
        let queue = self.queue;
        let is_ahead = queue.is_ahead();
        let mut columns: Vec<JobColumn<'_, 'a>> =
            places(|job| &job.job.label, |job| job.now.place.into());
        if is_ahead {
            let place = JobColumn::number("After", Unit::Rank, |job| {
                let place = job.next.place;
                place.into()
            });
            columns.push(place.named("next_place"));
        }
        add_name_columns(&mut columns, |job| &job.job.label);
        let priority = JobColumn::number("Priority", Unit::Count, |job| {
            Value::Count(job.now.priority)
        });
        columns.push(priority.named("priority"));
        if is_ahead {
            let priority = JobColumn::number("After", Unit::Count, |job| {
                let priority = job.told_next_priority();
                priority.into()
            });
            columns.push(priority.named("next_priority"));
        }
        let orders = self.part_orders();
        for (part, own) in PARTS.into_iter().enumerate() {
            if !has_points(&queue.jobs, part) {
                continue;
            }
            let points = JobColumn::number(own.title, Unit::Count, move |job| {
                let points = job.now.points(part);
                rounded(points)
            });
            columns.push(points.named(own.key).giving_way(orders[part]));
        }
        if queue.jobs.iter().any(|job| job.reason.is_some()) {
            let reason = JobColumn::left("Reason", |job| {
                name(job.reason.as_ref()).cut(LONGEST_REASON)
            });
            columns.push(reason.named("reason").giving_way(OF_REASONS));
        }
        columns
    }

    /// Returns the order in which each part gives way: fairshare last, then those that differ most among the listed jobs.
    /// Parts that are the same for all of them give way before the reasons, and those that are 0 first of all.
    fn part_orders(&self) -> [u8; PARTS.len()] {
        let jobs = self.listed();
        let mut orders = [OF_DIFFERENT; PARTS.len()];
        let mut spreads = Vec::new();
        for (part, order) in orders.iter_mut().enumerate() {
            let spread = spread(jobs, part);
            if part == FAIR_SHARE {
                *order = OF_FAIR_SHARE;
            } else if !has_points(jobs, part) {
                *order = OF_ZEROS;
            } else if spread == 0.0 {
                *order = OF_EQUALS;
            } else {
                spreads.push(PartSpread { part, spread });
            }
        }
        spreads.sort_by(|one, other| other.spread.total_cmp(&one.spread));
        for (order, own) in (OF_DIFFERENT..).zip(spreads) {
            orders[own.part] = order;
        }
        orders
    }
}
