//! `queue`: the jobs that wait, the parts of their priorities, and the places that edits give them.

mod behind;

pub(crate) use behind::BehindReport;

use super::render::document::{Document, Front, left_off};
use super::render::json::{self, Entries, Lines, List, name_text, object};
use super::render::table::{Column, Table};
use super::words::queue::reason;
use super::words::verify::doubt;
use super::{Report, View, dump};
use crate::analysis::queue::{Parts, Queue, QueuedJob};
use crate::base::number::{Unit, Value, counted, grouped, word_for};
use crate::base::shown::{Shown, sentence, shown};
use crate::format::slurm::companion::JobLabel;
use crate::format::slurm::sprio::{FAIR_SHARE, PARTS, whole};
use crate::model::{Tree, duration_for_people, path_of};
use serde::Serialize;
use std::io::{self, Write};

/// How many jobs people see unless more are asked for.
const USUAL_LIMIT: usize = 40;

/// What no priority can tell.
const UNTOLD: &str =
    "When a job starts is not told: limits, reservations and backfill decide that too.";

pub(crate) struct QueueReport<'a> {
    pub(crate) view: View<'a>,
    /// The tree as it was read, to which the jobs belong.
    pub(crate) base: &'a Tree,
    pub(crate) queue: &'a Queue,
    pub(crate) limit: Option<usize>,
}

/// Returns the columns of the number of a job and its place.
pub(super) fn places<'a, R: 'a>(
    label: fn(&R) -> &JobLabel,
    place: fn(&R) -> Value,
) -> [Column<'a, R>; 2] {
    [
        Column::left("Job", move |row| label(row).id.clone()).named("id"),
        Column::number("Place", Unit::Rank, place).named("place"),
    ]
}

/// Returns the columns of the names of a job.
fn names<'a, R: 'a>(label: fn(&R) -> &JobLabel) -> [Column<'a, R>; 3] {
    let name =
        |heading: &'static str, name: &'static str, of: fn(&JobLabel) -> &Option<Vec<u8>>| {
            let text = move |row: &R| shown(of(label(row)).as_deref().unwrap_or_default());
            Column::left(heading, text).named(name)
        };
    [
        name("User", "user", |it| &it.user),
        name("Account", "account", |it| &it.account).giving_way(3),
        name("In", "partition", |it| &it.partition).giving_way(8),
    ]
}

/// Returns a name or a reason for JSON.
fn text(text: Option<&Vec<u8>>) -> impl Serialize {
    text.map(|text| name_text(text).into_owned())
}

fn label_json(label: &JobLabel) -> impl Serialize {
    object! {
        id: label.id.to_string(),
        user: text(label.user.as_ref()),
        account: text(label.account.as_ref()),
        partition: text(label.partition.as_ref()),
    }
}

/// Returns the names of the parts with their points, for JSON.
fn parts_json(parts: &Parts) -> impl Serialize {
    let parts = PARTS.into_iter().zip(parts);
    let parts = parts.map(|(own, part)| (own.key, part.map(|it| number(it.points))));
    Entries(parts.collect::<Vec<_>>())
}

/// Returns points for people.
pub(super) fn rounded(points: Option<f64>) -> Value {
    points.map(|it| whole(it.round())).into()
}

/// Returns how many jobs a fact is true of, and of how many it is known.
fn told(jobs: &[QueuedJob], is: impl Fn(&QueuedJob) -> Option<bool>) -> (usize, usize) {
    let answers: Vec<bool> = jobs.iter().filter_map(is).collect();
    (answers.iter().filter(|is| **is).count(), answers.len())
}

