//! The content of a page.

use crate::base::shown::{Shown, sentence};
use crate::model::NodeId;
use crate::report::impact::{self, MoveDirection};
use crate::report::manual::Topic;
use crate::scenario::Edit;
use std::ops::ControlFlow;

/// Receives the progress of a search and stops it once its answer is no longer needed.
pub(crate) type Progress<'a> = &'a mut dyn FnMut(usize) -> ControlFlow<()>;

/// The role of a line, which decides its style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A sentence or a number.
    Text,
    /// The subject of the page.
    Strong,
    /// Additional information.
    Dim,
    /// A command to run.
    Command,
    /// Users run earlier.
    Better,
    /// Users run later.
    Worse,
    /// A warning.
    Warning,
}

/// A line of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The text.
    pub text: Shown,
    /// The role, which decides the style.
    pub role: Role,
    /// Whether it is a line of a table, which is cut rather than wrapped if it is too long.
    pub is_aligned: bool,
    /// The index of the choice that the line offers, if any.
    pub choice: Option<usize>,
}

/// Lines under a heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The heading.
    pub heading: Shown,
    /// The lines.
    pub rows: Vec<Row>,
}

impl Section {
    /// Returns a section without lines.
    pub fn new(heading: impl Into<Shown>) -> Self {
        Self {
            heading: heading.into(),
            rows: Vec::new(),
        }
    }

    /// Returns the section with another line.
    pub fn with(mut self, role: Role, text: impl Into<Shown>) -> Self {
        self.push(role, text);
        self
    }

    /// Adds a line.
    pub fn push(&mut self, role: Role, text: impl Into<Shown>) {
        self.rows.push(Row {
            text: text.into(),
            role,
            is_aligned: false,
            choice: None,
        });
    }

    /// Returns the table of a report as a section.
    pub fn of(report: &impact::Section) -> Self {
        let mut section = Self::new(report.heading.clone());
        let moved = report.rows.iter().map(|row| match row.moved {
            Some(MoveDirection::Earlier) => Role::Better,
            Some(MoveDirection::Later) => Role::Worse,
            None => Role::Text,
        });
        let roles = std::iter::once(Role::Dim).chain(moved);
        for (role, line) in roles.zip(report.table_lines()) {
            section.push_aligned(role, sentence!("  {line}"));
        }
        if let Some(sentence) = &report.left_off {
            section.push(Role::Dim, sentence.clone());
        }
        section
    }

    /// Adds the lines of a table, its headings first.
    pub fn push_table(&mut self, lines: impl IntoIterator<Item = Shown>) {
        for (place, line) in lines.into_iter().enumerate() {
            let role = if place == 0 { Role::Dim } else { Role::Text };
            self.push_aligned(role, sentence!("  {line}"));
        }
    }

    /// Adds a line of a table.
    pub fn push_aligned(&mut self, role: Role, text: impl Into<Shown>) {
        self.rows.push(Row {
            text: text.into(),
            role,
            is_aligned: true,
            choice: None,
        });
    }

    /// Makes the last line one of the page's choices.
    pub fn choose(&mut self, choice: usize) {
        if let Some(row) = self.rows.last_mut() {
            row.choice = Some(choice);
        }
    }
}

/// An answer in a form that can be drawn, copied and saved.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// The title.
    pub title: Shown,
    /// The sections, from the top.
    pub sections: Vec<Section>,
    /// How many of them are on the left of a wide screen, with the others on its right; 0 for one column.
    pub left_sections: usize,
    /// The text to copy, if it is not the page itself.
    pub copied: Option<String>,
    /// What was copied, for the message afterwards.
    pub what: Shown,
    /// The file name suggested for saving.
    pub file: String,
    /// Further files to save with the page, by name.
    pub files: Vec<(String, Vec<u8>)>,
    /// The edits that lines of the page offer, each with the node it changes.
    pub choices: Vec<(Edit, NodeId)>,
    /// The topic of the manual that is on the page in place of sections.
    pub topic: Option<Topic>,
    /// The topics that the links of that topic lead to, in the order of the text.
    pub links: Vec<Topic>,
    /// The choice that is selected at first.
    pub first_choice: usize,
    /// Whether the commands need the name of the cluster, which the user is asked for.
    pub lacks_cluster: bool,
}

impl Page {
    /// Returns the text to copy.
    pub fn text(&self) -> String {
        self.copied.clone().unwrap_or_else(|| self.prose())
    }

    /// Returns the number of choices and links.
    pub fn choice_count(&self) -> usize {
        self.choices.len() + self.links.len()
    }

    fn prose(&self) -> String {
        let mut text = format!("{}\n", self.title);
        for section in &self.sections {
            text.push('\n');
            text.push_str(&section.heading);
            text.push('\n');
            for row in &section.rows {
                let indent = if row.is_aligned { "" } else { "  " };
                text.push_str(indent);
                text.push_str(&row.text);
                text.push('\n');
            }
        }
        text
    }
}
