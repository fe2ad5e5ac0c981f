//! Tables that lost their form on their way through mails, wikis, spreadsheets and other programs: cells between TABs,
//! commas, semicolons or the bars of Markdown and Jira, columns that `column -t` aligned, runs of blanks that became one,
//! rows that were wrapped. They are written again as their commands print them with bars, each row in its own line, and
//! their readers do not know of it. A row whose cells cannot be told apart stays as it is, so that its reader reports it.

mod division;
mod headings;
mod printer;
mod words;
mod wrapped;

use crate::format::input::is_rows_left_out;
use crate::format::text::split;
use division::{Division, divisions};
use headings::{Cells, Header};

/// How many lines are examined to find the headings, and how many rows to find how they are divided.
const SAMPLE: usize = 400;

/// Returns a table with a bar between its cells, and its rows in their lines. `None` if the text has no table, or one as
/// its command prints it.
pub(crate) fn repaired(text: &[u8]) -> Option<Vec<u8>> {
    if let Some(joined) = wrapped::joined(text) {
        let table = PastedTable::find(&joined)?;
        let is_certain = table.fitting == table.rows;
        return is_certain.then(|| table.with_bars(&joined).unwrap_or(joined));
    }
    if let Some(table) = PastedTable::find(text) {
        return table.with_bars(text);
    }
    let expanded = with_blanks(text)?;
    let table = PastedTable::find(&expanded)?;
    Some(table.with_bars(&expanded).unwrap_or(expanded))
}

/// Returns a text with blanks instead of the TABs of a terminal. `None` if it has no TAB.
fn with_blanks(text: &[u8]) -> Option<Vec<u8>> {
    const STOP: usize = 8;
    memchr::memchr(b'\t', text)?;
    let mut expanded = Vec::with_capacity(text.len() * 2);
    let mut column = 0;
    for &byte in text {
        if byte == b'\t' {
            let width = STOP - column % STOP;
            expanded.resize(expanded.len() + width, b' ');
            column += width;
            continue;
        }
        expanded.push(byte);
        let begins_character = byte & 0xc0 != 0x80;
        column = if byte == b'\n' {
            0
        } else {
            column + usize::from(begins_character)
        };
    }
    Some(expanded)
}

/// A table that was found in a text, and how its rows are divided.
#[derive(Clone, Debug)]
struct PastedTable {
    header: Header,
    division: Division,
    /// How many rows were examined.
    rows: usize,
    /// How many of them the division fits.
    fitting: usize,
}

impl PastedTable {
    /// Returns the first table of a text, divided in the way that fits most rows, the first of equals. `None` if no way fits
    /// half of the rows.
    fn find(text: &[u8]) -> Option<Self> {
        let lines: Vec<&[u8]> = split(text, b'\n').take(SAMPLE).collect();
        let header = Header::find(&lines)?;
        let mut rows = Vec::new();
        for line in &lines[header.place + 1..] {
            let is_row = !is_between_rows(line) && !is_rows_left_out(line);
            if is_row && !header.is_repeated_in(line) {
                rows.push(*line);
            }
        }
        if rows.is_empty() {
            return None;
        }
        let below = lines.get(header.place + 1).copied();
        let mut fitting = 0;
        let mut best = None;
        let mut printed: Vec<Option<Cells>> = vec![None; rows.len()];
        for division in divisions(&header, lines[header.place], below) {
            let mut divided = Vec::with_capacity(rows.len());
            for row in &rows {
                divided.push(division.fitting_cells(row, &header));
            }
            let count = divided.iter().flatten().count();
            if division.is_certain(&rows, count) {
                fitting = rows.len();
                best = Some(division);
                break;
            }
            let is_by_ruler = division.is_by_ruler();
            if count > fitting && count * 2 >= rows.len() && !contradicts(&divided, &printed) {
                fitting = count;
                best = Some(division);
            }
            if is_by_ruler {
                printed = divided;
            }
        }
        Some(Self {
            header,
            division: best?,
            rows: rows.len(),
            fitting,
        })
    }

    /// Returns the table of a text with bars between its cells; `None` if the command prints it as it is.
    fn with_bars(&self, text: &[u8]) -> Option<Vec<u8>> {
        if self.division.is_as_printed() {
            return None;
        }
        let header = &self.header;
        let mut written = Vec::with_capacity(text.len());
        for (place, line) in split(text, b'\n').enumerate() {
            if place > 0 {
                written.push(b'\n');
            }
            if place == header.place || header.is_repeated_in(line) {
                written.extend(header.names.join(&b'|'));
            } else if place < header.place || is_rows_left_out(line) {
                written.extend_from_slice(line);
            } else if !is_between_rows(line) {
                let cells = self.division.cells(line, header);
                written.extend(cells.map_or_else(|| line.to_vec(), |cells| cells.join(&b'|')));
            }
        }
        Some(written)
    }
}

/// Returns whether a row has other cells than it has below its ruler.
fn contradicts(divided: &[Option<Cells>], printed: &[Option<Cells>]) -> bool {
    for (cells, printed) in divided.iter().zip(printed) {
        let Some(printed) = printed else {
            continue;
        };
        let Some(cells) = cells else {
            return true;
        };
        let mut pairs = cells.iter().zip(printed);
        if pairs.any(|(cell, printed)| cell.trim_ascii() != printed.trim_ascii()) {
            return true;
        }
    }
    false
}

/// Returns whether a line is empty, or the line below headings: `----- ----`, `=====  ===`, `|---|:--:|`.
fn is_between_rows(line: &[u8]) -> bool {
    let is_drawn = |byte: &u8| b"-=_+:| \t\r".contains(byte);
    line.iter().all(is_drawn)
}
