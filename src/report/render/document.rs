//! A report as a value: blocks that text, Markdown, HTML and the screen each render in their own way.

use super::layout::ProseTable;
use super::line::{Emphasis, Line};
use super::table::{KeptTable, Table};
use crate::base::number::grouped;
use crate::base::shown::{Shown, sentence};
use crate::model::NodeId;
use crate::scenario::Edit;
use std::convert::Infallible;

/// Where a part of a document is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Medium {
    /// A terminal, a file, a page of the explorer.
    Text,
    /// A ticket or a wiki.
    Markdown,
    /// A page to publish.
    Html,
}

/// A part of a document, with its tables as `T` and its drawings as `F`.
#[derive(Debug)]
pub(crate) enum BlockOf<T, F> {
    /// The heading of what follows.
    Heading(Shown),
    /// The heading of a section of a whole document.
    Section(Shown),
    /// A line of prose. Below a heading it is indented.
    Line(Line),
    /// A paragraph with emphasis and links.
    Prose(Line),
    /// A line that offers one of the choices of a page, by its place among them.
    Choice(Line, usize),
    /// A sentence as it is, Markdown included.
    Sentence(Shown),
    /// A sentence of prose, with a blank line behind it in Markdown.
    Paragraph(Shown),
    /// An item of a list, and the mark before it in text.
    Item(Shown, Line),
    /// A sentence below a table.
    Note(Shown),
    /// A table of columns.
    Table(T),
    /// A table of prose.
    ProseTable(ProseTable),
    /// Lines of a file or of a shell, verbatim but for the gap between fields.
    Verbatim {
        /// The language, for Markdown; empty for none.
        language: &'static str,
        /// The fields of each line; there is at least one.
        lines: Vec<Vec<Shown>>,
    },
    /// Numbers over time, for a medium that can draw; others leave them to the tables.
    Figures(F),
    /// A blank line. A list ends there.
    Gap,
}

/// A part of a document.
pub(crate) type Block<'a> = BlockOf<Table<'a>, Box<dyn Fn() -> Drawing<'a> + 'a>>;

/// A part of a document that needs nothing else.
pub(crate) type KeptBlock = BlockOf<KeptTable, Infallible>;

/// A document that needs nothing else: its tables hold their cells. It is text, as a page shows it.
#[derive(Debug, Default)]
pub(crate) struct KeptDocument {
    blocks: Vec<KeptBlock>,
}

impl KeptDocument {
    /// Returns the document, to be laid out.
    pub(crate) fn document(&self) -> Document<'_> {
        let mut document = Document::default();
        for block in &self.blocks {
            document.push(match block {
                BlockOf::Heading(text) => Block::Heading(text.clone()),
                BlockOf::Section(text) => Block::Section(text.clone()),
                BlockOf::Line(line) => Block::Line(line.clone()),
                BlockOf::Prose(line) => Block::Prose(line.clone()),
                BlockOf::Choice(line, choice) => Block::Choice(line.clone(), *choice),
                BlockOf::Sentence(text) => Block::Sentence(text.clone()),
                BlockOf::Paragraph(text) => Block::Paragraph(text.clone()),
                BlockOf::Item(mark, line) => Block::Item(mark.clone(), line.clone()),
                BlockOf::Note(text) => Block::Note(text.clone()),
                BlockOf::Table(table) => Block::Table(table.table()),
                BlockOf::ProseTable(table) => Block::ProseTable(table.clone()),
                BlockOf::Verbatim { language, lines } => Block::Verbatim {
                    language,
                    lines: lines.clone(),
                },
                BlockOf::Figures(none) => match *none {},
                BlockOf::Gap => Block::Gap,
            });
        }
        document
    }
}

/// The gap between fields of a line of a file, where the file has a tab: a terminal could not show which of both it is.
pub(crate) const FIELD_GAP: &str = "  ";

/// The answer of a report, before it has a width or a form.
#[derive(Default)]
pub(crate) struct Document<'a> {
    /// The blocks, each with the media that show it.
    blocks: Vec<(&'static [Medium], Block<'a>)>,
    /// The edits that lines of it offer, in their order.
    pub(crate) offers: Vec<Offer>,
}

/// An edit that a line of a document offers.
#[derive(Clone, Debug)]
pub(crate) struct Offer {
    pub(crate) edit: Edit,
    /// The node that it is for.
    pub(crate) node: NodeId,
    /// Whether it is the one that is proposed.
    pub(crate) is_first: bool,
}

/// Every medium.
const ALL: &[Medium] = &[Medium::Text, Medium::Markdown, Medium::Html];

