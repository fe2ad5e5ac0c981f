//! The comparison of another snapshot or another tree with the open one.

use crate::analysis::diff::Diff;
use crate::base::shown::{sentence, shown, visible};
use crate::format::{LoadError, Problems, Request};
use crate::open::live;
use crate::open::opened::Opened;
use crate::report::document::Document;
use crate::report::line::Line;
use crate::report::{View, diff as report};
use crate::scenario::Scenario;
use crate::tui::page::content::Page;
use std::ops::ControlFlow;
use std::path::Path;

/// Compares the tree in a file, as the old one, with the open one, edits included.
pub(crate) fn page(
    scenario: &Scenario,
    path: &Path,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Page, LoadError> {
    let request = Request {
        path: path.to_owned(),
        ..Request::default()
    };
    let report = &mut |_: &_| {
        if is_cancelled() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let loaded = live::load_or_end(&request, report)?;
    let old = Opened::new(loaded, Some(scenario.policy()));
    let problems = Problems::default();
    let diff = Diff::between(&old.scenario, scenario);
    let compared = report::Trees {
        diff: &diff,
        before: View::of(&old.scenario, &problems),
        after: View::of(scenario, &problems),
        limit: None,
    };
    let name = shown(path.as_os_str().as_encoded_bytes());
    let title = sentence!("From {name} to the open tree");
    let mut page = Page::new(title, "the differences", "diff.txt");
    let mut document = Document::default();
    document.heading("What differs, and which change moved whom");
    let text = report::text(&compared);
    document.lines(text.lines().map(|line| Line::from(visible(line)).drawn()));
    page.add(document);
    Ok(page)
}
