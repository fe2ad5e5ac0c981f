//! The plan as a report: commands, rollback, files and notes.

mod script;

pub(crate) use script::scripts;

use super::check::add_left_out;
use super::render::document::{Block, Document, Front, Medium};
use super::render::json::{self, Entries, Lines, List, name_text, object};
use super::render::line::{Emphasis, Line};
use super::render::text::text_of;
use super::words::plan as words;
use super::{Report, View, visible};
use crate::analysis::plan::verify::{ChangeStatus, ChangeVerdict};
use crate::analysis::plan::{Plan, PlanFile};
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence};
use crate::open::desired::Drift;
use hashbrown::HashMap;
use std::io::{self, Write};

pub(crate) fn text(plan: &Plan) -> String {
    text_of(&document(plan))
}

pub(crate) struct PlanReport<'a> {
    pub(crate) view: &'a View<'a>,
    pub(crate) plan: &'a Plan,
    /// What came of a file of desired shares.
    pub(crate) drift: Option<&'a Drift>,
}

impl Report for PlanReport<'_> {
    fn front(&self) -> Front {
        let title = self.plan.scheduler.title();
        Front::of(sentence!("Plan for {title}"), self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = document(self.plan);
        if let Some(drift) = self.drift {
            add_left_out(&mut document, &drift.problems);
        }
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { view, plan, .. } = *self;
        let files = plan.files.iter();
        let body = object! {
            r#for: plan.scheduler.name(),
            commands: Lines(&plan.commands),
            rollback: Lines(&plan.rollback),
            files: Lines(Entries(files.map(|file| (&file.name, name_text(&file.bytes))))),
            effective: Lines(effects(plan)),
            notes: Lines(notes(plan)),
            cannot: Lines(cannot(plan)),
            check: Lines(&plan.check),
        };
        json::write(out, view, body)
    }
}

/// A part of a plan, in the order in which it is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Refusals,
    Notes,
    Commands,
    Effect,
    Check,
    Rollback,
}

/// The parts after the refusals, in the order in which they are printed.
const PARTS: [Part; 5] = [
    Part::Notes,
    Part::Commands,
    Part::Effect,
    Part::Check,
    Part::Rollback,
];

pub(crate) fn add_part(document: &mut Document<'_>, plan: &Plan, part: Part) {
    let (heading, emphasis, sentences) = match part {
        Part::Refusals => ("Cannot be done", Emphasis::Warning, cannot(plan)),
        Part::Notes => ("Before", Emphasis::Plain, notes(plan)),
        Part::Effect => ("Effect", Emphasis::Plain, effects(plan)),
        Part::Commands => return add_commands(document, "Commands", &plan.commands),
        Part::Check => return add_commands(document, "Check", &plan.check),
        Part::Rollback => return add_commands(document, "Rollback", &plan.rollback),
    };
    if !sentences.is_empty() {
        document.section(heading);
        for sentence in sentences {
            document.item("  ", Line::of(emphasis, sentence));
        }
    }
}

/// Adds shell commands as a person sees them: a shell would not read back one in which something is written out.
fn add_commands(document: &mut Document<'_>, heading: &'static str, commands: &[String]) {
    if !commands.is_empty() {
        document.section(heading);
        document.push(Block::Verbatim {
            language: "sh",
            lines: commands.iter().map(|it| vec![visible(it)]).collect(),
        });
    }
}

fn cannot(plan: &Plan) -> Vec<Shown> {
    plan.omission_reasons.iter().map(words::cannot).collect()
}

fn notes(plan: &Plan) -> Vec<Shown> {
    let note = |note| words::note(note, plan.scheduler);
    plan.notes.iter().map(note).collect()
}

fn effects(plan: &Plan) -> Vec<Shown> {
    plan.effective.iter().map(words::effect).collect()
}

fn document(plan: &Plan) -> Document<'_> {
    let title = plan.scheduler.title();
    let mut document = Document::default();
    let heading = Block::Sentence(sentence!("# Plan for {title}"));
    document.push_in(&[Medium::Markdown], heading);
    let sentence = if !plan.is_empty() {
        sentence!("Plan for {title}. Nothing has been run.")
    } else if plan.omission_reasons.is_empty() {
        sentence!("There is nothing to do for {title}.")
    } else {
        sentence!("None of this can be applied to {title}.")
    };
    document.push_in(&[Medium::Text, Medium::Html], Block::Sentence(sentence));
    add_part(&mut document, plan, Part::Refusals);
    add_rest(&mut document, plan);
    document
}

/// Adds all of a plan but what cannot be done.
pub(super) fn add_rest(document: &mut Document<'_>, plan: &Plan) {
    for part in PARTS {
        add_part(document, plan, part);
    }
    for file in &plan.files {
        let (note, lines) = file_lines(file);
        let language = "";
        document.section(sentence!("{}{note}", file.name));
        document.push(Block::Verbatim { language, lines });
    }
}

/// The longest file, in lines, that is shown whole; of a longer one only the changed lines are shown.
const SHOWN_WHOLE: usize = 40;

