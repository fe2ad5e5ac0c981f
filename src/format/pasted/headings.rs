//! The line of headings of a pasted table.

use super::is_between_rows;
use super::printer::Printer;
use crate::format::sheet::Records;
use crate::format::sheet::kind::ColumnRule;
use crate::format::slurm::table::heading_places;
use crate::format::text::{is_one_of, split};
use memchr::{memchr, memmem};
use std::ops::Range;

/// The most columns of a table: more than any command prints.
const MOST_COLUMNS: usize = 256;

/// The cells of a row, or the headings.
pub(super) type Cells = Vec<Vec<u8>>;

/// What stands between the cells of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// Bars, with some around the row or blanks around each, as people draw tables.
    FramedBars {
        /// Whether a blank stands before each cell of each row, which is no indentation.
        is_padded: bool,
    },
    /// A TAB, a comma or a semicolon.
    Byte(u8),
    /// Blanks.
    Blanks,
}

/// The headings of a table.
#[derive(Clone, Debug)]
pub(super) struct Header {
    /// Its line, from 0.
    pub(super) place: usize,
    /// The line itself.
    text: Vec<u8>,
    /// The command whose headings they are.
    pub(super) printer: Printer,
    /// What stands between the headings.
    pub(super) mark: Mark,
    /// Each heading, without the blanks around it.
    pub(super) names: Cells,
    /// Where the headings stand in their line. Empty unless blanks stand between them.
    pub(super) places: Vec<Range<usize>>,
    /// What stands below each.
    pub(super) columns: Vec<ColumnRule>,
}

impl Header {
    /// Returns the first line of headings.
    pub(super) fn find(lines: &[&[u8]]) -> Option<Self> {
        for (place, line) in lines.iter().enumerate() {
            if !may_be_headings(line) {
                continue;
            }
            let text = line.trim_ascii_end();
            let mut mark = mark_of(text);
            if let Mark::FramedBars { is_padded } = &mut mark {
                *is_padded = lines[place..].iter().all(|line| is_padded_row(line));
            }
            for printer in Printer::ALL {
                let header = Self::of_line(place, text, mark, *printer);
                if header.is_some() {
                    return header;
                }
            }
        }
        None
    }

    /// Returns the headings of a line, or `None` if they are not those of that command.
    pub(super) fn of_line(place: usize, line: &[u8], mark: Mark, printer: Printer) -> Option<Self> {
        let mut places = Vec::new();
        let mut names = Cells::new();
        if mark == Mark::Blanks {
            places = heading_places(line, &|name| printer.has(name));
            for place in &places {
                let name = &line[place.clone()];
                if !printer.has(name) {
                    return None;
                }
                names.push(name.to_vec());
            }
        } else {
            for cell in cells_between(line, mark) {
                names.push(cell.trim_ascii().to_vec());
            }
            // A mark may end the line, too.
            if names.last().is_some_and(Vec::is_empty) {
                names.pop();
            }
        }
        if names.len() > MOST_COLUMNS || names.iter().any(Vec::is_empty) {
            return None;
        }
        // People write lists of shares in this form, without a column of users.
        if let Mark::Byte(b'\t' | b';' | b',') = mark
            && !names.iter().any(|name| names_users(name))
        {
            return None;
        }
        Some(Self {
            place,
            text: line.to_vec(),
            printer,
            mark,
            columns: printer.columns(&names)?,
            names,
            places,
        })
    }

    /// Returns whether a line has the same headings once more.
    pub(super) fn is_repeated_in(&self, line: &[u8]) -> bool {
        line.trim_ascii_end() == self.text
    }

    /// Returns the place of the column of accounts or banks.
    pub(super) fn account(&self) -> Option<usize> {
        self.columns.iter().position(|column| column.is_account)
    }
}

/// Returns whether a heading is that of a column of users.
fn names_users(heading: &[u8]) -> bool {
    is_one_of(heading, &["user", "username", "login"])
}

/// The longest line that may have headings, in bytes.
const LONGEST: usize = 16 << 10;

/// Returns whether a line may have headings of a table: few other lines have these words.
pub(super) fn may_be_headings(line: &[u8]) -> bool {
    if line.len() > LONGEST {
        return false;
    }
    let text = line.to_ascii_lowercase();
    has_any(&text, &["account", "user", "bank"])
        && has_any(&text, &["share", "usage", "used", "levelfs"])
}

/// Returns whether a text has one of some words in it.
fn has_any(text: &[u8], words: &[&str]) -> bool {
    let mut words = words.iter();
    words.any(|word| memmem::find(text, word.as_bytes()).is_some())
}

/// Returns what stands between the cells of a line of headings.
pub(super) fn mark_of(line: &[u8]) -> Mark {
    let text = line.trim_ascii();
    let is_padded = memmem::find(text, b" | ").is_some();
    if text.starts_with(b"|") || is_padded {
        return Mark::FramedBars { is_padded: false };
    }
    for mark in *b"|\t;," {
        if memchr(mark, text).is_some() {
            return Mark::Byte(mark);
        }
    }
    Mark::Blanks
}

/// Returns the cells of a line between marks, with the blanks that show what is above an account.
pub(super) fn cells_between(line: &[u8], mark: Mark) -> Cells {
    let mut cells = Vec::new();
    match mark {
        Mark::FramedBars { is_padded } => {
            for cell in split(framed(line), b'|') {
                let mut text = cell;
                if is_padded {
                    text = cell.strip_prefix(b" ").unwrap_or(cell);
                }
                cells.push(text.to_vec());
            }
        }
        Mark::Byte(mark) if memchr(b'"', line).is_some() => {
            let mut record = csv::ByteRecord::new();
            Records::of(line, mark).read(&mut record);
            for cell in &record {
                cells.push(cell.to_vec());
            }
        }
        Mark::Byte(mark) => {
            for cell in split(line, mark) {
                cells.push(cell.to_vec());
            }
        }
        Mark::Blanks => {}
    }
    cells
}

/// Returns a row without the bars around it.
fn framed(line: &[u8]) -> &[u8] {
    let row = line.trim_ascii_end();
    match row.trim_ascii_start().strip_prefix(b"|") {
        Some(row) => row.strip_suffix(b"|").unwrap_or(row),
        None => row,
    }
}

/// Returns whether a blank stands before each cell of a row. A line without bars is none.
fn is_padded_row(line: &[u8]) -> bool {
    if memchr(b'|', line).is_none() || is_between_rows(line) {
        return true;
    }
    split(framed(line), b'|').all(|cell| cell.is_empty() || cell.starts_with(b" "))
}
