//! Documents as text, as a terminal shows it, and as Markdown for tickets and wikis.

use super::document::{Block, Document, FIELD_GAP, Medium};
use super::drawing::Drawing;
use super::layout::{Frame, ProseTable, drawn, each_line};
use super::table::Table;
use crate::base::number::Alignment;
use crate::base::shown::Shown;
use std::io::{self, Write};

/// Where a report goes: a writer, which may be as narrow as a terminal.
pub struct Output<'a> {
    /// The writer.
    writer: &'a mut dyn Write,
    /// The cells of a line; `None` if it may be of any length, as in a file or a pipe.
    width: Option<usize>,
    /// The headings of the columns that tables left out to fit, each once, in the order of the tables.
    pub left_out: Vec<Shown>,
}

impl<'a> Output<'a> {
    /// Creates an output for lines of so many cells; `None` is any number.
    pub fn new(writer: &'a mut dyn Write, width: Option<usize>) -> Self {
        Self {
            writer,
            width,
            left_out: Vec::new(),
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

/// Returns a document as text of any width.
pub(crate) fn text_of(document: &Document<'_>) -> String {
    let mut text = Vec::new();
    // Writing to memory cannot fail.
    let _ = write(&mut Output::new(&mut text, None), document);
    String::from_utf8_lossy(&text).into_owned()
}

/// Writes a document as Markdown.
pub(crate) fn write_markdown(out: &mut Output<'_>, document: &Document<'_>) -> io::Result<()> {
    for block in document.blocks_in(Medium::Markdown) {
        match block {
            Block::Line(line) | Block::Choice(line, _) => {
                writeln!(out, "{}", line.text().trimmed())?;
            }
            Block::Sentence(text) => writeln!(out, "{text}")?,
            Block::Table(table) => write_table(out, table)?,
            Block::ProseTable(table) => write_prose_table(out, table)?,
            Block::Verbatim { language, lines } => write_fenced(out, language, lines)?,
            Block::Figures(drawing) => write_drawing(out, drawing)?,
            Block::Gap => writeln!(out)?,
            Block::Heading(text) => write_between(out, "**", text, "**\n")?,
            Block::Section(text) => write_between(out, "\n## ", text, "\n")?,
            Block::Prose(line) => write_between(out, "", &line.text(), "\n")?,
            Block::Paragraph(text) => write_between(out, "", text, "\n")?,
            Block::Item(_, line) => write_between(out, "- ", &line.text(), "")?,
            // A blank line keeps it from becoming a row of the table.
            Block::Note(text) => write_between(out, "\n", text, "")?,
        }
    }
    Ok(())
}

/// Writes a text as a line, between marks of Markdown.
fn write_between(out: &mut Output<'_>, before: &str, text: &Shown, after: &str) -> io::Result<()> {
    writeln!(out, "{before}{}{after}", escape(text))
}

/// Writes a drawing in characters, which are aligned between fences.
fn write_drawing(out: &mut Output<'_>, drawing: &Drawing) -> io::Result<()> {
    let mut lines = Vec::new();
    for line in drawn(drawing, Frame::default()) {
        lines.push(vec![line.text().trimmed()]);
    }
    // The blank line behind the drawing is behind the fence.
    if lines.pop().is_some() {
        write_fenced(out, "", &lines)?;
        writeln!(out)?;
    }
    Ok(())
}

/// Writes lines between fences longer than any run of backquotes in them.
fn write_fenced(out: &mut Output<'_>, language: &str, lines: &[Vec<Shown>]) -> io::Result<()> {
    let mut longest = 2;
    for text in lines.iter().flatten() {
        for run in text.split(|char| char != '`') {
            longest = longest.max(run.len());
        }
    }
    let fence = "`".repeat(longest + 1);
    writeln!(out, "{fence}{language}")?;
    for line in lines {
        writeln!(out, "{}", line.join(FIELD_GAP))?;
    }
    writeln!(out, "{fence}")
}

/// Writes a table of columns.
fn write_table(out: &mut Output<'_>, table: &Table<'_>) -> io::Result<()> {
    let mut headings = Vec::new();
    let mut rules = Vec::new();
    for head in &table.heads {
        headings.push(escape(&head.text));
        rules.push(match head.alignment {
            Alignment::Left => "---".into(),
            Alignment::Right => "---:".into(),
        });
    }
    write_row(out, &headings)?;
    write_row(out, &rules)?;
    table.each(&mut |row| {
        let mut cells = Vec::new();
        for column in 0..headings.len() {
            cells.push(escape(&row.cell(column).shown()));
        }
        write_row(out, &cells)
    })
}

/// Writes a table of prose, whose first row has the headings.
fn write_prose_table(out: &mut Output<'_>, table: &ProseTable) -> io::Result<()> {
    for (place, row) in table.rows.iter().enumerate() {
        let mut cells = Vec::new();
        for cell in row {
            cells.push(escape(&cell.text()));
        }
        write_row(out, &cells)?;
        if place == 0 {
            write_row(out, &vec!["---".into(); row.len()])?;
        }
    }
    Ok(())
}

/// Writes a row of a table.
fn write_row(out: &mut Output<'_>, cells: &[Shown]) -> io::Result<()> {
    writeln!(out, "| {} |", cells.join(" | "))
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
