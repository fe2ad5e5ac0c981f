//! One row of a tree: name, shares, usage, then `KEY=VALUE`.
//!
//! A row is text within a TOML string, so a name is quoted by rules of its own.

use crate::base::shown::{Shown, is_safe, shown};
use crate::format::text::{number, shares};
use crate::model::{Kind, NodeId, Shares, Tree, Usage};
use std::borrow::Cow;
use std::fmt::Write as _;

/// What stands before a row and between its words.
pub(super) const BLANKS: &[char] = &[' ', '\t'];

/// What a row says about a node.
#[derive(Debug)]
pub(super) struct TreeRow<'a> {
    /// The name without its quotes; empty only if it is in quotes.
    pub(super) name: Cow<'a, [u8]>,
    /// `None` if the row does not state them.
    pub(super) shares: Option<Shares>,
    /// What the row states, or none.
    pub(super) usage: Usage,
    /// `None` if the kind follows from the rows below.
    pub(super) kind: Option<Kind>,
    /// PBS's number of the group; 0 if the row has none.
    pub(super) group: i32,
    /// The partition of an association of Slurm.
    pub(super) partition: Option<Cow<'a, [u8]>>,
    /// Whether Flux counts the association.
    pub(super) active: Option<bool>,
    /// Flux's usage by period, the current one first; empty if the row has none.
    pub(super) bins: Vec<f64>,
}

/// Why a row cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum RowError {
    /// It begins with a comment or ends before a name.
    #[error("the row has no name")]
    NoName,
    /// It ends within quotes.
    #[error("the quotes of the name are not closed")]
    OpenQuotes,
    /// A backslash begins no escape.
    #[error("a \\ in quotes must be one of \\\", \\\\ and \\xNN")]
    Escape,
    /// The first word behind the name.
    #[error("{0} is not a number of shares; expected a whole number such as 40, or parent")]
    Shares(Shown),
    /// The second word behind the name.
    #[error("{0} is not usage; expected a number from 0 up, or - for none")]
    Usage(Shown),
    /// The value of `bins`.
    #[error(
        "{0} is not usage by period; expected numbers from 0 up, the current period first, as in 16,8,4,2"
    )]
    Bins(Shown),
    /// A third word without a key.
    #[error("unknown word '{0}'; expected KEY=VALUE after name, shares and usage")]
    NoKey(Shown),
    /// A word with an unknown key, or a value that its key does not have.
    #[error(
        "unknown word '{0}'; expected kind=account or user, cgrp=N, partition=NAME, active=0 or 1, bins=N,N"
    )]
    UnknownKey(Shown),
}

/// An error in a row, with its place.
#[derive(Debug)]
pub(super) struct PlacedRowError {
    /// The column in the row, from 0.
    pub(super) column: usize,
    /// What is wrong there.
    pub(super) error: RowError,
}

impl RowError {
    /// Returns the error with its column in the row, from 0.
    fn at(self, column: usize) -> PlacedRowError {
        PlacedRowError {
            column,
            error: self,
        }
    }
}

impl<'a> TreeRow<'a> {
    /// Reads a row without its indentation; `#` begins a comment.
    pub(super) fn parse(text: &'a str) -> Result<Self, PlacedRowError> {
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
            return Err(RowError::NoName.at(0));
        }
        let mut place = 0;
        loop {
            let column = words.next_at();
            let Some(word) = words.word() else {
                return Ok(row);
            };
            if word.starts_with("partition=") {
                words.at = column + "partition=".len();
                row.partition = Some(words.name()?);
            } else if let Err(error) = row.take(place, word) {
                return Err(error.at(column));
            }
            place += 1;
        }
    }

    /// Takes a word behind the name. `place` is 0 for the first of them.
    fn take(&mut self, place: usize, word: &str) -> Result<(), RowError> {
        let Some((key, value)) = word.split_once('=') else {
            return self.take_number(place, word);
        };
        match (key, value) {
            ("kind", "account") => self.kind = Some(Kind::Account),
            ("kind", "user") => self.kind = Some(Kind::User),
            ("kind", "others") => self.kind = Some(Kind::Others),
            ("active", "0") => self.active = Some(false),
            ("active", "1") => self.active = Some(true),
            ("bins", _) => {
                let Some(bins) = value.split(',').map(amount).collect() else {
                    return Err(RowError::Bins(shown(word.as_bytes())));
                };
                self.bins = bins;
            }
            ("cgrp", _) => match value.parse() {
                Ok(group) => self.group = group,
                Err(_) => return Err(unknown_key(word)),
            },
            _ => return Err(unknown_key(word)),
        }
        Ok(())
    }

    /// Takes a word without a key: first the shares, then the usage.
    fn take_number(&mut self, place: usize, word: &str) -> Result<(), RowError> {
        match place {
            0 => {
                self.shares = shares(word.as_bytes());
                if self.shares.is_none() {
                    return Err(RowError::Shares(shown(word.as_bytes())));
                }
            }
            1 => {
                let Some(usage) = usage(word) else {
                    return Err(RowError::Usage(shown(word.as_bytes())));
                };
                self.usage = usage;
            }
            _ => return Err(RowError::NoKey(shown(word.as_bytes()))),
        }
        Ok(())
    }
}

