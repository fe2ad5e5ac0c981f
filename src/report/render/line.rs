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
    /// A command to run, or what a program reads or prints.
    Command,
    /// A link to a topic of the manual.
    Link,
    /// Users run earlier.
    Better,
    /// Users run later.
    Worse,
    /// A warning.
    Warning,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) text: Shown,
    pub(crate) emphasis: Emphasis,
}

/// A line of prose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    pub(crate) spans: Vec<Span>,
    /// Whether the line is a part of a drawing, which cannot be wrapped.
    pub(crate) is_drawing: bool,
}

impl<T: Into<Shown>> From<T> for Line {
    fn from(text: T) -> Self {
        Self::of(Emphasis::Plain, text)
    }
}

impl Line {
    pub(crate) fn of(emphasis: Emphasis, text: impl Into<Shown>) -> Self {
        Self::default().and(emphasis, text)
    }

    pub(crate) fn and(mut self, emphasis: Emphasis, text: impl Into<Shown>) -> Self {
        let text = text.into();
        self.spans.push(Span { text, emphasis });
        self
    }

    pub(crate) fn plain(self, text: impl Into<Shown>) -> Self {
        self.and(Emphasis::Plain, text)
    }

    pub(crate) fn strong(text: impl Into<Shown>) -> Self {
        Self::of(Emphasis::Strong, text)
    }

    pub(crate) fn drawn(mut self) -> Self {
        self.is_drawing = true;
        self
    }

    /// Whether the line is the heading of those below it: its subject, and how that is computed.
    pub(crate) fn is_heading(&self) -> bool {
        let emphasis = self.spans.iter().map(|span| span.emphasis);
        emphasis.eq([Emphasis::Strong, Emphasis::Dim])
    }

    /// Returns the text without emphasis.
    pub fn text(&self) -> Shown {
        self.spans.iter().map(|span| &span.text).collect()
    }
}

/// Returns lines as one text, for JSON.
pub(crate) fn text(lines: &[Line]) -> String {
    let lines: Vec<Shown> = lines.iter().map(Line::text).collect();
    lines.join("\n")
}
