//! A machine that hands out cores: what was delivered against what should have been, under one policy or two.

mod chart;
mod machine;

pub use chart::chart;

use super::csv::{put, put_text};
use super::json::{Lines, List, object};
use super::table::{self, Column};
use super::words::contention as words;
use super::{Form, View, csv, json, markdown};
use crate::analysis::contention::{Contention, Promise, Verdict, is_promised, promise};
use crate::base::number::{counted, grouped, percent};
use crate::model::{Kind, NodeId, path_of};
use serde::Serialize;
use std::io::{self, Write};

/// How near a portion must come to its target unless another distance is given, as a part of the target.
pub const TOLERANCE: f64 = 0.05;

/// How many nodes people are shown.
const ROWS: usize = 40;

/// What came of the same machine under one policy or several.
#[derive(Clone, Copy, Debug)]
pub struct Runs<'a> {
    /// The tree.
    pub view: &'a View<'a>,
    /// One run for each policy, all of the same machine.
    pub runs: &'a [Contention],
    /// How near a portion must come to its target, as a part of the target.
    pub tolerance: f64,
}

impl Runs<'_> {
    /// The nodes that should get something, in tree order.
    fn nodes(&self) -> Vec<NodeId> {
        let nodes = self.view.tree.nodes().iter().copied();
        let has_target = |run: &Contention, node| run.target(node).is_some();
        nodes
            .filter(|&node| node != NodeId::ROOT)
            .filter(|&node| self.runs.iter().any(|run| has_target(run, node)))
            .collect()
    }

    /// What is assumed of the machine, in sentences.
    #[must_use]
    pub fn machine(&self) -> Vec<String> {
        let View { tree, settings, .. } = self.view;
        let run = self.runs.first();
        run.map_or_else(Vec::new, |run| words::machine(tree, settings, run))
    }

    /// What came of a run.
    #[must_use]
    pub fn verdict(&self, run: &Contention) -> Verdict {
        Verdict::of(self.view.tree, self.view.settings, run, self.tolerance)
    }

    /// What stands in the top level.
    fn top(&self) -> Vec<NodeId> {
        self.view.tree.children(NodeId::ROOT).collect()
    }

    /// All users.
    fn users(&self) -> Vec<NodeId> {
        let nodes = self.view.tree.nodes().iter().copied();
        nodes
            .filter(|&node| self.view.tree.kind(node) == Kind::User)
            .collect()
    }

    fn columns(&self) -> Vec<Column> {
        let mut columns = vec![Column::left("Node"), Column::right("Target")];
        for run in self.runs {
            let heading = if self.runs.len() > 1 {
                run.policy.name()
            } else {
                "Share"
            };
            columns.push(Column::right("Core-hours"));
            columns.push(Column::right(heading));
            columns.push(Column::right("Off by"));
        }
        columns
    }

    fn cell(&self, node: NodeId, column: usize) -> String {
        let target = |run: &Contention| run.target(node);
        let Some(column) = column.checked_sub(BESIDE) else {
            return match column {
                0 => self.view.path(node),
                _ => self
                    .runs
                    .iter()
                    .find_map(target)
                    .map_or_else(String::new, percent),
            };
        };
        let run = &self.runs[column / PER_RUN];
        let portion = run.portion_of(run.second_half(), node);
        match column % PER_RUN {
            0 => {
                let hours = run.delivered_in_all(node) / 3600;
                grouped(hours)
            }
            1 => portion.map_or_else(String::new, percent),
            _ => match (portion, target(run)) {
                (Some(portion), Some(target)) if target > 0.0 => {
                    words::off_by(portion / target - 1.0)
                }
                _ => String::new(),
            },
        }
    }
}

/// The columns beside those of the policies.
const BESIDE: usize = 2;

/// The columns of a policy.
const PER_RUN: usize = 3;

/// Writes what came of it.
///
/// # Errors
/// If writing fails.
pub fn write(out: &mut dyn Write, runs: &Runs<'_>, form: Form) -> io::Result<()> {
    match form {
        Form::Tree | Form::Table => write_text(out, runs, false),
        Form::Markdown => write_text(out, runs, true),
        Form::Csv => write_csv(out, runs),
        Form::Json => write_json(out, runs),
    }
}

