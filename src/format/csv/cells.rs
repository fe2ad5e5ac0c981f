//! The cells of a CSV file by their columns, and where in the file each begins.

use super::CsvColumn;
use crate::base::shown::{Shown, sentence};
use crate::format::problem::Problems;
use crate::format::sheet::{Headings, SheetColumn as _};
use crate::format::{LoadError, LoadResult};
use csv::ByteRecord;

/// The columns that a file must have.
const NEEDED: &[CsvColumn] = &[CsvColumn::Parent, CsvColumn::Name, CsvColumn::Shares];

/// The marks between cells that other programs write, each with its name.
const OTHER_MARKS: &[(u8, &str)] = &[(b';', "semicolons"), (b'\t', "tabs"), (b'|', "bars")];

/// Returns the error of a file whose first line does not name the columns.
pub(super) fn no_header(file: &Shown, what: &str) -> LoadError {
    LoadError::Refused(sentence!(
        "{file}: {what}; expected a first line that names the columns, at least parent, name and shares; \
         put this above the rows: parent,name,shares,usage,type"
    ))
}

/// Finds the cells of rows by the headings of their file.
pub(super) struct CsvCells<'a> {
    headings: Headings<CsvColumn>,
    /// The text of the file.
    text: &'a [u8],
    /// The cell whose place was asked for last.
    last: Option<CellPlace>,
}

impl<'a> CsvCells<'a> {
    /// Takes the first row of a file as its headings. Fails if a column is missing.
    pub(super) fn new(
        header: &ByteRecord,
        text: &'a [u8],
        problems: &mut Problems,
    ) -> LoadResult<Self> {
        let mut cells = Self {
            headings: Headings::of_record(header),
            text,
            last: None,
        };
        for index in 0..header.len() {
            if let Some(problem) = cells.headings.problem_at(index) {
                problems.report(cells.place_at(header, index), problem);
            }
        }
        for &column in NEEDED {
            if cells.headings.has(column) {
                continue;
            }
            let what = match other_mark(header) {
                Some(mark) => format!("the columns are separated by {mark} instead of commas"),
                None => format!("the first line has no column {}", column.name()),
            };
            return Err(no_header(&problems.file, &what));
        }
        Ok(cells)
    }

    /// Returns how many cells a row has.
    pub(super) fn width(&self) -> usize {
        self.headings.len()
    }

    /// Returns whether a row ends before a column that the file has.
    pub(super) fn ends_before(&self, row: &ByteRecord, column: CsvColumn) -> bool {
        match self.headings.place(column) {
            Some(index) => index >= row.len(),
            None => false,
        }
    }

    /// Returns a cell as it is; empty if the row or the file does not have it.
    fn outer<'r>(&self, row: &'r ByteRecord, column: CsvColumn) -> &'r [u8] {
        match self.headings.place(column) {
            Some(index) => row.get(index).unwrap_or_default(),
            None => b"",
        }
    }

    /// Returns a cell without the blanks around it; empty if the row or the file does not have it.
    pub(super) fn text<'r>(&self, row: &'r ByteRecord, column: CsvColumn) -> &'r [u8] {
        self.outer(row, column).trim_ascii()
    }

    /// Returns a name without the blanks around it, unless quotes keep them; empty if the row or the file has none.
    pub(super) fn name<'r>(&mut self, row: &'r ByteRecord, column: CsvColumn) -> &'r [u8] {
        let name = self.outer(row, column);
        let bare = name.trim_ascii();
        if bare.len() == name.len() || !self.is_quoted(row, column) {
            return bare;
        }
        name
    }

    fn is_quoted(&mut self, row: &ByteRecord, column: CsvColumn) -> bool {
        self.place(row, column);
        match self.last {
            Some(place) => self.text.get(place.at) == Some(&b'"'),
            None => false,
        }
    }

    /// Returns the line and the column, from 1, at which a cell begins, or the end of a row that is shorter.
    pub(super) fn place(&mut self, row: &ByteRecord, column: CsvColumn) -> (u64, u64) {
        let index = self.headings.place(column).unwrap_or(0);
        self.place_at(row, index)
    }

    /// Returns the line and the column, from 1, at which the cell of an index begins, or the end of a row that is
    /// shorter.
    pub(super) fn place_at(&mut self, row: &ByteRecord, index: usize) -> (u64, u64) {
        let Some(position) = row.position() else {
            return (1, 1);
        };
        let byte = usize::try_from(position.byte()).unwrap_or(usize::MAX);
        let start = byte.min(self.text.len());
        let mut place = match self.last {
            // A line with many cells is not read again for each of them.
            Some(last) if last.start == start && last.index <= index => last,
            _ => CellPlace {
                start,
                at: start,
                line: position.line(),
                column: 1,
                index: 0,
                is_quoted: false,
                has_begun: false,
            },
        };
        place.advance(self.text, index);
        self.last = Some(place);
        (place.line, place.column)
    }
}

/// Returns the name of the mark between the columns, if the header is one cell with a mark of other programs.
fn other_mark(header: &ByteRecord) -> Option<&'static str> {
    if header.len() != 1 {
        return None;
    }
    for (mark, name) in OTHER_MARKS {
        if header[0].contains(mark) {
            return Some(name);
        }
    }
    None
}

/// A place in the text of a row.
#[derive(Clone, Copy)]
struct CellPlace {
    /// The byte at which the row begins.
    start: usize,
    /// The byte of the place itself.
    at: usize,
    /// Its line, from 1.
    line: u64,
    /// Its column, from 1.
    column: u64,
    /// The index of its cell.
    index: usize,
    is_quoted: bool,
    /// Whether the line ends before the row are behind it.
    has_begun: bool,
}

impl CellPlace {
    /// Goes on to the beginning of a cell, or to the end of the row.
    fn advance(&mut self, text: &[u8], index: usize) {
        while let Some(&byte) = text.get(self.at) {
            match byte {
                // The end of the previous row, and blank rows, come first.
                b'\r' | b'\n' if !self.has_begun => {
                    self.line += u64::from(byte == b'\n');
                    self.at += 1;
                    continue;
                }
                b'\r' | b'\n' if !self.is_quoted => break,
                b'\n' => {
                    self.line += 1;
                    self.column = 0;
                }
                _ if self.index == index => break,
                b',' if !self.is_quoted => self.index += 1,
                b'"' => self.is_quoted = !self.is_quoted,
                _ => {}
            }
            self.has_begun = true;
            self.at += 1;
            self.column += 1;
        }
    }
}
