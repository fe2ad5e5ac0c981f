//! `whatif`: every node before and after the edits, and the impact of the edits. In Markdown it is a comment.

mod comment;

use super::check::add_left_out;
use super::field::Row;
use super::impact::tables;
use super::metrics::{broken_gates, gates_json};
use super::render::column_widths;
use super::render::document::{Block, Document, Front, Medium};
use super::render::json::{self, Lines, List, object};
use super::render::table::{Cell, Column, Table};
use super::words::impact::summary;
use super::{Form, Output, Report, View, desired, emit};
use crate::analysis::gate::Judgement;
use crate::analysis::impact::{Impact, Move};
use crate::analysis::plan::Plan;
use crate::base::number::{Unit, Value, cell, counted, grouped};
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, Tree, path_of};
use crate::open::desired::Drift;
use crate::rules::policy::{ColumnId, Policy};
use crate::scenario::Scenario;
use serde::Serialize;
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
    scenario: &'a Scenario,
    before: View<'a>,
    after: View<'a>,
    options: &'a Options<'a>,
    is_comment: bool,
}

impl<'a> WhatIf<'a> {
    fn is_gone(&self, node: NodeId) -> bool {
        !self.scenario.tree().contains(node)
    }

    /// Returns all nodes: the edited tree in its order, then the removed nodes in their former order.
    fn nodes(&self) -> Vec<NodeId> {
        let mut nodes = self.after.tree.nodes().to_vec();
        let before = self.before.tree.nodes().iter().copied();
        nodes.extend(before.filter(|&node| self.is_gone(node)));
        nodes
    }

    fn is_edited(&self, node: NodeId) -> bool {
        self.is_gone(node) || self.scenario.is_edited(node)
    }

    fn tree(&self, node: NodeId) -> &'a Tree {
        if self.is_gone(node) {
            self.before.tree
        } else {
            self.after.tree
        }
    }

    /// Returns the values of a column before and after; `None` where the node does not exist.
    fn values(&self, column: ColumnId, node: NodeId) -> [Option<Value>; 2] {
        [
            (!self.scenario.is_new(node)).then(|| self.before.value(column, node)),
            (!self.is_gone(node)).then(|| self.after.value(column, node)),
        ]
    }

    fn rank_change(&self, node: NodeId) -> Option<i64> {
        if self.scenario.is_new(node) || self.is_gone(node) {
            return None;
        }
        self.scenario.rank_change(node)
    }

    /// Returns a cell for people: the value, or both with an arrow if they differ.
    fn cell(&self, column: ColumnId, node: NodeId) -> Shown {
        let shown = |value: Value| match value {
            Value::Count(count) => grouped(count),
            value => cell(value, column.unit()),
        };
        match self.values(column, node) {
            [Some(before), Some(after)] if shown(before) == shown(after) => shown(after),
            [Some(before), Some(Value::Null)] => sentence!("{} → none", shown(before)),
            [Some(Value::Null), Some(after)] => sentence!("none → {}", shown(after)),
            [Some(before), Some(after)] => sentence!("{} → {}", shown(before), shown(after)),
            [Some(before), None] => sentence!("{} → gone", shown(before)),
            [None, Some(after)] => sentence!("new → {}", shown(after)),
            [None, None] => Shown::default(),
        }
    }

    fn compared(&self) -> [ColumnId; 5] {
        let factor = match self.after.policy {
            Policy::Formula => ColumnId::FormulaValue,
            _ => ColumnId::Factor,
        };
        [
            ColumnId::Shares,
            self.after.policy.target_column(),
            ColumnId::Usage,
            factor,
            ColumnId::Rank,
        ]
    }

    fn columns(&self) -> Vec<Column<'_, NodeId>> {
        let node = |&node: &NodeId| Cell::Node(self.tree(node), node);
        let mut columns = vec![Column::left("Path", node)];
        columns.extend(self.compared().map(|column| {
            let told = move |&node: &NodeId| {
                let [before, after] = self.values(column, node);
                let last = after.or(before).unwrap_or(Value::Null);
                Cell::Told(self.cell(column, node), last)
            };
            Column::right(column.heading(), told)
                .giving_way(column_widths::order(&self.after, column))
        }));
        columns.push(self.change("Change"));
        columns
    }

    fn csv_columns(&self) -> Vec<Column<'_, NodeId>> {
        let node = |&node: &NodeId| Cell::Node(self.tree(node), node);
        let kind = |&node: &NodeId| self.tree(node).kind(node).name();
        let mut columns = vec![Column::left("path", node), Column::left("kind", kind)];
        for column in self.compared() {
            for (side, when) in ["before", "after"].into_iter().enumerate() {
                let name = sentence!("{}_{when}", column.name());
                columns.push(Column::number(&name, column.unit(), move |&node| {
                    self.values(column, node)[side].unwrap_or(Value::Null)
                }));
            }
        }
        columns.push(self.change("rank_change"));
        columns
    }

    fn change(&self, heading: &'static str) -> Column<'_, NodeId> {
        Column::number(heading, Unit::Change, |&node| self.rank_change(node).into())
    }

    /// Returns the nodes that people want to see, in tree order, and what is said of those that are too many: what was
    /// edited stays before what moved, and of those that moved the ones that moved furthest.
    fn largest(&self) -> (Vec<NodeId>, Option<Shown>) {
        let places = |node| self.rank_change(node).unwrap_or(0).unsigned_abs();
        let mut nodes = self.nodes();
        nodes.retain(|&node| self.is_edited(node) || places(node) > 0);
        let limit = self.options.limit.unwrap_or(usize::MAX);
        if nodes.len() <= limit {
            return (nodes, None);
        }
        let left = counted(nodes.len() - limit, "more node", "more nodes");
        let mut ordered: Vec<_> = nodes.into_iter().enumerate().collect();
        ordered.sort_by_cached_key(|&(_, node)| {
            (!self.is_edited(node), std::cmp::Reverse(places(node)))
        });
        ordered.truncate(limit);
        ordered.sort_unstable_by_key(|&(place, _)| place);
        let nodes = ordered.into_iter().map(|(_, node)| node).collect();
        (nodes, Some(sentence!("… and {left}; --all shows all")))
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
        let (nodes, left_off) = self.largest();
        if nodes.is_empty() {
            if let Some(sentence) = left_off {
                document.gap();
                document.sentence(sentence);
            }
            return document;
        }
        let heading = "Edited and moved nodes";
        if self.is_comment {
            comment::fold(&mut document, &heading.into());
        }
        document.gap_in_text();
        document.push_in(&[Medium::Html], Block::Heading(heading.into()));
        document.table(Table::new(self.columns(), nodes.into_iter()));
        document.note(left_off);
        if self.is_comment {
            comment::unfold(&mut document);
        }
        document
    }
}

