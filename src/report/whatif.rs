//! `whatif`: every node before and after the edits, and the impact of the edits. In Markdown it is a comment.

mod comment;

use super::check::add_left_out;
use super::field::Row;
use super::impact::tables;
use super::metrics::{broken_gates, gates_json};
use super::render::column_widths;
use super::render::document::{Block, Document, Front, LeftOff, Medium};
use super::render::json::{self, Lines, List, object};
use super::render::table::{Cell, Column, Table};
use super::words::before_and_after;
use super::words::impact::summary;
use super::{Form, Output, Report, View, desired, emit};
use crate::analysis::gate::Judgement;
use crate::analysis::impact::{AccountMoves, DilutedLevel, Impact, Move};
use crate::analysis::plan::Plan;
use crate::base::number::{Unit, Value, cell, counted, grouped};
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, Tree, path_of};
use crate::open::desired::Drift;
use crate::rules::policy::{ColumnId, Policy};
use crate::scenario::Scenario;
use serde::Serialize;
use std::cmp::Reverse;
use std::io::{self, Write};

/// What the report is to show.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// The most nodes that were edited or changed rank; machines get all nodes.
    pub limit: Option<usize>,
    /// What came of a file of desired shares.
    pub drift: Option<&'a Drift>,
    /// The commands to apply the edits, for a comment.
    pub plan: Option<&'a Plan>,
    /// The judged conditions of `--fail-if`.
    pub gates: &'a [Judgement],
}

/// Both sides of a scenario.
struct WhatIf<'a> {
    /// The scenario.
    scenario: &'a Scenario,
    /// The tree before the edits.
    before: View<'a>,
    /// The tree with the edits.
    after: View<'a>,
    /// What is shown.
    options: &'a Options<'a>,
    /// Whether it is a comment on a change of shares.
    is_comment: bool,
}

/// The nodes that people want to see, in tree order.
struct LargestChanges {
    /// The nodes.
    nodes: Vec<NodeId>,
    /// What is said of those that are too many; `None` if all are here.
    left_off: Option<LeftOff>,
}

impl<'a> WhatIf<'a> {
    /// Returns whether the edits removed a node.
    fn is_gone(&self, node: NodeId) -> bool {
        !self.scenario.tree().contains(node)
    }

    /// Returns all nodes: the edited tree in its order, then the removed nodes in their former order.
    fn nodes(&self) -> Vec<NodeId> {
        let mut nodes = self.after.tree.nodes().to_vec();
        for &node in self.before.tree.nodes() {
            if self.is_gone(node) {
                nodes.push(node);
            }
        }
        nodes
    }

    /// Returns whether an edit was about a node.
    fn is_edited(&self, node: NodeId) -> bool {
        self.is_gone(node) || self.scenario.is_edited(node)
    }

