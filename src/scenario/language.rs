//! The edit language: one line of text per edit, on the command line and in scenario files.
//!
//! ```text
//! shares group1/bob=20      shares group1/bob+=10    shares group1/bob*=2    shares group1/bob=50%
//! usage  group1/bob=3600    usage  group1/bob+=3600
//! add    group1/zoe shares=5 usage=0
//! remove group1/bob         move group1/bob to group2    rename group1/bob to robert
//! set    unknown_shares=10
//! ```

use super::{Edit, EditError, Place};
use crate::model::{Kind, NodeId, PathError, Shares, Tree, Usage, escape_name, path_of, resolve};
use crate::shown::shown;
use std::fmt::Write as _;

/// Why a line is not an edit of this tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LanguageError {
    /// The first word is none we know.
    #[error("there is no edit {0}; the edits are shares, usage, add, remove, move, rename and set")]
    Verb(String),
    /// There is nothing on the line.
    #[error("the line is empty; expected an edit such as shares group1/bob=20")]
    Empty,
    /// The verb is known, the rest does not fit it.
    #[error("{text} is not complete; expected {expected}")]
    Form {
        /// The line.
        text: String,
        /// How such a line looks.
        expected: &'static str,
    },
    /// A number that is none.
    #[error("{0} is not an amount; expected a number such as 20, +10, *2 or 50%")]
    Amount(String),
    /// A node that is not there.
    #[error(transparent)]
    Path(#[from] PathError),
    /// An edit that the tree refuses.
    #[error(transparent)]
    Edit(#[from] EditError),
}

/// How an amount is given: outright, or by what is there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// `20`
    Exactly(f64),
    /// `+10`, `-10`
    More(f64),
    /// `*2`, `*0.5`
    Times(f64),
    /// `50%`: of the level for shares, of what is there for usage.
    Percent(f64),
    /// Slurm's `parent`.
    Parent,
}

impl Amount {
    /// Reads what was typed into a cell.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let number = |text: &str| {
            let text = text.trim();
            // One sign is enough: `++5` is a slip of the finger.
            let is_signed_twice = text.starts_with('+');
            text.parse::<f64>()
                .ok()
                .filter(|number| number.is_finite() && !is_signed_twice)
        };
        if text == "parent" {
            Some(Self::Parent)
        } else if let Some(rest) = text.strip_suffix('%') {
            number(rest).map(Self::Percent)
        } else if let Some(rest) = text.strip_prefix('+') {
            number(rest).map(Self::More)
        } else if let Some(rest) = text.strip_prefix('-') {
            number(rest).map(|less| Self::More(-less))
        } else if let Some(rest) = text.strip_prefix('*') {
            number(rest).map(Self::Times)
        } else {
            number(text).map(Self::Exactly)
        }
    }

    /// The shares this makes of a node's shares; whole, rounded to the nearest.
    ///
    /// `50%` is what gives the node half of its level while its siblings keep their shares.
    ///
    /// # Errors
    /// If there is no such number of shares.
    pub fn shares(self, tree: &Tree, node: NodeId) -> Result<Shares, EditError> {
        let now = tree.shares(node).count().unwrap_or(0) as f64;
        let count = match self {
            Self::Parent => return Ok(Shares::PARENT),
            Self::Exactly(count) => count,
            Self::More(more) => now + more,
            Self::Times(times) => now * times,
            Self::Percent(percent) => {
                let siblings = tree.parent(node).map_or(0.0, |parent| {
                    let others = tree.children(parent).filter(|&sibling| sibling != node);
                    others
                        .filter_map(|sibling| tree.shares(sibling).count())
                        .sum::<i64>() as f64
                });
                let portion = percent / 100.0;
                if portion < 0.0 || (portion >= 1.0 && siblings > 0.0) {
                    return Err(EditError::Portion(percent.to_string()));
                }
                if siblings > 0.0 {
                    siblings * portion / (1.0 - portion)
                } else {
                    now
                }
            }
        };
        whole(count).map(Shares::new)
    }

    /// The usage this makes of a node's usage.
    ///
    /// # Errors
    /// If usage cannot be that.
    pub fn usage(self, now: f64) -> Result<Usage, EditError> {
        let amount = match self {
            Self::Parent => return Err(EditError::Usage("parent".to_owned())),
            Self::Exactly(amount) => amount,
            Self::More(more) => now + more,
            Self::Times(times) => now * times,
            Self::Percent(percent) => now * percent / 100.0,
        };
        if amount < 0.0 || !amount.is_finite() {
            return Err(EditError::Usage(amount.to_string()));
        }
        Ok(Usage::new(amount))
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the range is checked first"
)]
fn whole(count: f64) -> Result<i64, EditError> {
    let rounded = count.round();
    if (0.0..=f64::from(i32::MAX)).contains(&rounded) {
        Ok(rounded as i64)
    } else {
        Err(EditError::Shares(rounded as i64))
    }
}

