//! The differences as JSON.

use super::{DiffReport, lines, usage};
use crate::analysis::diff::{Pair, RankMove, TargetShift};
use crate::model::{NodeId, path_of};
use crate::report::View;
use crate::report::json::{self, Entries, Lines, List, object};
use crate::rules::policy::ColumnId;
use serde::Serialize;
use std::io::{self, Write};

pub(super) fn write(out: &mut dyn Write, report: &DiffReport<'_>) -> io::Result<()> {
    let (before, after) = (&report.compared.before, &report.compared.after);
    let diff = report.diff();
    let changes = diff.changes();
    let moves = diff.moves();
    let settings = changes.settings.iter().map(|setting| {
        object! {
            key: setting.key,
            before: &setting.before,
            after: &setting.after,
        }
    });
    let dilution = diff.dilution();
    let body = object! {
        source_before: json::source(before.source),
        added: nodes(after, &changes.added),
        removed: nodes(before, &changes.removed),
        moved: Lines(List(changes.moved.iter().map(|&pair| report.paths(pair)))),
        changed: Lines(List(changes.changed.iter().map(|&pair| report.changed(pair)))),
        settings: Lines(List(settings)),
        ranked_users: diff.ranked_user_count(),
        moved_users: moves.len(),
        attributed: report.because.len(),
        order: List(report.causes.iter().map(|cause| cause.name())),
        moves: Lines(List(moves[..report.shown].iter().enumerate().map(|(row, user)| report.moved(row, user)))),
        untouched: object! {
            column: dilution.column.name(),
            accounts: dilution.accounts,
            users: dilution.users,
            lost: shift(&dilution.lost),
            gained: shift(&dilution.gained),
        },
        text: lines(diff).join(" "),
        problems_before: json::problems(before.problems.list()),
        problems: json::problems(after.problems.list()),
    };
    json::write(out, after, body)
}

impl DiffReport<'_> {
    fn paths(&self, pair: Pair<NodeId>) -> impl Serialize {
        object! {
            path: path_of(self.compared.after.tree, pair.after),
            path_before: path_of(self.compared.before.tree, pair.before),
        }
    }

    fn changed(&self, pair: Pair<NodeId>) -> impl Serialize {
        let (before, after) = (&self.compared.before, &self.compared.after);
        object! {
            #[serde(flatten)]
            paths: self.paths(pair),
            shares_before: before.value(ColumnId::Shares, pair.before),
            shares_after: after.value(ColumnId::Shares, pair.after),
            usage_before: usage(before, pair.before),
            usage_after: usage(after, pair.after),
        }
    }

    /// Returns a user whose rank changed, with the causes if they are known.
    fn moved(&self, row: usize, user: &RankMove) -> impl Serialize {
        let because = self.because.get(row).map(|because| {
            let causes = self.causes.iter();
            Entries(causes.map(|&cause| (cause.name(), because.places(cause))))
        });
        object! {
            #[serde(flatten)]
            paths: self.paths(user.nodes),
            rank_before: user.ranks.before,
            rank_after: user.ranks.after,
            because: because,
        }
    }
}

/// Returns nodes that exist on one side only.
fn nodes(view: &View<'_>, nodes: &[NodeId]) -> impl Serialize {
    Lines(List(nodes.iter().map(|&node| {
        object! {
            path: path_of(view.tree, node),
            kind: view.tree.kind(node).name(),
            shares: view.value(ColumnId::Shares, node),
            usage: usage(view, node),
        }
    })))
}

/// Returns how far the targets of unedited nodes shifted in one direction.
fn shift(shift: &TargetShift) -> impl Serialize {
    object! {
        accounts: shift.accounts,
        users: shift.users,
        least: shift.least,
        median: shift.median,
        most: shift.most,
    }
}
