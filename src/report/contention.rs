//! A simulated busy cluster: delivered portions against targets, under one policy or two.

mod chart;

pub(crate) use chart::chart;

use super::render::document::{Document, Front};
use super::render::json::{self, Lines, List, object};
use super::render::table::{Cell, Column, Table};
use super::words::contention as words;
use super::{Report, View};
use crate::analysis::contention::{Contention, Promise, Verdict, is_promised, promise};
use crate::base::number::{Unit, Value, counted, grouped};
use crate::base::shown::{Shown, sentence};
use crate::model::{Kind, NodeId, path_of};
use serde::Serialize;
use std::io::{self, Write};

/// The default largest distance of a portion from its target, as a fraction of the target.
pub const TOLERANCE: f64 = 0.05;

/// The number of nodes in reports for people.
const ROWS: usize = 40;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Runs<'a> {
    pub(crate) view: &'a View<'a>,
    /// One run for each policy, all of the same machine.
    pub(crate) runs: &'a [Contention],
    /// The largest distance of a portion from its target, as a fraction of the target.
    pub(crate) tolerance: f64,
}

impl Runs<'_> {
    /// Returns the nodes that have a target, in tree order.
    fn nodes(&self) -> Vec<NodeId> {
        let nodes = self.view.tree.nodes().iter().copied();
        let has_target = |node| self.runs.iter().any(|run| run.target(node).is_some());
        let nodes = nodes.filter(|&node| node != NodeId::ROOT && has_target(node));
        nodes.collect()
    }

    pub(crate) fn machine(&self) -> Vec<Shown> {
        let View { tree, settings, .. } = self.view;
        let run = self.runs.first();
        run.map_or_else(Vec::new, |run| words::machine(tree, settings, run))
    }

    pub(crate) fn verdict(&self, run: &Contention) -> Verdict {
        Verdict::of(self.view.tree, self.view.settings, run, self.tolerance)
    }

    fn top(&self) -> Vec<NodeId> {
        self.view.tree.children(NodeId::ROOT).collect()
    }

    fn users(&self) -> Vec<NodeId> {
        let tree = self.view.tree;
        let nodes = tree.nodes().iter().copied();
        nodes
            .filter(|&node| tree.kind(node) == Kind::User)
            .collect()
    }

    fn columns(&self) -> Vec<Column<'_, NodeId>> {
        let target = |&node: &NodeId| self.runs.iter().find_map(|run| run.target(node)).into();
        let mut columns = vec![
            Column::left("Node", |&node: &NodeId| Cell::Node(self.view.tree, node)),
            Column::number("Target", Unit::Portion, target),
        ];
        for run in self.runs {
            let heading = match self.runs {
                [_] => "Share",
                _ => run.policy.name(),
            };
            let portion = |node| run.portion_of(run.second_half(), node);
            columns.extend([
                Column::right("Core-hours", |&node| {
                    let seconds = run.delivered_in_all(node);
                    let hours = grouped(seconds / 3600);
                    Cell::Told(hours, Value::Double(seconds as f64))
                }),
                Column::number(heading, Unit::Portion, move |&node| portion(node).into()),
                Column::right("Off by", move |&node| {
                    let parts = portion(node).zip(run.target(node));
                    let parts = parts.filter(|&(_, target)| target > 0.0);
                    let off = parts.map(|(portion, target)| portion / target - 1.0);
                    Cell::told(off, words::off_by)
                }),
            ]);
        }
        columns
    }

    /// Returns the table for people, and a sentence about the nodes that it leaves out, if any.
    pub(crate) fn table(&self) -> (Table<'_>, Option<Shown>) {
        let mut nodes = self.nodes();
        let left = nodes.len().saturating_sub(ROWS);
        nodes.truncate(ROWS);
        let more = counted(left, "node", "nodes");
        let sentence = sentence!("… and {more} more; --format-out csv prints all of them");
        let table = Table::new(self.columns(), nodes.into_iter());
        (table, (left > 0).then_some(sentence))
    }
}

impl Report for Runs<'_> {
    fn front(&self) -> Front {
        Front::of("A busy cluster", self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::default();
        for sentence in self.machine() {
            document.sentence(sentence);
        }
        document.gap();
        document.figures(|| chart::drawing(self));
        let (table, left_off) = self.table();
        document.table(table);
        if let Some(sentence) = left_off {
            document.sentence(sentence);
        }
        document.gap();
        for run in self.runs {
            let sentences = words::verdict(self.view.tree, run, &self.verdict(run));
            for (place, sentence) in sentences.iter().enumerate() {
                let indent = if place > 0 { "  " } else { "" };
                document.sentence(sentence!("{indent}{sentence}"));
            }
        }
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let body = object! {
            machine: self.runs.first().map(|run| machine(self.view, run)),
            runs: Lines(List(self.runs.iter().map(|run| facts(self, run)))),
        };
        json::write(out, self.view, body)
    }

    /// Returns a row for each policy, window and node.
    fn csv(&self) -> Option<Table<'_>> {
        let nodes = self.nodes();
        let tree = self.view.tree;
        let rows = self.runs.iter().flat_map(move |run| {
            let nodes = nodes.clone();
            let windows = (0..run.windows()).map(move |place| (place, run.jain(tree, place)));
            windows.flat_map(move |(window, jain)| {
                let nodes = nodes.clone().into_iter();
                nodes.map(move |node| WindowRow {
                    run,
                    window,
                    jain,
                    node,
                })
            })
        });
        let text =
            |number: Option<f64>| number.map_or_else(String::new, |it| it.to_string()).into();
        let columns = vec![
            WindowColumn::exact("policy", |row| row.run.policy.name().into()),
            WindowColumn::exact("from", |row| {
                let passed = row.run.timing.window * row.window as u64;
                (row.run.begin + passed).to_string().into()
            }),
            WindowColumn::exact("until", |row| {
                let passed = row.run.end_of(row.window);
                (row.run.begin + passed).to_string().into()
            }),
            WindowColumn::exact("path", |row| {
                path_of(tree, row.node).unwrap_or_default().into()
            }),
            WindowColumn::exact("target", move |row| text(row.run.target(row.node))),
            WindowColumn::exact("core_seconds", |row| {
                row.run.delivered(row.window, row.node).to_string().into()
            }),
            WindowColumn::exact("share", move |row| {
                text(row.run.portion(row.window, row.node))
            }),
            WindowColumn::exact("jain", move |row| text(row.jain)),
        ];
        Some(Table::new(columns, rows))
    }
}

type WindowColumn<'a> = Column<'a, WindowRow<'a>>;

struct WindowRow<'a> {
    run: &'a Contention,
    window: usize,
    jain: Option<f64>,
    node: NodeId,
}

fn machine(view: &View<'_>, run: &Contention) -> impl Serialize {
    let machine = &run.machine;
    let demands = machine.demands.iter();
    let demands =
        demands.map(|&(node, cores)| object! { path: path_of(view.tree, node), cores: cores });
    object! {
        cores: machine.cores,
        cycle: run.timing.cycle,
        job_cores: machine.job_cores,
        job_time: machine.job_time,
        job_spread: machine.spread,
        seed: machine.seed,
        watched: run.watched,
        window: run.timing.window,
        counted_every: run.timing.counted,
        demand: machine.demand,
        demands: List(demands),
    }
}

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
