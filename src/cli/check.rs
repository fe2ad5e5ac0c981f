//! `fairscope check`: problems, findings and what was verified; exit 1 if anything is wrong.

use super::args::{CheckArgs, Prose};
use super::{FINE, FOUND, Outcome, output, source};
use crate::format::{Problems, Severity};
use crate::report::check;

pub(super) fn run(args: &CheckArgs) -> Outcome {
    let opened = source::open(&args.source)?;
    let view = opened.view();
    let verification = &opened.verification;
    let findings = check::findings(&view, verification);
    output::print(|out| match args.format_out {
        Prose::Text => check::write_text(out, &view, &findings, verification),
        Prose::Json => check::write_json(out, &view, &findings, verification),
    })?;
    let is_clean = [&opened.problems, &findings]
        .into_iter()
        .all(has_only_notes);
    Ok(if is_clean { FINE } else { FOUND })
}

/// Whether there is nothing in a list that asks for anything to be done.
fn has_only_notes(problems: &Problems) -> bool {
    let mut list = problems.list().iter();
    problems.count() == problems.list().len()
        && list.all(|problem| problem.severity == Severity::Note)
}
