//! The tokens of JSON, one after the other. Nesting is left to the reader, so any depth is possible.

use crate::base::shown::{Shown, sentence, shown};
use crate::format::input::without_mark;
use crate::format::{LoadError, LoadResult};
use serde::de::IgnoredAny;
use std::borrow::Cow;

/// How much of an unexpected token is shown.
const LONGEST_WORD: usize = 20;

pub(super) struct Lexer<'a> {
    file: Shown,
    text: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(file: Shown, text: &'a [u8]) -> Self {
        let at = text.len() - without_mark(text).len();
        Self { file, text, at }
    }

    /// Returns the next byte that is no blank, without consuming it.
    pub(super) fn peek(&mut self) -> Option<u8> {
        let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
        self.at += self.text[self.at..].iter().take_while(is_blank).count();
        self.text.get(self.at).copied()
    }

    /// Consumes the next byte that is no blank if it is this one, and returns whether it was.
    pub(super) fn takes(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    pub(super) fn expect(&mut self, byte: u8, what: &str) -> LoadResult<()> {
        let is_next = self.takes(byte).then_some(());
        is_next.ok_or_else(|| self.unexpected(what))
    }

    pub(super) fn string(&mut self, what: &str) -> LoadResult<Cow<'a, [u8]>> {
        self.expect(b'"', what)?;
        let start = self.at;
        let mut has_escapes = false;
        loop {
            let rest = &self.text[self.at..];
            let Some(end) = memchr::memchr2(b'"', b'\\', rest) else {
                self.at = self.text.len();
                return Err(self.unexpected("the end of a string"));
            };
            self.at += end + 1;
            if rest[end] == b'"' {
                break;
            }
            has_escapes = true;
            self.at = (self.at + 1).min(self.text.len());
        }
        if !has_escapes {
            return Ok(Cow::Borrowed(&self.text[start..self.at - 1]));
        }
        let unescaped = serde_json::from_slice::<String>(&self.text[start - 1..self.at]);
        let Ok(string) = unescaped else {
            self.at = start;
            return Err(self.unexpected("a string of valid characters and escapes"));
        };
        Ok(Cow::Owned(string.into_bytes()))
    }

    /// Returns the text of the next value, of any kind and depth, and where it begins.
    pub(super) fn value(&mut self) -> LoadResult<(&'a [u8], usize)> {
        self.peek();
        let start = self.at;
        // Python writes them, and they are no JSON.
        let mut words = ["NaN", "Infinity", "-Infinity"].into_iter();
        match words.find(|word| self.text[start..].starts_with(word.as_bytes())) {
            Some(word) => self.at += word.len(),
            None => self.skip()?,
        }
        Ok((&self.text[start..self.at], start))
    }

    /// Skips a value of any kind and depth.
    pub(super) fn skip(&mut self) -> LoadResult<()> {
        let rest = &self.text[self.at..];
        let mut values = serde_json::Deserializer::from_slice(rest).into_iter::<IgnoredAny>();
        if !matches!(values.next(), Some(Ok(_))) {
            self.peek();
            return Err(self.unexpected("a value"));
        }
        self.at += values.byte_offset();
        Ok(())
    }

    /// Returns the beginning of a value for people.
    pub(super) fn start_of(value: &[u8]) -> Shown {
        match value.split_at_checked(LONGEST_WORD) {
            Some((start, rest)) if !rest.is_empty() => sentence!("{}…", shown(start)),
            _ => shown(value),
        }
    }

    /// Returns an error that names what was expected here and what was found.
    pub(super) fn unexpected(&self, expected: &str) -> LoadError {
        let rest = &self.text[self.at.min(self.text.len())..];
        let found = if rest.is_empty() {
            "the file ends".to_owned()
        } else {
            let is_part = |byte: &&u8| !byte.is_ascii_whitespace();
            let length = rest.iter().take_while(is_part).take(LONGEST_WORD).count();
            format!("unexpected {:?}", shown(&rest[..length]))
        };
        self.refuse(&format!("{found}; expected {expected}"))
    }

    pub(super) fn refuse(&self, why: &str) -> LoadError {
        let before = &self.text[..self.at.min(self.text.len())];
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
        let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
        LoadError::Refused(sentence!(
            "{}:{line}:{column}: {why}; export it again with flux account export-db -F",
            self.file
        ))
    }
}
