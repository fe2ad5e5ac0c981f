//! One cell of a table, for people and for machines.

use crate::base::number::{Exact, Unit, Value, most_cells, put_cell};
use crate::base::shown::{Shown, cells, cut_name, is_plain, visible};
use crate::model::{NodeId, Tree, path_of};
use crate::report::render::tree::Guide;
use crate::report::view::{label_cells, path, put_label};
use std::borrow::Cow;
use std::fmt::Write as _;

/// A cell of a table.
#[derive(Clone, Debug)]
pub(crate) enum Cell<'a> {
    /// A text for people.
    Shown(Shown),
    /// A name or path, which is cut in its middle.
    Name(Shown),
    /// A text for machines, such as a name as the source has it.
    Exact(Cow<'a, str>),
    /// A number and its unit: rounded for people, in full in CSV.
    Number(Value, Unit),
    /// A text for people that tells a number, by which rows are sorted.
    Told(Shown, Value),
    /// A node, by its path.
    Node(&'a Tree, NodeId),
    /// A node of a drawn tree, by its name.
    Label(Guide, &'a Tree, NodeId),
}

impl Cell<'_> {
    /// Returns a number as a text for people; an empty cell if there is none.
    pub(crate) fn told(number: Option<f64>, text: impl FnOnce(f64) -> Shown) -> Self {
        match number {
            Some(number) => Self::Told(text(number), Value::Double(number)),
            None => Self::Told(Shown::default(), Value::Null),
        }
    }

    /// Returns the number by which rows are sorted; `None` for other texts.
    pub(crate) fn key(&self) -> Option<Value> {
        match self {
            Self::Number(value, _) | Self::Told(_, value) => Some(*value),
            _ => None,
        }
    }

    /// Returns whether it is a name or path, which is cut in its middle.
    const fn is_name(&self) -> bool {
        matches!(self, Self::Name(_) | Self::Node(..) | Self::Label(..))
    }

    /// Returns the text for people.
    pub(crate) fn shown(self) -> Shown {
        match self {
            Self::Shown(text) | Self::Name(text) | Self::Told(text, _) => text,
            cell => {
                let mut text = Shown::default();
                cell.put_shown(&mut text);
                text
            }
        }
    }

    /// Returns the cell as a text that needs no tree.
    pub(super) fn kept(self) -> Cell<'static> {
        if self.is_name() {
            return Cell::Name(self.shown());
        }
        Cell::Shown(self.shown())
    }

    /// Adds the text for people.
    pub(super) fn put_shown(&self, text: &mut Shown) {
        match self {
            Self::Shown(own) | Self::Name(own) | Self::Told(own, _) => *text += own,
            Self::Exact(own) => {
                let own = visible(own);
                *text += &own;
            }
            Self::Number(value, unit) => put_cell(text, *value, *unit),
            Self::Node(tree, node) => {
                let path = path(tree, *node);
                *text += &path;
            }
            Self::Label(guide, tree, node) => {
                guide.put(text);
                put_label(text, tree, *node);
            }
        }
    }

    /// Returns the cells of the widest of a column: `widest` of those before, or more. Most numbers need no text here.
    pub(super) fn widest(&self, widest: usize) -> usize {
        if let Self::Number(value, unit) = *self
            && let Some(most) = most_cells(value, unit)
            && most <= widest
        {
            return widest;
        }
        let own = match self {
            Self::Shown(text) | Self::Name(text) | Self::Told(text, _) => cells(text),
            Self::Label(guide, tree, node) => guide.cells() + label_cells(tree, *node),
            _ => cells(&self.clone().shown()),
        };
        widest.max(own)
    }

    /// Returns the text for people in at most `width` cells. A name or path is cut in its middle, other texts at the end.
    pub(super) fn cut(&self, text: Shown, width: usize) -> Shown {
        if self.is_name() {
            let name = cut_name(&text, width);
            return Shown::again(name.into_owned());
        }
        text.cut(width)
    }

    /// Adds the text for machines.
    pub(crate) fn put(&self, text: &mut String) {
        match self {
            Self::Exact(own) => put_text(text, own),
            Self::Number(value, _) => put(text, Exact(*value)),
            Self::Node(tree, node) => {
                if let Some(path) = path_of(tree, *node) {
                    put_text(text, &path);
                }
            }
            _ => {
                let shown = self.clone().shown();
                put_text(text, &shown);
            }
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

/// Adds a number, or what else has no name in it.
fn put(cell: &mut String, value: impl std::fmt::Display) {
    // Writing to a String cannot fail.
    let _ = write!(cell, "{value}");
}

/// Adds a name or path from outside to a cell. What a terminal must not see is written byte by byte as
/// `\xNN`, which a path on the command line may hold too.
fn put_text(cell: &mut String, text: &str) {
    let mut bytes = text.bytes();
    if bytes.all(|byte| (b' '..=b'~').contains(&byte)) {
        cell.push_str(text);
        return;
    }
    for char in text.chars() {
        if is_plain(char) {
            cell.push(char);
            continue;
        }
        let mut buffer = [0; 4];
        let encoded = char.encode_utf8(&mut buffer);
        for byte in encoded.bytes() {
            put(cell, format_args!("\\x{byte:02X}"));
        }
    }
}
