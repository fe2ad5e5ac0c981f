//! Numbers in files, and the records in those we write.

use crate::model::{Kind, Record, Shares, Tree};
use std::borrow::Borrow;
use std::str::FromStr;

/// Returns the parts of a text between marks, such as the lines of a file or cells between bars.
pub(crate) fn split(text: &[u8], mark: u8) -> impl Iterator<Item = &[u8]> {
    text.split(move |&byte| byte == mark)
}

/// Returns whether a word is one of some, in any case.
pub(super) fn is_one_of(word: &[u8], words: &[&str]) -> bool {
    for known in words {
        if word.eq_ignore_ascii_case(known.as_bytes()) {
            return true;
        }
    }
    false
}

/// Returns the value that a whole text says; `None` if it says none.
pub(super) fn parsed<T: FromStr>(text: &[u8]) -> Option<T> {
    let text = str::from_utf8(text).ok()?;
    text.parse().ok()
}

/// Returns what is wrong with a JSON, without the place at the end of the sentence.
pub(super) fn json_fault(error: &serde_json::Error) -> String {
    let sentence = error.to_string();
    match sentence.rsplit_once(" at line ") {
        Some((what, _)) => what.to_owned(),
        None => sentence,
    }
}

/// Returns the first of some names, and how many more there are: `alice, bob and 3 more`.
pub(crate) fn first_of<T: Borrow<str>>(names: &[T], most: usize) -> String {
    if names.len() <= most {
        return names.join(", ");
    }
    let first = names[..most].join(", ");
    let more = names.len() - most;
    format!("{first} and {more} more")
}

/// Reads shares as our own files have them: any count, or `parent`, which the lowest count represents in memory.
pub(super) fn shares(text: &[u8]) -> Option<Shares> {
    if text == b"parent" {
        return Some(Shares::PARENT);
    }
    let shares = Shares::new(parsed(text)?);
    if shares.is_parent() {
        return None;
    }
    Some(shares)
}

/// Returns the shortest text of a number that reads back to the same bits.
pub(super) fn number(amount: f64) -> String {
    let magnitude = amount.abs();
    let is_short = magnitude == 0.0 || (1e-5..1e16).contains(&magnitude);
    if is_short || !amount.is_finite() {
        amount.to_string()
    } else {
        format!("{amount:e}")
    }
}

/// The count from which a double no longer holds every whole number.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Returns whether records give the same sums in any order: whole numbers that a double can sum, each of another user.
pub(super) fn sums_in_any_order(tree: &Tree, records: &[Record]) -> bool {
    let count = tree.id_count();
    let mut sum = count as f64;
    let mut seen = vec![false; count];
    for record in records {
        let seen = &mut seen[record.node.index()];
        if *seen || !is_of_user(tree, record) {
            return false;
        }
        *seen = true;
        let amount = record.amount;
        sum += amount;
        let is_count = amount.fract() == 0.0 && amount >= 0.0;
        if !is_count || sum >= EXACT {
            return false;
        }
    }
    true
}

/// Returns whether every record is of a user, is the only one of it, and is in tree order.
pub(super) fn records_follow_rows(tree: &Tree, records: &[Record]) -> bool {
    let mut last = None;
    for record in records {
        let place = tree.order().position(record.node);
        let follows = place.is_some() && place > last;
        if !follows || !is_of_user(tree, record) {
            return false;
        }
        last = place;
    }
    true
}

/// Returns whether a record is of a user and counts in the accounts above.
fn is_of_user(tree: &Tree, record: &Record) -> bool {
    record.adds_to_ancestors && tree.kind(record.node) == Kind::User
}
