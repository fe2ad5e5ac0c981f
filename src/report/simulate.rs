//! `simulate`: the forecast of some nodes, and when goals are reached.

mod figures;
mod outcome;

pub use super::moments::Moments;
pub use outcome::sentence;

use super::document::Document;
use super::front::Front;
use super::json::{Entries, Lines, List, object};
use super::table::{Cell, Column, Table};
use super::{Report, View, json, room, words};
use crate::analysis::simulate::{Assumptions, NodeSeries, Recovery, Series};
use crate::base::number::{Unit, Value};
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, Tree, path_of};
use crate::rules::clock;
use crate::rules::policy::ColumnId;
use serde::Serialize;
use std::io::{self, Write};

/// A forecast under one set of assumptions.
#[derive(Clone, Debug)]
pub struct Forecast {
    /// The assumptions.
    pub assumptions: Assumptions,
    /// What the clock assumed in addition to the scheduler's own rule.
    pub granted: Vec<clock::Assumption>,
    /// The numbers of the nodes over time.
    pub series: Series,
    /// When goals are reached.
    pub recoveries: Vec<Recovery>,
}

impl Forecast {
    /// Returns the assumptions as clauses: the usage rates, the assumptions of the clock, and the decay.
    fn assumed(&self, tree: &Tree) -> Vec<Shown> {
        let usage = self.assumptions.usage.iter();
        let granted = self.granted.iter();
        usage
            .map(|usage| words::simulate::usage(tree, usage))
            .chain(granted.map(|&it| it.clause()))
            .chain([words::simulate::decay(&self.assumptions.decay)])
            .collect()
    }
}

/// One forecast, or two side by side under different settings.
#[derive(Clone, Debug)]
pub struct Forecasts<'a> {
    /// The scenario at the start.
    pub view: View<'a>,
    /// When the snapshot was taken.
    pub moments: Moments,
    /// How far the search for goals looked ahead, in seconds.
    pub horizon: u64,
    /// The forecast under the scenario's own settings.
    pub forecast: Forecast,
    /// The changed setting, `KEY=VALUE`, and the forecast under it, for the same nodes and moments.
    pub other: Option<(Shown, Forecast)>,
}

/// A quantity that is followed over time.
struct Quantity {
    /// The name in CSV and JSON.
    name: &'static str,
    /// The heading for people.
    heading: &'static str,
    unit: Unit,
    /// The column that it is in the tables of a tree.
    column: ColumnId,
    /// The number of a line at a moment.
    value: fn(&NodeSeries, usize) -> Value,
}

/// The quantities that are followed.
const QUANTITIES: [Quantity; 4] = [
    Quantity {
        name: "usage",
        heading: "Usage",
        unit: Unit::Usage,
        column: ColumnId::Usage,
        value: |line, moment| line.usage[moment].into(),
    },
    Quantity {
        name: "usage_share",
        heading: "Of level",
        unit: Unit::Portion,
        column: ColumnId::NormUsage,
        value: |line, moment| line.usage_share[moment].into(),
    },
    Quantity {
        name: "factor",
        heading: "Factor",
        unit: ColumnId::Factor.unit(),
        column: ColumnId::Factor,
        value: |line, moment| line.factor[moment].into(),
    },
    Quantity {
        name: "rank",
        heading: "Rank",
        unit: Unit::Rank,
        column: ColumnId::Rank,
        value: |line, moment| line.rank[moment].into(),
    },
];

/// A node at a moment: the indices of its line and of the moment.
#[derive(Clone, Copy)]
struct NodeAtMoment {
    line: usize,
    moment: usize,
}

