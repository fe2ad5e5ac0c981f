//! `simulate`: the forecast of some nodes, and when goals are reached.
//!
//! A second forecast, under another setting, has the same nodes at the same moments: its numbers are marked with `*` in
//! tables, drawn thin and dotted, and have names that end with `_compared` for machines.

pub use super::moments::Moments;

use super::render::column_widths;
use super::render::document::{Document, Front};
use super::render::drawing::{Bounds, Curve, Drawing, Figure, MOST_NAMES, Moment};
use super::render::json::{self, Entries, Lines, List, object};
use super::render::table::{Cell, Column, Table};
use super::{Report, View, words};
use crate::analysis::simulate::{Assumptions, NodeSeries, Recovery, RecoveryOutcome, Series};
use crate::analysis::solve::Standing;
use crate::base::number::{Unit, Value, counted};
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, Tree, duration_for_people, path_of};
use crate::rules::clock;
use crate::rules::policy::{ColumnId, Policy};
use serde::Serialize;
use std::io::{self, Write};

/// A forecast under one setting.
#[derive(Clone, Debug)]
pub(crate) struct Forecast {
    /// What was assumed of usage and its decay.
    pub(crate) assumptions: Assumptions,
    /// What the clock assumed in addition to the scheduler's own rule.
    pub(crate) granted: Vec<clock::Assumption>,
    /// The nodes at the moments.
    pub(crate) series: Series,
    /// When goals are reached.
    pub(crate) recoveries: Vec<Recovery>,
}

impl Forecast {
    /// Returns what was assumed, in clauses.
    fn assumed(&self, tree: &Tree) -> Vec<Shown> {
        let decay = &self.assumptions.decay;
        let mut assumed = Vec::new();
        for usage in &self.assumptions.usage {
            assumed.push(words::simulate::usage(tree, decay, usage));
        }
        for granted in &self.granted {
            assumed.push(granted.clause());
        }
        assumed.push(words::simulate::decay(decay));
        assumed
    }
}

/// How many half-lives of usage a forecast spans.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HalfLives {
    /// Their number.
    pub(crate) count: u32,
    /// The seconds of all of them.
    pub(crate) seconds: u64,
}

/// One forecast, or two side by side under different settings.
#[derive(Clone, Debug)]
pub(crate) struct Forecasts<'a> {
    /// The tree at the beginning.
    pub(crate) view: View<'a>,
    /// How moments are written.
    pub(crate) moments: Moments,
    /// How far the search for goals looked ahead, in seconds.
    pub(crate) horizon: u64,
    /// The half-lives that it spans; `None` if its end was chosen.
    pub(crate) half_lives: Option<HalfLives>,
    /// The forecast under the scenario's own settings.
    pub(crate) forecast: Forecast,
    /// The changed setting, `KEY=VALUE`, and the forecast under it, for the same nodes and moments.
    pub(crate) other: Option<(Shown, Forecast)>,
}

/// A number that is forecast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ForecastQuantity {
    /// The node's usage.
    Usage,
    /// The node's part of the usage of its level.
    UsageShare,
    /// The number by which the policy ranks it.
    Factor,
    /// Its rank.
    Rank,
}

impl ForecastQuantity {
    /// All of them, in the order of tables and drawings.
    const ALL: &'static [Self] = &[Self::Usage, Self::UsageShare, Self::Factor, Self::Rank];

    /// Returns the column that it is in the tables of a tree.
    const fn column(self) -> ColumnId {
        match self {
            Self::Usage => ColumnId::Usage,
            Self::UsageShare => ColumnId::NormUsage,
            Self::Factor => ColumnId::Factor,
            Self::Rank => ColumnId::Rank,
        }
    }

