//! The words and signs of a formula; and why a text is no formula, and where in it.

use super::number::Number;
use crate::base::shown::{Shown, cells, sentence, shown_text};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TokenKind<'a> {
    Number(Number),
    /// A name or a word of the language such as `if`.
    Word(&'a str),
    /// An operator, a bracket or a comma.
    Sign(&'a str),
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
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let byte = bytes[at];
        if matches!(byte, b' ' | b'\t') {
            at += 1;
            continue;
        }
        let starts_number = byte.is_ascii_digit()
            || byte == b'.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        let (kind, length) = if starts_number {
            number(text, at)?
        } else if byte.is_ascii_alphabetic() || byte == b'_' {
            let length = word_length(rest);
            (TokenKind::Word(&rest[..length]), length)
        } else if let Some(&sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            (TokenKind::Sign(sign), sign.len())
        } else {
            let length = rest.chars().next().map_or(1, char::len_utf8);
            let message = format!(
                "{} is not valid in a formula here",
                shown_text(&rest.as_bytes()[..length])
            );
            let place = Span::of(at..at + length);
            return Err(FormulaError::new(text, place, Shown::again(message)));
        };
        tokens.push(Token {
            kind,
            span: Span::of(at..at + length),
        });
        at += length;
    }
    tokens.push(Token {
        kind: TokenKind::End,
        span: Span::of(bytes.len()..bytes.len()),
    });
    Ok(tokens)
}

fn word_length(text: &str) -> usize {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    text.bytes().take_while(|byte| is_part(byte)).count()
}

/// Returns the number that begins at a place, and its length.
fn number(text: &str, at: usize) -> Result<(TokenKind<'_>, usize), FormulaError> {
    let rest = &text[at..];
    let bytes = rest.as_bytes();
    let digits = |from: usize| {
        let is_part = |byte: &u8| byte.is_ascii_digit() || *byte == b'_';
        let digits = bytes[from..].iter().take_while(|byte| is_part(byte));
        from + digits.count()
    };
    let mut end = digits(0);
    let mut is_float = false;
    if bytes.get(end) == Some(&b'.') {
        is_float = true;
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            is_float = true;
            end = exponent;
        }
    }
    // Letters that touch a number belong to it, and make it invalid.
    let length = end + word_length(&rest[end..]);
    let written = &rest[..length];
    let refused = |message: Shown| FormulaError::new(text, Span::of(at..at + length), message);
    // Python allows single underscores between digits.
    let is_neat = !written.contains("__")
        && !written
            .split(['.', 'e', 'E', '+', '-'])
            .any(|part| part.starts_with('_') || part.ends_with('_'));
    let plain = written.replace('_', "");
    let has_leading_zero =
        !is_float && plain.starts_with('0') && plain.bytes().any(|byte| byte != b'0');
    if length > end || !is_neat || has_leading_zero {
        return Err(refused(sentence!("{written} is not a number")));
    }
    if is_float {
        let number = plain.parse().map(Number::Float);
        let number = number.map_err(|_| refused(sentence!("{written} is not a number")))?;
        return Ok((TokenKind::Number(number), length));
    }
    match plain.parse() {
        Ok(whole) => Ok((TokenKind::Number(Number::Int(whole)), length)),
        Err(_) => Err(refused(sentence!(
            "{written} is too large a whole number; write it with an exponent, as in 1e40"
        ))),
    }
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
