//! The page of the plan: the commands that apply the edits, and their impact.

use crate::analysis::impact::Impact;
use crate::analysis::plan::{PlanFile, PlanInputs, originals, plan, with_jobs};
use crate::base::shown::{Shown, sentence, shown};
use crate::format::native::Reference;
use crate::format::slurm::companions::Companions;
use crate::model::Scheduler;
use crate::report::document::{Block, Document};
use crate::report::impact::tables;
use crate::report::line::{Emphasis, Line};
use crate::report::plan::{Part, add_part, changed_lines, text};
use crate::report::words::impact::summary;
use crate::scenario::Scenario;
use crate::tui::page::content::Page;

/// How many changed lines of a file are shown; saving writes all of it.
const FILE_LINES: usize = 400;

/// The parts of a plan: the commands come first, but not before what they leave out.
const PARTS: [Part; 6] = [
    Part::Refusals,
    Part::Commands,
    Part::Rollback,
    Part::Notes,
    Part::Effect,
    Part::Check,
];

pub(crate) fn page(scenario: &Scenario, reference: &Reference, companions: &Companions) -> Page {
    let name = shown(scenario.name().as_bytes());
    let title = if name.is_empty() {
        "The plan".into()
    } else {
        sentence!("The plan of {name}")
    };
    let mut page = Page::new(title, "the commands, with their rollback", "plan.txt");
    let mut document = Document::default();
    if scenario.history().is_untouched() {
        document.heading("There are no edits yet");
        document.line(
            "Edit shares with e, or type any edit with ; : winners, losers and commands appear here.",
        );
        page.document = document.kept();
        return page;
    }
    let impact = Impact::of(scenario);
    add_summary(&mut document, scenario, &impact);
    if let Some(scheduler) = scenario.settings().scheduler {
        add_commands(
            &mut page,
            &mut document,
            scenario,
            (reference, companions),
            scheduler,
        );
    } else {
        document.heading("Commands");
        let why = "The source does not name its scheduler, so there are no commands.";
        document.line(Line::of(Emphasis::Warning, why));
        document.push(Block::Verbatim {
            language: "sh",
            lines: vec![vec![
                "fairscope plan SOURCE --scenario FILE --for slurm".into(),
            ]],
        });
    }
    // What to do is on the left of a wide screen, and what comes of it on the right.
    page.document = document.kept();
    page.aside = moves(scenario, &impact).kept();
    page
}

/// Adds the impact in a sentence, which stands above the commands.
fn add_summary(document: &mut Document<'_>, scenario: &Scenario, impact: &Impact) {
    document.heading("Impact");
    document.line(Line::of(Emphasis::Strong, summary(scenario, impact)));
    if let Some(compared) = scenario.compared() {
        // The columns "before" and "Δ" of the other screens compare with it too.
        let compared = shown(compared.as_bytes());
        document.line(Line::of(
            Emphasis::Dim,
            sentence!("Compared with the source as it was read, not with {compared}: the commands change the source."),
        ));
    }
}

/// Returns who moves and who is diluted.
fn moves<'a>(scenario: &'a Scenario, impact: &'a Impact) -> Document<'a> {
    let mut document = Document::default();
    let mut tables = tables(scenario, impact);
    tables.sort_by_key(|table| table.is_of_dilution);
    for table in tables {
        table.add_to(&mut document);
    }
    document
}

fn add_commands(
    page: &mut Page,
    document: &mut Document<'_>,
    scenario: &Scenario,
    (reference, companions): (&Reference, &Companions),
    scheduler: Scheduler,
) {
    let mut given = match originals(scenario.base(), &reference.request) {
        Ok(given) => given,
        Err(error) => {
            let text = sentence!("{error}; the file is rewritten");
            document.heading("Commands");
            document.line(Line::of(Emphasis::Warning, text));
            PlanInputs::default()
        }
    };
    if scheduler == Scheduler::Slurm {
        given = with_jobs(companions);
    }
    given.cluster = reference.request.cluster.clone().unwrap_or_default();
    let plan = plan(scenario, scheduler, &given);
    page.lacks_cluster = plan.lacks_cluster;
    for part in PARTS {
        add_part(document, &plan, part);
    }
    for file in &plan.files {
        add_file(document, file);
        page.files
            .push((format!("{}.new", file.name), file.bytes.clone()));
    }
    page.copied = Some(text(&plan));
}

fn add_file(document: &mut Document<'_>, file: &PlanFile) {
    document.heading(sentence!("What changes in {}", file.name));
    let changes = changed_lines(file);
    for (sign, emphasis) in [('-', Emphasis::Worse), ('+', Emphasis::Better)] {
        let lines = changes.iter();
        let lines: Vec<_> = lines.filter(|line| line.is_new == (sign == '+')).collect();
        for line in lines.iter().take(FILE_LINES) {
            let text = Shown::joined(&line.fields, "  ");
            document.line(Line::of(emphasis, sentence!("  {sign} {text}")).drawn());
        }
        if lines.len() > FILE_LINES {
            let more = lines.len() - FILE_LINES;
            let more = sentence!("{sign} and {more} more lines");
            document.line(Line::of(emphasis, more));
        }
    }
}
