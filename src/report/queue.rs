//! `queue`: the jobs that wait, the parts of their priorities, and the places that edits give them.
//!
//! The sentences before the table say how far the priorities can be trusted: whether they are the sums of their parts, and
//! whether their fairshare is that of the tree. Jobs that wait for what no priority tells have a table of their own.

mod columns;
mod job;

pub(crate) use job::JobReport;

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
use crate::format::slurm::sprio::{PARTS, whole};
use crate::format::slurm::squeue::ListedJob;
use crate::model::{Tree, duration_for_people, path_of};
use serde::Serialize;
use std::io::{self, Write};

/// How many jobs people see unless more are asked for.
const USUAL_LIMIT: usize = 40;

/// What no priority can tell.
const UNTOLD: &str =
    "When a job starts is not told: limits, reservations and backfill decide that too.";

/// The jobs that wait.
pub(crate) struct QueueReport<'a> {
    /// The tree with its edits.
    pub(crate) view: View<'a>,
    /// The tree as it was read, to which the jobs belong.
    pub(crate) base: &'a Tree,
    /// The jobs with their places.
    pub(crate) queue: &'a Queue,
    /// How many jobs people see; `None` for the usual number.
    pub(crate) limit: Option<usize>,
}

/// A column of the jobs that wait for what no priority tells.
type HeldJobColumn<'a> = Column<'a, HeldJob<'a>>;

/// Returns the columns of the number of a job and its place.
pub(super) fn places<'a, R: 'a>(
    label: fn(&R) -> &JobLabel,
    place: fn(&R) -> Value,
) -> Vec<Column<'a, R>> {
    let id = Column::left("Job", move |row| label(row).id.clone());
    let place = Column::number("Place", Unit::Rank, place);
    vec![id.named("id"), place.named("place")]
}

/// Adds the columns of the names of a job.
fn add_name_columns<'a, R: 'a>(columns: &mut Vec<Column<'a, R>>, label: fn(&R) -> &JobLabel) {
    let user = Column::left("User", move |row| {
        let user = &label(row).user;
        name(user.as_ref())
    });
    let account = Column::left("Account", move |row| {
        let account = &label(row).account;
        name(account.as_ref())
    });
    let partition = Column::left("In", move |row| {
        let partition = &label(row).partition;
        name(partition.as_ref())
    });
    columns.push(user.named("user"));
    columns.push(account.named("account").giving_way(3));
    columns.push(partition.named("partition").giving_way(8));
}

/// Returns a name or a reason for people; empty if it is not printed.
fn name(name: Option<&Vec<u8>>) -> Shown {
    match name {
        Some(name) => shown(name),
        None => Shown::default(),
    }
}

/// Returns a name or a reason for JSON.
fn text(text: Option<&Vec<u8>>) -> impl Serialize {
    text.map(|text| name_text(text).into_owned())
}

/// Returns what a job is called, for JSON.
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
    let mut entries = Vec::new();
    for (own, part) in PARTS.iter().zip(parts) {
        let points = part.map(|part| number(part.points));
        entries.push((own.key, points));
    }
    Entries(entries)
}

/// Says that so many jobs are missing, and what that does to the others; `None` if none is.
fn left_out_sentence(count: usize) -> Option<Shown> {
    if count == 0 {
        return None;
    }
    let jobs = counted(count, "job is", "jobs are");
    let because = word_for(count, "its line", "their lines");
    Some(sentence!(
        "{jobs} left out, because {because} cannot be read: places count only the others. Save the outputs again, or take \
         a snapshot."
    ))
}

/// Returns points for people.
pub(super) fn rounded(points: Option<f64>) -> Value {
    match points {
        Some(points) => {
            let rounded = points.round();
            Value::Count(whole(rounded))
        }
        None => Value::Null,
    }
}

/// What the priorities of jobs are found to be.
#[derive(Default)]
struct PriorityChecks {
    /// Set by hand, and so without parts.
    by_hand: usize,
    /// Without all of TRES, which `sprio -l` cuts.
    cut: usize,
    /// Exactly the sum of factor × weight.
    exact: usize,
    /// Known to be that sum or not.
    of_factors: usize,
    /// That sum only within the rounding of what `sprio` prints.
    rounded: usize,
    /// The sum of their parts, as far as can be told.
    right: usize,
    /// Known to be the sum of their parts or not.
    all: usize,
}

