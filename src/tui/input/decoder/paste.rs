//! A bracketed paste: text between two marks.

use super::{ESCAPE, INTERRUPT};
use std::str;

/// The most bytes accepted from one paste. Prompts hold names and numbers, not files.
const LONGEST_PASTE: usize = 64 * 1024;

/// The most bytes of a character.
const LONGEST_CHARACTER: usize = 4;

/// The mark before a paste.
const START: &[u8] = b"\x1b[200~";

/// The mark behind a paste.
const END: &[u8] = b"\x1b[201~";

/// A paste whose end marker has not come.
#[derive(Default)]
pub(super) struct Paste {
    /// The bytes since the last pause.
    text: Vec<u8>,
    /// How many bytes of the end marker have come.
    matched: usize,
    /// How many of those came before the last pause.
    matched_before: usize,
    /// Whether it went on after a pause.
    pub(super) is_paused: bool,
    /// Whether bytes have come since the last pause.
    has_news: bool,
}

/// How much of some bytes a paste took.
pub(super) struct Taken {
    /// The number of bytes.
    pub(super) count: usize,
    /// Whether they end with the end mark.
    pub(super) is_closed: bool,
}

impl Paste {
    /// Returns whether nothing has come since the last pause.
    pub(super) const fn is_quiet(&self) -> bool {
        self.is_paused && !self.has_news
    }

    /// Takes bytes up to the end mark, or up to `^C` after a pause.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Taken {
        let mut taken = Taken {
            count: 0,
            is_closed: false,
        };
        for &byte in bytes {
            if taken.is_closed || self.is_paused && byte == INTERRUPT {
                break;
            }
            taken.is_closed = self.add(byte);
            taken.count += 1;
        }
        taken
    }

    /// Adds a byte. Returns whether it completes the end marker.
    fn add(&mut self, byte: u8) -> bool {
        self.has_news = true;
        if byte == END[self.matched] {
            self.matched += 1;
            return self.matched == END.len();
        }
        let matched = self.matched_before..self.matched;
        self.matched_before = 0;
        // Only the first byte of the marker is an escape, so no other part of it can begin a marker.
        self.matched = usize::from(byte == ESCAPE);
        for &byte in &END[matched] {
            self.keep(byte);
        }
        if self.matched == 0 {
            self.keep(byte);
        }
        if self.is_paused && self.text == START {
            // A new paste begins. The end of the one before it is lost.
            self.text.clear();
            self.is_paused = false;
        }
        false
    }

    fn keep(&mut self, byte: u8) {
        // The last character must be complete before the text is cut.
        if self.text.len() < LONGEST_PASTE + LONGEST_CHARACTER {
            self.text.push(byte);
        }
    }

    /// Returns the bytes that have come since the last pause.
    pub(super) fn burst(&self) -> Vec<u8> {
        [&self.text, &END[self.matched_before..self.matched]].concat()
    }

    /// Takes the text so far at a pause. A character or end marker that is incomplete is kept for the rest.
    pub(super) fn pause(&mut self) -> String {
        let complete = self.text.len() - self.incomplete();
        let rest = self.text.split_off(complete);
        let text = self.finish();
        *self = Self {
            text: rest,
            matched: self.matched,
            matched_before: self.matched,
            is_paused: true,
            has_news: false,
        };
        text
    }

    /// Returns how many bytes at the end are the beginning of a character.
    fn incomplete(&self) -> usize {
        let Some(last) = self.text.utf8_chunks().last() else {
            return 0;
        };
        match str::from_utf8(last.invalid()) {
            Err(error) if error.error_len().is_none() => last.invalid().len(),
            _ => 0,
        }
    }

    /// Returns the text. Invalid bytes become replacement characters, and what is too long is cut.
    pub(super) fn finish(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.text).into_owned();
        let mut end = LONGEST_PASTE.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text
    }
}
