//! One row of a tree: name, shares, usage, then `KEY=VALUE`.

use crate::base::shown::{Shown, is_safe, sentence, shown};
use crate::format::text::{number, shares};
use crate::model::{Kind, NodeId, Shares, Tree, Usage};
use std::borrow::Cow;
use std::fmt::Write as _;

#[derive(Debug)]
pub(super) struct TreeRow<'a> {
    pub(super) name: Cow<'a, [u8]>,
    /// `None` if the row does not state them.
    pub(super) shares: Option<Shares>,
    pub(super) usage: Usage,
    pub(super) kind: Option<Kind>,
    pub(super) group: i32,
    pub(super) partition: Option<Cow<'a, [u8]>>,
    pub(super) active: Option<bool>,
    /// Flux's usage by period, the current one first; empty if the row has none.
    pub(super) bins: Vec<f64>,
}

/// Why a row is invalid: the column in the row, from 0, and the sentence.
pub(super) type RowError = (usize, Shown);

impl<'a> TreeRow<'a> {
    /// Reads a row without its indentation; `#` begins a comment.
    pub(super) fn parse(text: &'a str) -> Result<Self, RowError> {
        let mut words = RowWords { text, at: 0 };
        let mut row = Self {
            name: words.name()?,
            shares: None,
            usage: Usage::NONE,
            kind: None,
            group: 0,
            partition: None,
            active: None,
            bins: Vec::new(),
        };
        if row.name.is_empty() && !text.starts_with('"') {
            return Err((0, "the row has no name".into()));
        }
        for place in 0.. {
            let at = words.next_at();
            let Some(word) = words.word() else {
                break;
            };
            let said = || shown(word.as_bytes());
            let unknown =
                |expected: &str| Err((at, sentence!("unknown word '{}\'; {expected}", said())));
            match (word.split_once('='), place) {
                (None, 0) => {
                    let expected = "expected a whole number such as 40, or parent";
                    let message = || sentence!("{} is not a number of shares; {expected}", said());
                    let shares = shares(word.as_bytes());
                    row.shares = Some(shares.ok_or_else(|| (at, message()))?);
                }
                (None, 1) => {
                    let expected = "expected a number from 0 up, or - for none";
                    let message = || sentence!("{} is not usage; {expected}", said());
                    row.usage = usage(word).ok_or_else(|| (at, message()))?;
                }
                (None, _) => {
                    let expected = "expected KEY=VALUE after name, shares and usage";
                    return unknown(expected);
                }
                (Some(("kind", "account")), _) => row.kind = Some(Kind::Account),
                (Some(("kind", "user")), _) => row.kind = Some(Kind::User),
                (Some(("active", "0")), _) => row.active = Some(false),
                (Some(("active", "1")), _) => row.active = Some(true),
                (Some(("bins", value)), _) => {
                    let bins: Option<Vec<f64>> = value.split(',').map(amount).collect();
                    let message = || {
                        let expected =
                            "expected numbers from 0 up, the current period first, as in 16,8,4,2";
                        sentence!("{} is not usage by period; {expected}", said())
                    };
                    row.bins = bins.ok_or_else(|| (at, message()))?;
                }
                (Some(("partition", _)), _) => {
                    words.at = at + "partition=".len();
                    row.partition = Some(words.name()?);
                }
                (Some(("cgrp", value)), _) if value.parse::<i32>().is_ok() => {
                    row.group = value.parse().unwrap_or_default();
                }
                _ => {
                    let expected = "expected kind=account or user, cgrp=N, partition=NAME, active=0 or 1, bins=N,N";
                    return unknown(expected);
                }
            }
        }
        Ok(row)
    }
}

fn usage(word: &str) -> Option<Usage> {
    if word == "-" {
        return Some(Usage::NONE);
    }
    amount(word).map(Usage::new)
}

/// Reads an amount of usage, from 0 up.
pub(super) fn amount(word: &str) -> Option<f64> {
    word.parse().ok().filter(|&amount| amount >= 0.0)
}

