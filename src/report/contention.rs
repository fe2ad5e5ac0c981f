//! A simulated busy cluster: delivered portions against targets, under one policy or two.

use super::render::document::{Curve, Document, Drawing, Figure, Front, Moment, place_of};
use super::render::json::{self, Lines, List, object};
use super::render::table::{Cell, Column, Table};
use super::words::contention as words;
use super::{Report, View};
use crate::analysis::contention::{Contention, Promise, Verdict, is_promised, promise};
use crate::base::number::{Unit, Value, counted, grouped, percent};
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, duration_for_people, path_of};
use serde::Serialize;
use std::io::{self, Write};

/// The largest distance of a portion from its target, as a fraction of the target.
const TOLERANCE: f64 = 0.05;

/// The number of nodes in reports for people.
const ROWS: usize = 40;

/// The results of the same machine under one policy or several.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Runs<'a> {
    pub(crate) view: &'a View<'a>,
    /// One run for each policy, all of the same machine.
    pub(crate) runs: &'a [Contention],
}

impl Runs<'_> {
    fn nodes(&self) -> Vec<NodeId> {
        let has_target = |&node: &NodeId| self.runs.iter().any(|run| run.target(node).is_some());
        let below_root = self.view.tree.nodes().iter().skip(1);
        below_root.copied().filter(has_target).collect()
    }

    pub(crate) fn machine(&self) -> Vec<Shown> {
        let View { tree, settings, .. } = self.view;
        let run = self.runs.first();
        run.map_or_else(Vec::new, |run| words::machine(tree, settings, run))
    }

    pub(crate) fn verdict(&self, run: &Contention) -> Verdict {
        Verdict::of(self.view.tree, self.view.settings, run, TOLERANCE)
    }

    fn top(&self) -> Vec<NodeId> {
        self.view.tree.children(NodeId::ROOT).collect()
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
        document.sentences(self.machine());
        document.gap();
        document.figures(|| drawing(self));
        let (table, left_off) = self.table();
        document.table(table);
        document.sentences(left_off);
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
                nodes.map(move |node| (run, window, jain, node))
            })
        });
        let text =
            |number: Option<f64>| number.map_or_else(String::new, |it| it.to_string()).into();
        let columns = vec![
            WindowColumn::exact("policy", |row| row.0.policy.name().into()),
            WindowColumn::exact("from", |&(run, window, ..)| {
                let passed = run.timing.window * window as u64;
                (run.begin + passed).to_string().into()
            }),
            WindowColumn::exact("until", |&(run, window, ..)| {
                (run.begin + run.end_of(window)).to_string().into()
            }),
            WindowColumn::exact("path", |row| {
                path_of(tree, row.3).unwrap_or_default().into()
            }),
            WindowColumn::exact("target", move |&(run, .., node)| text(run.target(node))),
            WindowColumn::exact("core_seconds", |&(run, window, _, node)| {
                run.delivered(window, node).to_string().into()
            }),
            WindowColumn::exact("share", move |&(run, window, _, node)| {
                text(run.portion(window, node))
            }),
            WindowColumn::exact("jain", move |row| text(row.2)),
        ];
        Some(Table::new(columns, rows))
    }
}

/// A column of a run: a row is a window, Jain's index in it, and a node.
type WindowColumn<'a> = Column<'a, (&'a Contention, usize, Option<f64>, NodeId)>;

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
        let course = run.fit(nodes, TOLERANCE);
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
        users: course(&runs.view.tree.users().collect::<Vec<_>>()),
        until: List(windows.clone().map(|window| run.begin + run.end_of(window))),
        jain: List(windows.map(|window| run.jain(runs.view.tree, window))),
        nodes: Lines(List(nodes)),
    })
}

/// The number of nodes drawn with a letter.
const LETTERS: usize = 6;

/// The columns and rows of a chart without its scale, which fits a terminal of 80 columns.
const SIZE: (usize, usize) = (66, 11);