impl<'a> Document<'a> {
    /// Returns what text shows of it, with the cells of its tables.
    pub(crate) fn kept(self) -> KeptDocument {
        let mut blocks = Vec::new();
        for (media, block) in self.blocks {
            if !media.contains(&Medium::Text) {
                continue;
            }
            blocks.push(match block {
                Block::Heading(text) => KeptBlock::Heading(text),
                Block::Section(text) => KeptBlock::Section(text),
                Block::Line(line) => KeptBlock::Line(line),
                Block::Prose(line) => KeptBlock::Prose(line),
                Block::Choice(line, choice) => KeptBlock::Choice(line, choice),
                Block::Sentence(text) => KeptBlock::Sentence(text),
                Block::Paragraph(text) => KeptBlock::Paragraph(text),
                Block::Item(mark, line) => KeptBlock::Item(mark, line),
                Block::Note(text) => KeptBlock::Note(text),
                Block::Table(table) => KeptBlock::Table(table.kept()),
                Block::ProseTable(table) => KeptBlock::ProseTable(table),
                Block::Verbatim { language, lines } => KeptBlock::Verbatim { language, lines },
                Block::Figures(_) => continue,
                Block::Gap => KeptBlock::Gap,
            });
        }
        KeptDocument { blocks }
    }

    /// Adds a line that offers an edit.
    pub(crate) fn offer(&mut self, text: impl Into<Shown>, offer: Offer) {
        let line = Line::of(Emphasis::Command, text);
        self.push(Block::Choice(line, self.offers.len()));
        self.offers.push(offer);
    }

    /// Returns the parts that a medium shows.
    pub(crate) fn blocks_in(&self, medium: Medium) -> impl Iterator<Item = &Block<'a>> {
        let shown = self.blocks.iter();
        let shown = shown.filter(move |(media, _)| media.contains(&medium));
        shown.map(|(_, block)| block)
    }

    /// Adds a part for some media.
    pub(crate) fn push_in(&mut self, media: &'static [Medium], block: Block<'a>) {
        self.blocks.push((media, block));
    }

    /// Adds a part for every medium.
    pub(crate) fn push(&mut self, block: Block<'a>) {
        self.push_in(ALL, block);
    }

    /// Adds the heading of what follows.
    pub(crate) fn heading(&mut self, text: impl Into<Shown>) {
        self.push(Block::Heading(text.into()));
    }

    /// Adds the heading of a section of a whole document.
    pub(crate) fn section(&mut self, text: impl Into<Shown>) {
        self.push(Block::Section(text.into()));
    }

    /// Adds a line of prose with emphasis.
    pub(crate) fn line(&mut self, line: impl Into<Line>) {
        self.push(Block::Line(line.into()));
    }

    /// Adds lines of prose.
    pub(crate) fn lines(&mut self, lines: impl IntoIterator<Item = impl Into<Line>>) {
        for line in lines {
            self.line(line);
        }
    }

    /// Adds a sentence.
    pub(crate) fn sentence(&mut self, text: impl Into<Shown>) {
        self.push(Block::Sentence(text.into()));
    }

    /// Adds sentences.
    pub(crate) fn sentences(&mut self, texts: impl IntoIterator<Item = Shown>) {
        for text in texts {
            self.sentence(text);
        }
    }

    /// Adds a paragraph.
    pub(crate) fn paragraph(&mut self, text: impl Into<Shown>) {
        self.push(Block::Paragraph(text.into()));
    }

    /// Adds paragraphs.
    pub(crate) fn paragraphs(&mut self, texts: impl IntoIterator<Item = Shown>) {
        for text in texts {
            self.paragraph(text);
        }
    }

    /// Adds an item of a list behind its mark.
    pub(crate) fn item(&mut self, mark: impl Into<Shown>, text: impl Into<Line>) {
        self.push(Block::Item(mark.into(), text.into()));
    }

    /// Adds a sentence below a table, if there is one.
    pub(crate) fn note(&mut self, text: Option<Shown>) {
        let note = text.map(|text| (ALL, Block::Note(text)));
        self.blocks.extend(note);
    }

    /// Says how many rows a table left out, if it left out any.
    pub(crate) fn left_off(&mut self, rows: usize) {
        self.sentences(left_off(rows));
    }

    /// Adds a table.
    pub(crate) fn table(&mut self, table: Table<'a>) {
        self.push(Block::Table(table));
    }

    /// Adds a drawing, which is made only where it is drawn.
    pub(crate) fn figures(&mut self, drawing: impl Fn() -> Drawing<'a> + 'a) {
        self.push(Block::Figures(Box::new(drawing)));
    }

    /// Adds a blank line.
    pub(crate) fn gap(&mut self) {
        self.push(Block::Gap);
    }

    /// Adds the blank line that text has before a table; Markdown has one after every paragraph.
    pub(crate) fn gap_in_text(&mut self) {
        self.push_in(&[Medium::Text, Medium::Html], Block::Gap);
    }

    /// Adds the blank line that Markdown needs after a line or a table.
    pub(crate) fn gap_in_markdown(&mut self) {
        self.push_in(&[Medium::Markdown], Block::Gap);
    }

    /// Returns a document that begins with the policy beside that of the dump, if they differ; a published page has it at
    /// the top.
    pub(crate) fn headed(headline: Option<Shown>) -> Self {
        let mut document = Self::default();
        if let Some(headline) = headline {
            document.push_in(&[Medium::Text, Medium::Markdown], Block::Sentence(headline));
            // Markdown would take a line directly above a table for its heading.
            document.gap_in_markdown();
        }
        document
    }
}

