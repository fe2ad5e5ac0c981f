//! Lines of prose, with emphasis as data.

use crate::base::shown::Shown;

/// How a piece of text is emphasized; the screen gives it a style, plain text none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emphasis {
    /// No emphasis.
    Plain,
    /// The subject of the line.
    Strong,
    /// More was used than the target.
    Over,
    /// Less was used than the target.
    Under,
    /// Less important text.
    Dim,
    /// Text of this level of a tree, from 0.
    Bucket(u8),
}

/// A piece of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The text.
    pub text: Shown,
    /// How it is emphasized.
    pub emphasis: Emphasis,
}

/// A line of prose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The pieces, from left to right.
    pub spans: Vec<Span>,
}

impl Line {
    /// Returns a line without emphasis.
    #[must_use]
    pub fn plain(text: impl Into<Shown>) -> Self {
        Self::default().and(Emphasis::Plain, text)
    }

    /// Returns a line of one emphasis.
    #[must_use]
    pub fn of(emphasis: Emphasis, text: impl Into<Shown>) -> Self {
        Self::default().and(emphasis, text)
    }

    /// Returns the line with a further piece.
    #[must_use]
    pub fn and(mut self, emphasis: Emphasis, text: impl Into<Shown>) -> Self {
        let text = text.into();
        self.spans.push(Span { text, emphasis });
        self
    }

    /// Returns the text without emphasis.
    #[must_use]
    pub fn text(&self) -> Shown {
        self.spans.iter().map(|span| &span.text).collect()
    }
}

/// Returns lines as one text, for JSON.
pub(super) fn text(lines: &[Line]) -> String {
    let lines: Vec<Shown> = lines.iter().map(Line::text).collect();
    lines.join("\n")
}
