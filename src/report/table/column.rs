//! What a column of a table is called, and where its cells stand.

use crate::base::number::Alignment;

/// One column of a table for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// What stands above it.
    pub heading: String,
    /// On which side its cells stand.
    pub alignment: Alignment,
}

impl Column {
    /// A column of text.
    #[must_use]
    pub fn left(heading: &str) -> Self {
        Self {
            heading: heading.to_owned(),
            alignment: Alignment::Left,
        }
    }

    /// A column of numbers.
    #[must_use]
    pub fn right(heading: &str) -> Self {
        Self {
            heading: heading.to_owned(),
            alignment: Alignment::Right,
        }
    }
}
