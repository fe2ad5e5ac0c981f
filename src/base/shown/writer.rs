//! The last look at a text on its way to a person.

use super::{Backslash, plain, shown_format};
use std::io::{self, Write};

/// Writes text for people, line by line: what would not be drawn as itself is written out, whatever made the text. Line
/// ends and tabs stay. Where backslashes stay too, a text that is safe already goes through unchanged.
#[derive(Debug)]
pub struct TextWriter<W: Write> {
    out: W,
    backslash: Backslash,
    /// The line whose end has not come yet.
    begun: Vec<u8>,
}

impl<W: Write> TextWriter<W> {
    /// Creates a writer in front of another.
    pub const fn new(out: W, backslash: Backslash) -> Self {
        Self {
            out,
            backslash,
            begun: Vec::new(),
        }
    }

    fn write_lines(&mut self, lines: &[u8]) -> io::Result<()> {
        let is_safe = |text| self.backslash == Backslash::Kept && plain::is_safe(text);
        if std::str::from_utf8(lines).is_ok_and(is_safe) {
            return self.out.write_all(lines);
        }
        let text = shown_format(lines, self.backslash);
        self.out.write_all(text.as_bytes())
    }
}

impl<W: Write> Write for TextWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let end = memchr::memrchr(b'\n', bytes).map_or(0, |at| at + 1);
        let (lines, begun) = bytes.split_at(end);
        if self.begun.is_empty() {
            self.write_lines(lines)?;
        } else if end > 0 {
            let mut whole = std::mem::take(&mut self.begun);
            whole.extend_from_slice(lines);
            self.write_lines(&whole)?;
        }
        self.begun.extend_from_slice(begun);
        Ok(bytes.len())
    }

    /// Writes the last line too, which may have no end.
    fn flush(&mut self) -> io::Result<()> {
        let begun = std::mem::take(&mut self.begun);
        self.write_lines(&begun)?;
        self.out.flush()
    }
}
