//! Forecasts as drawings.

use super::{Forecasts, QUANTITIES, Quantity};
use crate::analysis::simulate::NodeSeries;
use crate::base::number::Value;
use crate::base::number::{Unit, cell, counted};
use crate::base::shown::{Shown, sentence};
use crate::report::document::{Curve, Drawing, Figure, MOST_NAMES, Moment};

/// Returns a figure for each quantity, with a line for each node; where there are too many, those that change most.
pub(super) fn drawing<'a>(forecasts: &'a Forecasts<'_>) -> Drawing<'a> {
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
    Drawing {
        moments: moments.collect(),
        names: drawn
            .iter()
            .map(|&place| forecasts.view.path(lines[place].node))
            .collect(),
        figures: QUANTITIES
            .iter()
            .map(|quantity| figure(forecasts, quantity, &drawn))
            .collect(),
        note: (!notes.is_empty()).then(|| Shown::joined(&notes, " ")),
    }
}

/// Returns the places of the nodes that are drawn, in the order of the table.
fn drawn(lines: &[NodeSeries]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..lines.len()).collect();
    if places.len() > MOST_NAMES {
        let spread = |line: &NodeSeries| {
            let numbers = line.usage.iter().flatten();
            let (least, most) = numbers.fold((f64::MAX, f64::MIN), |(least, most), &number| {
                (number.min(least), number.max(most))
            });
            most - least
        };
        places.sort_by(|&a, &b| spread(&lines[b]).total_cmp(&spread(&lines[a])));
        places.truncate(MOST_NAMES);
        places.sort_unstable();
    }
    places
}

fn figure<'a>(forecasts: &'a Forecasts<'_>, quantity: &'a Quantity, drawn: &[usize]) -> Figure<'a> {
    let is_rank = quantity.unit == Unit::Rank;
    let curves = forecasts
        .forecasts()
        .enumerate()
        .flat_map(|(place, forecast)| {
            let lines = &forecast.series.lines;
            drawn.iter().enumerate().map(move |(name, &line)| {
                let moments = 0..forecast.series.times.len();
                let value = |moment| (quantity.value)(&lines[line], moment).as_f64();
                let finite = |value: f64| value.is_finite().then_some(value);
                Curve {
                    name,
                    is_other: place > 0,
                    values: moments
                        .map(|moment| value(moment).and_then(finite))
                        .collect(),
                }
            })
        });
    let curves = curves.filter(|curve| curve.ends().is_some());
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
