//! Other trees beside the open one: that of a file, and the dumps of a series.

use crate::analysis::diff::Diff;
use crate::analysis::timeline::{NodeSelection, Rules, TimelineError, read};
use crate::base::shown::{sentence, shown};
use crate::format::{LoadError, Problems, Request, Series};
use crate::open::live;
use crate::open::opened::Opened;
use crate::report::document::Document;
use crate::report::line::{Emphasis, Line};
use crate::report::{Report as _, View, diff, timeline};
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
    let compared = diff::Trees {
        diff: &Diff::between(&old.scenario, scenario),
        before: View::of(&old.scenario, &problems).verified(&old.source.verification),
        after: *view,
        limit: None,
    };
    let name = shown(path.as_os_str().as_encoded_bytes());
    let title = sentence!("From {name} to the open tree");
    let report = diff::DiffReport::of(&compared, true);
    Ok(Page::of(
        report.document(),
        title,
        "the differences",
        "diff.txt",
    ))
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
        document.figures(timeline::drawing_of(&read, track));
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