struct RowWords<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> RowWords<'a> {
    fn next_at(&mut self) -> usize {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
        self.at
    }

    /// Returns the next word, or `None` at the end or before a comment.
    fn word(&mut self) -> Option<&'a str> {
        let rest = &self.text[self.at..];
        let end = rest.find([' ', '\t', '#']).unwrap_or(rest.len());
        self.at += end;
        (end > 0).then(|| &rest[..end])
    }

    /// Returns the next word, or the text in quotes.
    fn name(&mut self) -> Result<Cow<'a, [u8]>, RowError> {
        if !self.text[self.at..].starts_with('"') {
            return Ok(self.word().unwrap_or_default().as_bytes().into());
        }
        let hexadecimal = |digits: &[u8]| {
            let digits = std::str::from_utf8(digits).ok()?;
            u8::from_str_radix(digits, 16).ok()
        };
        let mut name = Vec::new();
        let mut at = self.at + 1;
        loop {
            let rest = &self.text.as_bytes()[at..];
            let read = match rest {
                [b'"', ..] => break,
                [b'\\', byte @ (b'"' | b'\\'), ..] => Some((*byte, 2)),
                [b'\\', b'x', ..] => rest.get(2..4).and_then(hexadecimal).map(|byte| (byte, 4)),
                [b'\\', ..] => None,
                [byte, ..] => Some((*byte, 1)),
                [] => {
                    return Err((self.at, "the quotes of the name are not closed".into()));
                }
            };
            let Some((byte, length)) = read else {
                let message = "a \\ in quotes must be one of \\\", \\\\ and \\xNN".into();
                return Err((at, message));
            };
            name.push(byte);
            at += length;
        }
        self.at = at + 1;
        Ok(name.into())
    }
}

/// Returns whether a name may be written in a row as it is.
fn is_bare(name: &str) -> bool {
    let is_special = |char: char| matches!(char, '"' | '\'' | '\\' | '#' | ' ') || !is_safe(char);
    !name.is_empty() && !name.starts_with('@') && !name.contains(is_special)
}

/// Writes a name, in quotes if needed. A `'` could end the TOML string that contains the rows.
fn write_name(out: &mut String, name: &[u8]) {
    if let Ok(name) = std::str::from_utf8(name)
        && is_bare(name)
    {
        return out.push_str(name);
    }
    out.push('"');
    for chunk in name.utf8_chunks() {
        for char in chunk.valid().chars() {
            match char {
                '"' | '\\' => out.extend(['\\', char]),
                char if !is_safe(char) || char == '\'' => {
                    write_bytes(out, char.encode_utf8(&mut [0; 4]).as_bytes());
                }
                _ => out.push(char),
            }
        }
        write_bytes(out, chunk.invalid());
    }
    out.push('"');
}

fn write_bytes(out: &mut String, bytes: &[u8]) {
    for byte in bytes {
        // Writing to a String cannot fail, here and below.
        let _ = write!(out, "\\x{byte:02X}");
    }
}

/// Writes a node as a row, without indentation and line end.
pub(super) fn write(out: &mut String, tree: &Tree, node: NodeId, usage: Usage) {
    write_name(out, tree.name(node));
    let _ = write!(out, " {}", tree.shares(node));
    if let Some(amount) = usage.amount() {
        let _ = write!(out, " {}", number(amount));
    }
    let is_childless_account = tree.kind(node) == Kind::Account && !tree.has_children(node);
    if is_childless_account && !tree.kinds_follow_shape() && node != NodeId::ROOT {
        out.push_str(" kind=account");
    }
    if tree.group(node) != 0 {
        let _ = write!(out, " cgrp={}", tree.group(node));
    }
    if let Some(partition) = tree.partition(node) {
        out.push_str(" partition=");
        write_name(out, partition);
    }
    let state = tree
        .usage_state()
        .filter(|state| state.usage(node) == usage);
    let bins = state.and_then(|state| state.bins());
    let bins = bins.map_or(&[][..], |bins| bins.get(node)).iter();
    for (place, &amount) in bins.enumerate() {
        let before = if place == 0 { " bins=" } else { "," };
        let _ = write!(out, "{before}{}", number(amount));
    }
    if let Some(is_active) = tree.active(node) {
        let _ = write!(out, " active={}", u8::from(is_active));
    }
}
