//! The plan as a report: commands, rollback, files and notes.

mod lines;

use super::front::Front;
use super::json::{Entries, Lines, List, name_text, object};
use super::page::Page;
use super::words::plan as words;
use super::{Output, Prose, ProseForm, View, emit_prose, json, visible};
use crate::analysis::plan::verify::{ChangeStatus, ChangeVerdict};
use crate::analysis::plan::{Plan, PlanFile};
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence};
use lines::changed_lines;
use std::io::{self, Write};

/// Writes a plan.
///
/// # Errors
/// If writing fails.
pub fn write(
    out: &mut dyn Output,
    view: &View<'_>,
    plan: &Plan,
    form: ProseForm,
) -> io::Result<()> {
    emit_prose(out, &Report { view, plan }, form)
}

/// Writes a plan as text.
///
/// # Errors
/// If writing fails.
pub fn write_text(out: &mut dyn Output, plan: &Plan) -> io::Result<()> {
    write_page(&mut Page::text(out), plan)
}

/// The report of a plan.
struct Report<'a> {
    view: &'a View<'a>,
    plan: &'a Plan,
}

impl Prose for Report<'_> {
    fn front(&self) -> Front {
        Front::of(
            sentence!("Plan for {}", self.plan.scheduler.title()),
            self.view,
        )
    }

    fn write_page(&self, page: &mut Page<'_>) -> io::Result<()> {
        write_page(page, self.plan)
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

/// A section of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The heading.
    pub heading: &'static str,
    /// The kind of the lines.
    pub content: Content,
    /// The lines.
    pub lines: Vec<Shown>,
}

/// The kind of the lines of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Sentences about changes that cannot be applied to the scheduler.
    Refusals,
    /// Notes for the admin.
    Notes,
    /// Shell commands that apply the edits.
    Commands,
    /// Shell commands that show whether they took effect.
    Check,
    /// Shell commands that restore what was there before.
    Rollback,
}

impl Content {
    /// Returns whether the lines are shell commands.
    pub const fn is_shell(self) -> bool {
        matches!(self, Self::Commands | Self::Check | Self::Rollback)
    }
}

/// Returns the sections of a plan that have lines.
pub fn sections(plan: &Plan) -> Vec<Section> {
    let section = |heading, content, lines| Section {
        heading,
        content,
        lines,
    };
    let mut sections = vec![
        section("Cannot be done", Content::Refusals, cannot(plan)),
        section("Before", Content::Notes, notes(plan)),
        section("Commands", Content::Commands, commands(&plan.commands)),
        section("Effect", Content::Notes, effects(plan)),
        section("Check", Content::Check, commands(&plan.check)),
        section("Rollback", Content::Rollback, commands(&plan.rollback)),
    ];
    sections.retain(|section| !section.lines.is_empty());
    sections
}

/// Returns commands for people: a shell would not read back one in which something is written out.
fn commands(commands: &[String]) -> Vec<Shown> {
    commands.iter().map(|command| visible(command)).collect()
}

/// Returns the changes that cannot be applied to the scheduler, in words.
fn cannot(plan: &Plan) -> Vec<Shown> {
    let refused = plan.omission_reasons.iter();
    refused
        .map(|refused| words::cannot(refused, plan.scheduler))
        .collect()
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

/// Writes a plan for people.
fn write_page(page: &mut Page<'_>, plan: &Plan) -> io::Result<()> {
    let title = plan.scheduler.title();
    if page.is_markdown() {
        page.line(sentence!("# Plan for {title}"))?;
    } else if !plan.is_empty() {
        page.line(sentence!("Plan for {title}. Nothing has been run."))?;
    } else if plan.omission_reasons.is_empty() {
        page.line(sentence!("There is nothing to do for {title}."))?;
    } else {
        page.line(sentence!("None of this can be applied to {title}."))?;
    }
    for section in sections(plan) {
        page.section(section.heading)?;
        if section.content.is_shell() {
            let lines = section.lines.into_iter().map(|line| vec![line]);
            page.verbatim("sh", lines.collect())?;
        } else {
            for line in &section.lines {
                page.item("  ", line)?;
            }
        }
    }
    for file in &plan.files {
        let (note, lines) = file_lines(file);
        page.section(sentence!("{}{note}", file.name))?;
        page.verbatim("", lines)?;
    }
    Ok(())
}

/// The longest file, in lines, that is shown whole; of a longer one only the changed lines are shown.
const SHOWN_WHOLE: usize = 40;

/// Returns the lines of a file for people, and a remark to follow its name if some are left out.
fn file_lines(file: &PlanFile) -> (Shown, Vec<Vec<Shown>>) {
    let new: Vec<&[u8]> = lines(&file.bytes);
    let Some(before) = file.before.as_ref().filter(|_| new.len() > SHOWN_WHOLE) else {
        return (Shown::default(), new.into_iter().map(line_fields).collect());
    };
    let changes = changed_lines(&lines(before), &new);
    let shown = changes.iter().map(|change| {
        let sign = if change.is_new { '+' } else { '-' };
        let mut fields = line_fields(change.line);
        fields[0] = sentence!("{sign}{}: {}", change.number, fields[0]);
        fields
    });
    let note = sentence!(
        ", changes of its {} (- before, + after; --out DIR writes the whole file)",
        counted(new.len(), "line", "lines")
    );
    (note, shown.collect())
}

/// Returns the lines of a file without the blank ones at its end.
fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes
        .trim_ascii_end()
        .split(|&byte| byte == b'\n')
        .collect()
}

/// Returns the fields of a line of a file, which tabs separate, for people. There is at least one.
pub fn line_fields(line: &[u8]) -> Vec<Shown> {
    line.split(|&byte| byte == b'\t')
        .map(|part| visible(&name_text(part)))
        .collect()
}

/// Writes the verification of a plan.
///
/// # Errors
/// If writing fails.
pub fn write_verdicts(
    out: &mut dyn Output,
    view: &View<'_>,
    verdicts: &[ChangeVerdict],
    form: ProseForm,
) -> io::Result<()> {
    emit_prose(out, &Review { view, verdicts }, form)
}

/// The report of the verification of a plan.
struct Review<'a> {
    view: &'a View<'a>,
    verdicts: &'a [ChangeVerdict],
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

impl Prose for Review<'_> {
    fn front(&self) -> Front {
        Front::of("Has the plan been applied?", self.view)
    }

    fn write_page(&self, page: &mut Page<'_>) -> io::Result<()> {
        let left_out = match self.left_out() {
            0 => Shown::default(),
            1 => "; 1 was left out of the plan".into(),
            count => sentence!("; {count} were left out of the plan"),
        };
        page.line(sentence!(
            "Applied: {} of {}{left_out}",
            self.applied(),
            counted(self.verdicts.len(), "change", "changes")
        ))?;
        page.gap_in_markdown()?;
        for verdict in self.verdicts {
            let sentence = words::verdict(verdict);
            page.item("  ", sentence!("{}: {sentence}", words::standing(verdict)))?;
        }
        Ok(())
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
