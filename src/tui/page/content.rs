//! What stands on a page.

use crate::model::NodeId;
use crate::report::impact::{self, MoveDirection};
use crate::scenario::Edit;
use std::ops::ControlFlow;

/// Hears how far a search has come and stops it when nobody waits any more.
pub(crate) type Progress<'a> = &'a mut dyn FnMut(usize) -> ControlFlow<()>;

/// What a line of a page is, and so how it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A sentence or a number.
    Text,
    /// What the page is about.
    Strong,
    /// What is good to know.
    Dim,
    /// Something to be run.
    Command,
    /// Somebody runs earlier.
    Better,
    /// Somebody runs later.
    Worse,
    /// Something to be careful about.
    Warning,
}

/// A line of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The text, safe to show.
    pub text: String,
    /// What it is.
    pub role: Role,
    /// Whether it is a line of a table: cut, and not broken, where it is too long.
    pub is_aligned: bool,
    /// Which of the page's choices the line is, if it is one.
    pub choice: Option<usize>,
}

/// Lines under a heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The heading.
    pub heading: String,
    /// The lines.
    pub rows: Vec<Row>,
}

impl Section {
    /// A section without lines.
    #[must_use]
    pub fn new(heading: impl Into<String>) -> Self {
        Self {
            heading: heading.into(),
            rows: Vec::new(),
        }
    }

    /// The same, with another line.
    #[must_use]
    pub fn with(mut self, role: Role, text: impl Into<String>) -> Self {
        self.push(role, text);
        self
    }

    /// Adds a line.
    pub fn push(&mut self, role: Role, text: impl Into<String>) {
        self.rows.push(Row {
            text: text.into(),
            role,
            is_aligned: false,
            choice: None,
        });
    }

    /// A table of a report as a section.
    #[must_use]
    pub fn of(report: &impact::Section) -> Self {
        let mut section = Self::new(report.heading.clone());
        let moved = report.rows.iter().map(|row| match row.moved {
            Some(MoveDirection::Earlier) => Role::Better,
            Some(MoveDirection::Later) => Role::Worse,
            None => Role::Text,
        });
        let roles = std::iter::once(Role::Dim).chain(moved);
        for (role, line) in roles.zip(report.table_lines()) {
            section.push_aligned(role, format!("  {line}"));
        }
        if let Some(sentence) = &report.left_off {
            section.push(Role::Dim, sentence.clone());
        }
        section
    }

    /// Adds the lines of a table, its headings first.
    pub fn push_table(&mut self, lines: impl IntoIterator<Item = String>) {
        for (place, line) in lines.into_iter().enumerate() {
            let role = if place == 0 { Role::Dim } else { Role::Text };
            self.push_aligned(role, format!("  {line}"));
        }
    }

    /// Adds a line of a table.
    pub fn push_aligned(&mut self, role: Role, text: impl Into<String>) {
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

/// An answer, ready to be read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// What it is about.
    pub title: String,
    /// What there is to say.
    pub sections: Vec<Section>,
    /// What copying takes, where that is not the page itself.
    pub copied: Option<String>,
    /// What was copied, in words.
    pub what: String,
    /// The name offered when it is saved.
    pub file: String,
    /// Files that are saved beside it, by name.
    pub files: Vec<(String, Vec<u8>)>,
    /// The edits that lines of the page stand for, each with the node it is about.
    pub choices: Vec<(Edit, NodeId)>,
    /// The choice under the cursor at first.
    pub first_choice: usize,
    /// Whether the name of the cluster is asked for, which the commands need.
    pub lacks_cluster: bool,
}

impl Page {
    /// What copying takes.
    #[must_use]
    pub fn text(&self) -> String {
        self.copied.clone().unwrap_or_else(|| self.prose())
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
