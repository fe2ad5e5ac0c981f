//! `whatif`: every node before and after the edits, and what the edits did on the whole.

use super::csv::{put, put_text};
use super::explain::write_node;
use super::json::{Json, Layout};
use super::table::Column;
use super::{Form, View, csv, json, markdown, table};
use crate::format::Problems;
use crate::model::{Kind, NodeId, Tree, path_of};
use crate::number::{Exact, cell, change, counted, grouped};
use crate::policy::{ColumnId, Evaluation, Value};
use crate::scenario::Scenario;
use std::io::{self, Write};

/// What edits did to the users, the new and the removed ones not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Impact {
    /// Users whose rank changed.
    pub moved: usize,
    /// Users who run earlier.
    pub winners: usize,
    /// Users who run later.
    pub losers: usize,
    /// Users that no edit touched and whose target fell.
    pub diluted: usize,
    /// Users who share their rank now and did not before.
    pub ties_made: usize,
    /// Users who shared their rank before and do not now.
    pub ties_broken: usize,
}

/// Measures what the edits of a scenario did.
#[must_use]
pub fn impact(scenario: &Scenario) -> Impact {
    let (before, after) = (scenario.baseline(), scenario.evaluation());
    let target = scenario.policy().target_column();
    let crowds = [
        crowds(&scenario.base().tree, before),
        crowds(scenario.tree(), after),
    ];
    let is_tied = |crowds: &[u32], rank: Option<u32>| {
        rank.is_some_and(|rank| crowds.get(rank as usize).is_some_and(|&crowd| crowd > 1))
    };
    let mut impact = Impact::default();
    for &node in scenario.tree().nodes() {
        if scenario.is_new(node) || scenario.tree().kind(node) != Kind::User {
            continue;
        }
        match scenario.rank_change(node) {
            Some(1..) => impact.winners += 1,
            Some(..=-1) => impact.losers += 1,
            _ => {}
        }
        let was_tied = is_tied(&crowds[0], before.rank(node));
        let is_tied = is_tied(&crowds[1], after.rank(node));
        impact.ties_made += usize::from(is_tied && !was_tied);
        impact.ties_broken += usize::from(was_tied && !is_tied);
        let has_less = match (before.number(target, node), after.number(target, node)) {
            (Some(before), Some(after)) => after < before,
            _ => false,
        };
        impact.diluted += usize::from(has_less && !scenario.is_edited(node));
    }
    impact.moved = impact.winners + impact.losers;
    impact
}

/// How many users have each rank.
fn crowds(tree: &Tree, evaluation: &Evaluation) -> Vec<u32> {
    let ranks = || {
        tree.nodes()
            .iter()
            .filter_map(|&node| evaluation.rank(node))
    };
    let last = ranks().max().unwrap_or(0);
    let mut crowds = vec![0; last as usize + 1];
    for rank in ranks() {
        crowds[rank as usize] += 1;
    }
    crowds
}

/// The impact as one sentence.
#[must_use]
pub fn summary(scenario: &Scenario, impact: &Impact) -> String {
    let edits = counted(scenario.history().done().len(), "edit", "edits");
    if impact.moved == 0 {
        let diluted = match impact.diluted {
            0 => String::new(),
            diluted => format!(
                ", though {} untouched by the edits lost some of their target",
                counted(diluted, "user", "users")
            ),
        };
        return format!("{edits}: nobody's rank changes{diluted}.");
    }
    format!(
        "{edits}: {} of {} change rank, {} earlier and {} later; \
         {} untouched by the edits lost some of their target; {} made, {} broken.",
        impact.moved,
        counted(scenario.tree().user_count(), "user", "users"),
        impact.winners,
        impact.losers,
        counted(impact.diluted, "user", "users"),
        counted(impact.ties_made, "tie", "ties"),
        impact.ties_broken,
    )
}

/// Both sides of a scenario.
struct Sides<'a> {
    scenario: &'a Scenario,
    before: View<'a>,
    after: View<'a>,
}

impl Sides<'_> {
    fn is_gone(&self, node: NodeId) -> bool {
        !self.scenario.tree().contains(node)
    }

    /// All nodes: the tree as edited in its order, then what was removed in the order it had.
    fn nodes(&self) -> Vec<NodeId> {
        let mut nodes = self.after.tree.nodes().to_vec();
        let before = self.before.tree.nodes().iter().copied();
        nodes.extend(before.filter(|&node| self.is_gone(node)));
        nodes
    }

    /// Whether a person wants to see the node.
    fn is_changed(&self, node: NodeId) -> bool {
        self.is_gone(node)
            || self.scenario.is_edited(node)
            || self
                .scenario
                .rank_change(node)
                .is_some_and(|change| change != 0)
    }

    fn tree(&self, node: NodeId) -> &Tree {
        if self.is_gone(node) {
            self.before.tree
        } else {
            self.after.tree
        }
    }

    /// The values of a column before and after; nothing where the node was not there.
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

    /// A cell of people's table: the value, or both with an arrow where they differ.
    fn cell(&self, column: ColumnId, node: NodeId) -> String {
        let shown = |value: Value| match value {
            Value::Count(count) => grouped(count),
            value => cell(value, column.unit()),
        };
        match self.values(column, node) {
            [Some(before), Some(after)] if shown(before) == shown(after) => shown(after),
            [Some(before), Some(Value::Null)] => format!("{} → none", shown(before)),
            [Some(Value::Null), Some(after)] => format!("none → {}", shown(after)),
            [Some(before), Some(after)] => format!("{} → {}", shown(before), shown(after)),
            [Some(before), None] => format!("{} → gone", shown(before)),
            [None, Some(after)] => format!("new → {}", shown(after)),
            [None, None] => String::new(),
        }
    }
}

