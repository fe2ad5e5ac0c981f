//! A simulated busy cluster: delivered portions against targets, under one policy or two.

use super::question::MachineQuestion;
use super::render::document::{Document, Front};
use super::render::drawing::{Curve, Drawing, Figure, Moment};
use super::render::json::{self, Lines, List, object};
use super::render::line::{Emphasis, Line};
use super::render::table::{Cell, Column, Table};
use super::words::contention as words;
use super::{Report, View};
use crate::analysis::contention::{
    Contention, MachineError, Promise, TargetFit, Verdict, contend, is_promised, promise,
};
use crate::base::number::{Unit, Value, counted, grouped};
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, duration_for_people, path_of};
use crate::scenario::Scenario;
use serde::Serialize;
use std::io::{self, Write};
use std::ops::ControlFlow;

/// The largest distance of a portion from its target, as a fraction of the target.
const TOLERANCE: f64 = 0.05;

/// The number of nodes in reports for people.
const ROWS: usize = 40;

/// The number of nodes that are drawn.
const DRAWN: usize = 6;

/// The seconds of an hour.
const HOUR: u64 = 3600;

/// The results of the same machine under one policy or several.
#[derive(Debug)]
pub(crate) struct Runs<'a> {
    /// The tree.
    view: &'a View<'a>,
    /// One run for each policy, all of the same machine; there is at least one.
    runs: Vec<Contention>,
}

impl<'a> Runs<'a> {
    /// Runs a machine under the policy of the scenario, and under another one if it is to be compared with.
    pub(crate) fn of(
        scenario: &Scenario,
        view: &'a View<'a>,
        question: &MachineQuestion,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Self, MachineError> {
        let machine = &question.machine;
        let mut runs = vec![contend(scenario, machine, &mut |_| go_on())?];
        if let Some(policy) = question.against
            && policy != scenario.policy()
        {
            let mut other = scenario.clone();
            other.set_policy(policy);
            runs.push(contend(&other, machine, &mut |_| go_on())?);
        }
        Ok(Self { view, runs })
    }
}

impl Runs<'_> {
    /// Returns the nodes that have a target in a run, without the root.
    fn nodes(&self) -> Vec<NodeId> {
        let mut nodes = Vec::new();
        for &node in self.view.tree.nodes().iter().skip(1) {
            if self.target(node).is_some() {
                nodes.push(node);
            }
        }
        nodes
    }

    /// Returns the target of a node, in the first run that has one; `None` if none has.
    fn target(&self, node: NodeId) -> Option<f64> {
        let mut targets = self.runs.iter().filter_map(|run| run.target(node));
        targets.next()
    }

    /// Returns the size of the machine, how long it runs, and under which policies.
    fn title(&self) -> Shown {
        let mut policies = Vec::new();
        for run in &self.runs {
            policies.push(run.policy.title());
        }
        let policies = policies.join(" and ");
        let machine = &self.runs[0].machine;
        let time = duration_for_people(machine.until);
        sentence!("{} cores for {time} under {policies}", machine.cores)
    }

    /// Adds whether a run delivered what the shares promise, and why.
    fn add_verdict(&self, document: &mut Document<'_>, run: &Contention) {
        let verdict = self.verdict(run);
        let mut emphasis = if verdict.is_converged() {
            Emphasis::Better
        } else {
            Emphasis::Warning
        };
        for sentence in words::verdict(self.view.tree, run, &verdict) {
            document.line(Line::of(emphasis, sentence));
            emphasis = Emphasis::Plain;
        }
    }

    /// Returns what is assumed of the machine, in sentences.
    fn machine(&self) -> Vec<Shown> {
        match self.runs.first() {
            Some(run) => words::machine(self.view.tree, self.view.settings, run),
            None => Vec::new(),
        }
    }

    /// Returns whether a run delivered what the shares promise.
    fn verdict(&self, run: &Contention) -> Verdict {
        Verdict::of(self.view.tree, self.view.settings, run, TOLERANCE)
    }

    /// Returns the nodes directly below the root.
    fn top(&self) -> Vec<NodeId> {
        self.view.tree.children(NodeId::ROOT).collect()
    }

