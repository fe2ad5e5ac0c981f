//! A simulated busy cluster: delivered portions against targets, under one policy or two.
//!
//! The verdict of each policy comes first, then what was assumed of the machine, the shares that were delivered over time
//! as a drawing, and what each node got in all. CSV has a row for each policy, window and node.

use super::asked::MachineQuestion;
use super::render::document::{Document, Front, LeftOff};
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
    /// Runs a machine under the policy of the scenario, and under another one if it is to be compared with. `go_on` is asked
    /// now and then, and may stop it.
    ///
    /// # Errors
    /// A machine or jobs that cannot be simulated, and a run that was stopped.
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
        let all = self.view.tree.nodes();
        for &node in all.iter().skip(1) {
            if self.target(node).is_some() {
                nodes.push(node);
            }
        }
        nodes
    }

    /// Returns the target of a node, in the first run that has one; `None` if none has.
    fn target(&self, node: NodeId) -> Option<f64> {
        for run in &self.runs {
            if let Some(target) = run.target(node) {
                return Some(target);
            }
        }
        None
    }

    /// Returns the size of the machine, how long it runs, and under which policies.
    fn title(&self) -> Shown {
        let mut titles = Vec::new();
        for run in &self.runs {
            titles.push(run.policy.title());
        }
        let policies = titles.join(" and ");
        let machine = &self.runs[0].machine;
        let time = duration_for_people(machine.until);
        let cores = machine.cores;
        sentence!("{cores} cores for {time} under {policies}")
    }

    /// Adds whether a run delivered what the shares promise, and why.
    fn add_verdict(&self, document: &mut Document<'_>, run: &Contention) {
        let verdict = self.verdict(run);
        let mut emphasis = if verdict.is_converged() {
            Emphasis::Better
        } else {
            Emphasis::Warning
        };
        let sentences = words::verdict(self.view.tree, run, &verdict);
        for sentence in sentences {
            document.line(Line::of(emphasis, sentence));
            emphasis = Emphasis::Plain;
        }
    }

    /// Returns what is assumed of the machine, in sentences.
    fn machine(&self) -> Vec<Shown> {
        let Some(run) = self.runs.first() else {
            return Vec::new();
        };
        words::machine(self.view.tree, self.view.settings, run)
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
    fn columns(&self) -> Vec<NodeColumn<'_>> {
        let mut columns = vec![
            NodeColumn::left("Node", |&node| Cell::Node(self.view.tree, node)),
            NodeColumn::number("Target", Unit::Portion, |&node| {
                let target = self.target(node);
                target.into()
            }),
        ];
        for run in &self.runs {
            let heading = match &self.runs[..] {
                [_] => "Share",
                _ => run.policy.name(),
            };
            columns.extend(run_columns(run, heading));
        }
        columns
    }

    /// Adds the table for people, and how many nodes it leaves out.
    fn add_table<'d>(&'d self, document: &mut Document<'d>) {
        let mut nodes = self.nodes();
        let left = nodes.len().saturating_sub(ROWS);
        nodes.truncate(ROWS);
        let columns = self.columns();
        let rows = nodes.into_iter();
        document.table(Table::new(columns, rows));
        if left > 0 {
            let more = counted(left, "node", "nodes");
            document.note_left_off(Some(LeftOff {
                told: sentence!("… and {more} more"),
                way: "--format-out csv prints all of them",
            }));
        }
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
        let mut names = Vec::with_capacity(nodes.len());
        for node in nodes {
            names.push(self.view.path(node));
        }
        Drawing {
            moments,
            names,
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

/// A column of nodes.
type NodeColumn<'a> = Column<'a, NodeId>;

/// Returns the columns of a run for people.
fn run_columns<'a>(run: &'a Contention, heading: &'static str) -> [NodeColumn<'a>; 3] {
    [
        NodeColumn::right("Core-hours", |&node| core_hours(run, node)),
        NodeColumn::number(heading, Unit::Portion, |&node| {
            let portion = portion(run, node);
            portion.into()
        }),
        NodeColumn::right("Off by", |&node| {
            let part = off_by(run, node);
            Cell::told(part, words::off_by)
        }),
    ]
}

/// Returns the core-hours that a node got.
fn core_hours(run: &Contention, node: NodeId) -> Cell<'static> {
    let seconds = run.delivered_in_all(node);
    let hours = grouped(seconds / HOUR);
    let exact = Value::Double(seconds as f64);
    Cell::Told(hours, exact)
}

/// Returns a node's part of what was delivered in the second half of a run, from 0 to 1; `None` if nothing was delivered
/// to anybody.
fn portion(run: &Contention, node: NodeId) -> Option<f64> {
    run.portion_of(run.second_half(), node)
}

/// Returns how far a node's part is from its target, as a part of the target: 0.1 is a tenth too much. `None` without a
/// target above 0.
fn off_by(run: &Contention, node: NodeId) -> Option<f64> {
    let portion = portion(run, node)?;
    let target = run.target(node)?;
    if target > 0.0 {
        return Some(portion / target - 1.0);
    }
    None
}

