//! The last look at a text on its way to a person.

use super::plain;
use std::io::{self, Write};

/// Writes text for people: what would not be drawn as itself is written out, whatever made the text. Line ends, tabs and
/// backslashes stay, and so a text that is safe already goes through unchanged.
#[derive(Debug)]
pub struct TextWriter<W: Write> {
    out: W,
    /// The bytes of a character whose end has not come yet.
    begun: Vec<u8>,
}

impl<W: Write> TextWriter<W> {
    /// Creates a writer in front of another.
    pub const fn new(out: W) -> Self {
        Self {
            out,
            begun: Vec::new(),
        }
    }

    /// Writes whole characters, and keeps the bytes of one that only begins.
    fn write_text(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut rest = bytes;
        loop {
            let text = match std::str::from_utf8(rest) {
                Ok(text) => return self.write_chars(text),
                Err(error) => {
                    let (valid, after) = rest.split_at(error.valid_up_to());
                    let text = std::str::from_utf8(valid).expect("it is valid up to there");
                    let Some(length) = error.error_len() else {
                        self.write_chars(text)?;
                        self.begun.extend_from_slice(after);
                        return Ok(());
                    };
                    rest = &after[length..];
                    self.write_chars(text)?;
                    &after[..length]
                }
            };
            self.write_name(text)?;
        }
    }

    /// Writes characters, the safe ones in runs.
    fn write_chars(&mut self, mut text: &str) -> io::Result<()> {
        while let Some((at, char)) = plain::first_unsafe(text) {
            self.out.write_all(&text.as_bytes()[..at])?;
            let (char, rest) = text[at..].split_at(char.len_utf8());
            self.write_name(char.as_bytes())?;
            text = rest;
        }
        self.out.write_all(text.as_bytes())
    }

    fn write_name(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut text = String::new();
        plain::write_name(&mut text, bytes);
        self.out.write_all(text.as_bytes())
    }
}

impl<W: Write> Write for TextWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.begun.is_empty() {
            self.write_text(bytes)?;
        } else {
            let mut whole = std::mem::take(&mut self.begun);
            whole.extend_from_slice(bytes);
            self.write_text(&whole)?;
        }
        Ok(bytes.len())
    }

    /// A character that never ended is written out byte by byte.
    fn flush(&mut self) -> io::Result<()> {
        let begun = std::mem::take(&mut self.begun);
        self.write_name(&begun)?;
        self.out.flush()
    }
}
