//! `fairscope check`: problems, findings and what was verified; exit 1 if there is anything to report.

use super::args::CheckArgs;
use super::{FINE, FOUND, Outcome, output, source};
use crate::report::check;

pub(super) fn run(args: &CheckArgs) -> Outcome {
    let opened = source::open(&args.source)?;
    let view = opened.view();
    let verification = &opened.verification;
    let findings = check::findings(&view, verification);
    let form = args.form.format_out;
    output::print(form, |out| {
        check::write(out, &view, &findings, verification, form)
    })?;
    let is_clean = opened.problems.is_empty() && findings.is_empty();
    Ok(if is_clean { FINE } else { FOUND })
}
