//! Splits lines into cells.

use super::column::{CellKind, Column};
use memchr::memchr_iter;

/// The most columns and cells that are separated: more than Slurm has, and few enough for a line of nothing but bars.
pub(super) const MOST_CELLS: usize = 1024;

/// The result of splitting a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineSplit {
    /// There is a cell for each column.
    Whole,
    /// Cells are missing at the end; this is their number in the line.
    Few(usize),
    /// There are more cells than columns, this many: a name contains bars.
    Many(usize),
    /// A cell spans two columns.
    Across,
}

/// The form of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LineForm {
    /// Cells between bars, as with `-P`; with `-p` a bar ends the line as well.
    Bars { ends_in_bar: bool },
    /// Cells of so many bytes each, with a blank between.
    Fixed(Vec<usize>),
}

/// Splits a line. The cells keep their blanks.
pub(super) fn divide<'a>(
    line: &'a [u8],
    form: &LineForm,
    columns: &[Column],
    cells: &mut Vec<&'a [u8]>,
) -> LineSplit {
    cells.clear();
    match form {
        LineForm::Bars { ends_in_bar } => {
            let line = match line.strip_suffix(b"|") {
                Some(line) if *ends_in_bar => line,
                _ => line,
            };
            divide_at_bars(line, cells);
            match cells.len() {
                count if count < columns.len() => LineSplit::Few(count),
                MOST_CELLS => LineSplit::Many(memchr_iter(b'|', line).count() + 1),
                count if count > columns.len() => LineSplit::Many(count),
                _ => LineSplit::Whole,
            }
        }
        LineForm::Fixed(widths) => {
            if walk(line, columns, widths, false, cells) {
                return LineSplit::Whole;
            }
            // The line may have passed through a program that counts characters and not bytes.
            cells.clear();
            if !line.is_ascii() && walk(line, columns, widths, true, cells) {
                return LineSplit::Whole;
            }
            LineSplit::Across
        }
    }
}

fn divide_at_bars<'a>(line: &'a [u8], cells: &mut Vec<&'a [u8]>) {
    let mut start = 0;
    for bar in memchr_iter(b'|', line).take(MOST_CELLS - 1) {
        cells.push(&line[start..bar]);
        start = bar + 1;
    }
    cells.push(&line[start..]);
}

/// Walks from column to column. Numbers are not cut, so one that is too wide shifts the rest of its line to the right,
/// and the walk follows it.
fn walk<'a>(
    line: &'a [u8],
    columns: &[Column],
    widths: &[usize],
    counts_characters: bool,
    cells: &mut Vec<&'a [u8]>,
) -> bool {
    let mut at = 0;
    for (column, &width) in columns.iter().zip(widths) {
        let rest = line.get(at..).unwrap_or_default();
        let mut end = if counts_characters {
            bytes_of(rest, width)
        } else {
            width.min(rest.len())
        };
        if column.look() != CellKind::Text
            && let Some(start) = rest[..end].iter().position(|&byte| byte != b' ')
        {
            let run = rest[start..].iter().position(|&byte| byte == b' ');
            end = end.max(run.map_or(rest.len(), |run| start + run));
        }
        if rest.get(end).is_some_and(|&byte| byte != b' ') {
            return false;
        }
        cells.push(&rest[..end]);
        at += end + 1;
    }
    line.get(at..).unwrap_or_default().trim_ascii().is_empty()
}

/// Returns the number of bytes of so many characters.
fn bytes_of(text: &[u8], characters: usize) -> usize {
    let is_start = |byte: &u8| byte & 0xc0 != 0x80;
    let starts = text.iter().enumerate().filter(|(_, byte)| is_start(byte));
    { starts }
        .nth(characters)
        .map_or(text.len(), |(place, _)| place)
}
