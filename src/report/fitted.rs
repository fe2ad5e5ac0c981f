//! Where reports are written to: a writer, and the width that its tables have to fit.

use crate::base::shown::Shown;
use std::io::{self, Write};

/// A writer of reports, which may be as narrow as a terminal.
pub trait Output: Write {
    /// Returns the cells of a line; `None` if it may be of any length, as in a file or a pipe.
    fn width(&self) -> Option<usize> {
        None
    }

    /// Takes note of columns that a table left out to fit, by their headings, in the order of the table.
    fn leave_out(&mut self, _headings: Vec<Shown>) {}
}

impl Output for Vec<u8> {}

/// A writer whose tables fit a width.
#[derive(Debug)]
pub struct Fitted<W: Write> {
    writer: W,
    width: Option<usize>,
    left_out: Vec<Shown>,
}

impl<W: Write> Fitted<W> {
    /// Creates a writer in front of another, for lines of so many cells; `None` is any number.
    pub const fn new(writer: W, width: Option<usize>) -> Self {
        Self {
            writer,
            width,
            left_out: Vec::new(),
        }
    }

    /// Returns the headings of the columns that were left out, each once, in the order of the tables.
    pub fn left_out(&self) -> &[Shown] {
        &self.left_out
    }

    /// Returns the writer behind.
    pub fn into_inner(self) -> W {
        self.writer
    }
}

impl<W: Write> Write for Fitted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writer.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl<W: Write> Output for Fitted<W> {
    fn width(&self) -> Option<usize> {
        self.width
    }

    fn leave_out(&mut self, headings: Vec<Shown>) {
        for heading in headings {
            if !self.left_out.contains(&heading) {
                self.left_out.push(heading);
            }
        }
    }
}
