//! The drawing of the 64-bit priority, one cell for each bit.

use super::{Word, bucket_hex};
use crate::base::number::word as written;
use crate::base::shown::{Shown, cells, cut_name, sentence};
use crate::report::View;
use crate::report::render::line::{Emphasis, Line};

/// The word is drawn in one row up to this many buckets: 64 cells and the bars fit a screen of 80.
const MOST_IN_A_ROW: u32 = 8;

/// Returns the bits of each bucket above the name of its node, then the values and the whole word.
pub(super) fn lines(view: &View<'_>, word: &Word) -> Vec<Line> {
    let levels: Vec<u32> = (0..word.buckets.levels()).collect();
    let in_a_row = match word.buckets.levels() {
        ..=MOST_IN_A_ROW => levels.len(),
        _ => levels.len().div_ceil(2),
    };
    let mut lines = Vec::new();
    for row in levels.chunks(in_a_row) {
        let ends = row.last() == levels.last();
        lines.push(bits(word, row, ends).drawn());
        let mut owners = row.iter().map(|&level| word.owners[level as usize]);
        if owners.any(|owner| owner.is_some()) {
            lines.push(names(view, word, row).drawn());
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

/// Returns the bits of some buckets between bars; the last row ends with the unused bits.
fn bits(word: &Word, levels: &[u32], ends: bool) -> Line {
    let width = word.buckets.width() as usize;
    let mut line = Line::of(Emphasis::Dim, "  |");
    for &level in levels {
        let value = word.buckets.value(word.bits, level).unwrap_or(0);
        line = line.and(emphasis(word, level), sentence!("{value:0width$b}"));
        line = line.and(Emphasis::Dim, "|");
    }
    let unused = word.buckets.unused() as usize;
    if ends && unused > 0 {
        return line.and(Emphasis::Dim, sentence!("{}", "·".repeat(unused)));
    }
    line
}

fn names(view: &View<'_>, word: &Word, levels: &[u32]) -> Line {
    let width = word.buckets.width() as usize;
    let mut line = Line::of(Emphasis::Dim, "  |");
    for &level in levels {
        let owner = word.owners[level as usize];
        let name = owner.map_or_else(Shown::default, |owner| view.label(owner));
        let name = cut_name(&name, width);
        let blanks = " ".repeat(width.saturating_sub(cells(&name)));
        line = line.and(emphasis(word, level), sentence!("{name}{blanks}"));
        line = line.and(Emphasis::Dim, "|");
    }
    line
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
