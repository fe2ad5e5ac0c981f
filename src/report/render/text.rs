//! Documents as text, as a terminal shows it, and as Markdown for tickets and wikis.

use super::document::{Block, Document, FIELD_GAP, Medium, Part};
use super::drawing::Drawing;
use super::layout::{Frame, ProseTable, drawn, each_line};
use super::table::Table;
use crate::base::number::Alignment;
use crate::base::shown::{Shown, sentence};
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
    let mut out = Output::new(&mut text, None);
    // Writing to memory cannot fail.
    let _ = write(&mut out, document);
    String::from_utf8_lossy(&text).into_owned()
}

/// Writes a document as Markdown.
pub(crate) fn write_markdown(out: &mut Output<'_>, document: &Document<'_>) -> io::Result<()> {
    let mut writer = MarkdownWriter { out };
    for placed in document.placed_in(Medium::Markdown) {
        match &placed.part {
            Part::Block(Block::Section(text)) if placed.is_inner => {
                writer.write_inner_heading(text)?;
            }
            Part::Block(block) => writer.write_block(block)?,
            Part::Table(table) => writer.write_table(table)?,
        }
    }
    Ok(())
}

/// Writes the parts of a document as Markdown.
struct MarkdownWriter<'o, 'w> {
    /// Where it goes.
    out: &'o mut Output<'w>,
}

impl MarkdownWriter<'_, '_> {
    /// Writes a block.
    fn write_block(&mut self, block: &Block) -> io::Result<()> {
        match block {
            Block::Heading(text) => {
                let text = escape(text);
                self.write_line(&sentence!("**{text}**"))?;
                self.write_line("")
            }
            Block::Section(text) => {
                let text = escape(text);
                self.write_heading(&sentence!("## {text}"))
            }
            Block::Line(line) | Block::Choice(line, _) => {
                let text = line.text().trimmed();
                self.write_line(&text)
            }
            Block::Prose(line) => self.write_paragraph(&line.text()),
            Block::Paragraph(text) => self.write_paragraph(text),
            Block::Sentence(text) => self.write_line(text),
            Block::Item(_, line) => {
                let text = escape(&line.text());
                self.write_line(&sentence!("- {text}"))
            }
            Block::Note(text) => {
                let text = escape(text);
                // A blank line keeps it from becoming a row of the table.
                self.write_line("")?;
                self.write_line(&text)
            }
            Block::ProseTable(table) => self.write_prose_table(table),
            Block::Verbatim { language, lines } => self.write_fenced(language, lines),
            Block::Figures(drawing) => self.write_drawing(drawing),
            Block::Link { link, about, .. } => {
                let text = escape(&link.text);
                let about = escape(about);
                self.write_line(&sentence!("- [{text}]({}): {about}", link.file))
            }
            // Trackers show a fold as text, and wikis not at all.
            Block::FoldStart(_) | Block::FoldEnd => Ok(()),
            Block::Gap => self.write_line(""),
        }
    }

    /// Writes the heading of a section in another one.
    fn write_inner_heading(&mut self, text: &Shown) -> io::Result<()> {
        let text = escape(text);
        self.write_heading(&sentence!("*{text}*"))
    }

    /// Writes a heading between blank lines.
    fn write_heading(&mut self, heading: &str) -> io::Result<()> {
        self.write_line("")?;
        self.write_line(heading)?;
        self.write_line("")
    }

    /// Writes a line as it is.
    fn write_line(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.out, "{line}")
    }

    /// Writes a paragraph, with a blank line behind it.
    fn write_paragraph(&mut self, text: &Shown) -> io::Result<()> {
        self.write_line(&escape(text))?;
        self.write_line("")
    }

    /// Writes a drawing in characters, which are aligned between fences.
    fn write_drawing(&mut self, drawing: &Drawing) -> io::Result<()> {
        let mut lines = Vec::new();
        for line in drawn(drawing, Frame::default()) {
            let text = line.text().trimmed();
            lines.push(vec![text]);
        }
        // The blank line behind the drawing is behind the fence.
        if lines.pop().is_some() {
            self.write_fenced("", &lines)?;
            self.write_line("")?;
        }
        Ok(())
    }

    /// Writes lines between fences longer than any run of backquotes in them.
    fn write_fenced(&mut self, language: &str, lines: &[Vec<Shown>]) -> io::Result<()> {
        let mut longest = 2;
        for text in lines.iter().flatten() {
            for run in text.split(|char| char != '`') {
                longest = longest.max(run.len());
            }
        }
        let fence = "`".repeat(longest + 1);
        writeln!(self.out, "{fence}{language}")?;
        for line in lines {
            self.write_line(&line.join(FIELD_GAP))?;
        }
        self.write_line(&fence)
    }

    /// Writes a table of columns.
    fn write_table(&mut self, table: &Table<'_>) -> io::Result<()> {
        let mut headings = Vec::new();
        let mut rules = Vec::new();
        for head in &table.heads {
            headings.push(escape(&head.text));
            let rule = match head.alignment {
                Alignment::Left => LEFT,
                Alignment::Right => "---:",
            };
            rules.push(rule.into());
        }
        self.write_row(&headings)?;
        self.write_row(&rules)?;
        table.each(&mut |row| {
            let mut cells = Vec::new();
            for column in 0..headings.len() {
                let text = row.cell(column).shown();
                cells.push(escape(&text));
            }
            self.write_row(&cells)
        })
    }

    /// Writes a table of prose, whose first row has the headings.
    fn write_prose_table(&mut self, table: &ProseTable) -> io::Result<()> {
        for (place, row) in table.rows.iter().enumerate() {
            let mut cells = Vec::new();
            for cell in row {
                cells.push(escape(&cell.text()));
            }
            self.write_row(&cells)?;
            if place == 0 {
                let rules = vec![LEFT.into(); row.len()];
                self.write_row(&rules)?;
            }
        }
        Ok(())
    }

    /// Writes a row of a table.
    fn write_row(&mut self, cells: &[Shown]) -> io::Result<()> {
        let row = cells.join(" | ");
        writeln!(self.out, "| {row} |")
    }
}

/// What stands below the heading of texts in a table.
const LEFT: &str = "---";

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
