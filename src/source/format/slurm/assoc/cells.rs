//! Splits lines into cells: at bars, which names may contain too, or at columns, which wide numbers shift.

use super::header::{Column, Header, Layout, MOST_BARS};
use std::ops::Range;

/// The result of splitting a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineSplit {
    /// There are as many cells as columns.
    Whole,
    /// There were more cells; it was guessed which names contain bars.
    Guessed,
    /// The number of cells does not match the columns.
    Broken,
}

/// Splits a line into the cells of its columns. `is_account` knows the names of accounts so far.
pub(super) fn split<'a>(
    line: &'a [u8],
    header: &Header<'_>,
    cells: &mut Vec<&'a [u8]>,
    is_account: impl Fn(&[u8]) -> bool,
) -> LineSplit {
    cells.clear();
    let closing = match &header.layout {
        Layout::Fixed(places) => {
            split_fixed(line, places, cells);
            return LineSplit::Whole;
        }
        Layout::Bars { closing } => *closing,
    };
    let line = line.strip_suffix(b"|").filter(|_| closing).unwrap_or(line);
    let count = header.columns.len();
    // One cell more than can be joined shows that there are too many.
    cells.extend(line.split(|&byte| byte == b'|').take(count + MOST_BARS + 1));
    let extra = cells.len().wrapping_sub(count);
    if cells.len() == count {
        return LineSplit::Whole;
    }
    if cells.len() < count || extra > MOST_BARS {
        return LineSplit::Broken;
    }
    match guess(line, cells, &header.columns, extra, is_account) {
        Some(guessed) => {
            *cells = guessed;
            LineSplit::Guessed
        }
        None => LineSplit::Broken,
    }
}

/// Slices a line at the columns. A number wider than its column is not cut: it ends at the next blank, and the rest is
/// shifted by as much.
fn split_fixed<'a>(line: &'a [u8], places: &[Range<usize>], cells: &mut Vec<&'a [u8]>) {
    let mut moved = 0;
    for place in places {
        let start = (place.start + moved).min(line.len());
        let end = (place.end + moved).min(line.len());
        let over = line[end..].iter().take_while(|byte| **byte != b' ').count();
        moved += over;
        cells.push(&line[start..end + over]);
    }
}

/// Joins cells that were split at bars in names: of all ways with numbers where numbers belong, the most likely one.
fn guess<'a>(
    line: &'a [u8],
    pieces: &[&'a [u8]],
    columns: &[Column],
    extra: usize,
    is_account: impl Fn(&[u8]) -> bool,
) -> Option<Vec<&'a [u8]>> {
    let mut starts = vec![0];
    starts.extend(memchr::memchr_iter(b'|', line).map(|bar| bar + 1));
    let torn: Vec<usize> = (0..columns.len())
        .filter(|&place| may_hold_bars(columns[place]))
        .collect();
    let mut bars = vec![0; torn.len()];
    *bars.first_mut()? = extra;
    let mut best: Option<(usize, Vec<&'a [u8]>)> = None;
    loop {
        let mut cells = Vec::with_capacity(columns.len());
        let (mut piece, mut ragged) = (0, 0);
        for place in 0..columns.len() {
            let held = torn.iter().position(|&torn| torn == place);
            let last = piece + held.map_or(0, |held| bars[held]);
            if last > piece {
                ragged += usize::from(pieces[piece].is_empty() || pieces[last].is_empty());
            }
            cells.push(&line[starts[piece]..starts[last] + pieces[last].len()]);
            piece = last + 1;
        }
        if let Some(oddity) = oddity(&cells, columns, &is_account) {
            let oddity = oddity + 4 * ragged;
            if best.as_ref().is_none_or(|(least, _)| oddity < *least) {
                best = Some((oddity, cells));
            }
        }
        if !next_distribution(&mut bars) {
            return best.map(|(_, cells)| cells);
        }
    }
}

/// Returns whether a column may contain a bar.
fn may_hold_bars(column: Column) -> bool {
    matches!(
        column,
        Column::Account
            | Column::User
            | Column::ParentName
            | Column::Description
            | Column::Organization
    )
}

/// Returns how unlikely the cells are, or `None` if they are impossible.
fn oddity(
    cells: &[&[u8]],
    columns: &[Column],
    is_account: impl Fn(&[u8]) -> bool,
) -> Option<usize> {
    let (mut account, mut user, mut parent): (&[u8], &[u8], &[u8]) = (b"", b"", b"");
    let (mut description, mut cluster): (Option<&[u8]>, Option<&[u8]>) = (None, None);
    for (&cell, column) in cells.iter().zip(columns) {
        match column {
            Column::Share if cell != b"parent" && !is_count(cell) => return None,
            Column::Id | Column::ParentId | Column::Left if !is_count(cell) => return None,
            Column::Account => account = cell.trim_ascii_start(),
            Column::User => user = cell,
            Column::ParentName => parent = cell,
            Column::Cluster => cluster = Some(cell),
            Column::Description => description = Some(cell.trim_ascii_start()),
            _ => {}
        }
    }
    let is_nowhere = cluster.is_some_and(<[u8]>::is_empty);
    let is_stranger = !user.is_empty() && !is_account(account);
    // Only accounts have a parent's name.
    let is_both = !user.is_empty() && !parent.is_empty();
    let differs = description.is_some_and(|text| text != account);
    Some(
        4 * usize::from(is_nowhere)
            + 2 * usize::from(is_stranger || is_both)
            + usize::from(differs),
    )
}

fn is_count(cell: &[u8]) -> bool {
    cell.iter().all(u8::is_ascii_digit)
}

/// Advances to the next distribution of the same number of bars; false after the last.
fn next_distribution(bars: &mut [usize]) -> bool {
    let Some(first) = bars.iter().position(|&count| count > 0) else {
        return false;
    };
    if first + 1 == bars.len() {
        return false;
    }
    let count = std::mem::take(&mut bars[first]);
    bars[0] = count - 1;
    bars[first + 1] += 1;
    true
}
