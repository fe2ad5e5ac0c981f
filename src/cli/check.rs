//! `fairscope check`: problems, findings and what was verified; exit 1 if there is anything to report.

use super::args::{CheckArgs, Prose};
use super::{FINE, FOUND, Outcome, output, source};
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
    let is_clean = opened.problems.is_empty() && findings.is_empty();
    Ok(if is_clean { FINE } else { FOUND })
}
