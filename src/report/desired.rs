//! What of a tree differs from a file of desired shares: in sentences, as findings, and as facts.

use super::impact::edits;
use super::render::document::Document;
use super::render::json::{self, Lines, object};
use super::words::changes::{ChangeTexts, texts};
use crate::analysis::impact::{ChangeKind, ChangeList};
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence};
use crate::format::{Problem, Problems, Severity};
use crate::model::path_of;
use crate::open::desired::Drift;
use serde::Serialize;

/// Returns how much of the file the tree meets, and what of it is not applied.
pub(crate) fn summary(drift: &Drift) -> Shown {
    let equal = drift.named - drift.differing - drift.missing;
    let moved = drift.moved.len();
    let left_out = drift.problems.count();
    let counts = [
        (equal, "has the desired shares", "have the desired shares"),
        (drift.differing, "differs", "differ"),
        (drift.missing, "is missing", "are missing"),
        (
            drift.unnamed,
            "other stays unchanged",
            "others stay unchanged",
        ),
        (
            moved,
            "is elsewhere in it and not moved",
            "are elsewhere in it and not moved",
        ),
        (left_out, "line is left out", "lines are left out"),
    ];
    let mut parts = Vec::new();
    for (count, one, many) in counts {
        if count > 0 {
            parts.push(counted(count, one, many));
        }
    }
    let named = counted(drift.named, "node", "nodes");
    sentence!(
        "{} names {named}: {}.",
        drift.problems.file,
        parts.join(", ")
    )
}

/// Adds a finding about the source for each difference.
pub(crate) fn add_findings(findings: &mut Problems, drift: &Drift, source: &Shown) {
    let scenario = &drift.edited;
    for change in ChangeList::of(scenario).list {
        let ChangeTexts {
            name,
            before,
            after,
            ..
        } = texts(scenario, &change.what);
        let mut code = "desired-differs";
        let mut message = sentence!("shares of {name} are {before}, desired {after}");
        if let ChangeKind::Added(_) = change.what {
            code = "desired-missing";
            message = sentence!("{name} is missing, desired with {after}");
        }
        let advice = "fairscope plan prints the commands";
        findings.push(finding(code, source, message, advice));
    }
    for (node, place) in &drift.moved {
        let name = super::path(scenario.tree(), *node);
        let message = sentence!("{name} is desired at {place}");
        let advice = "only shares are compared; move it by hand";
        findings.push(finding("desired-moved", source, message, advice));
    }
}

/// Returns a finding about the source.
fn finding(code: &'static str, source: &Shown, message: Shown, advice: &'static str) -> Problem {
    Problem::about(Severity::Warning, code, source, message, advice)
}

/// Adds the summary, and the differences as a table.
pub(super) fn add_to(document: &mut Document<'_>, drift: &Drift) {
    document.gap();
    document.sentence(summary(drift));
    document.gap();
    let changes = ChangeList::of(&drift.edited);
    if !changes.list.is_empty() {
        edits(&drift.edited, &changes, false).add_to(document);
        document.gap();
    }
}

/// Returns the differences for machines, under the key `desired`.
pub(super) fn facts(drift: &Drift) -> impl Serialize {
    let tree = drift.edited.tree();
    let base = &drift.edited.base().tree;
    let mut differences = Vec::new();
    for change in ChangeList::of(&drift.edited).list {
        let Some(node) = change.what.node() else {
            continue;
        };
        let mut before = None;
        if let ChangeKind::Shares(_) = change.what {
            before = Some(json::shares(base.shares(node)));
        }
        differences.push(object! {
            path: path_of(tree, node),
            shares: before,
            desired: json::shares(tree.shares(node)),
        });
    }
    let mut moved = Vec::new();
    for (node, place) in &drift.moved {
        moved.push(object! { path: path_of(tree, *node), desired: place });
    }
    object! {
        desired: object! {
            file: &drift.problems.file,
            named: drift.named,
            unnamed: drift.unnamed,
            left_out: drift.problems.count(),
            differences: Lines(differences),
            moved: Lines(moved),
        },
    }
}
