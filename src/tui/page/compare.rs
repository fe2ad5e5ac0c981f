//! Other trees beside the open one: that of a file, and the dumps of a series.

use crate::analysis::diff::Diff;
use crate::analysis::timeline::{NodeSelection, Rules, TimelineError, read};
use crate::format::{LoadError, Problems, Request, Series};
use crate::open::live;
use crate::open::opened::Opened;
use crate::report::View;
use crate::report::diff::{DiffReport, Trees};
use crate::report::timeline::TimelineReport;
use crate::scenario::Scenario;
use crate::tui::job::Ticket;
use crate::tui::page::content::Page;
use std::path::Path;

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
    let diff = Diff::between(&old.scenario, scenario);
    let trees = Trees {
        diff: &diff,
        before: View::of(&old.scenario, &problems).verified(&old.source.verification),
        after: *view,
        limit: None,
    };
    let report = DiffReport::of(&trees, true);
    Ok(Page::of_report(&report))
}

/// Follows these paths through all dumps under the current policy, without edits, which have no history.
pub(crate) fn history(
    scenario: &Scenario,
    request: &Request,
    series: Series,
    paths: &[String],
    ticket: &Ticket,
) -> Result<Page, TimelineError> {
    let mut nodes = Vec::new();
    for path in paths {
        nodes.push(path.clone().into_bytes());
    }
    let found = (series, Problems::default());
    let rules = Rules {
        policy: Some(scenario.policy()),
        edits: &[],
    };
    let wanted = NodeSelection::Nodes(&nodes);
    let timeline = read(found, request, wanted, rules, &mut |_| ticket.go_on())?;
    let report = TimelineReport {
        timeline: &timeline,
        other: None,
        are_named: true,
        lists_problems: true,
        limit: None,
    };
    Ok(Page::of_report(&report))
}
