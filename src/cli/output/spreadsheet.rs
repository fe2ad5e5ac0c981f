//! CSV for spreadsheets, which get no name that they would run.

use std::io::{self, Write};

/// Writes CSV with a `'` before every cell that a spreadsheet would run as a formula; numbers stay.
pub(super) struct ForSpreadsheets<W: Write> {
    out: W,
    /// The cell that is not ended yet, with its quotes.
    cell: Vec<u8>,
    is_quoted: bool,
}

impl<W: Write> ForSpreadsheets<W> {
    pub(super) fn new(out: W) -> Self {
        Self {
            out,
            cell: Vec::new(),
            is_quoted: false,
        }
    }

    /// Writes the last cell, which may have no end.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.end_cell()
    }

    fn end_cell(&mut self) -> io::Result<()> {
        let quotes = usize::from(self.cell.first() == Some(&b'"'));
        let (quote, content) = self.cell.split_at(quotes);
        self.out.write_all(quote)?;
        if is_run(content) {
            self.out.write_all(b"'")?;
        }
        self.out.write_all(content)?;
        self.cell.clear();
        Ok(())
    }
}

impl<W: Write> Write for ForSpreadsheets<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for &byte in bytes {
            self.is_quoted ^= byte == b'"';
            if !self.is_quoted && matches!(byte, b',' | b'\n') {
                self.end_cell()?;
                self.out.write_all(&[byte])?;
            } else {
                self.cell.push(byte);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Returns whether a spreadsheet takes a cell for a formula. A number with a sign is none.
fn is_run(cell: &[u8]) -> bool {
    let is_number = || std::str::from_utf8(cell).is_ok_and(|cell| cell.parse::<f64>().is_ok());
    matches!(
        cell.first(),
        Some(b'=' | b'+' | b'-' | b'@' | b'\t' | b'\r')
    ) && !is_number()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn for_spreadsheets(csv: &str) -> String {
        let mut safe = Vec::new();
        let mut out = ForSpreadsheets::new(&mut safe);
        // Written byte by byte, as a buffer may cut it anywhere.
        for byte in csv.bytes() {
            out.write_all(&[byte]).expect("memory");
        }
        out.finish().expect("memory");
        String::from_utf8(safe).expect("UTF-8")
    }

    #[test]
    fn names_that_a_spreadsheet_would_run_are_quoted_and_numbers_are_not() {
        let csv = "name,usage\n=1+1,-5\n\"=HYPERLINK(\"\"x\"\",1)\",+1e3\n@a,-inf\n\"\rb\",c-d\n-a,\"x\n=y\"\n\ta,";
        let expected = "name,usage\n'=1+1,-5\n\"'=HYPERLINK(\"\"x\"\",1)\",+1e3\n'@a,-inf\n\"'\rb\",c-d\n'-a,\"x\n=y\"\n'\ta,";
        assert_eq!(for_spreadsheets(csv), expected);
    }
}
