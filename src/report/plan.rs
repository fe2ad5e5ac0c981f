//! The plan as a report: commands, rollback, files and notes.

mod lines;

use super::document::{Block, Document, Medium};
use super::front::Front;
use super::json::{Entries, Lines, List, name_text, object};
use super::line::{Emphasis, Line};
use super::text::text_of;
use super::words::plan as words;
use super::{Report, View, json, visible};
use crate::analysis::plan::verify::{ChangeStatus, ChangeVerdict};
use crate::analysis::plan::{Plan, PlanFile};
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence};
pub(crate) use lines::changed_lines;
use lines::lines;
use std::io::{self, Write};

/// Returns a plan as text.
pub(crate) fn text(plan: &Plan) -> String {
    text_of(&document(plan))
}

/// The report of a plan.
pub(crate) struct PlanReport<'a> {
    pub(crate) view: &'a View<'a>,
    pub(crate) plan: &'a Plan,
}

impl Report for PlanReport<'_> {
    fn front(&self) -> Front {
        Front::of(
            sentence!("Plan for {}", self.plan.scheduler.title()),
            self.view,
        )
    }

    fn document(&self) -> Document<'_> {
        document(self.plan)
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { view, plan } = *self;
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
            problems: json::problems(view.problems.list()),
        };
        json::write(out, view, body)
    }
}

/// A part of a plan, in the order in which it is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Changes that cannot be applied to the scheduler.
    Refusals,
    /// Notes to read before.
    Notes,
    /// Shell commands that apply the edits.
    Commands,
    /// When and how they take effect.
    Effect,
    /// Shell commands that show whether they took effect.
    Check,
    /// Shell commands that restore what was there before.
    Rollback,
}

/// The parts in the order in which they are printed.
const PARTS: [Part; 6] = [
    Part::Refusals,
    Part::Notes,
    Part::Commands,
    Part::Effect,
    Part::Check,
    Part::Rollback,
];

/// Adds a part of a plan, unless it is empty.
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

/// Returns the changes that cannot be applied to the scheduler, in words.
fn cannot(plan: &Plan) -> Vec<Shown> {
    plan.omission_reasons.iter().map(words::cannot).collect()
}

/// Returns the notes to read before a plan is run, in words.
fn notes(plan: &Plan) -> Vec<Shown> {
    let noted = plan.notes.iter();
    noted
        .map(|noted| words::note(noted, plan.scheduler))
        .collect()
}

/// Returns when and how a plan takes effect, in words.
fn effects(plan: &Plan) -> Vec<Shown> {
    plan.effective.iter().map(words::effect).collect()
}

/// Returns a plan for people.
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
    for part in PARTS {
        add_part(&mut document, plan, part);
    }
    for file in &plan.files {
        let (note, lines) = file_lines(file);
        document.section(sentence!("{}{note}", file.name));
        document.push(Block::Verbatim {
            language: "",
            lines,
        });
    }
    document
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
    line.split(|&byte| byte == b'\t')
        .map(|part| visible(&name_text(part)))
        .collect()
}

/// The report of the verification of a plan.
pub(crate) struct Review<'a> {
    pub(crate) view: &'a View<'a>,
    pub(crate) verdicts: &'a [ChangeVerdict],
}

impl Review<'_> {
    fn count(&self, counts: fn(&ChangeVerdict) -> bool) -> usize {
        self.verdicts.iter().filter(|it| counts(it)).count()
    }

    fn applied(&self) -> usize {
        self.count(|verdict| verdict.standing == ChangeStatus::Applied)
    }

    fn left_out(&self) -> usize {
        self.count(|verdict| verdict.is_left_out)
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
        document.sentence(sentence!(
            "Applied: {} of {}{left_out}",
            self.applied(),
            counted(self.verdicts.len(), "change", "changes")
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
            object! {
                standing: words::standing(verdict),
                text: words::verdict(verdict),
            }
        });
        let body = object! {
            applied: self.applied(),
            left_out: self.left_out(),
            changes: Lines(List(changes)),
            problems: json::problems(self.view.problems.list()),
        };
        json::write(out, self.view, body)
    }
}
