//! JSON with `Infinity`, `-Infinity` and `NaN` as bare words, which Slurm prints if a data parser has no other shape.

use super::contains;
use std::borrow::Cow;
use std::ops::Range;

/// A bare word, and a string of the same length in its place, so that every column stays.
struct BareWord {
    /// The word that is no JSON.
    word: &'static [u8],
    /// The string, with blanks behind it.
    string: &'static [u8],
}

/// The words that Slurm prints.
const WORDS: &[BareWord] = &[
    BareWord {
        word: b"-Infinity",
        string: b"\"-inf\"   ",
    },
    BareWord {
        word: b"Infinity",
        string: b"\"inf\"   ",
    },
    // An empty string is no number.
    BareWord {
        word: b"NaN",
        string: b"\"\" ",
    },
];

/// Returns the text with strings instead of bare words; the text itself if there are none.
pub(super) fn legal(text: &[u8]) -> Cow<'_, [u8]> {
    let mut legal = Cow::Borrowed(text);
    if !contains(text, b"Infinity") && !contains(text, b"NaN") {
        return legal;
    }
    let mut start = 0;
    while start < text.len() {
        let end = match memchr::memchr(b'"', &text[start..]) {
            Some(length) => start + length,
            None => text.len(),
        };
        replace(text, start..end, &mut legal);
        start = after_string(text, end);
    }
    legal
}

/// Replaces the bare words in a range of the text that has no strings.
fn replace(text: &[u8], between: Range<usize>, legal: &mut Cow<'_, [u8]>) {
    let mut start = between.start;
    while let Some(found) = memchr::memchr3(b'-', b'I', b'N', &text[start..between.end]) {
        start += found;
        let rest = &text[start..between.end];
        let mut length = 1;
        for bare in WORDS {
            if rest.starts_with(bare.word) {
                length = bare.word.len();
                legal.to_mut()[start..start + length].copy_from_slice(bare.string);
                break;
            }
        }
        start += length;
    }
}

/// Returns where the string that opens at a quotation mark ends.
fn after_string(text: &[u8], mark: usize) -> usize {
    let mut place = mark + 1;
    while let Some(rest) = text.get(place..)
        && let Some(found) = memchr::memchr2(b'"', b'\\', rest)
    {
        place += found;
        if text[place] == b'"' {
            return place + 1;
        }
        // A backslash and the byte after it.
        place += 2;
    }
    text.len()
}
