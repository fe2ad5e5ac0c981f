//! The computation of a page on a thread.

use crate::base::shown::Shown;
use crate::format::Series;
use crate::format::native::Reference;
use crate::scenario::Scenario;
use crate::tui::job::Ticket;
use crate::tui::page::content::{Page, Progress};
use crate::tui::page::subject::{NO_SERIES, Subject};
use crate::tui::page::{compare, contention, manual, plan, solve, timeline};

/// A page to compute. Clones are cheap because they share every column.
#[derive(Clone, Debug)]
pub struct PageTask {
    pub(crate) subject: Subject,
    pub(crate) scenario: Box<Scenario>,
    pub(crate) reference: Reference,
    pub(crate) series: Option<Series>,
}

impl PageTask {
    /// Computes the page until the job is cancelled.
    ///
    /// # Errors If the page has no answer, with a sentence that explains why.
    pub(crate) fn answer(self, ticket: &Ticket) -> Result<Page, Shown> {
        let scenario = &self.scenario;
        let progress: Progress<'_> = &mut |_| ticket.go_on();
        match &self.subject {
            Subject::Plan => Ok(plan::page(scenario, &self.reference)),
            Subject::Goal(node, goal) => {
                solve::goal(scenario, *node, *goal, progress).map_err(told)
            }
            Subject::Rank(node) => solve::hangs_on(scenario, *node, progress).map_err(told),
            Subject::Pair(pair) => compare::pair(scenario, *pair, progress).map_err(told),
            Subject::Diff(path) => {
                compare::with_file(scenario, path, ticket).map_err(|error| error.line())
            }
            Subject::Contention(machine, against) => {
                contention::page(scenario, machine, *against, ticket).map_err(told)
            }
            Subject::Manual(topic) => Ok(manual::page(*topic)),
            Subject::Timeline(paths) => {
                let series = self.series.as_ref().ok_or(NO_SERIES)?;
                let request = &self.reference.request;
                timeline::page(scenario, request, series, paths, ticket)
                    .map_err(|error| error.line())
            }
        }
    }
}

fn told(error: impl std::error::Error) -> Shown {
    Shown::error(&error)
}
