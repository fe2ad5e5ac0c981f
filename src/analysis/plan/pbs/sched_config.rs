//! A new `sched_config` made from the present one, with only the changed values replaced.

use crate::analysis::diff::SettingChange;
use crate::format::pbs::settings;
use crate::format::pbs::write::clock;
use crate::model::{FairShare, Settings};
use std::ops::Range;

/// The old name of the decay time.
const OLD_DECAY_TIME: &[u8] = b"half_life";

/// Replaces the values of changed settings. A setting that is not in the file gets a line at the end.
pub fn sched_config(original: &[u8], changes: &[SettingChange]) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for change in changes {
        if let Some(changed) = with_value(&bytes, change) {
            bytes = changed;
            continue;
        }
        // In PBS a later line overrides earlier ones.
        if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            bytes.push(b'\n');
        }
        let line = line(change.key, &change.after);
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
    }
    bytes
}

/// Returns the file with another value in the last line about a setting. `None` if that would not set it.
fn with_value(bytes: &[u8], change: &SettingChange) -> Option<Vec<u8>> {
    // A value for prime or non-prime time only needs new lines.
    if value_of_a_period(change.key, &change.after).is_some() {
        return None;
    }
    let place = value_place(bytes, change.key)?;
    let value = value(change.key, &change.after);
    let mut changed = bytes.to_vec();
    changed.splice(place, value.into_bytes());
    let read = Settings {
        pbs: settings(&changed),
        ..Settings::default()
    };
    if read.get(change.key)? == change.after {
        Some(changed)
    } else {
        None
    }
}

/// Returns the line of a setting; two lines if prime and non-prime time differ.
pub(super) fn line(key: &str, text: &str) -> String {
    let Some(is_on) = value_of_a_period(key, text) else {
        let value = value(key, text);
        return format!("{key}: {value}");
    };
    let prime = is_on.is_on_in_prime();
    let non_prime = is_on.is_on_in_non_prime();
    format!("{key}: {prime}\tprime\n{key}: {non_prime}\tnon_prime")
}

/// Returns what a text sets `fair_share` to for prime or for non-prime time only. `None` for all other texts and settings.
fn value_of_a_period(key: &str, text: &str) -> Option<FairShare> {
    if key != "fair_share" {
        return None;
    }
    let is_on = FairShare::named(text)?;
    is_on.period()?;
    Some(is_on)
}

/// Returns a value as the file has it.
fn value(key: &str, text: &str) -> String {
    match key {
        "fair_share" => {
            let is_on = FairShare::named(text).is_some_and(FairShare::is_on);
            is_on.to_string()
        }
        "fairshare_decay_time" => match text.parse::<i64>() {
            Ok(seconds) if seconds > 0 => clock(seconds),
            _ => text.to_owned(),
        },
        "fairshare_usage_res" if text.contains('"') => format!("'{text}'"),
        "fairshare_usage_res" => format!("\"{text}\""),
        _ => text.to_owned(),
    }
}

/// Finds the value of a setting in the last line about it. `None` if no line is about it.
fn value_place(bytes: &[u8], key: &str) -> Option<Range<usize>> {
    let mut place = None;
    let mut at = 0;
    let mut is_joined = false;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let goes_on = text.ends_with(b"\\");
        if !is_joined
            && !goes_on
            && let Some(range) = value_in(text, key)
        {
            place = Some(at + range.start..at + range.end);
        }
        is_joined = goes_on;
        at += line.len();
    }
    place
}

/// Returns whether PBS separates words at a byte.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Returns the place of the first byte from `at` on that is not blank. `None` if there is none.
fn word_from(line: &[u8], at: usize) -> Option<usize> {
    let blanks = line[at..].iter().position(|&byte| !is_blank(byte))?;
    Some(at + blanks)
}

/// Finds the value in a line. `None` if the line is not about the setting.
fn value_in(line: &[u8], key: &str) -> Option<Range<usize>> {
    let start = word_from(line, 0)?;
    let rest = &line[start..];
    let name = if key == "fairshare_decay_time" && rest.starts_with(OLD_DECAY_TIME) {
        OLD_DECAY_TIME
    } else {
        key.as_bytes()
    };
    let behind = rest.strip_prefix(name)?.strip_prefix(b":")?;
    let value = word_from(line, line.len() - behind.len())?;
    let quote = line[value];
    if matches!(quote, b'"' | b'\'') {
        let inside = &line[value + 1..];
        let length = inside.iter().position(|&byte| byte == quote)?;
        return Some(value..value + length + 2);
    }
    let mut end = value;
    while end < line.len() && !is_blank(line[end]) {
        end += 1;
    }
    Some(value..end)
}
