//! One cell of a table, for people and for machines.

use super::super::path;
use crate::base::number::{Exact, Unit, Value, cell};
use crate::base::shown::{Shown, is_plain, visible};
use crate::model::{NodeId, Tree, path_of};
use std::borrow::Cow;
use std::fmt::Write as _;

/// The content of one cell of a table.
#[derive(Clone, Debug)]
pub enum Cell<'a> {
    /// A text for people.
    Shown(Shown),
    /// A text for machines, such as a name as the source has it.
    Exact(Cow<'a, str>),
    /// A number and its unit: rounded for people, in full in CSV.
    Number(Value, Unit),
    /// A node, by its path.
    Node(&'a Tree, NodeId),
}

impl Cell<'_> {
    /// Returns the text for people.
    #[must_use]
    pub fn shown(self) -> Shown {
        match self {
            Self::Shown(text) => text,
            Self::Exact(text) => visible(&text),
            Self::Number(value, unit) => cell(value, unit),
            Self::Node(tree, node) => path(tree, node),
        }
    }

    /// Returns the text for people in at most `width` cells. Of a path the end is kept, of other texts the beginning.
    pub(super) fn fitted(self, width: usize) -> Shown {
        let is_path = matches!(self, Self::Node(..));
        let text = self.shown();
        if is_path {
            text.cut_start(width)
        } else {
            text.cut(width)
        }
    }

    /// Adds the text of CSV to a buffer.
    pub(in crate::report) fn put(&self, text: &mut String) {
        match self {
            Self::Shown(own) => put_text(text, own),
            Self::Exact(own) => put_text(text, own),
            Self::Number(value, _) => put(text, Exact(*value)),
            Self::Node(tree, node) => put_text(text, &path_of(tree, *node).unwrap_or_default()),
        }
    }
}

impl From<Shown> for Cell<'_> {
    fn from(text: Shown) -> Self {
        Self::Shown(text)
    }
}

impl From<&'static str> for Cell<'_> {
    fn from(words: &'static str) -> Self {
        Self::Shown(words.into())
    }
}

/// Adds what something displays as to a cell.
fn put(cell: &mut String, value: impl std::fmt::Display) {
    // Writing to a String cannot fail.
    let _ = write!(cell, "{value}");
}

/// Adds a name or path from outside to a cell. What a terminal must not see is written byte by byte as
/// `\xNN`, which a path on the command line may hold too.
fn put_text(cell: &mut String, text: &str) {
    for char in text.chars() {
        let mut bytes = [0; 4];
        let bytes: &str = char.encode_utf8(&mut bytes);
        if is_plain(char) {
            cell.push(char);
        } else {
            for byte in bytes.bytes() {
                put(cell, format_args!("\\x{byte:02X}"));
            }
        }
    }
}