    /// Returns the tree that a node is in: the edited one, if it is in both.
    fn tree(&self, node: NodeId) -> &'a Tree {
        if self.is_gone(node) {
            self.before.tree
        } else {
            self.after.tree
        }
    }

    /// Returns the value of a column before the edits; `None` for a new node.
    fn value_before(&self, column: ColumnId, node: NodeId) -> Option<Value> {
        if self.scenario.is_new(node) {
            return None;
        }
        Some(self.before.value(column, node))
    }

    /// Returns the value of a column after the edits; `None` for a removed node.
    fn value_after(&self, column: ColumnId, node: NodeId) -> Option<Value> {
        if self.is_gone(node) {
            return None;
        }
        Some(self.after.value(column, node))
    }

    /// Returns how many places a node of both trees gained or lost; `None` without a rank on one side.
    fn rank_change(&self, node: NodeId) -> Option<i64> {
        if self.scenario.is_new(node) || self.is_gone(node) {
            return None;
        }
        self.scenario.rank_change(node)
    }

    /// Returns by how many places the rank of a node changed.
    fn distance(&self, node: NodeId) -> u64 {
        self.rank_change(node).unwrap_or(0).unsigned_abs()
    }

    /// Returns a cell for people: the value, or both with an arrow if they differ. It is sorted by the later one.
    fn cell(&self, column: ColumnId, node: NodeId) -> Cell<'static> {
        let before = self.value_before(column, node);
        let after = self.value_after(column, node);
        match (before, after) {
            (Some(before), Some(after)) => {
                let text = before_and_after(shown(before, column), shown(after, column));
                Cell::Told(text, after)
            }
            (Some(before), None) => {
                let text = shown(before, column);
                Cell::Told(sentence!("{text} → gone"), before)
            }
            (None, Some(after)) => {
                let text = shown(after, column);
                Cell::Told(sentence!("new → {text}"), after)
            }
            (None, None) => Cell::Told(Shown::default(), Value::Null),
        }
    }

    /// Returns the columns that are compared.
    fn compared(&self) -> Vec<ColumnId> {
        let policy = self.after.policy;
        let factor = match policy {
            Policy::Formula => ColumnId::FormulaValue,
            _ => ColumnId::Factor,
        };
        vec![
            ColumnId::Shares,
            policy.target_column(),
            ColumnId::Usage,
            factor,
            ColumnId::Rank,
        ]
    }

    /// Returns the path of a node.
    fn node_cell(&self, node: NodeId) -> Cell<'a> {
        Cell::Node(self.tree(node), node)
    }

    /// Returns the columns for people.
    fn columns(&self) -> Vec<Column<'_, NodeId>> {
        let path = Column::left("Path", |&node| self.node_cell(node));
        let mut columns = vec![path];
        for column in self.compared() {
            let order = column_widths::order(&self.after, column);
            let both = Column::right(column.heading(), move |&node| self.cell(column, node));
            columns.push(both.giving_way(order));
        }
        let change = self.change("Change");
        columns.push(change);
        columns
    }

    /// Returns the columns for machines.
    fn csv_columns(&self) -> Vec<Column<'_, NodeId>> {
        let path = Column::left("path", |&node| self.node_cell(node));
        let kind = Column::left("kind", |&node| self.tree(node).kind(node).name());
        let mut columns = vec![path, kind];
        for column in self.compared() {
            let name = column.name();
            let unit = column.unit();
            let name_before = sentence!("{name}_before");
            columns.push(Column::number(name_before, unit, move |&node| {
                self.value_before(column, node).unwrap_or(Value::Null)
            }));
            let name_after = sentence!("{name}_after");
            columns.push(Column::number(name_after, unit, move |&node| {
                self.value_after(column, node).unwrap_or(Value::Null)
            }));
        }
        let change = self.change("rank_change");
        columns.push(change);
        columns
    }

    /// Returns the column of the places that nodes gained or lost.
    fn change(&self, heading: &'static str) -> Column<'_, NodeId> {
        Column::number(heading, Unit::Change, |&node| self.rank_change(node).into())
    }

    /// Returns the nodes that were edited or moved. Of too many, what was edited stays before what moved, and of those
    /// that moved the ones that moved furthest.
    fn largest(&self) -> LargestChanges {
        let mut nodes = self.nodes();
        nodes.retain(|&node| self.is_edited(node) || self.distance(node) > 0);
        let limit = self.options.limit.unwrap_or(usize::MAX);
        if nodes.len() <= limit {
            return LargestChanges {
                nodes,
                left_off: None,
            };
        }
        let left = counted(nodes.len() - limit, "more node", "more nodes");
        let mut places: Vec<usize> = (0..nodes.len()).collect();
        places.sort_by_cached_key(|&place| {
            let node = nodes[place];
            let moved = Reverse(self.distance(node));
            (!self.is_edited(node), moved)
        });
        places.truncate(limit);
        places.sort_unstable();
        let mut largest = Vec::with_capacity(limit);
        for place in places {
            largest.push(nodes[place]);
        }
        LargestChanges {
            nodes: largest,
            left_off: Some(LeftOff {
                told: sentence!("… and {left}"),
                way: "--all shows all",
            }),
        }
    }
}

/// Returns the value of a column for people.
fn shown(value: Value, column: ColumnId) -> Shown {
    match value {
        Value::Count(count) => grouped(count),
        value => cell(value, column.unit()),
    }
}

/// Writes before and after the edits of a scenario, whose view is `view`.
pub fn write(
    out: &mut Output<'_>,
    scenario: &Scenario,
    view: &View<'_>,
    form: Form,
    options: &Options<'_>,
) -> io::Result<()> {
    let report = WhatIf {
        scenario,
        before: View::before(scenario, view.problems),
        after: *view,
        options,
        is_comment: form == Form::Markdown,
    };
    emit(out, &report, form)
}

