//! The pages about one node: the shares that reach a goal, and what its rank depends on.

use crate::analysis::advise::{SiteGoal, advise, most_shares, times};
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
use std::time::Instant;

/// How long to search for advice, in seconds.
const WITHIN: f64 = 30.0;

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
    page.add_heading("By its own shares".into());
    page.add_line(&match own.shares {
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
    add_levels(&mut page, heading, scenario, view, &answers);
    let best = answers.chosen().filter(|_| own.shares.is_none());
    let applied = best.unwrap_or(&own).edit();
    let is_applied = |(edit, _): &(_, _)| Some(edit) == applied.as_ref();
    page.first_choice = page.choices.iter().position(is_applied).unwrap_or(0);
    Ok(page)
}

/// Adds what each level would need, the reasons and the smallest change, and these edits as choices.
pub(crate) fn add_levels(
    page: &mut Page,
    heading: Shown,
    scenario: &Scenario,
    view: &View<'_>,
    answers: &report::Answers<'_>,
) {
    page.add_heading(heading);
    let table = Table::new(report::level_columns(view), answers.solutions.iter());
    let mut lines = table.lines(None).into_iter();
    let add = |page: &mut Page, (line, emphasis)| {
        page.add_line(&Line::of(emphasis, sentence!("  {line}")).drawn());
    };
    if let Some(headings) = lines.next() {
        add(page, headings);
    }
    for (line, solution) in lines.zip(answers.solutions) {
        add(page, line);
        if let Some(edit) = solution.edit().filter(|_| !solution.is_reached_now) {
            page.choose(page.choices.len());
            page.choices.push((edit, solution.question.node));
        }
        let reason = words::reason(view.tree, solution);
        page.add_line(&Line::of(Emphasis::Dim, sentence!("  {reason}")));
    }
    for sentence in report::smallest(view, answers) {
        page.add_line(&Line::of(Emphasis::Strong, sentence));
    }
    if page.choices.is_empty() {
        return;
    }
    // The line below the page names the key that applies a choice.
    page.add_heading("To try it".into());
    for choice in 0..page.choices.len() {
        let edit = visible(&write(&page.choices[choice].0, scenario.tree()));
        page.add_line(&Line::of(Emphasis::Command, edit));
        page.choose(choice);
    }
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
    let begin = Instant::now();
    let mut spent = |_| {
        if ticket.is_cancelled() {
            f64::INFINITY
        } else {
            begin.elapsed().as_secs_f64() / WITHIN
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
    let mut page = Page::of(report.document(), title, "the advice", "advice.txt");
    if !advice.edits.is_empty() {
        page.add_heading("To try it".into());
        page.add_line(&Line::of(Emphasis::Command, "all edits of this proposal"));
        page.choose(0);
        let first = advice.edits.iter().find_map(|edit| match edit {
            Edit::SetShares { node, .. } => Some(*node),
            _ => None,
        });
        let node = first.unwrap_or_default();
        page.choices.push((Edit::Batch(advice.edits), node));
    }
    Ok(page)
}
