//! Numbers over time, or over usage, as values, which HTML draws as SVG, and text in characters.

use crate::base::number::{Unit, Value, cell, decimal, grouped};
use crate::base::shown::{Shown, sentence};

/// The most nodes that are drawn, because more lines cannot be told apart.
pub(crate) const MOST_NAMES: usize = 12;

/// Figures of the same nodes over the same time.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// The moments, the first one first.
    pub moments: Vec<Moment>,
    /// The nodes; each has one line in each figure at most, and one more under another setting.
    pub names: Vec<Shown>,
    /// The figures, one below the other.
    pub figures: Vec<Figure>,
    /// What is said below them.
    pub note: Option<Shown>,
}

/// A moment of a drawing.
#[derive(Clone, Debug)]
pub struct Moment {
    /// Its place on the axis of time, in seconds.
    pub at: f64,
    /// Its text below the axis.
    pub text: Shown,
}

impl Drawing {
    /// Returns the place of each moment on the axis of time, from 0 to 1; the middle of an axis without a length.
    pub(crate) fn places(&self) -> Vec<f64> {
        let mut places = Vec::with_capacity(self.moments.len());
        if let [first, ..] = &self.moments[..]
            && let [.., last] = &self.moments[..]
        {
            let span = last.at - first.at;
            for moment in &self.moments {
                let is_long = span > 0.0;
                let place = if is_long {
                    (moment.at - first.at) / span
                } else {
                    0.5
                };
                places.push(place);
            }
        }
        places
    }

    /// Returns the drawing with those lines of a figure once that are the same in all their numbers.
    pub(crate) fn merged(mut self) -> Self {
        for figure in &mut self.figures {
            let mut merged: Vec<Curve> = Vec::new();
            for curve in std::mem::take(&mut figure.curves) {
                let mut drawn = merged.iter_mut();
                let same = drawn
                    .find(|drawn| drawn.is_other == curve.is_other && drawn.values == curve.values);
                match same {
                    Some(drawn) => drawn.coinciding.push(curve.name),
                    None => merged.push(curve),
                }
            }
            figure.curves = merged;
        }
        self
    }

    /// Returns the text of the first moment; empty if there is none.
    pub(crate) fn first(&self) -> Shown {
        text_of(self.moments.first())
    }

    /// Returns the text of the last moment; empty if there is none.
    pub(crate) fn last(&self) -> Shown {
        text_of(self.moments.last())
    }
}

/// Returns the text of a moment; empty if there is none.
fn text_of(moment: Option<&Moment>) -> Shown {
    match moment {
        Some(moment) => moment.text.clone(),
        None => Shown::default(),
    }
}

/// Curves of one quantity.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The quantity.
    pub heading: Shown,
    /// The unit of its numbers. Of counts and ranks only whole numbers have a meaning, and a smaller rank is drawn higher.
    pub unit: Unit,
    /// The curves.
    pub curves: Vec<Curve>,
}

impl Figure {
    /// Whether its numbers are ranks.
    pub(crate) fn is_of_ranks(&self) -> bool {
        self.unit == Unit::Rank
    }

    /// Whether only whole numbers have a meaning.
    pub(crate) fn is_whole(&self) -> bool {
        matches!(self.unit, Unit::Rank | Unit::Count)
    }

    /// Returns what is drawn.
    pub(crate) fn title(&self) -> Shown {
        if self.is_of_ranks() {
            return sentence!("{}, first at the top", self.heading);
        }
        self.heading.clone()
    }

    /// Returns a number of its axis as text.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "ranks and shares are whole numbers far below 2^52"
    )]
    pub(crate) fn text(&self, number: f64) -> Shown {
        if self.is_whole() {
            return grouped(number as i64);
        }
        cell(Value::Double(number), self.unit)
    }

    /// Returns numbers of its axis as texts: with more digits where rounding would make two of them the same.
    pub(crate) fn texts(&self, numbers: &[f64]) -> Vec<Shown> {
        let mut texts = Vec::new();
        for &number in numbers {
            texts.push(self.text(number));
        }
        for decimals in 0..=MOST_DECIMALS {
            if are_different(&texts) {
                break;
            }
            texts.clear();
            for &number in numbers {
                texts.push(self.text_in_full(number, decimals));
            }
        }
        texts
    }

    /// Returns a number of its axis with so many decimals at most.
    fn text_in_full(&self, number: f64, decimals: usize) -> Shown {
        match self.unit {
            Unit::Portion => {
                let percent = decimal(number * 100.0, decimals);
                sentence!("{percent}%")
            }
            Unit::Times => {
                let times = decimal(number, decimals);
                sentence!("{times}x")
            }
            _ => decimal(number, decimals),
        }
    }

    /// Returns the bounds of its numbers; `None` if it has none.
    fn bounds(&self) -> Option<Bounds> {
        let values = self.curves.iter().flat_map(|curve| &curve.values);
        Bounds::of(values)
    }

    /// Returns the sentence for a quantity that never changes and is the same for each of so many nodes. `None` if there is
    /// something to draw, or no number.
    pub(crate) fn throughout(&self, nodes: usize) -> Option<Shown> {
        let bounds = self.bounds()?;
        let mut own = 0;
        for curve in &self.curves {
            if !curve.is_other {
                own += curve.nodes().len();
            }
        }
        if bounds.least < bounds.most || own < nodes {
            return None;
        }
        let number = self.text(bounds.least);
        Some(sentence!("{}: {number} throughout", self.heading))
    }
}

/// The most decimals of a number on an axis.
const MOST_DECIMALS: usize = 12;