    /// Returns the columns of the table for people.
    fn columns(&self) -> Vec<Column<'_, NodeId>> {
        let mut columns = vec![
            Column::left("Node", |&node: &NodeId| Cell::Node(self.view.tree, node)),
            Column::number("Target", Unit::Portion, |&node| self.target(node).into()),
        ];
        for run in &self.runs {
            let heading = match &self.runs[..] {
                [_] => "Share",
                _ => run.policy.name(),
            };
            columns.extend([
                Column::right("Core-hours", |&node| core_hours(run, node)),
                Column::number(heading, Unit::Portion, |&node| portion(run, node).into()),
                Column::right("Off by", |&node| {
                    Cell::told(off_by(run, node), words::off_by)
                }),
            ]);
        }
        columns
    }

    /// Returns the table for people, and a sentence about the nodes that it leaves out, if any.
    fn table(&self) -> (Table<'_>, Option<Shown>) {
        let mut nodes = self.nodes();
        let left = nodes.len().saturating_sub(ROWS);
        nodes.truncate(ROWS);
        let table = Table::new(self.columns(), nodes.into_iter());
        if left == 0 {
            return (table, None);
        }
        let more = counted(left, "node", "nodes");
        let sentence = sentence!("… and {more} more; --format-out csv prints all of them");
        (table, Some(sentence))
    }

    /// Returns the delivered shares of the top level over time, in a figure for each policy.
    fn drawing(&self) -> Drawing {
        let mut nodes = Vec::new();
        let mut moments = Vec::new();
        if let Some(run) = self.runs.first() {
            nodes = self.drawn(run);
            for window in 0..run.windows() {
                let end = run.end_of(window);
                moments.push(Moment {
                    at: end as f64,
                    text: duration_for_people(end),
                });
            }
        }
        let mut figures = Vec::with_capacity(self.runs.len());
        for run in &self.runs {
            figures.push(figure(run, &nodes, moments.len()));
        }
        Drawing {
            moments,
            names: nodes.iter().map(|&node| self.view.path(node)).collect(),
            figures,
            note: Some("Thin and dotted: the target.".into()),
        }
    }

    /// Returns the nodes of the top level that are drawn: those with the largest targets, the largest first.
    fn drawn(&self, run: &Contention) -> Vec<NodeId> {
        let mut nodes = self.top();
        nodes.retain(|&node| run.target(node).is_some());
        nodes.sort_by(|&one, &other| {
            let target = run.target(one).unwrap_or_default();
            let other_target = run.target(other).unwrap_or_default();
            other_target.total_cmp(&target)
        });
        nodes.truncate(DRAWN);
        nodes
    }
}

/// Returns the core-hours that a node got.
fn core_hours(run: &Contention, node: NodeId) -> Cell<'static> {
    let seconds = run.delivered_in_all(node);
    let hours = grouped(seconds / HOUR);
    Cell::Told(hours, Value::Double(seconds as f64))
}

/// Returns a node's part of what was delivered in the second half of a run.
fn portion(run: &Contention, node: NodeId) -> Option<f64> {
    run.portion_of(run.second_half(), node)
}

/// Returns how far a node's part is from its target, as a part of the target; `None` without one.
fn off_by(run: &Contention, node: NodeId) -> Option<f64> {
    let portion = portion(run, node)?;
    let target = run.target(node)?;
    (target > 0.0).then(|| portion / target - 1.0)
}

/// Returns what a run delivered to some nodes in each of its windows, and their targets.
fn figure(run: &Contention, nodes: &[NodeId], windows: usize) -> Figure {
    let mut curves = Vec::new();
    for (name, &node) in nodes.iter().enumerate() {
        let portions = (0..windows).map(|window| run.portion(window, node));
        curves.extend(Curve::new(name, false, portions));
        let targets = vec![run.target(node); windows];
        curves.extend(Curve::new(name, true, targets));
    }
    Figure {
        heading: sentence!("Delivered share under {}", run.policy.title()),
        unit: Unit::Portion,
        curves,
    }
}

