//! `fairscope explain`: why a node stands where it stands, or where two part.

use super::args::{ExplainArgs, Prose};
use super::{FINE, Outcome, output, source};
use crate::report::{explain, split};

pub(super) fn run(args: &ExplainArgs) -> Outcome {
    let opened = source::open(&args.source)?;
    let (scenario, view) = (&opened.scenario, opened.view());
    let node = source::node(scenario.tree(), &args.node)?;
    if let Some(other) = &args.other {
        let other = source::node(scenario.tree(), other)?;
        let split = split::split(scenario.tree(), node, other);
        output::print(|out| match args.format_out {
            Prose::Text => explain::write_text(out, &split::lines(&view, &split)),
            Prose::Json => split::write_json(out, &view, &split),
        })?;
        return Ok(FINE);
    }
    let explanation = scenario.explain(node);
    output::print(|out| match args.format_out {
        Prose::Text => explain::write_text(out, &explain::lines(&view, &explanation)),
        Prose::Json => explain::write_json(out, &view, &explanation),
    })?;
    Ok(FINE)
}
