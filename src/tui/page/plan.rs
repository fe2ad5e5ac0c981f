//! The page of the plan: the commands that apply the edits, and their impact.

use crate::analysis::plan::{Plan, PlanFile, PlanInputs, originals, plan};
use crate::base::shown::{Shown, sentence, shown};
use crate::model::Scheduler;
use crate::report::impact::{Subject, impact, sections, summary};
use crate::report::plan::{self as report, Content};
use crate::scenario::Scenario;
use crate::source::format::native::Reference;
use crate::tui::page::content::{Page, Role, Section};
use std::collections::HashMap;

/// How many changed lines of a file are shown; saving writes all of it.
const FILE_LINES: usize = 400;

/// Returns the page.
pub(crate) fn page(scenario: &Scenario, reference: &Reference) -> Page {
    let name = shown(scenario.name().as_bytes());
    let mut page = Page {
        title: if name.is_empty() {
            "The plan".into()
        } else {
            sentence!("The plan of {name}")
        },
        what: "the commands, with their rollback".into(),
        file: "plan.txt".into(),
        ..Page::default()
    };
    if scenario.history().is_untouched() {
        let mut nothing = Section::new("There are no edits yet");
        nothing.push(
            Role::Text,
            "Edit shares with e, or type any edit with ; : winners, losers and commands appear here.",
        );
        page.sections.push(nothing);
        return page;
    }
    match scenario.settings().scheduler {
        Some(scheduler) => add_commands(&mut page, scenario, reference, scheduler),
        None => page.sections.push(
            Section::new("Commands")
                .with(
                    Role::Warning,
                    "The source does not name its scheduler, so there are no commands.",
                )
                .with(
                    Role::Command,
                    "fairscope plan SOURCE --scenario FILE --for slurm",
                ),
        ),
    }
    // What to do is on the left of a wide screen, and what comes of it on the right.
    page.left_sections = page.sections.len();
    add_impact(&mut page, scenario);
    page
}

/// Adds the edits, who wins, who loses and who is diluted.
fn add_impact(page: &mut Page, scenario: &Scenario) {
    let impact = impact(scenario);
    let mut what = Section::new("Impact");
    what.push(Role::Strong, summary(scenario, &impact));
    if let Some(compared) = scenario.compared() {
        // The columns "before" and "Δ" of the other screens compare with it too.
        let compared = shown(compared.as_bytes());
        what.push(
            Role::Dim,
            sentence!("Compared with the source as it was read, not with {compared}: the commands change the source."),
        );
    }
    page.sections.push(what);
    let mut tables = sections(scenario, &impact);
    tables.sort_by_key(|table| table.subject == Subject::Diluted);
    page.sections.extend(tables.iter().map(Section::of));
}

/// Returns the place of a section on the page: the commands come first, but not before what they leave out.
const fn place(content: Content) -> usize {
    match content {
        Content::Refusals => 0,
        Content::Commands => 1,
        Content::Rollback => 2,
        Content::Notes => 3,
        Content::Check => 4,
    }
}

/// Adds the commands with their rollback, and the changed files.
fn add_commands(page: &mut Page, scenario: &Scenario, reference: &Reference, scheduler: Scheduler) {
    let mut given = match originals(scenario.base(), &reference.request) {
        Ok(given) => given,
        Err(error) => {
            let text = sentence!("{error}; the file is rewritten");
            page.sections
                .push(Section::new("Commands").with(Role::Warning, text));
            PlanInputs::default()
        }
    };
    given.cluster = reference.request.cluster.clone().unwrap_or_default();
    let plan = plan(scenario, scheduler, &given);
    page.lacks_cluster = plan.lacks_cluster;
    let mut sections = report::sections(&plan);
    sections.sort_by_key(|section| place(section.content));
    for report::Section {
        heading,
        content,
        lines,
    } in sections
    {
        let role = match content {
            Content::Refusals => Role::Warning,
            Content::Notes => Role::Text,
            Content::Commands | Content::Check | Content::Rollback => Role::Command,
        };
        let mut section = Section::new(heading);
        for line in &lines {
            section.push(role, line);
        }
        page.sections.push(section);
    }
    for PlanFile { name, bytes, .. } in &plan.files {
        let original = match *name {
            "resource_group" => given.resource_group.as_deref(),
            _ => given.sched_config.as_deref(),
        };
        page.sections
            .push(file_section(name, original.unwrap_or_default(), bytes));
        page.files.push((format!("{name}.new"), bytes.clone()));
    }
    page.copied = Some(text(&plan));
}

/// Returns the removed and the added lines of a file.
fn file_section(name: &str, original: &[u8], new: &[u8]) -> Section {
    let lines = |bytes| <[u8]>::split(bytes, |&byte| byte == b'\n');
    let mut counts: HashMap<&[u8], i64> = HashMap::new();
    for line in lines(original) {
        *counts.entry(line).or_default() += 1;
    }
    let mut come = Vec::new();
    for line in lines(new) {
        match counts.get_mut(line).filter(|count| **count > 0) {
            Some(count) => *count -= 1,
            None => come.push(line),
        }
    }
    let mut go = Vec::new();
    for line in lines(original) {
        if let Some(count) = counts.get_mut(line).filter(|count| **count > 0) {
            *count -= 1;
            go.push(line);
        }
    }
    let mut section = Section::new(sentence!("What changes in {name}"));
    for (sign, role, lines) in [('-', Role::Worse, go), ('+', Role::Better, come)] {
        let count = lines.len();
        for line in lines.into_iter().take(FILE_LINES) {
            let text = Shown::joined(report::line_fields(line), "  ");
            section.push_aligned(role, sentence!("  {sign} {text}"));
        }
        if count > FILE_LINES {
            let more = count - FILE_LINES;
            section.push(role, sentence!("{sign} and {more} more lines"));
        }
    }
    section
}

/// Returns the plan as `fairscope plan` prints it.
fn text(plan: &Plan) -> String {
    let mut text = Vec::new();
    // Writing to memory cannot fail.
    let _ = report::write_text(&mut text, plan);
    String::from_utf8_lossy(&text).into_owned()
}
