//! The plan to take away: commands, rollback, files, and what to know.

mod lines;

use super::json::{self, Entries, Lines, List, name_text, object};
use super::words::plan as words;
use super::{View, markdown, visible};
use crate::analysis::plan::verify::{ChangeStatus, ChangeVerdict};
use crate::analysis::plan::{Plan, PlanFile};
use crate::base::number::counted;
use crate::base::table::table;
use lines::changed_lines;
use std::borrow::Cow;
use std::io::{self, Write};

table! {
    /// How a plan is written.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum PlanForm {
        Text, "text", "Sections of text";
        Markdown, "markdown", "Markdown, for a ticket";
        Json, "json", "JSON";
    }
}

/// Writes a plan.
///
/// # Errors
/// If writing fails.
pub fn write(out: &mut dyn Write, view: &View<'_>, plan: &Plan, form: PlanForm) -> io::Result<()> {
    match form {
        PlanForm::Text => write_text(out, plan),
        PlanForm::Markdown => write_markdown(out, plan),
        PlanForm::Json => write_json(out, view, plan),
    }
}

/// A section of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section<'a> {
    /// What it is about.
    pub heading: &'static str,
    /// What the lines are.
    pub content: Content,
    /// The lines.
    pub lines: Cow<'a, [String]>,
}

/// What the lines of a section are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Sentences on what the scheduler cannot be told.
    Refusals,
    /// Sentences on what to know.
    Notes,
    /// Commands of a shell.
    Commands,
}

/// Returns the sections of a plan that have lines.
#[must_use]
pub fn sections(plan: &Plan) -> Vec<Section<'_>> {
    let section = |heading, content, lines| Section {
        heading,
        content,
        lines,
    };
    let mut sections = vec![
        section("Cannot be done", Content::Refusals, cannot(plan).into()),
        section("Before", Content::Notes, notes(plan).into()),
        section("Commands", Content::Commands, (&plan.commands).into()),
        section("Effect", Content::Notes, effects(plan).into()),
        section("Check", Content::Commands, (&plan.check).into()),
        section("Rollback", Content::Commands, (&plan.rollback).into()),
    ];
    sections.retain(|section| !section.lines.is_empty());
    sections
}

/// What the scheduler cannot be told, in words.
fn cannot(plan: &Plan) -> Vec<String> {
    let refused = plan.omission_reasons.iter();
    refused
        .map(|refused| words::cannot(refused, plan.scheduler))
        .collect()
}

/// What to know before a plan is run, in words.
fn notes(plan: &Plan) -> Vec<String> {
    let noted = plan.notes.iter();
    noted
        .map(|noted| words::note(noted, plan.scheduler))
        .collect()
}

/// When and how a plan takes effect, in words.
fn effects(plan: &Plan) -> Vec<String> {
    plan.effective.iter().map(words::effect).collect()
}

