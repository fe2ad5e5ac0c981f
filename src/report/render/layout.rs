//! Documents as lines of so many cells: what a terminal prints, what the screen styles, and what is copied and saved.

mod figure;
mod prose_table;

pub use figure::drawn;
pub(crate) use figure::sparkline;
pub(crate) use prose_table::ProseTable;

use super::document::{Block, Document, FIELD_GAP, Medium, Part};
use super::drawing::Drawing;
use super::line::{Emphasis, Line, Span, cells_of};
use super::table::Table;
use crate::base::ascii;
use crate::base::shown::{Shown, cells, sentence, split_at_width};
use std::io;

/// How many cells a line of an explanation that goes on is indented by.
const HANGING: usize = 4;

/// How many cells what is below a heading of a page is indented by.
const BELOW_HEADING: usize = 2;

/// Where a document is shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frame {
    /// The cells of a line; `None` if it may be of any length, as in a file or a pipe.
    pub width: Option<usize>,
    /// Whether it is a page: its headings are set off, and what is below them is indented.
    pub is_page: bool,
    /// Whether it has the characters of ASCII only.
    pub is_ascii: bool,
}

impl Frame {
    /// Returns the cells of a line below a heading.
    fn room(self) -> Option<usize> {
        let indent = self.indent();
        self.width.map(|width| width.saturating_sub(indent).max(1))
    }

    /// Returns a text in the characters of the frame.
    fn spelled(self, text: &Shown) -> Shown {
        if self.is_ascii {
            return Shown::again(ascii::escape(text));
        }
        text.clone()
    }

    /// Returns how many cells what is below a heading is indented by.
    const fn indent(self) -> usize {
        if self.is_page { BELOW_HEADING } else { 0 }
    }
}

/// A line of a document at its width.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LaidLine {
    /// The line. It is not wider than the frame, unless that cannot be helped.
    pub(crate) line: Line,
    /// The choice of the page that it offers.
    pub(crate) choice: Option<usize>,
    /// Whether it is in a table of columns.
    pub(crate) place: TablePlace,
}

/// Where a line is in a table of columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TablePlace {
    /// In none.
    #[default]
    Outside,
    /// It has the headings.
    Headings,
    /// It is a row.
    Row,
}

/// Gets one line after the other.
type OnLine<'v> = &'v mut dyn FnMut(LaidLine) -> io::Result<()>;

/// Returns the lines of a document in a frame.
pub(crate) fn layout(document: &Document<'_>, frame: Frame) -> Vec<LaidLine> {
    let mut lines = Vec::new();
    // Collecting lines cannot fail.
    let _ = each_line(document, frame, &mut |line| {
        lines.push(line);
        Ok(())
    });
    lines
}

/// Lays out a document, a line at a time: a table of a million rows is never held in memory. Returns the headings of the
/// columns that tables left out to fit, each once.
pub(crate) fn each_line(
    document: &Document<'_>,
    frame: Frame,
    on_line: OnLine<'_>,
) -> io::Result<Vec<Shown>> {
    let mut layout = Layout {
        frame,
        on_line,
        left_out: Vec::new(),
        is_after_blank: false,
    };
    for part in document.parts_in(Medium::Text) {
        match part {
            Part::Block(block) => layout.put_block(block)?,
            Part::Table(table) => layout.put_table(table)?,
        }
    }
    Ok(layout.left_out)
}

/// A document while it is laid out.
struct Layout<'v> {
    /// Where it is shown.
    frame: Frame,
    /// Gets each line as soon as it is laid out.
    on_line: OnLine<'v>,
    /// The headings of the columns that were left out so far.
    left_out: Vec<Shown>,
    /// Whether the last line was blank.
    is_after_blank: bool,
}

