//! A machine that hands out cores: what was delivered against what should have been, under one policy or two.

mod chart;
mod machine;

pub use chart::chart;

use super::csv::{put, put_text};
use super::json::{Lines, List, object};
use super::table::{self, Filled};
use super::words::contention as words;
use super::{Form, View, csv, json};
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

    /// The columns of the table: the node, its target, and what it got under each policy.
    fn columns(&self) -> Vec<Filled<'_, NodeId>> {
        let target = |node| self.runs.iter().find_map(|run| run.target(node));
        let mut columns = vec![
            Filled::left("Node", |&node| self.view.path(node)),
            Filled::right("Target", move |&node| {
                target(node).map_or_else(String::new, percent)
            }),
        ];
        for run in self.runs {
            let heading = if self.runs.len() > 1 {
                run.policy.name()
            } else {
                "Share"
            };
            let portion = |node| run.portion_of(run.second_half(), node);
            columns.push(Filled::right("Core-hours", |&node| {
                grouped(run.delivered_in_all(node) / 3600)
            }));
            columns.push(Filled::right(heading, move |&node| {
                portion(node).map_or_else(String::new, percent)
            }));
            columns.push(Filled::right("Off by", move |&node| {
                match (portion(node), run.target(node)) {
                    (Some(portion), Some(target)) if target > 0.0 => {
                        words::off_by(portion / target - 1.0)
                    }
                    _ => String::new(),
                }
            }));
        }
        columns
    }

    /// Returns the nodes that people are shown, and what is said of the others, if there are any.
    fn shown(&self) -> (Vec<NodeId>, Option<String>) {
        let mut nodes = self.nodes();
        let left = nodes.len().saturating_sub(ROWS);
        nodes.truncate(ROWS);
        let more = counted(left, "node", "nodes");
        let sentence = format!("… and {more} more; --format-out csv prints all of them");
        (nodes, (left > 0).then_some(sentence))
    }
}

/// Writes what came of it.
///
/// # Errors
/// If writing fails.
pub fn write(out: &mut dyn Write, runs: &Runs<'_>, form: Form) -> io::Result<()> {
    match form {
        Form::Tree | Form::Table | Form::Markdown => write_text(out, runs, form),
        Form::Csv => write_csv(out, runs),
        Form::Json => write_json(out, runs),
    }
}

fn write_text(out: &mut dyn Write, runs: &Runs<'_>, form: Form) -> io::Result<()> {
    for sentence in runs.machine() {
        writeln!(out, "{sentence}")?;
    }
    writeln!(out)?;
    let (nodes, left_off) = runs.shown();
    table::emit(out, form, &runs.columns(), &nodes)?;
    if let Some(sentence) = left_off {
        writeln!(out, "{sentence}")?;
    }
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

/// Returns the table of what everybody got as lines, its headings first.
#[must_use]
pub fn table_lines(runs: &Runs<'_>) -> Vec<String> {
    let (nodes, left_off) = runs.shown();
    let mut lines = table::lines(&runs.columns(), &nodes);
    lines.extend(left_off);
    lines
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
