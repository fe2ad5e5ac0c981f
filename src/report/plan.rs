//! The plan as a report: commands, rollback, files and notes.
//!
//! What the plan cannot do comes before the commands, and the parts follow in the order in which they are needed: what to
//! know before, the commands, their effect, how to check it, and the way back.

mod script;

pub(crate) use script::scripts;

use super::check::add_left_out;
use super::impact::tables;
use super::render::document::{Block, COMMAND_LINE, Document, Front, Medium};
use super::render::json::{self, Entries, Lines, name_text, object};
use super::render::line::{Emphasis, Line};
use super::words::impact::summary;
use super::words::plan as words;
use super::{Report, View, visible};
use crate::analysis::impact::Impact;
use crate::analysis::plan::verify::{ChangeStatus, ChangeVerdict};
use crate::analysis::plan::{Plan, PlanFile};
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence, shown};
use crate::open::desired::Drift;
use crate::scenario::Scenario;
use hashbrown::HashMap;
use std::io::{self, Write};

/// A plan, what its edits do, and what came of the file that they were made from.
pub(crate) struct PlanReport<'a> {
    /// The edits.
    pub(crate) scenario: &'a Scenario,
    /// The tree with its edits.
    pub(crate) view: &'a View<'a>,
    /// The plan.
    pub(crate) plan: &'a Plan,
    /// Why the files of the scheduler could not be read, and are written anew; `None` if they were read.
    pub(crate) unread: Option<Shown>,
    /// What came of a file of desired shares.
    pub(crate) drift: Option<&'a Drift>,
}

impl Report for PlanReport<'_> {
    fn front(&self) -> Front {
        let name = shown(self.scenario.name().as_bytes());
        let title = if name.is_empty() {
            let scheduler = self.plan.scheduler.title();
            sentence!("The plan for {scheduler}")
        } else {
            sentence!("The plan of {name}")
        };
        Front::of(title, self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::default();
        add_verdict(&mut document, self.plan);
        add_part(&mut document, self.plan, Part::Refusals);
        add_impact(&mut document, self.scenario);
        add_rest(&mut document, self.plan);
        if let Some(unread) = &self.unread {
            let line = Line::of(Emphasis::Warning, unread.clone());
            document.line(line);
        }
        if let Some(drift) = self.drift {
            add_left_out(&mut document, &drift.problems);
        }
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let plan = self.plan;
        let mut files = Vec::new();
        for file in &plan.files {
            files.push((&file.name, name_text(&file.bytes)));
        }
        let body = object! {
            r#for: plan.scheduler.name(),
            commands: Lines(&plan.commands),
            rollback: Lines(&plan.rollback),
            files: Lines(Entries(files)),
            effective: Lines(effects(plan)),
            notes: Lines(notes(plan)),
            cannot: Lines(cannot(plan)),
            check: Lines(&plan.check),
        };
        json::write(out, self.view, body)
    }
}

/// A part of a plan, in the order in which it is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// What cannot be done.
    Refusals,
    /// What is to be known before.
    Notes,
    /// The commands that apply the edits.
    Commands,
    /// When they take effect.
    Effect,
    /// The commands that check it.
    Check,
    /// The commands that revert the edits.
    Rollback,
}

/// The parts after the refusals, in the order in which they are printed.
const PARTS: &[Part] = &[
    Part::Notes,
    Part::Commands,
    Part::Effect,
    Part::Check,
    Part::Rollback,
];

/// Adds a part of a plan, if it has anything.
pub(super) fn add_part(document: &mut Document<'_>, plan: &Plan, part: Part) {
    match part {
        Part::Refusals => {
            add_sentences(document, "Cannot be done", Emphasis::Warning, cannot(plan));
        }
        Part::Notes => add_sentences(document, "Before", Emphasis::Plain, notes(plan)),
        Part::Effect => add_sentences(document, "Effect", Emphasis::Plain, effects(plan)),
        Part::Commands => add_commands(document, "Commands", &plan.commands),
        Part::Check => add_commands(document, "Check", &plan.check),
        Part::Rollback => add_commands(document, "Rollback", &plan.rollback),
    }
}

/// Adds sentences as a list below a heading, if there are any.
fn add_sentences(
    document: &mut Document<'_>,
    heading: &'static str,
    emphasis: Emphasis,
    sentences: Vec<Shown>,
) {
    if sentences.is_empty() {
        return;
    }
    document.section(heading);
    for sentence in sentences {
        let line = Line::of(emphasis, sentence);
        document.item("  ", line);
    }
}

