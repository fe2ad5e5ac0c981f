//! The page of the plan: what the edits do, and the commands that apply them.

use crate::analysis::plan::{PlanInputs, plan};
use crate::base::shown::sentence;
use crate::format::native::Reference;
use crate::format::slurm::companions::Companions;
use crate::report::View;
use crate::report::document::Document;
use crate::report::plan::{PlanReport, without_commands};
use crate::scenario::Scenario;
use crate::tui::page::content::Page;

pub(crate) fn page(
    scenario: &Scenario,
    view: &View<'_>,
    reference: &Reference,
    companions: &Companions,
) -> Page {
    if scenario.history().is_untouched() {
        return page_without_edits();
    }
    let Some(scheduler) = scenario.settings().scheduler else {
        let document = without_commands(scenario);
        return Page::of(document, "The plan".into());
    };
    let request = &reference.request;
    let read = PlanInputs::read(scheduler, scenario.base(), request, companions);
    let mut unread = None;
    let inputs = match read {
        Ok(inputs) => inputs,
        Err(error) => {
            unread = Some(sentence!("{error}; the file is rewritten"));
            PlanInputs {
                cluster: request.cluster.clone().unwrap_or_default(),
                ..PlanInputs::default()
            }
        }
    };
    let plan = plan(scenario, scheduler, &inputs);
    let report = PlanReport {
        scenario,
        view,
        plan: &plan,
        unread,
        drift: None,
    };
    let mut page = Page::of_report(&report);
    page.lacks_cluster = plan.lacks_cluster;
    for file in &plan.files {
        let name = format!("{}.new", file.name);
        page.files.push((name, file.bytes.clone()));
    }
    page
}

/// Returns the page of a tree that was not edited.
fn page_without_edits() -> Page {
    let mut document = Document::default();
    document.heading("There are no edits yet");
    document.line(
        "Edit shares with e, or type any edit with ; : who rises, who falls and the commands appear here.",
    );
    Page::of(document, "The plan".into())
}
