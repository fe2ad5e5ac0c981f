//! The positions of problems in a CSV file.

use crate::format::problem::Problems;
use csv::ByteRecord;

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
        let start = usize::try_from(position.byte())
            .unwrap_or(usize::MAX)
            .min(self.text.len());
        // A line with many fields is not read again for each of them.
        let mut scan = match self.scan {
            Some(scan) if scan.start == start && scan.commas <= field => scan,
            _ => Scan::new(start, position.line()),
        };
        scan.advance(self.text, field);
        self.scan = Some(scan);
        (scan.line, scan.column)
    }
}

#[derive(Clone, Copy)]
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
    fn new(start: usize, line: u64) -> Self {
        Self {
            start,
            at: start,
            line,
            column: 1,
            commas: 0,
            is_quoted: false,
            has_begun: false,
        }
    }

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