impl PriorityChecks {
    /// Counts the jobs of a queue.
    fn of(jobs: &[QueuedJob]) -> Self {
        let mut checks = Self::default();
        for job in jobs {
            if job.job.is_by_hand() {
                checks.by_hand += 1;
            }
            if job.job.is_tres_cut() {
                checks.cut += 1;
            }
            let is_sum = job.is_sum == Some(true);
            if is_sum {
                checks.right += 1;
            }
            if job.is_sum.is_some() {
                checks.all += 1;
            }
            match job.is_exact {
                Some(true) => checks.exact += 1,
                Some(false) if is_sum => checks.rounded += 1,
                _ => {}
            }
            if job.is_exact.is_some() {
                checks.of_factors += 1;
            }
        }
        checks
    }
}

impl<'a> QueueReport<'a> {
    /// Says how many priorities are the sum of their parts.
    fn sums(&self) -> Vec<Shown> {
        let jobs = &self.queue.jobs;
        let checks = PriorityChecks::of(jobs);
        let mut sentences = Vec::new();
        if checks.of_factors > 0 {
            sentences.push(self.exact_sums(&checks));
            if checks.rounded > 0 {
                let more = counted(checks.rounded, "other is", "others are");
                sentences.push(sentence!(
                    "{more} equal to it within the rounding of what sprio prints."
                ));
            }
        } else if checks.all > 0 {
            sentences.push(self.rounded_sums(&checks));
        } else if checks.by_hand + checks.cut < jobs.len() {
            sentences.push(
                "Not every part or weight is known, so sums are not verified: run sprio -l, and give --config FILE with \
                 scontrol show config."
                    .into(),
            );
        }
        if checks.cut > 0 {
            let cut = counted(checks.cut, "priority has", "priorities have");
            sentences.push(sentence!(
                "{cut} TRES cut by sprio -l: it is what the other parts leave, and not verified."
            ));
        }
        if let Some(first) = jobs.iter().find(|job| job.is_sum == Some(false)) {
            let wrong = counted(
                checks.all - checks.right,
                "priority contradicts its parts",
                "priorities contradict their parts",
            );
            let id = &first.job.label.id;
            sentences.push(sentence!("{wrong}, first that of job {id}."));
        }
        if checks.by_hand > 0 && checks.of_factors == 0 {
            let by_hand = counted(checks.by_hand, "priority was", "priorities were");
            sentences.push(sentence!("{by_hand} set by hand, without parts."));
        }
        sentences
    }

    /// Says how many priorities are exactly what factors and weights give, or were set by hand.
    fn exact_sums(&self, checks: &PriorityChecks) -> Shown {
        let are = counted(self.queue.jobs.len(), "priority is", "priorities are");
        let verified = grouped(checks.exact + checks.by_hand);
        let sums = counted(checks.exact, "is", "are");
        let mut text =
            sentence!("{verified} of {are} verified: {sums} exactly the sum of factor × weight");
        if checks.by_hand > 0 {
            let set = counted(checks.by_hand, "was", "were");
            text += &sentence!("; {set} set by hand");
        }
        sentence!("{text}.")
    }

    /// Says how many priorities are what rounded numbers give.
    fn rounded_sums(&self, checks: &PriorityChecks) -> Shown {
        let right = grouped(checks.right);
        let mut jobs = self.queue.jobs.iter();
        if jobs.any(|job| job.job.priority.is_none()) {
            let all = counted(checks.all, "priority is the", "priorities are the");
            return sentence!(
                "{right} of {all} sum of factor × weight to the decimals of sprio -n; sprio -l as well tells every digit."
            );
        }
        let all = counted(
            checks.all,
            "priority is the sum of its",
            "priorities are the sum of their",
        );
        sentence!("{right} of {all} rounded parts.")
    }