    /// Returns the name in CSV and JSON.
    const fn name(self) -> &'static str {
        match self {
            Self::UsageShare => "usage_share",
            _ => self.column().name(),
        }
    }

    /// Returns the heading for people under a policy: a formula has a value where others have a factor.
    pub(super) fn heading(self, policy: Policy) -> &'static str {
        match self {
            Self::UsageShare => "Of level",
            Self::Factor if policy == Policy::Formula => ColumnId::FormulaValue.heading(),
            _ => self.column().heading(),
        }
    }

    /// Returns the unit.
    pub(super) const fn unit(self) -> Unit {
        match self {
            Self::UsageShare => Unit::Portion,
            _ => self.column().unit(),
        }
    }

    /// Returns the number of a node at a moment.
    fn value(self, line: &NodeSeries, moment: usize) -> Value {
        match self {
            Self::Usage => line.usage[moment].into(),
            Self::UsageShare => line.usage_share[moment].into(),
            Self::Factor => line.factor[moment].into(),
            Self::Rank => line.rank[moment].into(),
        }
    }

    /// Returns the curve of a node, by its place among the names; `None` without a number that can be drawn.
    pub(super) fn curve(self, name: usize, is_other: bool, line: &NodeSeries) -> Option<Curve> {
        let moments = line.usage.len();
        let mut values = Vec::with_capacity(moments);
        for moment in 0..moments {
            let value = self.value(line, moment).as_f64();
            values.push(value.filter(|value| value.is_finite()));
        }
        Curve::new(name, is_other, values)
    }
}

/// Returns the moments of a series as a drawing has them.
pub(super) fn moments_of(series: &Series, moments: Moments) -> Vec<Moment> {
    let mut drawn = Vec::with_capacity(series.times.len());
    for &passed in &series.times {
        drawn.push(Moment {
            at: passed as f64,
            text: moments.text(passed),
        });
    }
    drawn
}

/// A node at a moment.
#[derive(Clone, Copy)]
struct NodeAtMoment {
    /// The place of its numbers among the lines of a forecast.
    line: usize,
    /// The place of the moment among the times of a forecast.
    moment: usize,
}

/// A column of nodes at moments.
type ForecastColumn<'a> = Column<'a, NodeAtMoment>;

