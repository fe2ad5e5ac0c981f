//! `queue`: the jobs that wait, the parts of their priorities, and the places that edits give them.

use super::render::document::{Document, Front, left_off};
use super::render::json::{self, Entries, Lines, List, name_text, object};
use super::render::table::{Column, Table};
use super::words::verify::doubt;
use super::{Report, View, dump};
use crate::analysis::queue::{Queue, QueuedJob};
use crate::base::number::{Unit, Value, counted, grouped, word_for};
use crate::base::shown::{Shown, sentence, shown};
use crate::format::slurm::sprio::{FAIR_SHARE, PARTS};
use crate::model::{Tree, path_of};
use serde::Serialize;
use std::io::{self, Write};

/// How many jobs people see unless more are asked for.
const USUAL_LIMIT: usize = 40;

/// The headings of the parts, in the order of [`PARTS`].
const HEADINGS: [&str; PARTS.len()] = [
    "Site",
    "Age",
    "Assoc",
    "Fairshare",
    "Job size",
    "Partition",
    "QOS",
    "TRES",
    "Nice",
];

pub(crate) struct QueueReport<'a> {
    pub(crate) view: View<'a>,
    /// The tree as it was read, to which the jobs belong.
    pub(crate) base: &'a Tree,
    pub(crate) queue: &'a Queue,
    pub(crate) limit: Option<usize>,
}

fn name(name: Option<&Vec<u8>>) -> Shown {
    name.map_or_else(Shown::default, |name| shown(name))
}

/// `79 of 79 priorities`, of the jobs of which it can be told.
fn told(jobs: &[QueuedJob], is: impl Fn(&QueuedJob) -> Option<bool>) -> (usize, usize) {
    let answers = jobs.iter().filter_map(is);
    answers.fold((0, 0), |(right, all), answer| {
        (right + usize::from(answer), all + 1)
    })
}

