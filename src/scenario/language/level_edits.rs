//! The edits of a level in the edit language: `scale`, `split`, `trade`.

use super::{
    EditLine, LanguageError, Parsed, find, root_or, split_at_last, target_and_place, verb,
};
use crate::base::shown::{Shown, shown};
use crate::model::{NodeId, PathError, Settings, Tree};
use crate::scenario::amount::{Amount, whole};
use crate::scenario::family::{self, ShareHolders, level_sum};
use crate::scenario::{Edit, EditError};

/// Reads `scale ACCOUNT to 100 keeping PATH`.
pub(super) fn scale(line: &EditLine<'_>) -> Parsed<Edit> {
    let EditLine { tree, settings, .. } = *line;
    let (rest, kept) = keeping(line.rest, tree)?;
    let Some((account, total)) = target_and_place(rest) else {
        return Err(line.form("scale ACCOUNT to 100, optionally keeping PATH"));
    };
    let account = find(tree, root_or(account))?;
    let total = count(total)?;
    Ok(ShareHolders::of(tree, settings, account, &kept).scale(total)?)
}

/// Reads `split ACCOUNT to 100 keeping PATH`.
pub(super) fn split(line: &EditLine<'_>) -> Parsed<Edit> {
    let EditLine { tree, settings, .. } = *line;
    let (account, total, kept) = split_of(line.rest, tree)?;
    Ok(ShareHolders::of(tree, settings, account, &kept).split(total)?)
}

/// Reads `trade PATH=40 keeping PATH`.
pub(super) fn trade(line: &EditLine<'_>) -> Parsed<Edit> {
    let EditLine { tree, settings, .. } = *line;
    let (rest, kept) = keeping(line.rest, tree)?;
    let expected = "trade PATH=40, optionally keeping PATH";
    let (target, amount) = line.assignment(rest, expected)?;
    let node = find(tree, target)?;
    let shares = traded(tree, node, amount)?;
    Ok(family::trade(tree, settings, node, shares, &kept)?)
}

/// Returns why the split that a line asks for does not divide evenly, before it is made; `None` for all other lines.
pub fn uneven_split(text: &[u8], tree: &Tree, settings: &Settings) -> Option<Shown> {
    let text = text.trim_ascii();
    if verb(text) != b"split" {
        return None;
    }
    let rest = &text[b"split".len()..];
    let (account, total, kept) = split_of(rest.trim_ascii(), tree).ok()?;
    ShareHolders::of(tree, settings, account, &kept).uneven(total)
}

/// Reads `ACCOUNT to 100 keeping PATH`: the account, the sum if given, and the nodes that keep their shares.
fn split_of(text: &[u8], tree: &Tree) -> Parsed<(NodeId, Option<i64>, Vec<NodeId>)> {
    let (rest, kept) = keeping(text, tree)?;
    let (account, total) = match target_and_place(rest) {
        Some((account, total)) => (account, Some(count(total)?)),
        None => (rest, None),
    };
    Ok((find(tree, root_or(account))?, total, kept))
}

/// Splits `... keeping PATH keeping PATH`.
fn keeping<'a>(text: &'a [u8], tree: &Tree) -> Result<(&'a [u8], Vec<NodeId>), PathError> {
    let mut rest = text;
    let mut kept = Vec::new();
    while let Some((before, path)) = split_at_last(rest, b"keeping") {
        kept.push(find(tree, path)?);
        rest = before;
    }
    Ok((rest, kept))
}

/// Reads a sum of shares.
fn count(text: &[u8]) -> Parsed<i64> {
    let digits = std::str::from_utf8(text).unwrap_or_default();
    match digits.parse() {
        Ok(count) => Ok(count),
        Err(_) => Err(LanguageError::Amount(shown(text))),
    }
}

/// Returns the shares of a node whose level keeps its sum: `50%` is half of that sum.
fn traded(tree: &Tree, node: NodeId, amount: Amount) -> Result<i64, EditError> {
    if let Amount::Percent(percent) = amount
        && let Some(account) = tree.parent(node)
    {
        let mut sum = level_sum(tree, account);
        if Some(node) == tree.unknown() {
            sum = sum.saturating_add(tree.shares(node).count().unwrap_or(0));
        }
        return whole(sum as f64 * percent / 100.0);
    }
    let shares = amount.shares(tree, node)?;
    shares.count().ok_or(EditError::NotTraded)
}
