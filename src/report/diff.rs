//! `diff`: the differences of two trees, and the changes that moved each user.
//!
//! What happened to the nodes comes first, then the users that moved, the furthest first, with the places that each kind of
//! change moved them. That takes evaluations of the tree, so of many moves only the first are attributed.

mod rows;

pub use super::words::diff::{lines, order};
use super::words::{before_and_after, part};

use super::render::column_widths;
use super::render::document::{Document, Front};
use super::render::json::{self, Entries, Lines, List, object};
use super::render::table::{Cell, Column, Table};
use super::{Form, Output, Report, View, emit};
use crate::analysis::diff::{
    Cause, Diff, Pair, PlacesByCause, RankMove, TargetShift, TargetShifts,
};
use crate::base::number::{Unit, Value, cell, grouped};
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, path_of};
use crate::rules::policy::ColumnId;
use serde::Serialize;
use std::io::{self, Write};

/// How many moves and changed nodes people see unless more are asked for.
const USUAL_LIMIT: usize = 40;

/// Two trees that are compared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trees<'a> {
    /// Their differences.
    pub(crate) diff: &'a Diff,
    /// The old tree.
    pub(crate) before: View<'a>,
    /// The new tree.
    pub(crate) after: View<'a>,
    /// The largest number of moves, in text also of nodes; `None` means 40 in text and all for machines.
    pub(crate) limit: Option<usize>,
}

/// Writes a comparison. What moved the users is found out for as many moves as the form shows, so text takes less time
/// than the forms for machines.
pub(crate) fn write(out: &mut Output<'_>, compared: &Trees<'_>, form: Form) -> io::Result<()> {
    let report = DiffReport::of(compared, form.is_for_people());
    emit(out, &report, form)
}

/// The report of a comparison.
pub(crate) struct DiffReport<'a> {
    /// Their differences.
    diff: &'a Diff,
    /// The old tree.
    before: View<'a>,
    /// The new tree.
    after: View<'a>,
    /// How many nodes people see.
    node_limit: usize,
    /// How many moves are listed.
    shown: usize,
    /// The changes that can have moved users; settings only if they differ.
    causes: Vec<Cause>,
    /// What moved the users, the largest moves first; not of all if there are many.
    because: Vec<PlacesByCause>,
}

/// A node in both trees, or in one of them.
type NodePair = Pair<Option<NodeId>>;

/// Returns a node that is in both trees.
const fn on_both(pair: Pair<NodeId>) -> NodePair {
    NodePair {
        before: Some(pair.before),
        after: Some(pair.after),
    }
}

/// Returns a node that is in the new tree alone.
const fn added(node: NodeId) -> NodePair {
    NodePair {
        before: None,
        after: Some(node),
    }
}

/// Returns a node that is in the old tree alone.
const fn removed(node: NodeId) -> NodePair {
    NodePair {
        before: Some(node),
        after: None,
    }
}

/// What happened to a node.
#[derive(Clone, Copy)]
struct Event {
    /// In a word.
    word: &'static str,
    /// The node it happened to.
    node: NodePair,
}

/// A column of what happened to the nodes.
type EventColumn<'a> = Column<'a, Event>;

/// A column of the users that moved; a row is an index into the moves.
type MoveColumn<'a> = Column<'a, usize>;

impl<'a> DiffReport<'a> {
    /// Returns the report for people or for machines. It attributes moves to changes, which takes evaluations of the tree.
    pub(crate) fn of(compared: &Trees<'a>, is_for_people: bool) -> Self {
        let diff = compared.diff;
        let moves = diff.moves().len();
        let shown = match compared.limit {
            Some(limit) => limit.min(moves),
            None if is_for_people => USUAL_LIMIT.min(moves),
            None => moves,
        };
        let attributable = diff.attributable(compared.limit);
        let mut causes = Cause::ALL.to_vec();
        if diff.changes.settings.is_empty() {
            causes.retain(|&cause| cause != Cause::Settings);
        }
        Self {
            diff,
            before: compared.before,
            after: compared.after,
            node_limit: compared.limit.unwrap_or(USUAL_LIMIT),
            shown,
            causes,
            because: diff.attribute(attributable.min(shown)),
        }
    }