impl<'a> QueueReport<'a> {
    /// Says how many priorities are the sum of their parts.
    fn sums(&self) -> Vec<Shown> {
        let jobs = &self.queue.jobs;
        let count = |is: &dyn Fn(&QueuedJob) -> bool| jobs.iter().filter(|it| is(it)).count();
        let by_hand = count(&|it| it.job.is_by_hand());
        let set = sentence!("{} set by hand", counted(by_hand, "was", "were"));
        let cut = count(&|it| it.job.is_tres_cut());
        let (exact, of_factors) = told(jobs, |it| it.is_exact);
        let (right, all) = told(jobs, |it| it.is_sum);
        let mut sentences = Vec::new();
        if of_factors > 0 {
            let are = counted(jobs.len(), "priority is", "priorities are");
            let verified = grouped(exact + by_hand);
            let sums = counted(exact, "is", "are");
            let set = Shown::joined((by_hand > 0).then(|| sentence!("; {set}")), "");
            sentences.push(sentence!(
                "{verified} of {are} verified: {sums} exactly the sum of factor × weight{set}."
            ));
            let rounded = count(&|it| it.is_exact == Some(false) && it.is_sum == Some(true));
            if rounded > 0 {
                let more = counted(rounded, "other is", "others are");
                sentences.push(sentence!(
                    "{more} equal to it within the rounding of what sprio prints."
                ));
            }
        } else if all > 0 {
            let (one, many, what) = if jobs.iter().any(|it| it.job.priority.is_none()) {
                let what = "sum of factor × weight to the decimals of sprio -n; sprio -l as well tells every digit";
                ("priority is the", "priorities are the", what)
            } else {
                (
                    "priority is the sum of its",
                    "priorities are the sum of their",
                    "rounded parts",
                )
            };
            sentences.push(sentence!(
                "{} of {} {what}.",
                grouped(right),
                counted(all, one, many)
            ));
        } else if by_hand + cut < jobs.len() {
            sentences.push(
                "Not every part or weight is known, so sums are not verified: run sprio -l, and give --config FILE with \
                 scontrol show config."
                    .into(),
            );
        }
        if cut > 0 {
            let (one, many) = ("priority has", "priorities have");
            sentences.push(sentence!(
                "{} TRES cut by sprio -l: it is what the other parts leave, and not verified.",
                counted(cut, one, many)
            ));
        }
        if let Some(first) = jobs.iter().find(|it| it.is_sum == Some(false)) {
            let (one, many) = (
                "priority contradicts its parts",
                "priorities contradict their parts",
            );
            let wrong = counted(all - right, one, many);
            sentences.push(sentence!(
                "{wrong}, first that of job {}.",
                first.job.label.id
            ));
        }
        if by_hand > 0 && of_factors == 0 {
            let jobs = counted(by_hand, "priority was", "priorities were");
            sentences.push(sentence!("{jobs} set by hand, without parts."));
        }
        sentences
    }

    /// Says whether the fairshare of the jobs is that of the tree.
    fn fair_share(&self) -> Vec<Shown> {
        let Queue { jobs, weight, .. } = self.queue;
        let others = jobs.iter().filter(|it| it.node.is_none()).count();
        let (right, all) = told(jobs, |it| it.is_fair_share);
        let Some(weight) = weight.map(grouped) else {
            return vec![
                "PriorityWeightFairShare is not known, so fairshare is not compared with the tree: give --config FILE \
                 with scontrol show config, or --set PriorityWeightFairShare=N."
                    .into(),
            ];
        };
        if others == jobs.len() {
            return vec![
                "Priorities are not verified with the tree: none of the jobs belongs to one of its users. Give the tree of \
                 the same cluster, and run sprio -l, which prints users."
                    .into(),
            ];
        }
        let of = counted(all, "job", "jobs");
        let agree = sentence!(
            "fairshare of {} of {of} is the factor of the tree × {weight}",
            grouped(right)
        );
        let mut sentences = vec![if all > 2 * right {
            sentence!(
                "Priorities are not verified with the tree: the {agree}, so that sprio and the tree are of different times."
            )
        } else {
            sentence!("The {agree}.")
        }];
        if others > 0 {
            let jobs = counted(others, "job", "jobs");
            sentences.push(sentence!(
                "{jobs} may belong to several associations, or to none: sprio -l and squeue print user, account and \
                 partition."
            ));
        }
        sentences
    }