    /// Says whether the fairshare of the jobs is that of the tree.
    fn fair_share(&self) -> Vec<Shown> {
        let jobs = &self.queue.jobs;
        if self.queue.users.is_none() {
            return vec![
                "Fairshare is not compared: that needs a tree. Give an output of sshare as SOURCE."
                    .into(),
            ];
        }
        let Some(weight) = self.queue.weight else {
            return vec![
                "PriorityWeightFairShare is not known, so fairshare is not compared with the tree: give --config FILE \
                 with scontrol show config, or --set PriorityWeightFairShare=N."
                    .into(),
            ];
        };
        let mut others = 0;
        let mut right = 0;
        let mut all = 0;
        for job in jobs {
            if job.node.is_none() {
                others += 1;
            }
            if let Some(is_right) = job.is_fair_share {
                all += 1;
                right += usize::from(is_right);
            }
        }
        if others == jobs.len() {
            return vec![
                "Priorities are not verified with the tree: none of the jobs belongs to one of its users. Give the tree of \
                 the same cluster, and run sprio -l, which prints users."
                    .into(),
            ];
        }
        let right_count = grouped(right);
        let compared = counted(all, "job", "jobs");
        let factor = grouped(weight);
        let agree = sentence!(
            "fairshare of {right_count} of {compared} is the factor of the tree × {factor}"
        );
        let mut sentences = Vec::new();
        if all > 2 * right {
            sentences.push(sentence!(
                "Priorities are not verified with the tree: the {agree}, so that sprio and the tree are of different times."
            ));
        } else {
            sentences.push(sentence!("The {agree}."));
        }
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
        let mut moved = 0;
        for job in &self.queue.jobs {
            if job.next.place != job.now.place {
                moved += 1;
            }
        }
        let change = counted(moved, "job changes its place", "jobs change their places");
        let seconds = self.view.settings.slurm.calc_period;
        let period = duration_for_people(seconds.into());
        let because = if self.queue.has_edits {
            "After the edits"
        } else {
            "By the shares and the usage of the tree"
        };
        let mut sentences = vec![sentence!(
            "{because} {change} at the next calculation, with {period} more of age and all other parts as they are."
        )];
        if let Some(caveat) = self.view.caveat {
            let doubt = doubt(&caveat.reason);
            sentences.push(sentence!("{doubt}."));
        }
        sentences
    }

    /// Says what was verified, and what edits change.
    fn sentences(&self) -> Vec<Shown> {
        let mut sentences = Vec::new();
        sentences.extend(left_out_sentence(self.queue.left_out));
        let count = self.queue.jobs.len();
        if count == 0 {
            if sentences.is_empty() {
                sentences.push("No job waits.".into());
            }
            return sentences;
        }
        let mut sums = self.sums().into_iter();
        let waiting = counted(count, "job waits", "jobs wait");
        let mut first = sentence!("{waiting}.");
        if let Some(sum) = sums.next() {
            first = sentence!("{first} {sum}");
        }
        sentences.push(first);
        sentences.extend(sums);
        sentences.extend(self.kept());
        sentences.extend(self.fair_share());
        sentences.extend(self.next());
        sentences
    }

    /// Says that priorities never fall, and how many are kept; `None` if they fall.
    fn kept(&self) -> Option<Shown> {
        if !self.queue.only_rises {
            return None;
        }
        if !self.queue.knows_reasons {
            return Some(
                "PriorityFlags has INCR_ONLY, so Slurm may keep higher priorities than sprio computes: give the output of \
                 squeue -o '%i|%u|%a|%P|%q|%Q|%t|%r', whose %Q counts."
                    .into(),
            );
        }
        let mut kept = 0;
        for job in &self.queue.jobs {
            if job.is_kept {
                kept += 1;
            }
        }
        let jobs = counted(kept, "job has", "jobs have");
        Some(sentence!(
            "PriorityFlags has INCR_ONLY, so priorities never fall. {jobs} another priority in squeue than sprio computes; \
             the one in squeue counts."
        ))
    }

