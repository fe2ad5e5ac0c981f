//! The words and signs of a formula; and why a text is no formula, and where in it.

use super::number::Number;
use crate::base::shown::{Shown, cells, sentence, shown_text};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TokenKind<'a> {
    /// A number.
    Number(Number),
    /// A name or a word of the language such as `if`.
    Word(&'a str),
    /// An operator, a bracket or a comma.
    Sign(&'a str),
    /// The end of the formula.
    End,
}

/// A word or sign and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind<'a>,
    pub(super) span: Span,
}

/// The signs, the longer ones first.
const SIGNS: &[&str] = &[
    "**", "//", "<=", ">=", "==", "!=", "+", "-", "*", "/", "%", "<", ">", "(", ")", ",", ".",
];

/// Splits a formula into tokens. The last one is the end.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, FormulaError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with([' ', '\t']) {
            at += 1;
            continue;
        }
        let token = token(text, at)?;
        at = token.span.end;
        tokens.push(token);
    }
    tokens.push(Token {
        kind: TokenKind::End,
        span: Span::new(text.len(), text.len()),
    });
    Ok(tokens)
}

/// Returns the token that begins at a place.
fn token(text: &str, at: usize) -> Result<Token<'_>, FormulaError> {
    let rest = &text[at..];
    let bytes = rest.as_bytes();
    let has_digit_at = |place: usize| bytes.get(place).is_some_and(u8::is_ascii_digit);
    if has_digit_at(0) || (bytes[0] == b'.' && has_digit_at(1)) {
        return number(text, at);
    }
    if bytes[0].is_ascii_alphabetic() || bytes[0] == b'_' {
        let word = &rest[..length_of(rest, is_of_word)];
        return Ok(Token {
            kind: TokenKind::Word(word),
            span: Span::new(at, at + word.len()),
        });
    }
    for &sign in SIGNS {
        if rest.starts_with(sign) {
            return Ok(Token {
                kind: TokenKind::Sign(sign),
                span: Span::new(at, at + sign.len()),
            });
        }
    }
    let length = rest.chars().next().map_or(1, char::len_utf8);
    let span = Span::new(at, at + length);
    let character = shown_text(span.part(text).as_bytes());
    let message = sentence!("{character} is not valid in a formula here");
    Err(FormulaError::new(text, span, message))
}

/// Returns how many bytes at the beginning of a text are of a kind.
fn length_of(text: &str, is_of_kind: fn(u8) -> bool) -> usize {
    let bytes = text.as_bytes();
    let end = bytes.iter().position(|&byte| !is_of_kind(byte));
    end.unwrap_or(bytes.len())
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_of_number(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'_'
}

/// Returns the number that begins at a place.
fn number(text: &str, at: usize) -> Result<Token<'_>, FormulaError> {
    let rest = &text[at..];
    let bytes = rest.as_bytes();
    let mut end = length_of(rest, is_of_number);
    let mut is_float = false;
    if bytes.get(end) == Some(&b'.') {
        is_float = true;
        end += 1;
        end += length_of(&rest[end..], is_of_number);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let mut start = end + 1;
        if matches!(bytes.get(start), Some(b'+' | b'-')) {
            start += 1;
        }
        let digits = length_of(&rest[start..], is_of_number);
        if digits > 0 {
            is_float = true;
            end = start + digits;
        }
    }
    // Letters that touch a number belong to it, and make it invalid.
    let letters = length_of(&rest[end..], is_of_word);
    let span = Span::new(at, at + end + letters);
    let written = span.part(text);
    let plain = written.replace('_', "");
    let has_leading_zero =
        !is_float && plain.starts_with('0') && plain.bytes().any(|byte| byte != b'0');
    let no_number = || FormulaError::new(text, span, sentence!("{written} is not a number"));
    if letters > 0 || !has_neat_underscores(written) || has_leading_zero {
        return Err(no_number());
    }
    let number = if is_float {
        Number::Float(plain.parse().map_err(|_| no_number())?)
    } else if let Ok(whole) = plain.parse() {
        Number::Int(whole)
    } else {
        let message = sentence!(
            "{written} is too large a whole number; write it with an exponent, as in 1e40"
        );
        return Err(FormulaError::new(text, span, message));
    };
    Ok(Token {
        kind: TokenKind::Number(number),
        span,
    })
}

/// Returns whether a number has underscores as Python allows them: single ones between digits.
fn has_neat_underscores(number: &str) -> bool {
    if number.contains("__") {
        return false;
    }
    let mut parts = number.split(['.', 'e', 'E', '+', '-']);
    parts.all(|part| !part.starts_with('_') && !part.ends_with('_'))
}

/// A part of a text, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Where it begins.
    pub start: usize,
    /// The position after its last byte.
    pub end: usize,
}

impl Span {
    /// Returns the part from a place to another, which is not in it.
    pub(super) const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Returns this part of a text.
    pub(super) fn part(self, text: &str) -> &str {
        &text[self.start..self.end]
    }
}

/// Why a text is no formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaError {
    /// The formula, each part of which is made visible when the error is written.
    text: String,
    span: Span,
    /// What is wrong.
    message: Shown,
    /// How to fix it, if that is known.
    suggestion: Option<Shown>,
}

impl FormulaError {
    /// Says what is wrong with a part of a formula.
    pub(super) fn new(text: &str, span: Span, message: Shown) -> Self {
        Self {
            text: text.to_owned(),
            span,
            message,
            suggestion: None,
        }
    }

    /// Adds how to fix it.
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
        let (before, rest) = self.text.split_at(self.span.start);
        let (marked, after) = rest.split_at(self.span.end - self.span.start);
        let before = shown_text(before.as_bytes());
        let marked = shown_text(marked.as_bytes());
        let after = shown_text(after.as_bytes());
        let sentence = self.sentence();
        writeln!(f, "job_sort_formula: {sentence}")?;
        writeln!(f, "  {before}{marked}{after}")?;
        let blanks = " ".repeat(cells(&before));
        let mark = "^".repeat(cells(&marked).max(1));
        write!(f, "  {blanks}{mark}")
    }
}

impl std::error::Error for FormulaError {}
