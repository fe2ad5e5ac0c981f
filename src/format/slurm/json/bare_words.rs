//! JSON with `Infinity`, `-Infinity` and `NaN` as bare words, which Slurm prints if a data parser has no other shape.

use memchr::memmem;
use std::borrow::Cow;
use std::ops::Range;

/// The bare words and strings of the same length in their place, so that every column stays. An empty one is no number.
const WORDS: [(&[u8], &[u8]); 3] = [
    (b"-Infinity", b"\"-inf\"   "),
    (b"Infinity", b"\"inf\"   "),
    (b"NaN", b"\"\" "),
];

/// Returns the text with strings in place of bare words; the text itself if there are none.
pub(super) fn legal(text: &[u8]) -> Cow<'_, [u8]> {
    let has = |word: &[u8]| memmem::find(text, word).is_some();
    let mut legal = Cow::Borrowed(text);
    if !has(b"Infinity") && !has(b"NaN") {
        return legal;
    }
    let mut start = 0;
    while start < text.len() {
        let end = memchr::memchr(b'"', &text[start..]).map_or(text.len(), |length| start + length);
        replace(text, start..end, &mut legal);
        start = after_string(text, end);
    }
    legal
}

fn replace(text: &[u8], between: Range<usize>, legal: &mut Cow<'_, [u8]>) {
    let mut start = between.start;
    while let Some(found) = memchr::memchr3(b'-', b'I', b'N', &text[start..between.end]) {
        start += found;
        let rest = &text[start..between.end];
        let Some((word, string)) = WORDS.iter().find(|(word, _)| rest.starts_with(word)) else {
            start += 1;
            continue;
        };
        legal.to_mut()[start..start + word.len()].copy_from_slice(string);
        start += word.len();
    }
}

/// Returns where the string that opens at a quotation mark ends.
fn after_string(text: &[u8], mark: usize) -> usize {
    let mut place = mark + 1;
    let next = |place: usize| memchr::memchr2(b'"', b'\\', text.get(place..)?);
    while let Some(found) = next(place) {
        place += found;
        if text[place] == b'"' {
            return place + 1;
        }
        // A backslash and the byte after it.
        place += 2;
    }
    text.len()
}
