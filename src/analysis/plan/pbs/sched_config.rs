//! A new `sched_config` made from the present one, with only the changed values replaced.

use crate::analysis::diff::SettingChange;
use crate::format::pbs::settings;
use crate::format::pbs::write::clock;
use crate::model::{FairShare, Settings};
use std::ops::Range;

/// Replaces the values of changed settings. A setting that is not in the file gets a line at the end.
pub fn sched_config(original: &[u8], changes: &[SettingChange]) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for SettingChange { key, after, .. } in changes {
        let is_as_wanted = |bytes: &[u8]| {
            let read = Settings {
                pbs: settings(bytes),
                ..Settings::default()
            };
            read.get(key).as_ref() == Some(after)
        };
        // A value for prime or non-prime time only needs new lines.
        let place = value_place(&bytes, key).filter(|_| !is_of_a_period(key, after));
        if let Some(range) = place {
            let mut changed = bytes.clone();
            changed.splice(range, value(key, after).into_bytes());
            if is_as_wanted(&changed) {
                bytes = changed;
                continue;
            }
        }
        // In PBS a later line overrides earlier ones.
        if bytes.last().is_some_and(|&byte| byte != b'\n') {
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(line(key, after).as_bytes());
        bytes.push(b'\n');
    }
    bytes
}

/// Returns the line of a setting; two lines if prime and non-prime time differ.
pub(super) fn line(key: &str, value_text: &str) -> String {
    let is_on = FairShare::named(value_text).filter(|_| is_of_a_period(key, value_text));
    match is_on {
        Some(is_on) => {
            let (prime, non_prime) = (is_on.is_on_in_prime(), is_on.is_on_in_non_prime());
            format!("{key}: {prime}\tprime\n{key}: {non_prime}\tnon_prime")
        }
        None => format!("{key}: {}", value(key, value_text)),
    }
}

/// Returns whether a text sets `fair_share` for prime or for non-prime time only.
fn is_of_a_period(key: &str, text: &str) -> bool {
    key == "fair_share" && FairShare::named(text).is_some_and(|is_on| is_on.period().is_some())
}

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

/// Finds the value in a line. `None` if the line is not about the setting.
fn value_in(line: &[u8], key: &str) -> Option<Range<usize>> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t'..=b'\r');
    let start = line.iter().position(|byte| !is_blank(byte))?;
    let rest = &line[start..];
    // half_life is the old name of the decay time.
    let old_key = (key == "fairshare_decay_time").then_some("half_life");
    let keys = [Some(key), old_key].into_iter().flatten();
    let mut names = keys.map(|key| format!("{key}:"));
    let name = names.find(|name| rest.starts_with(name.as_bytes()))?;
    let behind = start + name.len();
    let value = behind + line[behind..].iter().position(|byte| !is_blank(byte))?;
    let quote = line[value];
    let end = if matches!(quote, b'"' | b'\'') {
        value + 2 + line[value + 1..].iter().position(|&byte| byte == quote)?
    } else {
        let length = line[value..].iter().position(is_blank);
        length.map_or(line.len(), |length| value + length)
    };
    Some(value..end)
}
