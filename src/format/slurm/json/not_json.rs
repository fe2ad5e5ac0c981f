//! Documents of Slurm that are not JSON: with `Infinity`, `-Infinity` and `NaN` as bare words, which Slurm prints if a data
//! parser has no other shape; or as YAML of `sshare --yaml` and `sacctmgr --yaml`, with six decimals of every number.

use crate::format::input::without_mark;
use memchr::memmem;
use saphyr_parser::{Event, Parser, ScalarStyle};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

pub(super) const DECIMALS: i8 = 6;

pub(super) fn is(text: &[u8]) -> bool {
    let text = without_mark(text).trim_ascii_start();
    [
        &b"%YAML"[..],
        b"---",
        b"!!str shares:",
        b"shares:",
        b"associations:",
        b"!!str associations:",
    ]
    .iter()
    .any(|start| text.starts_with(start))
}

/// Returns YAML as JSON whose values are on the same lines. Its numbers are texts, because without a tag a name of digits
/// looks like one.
pub(super) fn to_json(text: &[u8]) -> Result<Vec<u8>, String> {
    let text = String::from_utf8_lossy(text);
    let mut json = String::with_capacity(text.len());
    // For each open collection: whether it is a mapping, and how many scalars and collections it has so far.
    let mut open: Vec<(bool, usize)> = Vec::new();
    let mut line = 1;
    // Whether the next value says something of a number and is not one.
    let mut is_truth = false;
    for event in Parser::new_from_str(&text) {
        let (event, span) = event.map_err(|error| error.to_string())?;
        let below = span.start.line().saturating_sub(line);
        line += below;
        json.extend(std::iter::repeat_n('\n', below));
        match event {
            Event::Scalar(value, style, _, tag) => {
                let is_key = separate(&mut json, &mut open);
                let tag = tag.as_ref().map_or("", |tag| tag.suffix.as_str());
                let is_text =
                    is_key || tag == "str" || (tag.is_empty() && style != ScalarStyle::Plain);
                push(&mut json, &value, is_text, is_truth);
                is_truth = is_key && matches!(&*value, "set" | "infinite");
            }
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                separate(&mut json, &mut open);
                let is_mapping = matches!(event, Event::MappingStart(..));
                json.push(if is_mapping { '{' } else { '[' });
                open.push((is_mapping, 0));
            }
            Event::MappingEnd | Event::SequenceEnd => {
                json.push(if event == Event::MappingEnd { '}' } else { ']' });
                open.pop();
            }
            Event::Alias(_) => {
                return Err("it refers to itself, which Slurm never writes".to_owned());
            }
            _ => {}
        }
    }
    Ok(json.into_bytes())
}

/// Writes the separator before the next value, and returns whether that is a key.
fn separate(json: &mut String, open: &mut [(bool, usize)]) -> bool {
    let Some((is_mapping, count)) = open.last_mut() else {
        return false;
    };
    let is_key = *is_mapping && *count % 2 == 0;
    if *is_mapping && !is_key {
        json.push(':');
    } else if *count > 0 {
        json.push(',');
    }
    *count += 1;
    is_key
}

/// Writes a scalar: a text, also of a number, or a word as it is.
fn push(json: &mut String, value: &str, is_text: bool, is_truth: bool) {
    let plain = value.trim_start_matches('+');
    let bare = match plain.to_ascii_lowercase().as_str() {
        "" | "~" | "null" => Some("null"),
        "true" if is_truth => Some("true"),
        "false" if is_truth => Some("false"),
        ".inf" => Some("\"inf\""),
        "-.inf" => Some("\"-inf\""),
        ".nan" => Some("\"\""),
        _ => None,
    };
    if !is_text && let Some(bare) = bare {
        json.push_str(bare);
    } else {
        json.push('"');
        for char in value.chars() {
            match char {
                '"' | '\\' => json.extend(['\\', char]),
                // Writing to a String cannot fail.
                char if char < ' ' => _ = write!(json, "\\u{:04x}", u32::from(char)),
                char => json.push(char),
            }
        }
        json.push('"');
    }
}

/// The bare words and strings of the same length in their place, so that every column stays. An empty one is no number.
const WORDS: [(&[u8], &[u8]); 3] = [
    (b"-Infinity", b"\"-inf\"   "),
    (b"Infinity", b"\"inf\"   "),
    (b"NaN", b"\"\" "),
];

/// Returns the text with strings in place of bare words; the text itself if there are none.
pub(in crate::format) fn legal(text: &[u8]) -> Cow<'_, [u8]> {
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
