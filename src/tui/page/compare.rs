//! Two nodes side by side: where their paths diverge, their numbers, and what would reverse their order.

use crate::analysis::solve::{Goal, SolveError, Standing, levels};
use crate::base::number::{Value, cell, grouped};
use crate::base::shown::{Shown, sentence};
use crate::model::NodeId;
use crate::report::table::{self, Column};
use crate::report::{View, solve as report, split};
use crate::rules::policy::ColumnId;
use crate::scenario::Scenario;
use crate::source::format::Problems;
use crate::tui::page::content::{Page, Progress, Role, Section};
use crate::tui::page::solve::add_levels;

/// Returns the comparison of two nodes.
pub(crate) fn page(
    scenario: &Scenario,
    pair: [NodeId; 2],
    progress: Progress<'_>,
) -> Result<Page, SolveError> {
    let problems = Problems::default();
    let view = View::of(scenario, &problems);
    let paths = pair.map(|node| view.path(node));
    let mut page = Page {
        title: sentence!("{} and {}", paths[0], paths[1]),
        what: "the comparison".into(),
        file: "comparison.txt".into(),
        ..Page::default()
    };
    let parted = split::split(scenario.tree(), pair[0], pair[1]);
    let is_one_path = parted.containment().is_some();
    let mut section = Section::new(if is_one_path {
        "One contains the other"
    } else {
        "Where their paths diverge"
    });
    for line in split::lines(&view, &parted) {
        section.push(Role::Text, line.text());
    }
    page.sections.push(section);
    let mut section = Section::new("Side by side");
    section.push_table(side_by_side(&view, pair));
    page.sections.push(section);
    page.sections.push(level_by_level(&view, pair));
    // A solution is only of interest for the node with the worse rank.
    let best = |node: NodeId| Standing::of(view.policy, view.tree, view.evaluation, node).rank;
    let (Some(first), Some(second)) = (best(pair[0]), best(pair[1])) else {
        return Ok(page);
    };
    let (behind, ahead) = if first > second {
        (pair[0], pair[1])
    } else {
        (pair[1], pair[0])
    };
    if is_one_path {
        return Ok(page);
    }
    let solutions = levels(scenario, behind, Goal::AheadOf(ahead), progress)?;
    let answers = report::Answers::of(&solutions, true);
    let heading = sentence!("How {} could get ahead", view.path(behind));
    add_levels(&mut page, heading, scenario, &view, &answers);
    Ok(page)
}

fn text(column: ColumnId, value: Value) -> Shown {
    match value {
        Value::Count(count) => grouped(count),
        value => cell(value, column.unit()),
    }
}

/// Returns a table with every column of the policy for both nodes.
fn side_by_side(view: &View<'_>, pair: [NodeId; 2]) -> Vec<Shown> {
    let mut shown = vec![ColumnId::Shares, ColumnId::Usage];
    let usual = view.policy.usual_columns().iter().copied();
    shown.extend(usual.filter(|column| ![ColumnId::Shares, ColumnId::Usage].contains(column)));
    let mut columns = vec![Column::left("", |column: &ColumnId| {
        column.heading().into()
    })];
    columns.extend(pair.map(|node| {
        Column::right(view.path(node), move |&column| {
            text(column, view.value(column, node))
        })
    }));
    table::lines(&columns, shown.iter().copied()).collect()
}

/// Returns the ancestors and the node itself on both sides, level by level, below the last common account.
fn level_by_level(view: &View<'_>, pair: [NodeId; 2]) -> Section {
    let lines = pair.map(|node| view.tree.line(node));
    let shared = lines[0]
        .iter()
        .zip(&lines[1])
        .take_while(|(first, second)| first == second)
        .count();
    let mut columns = vec![Column::left("From there down", |&node| view.path(node))];
    columns.extend(view.policy.usual_columns().iter().map(|&column| {
        Column::right(column.heading(), move |&node| {
            text(column, view.value(column, node))
        })
    }));
    let rows: Vec<NodeId> = lines
        .iter()
        .flat_map(|line| line[shared.min(line.len())..].iter().copied())
        .collect();
    let mut section = Section::new("Level by level");
    section.push_table(table::lines(&columns, rows.iter().copied()));
    section
}
