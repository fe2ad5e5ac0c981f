//! The user's waiting jobs, and what fairshare is worth to each.

use super::UserPage;
use crate::analysis::queue::{Queue, QueuedJob};
use crate::base::number::{Unit, Value, counted, grouped, percent};
use crate::base::shown::sentence;
use crate::format::slurm::sprio::FAIR_SHARE;
use crate::report::queue::{number, places, rounded};
use crate::report::render::document::Document;
use crate::report::render::json::object;
use crate::report::render::table::{Cell, Column, Table};
use crate::report::words;
use serde::Serialize;

/// How many waiting jobs the page shows.
const MOST_JOBS: usize = 10;

impl UserPage<'_> {
    /// Returns the user's waiting jobs, the first to run first.
    fn jobs<'q>(&self, queue: &'q Queue) -> Vec<&'q QueuedJob> {
        let mut jobs = Vec::new();
        for job in &queue.jobs {
            let is_own = match job.node {
                Some(node) => self.is_association(node),
                None => job.job.label.is_of(self.raw_name()),
            };
            if is_own {
                jobs.push(job);
            }
        }
        jobs
    }

    /// Adds the section of the user's waiting jobs, if the queue is known.
    pub(super) fn add_jobs<'d>(&'d self, document: &mut Document<'d>) {
        let Some(queue) = self.queue else {
            return;
        };
        document.section("Waiting jobs");
        self.add_unlisted(document, queue);
        let all = grouped(queue.jobs.len());
        let mut jobs = self.jobs(queue);
        if jobs.is_empty() {
            let name = self.name();
            return document.paragraph(sentence!("No job of {name} is among the {all} that wait."));
        }
        let own = counted(jobs.len(), "job waits", "jobs wait");
        document.paragraph(sentence!(
            "{own}, among {all}. Fairshare is the part of each priority in the last column."
        ));
        let more = jobs.len().saturating_sub(MOST_JOBS);
        jobs.truncate(MOST_JOBS);
        document.table(Table::new(job_columns(), jobs.into_iter()));
        if more > 0 {
            let count = grouped(more);
            document.note(Some(sentence!("… and {count} more")));
        }
    }

    /// Adds why jobs of the user have no place.
    fn add_unlisted(&self, document: &mut Document<'_>, queue: &Queue) {
        for job in &queue.unlisted {
            if job.label.is_of(self.raw_name())
                && let Some(raw) = &job.reason
                && let Some(reason) = words::queue::reason(raw)
            {
                let id = &job.label.id;
                document.paragraph(sentence!("Job {id} has no place: {reason}."));
            }
        }
    }

    /// Returns the user's waiting jobs for JSON; `None` if the queue is not known.
    pub(super) fn jobs_json(&self) -> Option<Vec<impl Serialize + Clone>> {
        let jobs = self.jobs(self.queue?);
        Some(jobs.into_iter().map(job_json).collect())
    }
}

/// A column of waiting jobs.
type JobColumn<'a> = Column<'a, &'a QueuedJob>;

/// Returns the columns of waiting jobs.
fn job_columns<'a>() -> Vec<JobColumn<'a>> {
    let mut columns: Vec<JobColumn<'a>> = places(|job| &job.job.label, |job| job.now.place.into());
    columns.push(JobColumn::number("Priority", Unit::Count, |job| {
        Value::Count(job.now.priority)
    }));
    columns.push(JobColumn::number("Fairshare", Unit::Count, |job| {
        let points = job.now.points(FAIR_SHARE);
        rounded(points)
    }));
    columns.push(JobColumn::right("Of it", |job| {
        let part = job.fair_share_part();
        Cell::told(part, percent)
    }));
    columns
}

/// Returns a waiting job for JSON.
fn job_json(job: &QueuedJob) -> impl Serialize + Clone {
    object! {
        id: job.job.label.id.to_string(),
        place: job.now.place,
        priority: job.now.priority,
        fairshare: job.now.points(FAIR_SHARE).map(number),
        fairshare_part: job.fair_share_part(),
    }
}
