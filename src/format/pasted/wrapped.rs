//! Rows that a terminal or a mail program wrapped.

use super::division::{Division, divisions};
use super::headings::{Header, mark_of, may_be_headings};
use super::printer::Printer;
use super::{SAMPLE, is_between_rows};
use crate::format::text::split;

/// The fewest characters at which lines are wrapped.
const NARROWEST: usize = 40;

/// The most lines that a row was wrapped into.
const MOST_PIECES: usize = 6;

/// Returns a text whose wrapped rows are whole again, each in its first line, with empty lines for the others. `None` if
/// none is wrapped.
pub(super) fn joined(text: &[u8]) -> Option<Vec<u8>> {
    let lines: Vec<&[u8]> = split(text, b'\n').collect();
    for start in 0..lines.len().min(SAMPLE) {
        if let Some(wrapped) = WrappedTable::at(&lines, start) {
            return Some(wrapped.joined(&lines));
        }
    }
    None
}

/// A row that some lines may be together.
struct JoinedRow {
    /// The text of the lines.
    text: Vec<u8>,
    /// The line behind them, from 0.
    behind: usize,
}

/// A table whose headings were wrapped.
struct WrappedTable {
    /// The headings.
    header: Header,
    /// The number of characters at which lines were wrapped.
    width: usize,
    /// How the whole rows are divided into cells.
    division: Division,
}

impl WrappedTable {
    /// Returns the table whose headings begin in a line. `None` if they do not, or end there as well.
    fn at(lines: &[&[u8]], start: usize) -> Option<Self> {
        let width = width_of(lines[start]);
        if width < NARROWEST {
            return None;
        }
        let headings = longest_row(lines, start, width)?;
        if headings.behind == start + 1 || !may_be_headings(&headings.text) {
            return None;
        }
        let header = known_header(start, &headings.text)?;
        let mut ruler = None;
        if let Some(below) = lines.get(headings.behind)
            && is_between_rows(below)
        {
            ruler = longest_row(lines, headings.behind, width);
        }
        let below = ruler.as_ref().map(|ruler| &ruler.text[..]);
        let mut divisions = divisions(&header, &headings.text, below);
        Some(Self {
            header,
            width,
            division: divisions.swap_remove(0),
        })
    }

    /// Returns the lines with whole rows: each of as many lines as fit the columns, and of all that belong together if none
    /// does.
    fn joined(&self, lines: &[&[u8]]) -> Vec<u8> {
        let mut joined: Vec<Vec<u8>> = Vec::with_capacity(lines.len());
        for line in &lines[..self.header.place] {
            joined.push(line.to_vec());
        }
        while joined.len() < lines.len() {
            let is_header = joined.len() == self.header.place;
            let mut rows = rows_at(lines, joined.len(), self.width);
            let mut best = rows.len() - 1;
            if !is_header {
                let fitting = rows.iter().rposition(|row| self.fits(row));
                best = fitting.unwrap_or(best);
            }
            let row = rows.swap_remove(best);
            if is_header {
                // The ruler stays below the headings.
                joined.resize(row.behind - 1, Vec::new());
            }
            joined.push(row.text);
            joined.resize(row.behind, Vec::new());
        }
        joined.join(&b'\n')
    }

    /// Returns whether the cells of a row can be of the columns.
    fn fits(&self, row: &JoinedRow) -> bool {
        let cells = self.division.fitting_cells(&row.text, &self.header);
        cells.is_some()
    }
}

/// Returns the rows that a line may begin: it alone, and with each of the next lines, as long as the one before is as wide
/// as lines were before they were wrapped.
fn rows_at(lines: &[&[u8]], start: usize, width: usize) -> Vec<JoinedRow> {
    let mut rows = Vec::new();
    let mut text = Vec::new();
    for (behind, line) in (start + 1..).zip(&lines[start..]) {
        text.extend_from_slice(line);
        let text = text.clone();
        rows.push(JoinedRow { text, behind });
        if width_of(line) != width || rows.len() == MOST_PIECES {
            break;
        }
    }
    rows
}

/// Returns the row of as many lines as belong together from a line on; `None` behind the last line.
fn longest_row(lines: &[&[u8]], start: usize, width: usize) -> Option<JoinedRow> {
    let mut rows = rows_at(lines, start, width);
    rows.pop()
}

/// Returns the headings of a line that consists of nothing but headings of a command.
fn known_header(place: usize, line: &[u8]) -> Option<Header> {
    let text = line.trim_ascii_end();
    let mark = mark_of(text);
    for printer in Printer::ALL {
        if let Some(header) = Header::of_line(place, text, mark, *printer)
            && header.names.iter().all(|name| printer.has(name))
        {
            return Some(header);
        }
    }
    None
}

/// Returns how many characters a line has.
fn width_of(line: &[u8]) -> usize {
    let mut width = 0;
    for byte in line {
        width += usize::from(byte & 0xc0 != 0x80);
    }
    width
}
