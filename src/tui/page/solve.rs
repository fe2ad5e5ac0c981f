//! The pages about one node: the shares that reach a goal, and what its rank depends on.

use crate::analysis::solve::{Goal, Question, SolveError, levels, sensitivity, solve};
use crate::base::shown::{Shown, sentence};
use crate::model::NodeId;
use crate::report::words::solve as words;
use crate::report::{View, solve as report, visible};
use crate::scenario::{Edit, Scenario, write};
use crate::source::format::Problems;
use crate::tui::page::content::{Page, Progress, Role, Section};

/// Returns the page with the least shares that reach the goal, for the node itself and for each account above it.
pub(crate) fn goal(
    scenario: &Scenario,
    node: NodeId,
    goal: Goal,
    progress: Progress<'_>,
) -> Result<Page, SolveError> {
    let problems = Problems::default();
    let view = View::of(scenario, &problems);
    let wanted = visible(&goal.write(scenario.tree()));
    let mut page = Page {
        title: sentence!("Solve for a goal: {}, {wanted}", view.path(node)),
        what: "the answer".into(),
        file: "answer.txt".into(),
        ..Page::default()
    };
    let question = Question {
        node,
        goal,
        change: node,
    };
    let own = solve(scenario, question, progress)?;
    let reason = words::reason(scenario.tree(), &own);
    let mut section = Section::new("By its own shares");
    match own.shares {
        Some(_) if own.is_reached_now => {
            section.push(
                Role::Better,
                sentence!("The goal is already reached: {reason}."),
            );
        }
        Some(_) => section.push(Role::Better, sentence!("{reason}.")),
        None => section.push(Role::Warning, sentence!("Impossible: {reason}.")),
    }
    page.sections.push(section);
    let solutions = levels(scenario, node, goal, progress)?;
    let answers = report::Answers::of(&solutions, true);
    let heading = "By the shares of one level";
    add_levels(&mut page, heading, scenario, &view, &answers);
    let best = answers.chosen().filter(|_| own.shares.is_none());
    let applied = best.unwrap_or(&own).edit();
    let first = page
        .choices
        .iter()
        .position(|(edit, _)| Some(edit) == applied.as_ref());
    page.first_choice = first.unwrap_or(0);
    Ok(page)
}

/// Adds the shares that each level would need, with the matching edits as choices of the page.
pub(crate) fn add_levels(
    page: &mut Page,
    heading: impl Into<Shown>,
    scenario: &Scenario,
    view: &View<'_>,
    answers: &report::Answers<'_>,
) {
    let section = by_level(heading, view, answers, &mut page.choices);
    if page.choices.is_empty() {
        page.sections.push(section);
        return;
    }
    // The line below the page names the key that applies a choice.
    let mut tries = Section::new("To try it");
    for (choice, (edit, _)) in page.choices.iter().enumerate() {
        tries.push(Role::Command, visible(&write(edit, scenario.tree())));
        tries.choose(choice);
    }
    page.sections.extend([section, tries]);
}

/// Returns the shares that each level would need, the reason below each, and the smallest change.
fn by_level(
    heading: impl Into<Shown>,
    view: &View<'_>,
    answers: &report::Answers<'_>,
    choices: &mut Vec<(Edit, NodeId)>,
) -> Section {
    let mut section = Section::new(heading);
    let mut lines = report::level_lines(view, answers).into_iter();
    section.push_table(lines.next());
    for (line, solution) in lines.zip(answers.solutions()) {
        section.push_aligned(Role::Text, sentence!("  {line}"));
        if let Some(edit) = solution.edit().filter(|_| !solution.is_reached_now) {
            section.choose(choices.len());
            choices.push((edit, solution.question.node));
        }
        let reason = words::reason(view.tree, solution);
        section.push(Role::Dim, sentence!("  {reason}"));
    }
    for line in report::smallest(view, answers) {
        section.push(Role::Strong, line.text());
    }
    section
}

/// Returns the page about what the rank of a node depends on.
pub(crate) fn hangs_on(
    scenario: &Scenario,
    node: NodeId,
    progress: Progress<'_>,
) -> Result<Page, SolveError> {
    let problems = Problems::default();
    let view = View::of(scenario, &problems);
    let found = sensitivity(scenario, node, progress)?;
    let mut page = Page {
        title: sentence!("What the rank of {} depends on", view.path(node)),
        what: "what it depends on".into(),
        file: "rank.txt".into(),
        ..Page::default()
    };
    let mut section = Section::new("Its shares, its levels, its siblings");
    for line in report::sensitivity_lines(&view, &found) {
        section.push(Role::Text, line.text());
    }
    page.sections.push(section);
    Ok(page)
}
