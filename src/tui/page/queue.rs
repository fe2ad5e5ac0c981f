//! The jobs that wait, with the places that the edits of the scenario give them, and the page of a user.

use crate::analysis::queue::Queue;
use crate::analysis::user::{IdleRecoveries, UserStanding};
use crate::base::shown::Shown;
use crate::format::Request;
use crate::format::slurm::companions::Companions;
use crate::model::NodeId;
use crate::open::live;
use crate::open::waiting::GivenOutputs;
use crate::report::me::{UserPage, associations_of};
use crate::report::queue::QueueReport;
use crate::report::{Report as _, View};
use crate::scenario::Scenario;
use crate::tui::job::Ticket;
use crate::tui::page::content::Page;
use crate::tui::page::told;

/// How many jobs the page lists.
const MOST: usize = 1000;

/// Reads the jobs that were found with a tree.
fn read(scenario: &Scenario, companions: &Companions, ticket: &Ticket) -> Result<Queue, Shown> {
    let read = Queue::read(scenario, GivenOutputs::default(), companions, &mut |_| {
        ticket.go_on()
    });
    read.map(|(queue, _)| queue).map_err(told)
}

/// Returns the page of the jobs that were found with a tree; of a live one the scheduler is asked for them.
pub(crate) fn page(
    scenario: &Scenario,
    view: &View<'_>,
    companions: &Companions,
    request: &Request,
    ticket: &Ticket,
) -> Result<Page, Shown> {
    let mut companions = companions.clone();
    live::add_jobs(request, &mut companions, &mut |_| ticket.go_on())
        .map_err(|error| error.line())?;
    let queue = read(scenario, &companions, ticket)?;
    let report = QueueReport {
        view: *view,
        base: &scenario.base().tree,
        queue: &queue,
        limit: Some(MOST),
    };
    let document = report.document();
    Ok(Page::of(document, "Queue".into(), "the queue", "queue.txt"))
}

/// Returns the page of the user of an association, as `fairscope me` prints it.
pub(crate) fn user(
    scenario: &Scenario,
    view: &View<'_>,
    node: NodeId,
    companions: &Companions,
    ticket: &Ticket,
) -> Result<Page, Shown> {
    let tree = scenario.tree();
    let settings = scenario.settings();
    let nodes = associations_of(tree, settings, tree.name(node))?;
    let mut user = UserStanding::of(scenario, &nodes);
    let progress = &mut |_| ticket.go_on();
    let idle = IdleRecoveries::of(scenario, &nodes, progress).map_err(told)?;
    let done = user.add_recovery(scenario, &idle, progress);
    done.map_err(told)?;
    // Without its jobs the page tells what it told before.
    let queue = read(scenario, companions, ticket).ok();
    let page = UserPage {
        view: *view,
        user: &user,
        queue: queue.as_ref(),
        shows_others: false,
    };
    let title = page.title();
    Ok(Page::of(page.document(), title, "the page", "me.txt"))
}
