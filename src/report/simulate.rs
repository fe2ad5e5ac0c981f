//! `simulate`: the forecast of some nodes, and when goals are reached.

pub use super::moments::Moments;

use super::render::column_widths;
use super::render::document::{
    Curve, Document, Drawing, Figure, Front, MOST_NAMES, Moment, bounds,
};
use super::render::json::{self, Entries, Lines, List, object};
use super::render::table::{Cell, Column, Table};
use super::{Report, View, words};
use crate::analysis::simulate::{Assumptions, NodeSeries, Recovery, RecoveryOutcome, Series};
use crate::analysis::solve::Standing;
use crate::base::number::{Unit, Value, cell, counted};
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, Tree, path_of};
use crate::rules::clock;
use crate::rules::policy::{ColumnId, Policy};
use serde::Serialize;
use std::io::{self, Write};

#[derive(Clone, Debug)]
pub(crate) struct Forecast {
    pub(crate) assumptions: Assumptions,
    /// What the clock assumed in addition to the scheduler's own rule.
    pub(crate) granted: Vec<clock::Assumption>,
    pub(crate) series: Series,
    pub(crate) recoveries: Vec<Recovery>,
}

impl Forecast {
    fn assumed(&self, tree: &Tree) -> Vec<Shown> {
        let usage = self.assumptions.usage.iter();
        let mut assumed: Vec<Shown> = usage
            .map(|it| words::simulate::usage(tree, &self.assumptions.decay, it))
            .collect();
        assumed.extend(self.granted.iter().map(|it| it.clause()));
        assumed.push(words::simulate::decay(&self.assumptions.decay));
        assumed
    }
}

/// One forecast, or two side by side under different settings.
#[derive(Clone, Debug)]
pub(crate) struct Forecasts<'a> {
    pub(crate) view: View<'a>,
    pub(crate) moments: Moments,
    /// How far the search for goals looked ahead, in seconds.
    pub(crate) horizon: u64,
    pub(crate) forecast: Forecast,
    /// The changed setting, `KEY=VALUE`, and the forecast under it, for the same nodes and moments.
    pub(crate) other: Option<(Shown, Forecast)>,
}

struct ForecastQuantity {
    /// The name in CSV and JSON.
    name: &'static str,
    heading: &'static str,
    unit: Unit,
    /// The column that it is in the tables of a tree.
    column: ColumnId,
    value: fn(&NodeSeries, usize) -> Value,
}

impl ForecastQuantity {
    const fn of(column: ColumnId, value: fn(&NodeSeries, usize) -> Value) -> Self {
        Self {
            name: column.name(),
            heading: column.heading(),
            unit: column.unit(),
            column,
            value,
        }
    }
}

const QUANTITIES: [ForecastQuantity; 4] = [
    ForecastQuantity::of(ColumnId::Usage, |line, moment| line.usage[moment].into()),
    ForecastQuantity {
        name: "usage_share",
        heading: "Of level",
        unit: Unit::Portion,
        column: ColumnId::NormUsage,
        value: |line, moment| line.usage_share[moment].into(),
    },
    ForecastQuantity::of(ColumnId::Factor, |line, moment| line.factor[moment].into()),
    ForecastQuantity::of(ColumnId::Rank, |line, moment| line.rank[moment].into()),
];

/// A node at a moment: the indices of its line and of the moment.
#[derive(Clone, Copy)]
struct NodeAtMoment {
    line: usize,
    moment: usize,
}

