//! Documents as text, as a terminal shows it, and as Markdown for tickets and wikis.

use super::document::{Block, Document, FIELD_GAP, Medium};
use super::layout::{Frame, ProseTable, each_line};
use super::table::Table;
use crate::base::number::Alignment;
use crate::base::shown::{Shown, sentence};
use std::io::{self, Write};

/// Where a report goes: a writer, which may be as narrow as a terminal.
pub struct Output<'a> {
    writer: &'a mut dyn Write,
    /// The cells of a line; `None` if it may be of any length, as in a file or a pipe.
    width: Option<usize>,
    /// The headings of the columns that tables left out to fit, each once, in the order of the tables.
    pub left_out: Vec<Shown>,
}

impl<'a> Output<'a> {
    /// Creates an output for lines of so many cells; `None` is any number.
    pub fn new(writer: &'a mut dyn Write, width: Option<usize>) -> Self {
        let left_out = Vec::new();
        Self {
            writer,
            width,
            left_out,
        }
    }
}

impl Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Writes a document as text. On a terminal it has its width: sentences are wrapped, and columns of a table that do not fit
/// are left out.
pub(crate) fn write(out: &mut Output<'_>, document: &Document<'_>) -> io::Result<()> {
    let frame = Frame {
        width: out.width,
        ..Frame::default()
    };
    let left_out = each_line(document, frame, &mut |laid| {
        writeln!(out.writer, "{}", laid.line.text().trimmed())
    })?;
    for heading in left_out {
        if !out.left_out.contains(&heading) {
            out.left_out.push(heading);
        }
    }
    Ok(())
}

pub(crate) fn text_of(document: &Document<'_>) -> String {
    let mut text = Vec::new();
    // Writing to memory cannot fail.
    let _ = write(&mut Output::new(&mut text, None), document);
    String::from_utf8_lossy(&text).into_owned()
}

pub(crate) fn write_markdown(out: &mut Output<'_>, document: &Document<'_>) -> io::Result<()> {
    for block in document.blocks_in(Medium::Markdown) {
        match block {
            Block::Heading(text) => writeln!(out, "**{}**\n", escape(text))?,
            Block::Section(text) => writeln!(out, "\n## {}\n", escape(text))?,
            Block::Line(line) | Block::Choice(line, _) => {
                writeln!(out, "{}", line.text().trimmed())?;
            }
            Block::Prose(line) => writeln!(out, "{}\n", escape(&line.text()))?,
            Block::Sentence(text) => writeln!(out, "{text}")?,
            Block::Paragraph(text) => writeln!(out, "{}\n", escape(text))?,
            Block::Item(_, line) => writeln!(out, "- {}", escape(&line.text()))?,
            // A blank line keeps it from becoming a row of the table.
            Block::Note(text) => writeln!(out, "\n{}", escape(text))?,
            Block::Table(table) => write_markdown_table(out, table)?,
            Block::ProseTable(table) => write_prose_table(out, table)?,
            Block::Verbatim { language, lines } => write_fenced(out, language, lines)?,
            Block::Figures(_) => {}
            Block::Gap => writeln!(out)?,
        }
    }
    Ok(())
}

/// Writes lines between fences longer than any run of backquotes in them.
fn write_fenced(out: &mut Output<'_>, language: &str, lines: &[Vec<Shown>]) -> io::Result<()> {
    let texts = lines.iter().flatten();
    let runs = texts.flat_map(|text| text.split(|char| char != '`').map(str::len));
    let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
    writeln!(out, "{fence}{language}")?;
    for line in lines {
        writeln!(out, "{}", line.join(FIELD_GAP))?;
    }
    writeln!(out, "{fence}")
}

fn write_markdown_table(out: &mut Output<'_>, table: &Table<'_>) -> io::Result<()> {
    let heads = &table.heads;
    let headings = heads.iter().map(|head| escape(&head.text));
    writeln!(out, "{}", markdown_row(headings))?;
    let rules = heads.iter().map(|head| match head.alignment {
        Alignment::Left => "---".into(),
        Alignment::Right => "---:".into(),
    });
    writeln!(out, "{}", markdown_row(rules))?;
    table.each(&mut |row| {
        let cells = (0..heads.len()).map(|column| escape(&row.cell(column).shown()));
        writeln!(out, "{}", markdown_row(cells))
    })
}

fn write_prose_table(out: &mut Output<'_>, table: &ProseTable) -> io::Result<()> {
    for (place, row) in table.rows.iter().enumerate() {
        let cells = row.iter().map(|cell| escape(&cell.text()));
        writeln!(out, "{}", markdown_row(cells))?;
        if place == 0 {
            let rules = row.iter().map(|_| "---".into());
            writeln!(out, "{}", markdown_row(rules))?;
        }
    }
    Ok(())
}

fn markdown_row(cells: impl Iterator<Item = Shown>) -> Shown {
    sentence!("| {} |", Shown::joined(cells, " | "))
}

/// Between an `@` and a name: trackers would take them for somebody to call, and escaping the `@` does not help. It has
/// no width where Markdown is shown.
const NO_MENTION: &str = "&#8203;";

/// Returns a text such that Markdown shows it as it is, and that calls nobody.
fn escape(text: &Shown) -> Shown {
    let mut escaped = String::with_capacity(text.len());
    let mut last = ' ';
    let mut calls = false;
    for char in text.chars() {
        if calls && char.is_alphanumeric() {
            escaped.push_str(NO_MENTION);
        }
        // In alice@gpu and alice@host nobody is called.
        calls = char == '@' && !last.is_alphanumeric();
        last = char;
        if "\\`*_~|<>[]&#!".contains(char) {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    Shown::again(escaped)
}
