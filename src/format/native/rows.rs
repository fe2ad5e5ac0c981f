//! One row of a tree: name, shares, usage, then `KEY=VALUE`.

use crate::base::shown::{Shown, is_safe, sentence, shown};
use crate::format::text::{number, shares};
use crate::model::{Kind, NodeId, Shares, Tree, Usage};
use std::borrow::Cow;

#[derive(Debug)]
pub(super) struct TreeRow<'a> {
    pub(super) name: Cow<'a, [u8]>,
    pub(super) shares: Shares,
    pub(super) usage: Usage,
    pub(super) kind: Option<Kind>,
    pub(super) group: i32,
    pub(super) partition: Option<Cow<'a, [u8]>>,
    pub(super) active: Option<bool>,
}

/// Why a row is invalid: the column in the row, from 0, and the sentence.
#[derive(Debug)]
pub(super) struct RowError {
    pub(super) at: usize,
    pub(super) message: Shown,
}

impl<'a> TreeRow<'a> {
    /// Reads a row without its indentation; `#` begins a comment.
    pub(super) fn parse(text: &'a str) -> Result<Self, RowError> {
        let mut words = RowWords { text, at: 0 };
        let mut row = Self {
            name: words.name()?,
            shares: Shares::new(1),
            usage: Usage::NONE,
            kind: None,
            group: 0,
            partition: None,
            active: None,
        };
        if row.name.is_empty() && !text.starts_with('"') {
            let message = "the row has no name".into();
            return Err(RowError { at: 0, message });
        }
        for place in 0.. {
            let at = words.next_at();
            let Some(word) = words.word() else {
                break;
            };
            let said = || shown(word.as_bytes());
            let error = |message| RowError { at, message };
            match (word.split_once('='), place) {
                (None, 0) => {
                    let expected = "expected a whole number such as 40, or parent";
                    let refused = || {
                        error(sentence!(
                            "{} is not a number of shares; {expected}",
                            said()
                        ))
                    };
                    row.shares = shares(word.as_bytes()).ok_or_else(refused)?;
                }
                (None, 1) => {
                    let expected = "expected a number from 0 up, or - for none";
                    let refused = || error(sentence!("{} is not usage; {expected}", said()));
                    row.usage = usage(word).ok_or_else(refused)?;
                }
                (None, _) => {
                    let expected = "expected KEY=VALUE after name, shares and usage";
                    return Err(error(sentence!("unknown word '{}\'; {expected}", said())));
                }
                (Some(("kind", "account")), _) => row.kind = Some(Kind::Account),
                (Some(("kind", "user")), _) => row.kind = Some(Kind::User),
                (Some(("active", "0")), _) => row.active = Some(false),
                (Some(("active", "1")), _) => row.active = Some(true),
                (Some(("partition", _)), _) => {
                    words.at = at + "partition=".len();
                    row.partition = Some(words.name()?);
                }
                (Some(("cgrp", value)), _) if value.parse::<i32>().is_ok() => {
                    row.group = value.parse().unwrap_or_default();
                }
                _ => {
                    let expected =
                        "expected kind=account or user, cgrp=N, partition=NAME, active=0 or 1";
                    return Err(error(sentence!("unknown word '{}\'; {expected}", said())));
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
    let amount = word.parse().ok().filter(|&amount: &f64| amount >= 0.0)?;
    Some(Usage::new(amount))
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
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut name = Vec::new();
        let mut at = start + 1;
        loop {
            let escape = match bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => bytes.get(at + 1),
                Some(&byte) => {
                    name.push(byte);
                    at += 1;
                    continue;
                }
                None => {
                    let message = "the quotes of the name are not closed".into();
                    return Err(RowError { at: start, message });
                }
            };
            let hex = || {
                let digits = std::str::from_utf8(bytes.get(at + 2..at + 4)?).ok()?;
                u8::from_str_radix(digits, 16).ok()
            };
            match (escape, hex()) {
                (Some(&byte @ (b'"' | b'\\')), _) => {
                    name.push(byte);
                    at += 2;
                }
                (Some(b'x'), Some(byte)) => {
                    name.push(byte);
                    at += 4;
                }
                _ => {
                    let message = "a \\ in quotes must be one of \\\", \\\\ and \\xNN".into();
                    return Err(RowError { at, message });
                }
            }
        }
        self.at = at + 1;
        Ok(name.into())
    }
}

/// Returns whether a name may be written in a row as it is.
fn is_bare(name: &[u8]) -> bool {
    let is_special =
        |char: char| matches!(char, '"' | '\'' | '\\' | '#') || char == ' ' || !is_safe(char);
    let is_plain = |name: &str| !name.starts_with('@') && !name.contains(is_special);
    !name.is_empty() && std::str::from_utf8(name).is_ok_and(is_plain)
}

/// Writes a name, in quotes if needed. A `'` could end the TOML string that contains the rows.
fn write_name(out: &mut Vec<u8>, name: &[u8]) {
    if is_bare(name) {
        out.extend_from_slice(name);
        return;
    }
    out.push(b'"');
    for chunk in name.utf8_chunks() {
        for char in chunk.valid().chars() {
            let mut buffer = [0; 4];
            let bytes = char.encode_utf8(&mut buffer).as_bytes();
            match char {
                '"' | '\\' => out.extend_from_slice(&[b'\\', bytes[0]]),
                char if !is_safe(char) || char == '\'' => write_bytes(out, bytes),
                _ => out.extend_from_slice(bytes),
            }
        }
        write_bytes(out, chunk.invalid());
    }
    out.push(b'"');
}

fn write_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    for byte in bytes {
        out.extend_from_slice(format!("\\x{byte:02X}").as_bytes());
    }
}

/// Writes a node as a row, without indentation and line end.
pub(super) fn write(out: &mut Vec<u8>, tree: &Tree, node: NodeId, usage: Usage) {
    write_name(out, tree.name(node));
    out.push(b' ');
    out.extend_from_slice(tree.shares(node).to_string().as_bytes());
    if let Some(amount) = usage.amount() {
        out.push(b' ');
        out.extend_from_slice(number(amount).as_bytes());
    }
    let is_childless_account = tree.kind(node) == Kind::Account && !tree.has_children(node);
    if is_childless_account && !tree.kinds_follow_shape() && node != NodeId::ROOT {
        out.extend_from_slice(b" kind=account");
    }
    if tree.group(node) != 0 {
        out.extend_from_slice(format!(" cgrp={}", tree.group(node)).as_bytes());
    }
    if let Some(partition) = tree.partition(node) {
        out.extend_from_slice(b" partition=");
        write_name(out, partition);
    }
    if let Some(is_active) = tree.active(node) {
        out.extend_from_slice(format!(" active={}", u8::from(is_active)).as_bytes());
    }
}