impl Layout<'_> {
    /// Lays out one block.
    fn put_block(&mut self, block: &Block) -> io::Result<()> {
        match block {
            Block::Heading(text) => self.put_heading(text.clone()),
            Block::Section(text) if self.frame.is_page => self.put_heading(text.clone()),
            Block::Section(text) => {
                self.put_gap()?;
                self.put_sentence(sentence!("{text}:"))
            }
            Block::Line(line) => self.put_wrapped(line, HANGING, None),
            Block::Prose(line) => self.put_wrapped(line, 0, None),
            Block::Choice(line, choice) => self.put_wrapped(line, HANGING, Some(*choice)),
            Block::Sentence(text) | Block::Paragraph(text) => self.put_sentence(text.clone()),
            Block::Item(mark, line) => self.put_item(mark, line),
            Block::Note(text) => {
                let note = Line::of(Emphasis::Dim, text.clone());
                self.put_wrapped(&note, 0, None)
            }
            Block::ProseTable(table) => self.put_prose_table(table),
            Block::Verbatim { lines, .. } => self.put_verbatim(lines),
            Block::Figures(drawing) => self.put_drawing(drawing),
            Block::Link { link, about, .. } => {
                let text = sentence!("{}: {}. {about}", link.file, link.text);
                self.put_item(&"  ".into(), &text.into())
            }
            // Text has no folds: it is read from the top.
            Block::FoldStart(_) | Block::FoldEnd => Ok(()),
            Block::Gap => self.put_gap(),
        }
    }

    /// Puts an item of a list. What is wrapped is indented as far as the text behind the mark.
    fn put_item(&mut self, mark: &Shown, text: &Line) -> io::Result<()> {
        let mut line = Line::from(mark.clone());
        line.spans.extend_from_slice(&text.spans);
        let hanging = cells(mark.trim_start());
        self.put_wrapped(&line, hanging, None)
    }

    /// Puts a table of prose, whose cells are wrapped in their columns.
    fn put_prose_table(&mut self, table: &ProseTable) -> io::Result<()> {
        let room = self.frame.room();
        for line in table.lines(room) {
            let line = self.spelled(line);
            self.put(line, None)?;
        }
        Ok(())
    }

    /// Puts a drawing in characters.
    fn put_drawing(&mut self, drawing: &Drawing) -> io::Result<()> {
        for line in drawn(drawing, self.frame) {
            self.put(line, None)?;
        }
        Ok(())
    }

    /// Wraps a sentence.
    fn put_sentence(&mut self, text: Shown) -> io::Result<()> {
        let line = Line::from(text);
        self.put_wrapped(&line, 0, None)
    }

    /// Sets off a heading of a page; in text it is a line.
    fn put_heading(&mut self, text: Shown) -> io::Result<()> {
        if !self.frame.is_page {
            return self.put_sentence(text);
        }
        self.put_gap()?;
        let line = self.spelled(Line::strong(text));
        for line in wrapped(&line, self.frame.width, 0) {
            self.put_as_it_is(line, None)?;
        }
        Ok(())
    }

    /// Wraps a line, the rest of it indented by so many cells more. A part of a drawing is cut on a page, and else left as it
    /// is.
    fn put_wrapped(
        &mut self,
        line: &Line,
        hanging: usize,
        choice: Option<usize>,
    ) -> io::Result<()> {
        let room = self.frame.room();
        let line = self.spelled(line.clone());
        if !line.is_drawing {
            for line in wrapped(&line, room, hanging) {
                self.put(line, choice)?;
            }
            return Ok(());
        }
        match room {
            // It has its own indentation.
            Some(room) if self.frame.is_page => {
                self.put_as_it_is(line.cut(room + BELOW_HEADING), choice)
            }
            _ => self.put_as_it_is(line, choice),
        }
    }

    /// Puts a table, within the width.
    fn put_table(&mut self, table: &Table<'_>) -> io::Result<()> {
        let room = self.frame.room();
        let mut place = TablePlace::Headings;
        let mut rows = 0;
        let left_out = table.each_line(room, &mut |text, emphasis| {
            let mut laid = LaidLine {
                line: self.spelled(Line::of(emphasis, text)),
                choice: None,
                place,
            };
            if place == TablePlace::Row {
                if table.has_choices {
                    laid.choice = Some(rows);
                }
                rows += 1;
            }
            place = TablePlace::Row;
            self.put_laid(laid)
        })?;
        for heading in left_out {
            if !self.left_out.contains(&heading) {
                self.left_out.push(heading);
            }
        }
        Ok(())
    }

    /// Puts lines of a file or of a shell. Where text is copied line by line they stay whole; a page wraps them.
    fn put_verbatim(&mut self, lines: &[Vec<Shown>]) -> io::Result<()> {
        for fields in lines {
            let text = Shown::joined(fields, FIELD_GAP);
            let line = Line::from("  ").and(Emphasis::Command, text);
            if self.frame.is_page {
                self.put_wrapped(&line, HANGING, None)?;
            } else {
                self.put(line, None)?;
            }
        }
        Ok(())
    }

    /// Puts a blank line, unless the last one was blank.
    fn put_gap(&mut self) -> io::Result<()> {
        if self.is_after_blank {
            return Ok(());
        }
        self.put(Line::default(), None)
    }

    /// Puts a line, indented on a page.
    fn put(&mut self, line: Line, choice: Option<usize>) -> io::Result<()> {
        self.put_laid(LaidLine {
            line,
            choice,
            place: TablePlace::Outside,
        })
    }

    /// Puts a line that is laid out, indented on a page.
    fn put_laid(&mut self, mut laid: LaidLine) -> io::Result<()> {
        let indent = self.frame.indent();
        let spans = &mut laid.line.spans;
        if indent > 0 && !spans.is_empty() {
            spans.splice(0..0, indented(indent).spans);
        }
        self.is_after_blank = spans.is_empty();
        (self.on_line)(laid)
    }

    /// Puts a line that has its own indentation.
    fn put_as_it_is(&mut self, line: Line, choice: Option<usize>) -> io::Result<()> {
        self.is_after_blank = line.spans.is_empty();
        (self.on_line)(LaidLine {
            line,
            choice,
            place: TablePlace::Outside,
        })
    }

    /// Returns a line in the characters of the frame.
    fn spelled(&self, mut line: Line) -> Line {
        for span in &mut line.spans {
            span.text = self.frame.spelled(&span.text);
        }
        line
    }
}

