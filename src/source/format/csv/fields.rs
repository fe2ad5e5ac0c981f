//! What single fields mean: a type, shares, usage.

use crate::model::{Shares, Usage};

/// What the `type` column says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeType {
    Nothing,
    Account,
    User,
    Root,
}

/// The words of the `type` column.
const TYPES: &[(&str, NodeType)] = &[
    ("", NodeType::Nothing),
    ("account", NodeType::Account),
    ("acct", NodeType::Account),
    ("bank", NodeType::Account),
    ("group", NodeType::Account),
    ("user", NodeType::User),
    ("entity", NodeType::User),
    ("root", NodeType::Root),
];

/// Returns what a word of the `type` column means, or `None` if it is none we know.
pub(super) fn node_type(text: &[u8]) -> Option<NodeType> {
    TYPES
        .iter()
        .find(|(word, _)| text.eq_ignore_ascii_case(word.as_bytes()))
        .map(|(_, node_type)| *node_type)
}

/// Shares as CSV holds them.
pub(super) fn shares(text: &[u8]) -> Result<Shares, ()> {
    match std::str::from_utf8(text) {
        Ok("parent") => Ok(Shares::PARENT),
        Ok(text) => text
            .parse::<i64>()
            .ok()
            .map(Shares::new)
            // The lowest number of 64 bits stands for `parent` in memory.
            .filter(|shares| !shares.is_parent())
            .ok_or(()),
        Err(_) => Err(()),
    }
}

/// Returns what some scheduler makes of shares that not every scheduler can hold: the problem's code and the words.
pub(super) fn odd_shares(shares: Shares) -> Option<(&'static str, &'static str)> {
    match shares.count()? {
        ..0 => Some((
            "csv-negative-shares",
            "PBS counts with them, Slurm and Flux take them for very large ones",
        )),
        count if count > i64::from(u32::MAX) => Some((
            "csv-large-shares",
            "Flux counts with them, PBS and Slurm cut them to 32 bits",
        )),
        _ => None,
    }
}

/// Usage as CSV holds it, or `None` if it is not a number from 0 up.
pub(super) fn usage(text: &[u8]) -> Option<Usage> {
    if text.is_empty() {
        return Some(Usage::NONE);
    }
    let amount: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    (amount.is_finite() && amount >= 0.0).then(|| Usage::new(amount))
}