impl QueueReport<'_> {
    /// Says what was verified, and what edits change.
    fn sentences(&self) -> Vec<Shown> {
        let Queue { jobs, weight, .. } = self.queue;
        let (right, all) = told(jobs, QueuedJob::is_sum);
        let sums = match all {
            0 if jobs.iter().any(|it| it.job.parts.contains(&None)) => {
                " Not every part is printed, so sums are not verified: run sprio -l.".into()
            }
            0 => Shown::default(),
            _ => {
                let (one, many) = (
                    "priority is the sum of its",
                    "priorities are the sum of their",
                );
                let all = counted(all, one, many);
                sentence!(" {} of {all} rounded parts.", grouped(right))
            }
        };
        let mut sentences = vec![match jobs.len() {
            0 => "No job waits.".into(),
            waiting => sentence!("{}.{sums}", counted(waiting, "job waits", "jobs wait")),
        }];
        let by_hand = jobs.iter().filter(|it| it.job.sum().is_none()).count();
        if by_hand > 0 {
            let jobs = counted(by_hand, "priority was", "priorities were");
            sentences.push(sentence!("{jobs} set by hand, without parts."));
        }
        let Some(weight) = weight else {
            sentences.push(
                "PriorityWeightFairShare is not known, so fairshare is not compared with the tree: give --config FILE \
                 with scontrol show config, or --set PriorityWeightFairShare=N."
                    .into(),
            );
            return sentences;
        };
        let (right, all) = told(jobs, |it| it.is_fair_share);
        if all > 0 {
            let (right, all) = (grouped(right), counted(all, "job", "jobs"));
            let weight = grouped(*weight);
            sentences.push(sentence!(
                "The fairshare of {right} of {all} is the factor of the tree × {weight}."
            ));
        }
        let others = jobs.iter().filter(|it| it.node.is_none()).count();
        if others > 0 {
            let jobs = counted(others, "job", "jobs");
            sentences.push(sentence!(
                "{jobs} may belong to several associations, or to none: sprio -l prints user, account and partition."
            ));
        }
        if self.queue.has_edits {
            let moved = jobs.iter().filter(|it| it.next_place != it.place).count();
            let change = word_for(moved, "changes its place", "change their places");
            let moved = grouped(moved);
            sentences.push(sentence!(
                "After the edits {moved} {change} at the next calculation, all other parts as they are."
            ));
            let caveat = self.view.caveat;
            sentences.extend(caveat.map(|it| sentence!("{}.", doubt(&it.reason))));
        }
        sentences
    }

    fn columns(&self) -> Vec<Column<'_, &QueuedJob>> {
        type Row<'a> = &'a QueuedJob;
        let queue = self.queue;
        let mut columns = vec![
            Column::left("Job", |it: &Row<'_>| it.job.id.clone()).named("id"),
            Column::number("Place", Unit::Rank, |it: &Row<'_>| it.place.into()).named("place"),
        ];
        if queue.has_edits {
            let next = |it: &Row<'_>| it.next_place.into();
            columns.push(Column::number("Then", Unit::Rank, next).named("next_place"));
        }
        columns.push(Column::left("User", |it: &Row<'_>| name(it.job.user.as_ref())).named("user"));
        let account = |it: &Row<'_>| name(it.job.account.as_ref());
        columns.push(
            Column::left("Account", account)
                .named("account")
                .giving_way(3),
        );
        let partition = |it: &Row<'_>| name(it.job.partition.as_ref());
        columns.push(
            Column::left("In", partition)
                .named("partition")
                .giving_way(8),
        );
        let priority = |it: &Row<'_>| Value::Count(it.job.priority);
        columns.push(Column::number("Priority", Unit::Count, priority).named("priority"));
        if queue.has_edits {
            let next = |it: &Row<'_>| it.next_priority.into();
            columns.push(Column::number("Then", Unit::Count, next).named("next_priority"));
        }
        for (part, heading) in HEADINGS.into_iter().enumerate() {
            let value = move |it: &Row<'_>| it.job.parts[part].into();
            let is_told = |it: &QueuedJob| it.job.parts[part].is_some_and(|points| points != 0);
            if queue.jobs.iter().any(is_told) {
                let column = Column::number(heading, Unit::Count, value).named(PARTS[part].1);
                let order = if part == FAIR_SHARE { 2 } else { 9 };
                columns.push(column.giving_way(order));
            }
        }
        columns
    }

    fn json(&self, it: &QueuedJob) -> impl Serialize {
        let job = &it.job;
        let text = |name: &Option<Vec<u8>>| name.as_ref().map(|name| name_text(name).into_owned());
        let parts = PARTS.into_iter().zip(job.parts);
        let parts = parts.map(|((_, name), points)| (name, points));
        object! {
            id: job.id.to_string(),
            user: text(&job.user),
            account: text(&job.account),
            partition: text(&job.partition),
            path: it.node.and_then(|node| path_of(self.base, node)),
            place: it.place,
            priority: job.priority,
            priority_computed: job.sum(),
            is_sum: it.is_sum(),
            fairshare_of_tree: it.fair_share,
            is_fairshare_of_tree: it.is_fair_share,
            next_place: self.queue.has_edits.then_some(it.next_place),
            next_priority: it.next_priority,
            parts: Entries(parts.collect::<Vec<_>>()),
        }
    }
}

impl Report for QueueReport<'_> {
    fn front(&self) -> Front {
        Front::of("Queue", &self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::default();
        document.headline(dump::headline(&self.view));
        document.paragraphs(self.sentences());
        let jobs = &self.queue.jobs;
        if !jobs.is_empty() {
            let limit = self.limit.unwrap_or(USUAL_LIMIT).min(jobs.len());
            document.gap_in_text();
            document.table(Table::new(self.columns(), jobs[..limit].iter()));
            document.note(left_off(jobs.len() - limit));
            document.gap();
        }
        document.paragraph(
            "sprio lists no held job, and none that waits for a time or for another job. When a job starts is not told: \
             limits, reservations and backfill decide that too.",
        );
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let jobs = self.queue.jobs.iter();
        let body = object! {
            weight_fair_share: self.queue.weight,
            jobs: Lines(List(jobs.map(|it| self.json(it)))),
        };
        json::write(out, &self.view, body)
    }

    fn csv(&self) -> Option<Table<'_>> {
        Some(Table::new(self.columns(), self.queue.jobs.iter()))
    }
}