    /// Returns the jobs that people see.
    fn listed(&self) -> &'a [QueuedJob] {
        let jobs = &self.queue.jobs;
        let limit = self.limit.unwrap_or(USUAL_LIMIT);
        &jobs[..jobs.len().min(limit)]
    }

    /// Adds the jobs whose reason no priority tells, those with a place first.
    fn add_other_reasons(&self, document: &mut Document<'a>, limit: usize) {
        let rows = self.held_jobs();
        if rows.is_empty() {
            return;
        }
        let more = rows.len().saturating_sub(limit);
        let mut columns: Vec<HeldJobColumn<'_>> = places(|job| job.label, |job| job.place);
        add_name_columns(&mut columns, |job| job.label);
        let reason = HeldJobColumn::left("Reason", |job| job.reason.clone());
        columns.push(reason);
        let listed = rows.into_iter().take(limit);
        document.heading("Other reasons for waiting");
        document.table(Table::new(columns, listed));
        document.note_left_off(left_off(more));
        document.gap();
    }

    /// Returns the jobs whose reason no priority tells, those with a place first.
    fn held_jobs(&self) -> Vec<HeldJob<'a>> {
        let mut rows = Vec::new();
        for job in &self.queue.jobs {
            if let Some(raw) = &job.reason
                && let Some(words) = reason(raw)
            {
                rows.push(HeldJob {
                    label: &job.job.label,
                    place: job.now.place.into(),
                    reason: words,
                });
            }
        }
        for job in &self.queue.unlisted {
            let raw = job.reason.as_deref().unwrap_or_default();
            let words = match reason(raw) {
                Some(words) => words,
                None => "not in sprio yet".into(),
            };
            rows.push(HeldJob {
                label: &job.label,
                place: Value::Null,
                reason: words,
            });
        }
        rows
    }

    /// Returns a job for JSON.
    fn json(&self, job: &QueuedJob) -> impl Serialize {
        let mut path = None;
        if let Some(node) = job.node {
            path = path_of(self.base, node);
        }
        object! {
            #[serde(flatten)]
            label: label_json(&job.job.label),
            path: path,
            place: job.now.place,
            priority: job.now.priority,
            priority_computed: job.priority_computed,
            is_sum: job.is_sum,
            is_exact: job.is_exact,
            is_kept: job.is_kept,
            fairshare_of_tree: job.fair_share,
            is_fairshare_of_tree: job.is_fair_share,
            next_place: job.is_next_told.then_some(job.next.place),
            next_priority: job.told_next_priority(),
            parts: parts_json(&job.now.parts),
            reason: text(job.reason.as_ref()),
        }
    }
}

/// Returns a job that has no priority yet, for JSON.
fn unlisted_json(job: &ListedJob) -> impl Serialize {
    object! {
        #[serde(flatten)]
        label: label_json(&job.label),
        reason: text(job.reason.as_ref()),
    }
}

/// A job that waits for what no priority tells.
#[derive(Clone)]
struct HeldJob<'a> {
    /// What it is called.
    label: &'a JobLabel,
    /// Its place in the queue, if it has one.
    place: Value,
    /// What it waits for, in words.
    reason: Shown,
}

/// Returns points as a whole number, or with the decimals that factors have, seven at most.
pub(super) fn number(points: f64) -> Value {
    let decimals = (points * 1e7).round() / 1e7;
    if decimals.fract() == 0.0 {
        return Value::Count(whole(decimals));
    }
    Value::Double(decimals)
}

impl Report for QueueReport<'_> {
    fn front(&self) -> Front {
        Front::of("Queue", &self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::headed(dump::headline(&self.view));
        document.paragraphs(self.sentences());
        let listed = self.listed();
        let limit = self.limit.unwrap_or(USUAL_LIMIT);
        if !listed.is_empty() {
            document.gap_in_text();
            let table = Table::new(self.columns(), listed.iter());
            document.table(table.with_choices());
            document.note_left_off(left_off(self.queue.jobs.len() - listed.len()));
            document.gap();
            for job in listed {
                document.jobs.push(job.name.clone());
            }
        }
        self.add_other_reasons(&mut document, limit);
        if self.queue.knows_reasons {
            document.paragraph(UNTOLD);
        } else {
            document.paragraph(sentence!(
                "sprio lists no held job, and none that waits for a time or for another job. {UNTOLD}"
            ));
        }
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let jobs = self.queue.jobs.iter();
        let unlisted = self.queue.unlisted.iter();
        let body = object! {
            weight_fair_share: self.queue.weight,
            left_out: self.queue.left_out,
            jobs: Lines(List(jobs.map(|job| self.json(job)))),
            unlisted: Lines(List(unlisted.map(unlisted_json))),
        };
        json::write(out, &self.view, body)
    }

    fn csv(&self) -> Option<Table<'_>> {
        let jobs = self.queue.jobs.iter();
        Some(Table::new(self.columns(), jobs))
    }
}
