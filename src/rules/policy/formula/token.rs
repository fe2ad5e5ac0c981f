//! The words and signs of a formula.

use super::number::Number;
use super::{FormulaError, Span};
use crate::base::shown::{Shown, sentence};

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
                crate::base::shown::shown_text(&rest.as_bytes()[..length])
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