impl WhatIf<'_> {
    /// Returns a node as it is on both sides.
    fn both(&self, node: NodeId) -> impl Serialize {
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
        let after = &self.after;
        // The parts of an edit of many nodes are lines, as --edit takes them.
        let mut edits = Vec::new();
        for entry in scenario.history().edits() {
            edits.extend(entry.text.lines());
        }
        let nodes = self.nodes();
        let before_and_after = nodes.iter().map(|&node| self.both(node));
        let impact = Impact::of(scenario);
        let body = object! {
            edits: Lines(edits),
            nodes: Lines(List(before_and_after)),
            impact: Lines(facts(after.tree, &impact)),
            text: summary(scenario, &impact),
            #[serde(flatten)]
            desired: self.options.drift.map(desired::facts),
            #[serde(flatten)]
            gates: gates_json(self.options.gates),
        };
        json::write(out, after, body)
    }

    fn csv(&self) -> Option<Table<'_>> {
        Some(Table::new(self.csv_columns(), self.nodes().into_iter()))
    }
}

fn facts(tree: &Tree, impact: &Impact) -> impl Serialize {
    let moves = &impact.moves;
    let levels = impact.dilution.levels.iter().map(|level| {
        object! {
            level: path_of(tree, level.level),
            untouched: level.untouched(),
            accounts: level.accounts,
            users: level.users,
            users_below: level.users_below,
            least: level.least,
            most: level.most,
        }
    });
    let accounts = moves.accounts.iter().map(|group| {
        object! {
            path: path_of(tree, group.account),
            users: group.users,
            earlier: group.earlier,
            later: group.later,
            best: way(tree, group.best),
            worst: way(tree, group.worst),
        }
    });
    object! {
        moved: moves.all.moved(),
        winners: moves.all.earlier,
        losers: moves.all.later,
        diluted: impact.dilution.users,
        ties_made: impact.ties.made.users,
        ties_broken: impact.ties.broken.users,
        users: moves.all.users,
        other_factor: impact.other_factor,
        unranked: impact.unranked,
        new_users: impact.new_users.len(),
        gone_users: impact.gone_users.len(),
        users_with_edited_account: impact.dilution.users_with_account,
        largest_gain: way(tree, moves.all.best),
        largest_drop: way(tree, moves.all.worst),
        dilution: Lines(List(levels)),
        accounts: Lines(List(accounts)),
    }
}

fn way(tree: &Tree, step: Option<Move>) -> Option<impl Serialize> {
    step.map(|it| object! { path: path_of(tree, it.node), before: it.before, after: it.after })
}