/// Splits `path=20`, `path+=10`, `path*=2`: the last operator counts, since a name may hold a `=`.
///
/// Nothing if there is no operator, or nothing behind it.
fn assignment(text: &[u8]) -> Option<Result<(&[u8], Amount), LanguageError>> {
    let equals = text.iter().rposition(|&byte| byte == b'=')?;
    let value = text[equals + 1..].trim_ascii();
    if value.is_empty() {
        return None;
    }
    let no_amount = || LanguageError::Amount(shown(value));
    let target = &text[..equals];
    let (target, sign) = match target.last() {
        Some(b'+') => (&target[..target.len() - 1], "+"),
        Some(b'-') => (&target[..target.len() - 1], "-"),
        Some(b'*') => (&target[..target.len() - 1], "*"),
        _ => (target, ""),
    };
    let amount = std::str::from_utf8(value)
        .ok()
        .and_then(|value| Amount::parse(&format!("{sign}{value}")));
    Some(
        amount
            .map(|amount| (target.trim_ascii(), amount))
            .ok_or_else(no_amount),
    )
}

/// Splits `PATH to REST` at the last ` to `.
fn target_and_place(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let word = b" to ";
    let at = text
        .windows(word.len())
        .rposition(|window| window == word)?;
    Some((
        text[..at].trim_ascii(),
        text[at + word.len()..].trim_ascii(),
    ))
}

/// Reads an edit of this tree. Several lines are one edit in several parts, all of which name the tree as it is.
///
/// # Errors
/// If a line is not an edit, or names what the tree does not have.
pub fn parse(text: &[u8], tree: &Tree) -> Result<Edit, LanguageError> {
    let text = text.trim_ascii();
    if !text.contains(&b'\n') {
        return parse_line(text, tree);
    }
    let lines = text
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.trim_ascii().is_empty());
    let parts: Result<Vec<_>, _> = lines.map(|line| parse_line(line, tree)).collect();
    parts.map(Edit::Batch)
}

fn parse_line(text: &[u8], tree: &Tree) -> Result<Edit, LanguageError> {
    let text = text.trim_ascii();
    let end = text
        .iter()
        .position(u8::is_ascii_whitespace)
        .unwrap_or(text.len());
    let (verb, rest) = (&text[..end], text[end..].trim_ascii());
    let form = |expected| LanguageError::Form {
        text: shown(text),
        expected,
    };
    match verb {
        b"shares" => {
            let expected = "shares PATH=20, PATH+=10, PATH*=2, PATH=50% or PATH=parent";
            let (target, amount) = assignment(rest).ok_or_else(|| form(expected))??;
            let node = resolve(tree, target)?;
            Ok(Edit::SetShares {
                node,
                shares: amount.shares(tree, node)?,
            })
        }
        b"usage" => {
            let expected = "usage PATH=3600, PATH+=3600 or PATH*=0.5";
            let (target, amount) = assignment(rest).ok_or_else(|| form(expected))??;
            let node = resolve(tree, target)?;
            let now = tree.usage(node).amount().unwrap_or(0.0);
            Ok(Edit::SetUsage {
                node,
                usage: amount.usage(now)?,
            })
        }
        b"add" => add(rest, tree)
            .ok_or_else(|| form("add PATH shares=5, and usage=N or kind=account if you like"))?,
        b"remove" => Ok(Edit::Remove {
            node: resolve(tree, rest)?,
        }),
        b"move" => {
            let (node, to) = target_and_place(rest).ok_or_else(|| form("move PATH to ACCOUNT"))?;
            Ok(Edit::Move {
                node: resolve(tree, node)?,
                to: resolve(tree, root_or(to))?,
                place: Place::Scheduler,
            })
        }
        b"rename" => {
            let (node, name) = target_and_place(rest).ok_or_else(|| form("rename PATH to NAME"))?;
            Ok(Edit::Rename {
                node: resolve(tree, node)?,
                name: unescape(name),
            })
        }
        b"set" => {
            let text = std::str::from_utf8(rest).map_err(|_| form("set KEY=VALUE"))?;
            let (key, value) = text.split_once('=').ok_or_else(|| form("set KEY=VALUE"))?;
            Ok(Edit::SetSetting {
                key: key.trim().to_owned(),
                value: value.trim().to_owned(),
            })
        }
        b"" => Err(LanguageError::Empty),
        verb => Err(LanguageError::Verb(shown(verb))),
    }
}

/// `move X to /` and `move X to root` mean the root.
fn root_or(path: &[u8]) -> &[u8] {
    if matches!(path, b"/" | b"root") {
        b""
    } else {
        path
    }
}

