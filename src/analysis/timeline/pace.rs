//! How often dumps were made, and where dumps are missing.

use crate::format::series::Dump;

/// The fewest intervals that show a pace.
const FEWEST: usize = 3;

/// How far an interval may be from the usual one, relative to it: months have 28 to 31 days.
const TOLERANCE: f64 = 0.25;

/// Returns the usual seconds between two dumps, and the number of dumps missing before each.
///
/// The first is `None`, and no dump is missing, if the intervals vary too much or are too few.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "seconds between dates lie far below 2^52, and a ratio of two positive ones is positive"
)]
pub(super) fn missing(dumps: &[&Dump]) -> (Option<i64>, Vec<usize>) {
    let mut missing = vec![0; dumps.len()];
    let distances: Vec<i64> = dumps
        .windows(2)
        .map(|pair| pair[1].at - pair[0].at)
        .collect();
    let mut sorted: Vec<i64> = distances.iter().copied().filter(|&far| far > 0).collect();
    sorted.sort_unstable();
    if sorted.len() < FEWEST {
        return (None, missing);
    }
    let usual = sorted[(sorted.len() - 1) / 2];
    let ratio = |far: i64| far as f64 / usual as f64;
    let is_usual = |&&far: &&i64| (ratio(far) - 1.0).abs() <= TOLERANCE;
    // With fewer than two usual intervals in three, the expected dumps are unknown.
    if 3 * sorted.iter().filter(is_usual).count() < 2 * sorted.len() {
        return (None, missing);
    }
    for (missing, &far) in missing[1..].iter_mut().zip(&distances) {
        *missing = (ratio(far).round() as usize).saturating_sub(1);
    }
    (Some(usual), missing)
}
