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

    /// Writes lines, or the last one without its end.
    fn write_lines(&mut self, lines: &[u8]) -> io::Result<()> {
        if self.backslash == Backslash::Kept
            && let Ok(text) = std::str::from_utf8(lines)
            && plain::is_safe(text)
        {
            return self.out.write_all(lines);
        }
        let text = shown_format(lines, self.backslash);
        self.out.write_all(text.as_bytes())
    }
}

impl<W: Write> Write for TextWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let end = match memchr::memrchr(b'\n', bytes) {
            Some(at) => at + 1,
            None => 0,
        };
        let (lines, begun) = bytes.split_at(end);
        if self.begun.is_empty() {
            self.write_lines(lines)?;
        } else if end > 0 {
            let mut complete = std::mem::take(&mut self.begun);
            complete.extend_from_slice(lines);
            self.write_lines(&complete)?;
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
