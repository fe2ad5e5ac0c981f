//! A report as a value: blocks that text, Markdown, HTML and the screen each render in their own way.

use super::drawing::Drawing;
use super::layout::ProseTable;
use super::line::{Emphasis, Line};
use super::table::{KeptTable, Table};
use crate::base::number::grouped;
use crate::base::shown::{Shown, sentence};
use crate::model::NodeId;
use crate::scenario::Edit;

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

/// What a document is made of, but for its tables of columns.
#[derive(Clone, Debug)]
pub(crate) enum Block {
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
    /// A table of prose.
    ProseTable(ProseTable),
    /// Lines of a file or of a shell, verbatim but for the gap between fields.
    Verbatim {
        /// The language, for Markdown; empty for none.
        language: &'static str,
        /// The fields of each line; there is at least one.
        lines: Vec<Vec<Shown>>,
    },
    /// Numbers over time or over usage, drawn.
    Figures(Drawing),
    /// A link to another page of a site.
    Link {
        /// The link.
        link: PageLink,
        /// What the other page is about.
        about: Shown,
        /// Where the same is found in another form, on a page to publish; `None` for nowhere.
        other_form: Option<PageLink>,
    },
    /// What follows is folded on a page, below this word.
    FoldStart(&'static str),
    /// The end of what is folded.
    FoldEnd,
    /// A blank line. A list ends there.
    Gap,
}

/// A block of a document, or a table in it.
pub(crate) enum Part<'a> {
    /// Anything but a table of columns.
    Block(Block),
    /// A table of columns.
    Table(Table<'a>),
}

/// A part of a document that needs nothing else.
#[derive(Debug)]
enum KeptPart {
    /// A block, which never needs anything else.
    Block(Block),
    /// A table with its cells.
    Table(KeptTable),
}

/// A part of a document, and who sees it.
pub(super) struct PlacedPart<'a> {
    /// The media that show it.
    media: &'static [Medium],
    /// The part.
    pub(super) part: Part<'a>,
    /// Whether it is a part of a section, as a report in another one is: its headings are below that of the section.
    pub(super) is_inner: bool,
}

/// A document that needs nothing else: its tables hold their cells. It is text, as a page shows it.
#[derive(Debug, Default)]
pub(crate) struct KeptDocument {
    /// What text shows, in its order.
    parts: Vec<KeptPart>,
}

impl KeptDocument {
    /// Returns the document, to be laid out.
    pub(crate) fn document(&self) -> Document<'_> {
        let mut document = Document::default();
        for part in &self.parts {
            match part {
                KeptPart::Block(block) => document.push(block.clone()),
                KeptPart::Table(table) => document.table(table.table()),
            }
        }
        document
    }
}

/// The gap between fields of a line of a file, where the file has a tab: a terminal could not show which of both it is.
pub(crate) const FIELD_GAP: &str = "  ";

/// The answer of a report, before it has a width or a form.
#[derive(Default)]
pub(crate) struct Document<'a> {
    /// The parts, each with the media that show it.
    parts: Vec<PlacedPart<'a>>,
    /// The edits that lines of it offer, in their order.
    pub(crate) offers: Vec<Offer>,
    /// The jobs of the table whose rows are choices, by the names by which they are asked for.
    pub(crate) jobs: Vec<Shown>,
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

/// The media of those who have the command line beside them.
pub(crate) const COMMAND_LINE: &[Medium] = &[Medium::Text, Medium::Markdown];

impl<'a> Document<'a> {
    /// Returns what text shows of it, with the cells of its tables.
    pub(crate) fn kept(&self) -> KeptDocument {
        let mut parts = Vec::new();
        for part in self.parts_in(Medium::Text) {
            parts.push(match part {
                Part::Block(block) => KeptPart::Block(block.clone()),
                Part::Table(table) => KeptPart::Table(table.kept()),
            });
        }
        KeptDocument { parts }
    }

    /// Adds a line that offers an edit.
    pub(crate) fn offer(&mut self, text: impl Into<Shown>, offer: Offer) {
        let line = Line::of(Emphasis::Command, text);
        self.push(Block::Choice(line, self.offers.len()));
        self.offers.push(offer);
    }

