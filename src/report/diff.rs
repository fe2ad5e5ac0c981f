//! `diff`: the differences of two trees, and the changes that moved each user.

mod rows;

pub use super::words::diff::{lines, order};
use super::words::part;

use super::render::column_widths;
use super::render::document::{Document, Front};
use super::render::json::{self, Entries, Lines, List, object};
use super::render::table::{Cell, Column, Table};
use super::{Form, Output, Report, View, emit};
use crate::analysis::diff::{Cause, Diff, Pair, PlacesByCause, RankMove, TargetShift};
use crate::base::number::{Unit, Value, cell, grouped};
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, path_of};
use crate::rules::policy::ColumnId;
use serde::Serialize;
use std::io::{self, Write};

const USUAL_LIMIT: usize = 40;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Trees<'a> {
    pub(crate) diff: &'a Diff,
    pub(crate) before: View<'a>,
    pub(crate) after: View<'a>,
    /// The largest number of moves, in text also of nodes; `None` means 40 in text and all for machines.
    pub(crate) limit: Option<usize>,
}

pub(crate) fn write(out: &mut Output<'_>, compared: &Trees<'_>, form: Form) -> io::Result<()> {
    emit(out, &DiffReport::of(compared, form.is_for_people()), form)
}

/// The report of a comparison.
pub(crate) struct DiffReport<'a> {
    compared: Trees<'a>,
    shown: usize,
    /// The changes that can have moved users; settings only if they differ.
    causes: Vec<Cause>,
    because: Vec<PlacesByCause>,
}

type NodePair = Pair<Option<NodeId>>;

fn on_both(pair: Pair<NodeId>) -> NodePair {
    Pair {
        before: Some(pair.before),
        after: Some(pair.after),
    }
}

/// What happened to a node, in a word.
type Event = (&'static str, NodePair);

impl<'a> DiffReport<'a> {
    pub(crate) fn of(compared: &Trees<'a>, is_for_people: bool) -> Self {
        let diff = compared.diff;
        let usual = is_for_people.then_some(USUAL_LIMIT);
        let limit = compared.limit.or(usual).unwrap_or(usize::MAX);
        let shown = limit.min(diff.moves().len());
        let attributable = diff.attributable(compared.limit);
        let mut causes = Cause::ALL.to_vec();
        causes.retain(|&cause| cause != Cause::Settings || !diff.changes.settings.is_empty());
        Self {
            compared: *compared,
            shown,
            causes,
            because: diff.attribute(attributable.min(shown)),
        }
    }

    /// Returns a value of a node on both sides; `None` on a side where the node does not exist.
    fn values<T>(&self, node: NodePair, of: impl Fn(&View<'a>, NodeId) -> T) -> Pair<Option<T>> {
        Pair {
            before: node.before.map(|node| of(&self.compared.before, node)),
            after: node.after.map(|node| of(&self.compared.after, node)),
        }
    }

    /// Returns the value of a node on the newer side on which it exists.
    fn last_value(&self, node: NodePair, of: impl Fn(&View<'a>, NodeId) -> Value) -> Value {
        let values = self.values(node, of);
        values.after.or(values.before).unwrap_or(Value::Null)
    }

    /// Returns the changes in the order of the table for people, nodes whose usage alone changed last.
    fn events(&self) -> Vec<Event> {
        let changes = &self.compared.diff.changes;
        let (old, new) = (self.compared.before.tree, self.compared.after.tree);
        let one = |before, after| Pair { before, after };
        let is_usage_only = |pair: &Pair<NodeId>| {
            old.shares(pair.before) == new.shares(pair.after)
                && old.name(pair.before) == new.name(pair.after)
        };
        let (usage, more): (Vec<_>, Vec<_>) =
            changes.changed.iter().partition(|it| is_usage_only(it));
        let (added, removed) = (changes.added.iter(), changes.removed.iter());
        let added = added.map(|&node| ("added", one(None, Some(node))));
        let removed = removed.map(|&node| ("removed", one(Some(node), None)));
        let moved = changes.moved.iter().map(|&pair| ("moved", on_both(pair)));
        let changed = more.into_iter().chain(usage);
        let changed = changed.map(|&pair| ("changed", on_both(pair)));
        added.chain(removed).chain(moved).chain(changed).collect()
    }

    fn event_columns(&self) -> Vec<Column<'_, Event>> {
        let shares = |view: &View<'_>, node| match view.value(ColumnId::Shares, node) {
            Value::Count(count) => grouped(count),
            value => cell(value, Unit::Count),
        };
        let usage_text = |view: &View<'_>, node| cell(usage(view, node), Unit::Usage);
        vec![
            Column::left("Node", |&(_, node)| {
                let paths = self.values(node, View::path);
                match (paths.before, paths.after) {
                    (Some(before), Some(after)) if before != after => {
                        sentence!("{before} → {after}")
                    }
                    (_, Some(path)) | (Some(path), None) => path,
                    (None, None) => Shown::default(),
                }
            }),
            Column::left("Change", |&(event, _)| event),
            Column::right("Shares", move |&(_, node)| {
                let last = |view: &View<'_>, node| view.value(ColumnId::Shares, node);
                let last = self.last_value(node, last);
                Cell::Told(arrow(self.values(node, shares)), last)
            }),
            Column::right("Usage", move |&(_, node)| {
                let last = self.last_value(node, usage);
                Cell::Told(arrow(self.values(node, usage_text)), last)
            }),
        ]
    }

    /// Returns the columns of the users that moved; a row is an index into the moves.
    fn move_columns(&self) -> Vec<Column<'_, usize>> {
        let moves = self.compared.diff.moves();
        let mut columns = vec![
            Column::left("User", |&row: &usize| {
                self.compared.after.path(moves[row].nodes.after)
            }),
            Column::right("Rank", |&row: &usize| {
                let ranks = moves[row].ranks;
                let text = sentence!("{} → {}", grouped(ranks.before), grouped(ranks.after));
                Cell::Told(text, Value::Count(ranks.after.into()))
            }),
            Column::number("Change", Unit::Change, |&row: &usize| {
                Value::Count(moves[row].places())
            }),
        ];
        columns.extend(self.causes.iter().enumerate().map(|(place, &cause)| {
            let places = move |&row: &usize| {
                let because = self.because.get(row);
                because.map(|because| because.places(cause)).into()
            };
            Column::number(cause.heading(), Unit::Change, places)
                .giving_way(column_widths::listed(place))
        }));
        columns
    }
}

