//! Questions on the command line: each is answered and printed in one way.

use super::source::Opened;
use super::values::TableArgs;
use super::{FINE, FOUND, Outcome, output};
use crate::analysis::queue::Queue;
use crate::report::emit;
use crate::report::question::{AskedTree, Question};
use std::ops::ControlFlow;

/// Answers a question about an opened tree, and prints the report.
pub(super) fn ask(
    opened: &Opened,
    question: &Question,
    queue: Option<&Queue>,
    form: &TableArgs,
) -> Outcome {
    let asked = AskedTree {
        scenario: &opened.scenario,
        view: &opened.view(),
        queue,
        spent: None,
    };
    print_answer(asked, question, form)
}

/// Answers a question, and prints the report. Exits with 1 if what was asked for does not exist.
pub(super) fn print_answer(asked: AskedTree<'_>, question: &Question, form: &TableArgs) -> Outcome {
    let report = question.answer(asked, &mut || ControlFlow::Continue(()))?;
    output::print_rows(form, |out, form| emit(out, &*report, form))?;
    Ok(if report.is_found() { FINE } else { FOUND })
}