/// Writes a plan as text.
///
/// # Errors
/// If writing fails.
pub fn write_text(out: &mut dyn Write, plan: &Plan) -> io::Result<()> {
    let title = plan.scheduler.title();
    if plan.is_empty() {
        let sentence = if plan.omission_reasons.is_empty() {
            "There is nothing to do for"
        } else {
            "Nothing of it can be told to"
        };
        writeln!(out, "{sentence} {title}.")?;
    } else {
        writeln!(out, "Plan for {title}. Nothing of it has been run.")?;
    }
    for section in sections(plan) {
        writeln!(out, "\n{}:", section.heading)?;
        for line in section.lines.iter() {
            writeln!(out, "  {}", visible(line))?;
        }
    }
    for file in &plan.files {
        let (note, lines) = file_lines(file);
        writeln!(out, "\n{}{note}:", file.name)?;
        for line in lines {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(())
}

/// How many lines of a file are shown whole; of a longer one those that change.
const SHOWN_WHOLE: usize = 40;

/// The lines of a file for people, and what to say behind its name where they are not all.
fn file_lines(file: &PlanFile) -> (String, Vec<String>) {
    let new: Vec<&[u8]> = lines(&file.bytes);
    let Some(before) = file.before.as_ref().filter(|_| new.len() > SHOWN_WHOLE) else {
        return (String::new(), new.into_iter().map(line_text).collect());
    };
    let changes = changed_lines(&lines(before), &new);
    let shown = changes.iter().map(|change| {
        let sign = if change.is_new { '+' } else { '-' };
        format!("{sign}{}: {}", change.number, line_text(change.line))
    });
    let note = format!(
        ", what changes of its {} (- before, + after; --out DIR writes the whole file)",
        counted(new.len(), "line", "lines")
    );
    (note, shown.collect())
}

/// The lines of a file, without the blank ones at its end.
fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes
        .trim_ascii_end()
        .split(|&byte| byte == b'\n')
        .collect()
}

/// A line of a file for people: tabs stay, for they separate fields.
#[must_use]
pub fn line_text(line: &[u8]) -> String {
    line.split(|&byte| byte == b'\t')
        .map(|part| visible(&name_text(part)))
        .collect::<Vec<_>>()
        .join("\t")
}

fn write_markdown(out: &mut dyn Write, plan: &Plan) -> io::Result<()> {
    writeln!(out, "# Plan for {}", plan.scheduler.title())?;
    for section in sections(plan) {
        writeln!(out, "\n## {}\n", section.heading)?;
        if section.content == Content::Commands {
            let commands: Vec<String> = section.lines.iter().map(|line| visible(line)).collect();
            fenced(out, "sh", &commands)?;
        } else {
            for line in section.lines.iter() {
                writeln!(out, "- {}", markdown::escape(&visible(line)))?;
            }
        }
    }
    for file in &plan.files {
        let (note, lines) = file_lines(file);
        writeln!(out, "\n## {}{note}\n", markdown::escape(file.name))?;
        fenced(out, "", &lines)?;
    }
    Ok(())
}

/// Writes lines as they are, between fences longer than any run of backquotes in them.
fn fenced(out: &mut dyn Write, language: &str, lines: &[String]) -> io::Result<()> {
    let runs = lines
        .iter()
        .flat_map(|line| line.split(|char| char != '`').map(str::len));
    let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
    writeln!(out, "{fence}{language}")?;
    for line in lines {
        writeln!(out, "{line}")?;
    }
    writeln!(out, "{fence}")
}

fn write_json(out: &mut dyn Write, view: &View<'_>, plan: &Plan) -> io::Result<()> {
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

/// Writes what became of a plan.
///
/// # Errors
/// If writing fails.
pub fn write_verdicts(
    out: &mut dyn Write,
    view: &View<'_>,
    verdicts: &[ChangeVerdict],
    form: PlanForm,
) -> io::Result<()> {
    let left_out = verdicts
        .iter()
        .filter(|verdict| verdict.is_left_out)
        .count();
    let is_applied = |verdict: &&ChangeVerdict| verdict.standing == ChangeStatus::Applied;
    let applied = verdicts.iter().filter(is_applied).count();
    match form {
        PlanForm::Text | PlanForm::Markdown => {
            write!(
                out,
                "Applied: {applied} of {}",
                counted(verdicts.len(), "change", "changes")
            )?;
            match left_out {
                0 => writeln!(out)?,
                1 => writeln!(out, "; 1 was left out of the plan")?,
                count => writeln!(out, "; {count} were left out of the plan")?,
            }
            if form == PlanForm::Markdown {
                writeln!(out)?;
            }
            for verdict in verdicts {
                let (name, sentence) = (words::standing(verdict), words::verdict(verdict));
                if form == PlanForm::Markdown {
                    let sentence = markdown::escape(&visible(&sentence));
                    writeln!(out, "- {name}: {sentence}")?;
                } else {
                    writeln!(out, "  {name}: {}", visible(&sentence))?;
                }
            }
            Ok(())
        }
        PlanForm::Json => {
            let changes = verdicts.iter().map(|verdict| {
                object! {
                    standing: words::standing(verdict),
                    text: words::verdict(verdict),
                }
            });
            let body = object! {
                applied: applied,
                left_out: left_out,
                changes: Lines(List(changes)),
                problems: json::problems(view.problems.list()),
            };
            json::write(out, view, body)
        }
    }
}
