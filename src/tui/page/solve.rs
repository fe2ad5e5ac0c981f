//! The pages about one node: the shares that reach a goal, and what its rank depends on.

use crate::analysis::advise::{SiteGoal, advise, most_shares, times, usual_tries};
use crate::analysis::contention::Machine;
use crate::analysis::solve::{Goal, Question, SolveError, levels, sensitivity, solve};
use crate::base::shown::{Shown, sentence, shown_text};
use crate::model::NodeId;
use crate::report::advise::AdviceReport;
use crate::report::document::Document;
use crate::report::line::{Emphasis, Line};
use crate::report::table::Table;
use crate::report::words::solve as words;
use crate::report::{Report as _, View, solve as report, visible};
use crate::scenario::{Edit, Scenario, write};
use crate::tui::job::Ticket;
use crate::tui::page::content::Page;
use crate::tui::page::told;
use std::collections::BTreeMap;

/// Returns the page with the least shares that reach the goal, for the node itself and for each account above it.
pub(crate) fn goal(
    scenario: &Scenario,
    view: &View<'_>,
    node: NodeId,
    goal: Goal,
    ticket: &Ticket,
) -> Result<Page, SolveError> {
    let wanted = visible(&goal.write(scenario.tree()));
    let title = sentence!("Solve for a goal: {}, {wanted}", view.path(node));
    let mut page = Page::new(title, "the answer", "answer.txt");
    let change = node;
    let progress = &mut |_| ticket.go_on();
    let own = solve(scenario, Question { node, goal, change }, progress)?;
    let reason = words::reason(scenario.tree(), &own);
    let mut document = Document::default();
    document.heading("By its own shares");
    document.line(match own.shares {
        Some(_) if own.is_reached_now => Line::of(
            Emphasis::Better,
            sentence!("The goal is already reached: {reason}."),
        ),
        Some(_) => Line::of(Emphasis::Better, sentence!("{reason}.")),
        None => Line::of(Emphasis::Warning, sentence!("Impossible: {reason}.")),
    });
    let solutions = levels(scenario, node, goal, progress)?;
    let answers = report::Answers::of(&solutions, true);
    let heading = "By the shares of one level".into();
    page.choices = add_levels(&mut document, heading, scenario, view, &answers);
    page.document = document.kept();
    let best = answers.chosen().filter(|_| own.shares.is_none());
    let applied = best.unwrap_or(&own).edit();
    let is_applied = |(edit, _): &(_, _)| Some(edit) == applied.as_ref();
    page.first_choice = page.choices.iter().position(is_applied).unwrap_or(0);
    Ok(page)
}

/// Adds what each level would need, the reasons and the smallest change. Returns the edits, which are choices of the page.
pub(crate) fn add_levels(
    document: &mut Document<'_>,
    heading: Shown,
    scenario: &Scenario,
    view: &View<'_>,
    answers: &report::Answers<'_>,
) -> Vec<(Edit, NodeId)> {
    let mut choices = Vec::new();
    document.heading(heading);
    let table = Table::new(report::level_columns(view), answers.solutions.iter());
    let mut lines = table.lines().into_iter();
    if let Some(headings) = lines.next() {
        document.line(headings);
    }
    for (line, solution) in lines.zip(answers.solutions) {
        match solution.edit() {
            Some(edit) if !solution.is_reached_now => {
                document.choice(choices.len(), line);
                choices.push((edit, solution.question.node));
            }
            _ => document.line(line),
        }
        let reason = words::reason(view.tree, solution);
        document.line(Line::of(Emphasis::Dim, sentence!("  {reason}")));
    }
    for sentence in report::smallest(view, answers) {
        document.line(Line::of(Emphasis::Strong, sentence));
    }
    if choices.is_empty() {
        return choices;
    }
    // The line below the page names the key that applies a choice.
    document.heading("To try it");
    for (choice, (edit, _)) in choices.iter().enumerate() {
        let edit = visible(&write(edit, scenario.tree()));
        document.choice(choice, Line::of(Emphasis::Command, edit));
    }
    choices
}

pub(crate) fn hangs_on(
    scenario: &Scenario,
    view: &View<'_>,
    node: NodeId,
    ticket: &Ticket,
) -> Result<Page, SolveError> {
    let found = sensitivity(scenario, node, &mut |_| ticket.go_on())?;
    let title = sentence!("What the rank of {} depends on", view.path(node));
    let mut document = Document::default();
    document.heading("Its shares, its levels, its siblings");
    document.lines(report::sensitivity_lines(view, &found));
    Ok(Page::of(document, title, "what it depends on", "rank.txt"))
}

/// Reads the goals of a site, separated by semicolons.
pub(crate) fn site_goals(scenario: &Scenario, text: &str) -> Result<Vec<SiteGoal>, Shown> {
    let goals = text.split(';').filter(|goal| !goal.trim().is_empty());
    let goals = goals.map(|goal| SiteGoal::parse(goal.as_bytes(), scenario));
    goals.collect::<Result<_, _>>().map_err(told)
}

/// Returns the page with the fewest edits that keep the goals of a site, which enter applies together.
pub(crate) fn advice(
    scenario: &Scenario,
    view: &View<'_>,
    text: &str,
    ticket: &Ticket,
) -> Result<Page, Shown> {
    let goals = site_goals(scenario, text)?;
    let most = most_shares(scenario);
    let none = BTreeMap::new();
    let usual = usual_tries(scenario) as f64;
    let mut spent = |tries: usize| {
        if ticket.is_cancelled() {
            f64::INFINITY
        } else {
            tries as f64 / usual
        }
    };
    let advice = advise(scenario, &none, goals, most, &mut spent).map_err(told)?;
    if ticket.is_cancelled() {
        return Err(told(SolveError::Cancelled));
    }
    let cores = Machine::default().cores;
    let report = AdviceReport {
        view: *view,
        advice: Some(&advice),
        times: &times(&advice, cores, &mut |_| ticket.go_on()),
        half_lives: None,
    };
    let title = sentence!("Advice: {}", shown_text(text.as_bytes()));
    let mut document = report.document();
    if !advice.edits.is_empty() {
        document.heading("To try it");
        let all = Line::of(Emphasis::Command, "all edits of this proposal");
        document.choice(0, all);
    }
    let mut page = Page::of(document, title, "the advice", "advice.txt");
    if !advice.edits.is_empty() {
        let first = advice.edits.iter().find_map(|edit| match edit {
            Edit::SetShares { node, .. } => Some(*node),
            _ => None,
        });
        let node = first.unwrap_or_default();
        page.choices.push((Edit::Batch(advice.edits), node));
    }
    Ok(page)
}