/// Returns whether no two neighbours are the same.
fn are_different(texts: &[Shown]) -> bool {
    texts.windows(2).all(|pair| pair[0] != pair[1])
}

/// The values of a node over time.
#[derive(Clone, Debug)]
pub struct Curve {
    /// The place of the node among the names.
    pub name: usize,
    /// The places of the further nodes whose line is the same, which are drawn once.
    pub coinciding: Vec<usize>,
    /// Whether the line is that of another setting.
    pub is_other: bool,
    /// The value at each moment; `None` where there is none.
    pub values: Vec<Option<f64>>,
}

impl Curve {
    /// Returns the curve of a node; `None` without any value.
    pub fn new(
        name: usize,
        is_other: bool,
        values: impl IntoIterator<Item = Option<f64>>,
    ) -> Option<Self> {
        let values: Vec<Option<f64>> = values.into_iter().collect();
        let has_values = values.iter().any(Option::is_some);
        has_values.then_some(Self {
            name,
            coinciding: Vec::new(),
            is_other,
            values,
        })
    }
}

/// Returns the letter of a line by its place among the names. Behind `z`, `a` follows.
pub(crate) fn letter(place: usize) -> char {
    let number = u8::try_from(place % 26).unwrap_or(0);
    char::from(b'a' + number)
}

impl Curve {
    /// Returns the places among the names of all nodes whose line it is.
    pub(crate) fn nodes(&self) -> Vec<usize> {
        let mut nodes = vec![self.name];
        nodes.extend(&self.coinciding);
        nodes
    }
}

/// The least and the largest of some numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// The least.
    pub(crate) least: f64,
    /// The largest.
    pub(crate) most: f64,
}

impl Bounds {
    /// Returns the bounds of the numbers that are there; `None` without any.
    pub(crate) fn of<'a>(numbers: impl IntoIterator<Item = &'a Option<f64>>) -> Option<Self> {
        let mut found: Option<Self> = None;
        for &number in numbers.into_iter().flatten() {
            let before = found.unwrap_or(Self {
                least: number,
                most: number,
            });
            found = Some(Self {
                least: before.least.min(number),
                most: before.most.max(number),
            });
        }
        found
    }

    /// Returns how far they are apart.
    pub(crate) fn span(self) -> f64 {
        self.most - self.least
    }

    /// Returns the bounds with zero, unless all numbers are so near to each other that they would look the same beside it.
    fn with_zero(self) -> Self {
        let size = self.most.abs().max(self.least.abs());
        if self.span() > 0.0 && self.span() < NEAR * size {
            return self;
        }
        Self {
            least: self.least.min(0.0),
            most: self.most.max(0.0),
        }
    }
}

/// The part of the largest number by which others differ at least from it or from each other, if zero is on their axis.
const NEAR: f64 = 0.25;

/// The distances between two numbers of a scale, times a power of ten.
const STEPS: [f64; 4] = [1.0, 2.0, 5.0, 10.0];

/// The parts into which the numbers are divided at most; round numbers at the ends may add one each.
const PARTS: f64 = 4.0;

/// The most numbers on a scale.
const MOST_TICKS: u32 = 8;

/// The axis of the numbers of a figure, with round numbers around them.
#[derive(Debug)]
pub(crate) struct Scale {
    /// The number at one end: at the bottom, but for ranks.
    pub(crate) least: f64,
    /// The number at the other end.
    pub(crate) most: f64,
    /// The distance of two numbers on the axis.
    pub(crate) step: f64,
    /// Whether the numbers are ranks, of which the first is at the top.
    is_of_ranks: bool,
}

impl Scale {
    /// Returns the axis of a figure; `None` if it has no numbers.
    pub(crate) fn of(figure: &Figure) -> Option<Self> {
        let is_of_ranks = figure.is_of_ranks();
        let bounds = figure.bounds()?;
        // Amounts are compared by their heights above zero, ranks are not.
        let shown = if is_of_ranks {
            bounds
        } else {
            bounds.with_zero()
        };
        let span = shown.span();
        let mut step = step_of(if span > 0.0 { span } else { 1.0 });
        if figure.is_whole() {
            step = step.max(1.0);
        }
        let mut least = (shown.least / step).floor() * step;
        let mut most = (shown.most / step).ceil() * step;
        if is_of_ranks {
            // No rank is better than the first.
            least = least.max(1.0);
        }
        if most <= least {
            most = least + step;
        }
        Some(Self {
            least,
            most,
            step,
            is_of_ranks,
        })
    }

    /// Returns how high a number is, from 0 at the bottom to 1 at the top.
    pub(crate) fn height(&self, number: f64) -> f64 {
        let part = (number - self.least) / (self.most - self.least);
        if self.is_of_ranks { 1.0 - part } else { part }
    }

    /// Returns the numbers on the axis.
    pub(crate) fn ticks(&self) -> Vec<f64> {
        let mut ticks = vec![self.least];
        let first = (self.least / self.step).floor() * self.step;
        // What was computed is not exactly at the end.
        let end = self.most + self.step * 0.05;
        for place in 1..=MOST_TICKS {
            let tick = first + f64::from(place) * self.step;
            if tick > self.least + self.step * 0.5 && tick < end {
                ticks.push(tick);
            }
        }
        ticks
    }
}

/// Returns the least round number by which so long an axis has few parts.
fn step_of(span: f64) -> f64 {
    let power = 10_f64.powf((span / PARTS).log10().floor());
    for step in STEPS {
        if span / (step * power) <= PARTS {
            return step * power;
        }
    }
    f64::MAX
}
