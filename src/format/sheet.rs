//! Sheets: whatever has headings and rows. A reader names its columns once, and asks a row for its cells by column.
//!
//! Cells stand between marks, are words, or begin behind the end of the heading before. Case does not matter in headings;
//! of columns with one heading the first counts.

pub(in crate::format) mod kind;

use super::input::without_mark;
use super::problem::{Problems, problems};
use super::text::{is_one_of, split};
use crate::base::shown::{Shown, shown};
use csv::{ByteRecord, Reader, ReaderBuilder, Trim};

/// The columns that a reader knows.
pub(super) trait SheetColumn: Copy + PartialEq + 'static {
    /// All of them, in the order in which people are told of them.
    const ALL: &'static [Self];

    /// Returns the headings that a column may have.
    fn headings(self) -> &'static [&'static str];

    /// Returns whether a heading is of this column.
    fn is_called(self, heading: &[u8]) -> bool {
        is_one_of(heading, self.headings())
    }

    /// Returns the name of a column for people.
    fn name(self) -> &'static str {
        self.headings()[0]
    }
}

/// Defines the columns of a sheet, one a row: the variant and the headings that it may have, of which the first names it
/// for people.
macro_rules! sheet_columns {
    ($(#[$meta:meta])* $vis:vis enum $Name:ident {
        $($(#[$column_meta:meta])* $variant:ident, $($heading:literal)+;)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq)]
        $vis enum $Name {
            $($(#[$column_meta])* $variant,)*
        }

        impl $crate::format::sheet::SheetColumn for $Name {
            const ALL: &'static [Self] = &[$(Self::$variant,)*];

            fn headings(self) -> &'static [&'static str] {
                match self {
                    $(Self::$variant => &[$($heading),+],)*
                }
            }
        }
    };
}

pub(super) use sheet_columns;

problems! {
    pub(super) enum SheetProblem {
        UnknownColumn { heading: Shown, known: String }, Note "csv-unknown-column",
            "unknown column '{heading}\'; it is not read", "the columns are {known}";
        RepeatedColumn { heading: Shown }, Warning "csv-repeated-column",
            "the column {heading} appears twice; the first one is used", "remove one of the two";
    }
}

/// How a line is divided into cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellForm {
    /// Between bars. A bar may end the line, too.
    Bars,
    /// Below the headings, with the end of each where its heading ends. The last one has the rest of the line.
    Aligned,
    /// Between blanks, which no cell has in it.
    Words,
}

impl CellForm {
    /// Returns whether a byte stands between headings.
    fn is_mark(self, byte: u8) -> bool {
        match self {
            Self::Bars => byte == b'|',
            Self::Aligned | Self::Words => byte.is_ascii_whitespace(),
        }
    }
}

/// A heading of a sheet.
#[derive(Clone, Debug)]
struct Heading<C> {
    /// The words, without blanks around them.
    text: Vec<u8>,
    /// `None` if the reader does not know it.
    column: Option<C>,
    /// The place behind it in its line.
    end: usize,
}

/// The headings of a sheet, from the first column to the last.
#[derive(Clone, Debug)]
pub(super) struct Headings<C> {
    /// How the rows below are divided.
    form: CellForm,
    /// Each heading.
    list: Vec<Heading<C>>,
}

impl<C: SheetColumn> Headings<C> {
    /// Reads lines up to the first with the headings that are wanted; `None` if there are none. Without bars the cells are
    /// of the given form.
    pub(super) fn find<'l>(
        lines: &mut impl Iterator<Item = (u64, &'l [u8])>,
        without_bars: CellForm,
        is_wanted: fn(&Self) -> bool,
    ) -> Option<Self> {
        for (_, line) in lines {
            let headings = Self::of_form(line, without_bars);
            if is_wanted(&headings) {
                return Some(headings);
            }
        }
        None
    }

    /// Reads a line of headings: between bars if it has one, else words above aligned cells.
    pub(super) fn of_line(line: &[u8]) -> Self {
        Self::of_form(line, CellForm::Aligned)
    }

    /// Reads a line of headings: between bars if it has one, else words above cells of the given form.
    fn of_form(line: &[u8], without_bars: CellForm) -> Self {
        let form = if line.contains(&b'|') {
            CellForm::Bars
        } else {
            without_bars
        };
        let line = line.trim_ascii_end();
        let mut headings = Self {
            form,
            list: Vec::new(),
        };
        let mut start = 0;
        for text in line.split(|byte| form.is_mark(*byte)) {
            let end = start + text.len();
            start = end + 1;
            // Blanks stand between words, and a bar may end the line.
            let is_nothing = form != CellForm::Bars || end == line.len();
            if !(text.is_empty() && is_nothing) {
                headings.add(text, end);
            }
        }
        headings
    }

    /// Takes the cells of a row as headings.
    pub(super) fn of_record(record: &ByteRecord) -> Self {
        let mut headings = Self {
            form: CellForm::Bars,
            list: Vec::new(),
        };
        for text in record {
            headings.add(text, 0);
        }
        headings
    }

    /// Returns headings of columns in this order, for a sheet without any.
    pub(super) fn in_order(columns: &[C]) -> Self {
        let mut list = Vec::with_capacity(columns.len());
        for &column in columns {
            list.push(Heading {
                text: Vec::new(),
                column: Some(column),
                end: 0,
            });
        }
        Self {
            form: CellForm::Bars,
            list,
        }
    }

    /// Adds a heading that ends at a place of its line.
    fn add(&mut self, text: &[u8], end: usize) {
        let text = text.trim_ascii();
        self.list.push(Heading {
            text: text.to_vec(),
            column: C::ALL.iter().copied().find(|column| column.is_called(text)),
            end,
        });
    }

    /// Returns how the rows below are divided.
    pub(super) fn form(&self) -> CellForm {
        self.form
    }

    /// Returns how many columns there are.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns whether the sheet has a column.
    pub(super) fn has(&self, column: C) -> bool {
        self.place(column).is_some()
    }

    /// Returns the place of a column in the rows, from 0; `None` if the sheet does not have it.
    pub(super) fn place(&self, column: C) -> Option<usize> {
        self.list
            .iter()
            .position(|heading| heading.column == Some(column))
    }

    /// Returns the column whose heading is at a place; `None` if it is not known.
    pub(super) fn column_at(&self, place: usize) -> Option<C> {
        self.list[place].column
    }

    /// Returns the place of the first heading that is not known, from 0; `None` if there is none.
    pub(super) fn unknown_place(&self) -> Option<usize> {
        self.list
            .iter()
            .position(|heading| heading.column.is_none() && !heading.text.is_empty())
    }

    /// Returns what is odd about the heading at a place: it is not known, or an earlier one is of the same column.
    pub(super) fn problem_at(&self, place: usize) -> Option<SheetProblem> {
        let heading = &self.list[place];
        let text = shown(&heading.text);
        match heading.column {
            None => Some(SheetProblem::UnknownColumn {
                heading: text,
                known: known_columns::<C>(),
            }),
            Some(column) if self.place(column) < Some(place) => {
                Some(SheetProblem::RepeatedColumn { heading: text })
            }
            Some(_) => None,
        }
    }

    /// Returns the columns from the first to the last; `None` for those that the reader does not know.
    pub(super) fn columns(&self) -> impl DoubleEndedIterator<Item = Option<C>> {
        self.list.iter().map(|heading| heading.column)
    }

    /// Notes the columns that are not read, of a sheet whose headings are on a line.
    pub(super) fn note_unknown(&self, line: u64, problems: &mut Problems) {
        for heading in &self.list {
            if heading.column.is_none() {
                let heading = shown(&heading.text);
                let known = known_columns::<C>();
                problems.report(line, SheetProblem::UnknownColumn { heading, known });
            }
        }
    }

    /// Divides a line into cells.
    pub(super) fn divide<'a>(&'a self, line: &'a [u8]) -> SheetRow<'a, C> {
        let cells = match self.form {
            CellForm::Bars => split(line, b'|').map(<[u8]>::trim_ascii).collect(),
            CellForm::Aligned => self.aligned(line),
            CellForm::Words => line
                .split(u8::is_ascii_whitespace)
                .filter(|word| !word.is_empty())
                .collect(),
        };
        SheetRow {
            headings: self,
            cells,
        }
    }

    /// Returns a row whose cells were divided.
    pub(super) fn row<'a>(&'a self, record: &'a ByteRecord) -> SheetRow<'a, C> {
        SheetRow {
            headings: self,
            cells: record.iter().map(<[u8]>::trim_ascii).collect(),
        }
    }

    /// Returns a row of cells, one for each heading.
    pub(super) fn row_of_cells<'a>(&'a self, cells: Vec<&'a [u8]>) -> SheetRow<'a, C> {
        SheetRow {
            headings: self,
            cells,
        }
    }

    /// Returns the cells below the headings: names may have blanks. None at all if a cell is wider than its column.
    fn aligned<'a>(&self, line: &'a [u8]) -> Vec<&'a [u8]> {
        let mut cells = Vec::with_capacity(self.list.len());
        let mut start = 0;
        let Some((_, others)) = self.list.split_last() else {
            return cells;
        };
        for heading in others {
            if line.get(heading.end) != Some(&b' ') {
                return Vec::new();
            }
            cells.push(line[start..heading.end].trim_ascii());
            start = heading.end;
        }
        cells.push(line[start..].trim_ascii());
        cells
    }
}

/// The cells of a row, without the blanks around them.
pub(super) struct SheetRow<'a, C> {
    headings: &'a Headings<C>,
    cells: Vec<&'a [u8]>,
}