impl Report for Runs<'_> {
    fn front(&self) -> Front {
        Front::of(self.title(), self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::default();
        for run in &self.runs {
            self.add_verdict(&mut document, run);
        }
        document.section("Assumptions");
        document.sentences(self.machine());
        document.section("Delivered over time");
        document.figures(self.drawing());
        document.section("Delivered against target");
        let (table, left_off) = self.table();
        document.table(table);
        document.note(left_off);
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
        let tree = self.view.tree;
        let nodes = self.nodes();
        let rows = self.runs.iter().flat_map(move |run| {
            let nodes = nodes.clone();
            (0..run.windows()).flat_map(move |window| {
                let jain = run.jain(tree, window);
                nodes.clone().into_iter().map(move |node| WindowRow {
                    run,
                    window,
                    jain,
                    node,
                })
            })
        });
        let columns = vec![
            WindowColumn::exact("policy", |row| row.run.policy.name().into()),
            WindowColumn::exact("from", |row| row.from().to_string().into()),
            WindowColumn::exact("until", |row| row.until().to_string().into()),
            WindowColumn::exact("path", |row| {
                path_of(tree, row.node).unwrap_or_default().into()
            }),
            number_column("target", |row| row.run.target(row.node)),
            WindowColumn::exact("core_seconds", |row| {
                let seconds = row.run.delivered(row.window, row.node);
                seconds.to_string().into()
            }),
            number_column("share", |row| row.run.portion(row.window, row.node)),
            number_column("jain", |row| row.jain),
        ];
        Some(Table::new(columns, rows))
    }
}

/// A node in a window of a run.
struct WindowRow<'a> {
    run: &'a Contention,
    window: usize,
    /// Jain's index in the window; `None` if nothing was delivered.
    jain: Option<f64>,
    node: NodeId,
}

impl WindowRow<'_> {
    /// Returns when the window begins, in seconds since the snapshot.
    const fn from(&self) -> u64 {
        self.run.begin + self.run.timing.window * self.window as u64
    }

    /// Returns when the window ends, in seconds since the snapshot.
    fn until(&self) -> u64 {
        self.run.begin + self.run.end_of(self.window)
    }
}

/// A column of windows.
type WindowColumn<'a> = Column<'a, WindowRow<'a>>;

/// Returns a column of numbers in full, empty where there is none.
fn number_column<'a>(
    name: &'static str,
    number: fn(&WindowRow<'a>) -> Option<f64>,
) -> WindowColumn<'a> {
    WindowColumn::exact(name, move |row| match number(row) {
        Some(number) => number.to_string().into(),
        None => "".into(),
    })
}

/// Returns the machine and who wants how much of it.
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

/// Returns what a run delivered, and what its policy promises.
fn facts(runs: &Runs<'_>, run: &Contention) -> impl Serialize {
    let tree = runs.view.tree;
    let users: Vec<NodeId> = tree.users().collect();
    let windows = 0..run.windows();
    let ends = windows.clone().map(|window| run.begin + run.end_of(window));
    let nodes = runs.nodes().into_iter();
    Lines(object! {
        policy: run.policy.name(),
        promise: match promise(run.policy) {
            Promise::Shares => "shares",
            Promise::FlatTrees => "flat-trees",
            Promise::Nothing => "nothing",
        },
        reason: words::promise(run.policy),
        promised: is_promised(run.policy, tree),
        at_once: run.at_once(),
        jobs: run.started,
        utilization: run.utilization(),
        top_level: course(runs, run.fit(&runs.top(), TOLERANCE)),
        users: course(runs, run.fit(&users, TOLERANCE)),
        until: List(ends),
        jain: List(windows.map(|window| run.jain(tree, window))),
        nodes: Lines(List(nodes.map(|node| delivered(runs, run, node)))),
    })
}

/// Returns how near some nodes came to their targets.
fn course(runs: &Runs<'_>, fit: TargetFit) -> impl Serialize {
    let tree = runs.view.tree;
    object! {
        converged_after: fit.converged,
        amplitude: fit.amplitude,
        distance: fit.distance,
        furthest: fit.furthest.and_then(|node| path_of(tree, node)),
    }
}

/// Returns what a node got in a run.
fn delivered(runs: &Runs<'_>, run: &Contention, node: NodeId) -> impl Serialize {
    let windows = 0..run.windows();
    let delivered = windows.map(move |window| run.delivered(window, node));
    object! {
        path: path_of(runs.view.tree, node),
        target: run.target(node),
        share: portion(run, node),
        core_seconds: List(delivered),
    }
}
