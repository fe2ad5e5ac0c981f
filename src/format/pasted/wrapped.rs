//! Rows that a terminal or a mail program wrapped.

use super::division::{Division, divisions};
use super::headings::{Header, Mark, mark_of, may_be_headings};
use super::printer::Printer;
use super::{SAMPLE, is_between_rows};

/// The fewest characters at which lines are wrapped.
const NARROWEST: usize = 40;

/// The most lines that a row was wrapped into.
const MOST_PIECES: usize = 6;

/// Returns a text whose wrapped rows are whole again, each in its first line, with empty lines for the others. `None` if
/// none is wrapped.
pub(super) fn joined(text: &[u8]) -> Option<Vec<u8>> {
    let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    let mut starts = 0..lines.len().min(SAMPLE);
    let wrapped = starts.find_map(|start| WrappedTable::at(&lines, start))?;
    Some(wrapped.joined(&lines))
}

/// A table whose headings were wrapped.
struct WrappedTable {
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
        let (whole, behind) = pieces(lines, start, width).pop()?;
        if behind == start + 1 || !may_be_headings(&whole) {
            return None;
        }
        let printer = Printer::ALL
            .into_iter()
            .find(|printer| is_all_known(&whole, *printer))?;
        let header = Header::of_line(start, whole.trim_ascii_end(), mark_of(&whole), printer)?;
        let ruler = lines.get(behind).filter(|line| is_between_rows(line));
        let ruler = ruler.and_then(|_| pieces(lines, behind, width).pop());
        let below = ruler.as_ref().map(|(ruler, _)| ruler.as_slice());
        let division = divisions(&header, &whole, below).into_iter().next()?;
        Some(Self {
            header,
            width,
            division,
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
            let mut ways = pieces(lines, joined.len(), self.width);
            let fits = |row: &[u8]| self.division.fitting_cells(row, &self.header).is_some();
            let fitting = ways.iter().rposition(|(row, _)| !is_header && fits(row));
            let (row, behind) = ways.swap_remove(fitting.unwrap_or(ways.len() - 1));
            if is_header {
                // The ruler stays below the headings.
                joined.resize(behind - 1, Vec::new());
            }
            joined.push(row);
            joined.resize(behind, Vec::new());
        }
        joined.join(&b'\n')
    }
}

/// Returns the rows that a line may begin, each with the line behind it: it alone, and with each of the next lines, as long
/// as the one before is as wide as lines were before they were wrapped.
fn pieces(lines: &[&[u8]], start: usize, width: usize) -> Vec<(Vec<u8>, usize)> {
    let mut rows = vec![(lines[start].to_vec(), start + 1)];
    let mut last = start;
    while width_of(lines[last]) == width && last + 1 < lines.len() && rows.len() < MOST_PIECES {
        last += 1;
        let mut row = rows[rows.len() - 1].0.clone();
        row.extend_from_slice(lines[last]);
        rows.push((row, last + 1));
    }
    rows
}

/// Returns whether a line consists of nothing but headings of a command.
fn is_all_known(line: &[u8], printer: Printer) -> bool {
    let mark = mark_of(line);
    match Header::of_line(0, line, mark, printer) {
        Some(header) => mark == Mark::Blanks || header.names.iter().all(|name| printer.has(name)),
        None => false,
    }
}

/// Returns how many characters a line has.
fn width_of(line: &[u8]) -> usize {
    line.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}
