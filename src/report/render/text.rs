//! Documents as text, as a terminal shows it, and as Markdown for tickets and wikis.

use super::document::{Block, Document, Medium};
use super::table::Table;
use crate::base::number::Alignment;
use crate::base::shown::{Shown, sentence};
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

fn put(out: &mut dyn Output, line: &str) -> io::Result<()> {
    out.write_all(line.as_bytes())?;
    out.write_all(b"\n")
}

/// Writes a document as text. Columns of a table that do not fit the width of the output are left out.
pub(in crate::report) fn write(out: &mut dyn Output, document: &Document<'_>) -> io::Result<()> {
    for block in document.blocks_in(Medium::Text) {
        match block {
            Block::Heading(text)
            | Block::Sentence(text)
            | Block::Paragraph(text)
            | Block::Note(text) => put(out, text)?,
            Block::Section(text) => writeln!(out, "\n{text}:")?,
            Block::Line(line) => put(out, &line.text().trimmed())?,
            Block::Item(mark, line) => put(out, &(Shown::from(*mark) + &line.text()))?,
            Block::Table(table) => {
                let room = out.width();
                let left_out = table.each_line(room, &mut |line, _| put(out, &line))?;
                out.leave_out(left_out);
            }
            Block::Verbatim { lines, .. } => {
                for line in lines {
                    writeln!(out, "  {}", line.join("\t"))?;
                }
            }
            Block::Figures(_) => {}
            Block::Gap => put(out, "")?,
        }
    }
    Ok(())
}

pub(in crate::report) fn text_of(document: &Document<'_>) -> String {
    let mut text = Vec::new();
    // Writing to memory cannot fail.
    let _ = write(&mut text, document);
    String::from_utf8_lossy(&text).into_owned()
}

pub(in crate::report) fn write_markdown(
    out: &mut dyn Output,
    document: &Document<'_>,
) -> io::Result<()> {
    for block in document.blocks_in(Medium::Markdown) {
        match block {
            Block::Heading(text) => writeln!(out, "**{}**\n", escape(text))?,
            Block::Section(text) => writeln!(out, "\n## {}\n", escape(text))?,
            Block::Line(line) => put(out, &line.text().trimmed())?,
            Block::Sentence(text) => put(out, text)?,
            Block::Paragraph(text) => writeln!(out, "{}\n", escape(text))?,
            Block::Item(_, line) => writeln!(out, "- {}", escape(&line.text()))?,
            // A blank line keeps it from becoming a row of the table.
            Block::Note(text) => writeln!(out, "\n{}", escape(text))?,
            Block::Table(table) => write_markdown_table(out, table)?,
            Block::Verbatim { language, lines } => write_fenced(out, language, lines)?,
            Block::Figures(_) => {}
            Block::Gap => put(out, "")?,
        }
    }
    Ok(())
}

/// Writes lines between fences longer than any run of backquotes in them.
fn write_fenced(out: &mut dyn Output, language: &str, lines: &[Vec<Shown>]) -> io::Result<()> {
    let texts = lines.iter().flatten();
    let runs = texts.flat_map(|text| text.split(|char| char != '`').map(str::len));
    let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
    writeln!(out, "{fence}{language}")?;
    for line in lines {
        put(out, &line.join("\t"))?;
    }
    put(out, &fence)
}

fn write_markdown_table(out: &mut dyn Output, table: &Table<'_>) -> io::Result<()> {
    let heads = &table.heads;
    let headings = heads.iter().map(|head| escape(&head.text));
    put(out, &markdown_row(headings))?;
    let rules = heads.iter().map(|head| match head.alignment {
        Alignment::Left => "---".into(),
        Alignment::Right => "---:".into(),
    });
    put(out, &markdown_row(rules))?;
    table.each(&mut |row| {
        let cells = (0..heads.len()).map(|column| escape(&row.cell(column).shown()));
        put(out, &markdown_row(cells))
    })
}

fn markdown_row(cells: impl Iterator<Item = Shown>) -> Shown {
    sentence!("| {} |", Shown::joined(cells, " | "))
}

/// Returns a text such that Markdown shows it as it is.
fn escape(text: &Shown) -> Shown {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        if "\\`*_~|<>[]&#!".contains(char) {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    Shown::again(escaped)
}
