//! Sets of positions, one bit per position.

use std::ops::Range;

/// Returns the set of the positions below `count` for which `holds` is true.
pub(super) fn bits(count: usize, holds: impl Fn(usize) -> bool) -> Vec<u64> {
    let word = |first: usize| {
        let positions = first..count.min(first + 64);
        positions.fold(0, |word, position| {
            word | u64::from(holds(position)) << (position - first)
        })
    };
    (0..count).step_by(64).map(word).collect()
}

/// Returns the positions of a word that lie in a span, one bit each; a word has 64 positions.
pub(super) fn bits_within(word: usize, span: &Range<usize>) -> u64 {
    let first = word * 64;
    let start = span.start.saturating_sub(first).min(64);
    let end = span.end.saturating_sub(first).min(64);
    let below = |bit: usize| if bit == 64 { u64::MAX } else { (1 << bit) - 1 };
    below(end) & !below(start)
}
