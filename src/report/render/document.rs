//! A report as a value: blocks that text, Markdown, HTML and the screen each render in their own way.

use super::line::Line;
use super::table::Table;
use crate::base::number::grouped;
use crate::base::shown::{Shown, sentence};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) enum Medium {
    Text,
    Markdown,
    Html,
}

pub(crate) enum Block<'a> {
    /// The heading of what follows.
    Heading(Shown),
    /// The heading of a section of a whole document.
    Section(Shown),
    /// A line of prose. Below a heading it is indented.
    Line(Line),
    /// A sentence as it is, Markdown included.
    Sentence(Shown),
    Paragraph(Shown),
    /// An item of a list, and the mark before it in text.
    Item(&'static str, Line),
    /// A sentence below a table.
    Note(Shown),
    Table(Table<'a>),
    /// Lines of a file or of a shell, verbatim; tabs separate their fields.
    Verbatim {
        language: &'static str,
        /// The fields of each line; there is at least one.
        lines: Vec<Vec<Shown>>,
    },
    /// Numbers over time, for a medium that can draw; others leave them to the tables.
    Figures(Box<dyn Fn() -> Drawing<'a> + 'a>),
    /// A blank line. A list ends there.
    Gap,
}

#[derive(Default)]
pub(crate) struct Document<'a> {
    /// The blocks, each with the media that show it.
    blocks: Vec<(&'static [Medium], Block<'a>)>,
}

const ALL: &[Medium] = &[Medium::Text, Medium::Markdown, Medium::Html];

impl<'a> Document<'a> {
    pub(crate) fn into_blocks(self) -> impl Iterator<Item = Block<'a>> {
        self.blocks.into_iter().map(|(_, block)| block)
    }

    pub(in crate::report) fn blocks_in(&self, medium: Medium) -> impl Iterator<Item = &Block<'a>> {
        let shown = self.blocks.iter();
        let shown = shown.filter(move |(media, _)| media.contains(&medium));
        shown.map(|(_, block)| block)
    }

    pub(in crate::report) fn push_in(&mut self, media: &'static [Medium], block: Block<'a>) {
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

    pub(in crate::report) fn sentences(&mut self, texts: impl IntoIterator<Item = Shown>) {
        for text in texts {
            self.sentence(text);
        }
    }

    pub(crate) fn paragraph(&mut self, text: impl Into<Shown>) {
        self.push(Block::Paragraph(text.into()));
    }

    pub(in crate::report) fn paragraphs(&mut self, texts: impl IntoIterator<Item = Shown>) {
        for text in texts {
            self.paragraph(text);
        }
    }

    pub(crate) fn item(&mut self, mark: &'static str, text: impl Into<Line>) {
        self.push(Block::Item(mark, text.into()));
    }

    pub(crate) fn note(&mut self, text: Option<Shown>) {
        let note = text.map(|text| (ALL, Block::Note(text)));
        self.blocks.extend(note);
    }

    pub(in crate::report) fn left_off(&mut self, rows: usize) {
        self.sentences(left_off(rows));
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
    pub(in crate::report) fn gap_in_text(&mut self) {
        self.push_in(&[Medium::Text, Medium::Html], Block::Gap);
    }

    /// Adds the blank line that Markdown needs after a line or a table.
    pub(in crate::report) fn gap_in_markdown(&mut self) {
        self.push_in(&[Medium::Markdown], Block::Gap);
    }

    /// Returns a document that begins with the policy beside that of the dump, if they differ; a published page has it at
    /// the top.
    pub(in crate::report) fn headed(headline: Option<Shown>) -> Self {
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
pub(in crate::report) fn left_off(rows: usize) -> Option<Shown> {
    let count = grouped(rows);
    (rows > 0).then(|| sentence!("… and {count} more; --limit shows more or fewer"))
}

#[derive(Clone, Debug)]
pub(crate) struct Front {
    pub(in crate::report) title: Shown,
    /// The name of the source in the title of the window; empty for none.
    pub(in crate::report) source: Shown,
    pub(in crate::report) facts: Vec<Fact>,
}

#[derive(Clone, Debug)]
pub(in crate::report) struct Fact {
    pub(in crate::report) name: &'static str,
    pub(in crate::report) lines: Vec<Shown>,
    /// Whether the lines are in the edit language.
    pub(in crate::report) is_code: bool,
}

/// The most nodes that are drawn, because more lines cannot be told apart.
pub(in crate::report) const MOST_NAMES: usize = 12;

pub(crate) struct Drawing<'a> {
    pub(in crate::report) moments: Vec<Moment>,
    /// The nodes; each has one line in each figure at most, and one more under another setting.
    pub(in crate::report) names: Vec<Shown>,
    pub(in crate::report) figures: Vec<Figure<'a>>,
    pub(in crate::report) note: Option<Shown>,
}

pub(in crate::report) struct Moment {
    pub(in crate::report) at: f64,
    pub(in crate::report) text: Shown,
}

pub(in crate::report) struct Figure<'a> {
    pub(in crate::report) heading: Shown,
    /// Whether smaller numbers are drawn higher, as for ranks.
    pub(in crate::report) is_reversed: bool,
    /// Whether only whole numbers have a meaning.
    pub(in crate::report) is_whole: bool,
    pub(in crate::report) text: Box<dyn Fn(f64) -> Shown + 'a>,
    pub(in crate::report) curves: Vec<Curve>,
}

pub(in crate::report) struct Curve {
    /// The place of the node among the names.
    pub(in crate::report) name: usize,
    /// Whether the line is that of another setting.
    pub(in crate::report) is_other: bool,
    pub(in crate::report) values: Vec<Option<f64>>,
}

impl Curve {
    /// Returns the curve of a node; `None` without any value.
    pub(in crate::report) fn new(
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
    pub(in crate::report) fn ends(&self) -> Option<(f64, f64)> {
        let mut values = self.values.iter().flatten();
        let first = *values.next()?;
        Some((first, *values.next_back().unwrap_or(&first)))
    }
}

pub(in crate::report) fn bounds<'a>(
    numbers: impl IntoIterator<Item = &'a Option<f64>>,
) -> Option<(f64, f64)> {
    let numbers = numbers.into_iter().flatten();
    numbers.fold(None, |bounds, &number| {
        let (least, most) = bounds.unwrap_or((number, number));
        Some((number.min(least), number.max(most)))
    })
}
