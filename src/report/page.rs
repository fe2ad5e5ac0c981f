//! A report for people: sentences and tables, as text or as Markdown.

use super::Output;
use super::line::Line;
use super::markdown::{self, escape};
use super::table::{self, Column};
use crate::base::shown::{Shown, sentence};
use std::io;

/// The output of a report for people.
pub(super) struct Page<'a> {
    target: Target<'a>,
    is_markdown: bool,
}

/// The destination of the lines of a page.
enum Target<'a> {
    /// A file or a terminal.
    Stream(&'a mut dyn Output),
    /// A list of lines, to be drawn.
    Lines(&'a mut Vec<Shown>),
}

impl<'a> Page<'a> {
    /// Returns a page of text.
    pub(super) fn text(out: &'a mut dyn Output) -> Self {
        Self {
            target: Target::Stream(out),
            is_markdown: false,
        }
    }

    /// Returns a page of Markdown.
    pub(super) fn markdown(out: &'a mut dyn Output) -> Self {
        Self {
            target: Target::Stream(out),
            is_markdown: true,
        }
    }

    /// Returns a page of text whose lines are collected, which cannot fail.
    pub(super) fn collected(lines: &'a mut Vec<Shown>) -> Self {
        Self {
            target: Target::Lines(lines),
            is_markdown: false,
        }
    }

    /// Whether the page is Markdown.
    pub(super) fn is_markdown(&self) -> bool {
        self.is_markdown
    }

    /// Writes a line as it is.
    pub(super) fn line(&mut self, line: impl Into<Shown>) -> io::Result<()> {
        let line = line.into();
        match &mut self.target {
            Target::Stream(out) => writeln!(out, "{line}"),
            Target::Lines(lines) => {
                lines.push(line);
                Ok(())
            }
        }
    }

    /// Writes lines of prose without their emphasis.
    pub(super) fn lines(&mut self, lines: &[Line]) -> io::Result<()> {
        for line in lines {
            self.line(line.text().trimmed())?;
        }
        Ok(())
    }

    /// Writes a sentence as a paragraph; in Markdown a blank line follows.
    pub(super) fn paragraph(&mut self, text: impl Into<Shown>) -> io::Result<()> {
        if !self.is_markdown {
            return self.line(text);
        }
        self.line(escape(&text.into()))?;
        self.gap()
    }

    /// Writes a heading.
    pub(super) fn heading(&mut self, text: impl Into<Shown>) -> io::Result<()> {
        if !self.is_markdown {
            return self.line(text);
        }
        self.line(sentence!("**{}**", escape(&text.into())))?;
        self.gap()
    }

    /// Writes one item of a list; text has `mark` before it.
    pub(super) fn item(&mut self, mark: &'static str, text: impl Into<Shown>) -> io::Result<()> {
        if self.is_markdown {
            self.line(sentence!("- {}", escape(&text.into())))
        } else {
            self.line(Shown::from(mark) + &text.into())
        }
    }

    /// Writes a sentence below a table, if there is one. In Markdown a blank line keeps it from becoming a row.
    pub(super) fn note(&mut self, text: Option<Shown>) -> io::Result<()> {
        let Some(text) = text else {
            return Ok(());
        };
        if !self.is_markdown {
            return self.line(text);
        }
        self.gap()?;
        self.line(escape(&text))
    }

    /// Writes a line of a file whose fields tabs separate.
    pub(super) fn fields(&mut self, fields: &[Shown]) -> io::Result<()> {
        match &mut self.target {
            Target::Stream(out) => writeln!(out, "{}", fields.join("\t")),
            Target::Lines(lines) => {
                lines.push(Shown::joined(fields, "  "));
                Ok(())
            }
        }
    }

    /// Writes a blank line.
    pub(super) fn gap(&mut self) -> io::Result<()> {
        self.line("")
    }

    /// Writes the blank line that text has before a table; Markdown has one after every paragraph.
    pub(super) fn gap_in_text(&mut self) -> io::Result<()> {
        if self.is_markdown { Ok(()) } else { self.gap() }
    }

    /// Writes the blank line that Markdown needs after a line or a table.
    pub(super) fn gap_in_markdown(&mut self) -> io::Result<()> {
        if self.is_markdown { self.gap() } else { Ok(()) }
    }

    /// Writes a table; columns that do not fit the width of the output are left out.
    pub(super) fn table<R>(
        &mut self,
        columns: &[Column<'_, R>],
        rows: impl Iterator<Item = R> + Clone,
    ) -> io::Result<()> {
        if self.is_markdown {
            return markdown::lines(columns, rows).try_for_each(|line| self.line(line));
        }
        let room = match &self.target {
            Target::Stream(out) => out.width(),
            Target::Lines(_) => None,
        };
        let mut table = table::Lines::new(columns, rows.clone(), room);
        if let Target::Stream(out) = &mut self.target {
            out.leave_out(std::mem::take(&mut table.left_out));
        }
        table.of(rows).try_for_each(|line| self.line(line))
    }
}