impl Forecasts<'_> {
    /// Returns the nodes, each at all moments.
    fn rows(&self) -> std::vec::IntoIter<NodeAtMoment> {
        let series = &self.forecast.series;
        let mut rows = Vec::new();
        for line in 0..series.lines.len() {
            for moment in 0..series.times.len() {
                rows.push(NodeAtMoment { line, moment });
            }
        }
        rows.into_iter()
    }

    /// Returns the columns of numbers, first under the scenario's own settings, then under the other setting.
    fn numbers(&self) -> Vec<ForecastColumn<'_>> {
        let mut columns = Vec::new();
        for &quantity in ForecastQuantity::ALL {
            let column = self.number(&self.forecast, quantity, "", "");
            columns.push(column);
        }
        if let Some((_, other)) = &self.other {
            for &quantity in ForecastQuantity::ALL {
                let column = self.number(other, quantity, "*", "_compared");
                columns.push(column);
            }
        }
        columns
    }

    /// Returns the column of a quantity, with a mark behind its heading and a suffix behind its name for machines.
    fn number<'a>(
        &self,
        forecast: &'a Forecast,
        quantity: ForecastQuantity,
        mark: &'static str,
        suffix: &'static str,
    ) -> ForecastColumn<'a> {
        let name = quantity.name();
        let order = column_widths::order(&self.view, quantity.column());
        let heading = quantity.heading(self.view.policy);
        let marked = sentence!("{heading}{mark}");
        let lines = &forecast.series.lines;
        let column = ForecastColumn::number(marked, quantity.unit(), move |row| {
            let line = &lines[row.line];
            quantity.value(line, row.moment)
        });
        let name_for_machines = sentence!("{name}{suffix}");
        column.named(name_for_machines).giving_way(order)
    }

    /// Returns the column of the nodes.
    fn paths(&self, heading: &'static str) -> ForecastColumn<'_> {
        let lines = &self.forecast.series.lines;
        ForecastColumn::left(heading, |row| {
            let line = &lines[row.line];
            Cell::Node(self.view.tree, line.node)
        })
    }

    /// Returns the table for people.
    fn table(&self) -> Table<'_> {
        let when = ForecastColumn::left("When", |&row| {
            let passed = self.passed(row);
            let text = self.moments.text(passed);
            Cell::Told(text, Value::Double(passed as f64))
        });
        let path = self.paths("Path");
        let mut columns = vec![path, when];
        columns.extend(self.numbers());
        Table::new(columns, self.rows())
    }

    /// Returns the seconds from the beginning to a moment.
    fn passed(&self, row: NodeAtMoment) -> u64 {
        self.forecast.series.times[row.moment]
    }

    /// Returns when a goal is reached, or why not.
    fn in_words(&self, recovery: &Recovery) -> Shown {
        words::simulate::recovery(&self.view, &self.moments, self.horizon, recovery)
    }

    /// Returns the path of a node; `None` if it is too deep to have one.
    fn path(&self, node: NodeId) -> Option<String> {
        path_of(self.view.tree, node)
    }

    /// Returns when goals are reached, under each setting.
    pub(crate) fn sentences(&self) -> Vec<Shown> {
        let mut sentences = Vec::new();
        for recovery in &self.forecast.recoveries {
            sentences.push(self.in_words(recovery));
        }
        if let Some((setting, other)) = &self.other {
            for recovery in &other.recoveries {
                let told = self.in_words(recovery);
                sentences.push(sentence!("With {setting}: {told}"));
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
        let policy = self.view.policy.title();
        document.sentence(sentence!("Assumed under {policy}:"));
        document.gap_in_markdown();
        for sentence in self.forecast.assumed(self.view.tree) {
            document.item("  ", sentence);
        }
        if let Some(HalfLives { count, seconds }) = self.half_lives {
            let time = duration_for_people(seconds);
            document.item(
                "  ",
                sentence!("the forecast spans {count} half-lives, {time}"),
            );
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
        document.figures(drawing(self));
        document.table(self.table());
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
        let mut compared = None;
        if let Some((setting, other)) = &self.other {
            compared = Some(Lines(object! {
                setting: setting,
                #[serde(flatten)]
                forecast: facts(self, other),
            }));
        }
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
        let seconds = ForecastColumn::exact("seconds", |&row| {
            let passed = self.passed(row);
            passed.to_string().into()
        });
        let time = ForecastColumn::exact("time", |&row| {
            let passed = self.passed(row);
            let time = self.moments.rfc3339(passed);
            time.unwrap_or_default().into()
        });
        let path = self.paths("path");
        let mut columns = vec![path, seconds, time];
        columns.extend(self.numbers());
        Some(Table::new(columns, self.rows()))
    }
}

/// Returns a forecast for machines: what was assumed, the nodes over time, and when goals are reached.
fn facts(simulated: &Forecasts<'_>, forecast: &Forecast) -> impl Serialize {
    let lines = forecast.series.lines.iter();
    let recoveries = forecast.recoveries.iter();
    object! {
        assumptions: Lines(forecast.assumed(simulated.view.tree)),
        series: Lines(List(lines.map(|line| numbers(simulated, line)))),
        recovery: Lines(List(recoveries.map(|found| recovery(simulated, found)))),
    }
}

/// Returns a node with a list of each of its numbers, over time.
fn numbers(simulated: &Forecasts<'_>, line: &NodeSeries) -> impl Serialize {
    let moments = simulated.forecast.series.times.len();
    let mut numbers = Vec::new();
    for &quantity in ForecastQuantity::ALL {
        let mut values = Vec::with_capacity(moments);
        for moment in 0..moments {
            values.push(quantity.value(line, moment));
        }
        numbers.push((quantity.name(), values));
    }
    object! {
        path: simulated.path(line.node),
        #[serde(flatten)]
        numbers: Entries(numbers),
    }
}

/// Returns a figure for each quantity, with a line for each node; of too many, those that change most.
fn drawing(forecasts: &Forecasts<'_>) -> Drawing {
    let series = &forecasts.forecast.series;
    let drawn = drawn(&series.lines);
    let mut names = Vec::with_capacity(drawn.len());
    for &line in &drawn {
        let node = series.lines[line].node;
        names.push(forecasts.view.path(node));
    }
    let mut figures = Vec::new();
    for &quantity in ForecastQuantity::ALL {
        figures.push(figure(forecasts, quantity, &drawn));
    }
    let left_out = series.lines.len() - drawn.len();
    Drawing {
        moments: moments_of(series, forecasts.moments),
        names,
        figures,
        note: note(forecasts, left_out),
    }
}

/// Returns what is said below a drawing that leaves out so many nodes; `None` for nothing.
fn note(forecasts: &Forecasts<'_>, left_out: usize) -> Option<Shown> {
    let mut notes = Vec::new();
    if let Some((setting, _)) = &forecasts.other {
        notes.push(sentence!("Thin and dotted: with {setting}."));
    }
    if left_out > 0 {
        let more = counted(left_out, "more node is", "more nodes are");
        notes.push(sentence!(
            "Drawn are the nodes whose usage changes most; {more} in the table."
        ));
    }
    if notes.is_empty() {
        return None;
    }
    Some(Shown::joined(&notes, " "))
}

/// Returns the places of the lines that are drawn, in their order: those of the nodes whose usage changes most, as many as
/// a drawing can name.
fn drawn(lines: &[NodeSeries]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..lines.len()).collect();
    if places.len() > MOST_NAMES {
        places.sort_by(|&one, &other| {
            let own_spread = spread(&lines[one]);
            let other_spread = spread(&lines[other]);
            other_spread.total_cmp(&own_spread)
        });
        places.truncate(MOST_NAMES);
        places.sort_unstable();
    }
    places
}

/// Returns how far the usage of a node changes; the least number for a node without usage.
fn spread(line: &NodeSeries) -> f64 {
    match Bounds::of(&line.usage) {
        Some(bounds) => bounds.span(),
        None => f64::NEG_INFINITY,
    }
}

/// Returns the figure of a quantity: the nodes under the scenario's own settings, and under the other setting.
fn figure(forecasts: &Forecasts<'_>, quantity: ForecastQuantity, drawn: &[usize]) -> Figure {
    let mut curves = Vec::new();
    add_curves(&mut curves, &forecasts.forecast, quantity, drawn, false);
    if let Some((_, other)) = &forecasts.other {
        add_curves(&mut curves, other, quantity, drawn, true);
    }
    Figure {
        heading: quantity.heading(forecasts.view.policy).into(),
        unit: quantity.unit(),
        curves,
    }
}

/// Adds the curves of some nodes in a forecast.
fn add_curves(
    curves: &mut Vec<Curve>,
    forecast: &Forecast,
    quantity: ForecastQuantity,
    drawn: &[usize],
    is_other: bool,
) {
    let series = &forecast.series;
    for (name, &place) in drawn.iter().enumerate() {
        let line = &series.lines[place];
        curves.extend(quantity.curve(name, is_other, line));
    }
}

/// Returns when a goal is reached, for machines.
fn recovery(simulated: &Forecasts<'_>, recovery: &Recovery) -> impl Serialize {
    let tree = simulated.view.tree;
    let seconds = recovery.outcome.seconds();
    let mut reached = None;
    if let Some(seconds) = seconds {
        let begin = simulated.view.settings.time.passed;
        let passed = begin.saturating_add(seconds);
        reached = Some(simulated.moments.time(passed));
    }
    let mut levels = Vec::new();
    for &(node, target) in &recovery.levels {
        levels.push(object! {
            path: simulated.path(node),
            used: target.used,
            target: target.share,
            on_target: target.is_met,
        });
    }
    let mut reason = None;
    if recovery.shortfall.is_some() {
        reason = Some(words::simulate::full(tree, recovery));
    }
    object! {
        path: simulated.path(recovery.node),
        goal: recovery.goal.write(tree),
        reached: reached,
        after_seconds: seconds,
        never: recovery.outcome == RecoveryOutcome::Never,
        now: standing(recovery.now),
        then: standing(recovery.then),
        levels: levels,
        reason: reason,
        text: simulated.in_words(recovery),
    }
}

/// Returns where a node stands at a moment.
fn standing(standing: Standing) -> impl Serialize {
    let target = standing.target;
    object! {
        rank: standing.rank,
        factor: standing.factor,
        used: target.map(|target| target.used),
        target: target.map(|target| target.share),
    }
}