impl Forecasts<'_> {
    /// Returns the one forecast, or both.
    fn forecasts(&self) -> impl Iterator<Item = &Forecast> {
        let other = self.other.iter().map(|(_, forecast)| forecast);
        std::iter::once(&self.forecast).chain(other)
    }

    /// Returns the rows: every node at every moment.
    fn rows(&self) -> impl Iterator<Item = NodeAtMoment> + Clone {
        let moments = 0..self.forecast.series.times.len();
        let lines = 0..self.forecast.series.lines.len();
        lines.flat_map(move |line| {
            let moments = moments.clone();
            moments.map(move |moment| NodeAtMoment { line, moment })
        })
    }

    /// Returns the columns of numbers, first under the scenario's own settings, then under the other setting.
    fn numbers(&self) -> impl Iterator<Item = Column<'_, NodeAtMoment>> {
        let marks = [("", ""), ("*", "_compared")];
        let forecasts = self.forecasts().zip(marks);
        forecasts.flat_map(move |(forecast, (mark, suffix))| {
            QUANTITIES.iter().map(move |quantity| {
                let value = |row: &NodeAtMoment| {
                    (quantity.value)(&forecast.series.lines[row.line], row.moment)
                };
                let heading = sentence!("{}{mark}", quantity.heading);
                let name = sentence!("{}{suffix}", quantity.name);
                let order = room::order(&self.view, quantity.column);
                Column::number(heading, quantity.unit, value)
                    .named(name)
                    .giving_way(order)
            })
        })
    }

    /// Returns the column of the node's path, under this heading.
    fn paths(&self, heading: &'static str) -> Column<'_, NodeAtMoment> {
        let lines = &self.forecast.series.lines;
        Column::left(heading, |row: &NodeAtMoment| {
            Cell::Node(self.view.tree, lines[row.line].node)
        })
    }

    /// Returns the seconds from the snapshot to a row.
    fn passed(&self, row: &NodeAtMoment) -> u64 {
        self.forecast.series.times[row.moment]
    }

    fn path(&self, node: NodeId) -> Option<String> {
        path_of(self.view.tree, node)
    }

    /// Returns when goals are reached, as sentences for people.
    pub fn sentences(&self) -> Vec<Shown> {
        let mut sentences = Vec::new();
        for (place, forecast) in self.forecasts().enumerate() {
            for recovery in &forecast.recoveries {
                let text = sentence(&self.view, &self.moments, self.horizon, recovery);
                sentences.push(match &self.other {
                    Some((setting, _)) if place > 0 => sentence!("With {setting}: {text}"),
                    _ => text,
                });
            }
        }
        sentences
    }
}

impl Report for Forecasts<'_> {
    fn front(&self) -> Front {
        Front::of("Forecast", &self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::default();
        document.sentence(sentence!("Assumed under {}:", self.view.policy.title()));
        document.gap_in_markdown();
        for sentence in self.forecast.assumed(self.view.tree) {
            document.item("  ", sentence);
        }
        if let Some((setting, other)) = &self.other {
            let decay = words::simulate::decay(&other.assumptions.decay);
            let is_alike = if other.series == self.forecast.series {
                "; it changes nothing shown here"
            } else {
                ""
            };
            document.item(
                "  ",
                sentence!("marked *: with {setting}: {decay}{is_alike}"),
            );
        }
        document.gap();
        let when = |row: &NodeAtMoment| {
            let passed = self.passed(row);
            Cell::Told(self.moments.text(passed), Value::Double(passed as f64))
        };
        let mut columns = vec![self.paths("Path"), Column::left("When", when)];
        columns.extend(self.numbers());
        document.figures(|| figures::drawing(self));
        document.table(Table::new(columns, self.rows()));
        let sentences = self.sentences();
        if !sentences.is_empty() {
            document.gap();
        }
        for sentence in sentences {
            document.item("", sentence);
        }
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let times = &self.forecast.series.times;
        let compared = self.other.as_ref().map(|(setting, other)| {
            Lines(object! {
                setting: setting,
                #[serde(flatten)]
                forecast: facts(self, other),
            })
        });
        let body = object! {
            times: List(times.iter().map(|&passed| self.moments.time(passed))),
            seconds: times,
            #[serde(flatten)]
            forecast: facts(self, &self.forecast),
            compared: compared,
            problems: json::problems(self.view.problems.list()),
        };
        json::write(out, &self.view, body)
    }

    fn csv(&self) -> Option<Table<'_>> {
        let seconds = |row: &NodeAtMoment| self.passed(row).to_string().into();
        let time = |row: &NodeAtMoment| {
            let time = self.moments.rfc3339(self.passed(row));
            time.unwrap_or_default().into()
        };
        let mut columns = vec![
            self.paths("path"),
            Column::exact("seconds", seconds),
            Column::exact("time", time),
        ];
        columns.extend(self.numbers());
        Some(Table::new(columns, self.rows()))
    }
}

/// Returns the assumptions, numbers and reached goals of one forecast.
fn facts(simulated: &Forecasts<'_>, forecast: &Forecast) -> impl Serialize {
    let moments = 0..forecast.series.times.len();
    let series = forecast.series.lines.iter().map(move |line| {
        let moments = moments.clone();
        let numbers = QUANTITIES.iter().map(move |quantity| {
            let numbers = moments.clone();
            let numbers = numbers.map(move |moment| (quantity.value)(line, moment));
            (quantity.name, List(numbers))
        });
        object! {
            path: simulated.path(line.node),
            #[serde(flatten)]
            numbers: Entries(numbers),
        }
    });
    let recovery = forecast.recoveries.iter();
    object! {
        assumptions: Lines(forecast.assumed(simulated.view.tree)),
        series: Lines(List(series)),
        recovery: Lines(List(recovery.map(|recovery| outcome::facts(simulated, recovery)))),
    }
}