impl WhatIf<'_> {
    /// Returns the impact of the edits, and the nodes that were edited or moved.
    fn before_and_after(&self) -> Document<'_> {
        let impact = Impact::of(self.scenario);
        let mut document = Document::default();
        document.paragraph(summary(self.scenario, &impact));
        document.paragraphs(self.options.drift.map(desired::summary));
        document.paragraphs(broken_gates(self.options.gates));
        if self.is_comment {
            self.add_comment(&mut document, &impact);
        } else {
            for table in tables(self.scenario, &impact) {
                document.gap();
                table.add_to(&mut document);
            }
        }
        self.add_nodes(&mut document);
        document
    }

    /// Adds the nodes that were edited or moved; in a comment behind a line that unfolds them.
    fn add_nodes<'d>(&'d self, document: &mut Document<'d>) {
        let largest = self.largest();
        if largest.nodes.is_empty() {
            if largest.left_off.is_some() {
                document.gap();
            }
            document.say_left_off(largest.left_off);
            return;
        }
        let heading = Shown::from("Nodes that are edited or change rank");
        if self.is_comment {
            comment::fold(document, &heading);
        }
        document.gap_in_text();
        document.push_in(&[Medium::Html], Block::Heading(heading));
        document.table(Table::new(self.columns(), largest.nodes.into_iter()));
        document.note_left_off(largest.left_off);
        if self.is_comment {
            comment::unfold(document);
        }
    }

    /// Returns a node on both sides, for JSON.
    fn node_json(&self, node: NodeId) -> impl Serialize {
        let mut before = None;
        if !self.scenario.is_new(node) {
            before = Some(Row::alone(&self.before, node));
        }
        let mut after = None;
        if !self.is_gone(node) {
            after = Some(Row::alone(&self.after, node));
        }
        object! {
            path: path_of(self.tree(node), node),
            before: before,
            after: after,
            rank_change: self.rank_change(node),
        }
    }
}

impl Report for WhatIf<'_> {
    fn front(&self) -> Front {
        Front::of("Before and after", &self.after)
    }

    fn document(&self) -> Document<'_> {
        let mut document = self.before_and_after();
        if let Some(drift) = self.options.drift {
            add_left_out(&mut document, &drift.problems);
        }
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let scenario = self.scenario;
        let mut edits = Vec::new();
        for entry in scenario.history().edits() {
            // The parts of an edit of many nodes are lines, as --edit takes them.
            edits.extend(entry.text.lines());
        }
        let nodes = self.nodes();
        let rows = nodes.iter().map(|&node| self.node_json(node));
        let impact = Impact::of(scenario);
        let desired = self.options.drift.map(desired::facts);
        let body = object! {
            edits: Lines(edits),
            nodes: Lines(List(rows)),
            impact: Lines(facts(self.after.tree, &impact)),
            text: summary(scenario, &impact),
            #[serde(flatten)]
            desired: desired,
            #[serde(flatten)]
            gates: gates_json(self.options.gates),
        };
        json::write(out, &self.after, body)
    }

    fn csv(&self) -> Option<Table<'_>> {
        Some(Table::new(self.csv_columns(), self.nodes().into_iter()))
    }
}

/// Returns the impact for JSON.
fn facts(tree: &Tree, impact: &Impact) -> impl Serialize {
    let all = &impact.moves.all;
    let dilution = &impact.dilution;
    let mut levels = Vec::new();
    for level in &dilution.levels {
        levels.push(level_json(tree, level));
    }
    let mut accounts = Vec::new();
    for account in &impact.moves.accounts {
        accounts.push(account_json(tree, account));
    }
    object! {
        moved: all.moved(),
        winners: all.earlier,
        losers: all.later,
        diluted: dilution.users,
        ties_made: impact.ties.made.users,
        ties_broken: impact.ties.broken.users,
        users: all.users,
        other_factor: impact.other_factor,
        unranked: impact.unranked,
        new_users: impact.new_users.len(),
        gone_users: impact.gone_users.len(),
        users_with_edited_account: dilution.users_with_account,
        largest_gain: move_json(tree, all.best),
        largest_drop: move_json(tree, all.worst),
        dilution: Lines(levels),
        accounts: Lines(accounts),
    }
}

/// Returns a level on which targets fell, for JSON.
fn level_json(tree: &Tree, level: &DilutedLevel) -> impl Serialize {
    object! {
        level: path_of(tree, level.level),
        untouched: level.untouched(),
        accounts: level.accounts,
        users: level.users,
        users_below: level.users_below,
        least: level.least,
        most: level.most,
    }
}

/// Returns how the users of an account moved, for JSON.
fn account_json(tree: &Tree, moves: &AccountMoves) -> impl Serialize {
    object! {
        path: path_of(tree, moves.account),
        users: moves.users,
        earlier: moves.earlier,
        later: moves.later,
        best: move_json(tree, moves.best),
        worst: move_json(tree, moves.worst),
    }
}

/// Returns how a user moved, for JSON.
fn move_json(tree: &Tree, step: Option<Move>) -> Option<impl Serialize> {
    let step = step?;
    Some(object! {
        path: path_of(tree, step.node),
        before: step.before,
        after: step.after,
    })
}
