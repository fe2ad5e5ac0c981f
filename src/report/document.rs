//! A report as a value: blocks that text, Markdown, HTML and the screen each render in their own way.

use super::line::Line;
use super::table::Table;
use super::{View, dump};
use crate::base::number::grouped;
use crate::base::shown::{Shown, sentence};

/// Where a document is rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Medium {
    Text,
    Markdown,
    Html,
}

/// A part of a document.
pub(crate) enum Block<'a> {
    /// The heading of what follows.
    Heading(Shown),
    /// The heading of a section of a whole document.
    Section(Shown),
    /// A line of prose. Below a heading it is indented.
    Line(Line),
    /// A sentence as it is, Markdown included.
    Sentence(Shown),
    /// A paragraph of its own.
    Paragraph(Shown),
    /// An item of a list, and the mark before it in text.
    Item(&'static str, Line),
    /// A sentence below a table.
    Note(Shown),
    /// A table or a tree.
    Table(Table<'a>),
    /// Lines of a file or of a shell, verbatim; tabs separate their fields.
    Verbatim {
        /// The language, for Markdown.
        language: &'static str,
        /// The fields of each line; there is at least one.
        lines: Vec<Vec<Shown>>,
    },
    /// Numbers over time, for a medium that can draw; others leave them to the tables.
    Figures(Box<dyn Fn() -> Drawing<'a> + 'a>),
    /// A blank line. A list ends there.
    Gap,
}

/// A report of blocks.
#[derive(Default)]
pub(crate) struct Document<'a> {
    /// The blocks, each with the media that show it.
    blocks: Vec<(&'static [Medium], Block<'a>)>,
}

/// Everywhere.
const ALL: &[Medium] = &[Medium::Text, Medium::Markdown, Medium::Html];

impl<'a> Document<'a> {
    /// Returns the blocks.
    pub(crate) fn into_blocks(self) -> impl Iterator<Item = Block<'a>> {
        self.blocks.into_iter().map(|(_, block)| block)
    }

    /// Returns the blocks that a medium shows.
    pub(super) fn blocks_in(&self, medium: Medium) -> impl Iterator<Item = &Block<'a>> {
        let shown = self.blocks.iter();
        let shown = shown.filter(move |(media, _)| media.contains(&medium));
        shown.map(|(_, block)| block)
    }

    /// Adds a block that some media show.
    pub(super) fn push_in(&mut self, media: &'static [Medium], block: Block<'a>) {
        self.blocks.push((media, block));
    }

    pub(crate) fn push(&mut self, block: Block<'a>) {
        self.push_in(ALL, block);
    }

    pub(crate) fn heading(&mut self, text: impl Into<Shown>) {
        self.push(Block::Heading(text.into()));
    }

    pub(crate) fn section(&mut self, text: impl Into<Shown>) {
        self.push(Block::Section(text.into()));
    }

    pub(crate) fn line(&mut self, line: impl Into<Line>) {
        self.push(Block::Line(line.into()));
    }

    pub(crate) fn lines(&mut self, lines: impl IntoIterator<Item = impl Into<Line>>) {
        for line in lines {
            self.line(line);
        }
    }

    pub(crate) fn sentence(&mut self, text: impl Into<Shown>) {
        self.push(Block::Sentence(text.into()));
    }

    pub(crate) fn paragraph(&mut self, text: impl Into<Shown>) {
        self.push(Block::Paragraph(text.into()));
    }

    pub(crate) fn item(&mut self, mark: &'static str, text: impl Into<Line>) {
        self.push(Block::Item(mark, text.into()));
    }

    pub(crate) fn note(&mut self, text: Option<Shown>) {
        self.blocks
            .extend(text.map(|text| (ALL, Block::Note(text))));
    }

    /// Adds how many rows a table left out, which an option shows.
    pub(super) fn left_off(&mut self, rows: usize) {
        if rows > 0 {
            let count = grouped(rows);
            self.sentence(sentence!("… and {count} more; --limit shows more or fewer"));
        }
    }

    pub(crate) fn table(&mut self, table: Table<'a>) {
        self.push(Block::Table(table));
    }

    pub(crate) fn figures(&mut self, drawing: impl Fn() -> Drawing<'a> + 'a) {
        self.push(Block::Figures(Box::new(drawing)));
    }

    pub(crate) fn gap(&mut self) {
        self.push(Block::Gap);
    }

    /// Adds the blank line that text has before a table; Markdown has one after every paragraph.
    pub(super) fn gap_in_text(&mut self) {
        self.push_in(&[Medium::Text, Medium::Html], Block::Gap);
    }

    /// Adds the blank line that Markdown needs after a line or a table.
    pub(super) fn gap_in_markdown(&mut self) {
        self.push_in(&[Medium::Markdown], Block::Gap);
    }

    /// Adds the policy beside that of the dump, above a table; a published page has it at the top.
    pub(super) fn headline(&mut self, view: &View<'_>) {
        if let Some(headline) = dump::headline(view) {
            self.push_in(&[Medium::Text, Medium::Markdown], Block::Sentence(headline));
            // Markdown would take a line directly above a table for its heading.
            self.gap_in_markdown();
        }
    }
}

/// The most nodes that are drawn, because more lines cannot be told apart.
pub(super) const MOST_NAMES: usize = 12;

/// Drawings of the same nodes over the same moments.
pub(crate) struct Drawing<'a> {
    /// The moments, in order.
    pub(super) moments: Vec<Moment>,
    /// The nodes; each has one line in each figure at most, and one more under another setting.
    pub(super) names: Vec<Shown>,
    pub(super) figures: Vec<Figure<'a>>,
    /// What is to be said of all of them.
    pub(super) note: Option<Shown>,
}

/// A moment of a drawing.
pub(super) struct Moment {
    /// Its place on the axis.
    pub(super) at: f64,
    pub(super) text: Shown,
}

/// One quantity of some nodes.
pub(super) struct Figure<'a> {
    pub(super) heading: Shown,
    /// Whether smaller numbers are drawn higher, as for ranks.
    pub(super) is_reversed: bool,
    /// Whether only whole numbers have a meaning.
    pub(super) is_whole: bool,
    /// Returns a number as text.
    pub(super) text: Box<dyn Fn(f64) -> Shown + 'a>,
    pub(super) curves: Vec<Curve>,
}

/// One quantity of one node.
pub(super) struct Curve {
    /// The place of the node among the names.
    pub(super) name: usize,
    /// Whether the line is that of another setting.
    pub(super) is_other: bool,
    /// The values by moment; `None` where there is none.
    pub(super) values: Vec<Option<f64>>,
}

impl Curve {
    /// Returns the first and the last value; `None` without any.
    pub(super) fn ends(&self) -> Option<(f64, f64)> {
        let mut values = self.values.iter().flatten();
        let first = *values.next()?;
        Some((first, *values.next_back().unwrap_or(&first)))
    }
}

/// Returns the smallest and the largest of some numbers; `None` without any.
pub(super) fn bounds<'a>(numbers: impl IntoIterator<Item = &'a Option<f64>>) -> Option<(f64, f64)> {
    let numbers = numbers.into_iter().flatten();
    numbers.fold(None, |bounds, &number| {
        let (least, most) = bounds.unwrap_or((number, number));
        Some((number.min(least), number.max(most)))
    })
}
