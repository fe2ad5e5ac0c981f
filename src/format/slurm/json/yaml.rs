//! YAML of `sshare --yaml` and `sacctmgr --yaml`: the same documents as the JSON, with six decimals of every number.

use saphyr_parser::{Event, Parser, ScalarStyle};
use std::fmt::Write as _;

/// How many decimals its numbers have.
pub(super) const DECIMALS: i8 = 6;

/// Returns whether a text begins as Slurm's YAML does.
pub(super) fn is(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let text = text.trim_ascii_start();
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

/// Returns the document as JSON.
///
/// # Errors
/// What is wrong with the YAML.
pub(super) fn to_json(text: &[u8]) -> Result<Vec<u8>, String> {
    let text = String::from_utf8_lossy(text);
    let mut json = String::with_capacity(text.len());
    // For each open collection: whether it is a mapping, and how many scalars and collections it has so far.
    let mut open: Vec<(bool, usize)> = Vec::new();
    for event in Parser::new_from_str(&text) {
        let (event, _) = event.map_err(|error| error.to_string())?;
        match event {
            Event::Scalar(value, style, _, tag) => {
                let is_key = separate(&mut json, &mut open);
                let tag = tag.as_ref().map_or("", |tag| tag.suffix.as_str());
                let is_text =
                    is_key || tag == "str" || (tag.is_empty() && style != ScalarStyle::Plain);
                push(&mut json, &value, is_text);
            }
            Event::MappingStart(..) => {
                separate(&mut json, &mut open);
                json.push('{');
                open.push((true, 0));
            }
            Event::SequenceStart(..) => {
                separate(&mut json, &mut open);
                json.push('[');
                open.push((false, 0));
            }
            Event::MappingEnd => {
                json.push('}');
                open.pop();
            }
            Event::SequenceEnd => {
                json.push(']');
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

/// Writes a scalar: a text, or a number or word as it is.
fn push(json: &mut String, value: &str, is_text: bool) {
    let plain = value.trim_start_matches('+');
    let bare = match plain.trim_start_matches('.').to_ascii_lowercase().as_str() {
        "" | "~" | "null" => Some("null"),
        "true" => Some("true"),
        "false" => Some("false"),
        "inf" | "infinity" => Some("\"inf\""),
        "nan" | "-nan" => Some("\"\""),
        _ => None,
    };
    let is_number = plain.parse::<f64>().is_ok_and(f64::is_finite);
    if !is_text && let Some(bare) = bare {
        json.push_str(bare);
    } else if !is_text && is_number && !plain.ends_with('.') && !plain.starts_with('.') {
        json.push_str(plain);
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
