//! The values of single fields: a type, shares, usage.

use crate::model::{Shares, Usage};

/// The value of the `type` column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeType {
    Nothing,
    Account,
    User,
    Root,
}

/// The accepted words of the `type` column.
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

/// Returns the meaning of a word of the `type` column, or `None` if it is unknown.
pub(super) fn node_type(text: &[u8]) -> Option<NodeType> {
    TYPES
        .iter()
        .find(|(word, _)| text.eq_ignore_ascii_case(word.as_bytes()))
        .map(|(_, node_type)| *node_type)
}

/// Reads shares.
pub(super) fn shares(text: &[u8]) -> Result<Shares, ()> {
    match std::str::from_utf8(text) {
        Ok("parent") => Ok(Shares::PARENT),
        Ok(text) => text
            .parse::<i64>()
            .ok()
            .map(Shares::new)
            // The lowest number of 64 bits represents `parent` in memory.
            .filter(|shares| !shares.is_parent())
            .ok_or(()),
        Err(_) => Err(()),
    }
}

/// Returns how some scheduler treats shares that not every scheduler can hold: the problem's code and its words. `None`
/// for other shares.
pub(super) fn odd_shares(shares: Shares) -> Option<(&'static str, &'static str)> {
    match shares.count()? {
        ..0 => Some((
            "csv-negative-shares",
            "PBS uses them as they are; Slurm and Flux read them as very large numbers",
        )),
        count if count > i64::from(u32::MAX) => Some((
            "csv-large-shares",
            "Flux uses them as they are; PBS and Slurm truncate them to 32 bits",
        )),
        _ => None,
    }
}

/// Reads usage, or returns `None` if it is not a number from 0 up.
pub(super) fn usage(text: &[u8]) -> Option<Usage> {
    if text.is_empty() {
        return Some(Usage::NONE);
    }
    let amount: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    (amount.is_finite() && amount >= 0.0).then(|| Usage::new(amount))
}
