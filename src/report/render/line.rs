//! Lines of prose, with emphasis as data.

use crate::base::shown::{Shown, cells};

/// How a piece of text is emphasized; the screen gives it a style, plain text none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Emphasis {
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

/// A piece of a line of one look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// The text.
    pub(crate) text: Shown,
    /// Its emphasis.
    pub(crate) emphasis: Emphasis,
    /// The link that it leads to, by its place on the page.
    pub(crate) link: Option<usize>,
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
    /// Returns a line of one span.
    pub(crate) fn of(emphasis: Emphasis, text: impl Into<Shown>) -> Self {
        Self::default().and(emphasis, text)
    }

    /// Returns the line with another span behind it.
    pub(crate) fn and(mut self, emphasis: Emphasis, text: impl Into<Shown>) -> Self {
        self.spans.push(Span {
            text: text.into(),
            emphasis,
            link: None,
        });
        self
    }

    /// Returns the line with plain text behind it.
    pub(crate) fn plain(self, text: impl Into<Shown>) -> Self {
        self.and(Emphasis::Plain, text)
    }

    /// Returns a line that is all subject.
    pub(crate) fn strong(text: impl Into<Shown>) -> Self {
        Self::of(Emphasis::Strong, text)
    }

    /// Adds a span; neighbours of the same look become one.
    pub(crate) fn push(&mut self, span: Span) {
        match self.spans.last_mut() {
            Some(last) if last.emphasis == span.emphasis && last.link == span.link => {
                last.text += &span.text;
            }
            _ => self.spans.push(span),
        }
    }

    /// Adds blanks.
    pub(crate) fn push_blanks(&mut self, count: usize) {
        self.push_blanks_before(count, &[]);
    }

    /// Adds blanks before other spans: between two of the same look they are in that look, too.
    pub(crate) fn push_blanks_before(&mut self, count: usize, next: &[Span]) {
        if count == 0 {
            return;
        }
        let mut blanks = Span {
            text: Shown::default(),
            emphasis: Emphasis::Plain,
            link: None,
        };
        blanks.text.pad(count);
        if let Some(last) = self.spans.last()
            && let Some(next) = next.first()
            && last.emphasis == next.emphasis
            && last.link == next.link
        {
            blanks.emphasis = last.emphasis;
            blanks.link = last.link;
        }
        self.push(blanks);
    }

    /// Returns how many cells it takes.
    pub(crate) fn cells(&self) -> usize {
        cells_of(&self.spans)
    }

    /// Returns the line cut to so many cells; one that was cut ends in `…`.
    pub(crate) fn cut(self, width: usize) -> Self {
        if self.cells() <= width {
            return self;
        }
        let mut cut = Self {
            spans: Vec::new(),
            ..self
        };
        let mut left = width;
        for mut span in self.spans {
            if left == 0 {
                break;
            }
            let needed = cells(&span.text);
            if needed >= left {
                // Behind it more is cut, so that it ends in the sign, too.
                span.text += &"…".into();
                span.text = span.text.cut(left);
            }
            left = left.saturating_sub(cells(&span.text));
            cut.spans.push(span);
        }
        cut
    }

    /// Returns the line as a part of a drawing.
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

/// Returns how many cells spans take.
pub(super) fn cells_of(spans: &[Span]) -> usize {
    let mut count = 0;
    for span in spans {
        count += cells(&span.text);
    }
    count
}

/// Returns lines as one text, for JSON.
pub(crate) fn text(lines: &[Line]) -> String {
    let texts: Vec<Shown> = lines.iter().map(Line::text).collect();
    texts.join("\n")
}
