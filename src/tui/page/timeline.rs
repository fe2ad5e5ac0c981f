//! The history of nodes through a series of dumps.

use crate::analysis::timeline::{NodeSelection, TimelineError, read};
use crate::base::shown::sentence;
use crate::report::timeline as report;
use crate::scenario::Scenario;
use crate::source::format::series::FoundSeries;
use crate::source::format::{Problems, Progress, Request, Series};
use crate::tui::page::content::{Page, Role, Section};
use std::ops::ControlFlow;

/// The rows and columns of a chart.
const CHART: (usize, usize) = (8, 72);

/// Reads all dumps and returns charts of these paths under the current policy. Edits are left out because they have no
/// history.
pub(crate) fn page(
    scenario: &Scenario,
    request: &Request,
    series: &Series,
    paths: &[String],
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Page, TimelineError> {
    let paths: Vec<Vec<u8>> = paths.iter().map(|path| path.clone().into_bytes()).collect();
    let found = FoundSeries {
        series: series.clone(),
        problems: Problems::default(),
    };
    let progress = &mut |_: &Progress| {
        if is_cancelled() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let wanted = NodeSelection::Nodes(&paths);
    let timeline = read(found, request, wanted, Some(scenario.policy()), progress)?;
    let mut page = Page {
        title: report::headline(&timeline),
        what: "the history".into(),
        file: "history.txt".into(),
        ..Page::default()
    };
    for track in &timeline.tracks {
        let mut section = Section::new(report::title(track));
        for chart in report::charts(&timeline, track, CHART) {
            section.push_aligned(Role::Strong, sentence!("  {}", chart.heading));
            for line in chart.lines {
                section.push_aligned(Role::Text, sentence!("  {line}"));
            }
        }
        section.push(Role::Text, "");
        section.push_table(report::track_lines(&timeline, track));
        page.sections.push(section);
    }
    let mut section = Section::new("What changed between the dumps");
    section.push_table(report::moment_lines(&timeline));
    page.sections.push(section);
    let problems = timeline.problems.list();
    if !problems.is_empty() {
        let mut section = Section::new("Problems of the series");
        for problem in problems {
            section.push(Role::Warning, sentence!("{problem}"));
        }
        page.sections.push(section);
    }
    Ok(page)
}
