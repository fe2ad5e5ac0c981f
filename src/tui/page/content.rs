//! The content of a page: the rows of a document on the screen, and what they offer.

use crate::base::shown::{Shown, sentence};
use crate::model::NodeId;
use crate::report::document::{Block, Document};
use crate::report::line::{Emphasis, Line};
use crate::report::manual::Topic;
use crate::scenario::Edit;
use std::ops::ControlFlow;

/// Receives the progress of a search and stops it once its answer is no longer needed.
pub(crate) type Progress<'a> = &'a mut dyn FnMut(usize) -> ControlFlow<()>;

/// How a row is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowLayout {
    /// The heading of the rows below it.
    Heading,
    /// A sentence or a command, which is wrapped.
    Wrapped,
    /// A line of a table or of a drawing, which is cut rather than wrapped if it is too long.
    Aligned,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRow {
    pub text: Shown,
    pub emphasis: Emphasis,
    pub layout: RowLayout,
    /// The index of the choice that the row offers, if any.
    pub choice: Option<usize>,
}

/// An answer in a form that can be drawn, copied and saved.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    pub title: Shown,
    pub rows: Vec<PageRow>,
    /// How many of them are on the left of a wide screen, with the others on its right; 0 for one column.
    pub left_rows: usize,
    /// The text to copy, if it is not the page itself.
    pub copied: Option<String>,
    /// What was copied, for the message afterwards.
    pub what: Shown,
    /// The file name suggested for saving.
    pub file: String,
    /// Further files to save with the page, by name.
    pub files: Vec<(String, Vec<u8>)>,
    /// The edits that rows of the page offer, each with the node it changes.
    pub choices: Vec<(Edit, NodeId)>,
    /// The topic of the manual that is on the page in place of rows.
    pub topic: Option<Topic>,
    /// The topics that the links of that topic lead to, in the order of the text.
    pub links: Vec<Topic>,
    /// The choice that is selected at first.
    pub first_choice: usize,
    /// Whether the commands need the name of the cluster, which the user is asked for.
    pub lacks_cluster: bool,
}

impl Page {
    /// Returns an empty page: its title, what is copied, and the file that is suggested for it.
    pub(crate) fn new(title: impl Into<Shown>, what: &'static str, file: &str) -> Self {
        Self {
            title: title.into(),
            what: what.into(),
            file: file.to_owned(),
            ..Self::default()
        }
    }

    pub(crate) fn of(document: Document<'_>, title: Shown, what: &'static str, file: &str) -> Self {
        let mut page = Self::new(title, what, file);
        page.add(document);
        page
    }

    pub(crate) fn add(&mut self, document: Document<'_>) {
        for block in document.into_blocks() {
            match block {
                Block::Heading(text) | Block::Section(text) => self.add_heading(text),
                Block::Line(line) | Block::Item(_, line) => self.add_line(&line),
                Block::Sentence(text) | Block::Paragraph(text) => self.add_line(&text.into()),
                Block::Note(text) => self.add_line(&Line::of(Emphasis::Dim, text)),
                Block::Table(table) => {
                    for (line, emphasis) in table.lines() {
                        self.push(RowLayout::Aligned, emphasis, sentence!("  {line}"));
                    }
                }
                Block::Verbatim { lines, .. } => {
                    for line in lines {
                        let text = Shown::joined(line, "  ");
                        self.push(RowLayout::Wrapped, Emphasis::Command, text);
                    }
                }
                Block::Figures(_) => {}
                Block::Gap => self.add_line(&Line::from("")),
            }
        }
    }

    pub(crate) fn add_heading(&mut self, text: Shown) {
        self.push(RowLayout::Heading, Emphasis::Strong, text);
    }

    /// Adds a line. On a page it has one emphasis.
    pub(crate) fn add_line(&mut self, line: &Line) {
        let layout = if line.is_drawing {
            RowLayout::Aligned
        } else {
            RowLayout::Wrapped
        };
        let emphasis = match &line.spans[..] {
            [span] => span.emphasis,
            _ => Emphasis::Plain,
        };
        self.push(layout, emphasis, line.text());
    }

    fn push(&mut self, layout: RowLayout, emphasis: Emphasis, text: Shown) {
        self.rows.push(PageRow {
            text,
            emphasis,
            layout,
            choice: None,
        });
    }

    /// Makes the last row one of the page's choices.
    pub(crate) fn choose(&mut self, choice: usize) {
        if let Some(row) = self.rows.last_mut() {
            row.choice = Some(choice);
        }
    }

    pub(crate) fn text(&self) -> String {
        self.copied.clone().unwrap_or_else(|| self.prose())
    }

    /// Counts links too.
    pub(crate) fn choice_count(&self) -> usize {
        self.choices.len() + self.links.len()
    }

    fn prose(&self) -> String {
        let mut text = format!("{}\n", self.title);
        for row in &self.rows {
            text += match row.layout {
                RowLayout::Heading => "\n",
                RowLayout::Wrapped => "  ",
                RowLayout::Aligned => "",
            };
            text += &row.text;
            text.push('\n');
        }
        text
    }
}