/// Returns the lines of a file for people, and a remark to follow its name if some are left out.
fn file_lines(file: &PlanFile) -> (Shown, Vec<Vec<Shown>>) {
    let new = lines(&file.bytes);
    if file.before.is_none() || new.len() <= SHOWN_WHOLE {
        return (Shown::default(), new.into_iter().map(line_fields).collect());
    }
    let changes = changed_lines(file).into_iter();
    let shown = changes.map(|mut line| {
        let sign = if line.is_new { '+' } else { '-' };
        line.fields[0] = sentence!("{sign}{}: {}", line.number, line.fields[0]);
        line.fields
    });
    let note = sentence!(
        ", changes of its {} (- before, + after; --out DIR writes the whole file)",
        counted(new.len(), "line", "lines")
    );
    (note, shown.collect())
}

/// Returns the fields of a line of a file, which tabs separate, for people. There is at least one.
fn line_fields(line: &[u8]) -> Vec<Shown> {
    let fields = line.split(|&byte| byte == b'\t');
    fields.map(|field| visible(&name_text(field))).collect()
}

pub(crate) struct Review<'a> {
    pub(crate) view: &'a View<'a>,
    pub(crate) verdicts: &'a [ChangeVerdict],
}

impl Review<'_> {
    fn applied(&self) -> usize {
        let verdicts = self.verdicts.iter();
        verdicts
            .filter(|it| it.standing == ChangeStatus::Applied)
            .count()
    }

    fn left_out(&self) -> usize {
        self.verdicts.iter().filter(|it| it.is_left_out).count()
    }
}

impl Report for Review<'_> {
    fn front(&self) -> Front {
        Front::of("Has the plan been applied?", self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::default();
        let left_out = match self.left_out() {
            0 => Shown::default(),
            1 => "; 1 was left out of the plan".into(),
            count => sentence!("; {count} were left out of the plan"),
        };
        let changes = counted(self.verdicts.len(), "change", "changes");
        document.sentence(sentence!(
            "Applied: {} of {changes}{left_out}",
            self.applied()
        ));
        document.gap_in_markdown();
        for verdict in self.verdicts {
            let sentence = words::verdict(verdict);
            document.item("  ", sentence!("{}: {sentence}", words::standing(verdict)));
        }
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let changes = self.verdicts.iter().map(|verdict| {
            object! { standing: words::standing(verdict), text: words::verdict(verdict) }
        });
        let body = object! {
            applied: self.applied(),
            left_out: self.left_out(),
            changes: Lines(List(changes)),
        };
        json::write(out, self.view, body)
    }
}

pub(crate) struct ChangedLine {
    pub(crate) is_new: bool,
    /// Its number in its file, from 1.
    number: usize,
    /// Its fields; there is at least one.
    pub(crate) fields: Vec<Shown>,
}

/// Returns the lines of a file without the blank ones at its end.
fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    let bytes = bytes.trim_ascii_end();
    bytes.split(|&byte| byte == b'\n').collect()
}

/// Returns the removed and the added lines in the order of the files, each added line after the one that it replaces.
pub(crate) fn changed_lines(file: &PlanFile) -> Vec<ChangedLine> {
    let before = file.before.as_deref().map_or_else(Vec::new, lines);
    let after = lines(&file.bytes);
    let changed = |is_new, place: usize, line| ChangedLine {
        is_new,
        number: place + 1,
        fields: line_fields(line),
    };
    let old_line = |place: usize| changed(false, place, before[place]);
    let unchanged = unchanged(&before, &after);
    // By new line: the old line up to which old ones go before it.
    let mut until = vec![before.len(); after.len()];
    let mut next_unchanged = before.len();
    for (place, old) in unchanged.iter().enumerate().rev() {
        next_unchanged = old.unwrap_or(next_unchanged);
        until[place] = next_unchanged;
    }
    let mut changes = Vec::new();
    let mut next = 0;
    for (place, &line) in after.iter().enumerate() {
        if let Some(old) = unchanged[place] {
            changes.extend((next..old).map(old_line));
            next = old + 1;
            continue;
        }
        if next < until[place] {
            changes.push(old_line(next));
            next += 1;
        }
        changes.push(changed(true, place, line));
    }
    changes.extend((next..before.len()).map(old_line));
    changes
}

/// For each new line the old one that it is, if it stays: those are the longest row in the same order in both files.
fn unchanged(before: &[&[u8]], after: &[&[u8]]) -> Vec<Option<usize>> {
    // By line, the first old place that has it and is not taken yet; by old place, the next one with the same line.
    let mut first: HashMap<&[u8], Option<usize>> = HashMap::with_capacity(before.len());
    let mut next = vec![None; before.len()];
    for (place, &line) in before.iter().enumerate().rev() {
        next[place] = first.insert(line, Some(place)).flatten();
    }
    let mut take = |line: &[u8]| {
        let free = first.get_mut(line)?;
        let place = (*free)?;
        *free = next[place];
        Some(place)
    };
    let old: Vec<Option<usize>> = after.iter().map(|line| take(line)).collect();
    // The rows so far by length: the new line each of them ends with, so that it ends with the earliest old one.
    let mut ends: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = vec![None; after.len()];
    for (place, of_old) in old.iter().enumerate().filter(|(_, old)| old.is_some()) {
        let length = ends.partition_point(|&end| old[end] < *of_old);
        previous[place] = length.checked_sub(1).map(|shorter| ends[shorter]);
        if length == ends.len() {
            ends.push(place);
        } else {
            ends[length] = place;
        }
    }
    let mut unchanged = vec![None; after.len()];
    let mut last = ends.last().copied();
    while let Some(place) = last {
        unchanged[place] = old[place];
        last = previous[place];
    }
    unchanged
}
