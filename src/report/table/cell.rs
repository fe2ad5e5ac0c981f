//! One cell of a table, for people and for machines.

use super::super::path;
use crate::base::number::{Exact, Unit, Value, cell};
use crate::base::shown::is_plain;
use crate::model::{NodeId, Tree, path_of};
use std::borrow::Cow;
use std::fmt::Write as _;

/// The content of one cell of a table.
#[derive(Clone, Debug)]
pub enum Cell<'a> {
    /// A text. For people it must be fit to be shown.
    Text(Cow<'a, str>),
    /// A number and its unit: rounded for people, in full in CSV.
    Number(Value, Unit),
    /// A node, by its path.
    Node(&'a Tree, NodeId),
}

impl<'a> Cell<'a> {
    /// Returns the text for people.
    #[must_use]
    pub fn shown(self) -> Cow<'a, str> {
        match self {
            Self::Text(text) => text,
            Self::Number(value, unit) => cell(value, unit).into(),
            Self::Node(tree, node) => path(tree, node).into(),
        }
    }

    /// Adds the text of CSV to a buffer.
    pub(in crate::report) fn put(&self, text: &mut String) {
        match self {
            Self::Text(own) => put_text(text, own),
            Self::Number(value, _) => put(text, Exact(*value)),
            Self::Node(tree, node) => put_text(text, &path_of(tree, *node).unwrap_or_default()),
        }
    }
}

impl From<String> for Cell<'_> {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text.into())
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