impl Forecasts<'_> {
    fn forecasts(&self) -> impl Iterator<Item = &Forecast> {
        let other = self.other.iter().map(|(_, forecast)| forecast);
        std::iter::once(&self.forecast).chain(other)
    }

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
                let own = match quantity.column {
                    ColumnId::Factor if self.view.policy == Policy::Formula => {
                        ColumnId::FormulaValue.heading()
                    }
                    _ => quantity.heading,
                };
                let heading = sentence!("{own}{mark}");
                let name = sentence!("{}{suffix}", quantity.name);
                let order = column_widths::order(&self.view, quantity.column);
                Column::number(heading, quantity.unit, value)
                    .named(name)
                    .giving_way(order)
            })
        })
    }

    fn paths(&self, heading: &'static str) -> Column<'_, NodeAtMoment> {
        let lines = &self.forecast.series.lines;
        Column::left(heading, |row: &NodeAtMoment| {
            Cell::Node(self.view.tree, lines[row.line].node)
        })
    }

    fn passed(&self, row: &NodeAtMoment) -> u64 {
        self.forecast.series.times[row.moment]
    }

    fn in_words(&self, recovery: &Recovery) -> Shown {
        words::simulate::recovery(&self.view, &self.moments, self.horizon, recovery)
    }

    fn path(&self, node: NodeId) -> Option<String> {
        path_of(self.view.tree, node)
    }

    pub(crate) fn sentences(&self) -> Vec<Shown> {
        let own = self.forecast.recoveries.iter();
        let own = own.map(|recovery| self.in_words(recovery));
        let other = self.other.iter().flat_map(|(setting, other)| {
            let recoveries = other.recoveries.iter();
            recoveries.map(move |it| sentence!("With {setting}: {}", self.in_words(it)))
        });
        own.chain(other).collect()
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
            let alike = if other.series == self.forecast.series {
                "; it changes nothing shown here"
            } else {
                ""
            };
            document.item("  ", sentence!("marked *: with {setting}: {decay}{alike}"));
        }
        document.gap();
        let when = |row: &NodeAtMoment| {
            let passed = self.passed(row);
            Cell::Told(self.moments.text(passed), Value::Double(passed as f64))
        };
        let mut columns = vec![self.paths("Path"), Column::left("When", when)];
        columns.extend(self.numbers());
        document.figures(|| drawing(self));
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

fn facts(simulated: &Forecasts<'_>, forecast: &Forecast) -> impl Serialize {
    let moments = 0..forecast.series.times.len();
    let series = forecast.series.lines.iter().map(move |line| {
        let moments = moments.clone();
        let numbers = QUANTITIES.iter().map(move |quantity| {
            let number = move |moment| (quantity.value)(line, moment);
            (quantity.name, List(moments.clone().map(number)))
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
        recovery: Lines(List(recovery.map(|recovery| self::recovery(simulated, recovery)))),
    }
}

/// Returns a figure for each quantity, with a line for each node; of too many, those that change most.
fn drawing<'a>(forecasts: &'a Forecasts<'_>) -> Drawing<'a> {
    let lines = &forecasts.forecast.series.lines;
    let drawn = drawn(lines);
    let times = forecasts.forecast.series.times.iter();
    let moments = times.map(|&passed| Moment {
        at: passed as f64,
        text: forecasts.moments.text(passed),
    });
    let left_out = lines.len() - drawn.len();
    let left_out = (left_out > 0).then(|| {
        let more = counted(left_out, "more node is", "more nodes are");
        sentence!("Drawn are the nodes whose usage changes most; {more} in the table.")
    });
    let other = forecasts.other.as_ref();
    let other = other.map(|(setting, _)| sentence!("Thin and dotted: with {setting}."));
    let notes: Vec<Shown> = other.into_iter().chain(left_out).collect();
    let nodes = drawn.iter().map(|&place| lines[place].node);
    let figures = QUANTITIES.iter();
    let figures = figures.map(|quantity| figure(forecasts, quantity, &drawn));
    Drawing {
        moments: moments.collect(),
        names: nodes.map(|node| forecasts.view.path(node)).collect(),
        figures: figures.collect(),
        note: (!notes.is_empty()).then(|| Shown::joined(&notes, " ")),
    }
}

fn drawn(lines: &[NodeSeries]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..lines.len()).collect();
    if places.len() > MOST_NAMES {
        let spread = |line: usize| {
            let bounds = bounds(&lines[line].usage);
            bounds.map_or(f64::NEG_INFINITY, |(least, most)| most - least)
        };
        places.sort_by(|&a, &b| spread(b).total_cmp(&spread(a)));
        places.truncate(MOST_NAMES);
        places.sort_unstable();
    }
    places
}

fn figure<'a>(
    forecasts: &'a Forecasts<'_>,
    quantity: &'a ForecastQuantity,
    drawn: &[usize],
) -> Figure<'a> {
    let is_rank = quantity.unit == Unit::Rank;
    let sides = forecasts.forecasts().enumerate();
    let curves = sides.flat_map(|(place, forecast)| {
        let Series { lines, times, .. } = &forecast.series;
        drawn.iter().enumerate().filter_map(move |(name, &line)| {
            let values = (0..times.len()).map(|moment| {
                let value = (quantity.value)(&lines[line], moment).as_f64();
                value.filter(|value| value.is_finite())
            });
            Curve::new(name, place > 0, values)
        })
    });
    Figure {
        heading: if is_rank {
            sentence!("{}, first at the top", quantity.heading)
        } else {
            quantity.heading.into()
        },
        is_reversed: is_rank,
        is_whole: is_rank,
        text: Box::new(|number| cell(Value::Double(number), quantity.unit)),
        curves: curves.collect(),
    }
}

fn recovery(simulated: &Forecasts<'_>, recovery: &Recovery) -> impl Serialize {
    let Forecasts { view, moments, .. } = simulated;
    let seconds = recovery.outcome.seconds();
    let passed = seconds.map(|seconds| view.settings.time.passed.saturating_add(seconds));
    let standing = |standing: Standing| {
        object! {
            rank: standing.rank,
            factor: standing.factor,
            used: standing.target.map(|target| target.used),
            target: standing.target.map(|target| target.share),
        }
    };
    let levels = recovery.levels.iter().map(|&(node, target)| {
        object! {
            path: simulated.path(node),
            used: target.used,
            target: target.share,
            on_target: target.is_met,
        }
    });
    object! {
        path: simulated.path(recovery.node),
        goal: recovery.goal.write(view.tree),
        reached: passed.map(|passed| moments.time(passed)),
        after_seconds: seconds,
        never: recovery.outcome == RecoveryOutcome::Never,
        now: standing(recovery.now),
        then: standing(recovery.then),
        levels: List(levels),
        reason: recovery.shortfall.map(|_| words::simulate::full(view.tree, recovery)),
        text: simulated.in_words(recovery),
    }
}
