//! What of a tree differs from a file of desired shares: in sentences, as findings, and as facts.

use super::impact::edits;
use super::render::document::Document;
use super::render::json::{self, Lines, List, object};
use super::words::changes::texts;
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
    let part = |count, one, many| (count > 0).then(|| counted(count, one, many));
    let parts = [
        part(equal, "has the desired shares", "have the desired shares"),
        part(drift.differing, "differs", "differ"),
        part(drift.missing, "is missing", "are missing"),
        part(
            drift.unnamed,
            "other stays unchanged",
            "others stay unchanged",
        ),
        part(
            drift.moved.len(),
            "is elsewhere in it and not moved",
            "are elsewhere in it and not moved",
        ),
        part(
            drift.problems.count(),
            "line is left out",
            "lines are left out",
        ),
    ];
    let named = counted(drift.named, "node", "nodes");
    let parts = Shown::joined(parts.into_iter().flatten(), ", ");
    sentence!("{} names {named}: {parts}.", drift.problems.file)
}

/// Adds a finding about the source for each difference.
pub(crate) fn add_findings(findings: &mut Problems, drift: &Drift, source: &Shown) {
    let mut add = |code, message: Shown, advice| {
        let severity = Severity::Warning;
        findings.push(Problem::about(severity, code, source, message, advice));
    };
    for change in ChangeList::of(&drift.edited).list {
        let texts = texts(&drift.edited, &change.what);
        let name = texts.name;
        let (code, message) = match change.what {
            ChangeKind::Added(_) => (
                "desired-missing",
                sentence!("{name} is missing, desired with {}", texts.after),
            ),
            _ => (
                "desired-differs",
                sentence!(
                    "shares of {name} are {}, desired {}",
                    texts.before,
                    texts.after
                ),
            ),
        };
        add(code, message, "fairscope plan prints the commands");
    }
    for (node, place) in &drift.moved {
        let name = super::path(drift.edited.tree(), *node);
        let message = sentence!("{name} is desired at {place}");
        let advice = "only shares are compared; move it by hand";
        add("desired-moved", message, advice);
    }
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
    let (tree, base) = (drift.edited.tree(), &drift.edited.base().tree);
    let differences: Vec<_> = ChangeList::of(&drift.edited).list;
    let differences = differences.into_iter().filter_map(|change| {
        let node = change.what.node()?;
        let before = matches!(change.what, ChangeKind::Shares(_)).then(|| base.shares(node));
        Some(object! {
            path: path_of(tree, node),
            shares: before.map(json::shares),
            desired: json::shares(tree.shares(node)),
        })
    });
    let moved = drift.moved.iter().map(|(node, place)| {
        object! { path: path_of(tree, *node), desired: place }
    });
    object! {
        desired: object! {
            file: &drift.problems.file,
            named: drift.named,
            unnamed: drift.unnamed,
            left_out: drift.problems.count(),
            differences: Lines(List(differences)),
            moved: Lines(List(moved)),
        },
    }
}