    /// Returns the parts that a medium shows, with their places.
    pub(super) fn placed_in(&self, medium: Medium) -> impl Iterator<Item = &PlacedPart<'a>> {
        self.parts
            .iter()
            .filter(move |placed| placed.media.contains(&medium))
    }

    /// Returns the parts that a medium shows.
    pub(crate) fn parts_in(&self, medium: Medium) -> impl Iterator<Item = &Part<'a>> {
        self.placed_in(medium).map(|placed| &placed.part)
    }

    /// Adds a part for some media.
    fn push_part(&mut self, media: &'static [Medium], part: Part<'a>) {
        self.parts.push(PlacedPart {
            media,
            part,
            is_inner: false,
        });
    }

    /// Adds a block for some media.
    pub(crate) fn push_in(&mut self, media: &'static [Medium], block: Block) {
        self.push_part(media, Part::Block(block));
    }

    /// Adds another document below the heading of a section. What its lines offer is left out.
    pub(crate) fn append(&mut self, document: Self) {
        for placed in document.parts {
            self.parts.push(PlacedPart {
                is_inner: true,
                ..placed
            });
        }
    }

    /// Adds a block for every medium.
    pub(crate) fn push(&mut self, block: Block) {
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

    /// Adds the heading of a part of a section.
    pub(crate) fn subsection(&mut self, text: impl Into<Shown>) {
        self.parts.push(PlacedPart {
            media: ALL,
            part: Part::Block(Block::Section(text.into())),
            is_inner: true,
        });
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
        if let Some(text) = text {
            self.push(Block::Note(text));
        }
    }

    /// Says how many rows a table left out, if it left out any.
    pub(crate) fn left_off(&mut self, rows: usize) {
        self.say_left_off(left_off(rows));
    }

    /// Says in a sentence what is left out, if anything is.
    pub(crate) fn say_left_off(&mut self, left: Option<LeftOff>) {
        if let Some(left) = left {
            self.push_in(COMMAND_LINE, Block::Sentence(left.with_way()));
            self.push_in(&[Medium::Html], Block::Sentence(left.told));
        }
    }

    /// Says below a table what it left out, if it left out anything.
    pub(crate) fn note_left_off(&mut self, left: Option<LeftOff>) {
        if let Some(left) = left {
            self.push_in(COMMAND_LINE, Block::Note(left.with_way()));
            self.push_in(&[Medium::Html], Block::Note(left.told));
        }
    }

    /// Adds a table for every medium.
    pub(crate) fn table(&mut self, table: Table<'a>) {
        self.table_in(ALL, table);
    }

    /// Adds a table for some media.
    pub(crate) fn table_in(&mut self, media: &'static [Medium], table: Table<'a>) {
        self.push_part(media, Part::Table(table));
    }

    /// Adds a drawing, in which lines that coincide are drawn once.
    pub(crate) fn figures(&mut self, drawing: Drawing) {
        self.push(Block::Figures(drawing.merged()));
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

/// What a table leaves out.
#[derive(Clone, Debug)]
pub(crate) struct LeftOff {
    /// How much that is.
    pub(crate) told: Shown,
    /// The option that shows it. Who reads a published page has no command line.
    pub(crate) way: &'static str,
}

impl LeftOff {
    /// Returns how much is left out, with the option that shows it.
    pub(crate) fn with_way(&self) -> Shown {
        sentence!("{}; {}", self.told, self.way)
    }
}

/// Returns how many rows a table left out, which an option shows; `None` if it left out none.
pub(crate) fn left_off(rows: usize) -> Option<LeftOff> {
    if rows == 0 {
        return None;
    }
    let count = grouped(rows);
    Some(LeftOff {
        told: sentence!("… and {count} more"),
        way: "--limit shows more or fewer",
    })
}

/// A link to another page of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PageLink {
    /// The file, beside that with the link, or an address of the web.
    pub(crate) file: Shown,
    /// The words of the link.
    pub(crate) text: Shown,
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
    /// Links to other pages of its site, at the top and at the bottom.
    pub(crate) links: Vec<PageLink>,
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