    /// Returns a value of a node on both sides; `None` on a side where the node does not exist.
    fn values<T>(&self, node: NodePair, of: impl Fn(&View<'a>, NodeId) -> T) -> Pair<Option<T>> {
        Pair {
            before: node.before.map(|before| of(&self.before, before)),
            after: node.after.map(|after| of(&self.after, after)),
        }
    }

    /// Returns the changes in the order of the table for people, nodes whose usage alone changed last.
    fn events(&self) -> Vec<Event> {
        let changes = &self.diff.changes;
        let mut events = Vec::new();
        for &node in &changes.added {
            let node = added(node);
            events.push(Event {
                word: "added",
                node,
            });
        }
        for &node in &changes.removed {
            let node = removed(node);
            events.push(Event {
                word: "removed",
                node,
            });
        }
        for &pair in &changes.moved {
            let node = on_both(pair);
            events.push(Event {
                word: "moved",
                node,
            });
        }
        let mut of_usage = Vec::new();
        for &pair in &changes.changed {
            let word = "changed";
            let node = on_both(pair);
            if self.is_usage_only(pair) {
                of_usage.push(Event { word, node });
            } else {
                events.push(Event { word, node });
            }
        }
        events.extend(of_usage);
        events
    }

    /// Returns whether a changed node has the same shares and the same name.
    fn is_usage_only(&self, pair: Pair<NodeId>) -> bool {
        let old = self.before.tree;
        let new = self.after.tree;
        let Pair { before, after } = pair;
        let has_same_shares = old.shares(before) == new.shares(after);
        let has_same_name = old.name(before) == new.name(after);
        has_same_shares && has_same_name
    }

    /// Returns the columns of what happened to the nodes.
    fn event_columns(&self) -> Vec<EventColumn<'_>> {
        vec![
            EventColumn::left("Node", |event| self.node_cell(event.node)),
            EventColumn::left("Change", |event| event.word),
            EventColumn::right("Shares", |event| {
                let shares = self.values(event.node, shares);
                changed_cell(shares, Unit::Count)
            }),
            EventColumn::right("Usage", |event| {
                let usage = self.values(event.node, usage);
                changed_cell(usage, Unit::Usage)
            }),
        ]
    }

    /// Returns the path of a node, both if it was another one.
    fn node_cell(&self, node: NodePair) -> Shown {
        let paths = self.values(node, View::path);
        match (paths.before, paths.after) {
            (Some(before), Some(after)) if before != after => {
                sentence!("{before} → {after}")
            }
            (_, Some(path)) | (Some(path), None) => path,
            (None, None) => Shown::default(),
        }
    }

    /// Returns the columns of the users that moved; a row is an index into the moves.
    fn move_columns(&self) -> Vec<MoveColumn<'_>> {
        let moves = self.diff.moves();
        let after = &self.after;
        let mut columns = vec![
            MoveColumn::left("User", |&row| {
                let user = moves[row].nodes.after;
                after.path(user)
            }),
            MoveColumn::right("Rank", |&row| {
                let ranks = moves[row].ranks;
                rank_cell(ranks)
            }),
            MoveColumn::number("Change", Unit::Change, |&row| {
                let places = moves[row].places();
                Value::Count(places)
            }),
        ];
        for (place, &cause) in self.causes.iter().enumerate() {
            let heading = cause.heading();
            let places =
                MoveColumn::number(heading, Unit::Change, move |&row| self.places(row, cause));
            let order = column_widths::listed(place);
            columns.push(places.giving_way(order));
        }
        columns
    }

    /// Returns how many places a change moved a user, by the index of its move; none if it was not attributed.
    fn places(&self, row: usize, cause: Cause) -> Value {
        match self.because.get(row) {
            Some(because) => {
                let places = because.places(cause);
                Value::Count(places)
            }
            None => Value::Null,
        }
    }
}

/// Returns the rank of a user on both sides.
fn rank_cell(ranks: Pair<u32>) -> Cell<'static> {
    let before = grouped(ranks.before);
    let after = grouped(ranks.after);
    let text = sentence!("{before} → {after}");
    let value = Value::Count(ranks.after.into());
    Cell::Told(text, value)
}

impl Report for DiffReport<'_> {
    fn front(&self) -> Front {
        let old = self.before.source;
        let new = self.after.source;
        let title = sentence!("Differences from {}", old.path);
        let front = Front::of(title, &self.after);
        front.with_sources(&[("Old", old), ("New", new)])
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::default();
        document.paragraphs(lines(self.diff));
        let part_before = self.before.tree.part();
        let part_after = self.after.tree.part();
        if part_before.is_some() || part_after.is_some() {
            document.paragraph(part::COMPARED);
        }
        self.add_events(&mut document);
        self.add_moves(&mut document);
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let before = &self.before;
        let after = &self.after;
        let changes = &self.diff.changes;
        let moves = self.diff.moves();
        let shown = moves[..self.shown].iter().enumerate();
        let moved = shown.map(|(row, user)| self.moved(row, user));
        let new_paths = changes.moved.iter().map(|&pair| self.paths(pair));
        let changed = changes.changed.iter().map(|&pair| self.changed(pair));
        let causes = self.causes.iter().map(|cause| cause.name());
        let shifts = self.diff.target_shifts();
        let body = object! {
            source_before: json::source(before.source),
            added: nodes(after, &changes.added),
            removed: nodes(before, &changes.removed),
            moved: Lines(List(new_paths)),
            changed: Lines(List(changed)),
            settings: Lines(json::settings(&changes.settings)),
            ranked_users: self.diff.ranked_user_count(),
            moved_users: moves.len(),
            attributed: self.because.len(),
            order: List(causes),
            moves: Lines(List(moved)),
            untouched: untouched(&shifts),
            text: lines(self.diff).join(" "),
            problems_before: json::problems(before.problems.list()),
        };
        json::write(out, after, body)
    }

    fn csv(&self) -> Option<Table<'_>> {
        let columns = self.csv_columns();
        let rows = self.csv_rows();
        Some(Table::new(columns, rows.into_iter()))
    }
}

