//! `fairscope check`: problems and findings; exit 1 if there are any.

use super::args::{CheckArgs, Prose};
use super::{FINE, FOUND, Outcome, output, source};
use crate::report::{check, lint};

pub(super) fn run(args: &CheckArgs) -> Outcome {
    let opened = source::open(&args.source)?;
    let view = opened.view();
    let findings = lint::findings(&view);
    output::print(|out| match args.format_out {
        Prose::Text => check::write_text(out, &view, &findings),
        Prose::Json => check::write_json(out, &view, &findings),
    })?;
    let is_clean = opened.problems.is_empty() && findings.is_empty();
    Ok(if is_clean { FINE } else { FOUND })
}