    /// Says what becomes of the places.
    fn next(&self) -> Vec<Shown> {
        if !self.queue.is_ahead() {
            return Vec::new();
        }
        let jobs = self.queue.jobs.iter();
        let moved = jobs.filter(|it| it.next.place != it.now.place).count();
        let change = word_for(moved, "changes its place", "change their places");
        let period = duration_for_people(self.view.settings.slurm.calc_period.into());
        let because = if self.queue.has_edits {
            "After the edits"
        } else {
            "By the shares and the usage of the tree"
        };
        let moved = grouped(moved);
        let moved = sentence!(
            "{because} {moved} {change} at the next calculation, with {period} more of age and all other parts as they are."
        );
        let caveat = self.view.caveat;
        let doubts = caveat.map(|it| sentence!("{}.", doubt(&it.reason)));
        [moved].into_iter().chain(doubts).collect()
    }

    /// Says what was verified, and what edits change.
    fn sentences(&self) -> Vec<Shown> {
        let count = self.queue.jobs.len();
        let left_out = self.left_out();
        if count == 0 {
            let none = "No job waits.";
            let none = left_out.is_none().then_some(none.into());
            return left_out.into_iter().chain(none).collect();
        }
        let mut sums = self.sums().into_iter();
        let waiting = sentence!("{}.", counted(count, "job waits", "jobs wait"));
        let first = [waiting].into_iter().chain(sums.next());
        let first = Shown::joined(first, " ");
        let sentences = left_out.into_iter().chain([first]).chain(sums);
        let sentences = sentences.chain(self.kept()).chain(self.fair_share());
        sentences.chain(self.next()).collect()
    }

    /// Says that jobs are missing, and what that does to the others.
    fn left_out(&self) -> Option<Shown> {
        let count = self.queue.left_out;
        let jobs = counted(count, "job is", "jobs are");
        let because = word_for(count, "its line", "their lines");
        (count > 0).then(|| {
            sentence!(
                "{jobs} left out, because {because} cannot be read: places count only the others. Save the outputs again, \
                 or take a snapshot."
            )
        })
    }

    /// Says that priorities never fall, and how many are kept.
    fn kept(&self) -> Option<Shown> {
        let kept = self.queue.jobs.iter().filter(|it| it.is_kept).count();
        let jobs = counted(kept, "job has", "jobs have");
        self.queue.only_rises.then(|| {
            if self.queue.knows_reasons {
                sentence!(
                    "PriorityFlags has INCR_ONLY, so a priority never falls: {jobs} another one in squeue than sprio computes, and \
                     that one counts."
                )
            } else {
                "PriorityFlags has INCR_ONLY, so Slurm may keep higher priorities than sprio computes: give the output of \
                 squeue -o '%i|%u|%a|%P|%q|%Q|%t|%r', whose %Q counts."
                    .into()
            }
        })
    }

