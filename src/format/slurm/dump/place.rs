//! Changes within one line of a dump: everything else stays as it was typed, including quotes, order and comments.

use super::blocks::Piece;
use super::line::{Attribute, places, value};
use super::spelling::{is_quote, quote};
use crate::model::Shares;
use std::collections::HashMap;
use std::ops::Range;

/// The changes to a line.
pub(super) struct LineChanges<'a> {
    pub(super) name: Option<&'a [u8]>,
    pub(super) shares: Option<Shares>,
    /// The new names of accounts, by their old ones.
    pub(super) accounts: &'a HashMap<Vec<u8>, Vec<u8>>,
}

/// Returns the line with its changes, or `None` if an open quote leaves no place for them.
pub(super) fn rewritten(piece: &Piece<'_>, wanted: &LineChanges<'_>) -> Option<Vec<u8>> {
    let statement = piece.statement.as_ref()?;
    let name = wanted
        .name
        .map(|name| (statement.name.clone(), quoted(name)));
    let mut changes: Vec<(Range<usize>, Vec<u8>)> = name.into_iter().collect();
    let mut shares = None;
    for (attribute, place) in &statement.attributes {
        let names = value(&piece.text[place.clone()]);
        let new = |name: &[u8]| wanted.accounts.get(name).map(Vec::as_slice);
        let renamed = match attribute {
            Attribute::DefaultAccount => new(&names).map(quoted),
            Attribute::Coordinator => {
                let listed = || names.split(|&byte| byte == b',');
                let is_any_new = listed().any(|name| new(name).is_some());
                let names = listed().map(|name| new(name).unwrap_or(name));
                is_any_new.then(|| quoted(&names.collect::<Vec<_>>().join(&b',')))
            }
            Attribute::Shares => {
                shares = Some(place.clone());
                None
            }
            _ => None,
        };
        changes.extend(renamed.map(|names| (place.clone(), names)));
    }
    if let Some(count) = wanted.shares {
        changes.push(match shares {
            Some(place) => {
                let mark = piece.text.get(place.start).copied();
                let number = match mark.filter(|&byte| is_quote(byte)).map(char::from) {
                    Some(mark) => format!("{mark}{}{mark}", stored(count)),
                    None => stored(count),
                };
                (place, number.into_bytes())
            }
            None if statement.is_open => return None,
            None => {
                let shares = format!(":Fairshare={}", stored(count));
                (statement.end..statement.end, shares.into_bytes())
            }
        });
    }
    changes.sort_by_key(|(place, _)| place.start);
    let places = places(piece.raw);
    let mut line = piece.raw.to_vec();
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
    &raw[..places(raw).first().copied().unwrap_or(0)]
}

fn quoted(name: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(name.len() + 2);
    quote(name, &mut text);
    text
}

/// Returns the range in the file of a part of a line.
fn in_file(place: &Range<usize>, places: &[usize]) -> Option<Range<usize>> {
    if place.is_empty() {
        let before = place.start.checked_sub(1).and_then(|at| places.get(at))?;
        return Some(before + 1..before + 1);
    }
    Some(*places.get(place.start)?..places.get(place.end - 1)? + 1)
}