fn write_text(out: &mut dyn Write, runs: &Runs<'_>, is_markdown: bool) -> io::Result<()> {
    for sentence in runs.machine() {
        writeln!(out, "{sentence}")?;
    }
    writeln!(out)?;
    write_nodes(out, runs, is_markdown)?;
    writeln!(out)?;
    for run in runs.runs {
        let sentences = words::verdict(runs.view.tree, run, &runs.verdict(run));
        for (place, sentence) in sentences.iter().enumerate() {
            let indent = if place > 0 { "  " } else { "" };
            writeln!(out, "{indent}{sentence}")?;
        }
    }
    Ok(())
}

/// Writes the table of what everybody got.
///
/// # Errors
/// If writing fails.
pub fn write_table(out: &mut dyn Write, runs: &Runs<'_>) -> io::Result<()> {
    write_nodes(out, runs, false)
}

fn write_nodes(out: &mut dyn Write, runs: &Runs<'_>, is_markdown: bool) -> io::Result<()> {
    let nodes = runs.nodes();
    let rows = nodes.len().min(ROWS);
    let (columns, cell) = (runs.columns(), |row: usize, column| {
        runs.cell(nodes[row], column)
    });
    if is_markdown {
        markdown::write(out, &columns, rows, cell)?;
    } else {
        table::write(out, &columns, rows, cell)?;
    }
    if nodes.len() > rows {
        let more = counted(nodes.len() - rows, "node", "nodes");
        writeln!(
            out,
            "… and {more} more; --format-out csv prints all of them"
        )?;
    }
    Ok(())
}

/// Writes a line for each policy, window and node.
fn write_csv(out: &mut dyn Write, runs: &Runs<'_>) -> io::Result<()> {
    let header = [
        "policy",
        "from",
        "until",
        "path",
        "target",
        "core_seconds",
        "share",
        "jain",
    ];
    let nodes = runs.nodes();
    let rows: usize = runs
        .runs
        .iter()
        .map(|run| run.windows() * nodes.len())
        .sum();
    // All runs are of one machine, and so have the same windows.
    let windows = runs.runs.first().map_or(0, Contention::windows).max(1);
    let mut jain = (usize::MAX, None);
    csv::write(out, &header, rows, |row, column, text| {
        let (window, node) = (row / nodes.len(), nodes[row % nodes.len()]);
        let run = &runs.runs[window / windows];
        if jain.0 != window {
            jain = (window, run.jain(runs.view.tree, window % windows));
        }
        let window = window % windows;
        let mut number = |number: Option<f64>| {
            if let Some(number) = number {
                put(text, number);
            }
        };
        match column {
            0 => put(text, run.policy.name()),
            1 => put(text, run.begin + run.timing.window * window as u64),
            2 => put(text, run.begin + run.end_of(window)),
            3 => put_text(text, &path_of(runs.view.tree, node).unwrap_or_default()),
            4 => number(run.target(node)),
            5 => put(text, run.delivered(window, node)),
            6 => number(run.portion(window, node)),
            _ => number(jain.1),
        }
    })
}

fn write_json(out: &mut dyn Write, runs: &Runs<'_>) -> io::Result<()> {
    let body = object! {
        machine: machine::facts(runs),
        runs: Lines(List(runs.runs.iter().map(|run| facts(runs, run)))),
        problems: json::problems(runs.view.problems.list()),
    };
    json::write(out, runs.view, body)
}

/// What came of a run.
fn facts(runs: &Runs<'_>, run: &Contention) -> impl Serialize {
    let path = |node| path_of(runs.view.tree, node);
    let course = |nodes: &[NodeId]| {
        let course = run.fit(nodes, runs.tolerance);
        object! {
            converged_after: course.converged,
            amplitude: course.amplitude,
            distance: course.distance,
            furthest: course.furthest.and_then(path),
        }
    };
    let windows = 0..run.windows();
    let nodes = runs.nodes().into_iter().map(move |node| {
        let windows = 0..run.windows();
        object! {
            path: path(node),
            target: run.target(node),
            share: run.portion_of(run.second_half(), node),
            core_seconds: List(windows.map(move |window| run.delivered(window, node))),
        }
    });
    Lines(object! {
        policy: run.policy.name(),
        promise: match promise(run.policy) {
            Promise::Shares => "shares",
            Promise::FlatTrees => "flat-trees",
            Promise::Nothing => "nothing",
        },
        reason: words::promise(run.policy),
        promised: is_promised(run.policy, runs.view.tree),
        at_once: run.at_once(),
        jobs: run.started,
        utilization: run.utilization(),
        top_level: course(&runs.top()),
        users: course(&runs.users()),
        until: List(windows.clone().map(|window| run.begin + run.end_of(window))),
        jain: List(windows.map(|window| run.jain(runs.view.tree, window))),
        nodes: Lines(List(nodes)),
    })
}