    fn columns(&self) -> Vec<Column<'_, &'a QueuedJob>> {
        type Row<'a> = &'a QueuedJob;
        let queue = self.queue;
        let is_ahead = queue.is_ahead();
        let places = places(|it: &Row<'_>| &it.job.label, |it| it.now.place.into());
        let mut columns = Vec::from(places);
        if is_ahead {
            let next = |it: &Row<'_>| it.next.place.into();
            columns.push(Column::number("Then", Unit::Rank, next).named("next_place"));
        }
        columns.extend(names(|it: &Row<'_>| &it.job.label));
        let priority = |it: &Row<'_>| Value::Count(it.now.priority);
        columns.push(Column::number("Priority", Unit::Count, priority).named("priority"));
        if is_ahead {
            let next = |it: &Row<'_>| it.told_next_priority().into();
            columns.push(Column::number("Then", Unit::Count, next).named("next_priority"));
        }
        for (part, own) in PARTS.into_iter().enumerate() {
            let value = move |it: &Row<'_>| rounded(it.now.points(part));
            let is_told = |it: &QueuedJob| it.now.points(part).is_some_and(|it| it != 0.0);
            if queue.jobs.iter().any(is_told) {
                let column = Column::number(own.title, Unit::Count, value).named(own.key);
                let order = if part == FAIR_SHARE { 2 } else { 9 };
                columns.push(column.giving_way(order));
            }
        }
        if queue.jobs.iter().any(|it| it.reason.is_some()) {
            let reason =
                |it: &Row<'_>| shown(it.reason.as_deref().unwrap_or_default()).cut(LONGEST_REASON);
            let reason = Column::left("Reason", reason).named("reason");
            columns.push(reason.giving_way(10));
        }
        columns
    }

    /// Adds the jobs whose reason no priority tells, those with a place first.
    fn add_other_reasons(&self, document: &mut Document<'a>, limit: usize) {
        type Row<'a> = (&'a JobLabel, Value, Shown);
        let queue = self.queue;
        let placed = queue.jobs.iter().filter_map(|it| {
            let words = reason(it.reason.as_ref()?)?;
            Some((&it.job.label, it.now.place.into(), words))
        });
        let unlisted = queue.unlisted.iter().map(|it| {
            let raw = it.reason.as_deref().unwrap_or_default();
            let words = reason(raw).unwrap_or_else(|| "not in sprio yet".into());
            (&it.label, Value::Null, words)
        });
        let rows: Vec<Row<'a>> = placed.chain(unlisted).collect();
        if rows.is_empty() {
            return;
        }
        let more = rows.len().saturating_sub(limit);
        document.heading("What no priority tells");
        let places = places(|it: &Row<'_>| it.0, |it| it.1).into_iter();
        let reason = Column::left("Reason", |it: &Row<'_>| it.2.clone());
        let columns = places.chain(names(|it: &Row<'_>| it.0)).chain([reason]);
        document.table(Table::new(columns.collect(), rows.into_iter().take(limit)));
        document.note(left_off(more));
        document.gap();
    }

    fn json(&self, it: &QueuedJob) -> impl Serialize {
        object! {
            #[serde(flatten)]
            label: label_json(&it.job.label),
            path: it.node.and_then(|node| path_of(self.base, node)),
            place: it.now.place,
            priority: it.now.priority,
            priority_computed: it.priority_computed,
            is_sum: it.is_sum,
            is_exact: it.is_exact,
            is_kept: it.is_kept,
            fairshare_of_tree: it.fair_share,
            is_fairshare_of_tree: it.is_fair_share,
            next_place: it.is_next_told.then_some(it.next.place),
            next_priority: it.told_next_priority(),
            parts: parts_json(&it.now.parts),
            reason: text(it.reason.as_ref()),
        }
    }
}

/// The cells of the longest reason in the table.
const LONGEST_REASON: usize = 24;

/// Returns points as a whole number, or with the decimals that factors have.
pub(super) fn number(points: f64) -> Value {
    let points = (points * 1e7).round() / 1e7;
    if points.fract() == 0.0 {
        Value::Count(whole(points))
    } else {
        Value::Double(points)
    }
}

impl Report for QueueReport<'_> {
    fn front(&self) -> Front {
        Front::of("Queue", &self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::headed(dump::headline(&self.view));
        document.paragraphs(self.sentences());
        let jobs = &self.queue.jobs;
        let limit = self.limit.unwrap_or(USUAL_LIMIT);
        if !jobs.is_empty() {
            let limit = limit.min(jobs.len());
            document.gap_in_text();
            document.table(Table::new(self.columns(), jobs[..limit].iter()));
            document.note(left_off(jobs.len() - limit));
            document.gap();
        }
        self.add_other_reasons(&mut document, limit);
        let unlisted =
            "sprio lists no held job, and none that waits for a time or for another job.";
        let unlisted = (!self.queue.knows_reasons).then_some(Shown::from(unlisted));
        let end = unlisted.into_iter().chain([Shown::from(UNTOLD)]);
        document.paragraph(Shown::joined(end, " "));
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let jobs = self.queue.jobs.iter();
        let unlisted = self.queue.unlisted.iter().map(|it| {
            object! {
                #[serde(flatten)]
                label: label_json(&it.label),
                reason: text(it.reason.as_ref()),
            }
        });
        let body = object! {
            weight_fair_share: self.queue.weight,
            left_out: self.queue.left_out,
            jobs: Lines(List(jobs.map(|it| self.json(it)))),
            unlisted: Lines(List(unlisted)),
        };
        json::write(out, &self.view, body)
    }

    fn csv(&self) -> Option<Table<'_>> {
        Some(Table::new(self.columns(), self.queue.jobs.iter()))
    }
}
