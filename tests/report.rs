//! Reports as text, CSV, JSON and Markdown, with the same numbers as the screens.

mod classic;
mod explain;
mod explain_fair_tree;
mod explain_level_based;
mod figures;
mod fitted;
mod html;
mod impact;
mod lesson;
mod lint;
mod pbsfs;
mod prose;
mod show;
mod whatif;

use crate::support::trees::pbs;
use fairscope::format::Problems;
use fairscope::report::Output;
use fairscope::report::explain::Line;
use fairscope::rules::policy::Policy;
use fairscope::scenario::{Scenario, parse};
use std::sync::Arc;

/// A drawn tree with edits in the edit language.
fn scenario(drawing: &str, edits: &[&str]) -> (Scenario, Problems) {
    let mut snapshot = pbs(drawing);
    snapshot.source.taken = Some(1_700_000_000);
    let mut scenario = Scenario::new(Arc::new(snapshot), Policy::Pbs);
    for edit in edits {
        let edit = parse(edit.as_bytes(), scenario.tree(), scenario.settings())
            .expect("an edit of the tree");
        scenario.apply(edit).expect("an edit that fits");
    }
    (scenario, Problems::default())
}

/// The output of a report, as text.
fn written(report: impl FnOnce(&mut Output<'_>) -> std::io::Result<()>) -> String {
    let mut bytes = Vec::new();
    report(&mut Output::new(&mut bytes, None)).expect("writing to memory does not fail");
    String::from_utf8(bytes).expect("reports are UTF-8")
}

/// The lines of an explanation, as text.
fn text_of(lines: &[Line]) -> String {
    let lines = lines.iter().map(|line| line.text().trimmed());
    lines.map(|line| line.to_string() + "\n").collect()
}
