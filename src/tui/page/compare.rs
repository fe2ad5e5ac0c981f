//! Comparisons: two nodes side by side, a node under every policy, another tree with the open one, and nodes through a series of dumps.

use crate::analysis::diff::Diff;
use crate::analysis::solve::{Goal, SolveError, Standing, levels};
use crate::analysis::timeline::{NodeSelection, Rules, TimelineError, read};
use crate::base::number::{Value, cell, grouped};
use crate::base::shown::{Shown, sentence, shown};
use crate::format::{LoadError, Problems, Request, Series};
use crate::model::NodeId;
use crate::open::live;
use crate::open::opened::Opened;
use crate::report::document::Document;
use crate::report::every_policy::EveryPolicyReport;
use crate::report::line::{Emphasis, Line};
use crate::report::table::{Column, Table};
use crate::report::{Report as _, View, diff, explain, solve, timeline};
use crate::rules::policy::ColumnId;
use crate::scenario::Scenario;
use crate::tui::job::Ticket;
use crate::tui::page::content::Page;
use crate::tui::page::solve::add_levels;
use std::path::Path;

/// The rows and columns of a chart.
const CHART: (usize, usize) = (8, 72);

/// Compares two nodes: where their paths diverge, their numbers, and what would reverse their order.
pub(crate) fn pair(
    scenario: &Scenario,
    view: &View<'_>,
    pair: [NodeId; 2],
    ticket: &Ticket,
) -> Result<Page, SolveError> {
    let paths = pair.map(|node| view.path(node));
    let title = sentence!("{} and {}", paths[0], paths[1]);
    let mut page = Page::new(title, "the comparison", "comparison.txt");
    let parted = explain::split(scenario.tree(), pair[0], pair[1]);
    let is_one_path = parted.containment().is_some();
    let mut document = Document::default();
    let [within, apart] = ["One contains the other", "Where their paths diverge"];
    document.heading(if is_one_path { within } else { apart });
    let lines = explain::compared(view, &parted).into_iter();
    document.lines(lines);
    document.heading("Side by side");
    document.table(side_by_side(view, pair));
    document.heading("Level by level");
    document.table(level_by_level(view, &parted));
    let best = |node: NodeId| Standing::of(view.policy, view.tree, view.evaluation, node).rank;
    if let [Some(first), Some(second)] = pair.map(best)
        && !is_one_path
    {
        // A solution is only of interest for the node with the worse rank.
        let [mut behind, mut ahead] = pair;
        if first <= second {
            std::mem::swap(&mut behind, &mut ahead);
        }
        let solutions = levels(scenario, behind, Goal::AheadOf(ahead), &mut |_| {
            ticket.go_on()
        })?;
        let answers = solve::Answers::of(&solutions, true);
        let heading = sentence!("How {} could get ahead", view.path(behind));
        page.choices = add_levels(&mut document, heading, scenario, view, &answers);
    }
    page.document = document.kept();
    Ok(page)
}

/// Returns a node under every policy, as `explain --policy all` prints it.
pub(crate) fn every_policy(view: &View<'_>, node: NodeId) -> Page {
    let report = EveryPolicyReport::of(view, &[node], 0);
    Page::of(
        report.document(),
        report.title(),
        "the policies",
        "policies.txt",
    )
}

fn text(column: ColumnId, value: Value) -> Shown {
    match value {
        Value::Count(count) => grouped(count),
        value => cell(value, column.unit()),
    }
}

fn side_by_side<'a>(view: &'a View<'a>, pair: [NodeId; 2]) -> Table<'a> {
    let mut shown = vec![ColumnId::Shares, ColumnId::Usage];
    let usual = view.policy.usual_columns().iter().copied();
    shown.extend(usual.filter(|column| ![ColumnId::Shares, ColumnId::Usage].contains(column)));
    let mut columns = vec![Column::left("", |column: &ColumnId| column.heading())];
    columns.extend(pair.map(|node| {
        Column::right(view.path(node), move |&column| {
            text(column, view.value(column, node))
        })
    }));
    Table::new(columns, shown.into_iter())
}

/// Returns the ancestors and the node itself on both sides, level by level, below the last common account.
fn level_by_level<'a>(view: &'a View<'a>, parted: &explain::Split) -> Table<'a> {
    let mut columns = vec![Column::left("From there down", |&node| view.path(node))];
    columns.extend(view.policy.usual_columns().iter().map(|&column| {
        Column::right(column.heading(), move |&node| {
            text(column, view.value(column, node))
        })
    }));
    let shared = view.tree.depth(parted.common) as usize;
    let below = |node: NodeId| view.tree.line(node).into_iter().skip(shared);
    let rows = parted.nodes.into_iter().flat_map(below);
    Table::new(columns, rows.collect::<Vec<_>>().into_iter())
}

/// Compares the tree in a file, as the old one, with the open one, edits included.
pub(crate) fn with_file(
    scenario: &Scenario,
    view: &View<'_>,
    path: &Path,
    ticket: &Ticket,
) -> Result<Page, LoadError> {
    let loaded = live::load_or_end(&Request::to_open(path), &mut |_| ticket.go_on())?;
    let old = Opened::new(loaded, Some(scenario.policy()));
    let problems = Problems::default();
    let compared = diff::Trees {
        diff: &Diff::between(&old.scenario, scenario),
        before: View::of(&old.scenario, &problems).verified(&old.source.verification),
        after: *view,
        limit: None,
    };
    let name = shown(path.as_os_str().as_encoded_bytes());
    let title = sentence!("From {name} to the open tree");
    let report = diff::DiffReport::of(&compared, true);
    let mut document = Document::default();
    document.heading("What differs, and which change moved whom");
    document.append(report.document());
    Ok(Page::of(document, title, "the differences", "diff.txt"))
}

/// Charts these paths through all dumps under the current policy, without edits, which have no history.
pub(crate) fn history(
    scenario: &Scenario,
    request: &Request,
    series: Series,
    paths: &[String],
    ticket: &Ticket,
) -> Result<Page, TimelineError> {
    let paths: Vec<Vec<u8>> = paths.iter().map(|path| path.clone().into_bytes()).collect();
    let found = (series, Problems::default());
    let rules = Rules {
        policy: Some(scenario.policy()),
        edits: &[],
    };
    let wanted = NodeSelection::Nodes(&paths);
    let read = read(found, request, wanted, rules, &mut |_| ticket.go_on())?;
    let mut document = Document::default();
    for track in &read.tracks {
        document.heading(timeline::title(track));
        timeline::add_charts(&mut document, &read, track, CHART);
        document.gap();
        document.table(timeline::track_table(&read, track, None));
    }
    document.heading("What changed between the dumps");
    document.table(timeline::moment_table(&read));
    let problems = read.problems.list();
    if !problems.is_empty() {
        document.heading("Problems of the series");
        let warning = |problem| Line::of(Emphasis::Warning, sentence!("{problem}"));
        document.lines(problems.iter().map(warning));
    }
    let title = timeline::headline(&read);
    Ok(Page::of(document, title, "the history", "history.txt"))
}
