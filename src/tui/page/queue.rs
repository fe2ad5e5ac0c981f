//! The jobs that wait, for the pages that tell of them.

use crate::analysis::queue::Queue;
use crate::base::shown::Shown;
use crate::open::live;
use crate::open::waiting::GivenOutputs;
use crate::report::question::Question;
use crate::tui::job::Ticket;
use crate::tui::page::{PageTask, told};

/// How many jobs the page of the queue lists.
pub(crate) const MOST_JOBS: usize = 1000;

/// Returns the jobs that were found with the tree; of a live one the scheduler is asked for them. `None` if the question
/// needs none, or if the page of a user has to do without.
pub(super) fn asked(
    task: &PageTask,
    question: &Question,
    ticket: &Ticket,
) -> Result<Option<Queue>, Shown> {
    match question {
        Question::User(_) => Ok(read(task, ticket, false).ok()),
        Question::Queue(_) | Question::Job(_) => read(task, ticket, true).map(Some),
        _ => Ok(None),
    }
}

/// Reads the jobs that were found with the tree, and those of a live scheduler if `is_live`.
fn read(task: &PageTask, ticket: &Ticket, is_live: bool) -> Result<Queue, Shown> {
    let mut companions = task.companions.clone();
    if is_live {
        let request = &task.reference.request;
        if let Err(error) = live::add_jobs(request, &mut companions, &mut |_| ticket.go_on()) {
            return Err(error.line());
        }
    }
    let given = GivenOutputs::default();
    let scenario = &task.scenario;
    match Queue::read(scenario, given, &companions, &mut |_| ticket.go_on()) {
        Ok((queue, _)) => Ok(queue),
        Err(error) => Err(told(error)),
    }
}
