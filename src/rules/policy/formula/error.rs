//! Why a text is no formula, and where in it.

use crate::base::shown::{Shown, cells, sentence, shown_text};

/// A part of a text, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Where it begins.
    pub start: usize,
    /// The position after its last byte.
    pub end: usize,
}

impl Span {
    pub(super) const fn of(range: std::ops::Range<usize>) -> Self {
        Self {
            start: range.start,
            end: range.end,
        }
    }
}

/// Why a text is no formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaError {
    /// The formula, each part of which is made visible when the error is written.
    text: String,
    span: Span,
    message: Shown,
    suggestion: Option<Shown>,
}

impl FormulaError {
    pub(super) fn new(text: &str, span: Span, message: Shown) -> Self {
        Self {
            text: text.to_owned(),
            span,
            message,
            suggestion: None,
        }
    }

    pub(super) fn suggesting(self, suggestion: impl Into<Shown>) -> Self {
        Self {
            suggestion: Some(suggestion.into()),
            ..self
        }
    }

    /// Returns where the error is in the text.
    pub const fn span(&self) -> Span {
        self.span
    }

    /// Returns what is wrong and how to fix it, in one line.
    pub fn sentence(&self) -> Shown {
        match &self.suggestion {
            Some(suggestion) => sentence!("{}; {suggestion}", self.message),
            None => self.message.clone(),
        }
    }
}

impl std::fmt::Display for FormulaError {
    /// Writes the sentence, the formula, and a mark under the place.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let part = |range: std::ops::Range<usize>| shown_text(&self.text.as_bytes()[range]);
        let Span { start, end } = self.span;
        let (before, marked, rest) = (part(0..start), part(start..end), part(end..self.text.len()));
        write!(
            f,
            "job_sort_formula: {}\n  {before}{marked}{rest}\n  {}{}",
            self.sentence(),
            " ".repeat(cells(&before)),
            "^".repeat(cells(&marked).max(1)),
        )
    }
}

impl std::error::Error for FormulaError {}
