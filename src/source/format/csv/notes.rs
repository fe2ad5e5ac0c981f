//! The positions of problems in a CSV file.

use crate::source::format::{Problem, Problems, Severity};
use csv::ByteRecord;

/// The problems found so far, and the text they are about.
pub(super) struct Notes<'a> {
    pub(super) file: String,
    pub(super) text: &'a [u8],
    pub(super) list: Problems,
}

impl Notes<'_> {
    pub(super) fn at_field(
        &mut self,
        record: &ByteRecord,
        field: usize,
        severity: Severity,
        code: &'static str,
        message: String,
        advice: &str,
    ) {
        let (line, column) = self.place(record, field);
        self.push(severity, code, Some(line), Some(column), message, advice);
    }

    pub(super) fn at_line(
        &mut self,
        line: u64,
        severity: Severity,
        code: &'static str,
        message: String,
        advice: &str,
    ) {
        self.push(severity, code, Some(line), None, message, advice);
    }

    pub(super) fn at_file(
        &mut self,
        severity: Severity,
        code: &'static str,
        message: String,
        advice: &str,
    ) {
        self.push(severity, code, None, None, message, advice);
    }

    fn push(
        &mut self,
        severity: Severity,
        code: &'static str,
        line: Option<u64>,
        column: Option<u64>,
        message: String,
        advice: &str,
    ) {
        self.list.push(Problem {
            severity,
            code,
            file: self.file.clone(),
            line,
            column,
            message,
            advice: advice.to_owned(),
        });
    }

    /// Returns the line and column, from 1, at which a field begins, or the end of a row that is shorter.
    fn place(&self, record: &ByteRecord, field: usize) -> (u64, u64) {
        let Some(position) = record.position() else {
            return (1, 1);
        };
        let mut line = position.line();
        let start = usize::try_from(position.byte())
            .unwrap_or(usize::MAX)
            .min(self.text.len());
        let (mut column, mut commas, mut is_quoted, mut has_begun) = (1, 0, false, false);
        for &byte in &self.text[start..] {
            match byte {
                // The end of the previous row, and blank rows, come first.
                b'\r' | b'\n' if !has_begun => {
                    line += u64::from(byte == b'\n');
                    continue;
                }
                b'\r' | b'\n' if !is_quoted => break,
                b'\n' => (line, column) = (line + 1, 0),
                _ if commas == field => break,
                b',' if !is_quoted => commas += 1,
                b'"' => is_quoted = !is_quoted,
                _ => {}
            }
            has_begun = true;
            column += 1;
        }
        (line, column)
    }
}
