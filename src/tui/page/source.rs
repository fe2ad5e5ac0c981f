//! What the source is: its problems, the findings about its tree, and what was verified, as `check` prints it.

use crate::base::shown::sentence;
use crate::format::Problems;
use crate::report::check::{Check, counted_problems, findings};
use crate::report::lint::formula_faults;
use crate::report::{Report as _, View};
use crate::scenario::Scenario;
use crate::trust::verify::Verification;
use crate::tui::page::content::Page;

/// Returns the page of a source before any edit. The formula can be set without an edit, so its faults are the present ones.
pub(crate) fn page(scenario: &Scenario, problems: &Problems, verification: &Verification) -> Page {
    let view = View::before(scenario, problems);
    let mut found = findings(&view, verification);
    let now = View::of(scenario, problems);
    if now.settings.formula != view.settings.formula {
        for fault in formula_faults(&now) {
            found.push(fault);
        }
    }
    let report = Check {
        view: &view,
        findings: &found,
        verification,
        drift: None,
        gates: &[],
    };
    let title = match counted_problems(problems.count(), found.count()) {
        Some(counted) => sentence!("Source: {counted}"),
        None => "Source: no problems".into(),
    };
    Page::of(
        report.document(),
        title,
        "the check of the source",
        "check.txt",
    )
}
