//! The header line of a CSV file, which gives the order of the columns, and where the fields of a row are.

use crate::base::shown::{Shown, sentence, shown};
use crate::format::problem::{Place, Problems};
use crate::format::{LoadError, LoadResult};
use csv::ByteRecord;

/// A known column, by its place in [`COLUMNS`].
#[derive(Clone, Copy)]
pub(super) enum CsvColumn {
    Parent,
    Name,
    Shares,
    Usage,
    Type,
    Partition,
    Active,
}

/// The names of the columns, in the order of [`CsvColumn`].
const COLUMNS: &str = "parent name shares usage type partition active";

/// The names of the columns for people.
const KNOWN: &str = "parent, name, shares, usage, type, partition and active";

/// Reports a column whose heading is not one of those that are known, which `known` lists for people.
pub(in crate::format) fn note_unknown(
    problems: &mut Problems,
    place: impl Into<Place>,
    heading: &[u8],
    known: &str,
) {
    let heading = shown(heading.trim_ascii());
    let message = sentence!("unknown column '{heading}\'; it is not read");
    let advice = sentence!("the columns are {known}");
    problems.note(place, "csv-unknown-column", message, advice);
}

pub(super) fn no_header(file: &Shown, what: &str) -> LoadError {
    LoadError::Refused(sentence!(
        "{file}: {what}; expected a first line that names the columns, at least parent, name and shares; \
         put this above the rows: parent,name,shares,usage,type"
    ))
}

/// Returns the separator of the columns, if the line is one field with a separator of other programs.
fn separator(header: &ByteRecord) -> Option<&'static str> {
    let only = header.get(0).filter(|_| header.len() == 1)?;
    let mut marks = [(b';', "semicolons"), (b'\t', "tabs"), (b'|', "bars")].into_iter();
    let (_, name) = marks.find(|(mark, _)| only.contains(mark))?;
    Some(name)
}

pub(super) struct HeaderLayout {
    /// By [`CsvColumn`]: the field; `None` if the file does not have it.
    fields: [Option<usize>; CsvColumn::Active as usize + 1],
    pub(super) width: usize,
}

impl HeaderLayout {
    pub(super) fn parse(header: &ByteRecord, notes: &mut Notes<'_>) -> LoadResult<Self> {
        let mut fields = [None; CsvColumn::Active as usize + 1];
        for (index, heading) in header.iter().enumerate() {
            let word = heading.trim_ascii().to_ascii_lowercase();
            let mut columns = COLUMNS.split(' ');
            let known = columns.position(|name| name.as_bytes() == word);
            match known.map(|column| &mut fields[column]) {
                Some(field @ None) => *field = Some(index),
                Some(Some(_)) => {
                    let name = shown(heading);
                    let message =
                        sentence!("the column {name} appears twice; the first one is used");
                    let (place, advice) = (notes.place(header, index), "remove one of the two");
                    let problems = &mut notes.found;
                    problems.warn(place, "csv-repeated-column", message, advice);
                }
                None => {
                    let place = notes.place(header, index);
                    note_unknown(&mut notes.found, place, heading, KNOWN);
                }
            }
        }
        for column in [CsvColumn::Parent, CsvColumn::Name, CsvColumn::Shares] {
            if fields[column as usize].is_none() {
                let name = COLUMNS.split(' ').nth(column as usize).unwrap_or_default();
                let found = match separator(header) {
                    Some(mark) => format!("the columns are separated by {mark} instead of commas"),
                    None => format!("the first line has no column {name}"),
                };
                return Err(no_header(&notes.found.file, &found));
            }
        }
        Ok(Self {
            fields,
            width: header.len(),
        })
    }

    pub(super) fn fields<'a>(&'a self, record: &'a ByteRecord) -> Fields<'a> {
        let layout = self;
        Fields { record, layout }
    }

    pub(super) fn index(&self, column: CsvColumn) -> Option<usize> {
        self.fields[column as usize]
    }
}

#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    pub(super) record: &'a ByteRecord,
    pub(super) layout: &'a HeaderLayout,
}

impl<'a> Fields<'a> {
    /// Returns a field; empty if the row or the file does not have it.
    pub(super) fn get(self, column: CsvColumn) -> &'a [u8] {
        let index = self.layout.index(column);
        let field = index.and_then(|index| self.record.get(index));
        field.unwrap_or_default()
    }

    /// Returns a name without the blanks around it, unless quotes keep them; empty if the row or the file has none.
    pub(super) fn name(self, column: CsvColumn, notes: &mut Notes<'_>) -> &'a [u8] {
        let name = self.get(column);
        let bare = name.trim_ascii();
        if bare.len() == name.len() {
            return bare;
        }
        self.place(column, notes);
        if notes.is_quoted() { name } else { bare }
    }

    pub(super) fn place(self, column: CsvColumn, notes: &mut Notes<'_>) -> (u64, u64) {
        let field = self.layout.index(column).unwrap_or(0);
        notes.place(self.record, field)
    }
}

/// The problems found so far, and the text they are about.
pub(super) struct Notes<'a> {
    pub(super) text: &'a [u8],
    pub(super) found: Problems,
    /// Where the last problem of a field was.
    pub(super) scan: Option<Scan>,
}

impl Notes<'_> {
    /// Returns the line and column, from 1, at which a field begins, or the end of a row that is shorter.
    pub(super) fn place(&mut self, record: &ByteRecord, field: usize) -> (u64, u64) {
        let Some(position) = record.position() else {
            return (1, 1);
        };
        let start = usize::try_from(position.byte()).unwrap_or(usize::MAX);
        let start = start.min(self.text.len());
        // A line with many fields is not read again for each of them.
        let mut scan = match self.scan {
            Some(scan) if scan.start == start && scan.commas <= field => scan,
            _ => Scan {
                start,
                at: start,
                line: position.line(),
                column: 1,
                ..Scan::default()
            },
        };
        scan.advance(self.text, field);
        self.scan = Some(scan);
        (scan.line, scan.column)
    }

    /// Returns whether the field whose place was found last is in quotes.
    fn is_quoted(&self) -> bool {
        let first = self.scan.and_then(|scan| self.text.get(scan.at));
        first == Some(&b'"')
    }
}

#[derive(Clone, Copy, Default)]
pub(super) struct Scan {
    start: usize,
    at: usize,
    line: u64,
    column: u64,
    commas: usize,
    is_quoted: bool,
    has_begun: bool,
}

impl Scan {
    /// Goes on to the beginning of a field, or to the end of the row.
    fn advance(&mut self, text: &[u8], field: usize) {
        while let Some(&byte) = text.get(self.at) {
            match byte {
                // The end of the previous row, and blank rows, come first.
                b'\r' | b'\n' if !self.has_begun => {
                    self.line += u64::from(byte == b'\n');
                    self.at += 1;
                    continue;
                }
                b'\r' | b'\n' if !self.is_quoted => break,
                b'\n' => (self.line, self.column) = (self.line + 1, 0),
                _ if self.commas == field => break,
                b',' if !self.is_quoted => self.commas += 1,
                b'"' => self.is_quoted = !self.is_quoted,
                _ => {}
            }
            self.has_begun = true;
            self.at += 1;
            self.column += 1;
        }
    }
}
