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
    /// A command to run.
    Command,
    /// Users run earlier.
    Better,
    /// Users run later.
    Worse,
    /// A warning.
    Warning,
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
    /// Whether the line is a part of a drawing, which cannot be wrapped.
    pub is_drawing: bool,
}

impl<T: Into<Shown>> From<T> for Line {
    fn from(text: T) -> Self {
        Self::of(Emphasis::Plain, text)
    }
}

impl Line {
    /// Returns a line of one emphasis.
    pub fn of(emphasis: Emphasis, text: impl Into<Shown>) -> Self {
        Self::default().and(emphasis, text)
    }

    /// Returns the line with a further piece.
    pub fn and(mut self, emphasis: Emphasis, text: impl Into<Shown>) -> Self {
        let text = text.into();
        self.spans.push(Span { text, emphasis });
        self
    }

    /// Returns the line with a further piece without emphasis.
    pub fn plain(self, text: impl Into<Shown>) -> Self {
        self.and(Emphasis::Plain, text)
    }

    /// Returns a line that begins with its subject.
    pub fn strong(text: impl Into<Shown>) -> Self {
        Self::of(Emphasis::Strong, text)
    }

    /// Returns the line as a part of a drawing.
    pub fn drawn(mut self) -> Self {
        self.is_drawing = true;
        self
    }

    /// Whether the line is the heading of those below it: its subject, and how that is computed.
    pub(in crate::report) fn is_heading(&self) -> bool {
        let emphasis = self.spans.iter().map(|span| span.emphasis);
        emphasis.eq([Emphasis::Strong, Emphasis::Dim])
    }

    /// Returns the text without emphasis.
    pub fn text(&self) -> Shown {
        self.spans.iter().map(|span| &span.text).collect()
    }
}

/// Returns lines as one text, for JSON.
pub(in crate::report) fn text(lines: &[Line]) -> String {
    let lines: Vec<Shown> = lines.iter().map(Line::text).collect();
    lines.join("\n")
}