/// What CSV and people's tables compare: the policy's own target among it.
fn compared(sides: &Sides<'_>) -> [ColumnId; 5] {
    [
        ColumnId::Shares,
        sides.after.policy.target_column(),
        ColumnId::Usage,
        ColumnId::Factor,
        ColumnId::Rank,
    ]
}

/// Writes before and after; `Tree` is written as `Table`. People are shown the nodes that were edited or
/// changed rank, machines all of them.
///
/// # Errors
/// If writing fails.
pub fn write(
    out: &mut dyn Write,
    scenario: &Scenario,
    problems: &Problems,
    form: Form,
) -> io::Result<()> {
    let sides = Sides {
        scenario,
        before: View::before(scenario, problems),
        after: View::of(scenario, problems),
    };
    match form {
        Form::Tree | Form::Table | Form::Markdown => write_people(out, &sides, form),
        Form::Csv => write_csv(out, &sides),
        Form::Json => write_json(out, &sides),
    }
}

fn write_people(out: &mut dyn Write, sides: &Sides<'_>, form: Form) -> io::Result<()> {
    let mut nodes = sides.nodes();
    nodes.retain(|&node| sides.is_changed(node));
    let mut columns = vec![Column::left("Path")];
    let compared = compared(sides);
    columns.extend(compared.map(|column| Column::right(column.heading())));
    columns.push(Column::right("Change"));
    let cell = |row: usize, column: usize| {
        let node = nodes[row];
        match column {
            0 if sides.is_gone(node) => sides.before.path(node),
            0 => sides.after.path(node),
            column if column <= compared.len() => sides.cell(compared[column - 1], node),
            _ => sides
                .rank_change(node)
                .map_or_else(String::new, |places| change(places, false)),
        }
    };
    let summary = summary(sides.scenario, &impact(sides.scenario));
    if form == Form::Markdown {
        writeln!(out, "{}\n", markdown::escape(&summary))?;
        return markdown::write(out, &columns, nodes.len(), cell);
    }
    writeln!(out, "{summary}")?;
    if nodes.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    table::write(out, &columns, nodes.len(), cell)
}

fn write_csv(out: &mut dyn Write, sides: &Sides<'_>) -> io::Result<()> {
    let nodes = sides.nodes();
    let compared = compared(sides);
    let names: Vec<String> = compared
        .iter()
        .flat_map(|column| ["before", "after"].map(|when| format!("{}_{when}", column.name())))
        .collect();
    let mut header = vec!["path", "kind"];
    header.extend(names.iter().map(String::as_str));
    header.push("rank_change");
    csv::write(out, &header, nodes.len(), |row, column, text| {
        let node = nodes[row];
        match column {
            0 => put_text(text, &path_of(sides.tree(node), node).unwrap_or_default()),
            1 => text.push_str(sides.tree(node).kind(node).name()),
            column if column - 2 < names.len() => {
                let index = column - 2;
                if let Some(value) = sides.values(compared[index / 2], node)[index % 2] {
                    put(text, Exact(value));
                }
            }
            _ => {
                if let Some(places) = sides.rank_change(node) {
                    put(text, places);
                }
            }
        }
    })
}

fn write_json(out: &mut dyn Write, sides: &Sides<'_>) -> io::Result<()> {
    let mut json = Json::new(out);
    json::open(&mut json, &sides.after)?;
    json.key("edits")?;
    json.array(Layout::Lines)?;
    for entry in sides.scenario.history().done() {
        json.string(&entry.text)?;
    }
    json.close()?;
    json.key("nodes")?;
    json.array(Layout::Lines)?;
    for node in sides.nodes() {
        json.object(Layout::Inline)?;
        json.key("path")?;
        json.text(path_of(sides.tree(node), node).as_deref())?;
        json.key("before")?;
        if sides.scenario.is_new(node) {
            json.raw("null")?;
        } else {
            write_node(&mut json, &sides.before, node)?;
        }
        json.key("after")?;
        if sides.is_gone(node) {
            json.raw("null")?;
        } else {
            write_node(&mut json, &sides.after, node)?;
        }
        json.key("rank_change")?;
        json.count(sides.rank_change(node))?;
        json.close()?;
    }
    json.close()?;
    let impact = impact(sides.scenario);
    json.key("impact")?;
    json.object(Layout::Inline)?;
    for (key, count) in [
        ("moved", impact.moved),
        ("winners", impact.winners),
        ("losers", impact.losers),
        ("diluted", impact.diluted),
        ("ties_made", impact.ties_made),
        ("ties_broken", impact.ties_broken),
    ] {
        json.key(key)?;
        json.raw(count)?;
    }
    json.close()?;
    json.key("text")?;
    json.string(&summary(sides.scenario, &impact))?;
    json::problems(&mut json, "problems", sides.after.problems.list())?;
    json.close()
}
