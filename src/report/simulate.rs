//! `simulate`: what becomes of some nodes, and when a goal is reached.

mod moment;
mod outcome;

pub use moment::Moments;
pub use outcome::sentence;

use super::csv::{put, put_text};
use super::json::{Entries, Lines, List, object};
use super::table::{self, Column};
use super::{Form, View, csv, json, markdown, words};
use crate::analysis::simulate::{Assumptions, NodeSeries, Recovery, Series};
use crate::base::number::Value;
use crate::base::number::{Exact, grouped, percent, short};
use crate::model::{NodeId, Tree, path_of};
use crate::rules::clock;
use crate::rules::policy::ColumnId;
use serde::Serialize;
use std::io::{self, Write};

/// One way in which things go.
#[derive(Clone, Debug)]
pub struct Course {
    /// What was assumed.
    pub assumptions: Assumptions,
    /// What the clock took for granted beside the scheduler's own rule.
    pub granted: Vec<clock::Assumption>,
    /// What was seen of the nodes.
    pub series: Series,
    /// When goals are reached.
    pub recoveries: Vec<Recovery>,
}

impl Course {
    /// What was assumed, as clauses: who uses what, what the clock takes for granted, and how usage decays.
    fn assumed(&self, tree: &Tree) -> Vec<String> {
        let usage = self.assumptions.usage.iter();
        let granted = self.granted.iter();
        usage
            .map(|usage| words::simulate::usage(tree, usage))
            .chain(granted.map(|&it| words::clock::full(it).to_owned()))
            .chain([words::simulate::decay(&self.assumptions.decay)])
            .collect()
    }
}

/// What was simulated, once or side by side with another setting.
#[derive(Clone, Debug)]
pub struct Simulated<'a> {
    /// The scenario it began with.
    pub view: View<'a>,
    /// When the snapshot was taken.
    pub moments: Moments,
    /// How far was looked for the goals, in seconds.
    pub horizon: u64,
    /// As it is.
    pub course: Course,
    /// The setting that is another one, `KEY=VALUE`, and what comes of it: the same nodes at the same moments.
    pub other: Option<(String, Course)>,
}

/// The numbers that are followed, with their names in CSV and their headings for people.
const FOLLOWED: [(&str, &str); 4] = [
    ("usage", "Usage"),
    ("usage_share", "Of level"),
    ("factor", "Factor"),
    ("rank", "Rank"),
];

/// A number of a line at a moment.
fn value(line: &NodeSeries, moment: usize, followed: usize) -> Value {
    let double = |number: Option<f64>| number.map_or(Value::Null, Value::Double);
    match followed {
        0 => double(line.usage[moment]),
        1 => double(line.usage_share[moment]),
        2 => double(line.factor[moment]),
        _ => line.rank[moment].map_or(Value::Null, |rank| Value::Count(i64::from(rank))),
    }
}

/// Writes what was simulated; `Tree` is written as `Table`.
///
/// # Errors
/// If writing fails.
pub fn write(out: &mut dyn Write, simulated: &Simulated<'_>, form: Form) -> io::Result<()> {
    match form {
        Form::Tree | Form::Table | Form::Markdown => {
            write_people(out, simulated, form == Form::Markdown)
        }
        Form::Csv => write_csv(out, simulated),
        Form::Json => write_json(out, simulated),
    }
}

impl Simulated<'_> {
    /// The two ways, or the one.
    fn courses(&self) -> impl Iterator<Item = &Course> {
        let other = self.other.iter().map(|(_, course)| course);
        std::iter::once(&self.course).chain(other)
    }

    /// Where a row of the table stands: which line, and which moment.
    fn place(&self, row: usize) -> (usize, usize) {
        let moments = self.course.series.times.len().max(1);
        (row / moments, row % moments)
    }

    fn row_count(&self) -> usize {
        self.course.series.lines.len() * self.course.series.times.len()
    }

    /// A number of a row: first those of things as they are, then those of the other setting.
    fn value(&self, row: usize, index: usize) -> Value {
        let (line, moment) = self.place(row);
        let mut courses = self.courses();
        let course = courses.nth(index / FOLLOWED.len());
        course.map_or(Value::Null, |course| {
            value(&course.series.lines[line], moment, index % FOLLOWED.len())
        })
    }

    fn path(&self, node: NodeId) -> Option<String> {
        path_of(self.view.tree, node)
    }

    /// When goals are reached, as sentences for people.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        for (place, course) in self.courses().enumerate() {
            for recovery in &course.recoveries {
                let text = sentence(&self.view, &self.moments, self.horizon, recovery);
                sentences.push(match &self.other {
                    Some((setting, _)) if place > 0 => format!("With {setting}: {text}"),
                    _ => text,
                });
            }
        }
        sentences
    }
}

