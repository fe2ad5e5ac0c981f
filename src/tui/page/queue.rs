//! The jobs that wait, with the places that the edits of the scenario give them.

use crate::analysis::queue::Queue;
use crate::base::shown::Shown;
use crate::format::Problems;
use crate::format::slurm::companion::Companions;
use crate::report::queue::QueueReport;
use crate::report::{Report as _, View};
use crate::scenario::Scenario;
use crate::tui::job::Ticket;
use crate::tui::page::content::Page;
use crate::tui::page::told;

pub(crate) fn page(
    scenario: &Scenario,
    companions: &Companions,
    ticket: &Ticket,
) -> Result<Page, Shown> {
    let read = Queue::read(scenario, [&[], &[]], companions, &mut |_| ticket.go_on());
    let (queue, _) = read.map_err(told)?;
    let problems = Problems::default();
    let report = QueueReport {
        view: View::of(scenario, &problems),
        base: &scenario.base().tree,
        queue: &queue,
        limit: Some(MOST),
    };
    Ok(Page::of(
        report.document(),
        "Queue".into(),
        "the queue",
        "queue.txt",
    ))
}

/// How many jobs the page lists.
const MOST: usize = 1000;