/// Adds shell commands as a person sees them: a shell would not read back one in which something is written out.
fn add_commands(document: &mut Document<'_>, heading: &'static str, commands: &[String]) {
    if commands.is_empty() {
        return;
    }
    let mut lines = Vec::new();
    for command in commands {
        lines.push(vec![visible(command)]);
    }
    document.section(heading);
    document.push(Block::Verbatim {
        language: "sh",
        lines,
    });
}

/// Returns what cannot be done, a sentence each.
fn cannot(plan: &Plan) -> Vec<Shown> {
    plan.omission_reasons.iter().map(words::cannot).collect()
}

/// Returns what is to be known before, a sentence each.
fn notes(plan: &Plan) -> Vec<Shown> {
    let mut notes = Vec::new();
    for note in &plan.notes {
        notes.push(words::note(note, plan.scheduler));
    }
    notes
}

/// Returns when the edits take effect, a sentence each.
fn effects(plan: &Plan) -> Vec<Shown> {
    plan.effective.iter().map(words::effect).collect()
}

/// Adds what the edits do: in a sentence, then who gains, who loses and who pays.
fn add_impact(document: &mut Document<'_>, scenario: &Scenario) {
    let impact = Impact::of(scenario);
    document.section("Impact");
    document.paragraph(summary(scenario, &impact));
    if let Some(compared) = scenario.compared() {
        // The columns "before" and "Δ" of the screens compare with it too.
        let compared = shown(compared.as_bytes());
        let sentence = sentence!(
            "Compared with the source as it was read, not with {compared}: the commands change the source."
        );
        document.paragraph(sentence);
    }
    for table in tables(scenario, &impact) {
        document.gap_in_text();
        table.add_to(document);
    }
}

/// Adds whether there is anything to do.
fn add_verdict(document: &mut Document<'_>, plan: &Plan) {
    let title = plan.scheduler.title();
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
}

/// Returns what edits do, where the source does not name the scheduler that commands would be for.
pub(crate) fn without_commands(scenario: &Scenario) -> Document<'_> {
    let mut document = Document::default();
    add_impact(&mut document, scenario);
    let why = "The source does not name its scheduler, so there are no commands.";
    document.section("Commands");
    let line = Line::of(Emphasis::Warning, why);
    document.line(line);
    document.push(Block::Verbatim {
        language: "sh",
        lines: vec![vec![
            "fairscope plan SOURCE --scenario FILE --for slurm".into(),
        ]],
    });
    document
}

/// Adds all of a plan but what cannot be done.
pub(super) fn add_rest(document: &mut Document<'_>, plan: &Plan) {
    for &part in PARTS {
        add_part(document, plan, part);
    }
    for file in &plan.files {
        add_file(document, file);
    }
}

/// The longest file, in lines, that is shown whole; of a longer one only the changed lines are shown.
const SHOWN_WHOLE: usize = 40;

/// Adds a file for people: all of its lines, or the changed ones.
fn add_file(document: &mut Document<'_>, file: &PlanFile) {
    let name = &file.name;
    let new = lines(&file.bytes);
    let mut shown = Vec::new();
    if file.before.is_none() || new.len() <= SHOWN_WHOLE {
        document.section(sentence!("{name}"));
        for line in new {
            shown.push(line_fields(line));
        }
    } else {
        let count = counted(new.len(), "line", "lines");
        let heading = sentence!("{name}, changes of its {count} (- before, + after)");
        document.push_in(&[Medium::Html], Block::Section(heading));
        let heading = sentence!(
            "{name}, changes of its {count} (- before, + after; --out DIR writes the whole file)"
        );
        document.push_in(COMMAND_LINE, Block::Section(heading));
        for mut line in changed_lines(file) {
            let sign = if line.is_new { '+' } else { '-' };
            line.fields[0] = sentence!("{sign}{}: {}", line.number, line.fields[0]);
            shown.push(line.fields);
        }
    }
    document.push(Block::Verbatim {
        language: "",
        lines: shown,
    });
}

/// Returns the fields of a line of a file, which tabs separate, for people. There is at least one.
fn line_fields(line: &[u8]) -> Vec<Shown> {
    let fields = line.split(|&byte| byte == b'\t');
    fields.map(|field| visible(&name_text(field))).collect()
}

