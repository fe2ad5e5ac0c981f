//! A report as a value: blocks that text, Markdown, HTML and the screen each render in their own way.

use super::line::Line;
use super::table::Table;
use crate::base::number::grouped;
use crate::base::shown::{Shown, sentence};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Medium {
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
    /// Lines of a file or of a shell, verbatim but for the gap between fields.
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

/// The gap between fields of a line of a file, where the file has a tab: a terminal could not show which of both it is.
pub(crate) const FIELD_GAP: &str = "  ";

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

    pub(crate) fn blocks_in(&self, medium: Medium) -> impl Iterator<Item = &Block<'a>> {
        let shown = self.blocks.iter();
        let shown = shown.filter(move |(media, _)| media.contains(&medium));
        shown.map(|(_, block)| block)
    }

    pub(crate) fn push_in(&mut self, media: &'static [Medium], block: Block<'a>) {
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

    pub(crate) fn sentences(&mut self, texts: impl IntoIterator<Item = Shown>) {
        for text in texts {
            self.sentence(text);
        }
    }

    pub(crate) fn paragraph(&mut self, text: impl Into<Shown>) {
        self.push(Block::Paragraph(text.into()));
    }

    pub(crate) fn paragraphs(&mut self, texts: impl IntoIterator<Item = Shown>) {
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

    pub(crate) fn left_off(&mut self, rows: usize) {
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

#[derive(Clone, Debug)]
pub(crate) struct Front {
    pub(crate) title: Shown,
    /// The name of the source in the title of the window; empty for none.
    pub(crate) source: Shown,
    pub(crate) facts: Vec<Fact>,
}

#[derive(Clone, Debug)]
pub(crate) struct Fact {
    pub(crate) name: &'static str,
    pub(crate) lines: Vec<Shown>,
    /// Whether the lines are in the edit language.
    pub(crate) is_code: bool,
}

/// The most nodes that are drawn, because more lines cannot be told apart.
pub(crate) const MOST_NAMES: usize = 12;

pub(crate) struct Drawing<'a> {
    pub(crate) moments: Vec<Moment>,
    /// The nodes; each has one line in each figure at most, and one more under another setting.
    pub(crate) names: Vec<Shown>,
    pub(crate) figures: Vec<Figure<'a>>,
    pub(crate) note: Option<Shown>,
}

pub(crate) struct Moment {
    pub(crate) at: f64,
    pub(crate) text: Shown,
}

pub(crate) struct Figure<'a> {
    pub(crate) heading: Shown,
    /// Whether smaller numbers are drawn higher, as for ranks.
    pub(crate) is_reversed: bool,
    /// Whether only whole numbers have a meaning.
    pub(crate) is_whole: bool,
    pub(crate) text: Box<dyn Fn(f64) -> Shown + 'a>,
    pub(crate) curves: Vec<Curve>,
}

pub(crate) struct Curve {
    /// The place of the node among the names.
    pub(crate) name: usize,
    /// Whether the line is that of another setting.
    pub(crate) is_other: bool,
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