/// Returns how many rows a table left out, which an option shows; `None` if it left out none.
pub(crate) fn left_off(rows: usize) -> Option<Shown> {
    let count = grouped(rows);
    (rows > 0).then(|| sentence!("… and {count} more; --limit shows more or fewer"))
}

/// What stands before a published page.
#[derive(Clone, Debug)]
pub(crate) struct Front {
    /// The title.
    pub(crate) title: Shown,
    /// The name of the source in the title of the window; empty for none.
    pub(crate) source: Shown,
    /// What the page says of its source.
    pub(crate) facts: Vec<Fact>,
}

/// A fact about a source.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    /// What it is about.
    pub(crate) name: &'static str,
    /// The fact, a line for each part.
    pub(crate) lines: Vec<Shown>,
    /// Whether the lines are in the edit language.
    pub(crate) is_code: bool,
}

/// The most nodes that are drawn, because more lines cannot be told apart.
pub(crate) const MOST_NAMES: usize = 12;

/// Figures of the same nodes over the same time.
pub(crate) struct Drawing<'a> {
    /// The moments, the first one first.
    pub(crate) moments: Vec<Moment>,
    /// The nodes; each has one line in each figure at most, and one more under another setting.
    pub(crate) names: Vec<Shown>,
    /// The figures, one below the other.
    pub(crate) figures: Vec<Figure<'a>>,
    /// What is said below them.
    pub(crate) note: Option<Shown>,
}

/// A moment of a drawing.
pub(crate) struct Moment {
    /// Its place on the axis of time, in seconds.
    pub(crate) at: f64,
    /// Its text below the axis.
    pub(crate) text: Shown,
}

/// Curves of one quantity.
pub(crate) struct Figure<'a> {
    /// What is drawn.
    pub(crate) heading: Shown,
    /// Whether smaller numbers are drawn higher, as for ranks.
    pub(crate) is_reversed: bool,
    /// Whether only whole numbers have a meaning.
    pub(crate) is_whole: bool,
    /// Writes a number of its axis.
    pub(crate) text: Box<dyn Fn(f64) -> Shown + 'a>,
    /// The curves.
    pub(crate) curves: Vec<Curve>,
}

/// The values of a node over time.
pub(crate) struct Curve {
    /// The place of the node among the names.
    pub(crate) name: usize,
    /// Whether the line is that of another setting.
    pub(crate) is_other: bool,
    /// The value at each moment; `None` where there is none.
    pub(crate) values: Vec<Option<f64>>,
}

impl Curve {
    /// Returns the curve of a node; `None` without any value.
    pub(crate) fn new(
        name: usize,
        is_other: bool,
        values: impl IntoIterator<Item = Option<f64>>,
    ) -> Option<Self> {
        let values: Vec<Option<f64>> = values.into_iter().collect();
        let has_values = values.iter().any(Option::is_some);
        has_values.then_some(Self {
            name,
            is_other,
            values,
        })
    }

    /// Returns the first and the last value; `None` without any.
    pub(crate) fn ends(&self) -> Option<(f64, f64)> {
        let mut values = self.values.iter().flatten();
        let first = *values.next()?;
        Some((first, *values.next_back().unwrap_or(&first)))
    }
}

/// Returns the least and the largest of some numbers; `None` without any.
pub(crate) fn bounds<'a>(numbers: impl IntoIterator<Item = &'a Option<f64>>) -> Option<(f64, f64)> {
    let numbers = numbers.into_iter().flatten();
    numbers.fold(None, |bounds, &number| {
        let (least, most) = bounds.unwrap_or((number, number));
        Some((number.min(least), number.max(most)))
    })
}

/// Returns the place of a part of a whole, from 0 to 1, among so many places.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a part between 0 and 1 of a few places"
)]
pub(crate) fn place_of(part: f64, places: usize) -> usize {
    (part.clamp(0.0, 1.0) * (places - 1) as f64).round() as usize
}
