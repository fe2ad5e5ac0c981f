//! Changes within one line of a dump: everything else stays as it was typed, including quotes, order and comments.

use super::blocks::DEFAULT_ACCOUNT;
use super::line::{Fields, object, placed, value};
use super::spelling::{is_quote, quote};
use super::{is_key, is_shares_key};
use crate::model::Shares;
use std::collections::HashMap;
use std::ops::Range;

/// The changes to a line.
#[derive(Default)]
pub(super) struct LineChanges<'a> {
    pub(super) name: Option<&'a [u8]>,
    pub(super) shares: Option<Shares>,
    /// The new names of accounts, by their old ones.
    pub(super) accounts: Option<&'a HashMap<Vec<u8>, Vec<u8>>>,
}

/// Returns the line with its changes, or `None` if an open quote leaves no place for them.
pub(super) fn rewritten(raw: &[u8], wanted: &LineChanges<'_>) -> Option<Vec<u8>> {
    let (text, places) = placed(raw);
    let (_, rest) = object(&text)?;
    let mut start = text.len() - rest.len();
    let mut fields = Fields::new(rest);
    let mut changes: Vec<(Range<usize>, Vec<u8>)> = Vec::new();
    let (mut shares, mut end) = (None, start);
    let mut is_name = true;
    for field in fields.by_ref() {
        let here = trimmed(field, start);
        end = here.end.max(start);
        start += field.len() + 1;
        if std::mem::take(&mut is_name) {
            let name = wanted.name.map(quoted);
            changes.extend(name.map(|name| (here, name)));
            continue;
        }
        let Some(at) = memchr::memchr(b'=', field) else {
            continue;
        };
        let key = field[..at].trim_ascii();
        let of_value = trimmed(&field[at + 1..], start - field.len() + at);
        if is_shares_key(key) {
            shares = Some(of_value);
        } else if let Some(accounts) = wanted.accounts {
            let renamed = renamed(key, &value(&field[at + 1..]), accounts);
            changes.extend(renamed.map(|names| (of_value, names)));
        }
    }
    let is_open = fields.is_open();
    if let Some(count) = wanted.shares {
        changes.push(match shares {
            Some(place) => {
                let mark = text
                    .get(place.start)
                    .copied()
                    .filter(|&byte| is_quote(byte));
                let number = match mark.map(char::from) {
                    Some(mark) => format!("{mark}{}{mark}", stored(count)),
                    None => stored(count),
                };
                (place, number.into_bytes())
            }
            None if is_open => return None,
            None => (
                end..end,
                format!(":Fairshare={}", stored(count)).into_bytes(),
            ),
        });
    }
    changes.sort_by_key(|(place, _)| place.start);
    let mut line = raw.to_vec();
    for (place, text) in changes.into_iter().rev() {
        line.splice(in_file(&place, &places)?, text);
    }
    Some(line)
}

/// Returns shares as Slurm's own dumps write them: `parent` is a number there.
pub(super) fn stored(shares: Shares) -> String {
    let parent = i64::from(i32::MAX);
    shares.count().unwrap_or(parent).to_string()
}

/// Returns what precedes the first word of a line: blanks, or the prefix of the command.
pub(super) fn lead(raw: &[u8]) -> &[u8] {
    let (_, places) = placed(raw);
    &raw[..places.first().copied().unwrap_or(0)]
}

fn quoted(name: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(name.len() + 2);
    quote(name, &mut text);
    text
}

/// Returns the range of the trimmed text of a field that begins at `start`.
fn trimmed(field: &[u8], start: usize) -> Range<usize> {
    let before = field.len() - field.trim_ascii_start().len();
    let start = start + before;
    start..start + field.trim_ascii().len()
}

/// Returns the accounts of an attribute under their new names, or `None` if none of them is renamed.
fn renamed(key: &[u8], names: &[u8], accounts: &HashMap<Vec<u8>, Vec<u8>>) -> Option<Vec<u8>> {
    if is_key(key, DEFAULT_ACCOUNT, 8) {
        return accounts.get(names).map(|name| quoted(name));
    }
    if !is_key(key, b"Coordinator", 2) {
        return None;
    }
    let listed = || names.split(|&byte| byte == b',');
    listed().any(|name| accounts.contains_key(name)).then(|| {
        let names = listed().map(|name| accounts.get(name).map_or(name, Vec::as_slice));
        quoted(&names.collect::<Vec<_>>().join(&b','))
    })
}

/// Returns the range in the file of a part of a line.
fn in_file(place: &Range<usize>, places: &[usize]) -> Option<Range<usize>> {
    if place.is_empty() {
        let before = place.start.checked_sub(1).and_then(|at| places.get(at))?;
        return Some(before + 1..before + 1);
    }
    Some(*places.get(place.start)?..places.get(place.end - 1)? + 1)
}
