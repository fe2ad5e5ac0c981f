//! `fairscope explain`: why a node has its rank, or where two paths diverge.

use super::args::ExplainArgs;
use super::{FINE, Outcome, output, source};
use crate::base::shown::shown;
use crate::format::input::{self, PathKind};
use crate::report::{explain, split};
use color_eyre::eyre::{self, bail};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

pub(super) fn run(args: &ExplainArgs) -> Outcome {
    let (sources, node, other) = parts(args)?;
    let opened = source::open_paths(&sources, &args.reading)?;
    let (scenario, view) = (&opened.scenario, opened.view());
    let found = source::node(scenario.tree(), node);
    let is_file = || matches!(input::look(Path::new(node)), Ok(PathKind::File));
    if found.is_err() && args.reading.live.is_none() && is_file() {
        bail!(beside(node));
    }
    let node = found?;
    // The explanation lacks the jobs that were left out.
    if args.reading.jobs.is_some() {
        opened.mention_problems_of(&sources, &args.reading);
    }
    let form = args.form.format_out;
    if let Some(other) = other {
        let other = source::node(scenario.tree(), other)?;
        let split = split::split(scenario.tree(), node, other);
        output::print(form, |out| split::write(out, &view, &split, form))?;
        return Ok(FINE);
    }
    let explanation = scenario.explain(node);
    output::print(form, |out| explain::write(out, &view, &explanation, form))?;
    Ok(FINE)
}

/// Splits the words into the sources, the node and the second node; a live scheduler needs no source.
fn parts(args: &ExplainArgs) -> eyre::Result<(Vec<PathBuf>, &OsString, Option<&OsString>)> {
    let (sources, nodes) = match (&args.words[..], args.reading.live) {
        (nodes, Some(_)) => (Vec::new(), nodes),
        ([source, nodes @ ..], None) => (vec![PathBuf::from(source)], nodes),
        ([], None) => (Vec::new(), [].as_slice()),
    };
    match nodes {
        [node] => Ok((sources, node, None)),
        [node, other] => Ok((sources, node, Some(other))),
        [] => bail!(
            "no node given; give one after the source, as in: fairscope explain sched_priv group2/suzy"
        ),
        [second, ..] if args.reading.live.is_none() => bail!(beside(second)),
        _ => bail!(
            "--live replaces the source, so these are {} nodes, but at most two can be compared; leave out the source",
            nodes.len()
        ),
    }
}

/// Returns the message for a file in the place of a node, or for a surplus word.
fn beside(word: &OsString) -> String {
    format!(
        "too many arguments: {0} is in the place of a node; expected one source and one or two nodes; if it is another \
         output of the same cluster, give it with --with {0}",
        shown(word.as_bytes())
    )
}