/// Returns the error of a word whose key is unknown, or whose value its key does not have.
fn unknown_key(word: &str) -> RowError {
    RowError::UnknownKey(shown(word.as_bytes()))
}

/// Reads usage: an amount, or `-` for none.
fn usage(word: &str) -> Option<Usage> {
    if word == "-" {
        return Some(Usage::NONE);
    }
    amount(word).map(Usage::new)
}

/// Reads an amount of usage, from 0 up.
pub(super) fn amount(word: &str) -> Option<f64> {
    let amount: f64 = word.parse().ok()?;
    if amount >= 0.0 { Some(amount) } else { None }
}

/// The words of a row, from a place on.
struct RowWords<'a> {
    /// The row, without its indentation.
    text: &'a str,
    /// Where the next word, or the blanks before it, begins.
    at: usize,
}

impl<'a> RowWords<'a> {
    /// Skips blanks, and returns the place behind them.
    fn next_at(&mut self) -> usize {
        let rest = &self.text[self.at..];
        let words = rest.trim_start_matches(BLANKS);
        self.at += rest.len() - words.len();
        self.at
    }

    /// Returns the next word, or `None` at the end or before a comment.
    fn word(&mut self) -> Option<&'a str> {
        let rest = &self.text[self.at..];
        let end = rest.find([' ', '\t', '#']).unwrap_or(rest.len());
        self.at += end;
        if end == 0 {
            return None;
        }
        Some(&rest[..end])
    }

    /// Returns the next word, or the text in quotes.
    fn name(&mut self) -> Result<Cow<'a, [u8]>, PlacedRowError> {
        if self.text[self.at..].starts_with('"') {
            return Ok(self.quoted()?.into());
        }
        let word = self.word().unwrap_or_default();
        Ok(word.as_bytes().into())
    }

    /// Returns the text in quotes, the first of which is here.
    fn quoted(&mut self) -> Result<Vec<u8>, PlacedRowError> {
        let mut name = Vec::new();
        let mut at = self.at + 1;
        loop {
            match &self.text.as_bytes()[at..] {
                [b'"', ..] => {
                    self.at = at + 1;
                    return Ok(name);
                }
                [b'\\', byte @ (b'"' | b'\\'), ..] => {
                    name.push(*byte);
                    at += 2;
                }
                [b'\\', rest @ ..] => {
                    let Some(byte) = hexadecimal(rest) else {
                        return Err(RowError::Escape.at(at));
                    };
                    name.push(byte);
                    at += 4;
                }
                [byte, ..] => {
                    name.push(*byte);
                    at += 1;
                }
                [] => return Err(RowError::OpenQuotes.at(self.at)),
            }
        }
    }
}

/// Reads `xNN` at the beginning of a text: a byte in hexadecimal digits.
fn hexadecimal(text: &[u8]) -> Option<u8> {
    let pair = text.strip_prefix(b"x")?.get(..2)?;
    let digits = str::from_utf8(pair).ok()?;
    u8::from_str_radix(digits, 16).ok()
}

/// Returns whether a name may be written in a row as it is.
fn is_bare(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('@') && !name.contains(is_special)
}

/// Returns whether a name with this character is written in quotes.
fn is_special(char: char) -> bool {
    match char {
        '"' | '\'' | '\\' | '#' | ' ' => true,
        _ => !is_safe(char),
    }
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
                    let mut buffer = [0; 4];
                    let bytes = char.encode_utf8(&mut buffer);
                    write_bytes(out, bytes.as_bytes());
                }
                _ => out.push(char),
            }
        }
        write_bytes(out, chunk.invalid());
    }
    out.push('"');
}

/// Writes bytes as escapes.
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
    if tree.is_others(node) {
        out.push_str(" kind=others");
    }
    if tree.group(node) != 0 {
        let _ = write!(out, " cgrp={}", tree.group(node));
    }
    if let Some(partition) = tree.partition(node) {
        out.push_str(" partition=");
        write_name(out, partition);
    }
    if let Some(state) = tree.usage_state()
        && state.usage(node) == usage
        && let Some(bins) = state.bins()
    {
        write_bins(out, bins.get(node));
    }
    if let Some(is_active) = tree.active(node) {
        let _ = write!(out, " active={}", u8::from(is_active));
    }
}

/// Writes Flux's usage by period. A node without bins has no word for them.
fn write_bins(out: &mut String, bins: &[f64]) {
    let mut before = " bins=";
    for &amount in bins {
        let _ = write!(out, "{before}{}", number(amount));
        before = ",";
    }
}
