//! A report for people: sentences, tables, trees and figures, as text, as Markdown or as HTML.

use super::figure::Drawing;
use super::front::Front;
use super::html;
use super::line::Line;
use super::markdown::{self, escape};
use super::table::{self, Column};
use super::{Output, View, dump};
use crate::base::shown::{Shown, sentence};
use std::io;

/// The output of a report for people.
pub(super) struct Page<'a> {
    target: Target<'a>,
    is_markdown: bool,
}

/// The destination of a page.
enum Target<'a> {
    /// A file or a terminal.
    Stream(&'a mut dyn Output),
    /// A list of lines, to be drawn.
    Lines(&'a mut Vec<Shown>),
    /// A page to publish.
    Html(html::Writer<'a>),
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

    /// Begins a page to publish, which [`Self::end`] completes.
    pub(super) fn html(out: &'a mut dyn Output, front: &Front) -> io::Result<Self> {
        Ok(Self {
            target: Target::Html(html::Writer::begin_page(out, front)?),
            is_markdown: false,
        })
    }

    /// Returns a page of text whose lines are collected, which cannot fail.
    pub(super) fn collected(lines: &'a mut Vec<Shown>) -> Self {
        Self {
            target: Target::Lines(lines),
            is_markdown: false,
        }
    }

    /// Ends the page.
    pub(super) fn end(self) -> io::Result<()> {
        match self.target {
            Target::Html(html) => html.end_page(),
            Target::Stream(_) | Target::Lines(_) => Ok(()),
        }
    }

    /// Whether the page is Markdown.
    pub(super) fn is_markdown(&self) -> bool {
        self.is_markdown
    }

    /// Whether the page shows trees and figures as such, and not as lines.
    pub(super) fn is_drawn(&self) -> bool {
        matches!(self.target, Target::Html(_))
    }

    /// Writes the policy beside that of the dump, above a table; a page to publish has it at the top.
    pub(super) fn headline(&mut self, view: &View<'_>) -> io::Result<()> {
        let Some(headline) = dump::headline(view).filter(|_| !self.is_drawn()) else {
            return Ok(());
        };
        self.line(headline)?;
        // Markdown would take a line directly above a table for its heading.
        self.gap_in_markdown()
    }

    /// Writes a line as it is; on a page to publish it is a paragraph.
    pub(super) fn line(&mut self, line: impl Into<Shown>) -> io::Result<()> {
        let line = line.into();
        match &mut self.target {
            Target::Stream(out) => {
                out.write_all(line.as_bytes())?;
                out.write_all(b"\n")
            }
            Target::Lines(lines) => {
                lines.push(line);
                Ok(())
            }
            Target::Html(html) => html.paragraph(&line),
        }
    }

    /// Writes lines of prose, without their emphasis where there is none.
    pub(super) fn lines(&mut self, lines: &[Line]) -> io::Result<()> {
        for line in lines {
            match &mut self.target {
                Target::Html(html) => html.prose(line)?,
                Target::Stream(_) | Target::Lines(_) => self.line(line.text().trimmed())?,
            }
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
        if let Target::Html(html) = &mut self.target {
            return html.heading(&text.into());
        }
        if !self.is_markdown {
            return self.line(text);
        }
        self.line(sentence!("**{}**", escape(&text.into())))?;
        self.gap()
    }

    /// Writes the heading of a section of a whole document.
    pub(super) fn section(&mut self, text: impl Into<Shown>) -> io::Result<()> {
        let text = text.into();
        if let Target::Html(html) = &mut self.target {
            return html.heading(&text);
        }
        self.gap()?;
        if !self.is_markdown {
            return self.line(sentence!("{text}:"));
        }
        self.line(sentence!("## {}", escape(&text)))?;
        self.gap()
    }

    /// Writes one item of a list; text has `mark` before it.
    pub(super) fn item(&mut self, mark: &'static str, text: impl Into<Shown>) -> io::Result<()> {
        if let Target::Html(html) = &mut self.target {
            return html.item(&text.into());
        }
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
        if let Target::Html(html) = &mut self.target {
            return html.note(&text);
        }
        if !self.is_markdown {
            return self.line(text);
        }
        self.gap()?;
        self.line(escape(&text))
    }

    /// Writes lines of a file or of a shell verbatim; tabs separate their fields. In Markdown fences longer than any run
    /// of backquotes are around them, in text they are indented.
    pub(super) fn verbatim(
        &mut self,
        language: &'static str,
        mut lines: Vec<Vec<Shown>>,
    ) -> io::Result<()> {
        if let Target::Html(html) = &mut self.target {
            return html.verbatim(&lines);
        }
        if !self.is_markdown {
            for line in &mut lines {
                line[0] = sentence!("  {}", line[0]);
                self.fields(line)?;
            }
            return Ok(());
        }
        let runs = lines
            .iter()
            .flatten()
            .flat_map(|line| line.split(|char| char != '`').map(str::len));
        let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
        self.line(sentence!("{fence}{language}"))?;
        for line in &lines {
            self.fields(line)?;
        }
        self.line(sentence!("{fence}"))
    }

    /// Writes a line of a file whose fields tabs separate.
    fn fields(&mut self, fields: &[Shown]) -> io::Result<()> {
        match &mut self.target {
            Target::Stream(out) => writeln!(out, "{}", fields.join("\t")),
            Target::Lines(lines) => {
                lines.push(Shown::joined(fields, "  "));
                Ok(())
            }
            Target::Html(html) => html.verbatim(&[fields.to_vec()]),
        }
    }

    /// Writes a blank line; on a page to publish a list ends there.
    pub(super) fn gap(&mut self) -> io::Result<()> {
        match &mut self.target {
            Target::Html(html) => html.gap(),
            Target::Stream(_) | Target::Lines(_) => self.line(""),
        }
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
        let room = match &mut self.target {
            Target::Stream(out) => out.width(),
            Target::Lines(_) => None,
            Target::Html(html) => return html.table(columns, rows),
        };
        let mut table = table::Lines::new(columns, rows.clone(), room);
        if let Target::Stream(out) = &mut self.target {
            out.leave_out(std::mem::take(&mut table.left_out));
        }
        table.of(rows).try_for_each(|line| self.line(line))
    }

    /// Writes a tree: the first column is the name, and every account is before its members. `depth` returns the steps
    /// of a row below the first. What is no page to publish has a table, with the guide lines that its names begin with.
    pub(super) fn tree<R>(
        &mut self,
        columns: &[Column<'_, R>],
        rows: impl Iterator<Item = R> + Clone,
        depth: impl Fn(&R) -> usize,
    ) -> io::Result<()> {
        match &mut self.target {
            Target::Html(html) => html.tree(columns, rows, depth),
            Target::Stream(_) | Target::Lines(_) => self.table(columns, rows),
        }
    }

    /// Draws numbers over time; a form that cannot draw leaves them to its tables.
    pub(super) fn figures<'d>(&mut self, drawing: impl FnOnce() -> Drawing<'d>) -> io::Result<()> {
        match &mut self.target {
            Target::Html(html) => html.figures(&drawing()),
            Target::Stream(_) | Target::Lines(_) => Ok(()),
        }
    }
}