/// Draws the portions of the top-level nodes with the largest targets, and adds a line for each of them.
pub(crate) fn chart(runs: &Runs<'_>, run: &Contention) -> Vec<Shown> {
    let nodes = drawn(runs, run);
    let (widest, height) = SIZE;
    let width = run.windows().min(widest) * (widest / run.windows().max(1)).max(1);
    if width == 0 || nodes.is_empty() {
        return Vec::new();
    }
    // One window may span several columns, and one column several windows.
    let windows = |column: usize| {
        let all = run.windows();
        let first = column * all / width;
        first..((column + 1) * all / width).max(first + 1)
    };
    let portion = |node, column| run.portion_of(windows(column), node).unwrap_or(0.0);
    let columns = 0..width;
    let most = nodes.iter().fold(0.01_f64, |most, &(node, target)| {
        let portions = columns.clone().map(|column| portion(node, column));
        portions.fold(most.max(target), f64::max)
    });
    // Rounds up to tenths, so that the scale is easy to read.
    let most = ((most * 10.0).ceil() / 10.0).min(1.0);
    let row = |portion: f64| height - 1 - place_of(portion / most, height);
    let mut cells = vec![vec![' '; width]; height];
    for &(_, target) in &nodes {
        cells[row(target)].fill('·');
    }
    // The node with the largest target is drawn last, on top of the others.
    let letters: Vec<(char, NodeId)> = ('a'..).zip(nodes.iter().map(|&(node, _)| node)).collect();
    for &(letter, node) in letters.iter().rev() {
        for column in columns.clone() {
            cells[row(portion(node, column))][column] = letter;
        }
    }
    let mut lines = Vec::with_capacity(height + nodes.len() + 2);
    for (place, cells) in cells.iter().enumerate() {
        let value = most * (height - 1 - place) as f64 / (height - 1) as f64;
        let scale = match place % 5 {
            0 => percent(value),
            _ => Shown::default(),
        };
        let cells: String = cells.iter().collect();
        lines.push(sentence!("{scale:>7} │{}", cells.trim_end()));
    }
    let end = duration_for_people(run.watched);
    lines.push(sentence!("{:>9}0{end:>1$}", "", width.saturating_sub(1)));
    for (letter, &(node, target)) in ('a'..).zip(&nodes) {
        let got = run.portion_of(run.second_half(), node).unwrap_or(0.0);
        let (path, [target, got]) = (runs.view.path(node), [target, got].map(percent));
        let text = sentence!("{letter} {path}: target {target}, second half {got}");
        lines.push(sentence!("{:>9}{text}", ""));
    }
    lines
}

/// Returns the nodes of the top level that are drawn, with their targets, the largest first.
fn drawn(runs: &Runs<'_>, run: &Contention) -> Vec<(NodeId, f64)> {
    let top = runs.top().into_iter();
    let targets = top.filter_map(|node| Some((node, run.target(node)?)));
    let mut nodes: Vec<(NodeId, f64)> = targets.collect();
    nodes.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    nodes.truncate(LETTERS);
    nodes
}

fn drawing<'a>(runs: &Runs<'a>) -> Drawing<'a> {
    let first = runs.runs.first();
    let nodes = first.map_or_else(Vec::new, |run| drawn(runs, run));
    let windows = first.map_or(0, Contention::windows);
    let moments = first.into_iter().flat_map(|run| {
        (0..windows).map(|window| Moment {
            at: run.end_of(window) as f64,
            text: duration_for_people(run.end_of(window)),
        })
    });
    let figures = runs.runs.iter().map(|run| {
        let curves = nodes.iter().enumerate().flat_map(|(name, &(node, _))| {
            let portions = (0..windows).map(|window| run.portion(window, node));
            let targets = vec![run.target(node); windows];
            [
                Curve::new(name, false, portions),
                Curve::new(name, true, targets),
            ]
        });
        Figure {
            heading: sentence!("Delivered share under {}", run.policy.title()),
            is_reversed: false,
            is_whole: false,
            text: Box::new(percent),
            curves: curves.flatten().collect(),
        }
    });
    Drawing {
        moments: moments.collect(),
        names: nodes.iter().map(|&(it, _)| runs.view.path(it)).collect(),
        figures: figures.collect(),
        note: Some("Thin and dotted: the target.".into()),
    }
}