fn write_people(
    out: &mut dyn Write,
    simulated: &Simulated<'_>,
    is_markdown: bool,
) -> io::Result<()> {
    let escape = |text: &str| {
        if is_markdown {
            markdown::escape(text)
        } else {
            text.to_owned()
        }
    };
    let list = if is_markdown { "- " } else { "  " };
    writeln!(out, "Assumed under {}:", simulated.view.policy.name())?;
    if is_markdown {
        writeln!(out)?;
    }
    for sentence in simulated.course.assumed(simulated.view.tree) {
        writeln!(out, "{list}{}", escape(&sentence))?;
    }
    if let Some((setting, other)) = &simulated.other {
        let note = escape(&format!("marked *: with {setting}"));
        let decay = words::simulate::decay(&other.assumptions.decay);
        let is_alike = if other.series == simulated.course.series {
            "; it makes no difference to what is shown"
        } else {
            ""
        };
        writeln!(out, "{list}{note}: {}{is_alike}", escape(&decay))?;
    }
    writeln!(out)?;
    let mut columns = vec![Column::left("Path"), Column::left("When")];
    for place in 0..simulated.courses().count() {
        let mark = if place > 0 { "*" } else { "" };
        columns.extend(FOLLOWED.map(|(_, heading)| Column::right(&format!("{heading}{mark}"))));
    }
    let cell = |row: usize, column: usize| {
        let (line, moment) = simulated.place(row);
        let series = &simulated.course.series;
        match column {
            0 => simulated.view.path(series.lines[line].node),
            1 => simulated.moments.text(series.times[moment]),
            _ => shown(
                simulated.value(row, column - 2),
                (column - 2) % FOLLOWED.len(),
            ),
        }
    };
    let rows = simulated.row_count();
    if is_markdown {
        markdown::write(out, &columns, rows, cell)?;
    } else {
        table::write(out, &columns, rows, cell)?;
    }
    let sentences = simulated.sentences();
    if !sentences.is_empty() {
        writeln!(out)?;
    }
    for sentence in &sentences {
        let item = if is_markdown { "- " } else { "" };
        writeln!(out, "{item}{}", escape(sentence))?;
    }
    Ok(())
}

/// A number for people.
fn shown(value: Value, followed: usize) -> String {
    match (value, followed) {
        (Value::Null, _) => String::new(),
        (Value::Count(count), _) => grouped(count),
        (value, 0) => value.as_f64().map_or_else(String::new, short),
        (value, 1) => value.as_f64().map_or_else(String::new, percent),
        (value, _) => crate::base::number::cell(value, ColumnId::Factor.unit()),
    }
}

fn write_csv(out: &mut dyn Write, simulated: &Simulated<'_>) -> io::Result<()> {
    let mut header: Vec<String> = ["path", "seconds", "time"].map(str::to_owned).to_vec();
    for place in 0..simulated.courses().count() {
        let mark = if place > 0 { "_compared" } else { "" };
        header.extend(FOLLOWED.map(|(name, _)| format!("{name}{mark}")));
    }
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    csv::write(out, &header, simulated.row_count(), |row, column, text| {
        let (line, moment) = simulated.place(row);
        let series = &simulated.course.series;
        match column {
            0 => {
                let path = simulated.path(series.lines[line].node);
                put_text(text, &path.unwrap_or_default());
            }
            1 => put(text, series.times[moment]),
            2 => text.push_str(
                &simulated
                    .moments
                    .rfc3339(series.times[moment])
                    .unwrap_or_default(),
            ),
            _ => put(text, Exact(simulated.value(row, column - 3))),
        }
    })
}

fn write_json(out: &mut dyn Write, simulated: &Simulated<'_>) -> io::Result<()> {
    let times = &simulated.course.series.times;
    let compared = simulated.other.as_ref().map(|(setting, other)| {
        Lines(object! {
            setting: setting,
            #[serde(flatten)]
            course: facts(simulated, other),
        })
    });
    let body = object! {
        times: List(times.iter().map(|&passed| simulated.moments.time(passed))),
        seconds: times,
        #[serde(flatten)]
        course: facts(simulated, &simulated.course),
        compared: compared,
        problems: json::problems(simulated.view.problems.list()),
    };
    json::write(out, &simulated.view, body)
}

/// What is assumed, seen and reached on one way.
fn facts(simulated: &Simulated<'_>, course: &Course) -> impl Serialize {
    let moments = 0..course.series.times.len();
    let series = course.series.lines.iter().map(move |line| {
        let moments = moments.clone();
        let numbers = FOLLOWED
            .iter()
            .enumerate()
            .map(move |(followed, &(name, _))| {
                let numbers = moments.clone();
                let numbers = numbers.map(move |moment| value(line, moment, followed));
                (name, List(numbers))
            });
        object! {
            path: simulated.path(line.node),
            #[serde(flatten)]
            numbers: Entries(numbers),
        }
    });
    let recovery = course.recoveries.iter();
    object! {
        assumptions: Lines(course.assumed(simulated.view.tree)),
        series: Lines(List(series)),
        recovery: Lines(List(recovery.map(|recovery| outcome::facts(simulated, recovery)))),
    }
}
