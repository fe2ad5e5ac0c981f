//! The name, heading, alignment and cells of a column.

use super::Cell;
use crate::base::number::{Alignment, Unit, Value};
use crate::base::shown::Shown;
use crate::report::line::Emphasis;
use std::borrow::Cow;

/// The heading of a column for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// The text.
    pub text: Shown,
    /// The side on which the cells of the column are aligned.
    pub alignment: Alignment,
}

impl Heading {
    /// Returns the heading of a column of text.
    pub fn left(text: impl Into<Shown>) -> Self {
        Self {
            text: text.into(),
            alignment: Alignment::Left,
        }
    }

    /// Returns the heading of a column of numbers.
    pub fn right(text: impl Into<Shown>) -> Self {
        Self {
            text: text.into(),
            alignment: Alignment::Right,
        }
    }
}

/// What a column has for each row.
type OfRow<'a, R, T> = Box<dyn Fn(&R) -> T + 'a>;

/// A column of a table over rows of type `R`.
pub struct Column<'a, R> {
    /// The name in CSV.
    name: Shown,
    heading: Heading,
    /// The place in the order in which columns get room; `None` for one that is always there.
    order: Option<u8>,
    cell: OfRow<'a, R, Cell<'a>>,
    /// The number that a cell tells, where the cell is text.
    key: Option<OfRow<'a, R, Value>>,
    emphasis: Option<OfRow<'a, R, Emphasis>>,
}

impl<R> std::fmt::Debug for Column<'_, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Column")
            .field("name", &self.name)
            .field("heading", &self.heading)
            .finish_non_exhaustive()
    }
}

impl<'a, R> Column<'a, R> {
    /// Returns a column under a heading, which is its name too.
    pub fn new(heading: Heading, cell: impl Fn(&R) -> Cell<'a> + 'a) -> Self {
        Self {
            name: heading.text.clone(),
            heading,
            order: None,
            cell: Box::new(cell),
            key: None,
            emphasis: None,
        }
    }

    /// Returns a column of text.
    pub fn left(heading: impl Into<Shown>, text: impl Fn(&R) -> Shown + 'a) -> Self {
        Self::new(Heading::left(heading), move |row| text(row).into())
    }

    /// Returns a column of numbers that are written as text.
    pub fn right(heading: impl Into<Shown>, text: impl Fn(&R) -> Shown + 'a) -> Self {
        Self::new(Heading::right(heading), move |row| text(row).into())
    }

    /// Returns a column of text for machines.
    pub fn exact(name: &'static str, text: impl Fn(&R) -> Cow<'a, str> + 'a) -> Self {
        Self::new(Heading::left(name), move |row| Cell::Exact(text(row)))
    }

    /// Returns a column of numbers of one unit.
    pub fn number(heading: impl Into<Shown>, unit: Unit, value: impl Fn(&R) -> Value + 'a) -> Self {
        let cell = move |row: &R| Cell::Number(value(row), unit);
        Self::new(Heading::right(heading), cell)
    }

    /// Returns the column with another name in CSV.
    pub fn named(mut self, name: impl Into<Shown>) -> Self {
        self.name = name.into();
        self
    }

    /// Returns the column with the numbers that its cells tell as text, so that rows can be sorted by them.
    pub fn keyed(mut self, key: impl Fn(&R) -> Value + 'a) -> Self {
        self.key = Some(Box::new(key));
        self
    }

    /// Returns the column with cells that are emphasized where a form can do that.
    pub fn emphasized(mut self, emphasis: impl Fn(&R) -> Emphasis + 'a) -> Self {
        self.emphasis = Some(Box::new(emphasis));
        self
    }

    /// Returns the column as one that gives way to those of a lower order where a table is too wide.
    pub fn giving_way(mut self, order: u8) -> Self {
        self.order = Some(order);
        self
    }

    /// Returns the place in the order in which columns get room, or `None` if the column is always there.
    pub(super) fn order(&self) -> Option<u8> {
        self.order
    }

    /// Returns the name in CSV.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the heading for people.
    pub fn heading(&self) -> &Heading {
        &self.heading
    }

    /// Returns the cell of a row.
    pub fn cell(&self, row: &R) -> Cell<'a> {
        (self.cell)(row)
    }

    /// Returns the number that the cell of a row tells, or `None` if its text is all there is.
    pub fn key(&self, row: &R) -> Option<Value> {
        match (&self.key, self.cell(row)) {
            (Some(key), _) => Some(key(row)),
            (None, Cell::Number(value, _)) => Some(value),
            (None, Cell::Shown(_) | Cell::Exact(_) | Cell::Node(..) | Cell::Label(..)) => None,
        }
    }

    /// Whether some of its cells may be emphasized.
    pub fn has_emphasis(&self) -> bool {
        self.emphasis.is_some()
    }

    /// Returns how the cell of a row is emphasized.
    pub fn emphasis(&self, row: &R) -> Emphasis {
        let emphasis = self.emphasis.as_ref();
        emphasis.map_or(Emphasis::Plain, |emphasis| emphasis(row))
    }
}