/// Returns what a run delivered to some nodes in each of its windows, and their targets.
fn figure(run: &Contention, nodes: &[NodeId], windows: usize) -> Figure {
    let mut curves = Vec::new();
    for (name, &node) in nodes.iter().enumerate() {
        let mut portions = Vec::with_capacity(windows);
        for window in 0..windows {
            portions.push(run.portion(window, node));
        }
        let targets = vec![run.target(node); windows];
        curves.extend(Curve::new(name, false, portions));
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
        self.add_table(&mut document);
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let first = self.runs.first();
        let runs = self.runs.iter();
        let body = object! {
            machine: first.map(|run| machine(self.view, run)),
            runs: Lines(List(runs.map(|run| facts(self, run)))),
        };
        json::write(out, self.view, body)
    }

    /// Returns a row for each policy, window and node.
    fn csv(&self) -> Option<Table<'_>> {
        let tree = self.view.tree;
        let columns = vec![
            WindowColumn::exact("policy", |row| {
                let policy = row.run.policy;
                policy.name().into()
            }),
            number_column("from", |row| Some(row.from())),
            number_column("until", |row| Some(row.until())),
            WindowColumn::exact("path", |row| {
                let path = path_of(tree, row.node);
                path.unwrap_or_default().into()
            }),
            number_column("target", |row| row.run.target(row.node)),
            number_column("core_seconds", |row| {
                let seconds = row.run.delivered(row.window, row.node);
                Some(seconds)
            }),
            number_column("share", |row| row.run.portion(row.window, row.node)),
            number_column("jain", |row| row.jain),
        ];
        let nodes = self.nodes();
        let runs = self.runs.iter();
        let rows = runs.flat_map(move |run| {
            let nodes = nodes.clone();
            let windows = 0..run.windows();
            windows.flat_map(move |window| {
                let jain = run.jain(tree, window);
                let nodes = nodes.clone().into_iter();
                nodes.map(move |node| WindowRow {
                    run,
                    window,
                    jain,
                    node,
                })
            })
        });
        Some(Table::new(columns, rows))
    }
}

/// A node in a window of a run.
struct WindowRow<'a> {
    /// The run.
    run: &'a Contention,
    /// The place of the window, from the beginning of the run.
    window: usize,
    /// Jain's index in the window; `None` if nothing was delivered.
    jain: Option<f64>,
    /// The node.
    node: NodeId,
}

impl WindowRow<'_> {
    /// Returns when the window begins, in seconds since the snapshot.
    const fn from(&self) -> u64 {
        let length = self.run.timing.window;
        self.run.begin + length * self.window as u64
    }

    /// Returns when the window ends, in seconds since the snapshot.
    fn until(&self) -> u64 {
        self.run.begin + self.run.end_of(self.window)
    }
}

/// A column of windows.
type WindowColumn<'a> = Column<'a, WindowRow<'a>>;

/// Returns a column of numbers in full, empty where there is none.
fn number_column<'a, N: ToString>(
    name: &'static str,
    number: impl Fn(&WindowRow<'a>) -> Option<N> + 'a,
) -> WindowColumn<'a> {
    WindowColumn::exact(name, move |row| match number(row) {
        Some(number) => number.to_string().into(),
        None => "".into(),
    })
}

/// Returns the machine and who wants how much of it.
fn machine(view: &View<'_>, run: &Contention) -> impl Serialize {
    let machine = &run.machine;
    let mut demands = Vec::new();
    for &(node, cores) in &machine.demands {
        demands.push(object! {
            path: path_of(view.tree, node),
            cores: cores,
        });
    }
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
        demands: demands,
    }
}

/// Returns what a run delivered, and what its policy promises.
fn facts(runs: &Runs<'_>, run: &Contention) -> impl Serialize {
    let tree = runs.view.tree;
    let users: Vec<NodeId> = tree.users().collect();
    let of_top = run.fit(&runs.top(), TOLERANCE);
    let of_users = run.fit(&users, TOLERANCE);
    let mut ends = Vec::new();
    let mut jain = Vec::new();
    for window in 0..run.windows() {
        ends.push(run.begin + run.end_of(window));
        jain.push(run.jain(tree, window));
    }
    let nodes = runs.nodes().into_iter();
    let delivered = nodes.map(|node| delivered(runs, run, node));
    let promised = match promise(run.policy) {
        Promise::Shares => "shares",
        Promise::FlatTrees => "flat-trees",
        Promise::Nothing => "nothing",
    };
    Lines(object! {
        policy: run.policy.name(),
        promise: promised,
        reason: words::promise(run.policy),
        promised: is_promised(run.policy, tree),
        at_once: run.at_once(),
        jobs: run.started,
        utilization: run.utilization(),
        top_level: course(runs, of_top),
        users: course(runs, of_users),
        until: ends,
        jain: jain,
        nodes: Lines(List(delivered)),
    })
}

/// Returns how near some nodes came to their targets.
fn course(runs: &Runs<'_>, fit: TargetFit) -> impl Serialize {
    let mut furthest = None;
    if let Some(node) = fit.furthest {
        furthest = path_of(runs.view.tree, node);
    }
    object! {
        converged_after: fit.converged,
        amplitude: fit.amplitude,
        distance: fit.distance,
        furthest: furthest,
    }
}

/// Returns what a node got in a run.
fn delivered(runs: &Runs<'_>, run: &Contention, node: NodeId) -> impl Serialize {
    let mut delivered = Vec::new();
    for window in 0..run.windows() {
        delivered.push(run.delivered(window, node));
    }
    object! {
        path: path_of(runs.view.tree, node),
        target: run.target(node),
        share: portion(run, node),
        core_seconds: delivered,
    }
}