/// `PATH shares=5 [usage=0] [kind=account]`; nothing if the form is wrong.
fn add(text: &[u8], tree: &Tree) -> Option<Result<Edit, LanguageError>> {
    let (mut path, mut shares, mut usage, mut kind) =
        (text, Shares::new(1), Usage::NONE, Kind::User);
    while let Some(blank) = path.iter().rposition(u8::is_ascii_whitespace) {
        let word = std::str::from_utf8(&path[blank + 1..]).ok()?;
        let (key, value) = word.split_once('=')?;
        match key {
            "shares" if value == "parent" => shares = Shares::PARENT,
            "shares" => shares = Shares::new(value.parse().ok()?),
            "usage" => match Amount::Exactly(value.parse().ok()?).usage(0.0) {
                Ok(amount) => usage = amount,
                Err(error) => return Some(Err(error.into())),
            },
            "kind" if value == "account" => kind = Kind::Account,
            "kind" if value == "user" => kind = Kind::User,
            _ => return None,
        }
        path = path[..blank].trim_ascii();
    }
    let slash = last_separator(path);
    let (parent, name) = match slash {
        Some(slash) => (&path[..slash], &path[slash + 1..]),
        None => (&b""[..], path),
    };
    Some(
        resolve(tree, parent)
            .map_err(LanguageError::from)
            .map(|parent| Edit::Add {
                parent,
                name: unescape(name),
                kind,
                shares,
                usage,
            }),
    )
}

/// The last `/` of a path that is not part of a name.
fn last_separator(path: &[u8]) -> Option<usize> {
    let mut last = None;
    let mut index = 0;
    while index < path.len() {
        match path[index] {
            b'\\' => index += 1,
            b'/' => last = Some(index),
            _ => {}
        }
        index += 1;
    }
    last
}

/// A name as it stands in a path, as bytes.
#[must_use]
pub fn unescape(text: &[u8]) -> Vec<u8> {
    let mut name = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            name.push(byte);
            continue;
        }
        let hex = after.strip_prefix(b"x").and_then(|digits| digits.get(..2));
        let value =
            hex.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        if let Some(value) = value {
            name.push(value);
            rest = &after[3..];
        } else if let Some((&escaped, after)) = after.split_first() {
            name.push(escaped);
            rest = after;
        }
    }
    name
}

/// A path or name in which no word of the language can be mistaken: blanks, and an operator at its end.
fn spelled(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for (place, char) in path.char_indices() {
        let is_last = place + char.len_utf8() == path.len();
        let is_operator = is_last && matches!(char, '+' | '-' | '*');
        if char.is_ascii_whitespace() || is_operator {
            // Writing to a String cannot fail.
            let _ = write!(text, "\\x{:02X}", u32::from(char));
            continue;
        }
        text.push(char);
    }
    text
}

/// Writes an edit so that [`parse`] reads it back on the same tree; the parts of a batch stand on lines of their own.
#[must_use]
pub fn write(edit: &Edit, tree: &Tree) -> String {
    let path = |node| spelled(&path_of(tree, node).unwrap_or_else(|| escape_name(tree.name(node))));
    match edit {
        Edit::SetShares { node, shares } => format!("shares {}={shares}", path(*node)),
        Edit::SetUsage { node, usage } => match usage.amount() {
            Some(amount) => format!("usage {}={amount}", path(*node)),
            None => format!("usage {}=0", path(*node)),
        },
        Edit::SetSetting { key, value } => format!("set {key}={value}"),
        Edit::Add {
            parent,
            name,
            kind,
            shares,
            usage,
        } => {
            let parent = path(*parent);
            let separator = if parent.is_empty() { "" } else { "/" };
            let kind = if *kind == Kind::Account {
                " kind=account"
            } else {
                ""
            };
            let usage = usage
                .amount()
                .map(|amount| format!(" usage={amount}"))
                .unwrap_or_default();
            format!(
                "add {parent}{separator}{} shares={shares}{usage}{kind}",
                spelled(&escape_name(name))
            )
        }
        Edit::Remove { node } => format!("remove {}", path(*node)),
        Edit::Restore { node } => format!("restore {}", path(*node)),
        Edit::RestoreSettings { .. } => "restore settings".to_owned(),
        Edit::RestoreUsage(_) => "restore usage".to_owned(),
        Edit::Move { node, to, .. } => {
            let to = path(*to);
            format!(
                "move {} to {}",
                path(*node),
                if to.is_empty() { "/" } else { &to }
            )
        }
        Edit::Rename { node, name } => {
            format!("rename {} to {}", path(*node), spelled(&escape_name(name)))
        }
        Edit::Batch(edits) => edits
            .iter()
            .map(|edit| write(edit, tree))
            .collect::<Vec<_>>()
            .join("\n"),
    }
}
