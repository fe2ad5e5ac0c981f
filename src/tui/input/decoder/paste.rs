//! A bracketed paste: text between two marks.

use super::{ESCAPE, INTERRUPT};
use std::str;

/// The most bytes accepted from one paste. Prompts hold names and numbers, not files.
const LONGEST_PASTE: usize = 64 * 1024;

const LONGEST_CHARACTER: usize = 4;
const START: &[u8] = b"\x1b[200~";
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
    pub(super) is_paused: bool,
    has_news: bool,
}

impl Paste {
    pub(super) const fn is_quiet(&self) -> bool {
        self.is_paused && !self.has_news
    }

    /// Takes bytes up to the end mark, or up to `^C` after a pause. Returns how many, and whether the mark is complete.
    pub(super) fn take(&mut self, bytes: &[u8]) -> (usize, bool) {
        for (taken, &byte) in bytes.iter().enumerate() {
            if self.is_paused && byte == INTERRUPT {
                return (taken, false);
            }
            if self.add(byte) {
                return (taken + 1, true);
            }
        }
        (bytes.len(), false)
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
        END[matched].iter().for_each(|&byte| self.keep(byte));
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

    pub(super) fn burst(&self) -> Vec<u8> {
        [&self.text, &END[self.matched_before..self.matched]].concat()
    }

    /// Takes the text so far at a pause. A character or end marker that is incomplete is kept for the rest.
    pub(super) fn pause(&mut self) -> String {
        let last = self.text.utf8_chunks().last().map(|chunk| chunk.invalid());
        let error = last.and_then(|bytes| str::from_utf8(bytes).err());
        let is_cut = error.is_some_and(|error| error.error_len().is_none());
        let incomplete = last.filter(|_| is_cut).map_or(0, <[u8]>::len);
        let rest = self.text.split_off(self.text.len() - incomplete);
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
