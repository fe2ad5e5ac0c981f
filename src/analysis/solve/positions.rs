//! Sets of positions, a bit each.

use std::ops::Range;

/// What holds of positions, a bit each.
pub(super) fn bits(count: usize, holds: impl Fn(usize) -> bool) -> Vec<u64> {
    let word = |first: usize| {
        let positions = first..count.min(first + 64);
        positions.fold(0, |word, position| {
            word | u64::from(holds(position)) << (position - first)
        })
    };
    (0..count).step_by(64).map(word).collect()
}

/// Which of the 64 positions of a word lie in a span, a bit each.
pub(super) fn bits_within(word: usize, span: &Range<usize>) -> u64 {
    let first = word * 64;
    let start = span.start.saturating_sub(first).min(64);
    let end = span.end.saturating_sub(first).min(64);
    let below = |bit: usize| if bit == 64 { u64::MAX } else { (1 << bit) - 1 };
    below(end) & !below(start)
}