/// Whether a plan was applied.
pub(crate) struct Review<'a> {
    /// The tree as it is now.
    pub(crate) view: &'a View<'a>,
    /// What became of each change.
    pub(crate) verdicts: &'a [ChangeVerdict],
}

impl Review<'_> {
    /// Returns how many changes were applied.
    fn applied(&self) -> usize {
        let mut count = 0;
        for verdict in self.verdicts {
            if verdict.standing == ChangeStatus::Applied {
                count += 1;
            }
        }
        count
    }

    /// Returns how many changes were left out of the plan.
    fn left_out(&self) -> usize {
        let mut count = 0;
        for verdict in self.verdicts {
            count += usize::from(verdict.is_left_out);
        }
        count
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
            let standing = words::standing(verdict);
            document.item("  ", sentence!("{standing}: {sentence}"));
        }
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut changes = Vec::new();
        for verdict in self.verdicts {
            changes.push(object! {
                standing: words::standing(verdict),
                text: words::verdict(verdict),
            });
        }
        let body = object! {
            applied: self.applied(),
            left_out: self.left_out(),
            changes: Lines(changes),
        };
        json::write(out, self.view, body)
    }
}

/// A line of a file that is removed or added.
struct ChangedLine {
    /// Whether it is added.
    is_new: bool,
    /// Its number in its file, from 1.
    number: usize,
    /// Its fields; there is at least one.
    fields: Vec<Shown>,
}

impl ChangedLine {
    /// Returns a line at a place in its file, from 0.
    fn of(is_new: bool, place: usize, line: &[u8]) -> Self {
        Self {
            is_new,
            number: place + 1,
            fields: line_fields(line),
        }
    }
}

/// Returns the lines of a file without the blank ones at its end.
fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    let text = bytes.trim_ascii_end();
    text.split(|&byte| byte == b'\n').collect()
}

/// Returns the removed and the added lines in the order of the files, each added line after the one that it replaces.
fn changed_lines(file: &PlanFile) -> Vec<ChangedLine> {
    let before = match &file.before {
        Some(bytes) => lines(bytes),
        None => Vec::new(),
    };
    let after = lines(&file.bytes);
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
            while next < old {
                changes.push(ChangedLine::of(false, next, before[next]));
                next += 1;
            }
            next = old + 1;
            continue;
        }
        if next < until[place] {
            changes.push(ChangedLine::of(false, next, before[next]));
            next += 1;
        }
        changes.push(ChangedLine::of(true, place, line));
    }
    for (place, &line) in before.iter().enumerate().skip(next) {
        changes.push(ChangedLine::of(false, place, line));
    }
    changes
}

/// The places of each line in the old file, of which each is taken once.
struct OldPlaces<'a> {
    /// By line, the first place that has it and is not taken yet.
    first: HashMap<&'a [u8], Option<usize>>,
    /// By place, the next one with the same line.
    next: Vec<Option<usize>>,
}

impl<'a> OldPlaces<'a> {
    /// Returns the places of the lines of a file.
    fn of(lines: &[&'a [u8]]) -> Self {
        let mut places = Self {
            first: HashMap::with_capacity(lines.len()),
            next: vec![None; lines.len()],
        };
        for (place, &line) in lines.iter().enumerate().rev() {
            let next = places.first.insert(line, Some(place));
            places.next[place] = next.flatten();
        }
        places
    }

    /// Takes the first place of a line; `None` if there is none left.
    fn take(&mut self, line: &[u8]) -> Option<usize> {
        let free = self.first.get_mut(line)?;
        let place = (*free)?;
        *free = self.next[place];
        Some(place)
    }
}

/// Returns, for each new line, the old one that it is, if it stays: those are the longest row in the same order in both
/// files.
fn unchanged(before: &[&[u8]], after: &[&[u8]]) -> Vec<Option<usize>> {
    let mut places = OldPlaces::of(before);
    let mut old = Vec::with_capacity(after.len());
    for line in after {
        old.push(places.take(line));
    }
    // The rows so far by length: the new line each of them ends with, so that it ends with the earliest old one.
    let mut ends: Vec<usize> = Vec::new();
    let mut previous = vec![None; after.len()];
    for (place, of_old) in old.iter().enumerate() {
        if of_old.is_none() {
            continue;
        }
        let length = ends.partition_point(|&end| old[end] < *of_old);
        if length > 0 {
            previous[place] = Some(ends[length - 1]);
        }
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