impl<'a, C: SheetColumn> SheetRow<'a, C> {
    /// Returns how many cells there are.
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// Returns the cells from the first to the last.
    pub(super) fn cells(&self) -> &[&'a [u8]] {
        &self.cells
    }

    /// Returns whether there is a cell below each heading, and no other. A bar may end the line.
    pub(super) fn is_whole(&self) -> bool {
        let headings = self.headings.len();
        let cells = self.cells.len();
        if cells == headings + 1 {
            return self.cells[headings].is_empty();
        }
        cells == headings
    }

    /// Returns the cells of all columns of one kind that are not empty.
    pub(super) fn all(&self, column: C) -> impl Iterator<Item = &'a [u8]> {
        let cells = self.headings.list.iter().zip(&self.cells);
        let own = cells.filter(move |(heading, _)| heading.column == Some(column));
        own.map(|(_, &cell)| cell).filter(|cell| !cell.is_empty())
    }

    /// Returns the cell of a column; `None` if it is empty or missing.
    pub(super) fn get(&self, column: C) -> Option<&'a [u8]> {
        let place = self.headings.place(column)?;
        let cell = *self.cells.get(place)?;
        if cell.is_empty() {
            return None;
        }
        Some(cell)
    }

    /// Returns the cell of a column; empty if it is missing.
    pub(super) fn text(&self, column: C) -> &'a [u8] {
        self.get(column).unwrap_or_default()
    }
}

