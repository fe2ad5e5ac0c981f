//! What the source is: its problems, the findings about its tree, and what was verified, as `check` prints it.

use crate::format::Problems;
use crate::report::View;
use crate::report::check::{Check, findings};
use crate::report::lint::formula_faults;
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
    Page::of_report(&report)
}