/// A word with the blanks before it. Its spans have no blank between them.
#[derive(Default)]
struct Word {
    /// The blanks before it, which are left out at the beginning of a line.
    blanks: usize,
    /// The word, in pieces of one emphasis each.
    spans: Vec<Span>,
}

impl Word {
    /// Returns the cells of the word without the blanks.
    fn cells(&self) -> usize {
        cells_of(&self.spans)
    }
}

/// Wraps a line at blanks. The lines after the first are indented like it, and by `hanging` cells more, but never by more than
/// half of the width. A word that is wider than a line is broken. Without a width the line stays whole.
pub(crate) fn wrapped(line: &Line, width: Option<usize>, hanging: usize) -> Vec<Line> {
    let Some(width) = width else {
        return vec![line.clone()];
    };
    let width = width.max(1);
    let mut lines = vec![Line::default()];
    let mut used = 0;
    let mut indent = hanging;
    for (place, word) in words(line).into_iter().enumerate() {
        let needed = word.cells();
        let is_first = place == 0;
        if is_first {
            indent += word.blanks;
        }
        let indent = indent.min(width / 2);
        let Some(own) = lines.last_mut() else { break };
        if is_first || used + word.blanks + needed <= width || used <= indent {
            let blanks = word.blanks.min(width.saturating_sub(used + 1));
            own.push_blanks_before(blanks, &word.spans);
            used += blanks;
        } else {
            used = indent;
            lines.push(indented(indent));
        }
        for span in word.spans {
            used = put_broken(&mut lines, span, width, used, indent);
        }
    }
    lines
}

/// Returns the beginning of a line that is indented by so many cells.
fn indented(indent: usize) -> Line {
    let mut line = Line::default();
    line.push_blanks(indent);
    line
}

/// Puts a span behind so many cells of the last line, and breaks it where that is full. Returns how many cells of the last
/// line are used then.
fn put_broken(
    lines: &mut Vec<Line>,
    span: Span,
    width: usize,
    mut used: usize,
    indent: usize,
) -> usize {
    let needed = cells(&span.text);
    if used + needed <= width {
        if let Some(last) = lines.last_mut() {
            last.push(span);
        }
        return used + needed;
    }
    let mut rest = span.text.as_str();
    while !rest.is_empty() {
        let (first, after) = split_at_width(rest, width.saturating_sub(used));
        // The first character of the rest may be wider than the room that is left.
        if used + cells(first) > width && used > indent {
            used = indent;
            lines.push(indented(indent));
            continue;
        }
        if let Some(last) = lines.last_mut() {
            last.push(Span {
                text: Shown::again(first.to_owned()),
                ..span.clone()
            });
        }
        used += cells(first);
        rest = after;
    }
    used
}

/// Returns the words of a line. Blanks at its end are left out.
fn words(line: &Line) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut blanks = 0;
    let mut is_within = false;
    for span in &line.spans {
        for (place, part) in span.text.split(' ').enumerate() {
            if place > 0 {
                blanks += 1;
                is_within = false;
            }
            if part.is_empty() {
                continue;
            }
            if !is_within {
                words.push(Word {
                    blanks,
                    spans: Vec::new(),
                });
                blanks = 0;
                is_within = true;
            }
            if let Some(word) = words.last_mut() {
                word.spans.push(Span {
                    text: Shown::again(part.to_owned()),
                    ..span.clone()
                });
            }
        }
    }
    words
}
