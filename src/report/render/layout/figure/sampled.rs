//! Numbers over time in so many columns.

use crate::base::shown::Shown;
use crate::report::render::drawing::Bounds;

/// The numbers that fall into a column.
#[derive(Clone, Copy, Default)]
struct Mean {
    /// Their sum.
    sum: f64,
    /// How many there are.
    count: u32,
}

impl Mean {
    /// Adds a number.
    fn add(&mut self, number: f64) {
        self.sum += number;
        self.count += 1;
    }

    /// Returns the mean; `None` of no number.
    fn get(self) -> Option<f64> {
        if self.count == 0 {
            return None;
        }
        Some(self.sum / f64::from(self.count))
    }
}

/// A moment with a number.
#[derive(Clone, Copy)]
struct Sample {
    /// The column that the moment falls into.
    column: usize,
    /// The number at that moment.
    number: f64,
}

/// Returns the number in each of so many columns: the mean of several moments, and between two moments what is on the straight
/// line from one to the other. `places` are those of the moments, from 0 to 1. `None` where there is no number at the moment
/// before or after.
pub(super) fn sampled(places: &[f64], values: &[Option<f64>], width: usize) -> Vec<Option<f64>> {
    let mut means = vec![Mean::default(); width];
    let mut before: Option<Sample> = None;
    for (&place, value) in places.iter().zip(values) {
        let Some(number) = *value else {
            before = None;
            continue;
        };
        let column = place_of(place, width);
        let sample = Sample { column, number };
        if let Some(before) = before {
            add_between(&mut means, before, sample);
        }
        means[column].add(number);
        before = Some(sample);
    }
    means.into_iter().map(Mean::get).collect()
}

/// Adds the numbers between two moments to the columns between them.
fn add_between(means: &mut [Mean], from: Sample, to: Sample) {
    let columns = to.column.saturating_sub(from.column) as f64;
    let change = to.number - from.number;
    let until = means.iter_mut().enumerate().take(to.column);
    for (column, mean) in until.skip(from.column + 1) {
        let passed = (column - from.column) as f64;
        mean.add(from.number + change * passed / columns);
    }
}

/// Returns the place of a part of a whole, from 0 to 1, among so many places.
pub(super) fn place_of(part: f64, places: usize) -> usize {
    let last = (places - 1) as f64;
    whole(part.clamp(0.0, 1.0) * last)
}

/// Returns the nearest whole number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "rows and columns are few, and not below 0"
)]
pub(super) fn whole(number: f64) -> usize {
    number.round() as usize
}

/// The marks of a line of one row, from the least to the most.
const SPARKS: &[char] = &['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The mark where there is no number.
const GAP: char = '·';

/// The cells of a line of one row at most.
const LONGEST: usize = 60;

/// Returns numbers at equal intervals as a line of one row, for a cell of a table: high is good for ranks, much for anything
/// else, and a dot is a gap. It is empty without numbers.
pub(crate) fn sparkline(values: &[Option<f64>], are_ranks: bool) -> Shown {
    let width = values.len().min(LONGEST);
    let last = values.len().saturating_sub(1).max(1) as f64;
    let mut places = Vec::with_capacity(values.len());
    for place in 0..values.len() {
        places.push(place as f64 / last);
    }
    let numbers = sampled(&places, values, width);
    let Some(bounds) = Bounds::of(&numbers) else {
        return Shown::default();
    };
    let mut text = String::new();
    for number in &numbers {
        text.push(match number {
            Some(number) => spark(*number, bounds, are_ranks),
            None => GAP,
        });
    }
    Shown::again(text)
}

/// Returns the mark of a number; the one in the middle where all numbers are the same.
fn spark(number: f64, bounds: Bounds, are_ranks: bool) -> char {
    if bounds.span() <= 0.0 {
        return SPARKS[SPARKS.len() / 2 - 1];
    }
    let mut height = (number - bounds.least) / bounds.span();
    if are_ranks {
        height = 1.0 - height;
    }
    SPARKS[place_of(height, SPARKS.len())]
}
