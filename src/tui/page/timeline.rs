//! The history of nodes through a series of dumps.

use crate::analysis::timeline::{NodeSelection, TimelineError, read};
use crate::base::shown::sentence;
use crate::format::{Problems, Progress, Request, Series};
use crate::open::series::FoundSeries;
use crate::report::document::Document;
use crate::report::line::{Emphasis, Line};
use crate::report::timeline as report;
use crate::scenario::Scenario;
use crate::tui::job::Ticket;
use crate::tui::page::content::Page;

/// The rows and columns of a chart.
const CHART: (usize, usize) = (8, 72);

/// Reads all dumps and returns charts of these paths under the current policy. Edits are left out because they have no
/// history.
pub(crate) fn page(
    scenario: &Scenario,
    request: &Request,
    series: &Series,
    paths: &[String],
    ticket: &Ticket,
) -> Result<Page, TimelineError> {
    let paths: Vec<Vec<u8>> = paths.iter().map(|path| path.clone().into_bytes()).collect();
    let found = FoundSeries {
        series: series.clone(),
        problems: Problems::default(),
    };
    let progress = &mut |_: &Progress| ticket.go_on();
    let wanted = NodeSelection::Nodes(&paths);
    let timeline = read(found, request, wanted, Some(scenario.policy()), progress)?;
    let mut document = Document::default();
    for track in &timeline.tracks {
        document.heading(report::title(track));
        report::add_charts(&mut document, &timeline, track, CHART);
        document.gap();
        document.table(report::track_table(&timeline, track));
    }
    document.heading("What changed between the dumps");
    document.table(report::moment_table(&timeline));
    let problems = timeline.problems.list();
    if !problems.is_empty() {
        document.heading("Problems of the series");
        let warning = |problem| Line::of(Emphasis::Warning, sentence!("{problem}"));
        document.lines(problems.iter().map(warning));
    }
    let mut page = Page::new(report::headline(&timeline), "the history", "history.txt");
    page.add(document);
    Ok(page)
}
