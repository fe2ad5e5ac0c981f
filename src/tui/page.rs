//! Pages: long answers that may take time to compute, such as the plan, a solution or a comparison of two nodes. A thread
//! computes each from a copy of the scenario. Their keys are handled in `update`, and they are drawn in `screen`.

mod compare;
pub(super) mod content;
mod plan;
pub(super) mod queue;
mod source;

use crate::base::shown::Shown;
use crate::format::native::Reference;
use crate::format::slurm::companions::Companions;
use crate::format::{Problems, Series};
use crate::report::View;
use crate::report::manual::{Topic, document, links, plain_text};
use crate::report::question::AskedTree;
use crate::scenario::Scenario;
use crate::trust::verify::Verification;
use crate::tui::job::Ticket;
use content::{NO_SERIES, Page, Subject};

/// The width at which a topic of the manual is copied and saved.
const WIDTH: usize = 80;

/// A page to compute. Clones are cheap because they share every column.
#[derive(Clone, Debug)]
pub struct PageTask {
    pub(crate) subject: Subject,
    pub(crate) scenario: Box<Scenario>,
    pub(crate) reference: Reference,
    pub(crate) series: Option<Series>,
    pub(crate) companions: Companions,
    /// What was odd or wrong in the source.
    pub(crate) problems: Problems,
    pub(crate) verification: Box<Verification>,
}

impl PageTask {
    /// Computes the page until the job is cancelled. The error is a sentence that explains why there is none.
    pub(crate) fn answer(self, ticket: &Ticket) -> Result<Page, Shown> {
        let scenario = &self.scenario;
        let problems = Problems::default();
        let view = &View::of(scenario, &problems).verified(&self.verification);
        match &self.subject {
            Subject::Plan => Ok(plan::page(
                scenario,
                view,
                &self.reference,
                &self.companions,
            )),
            Subject::Question(question) => {
                let queue = queue::asked(&self, question, ticket)?;
                let asked = AskedTree {
                    scenario,
                    view,
                    queue: queue.as_ref(),
                    spent: None,
                };
                let answer = question.answer(asked, &mut || ticket.go_on());
                let report = answer.map_err(told)?;
                Ok(Page::of_report(&*report))
            }
            Subject::Diff(path) => {
                compare::with_file(scenario, view, path, ticket).map_err(|error| error.line())
            }
            Subject::Source => Ok(source::page(scenario, &self.problems, &self.verification)),
            Subject::Manual(topic) => Ok(topic_page(*topic)),
            Subject::Timeline(paths) => {
                let series = self.series.clone().ok_or(NO_SERIES)?;
                let request = &self.reference.request;
                compare::history(scenario, request, series, paths, ticket)
                    .map_err(|error| error.line())
            }
        }
    }
}

fn told(error: impl std::error::Error) -> Shown {
    Shown::error(&error)
}

pub(crate) fn topic_page(topic: Topic) -> Page {
    Page {
        title: topic.title().into(),
        document: document(topic).kept(),
        copied: Some(plain_text(topic, WIDTH)),
        topic: Some(topic),
        links: links(topic),
        ..Page::default()
    }
}