/// Rows of cells between commas or other marks, of which those with a mark in them are in quotes.
pub(super) struct Records<'a>(Reader<&'a [u8]>);

impl<'a> Records<'a> {
    /// Reads rows of a file as they are.
    pub(super) fn of(bytes: &'a [u8], mark: u8) -> Self {
        Self::made(ReaderBuilder::new().delimiter(mark), bytes)
    }

    /// Reads the rows of a list that people write: without lines that begin with `#`, and without blanks around cells.
    pub(super) fn of_list(bytes: &'a [u8], mark: u8, has_quotes: bool) -> Self {
        let mut reader = ReaderBuilder::new();
        reader.delimiter(mark).trim(Trim::All);
        reader.comment(Some(b'#')).quoting(has_quotes);
        Self::made(&mut reader, bytes)
    }

    /// Reads rows that may have different numbers of cells.
    fn made(reader: &mut ReaderBuilder, bytes: &'a [u8]) -> Self {
        let reader = reader.has_headers(false).flexible(true);
        Self(reader.from_reader(without_mark(bytes)))
    }

    /// Reads the next row; false behind the last one.
    pub(super) fn read(&mut self, record: &mut ByteRecord) -> bool {
        // Reading from memory into bytes cannot fail. It can only reach the end of the rows.
        self.0.read_byte_record(record).unwrap_or(false)
    }

    /// Returns how many bytes were read.
    pub(super) fn bytes(&self) -> u64 {
        self.0.position().byte()
    }
}

/// Returns the mark between the cells of a line: a TAB, a semicolon, a comma or a bar.
pub(super) fn mark_between(line: &[u8]) -> u8 {
    for mark in b"\t;,|" {
        if line.contains(mark) {
            return *mark;
        }
    }
    b','
}

/// Returns the line of a row, from 1.
pub(super) fn line_of(record: &ByteRecord) -> u64 {
    record.position().map_or(1, csv::Position::line)
}

/// Returns the names of the columns that a reader knows, for people.
fn known_columns<C: SheetColumn>() -> String {
    let mut names = Vec::new();
    for column in C::ALL {
        names.push(column.name());
    }
    listed(&names)
}

/// Returns names as a list for people: `account, amount and price`.
fn listed(names: &[&str]) -> String {
    match names {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => names.concat(),
    }
}