impl Report for DiffReport<'_> {
    fn front(&self) -> Front {
        let Trees { before, after, .. } = &self.compared;
        let sources = [("Old", before.source), ("New", after.source)];
        Front::of("Differences", after).with_sources(&sources)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::default();
        document.paragraphs(lines(self.compared.diff));
        let compared = self.compared;
        let sides = [compared.before.tree, compared.after.tree];
        if sides.iter().any(|tree| tree.part().is_some()) {
            document.paragraph(part::COMPARED);
        }
        let mut events = self.events();
        let event_count = events.len();
        if event_count > 0 {
            events.truncate(self.compared.limit.unwrap_or(USUAL_LIMIT));
            let left = event_count - events.len();
            document.gap_in_text();
            document.table(Table::new(self.event_columns(), events.into_iter()));
            document.left_off(left);
            document.gap_in_markdown();
        }
        let moves = self.compared.diff.moves().len();
        if moves > 0 {
            document.gap_in_text();
            document.paragraph(order(&self.causes));
            document.table(Table::new(self.move_columns(), 0..self.shown));
            document.left_off(moves - self.shown);
        }
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let (before, after) = (&self.compared.before, &self.compared.after);
        let diff = self.compared.diff;
        let changes = &diff.changes;
        let moves = diff.moves();
        let dilution = diff.dilution();
        let body = object! {
            source_before: json::source(before.source),
            added: nodes(after, &changes.added),
            removed: nodes(before, &changes.removed),
            moved: Lines(List(changes.moved.iter().map(|&pair| self.paths(pair)))),
            changed: Lines(List(changes.changed.iter().map(|&pair| self.changed(pair)))),
            settings: Lines(json::settings(&changes.settings)),
            ranked_users: diff.ranked_user_count(),
            moved_users: moves.len(),
            attributed: self.because.len(),
            order: List(self.causes.iter().map(|cause| cause.name())),
            moves: Lines(List(moves[..self.shown].iter().enumerate().map(|(row, user)| self.moved(row, user)))),
            untouched: object! {
                column: dilution.column.name(),
                accounts: dilution.accounts,
                users: dilution.users,
                lost: shift(&dilution.lost),
                gained: shift(&dilution.gained),
            },
            text: lines(diff).join(" "),
            problems_before: json::problems(before.problems.list()),
        };
        json::write(out, after, body)
    }

    fn csv(&self) -> Option<Table<'_>> {
        Some(Table::new(self.csv_columns(), self.csv_rows().into_iter()))
    }
}

/// Returns the usage that the source recorded for the node itself.
fn usage(view: &View<'_>, node: NodeId) -> Value {
    view.tree.usage(node).amount().into()
}

/// Returns a value, or both with an arrow if they differ.
fn arrow(texts: Pair<Option<Shown>>) -> Shown {
    let word = |text: Shown| {
        if text.is_empty() { "none".into() } else { text }
    };
    match (texts.before, texts.after) {
        (Some(before), Some(after)) if before == after => after,
        (Some(before), Some(after)) => sentence!("{} → {}", word(before), word(after)),
        (Some(text), None) | (None, Some(text)) => text,
        (None, None) => Shown::default(),
    }
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

fn shift(shift: &TargetShift) -> impl Serialize {
    object! {
        accounts: shift.accounts,
        users: shift.users,
        least: shift.least,
        median: shift.median,
        most: shift.most,
    }
}
