//! The drawing of the 64-bit priority, one cell for each bit.

use super::{Word, bucket_hex};
use crate::base::number::word as written;
use crate::base::shown::{Shown, cells, cut_name, sentence};
use crate::report::View;
use crate::report::render::line::{Emphasis, Line};

/// The word is drawn in one row up to this many buckets: 64 cells and the bars fit a screen of 80.
const MOST_IN_A_ROW: u32 = 8;

/// Returns the bits of each bucket above the name of its node, then the values and the whole word. The last row of
/// bits ends with the unused ones.
pub(super) fn lines(view: &View<'_>, word: &Word) -> Vec<Line> {
    let width = word.buckets.width() as usize;
    let levels: Vec<u32> = (0..word.buckets.levels()).collect();
    let in_a_row = match word.buckets.levels() {
        ..=MOST_IN_A_ROW => levels.len(),
        _ => levels.len().div_ceil(2),
    };
    let mut lines = Vec::new();
    for row in levels.chunks(in_a_row) {
        let mut bits = between_bars(word, row, &|level| {
            let value = word.buckets.value(word.bits, level).unwrap_or(0);
            sentence!("{value:0width$b}")
        });
        let unused = word.buckets.unused() as usize;
        if row.last() == levels.last() && unused > 0 {
            bits = bits.and(Emphasis::Dim, sentence!("{}", "·".repeat(unused)));
        }
        lines.push(bits.drawn());
        let owner = |level: u32| word.owners[level as usize];
        if row.iter().any(|&level| owner(level).is_some()) {
            let names = between_bars(word, row, &|level| {
                let name = owner(level).map_or_else(Shown::default, |owner| view.label(owner));
                let name = cut_name(&name, width);
                let blanks = " ".repeat(width.saturating_sub(cells(&name)));
                sentence!("{name}{blanks}")
            });
            lines.push(names.drawn());
        }
    }
    lines.push(values(word, &levels));
    lines
}

fn emphasis(word: &Word, level: u32) -> Emphasis {
    match word.owners[level as usize] {
        Some(owner) if owner == word.node => Emphasis::Strong,
        Some(_) => Emphasis::Bucket(u8::try_from(level).unwrap_or(u8::MAX)),
        None => Emphasis::Dim,
    }
}

/// Returns a text for each of some buckets between bars.
fn between_bars(word: &Word, levels: &[u32], text: &dyn Fn(u32) -> Shown) -> Line {
    let bar = Line::of(Emphasis::Dim, "  |");
    levels.iter().fold(bar, |line, &level| {
        let line = line.and(emphasis(word, level), text(level));
        line.and(Emphasis::Dim, "|")
    })
}

/// The value of each bucket, then the word: the digits of one need not be those of the other.
fn values(word: &Word, levels: &[u32]) -> Line {
    let mut line = Line::from("  buckets");
    for &level in levels {
        let value = word.buckets.value(word.bits, level).unwrap_or(0);
        let hex = bucket_hex(word.buckets, value);
        line = line.plain(" ").and(emphasis(word, level), hex);
    }
    line.plain("; the 64-bit priority ")
        .and(Emphasis::Strong, written(word.bits))
}