/// Returns the usage that the source recorded for the node itself.
fn usage(view: &View<'_>, node: NodeId) -> Value {
    view.tree.usage(node).amount().into()
}

/// Returns the shares that the source recorded for the node itself.
fn shares(view: &View<'_>, node: NodeId) -> Value {
    view.value(ColumnId::Shares, node)
}

/// Returns a number on both sides, with an arrow if both differ. It is sorted by the number on the newer side.
fn changed_cell(values: Pair<Option<Value>>, unit: Unit) -> Cell<'static> {
    match (values.before, values.after) {
        (Some(before), Some(after)) => {
            let text_before = cell(before, unit);
            let text_after = cell(after, unit);
            Cell::Told(before_and_after(text_before, text_after), after)
        }
        (Some(value), None) | (None, Some(value)) => {
            let text = cell(value, unit);
            Cell::Told(text, value)
        }
        (None, None) => Cell::Told(Shown::default(), Value::Null),
    }
}

impl DiffReport<'_> {
    /// Adds what happened to the nodes, if anything did.
    fn add_events<'d>(&'d self, document: &mut Document<'d>) {
        let mut events = self.events();
        if events.is_empty() {
            return;
        }
        let left = events.len().saturating_sub(self.node_limit);
        events.truncate(self.node_limit);
        document.gap_in_text();
        let columns = self.event_columns();
        let rows = events.into_iter();
        document.table(Table::new(columns, rows));
        document.left_off(left);
        document.gap_in_markdown();
    }

    /// Adds the users that moved and what moved them, if any moved.
    fn add_moves<'d>(&'d self, document: &mut Document<'d>) {
        let moves = self.diff.moves().len();
        if moves == 0 {
            return;
        }
        document.gap_in_text();
        document.paragraph(order(&self.causes));
        let columns = self.move_columns();
        document.table(Table::new(columns, 0..self.shown));
        document.left_off(moves - self.shown);
    }

    /// Returns the paths of a node, for JSON.
    fn paths(&self, pair: Pair<NodeId>) -> impl Serialize {
        object! {
            path: path_of(self.after.tree, pair.after),
            path_before: path_of(self.before.tree, pair.before),
        }
    }

    /// Returns a node with other shares, usage or another name, for JSON.
    fn changed(&self, pair: Pair<NodeId>) -> impl Serialize {
        let before = &self.before;
        let after = &self.after;
        object! {
            #[serde(flatten)]
            paths: self.paths(pair),
            shares_before: shares(before, pair.before),
            shares_after: shares(after, pair.after),
            usage_before: usage(before, pair.before),
            usage_after: usage(after, pair.after),
        }
    }

    /// Returns a user that moved, by the index of the move, for JSON.
    fn moved(&self, row: usize, user: &RankMove) -> impl Serialize {
        object! {
            #[serde(flatten)]
            paths: self.paths(user.nodes),
            rank_before: user.ranks.before,
            rank_after: user.ranks.after,
            because: self.causes_of(row),
        }
    }

    /// Returns how many places each change moved a user, by the index of its move; `None` if it was not attributed.
    fn causes_of(&self, row: usize) -> Option<impl Serialize> {
        let because = self.because.get(row)?;
        let mut causes = Vec::new();
        for &cause in &self.causes {
            let places = because.places(cause);
            causes.push((cause.name(), places));
        }
        Some(Entries(causes))
    }
}

/// Returns nodes that are in one tree alone, for JSON.
fn nodes(view: &View<'_>, nodes: &[NodeId]) -> impl Serialize {
    let rows = nodes.iter().map(|&node| node_json(view, node));
    Lines(List(rows))
}

/// Returns a node that is in one tree alone, for JSON.
fn node_json(view: &View<'_>, node: NodeId) -> impl Serialize {
    let tree = view.tree;
    object! {
        path: path_of(tree, node),
        kind: tree.kind(node).name(),
        shares: shares(view, node),
        usage: usage(view, node),
    }
}

/// Returns how the targets of nodes changed whose shares did not, for JSON.
fn untouched(shifts: &TargetShifts) -> impl Serialize {
    object! {
        column: shifts.column.name(),
        accounts: shifts.accounts,
        users: shifts.users,
        lost: shift(&shifts.lost),
        gained: shift(&shifts.gained),
    }
}

/// Returns changed targets, for JSON.
fn shift(shift: &TargetShift) -> impl Serialize {
    object! {
        accounts: shift.accounts,
        users: shift.users,
        least: shift.least,
        median: shift.median,
        most: shift.most,
    }
}
