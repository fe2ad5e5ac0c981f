//! The computation of a page on a thread.

use crate::base::shown::Shown;
use crate::format::Series;
use crate::format::native::Reference;
use crate::scenario::Scenario;
use crate::tui::job::Ticket;
use crate::tui::page::content::{Page, Progress};
use crate::tui::page::subject::{NO_SERIES, Subject};
use crate::tui::page::{compare, contention, diff, manual, plan, solve, timeline};

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
        let is_cancelled = || ticket.is_cancelled();
        let progress: Progress<'_> = &mut |_| ticket.go_on();
        match &self.subject {
            Subject::Plan => Ok(plan::page(scenario, &self.reference)),
            Subject::Goal(node, goal) => {
                solve::goal(scenario, *node, *goal, progress).map_err(|error| Shown::error(&error))
            }
            Subject::Rank(node) => {
                solve::hangs_on(scenario, *node, progress).map_err(|error| Shown::error(&error))
            }
            Subject::Pair(pair) => {
                compare::page(scenario, *pair, progress).map_err(|error| Shown::error(&error))
            }
            Subject::Diff(path) => {
                diff::page(scenario, path, &is_cancelled).map_err(|error| error.line())
            }
            Subject::Contention(machine, against) => {
                contention::page(scenario, machine, *against, &is_cancelled)
                    .map_err(|error| Shown::error(&error))
            }
            Subject::Manual(topic) => Ok(manual::page(*topic)),
            Subject::Timeline(paths) => match &self.series {
                None => Err(NO_SERIES.into()),
                Some(series) => {
                    let request = &self.reference.request;
                    timeline::page(scenario, request, series, paths, &is_cancelled)
                        .map_err(|error| error.line())
                }
            },
        }
    }
}
