//! The edits of a level in the edit language: `scale`, `split`, `trade`.

use super::{Assignment, EditLine, Parsed, root_or, split_at_last, target_and_place, verb};
use crate::base::shown::{Shown, shown};
use crate::model::{NodeId, Settings, Tree};
use crate::scenario::amount::{Amount, AmountError, whole};
use crate::scenario::family::{ShareHolders, level_sum, trade};
use crate::scenario::{Edit, EditError};

/// Returns why the split that a line asks for does not divide evenly, before it is made; `None` for all other lines.
pub fn uneven_split(text: &[u8], tree: &Tree, settings: &Settings) -> Option<Shown> {
    if verb(text) != b"split" {
        return None;
    }
    let line = EditLine::new(text, tree, settings);
    let split = line.level_split().ok()?;
    split.holders.uneven(split.total)
}

/// What divides the shares of a level.
struct LevelSplit<'a> {
    holders: ShareHolders<'a>,
    /// The sum, or `None` if that stays.
    total: Option<i64>,
}

/// A text before its `keeping PATH`, and the nodes that keep their shares.
struct Keeping<'a> {
    text: &'a [u8],
    kept: Vec<NodeId>,
}

impl<'a> EditLine<'a> {
    /// Reads `scale ACCOUNT to 100 keeping PATH`.
    pub(super) fn scale(&self) -> Parsed<Edit> {
        let Keeping { text, kept } = self.keeping()?;
        let Some((account, total)) = target_and_place(text) else {
            return Err(self.form("scale ACCOUNT to 100, optionally keeping PATH"));
        };
        let holders = self.holders(account, &kept)?;
        let scaled = holders.scale(count(total)?)?;
        Ok(scaled)
    }

    /// Reads `split ACCOUNT to 100 keeping PATH`.
    pub(super) fn split(&self) -> Parsed<Edit> {
        let LevelSplit { holders, total } = self.level_split()?;
        let split = holders.split(total)?;
        Ok(split)
    }

    /// Reads `trade PATH=40 keeping PATH`.
    pub(super) fn trade(&self) -> Parsed<Edit> {
        let Keeping { text, kept } = self.keeping()?;
        let expected = "trade PATH=40, optionally keeping PATH";
        let Assignment { node, amount } = self.assignment(text, expected)?;
        let shares = shares_of_traded(self.tree, node, amount)?;
        let traded = trade(self.tree, self.settings, node, shares, &kept)?;
        Ok(traded)
    }

    /// Reads `ACCOUNT to 100 keeping PATH`, with or without a sum.
    fn level_split(&self) -> Parsed<LevelSplit<'a>> {
        let Keeping { text, kept } = self.keeping()?;
        let mut account = text;
        let mut total = None;
        if let Some((before, sum)) = target_and_place(text) {
            account = before;
            total = Some(count(sum)?);
        }
        let holders = self.holders(account, &kept)?;
        Ok(LevelSplit { holders, total })
    }

    /// Returns the nodes below an account that divide its shares.
    fn holders(&self, account: &[u8], kept: &[NodeId]) -> Parsed<ShareHolders<'a>> {
        let account = self.find(root_or(account))?;
        let holders = ShareHolders::of(self.tree, self.settings, account, kept);
        Ok(holders)
    }

    /// Splits `... keeping PATH keeping PATH`.
    fn keeping(&self) -> Parsed<Keeping<'a>> {
        let mut text = self.rest;
        let mut kept = Vec::new();
        while let Some((before, path)) = split_at_last(text, b"keeping") {
            let node = self.find(path)?;
            kept.push(node);
            text = before;
        }
        Ok(Keeping { text, kept })
    }
}

/// Reads a sum of shares.
fn count(text: &[u8]) -> Parsed<i64> {
    let digits = String::from_utf8_lossy(text);
    match digits.parse() {
        Ok(count) => Ok(count),
        Err(_) => Err(AmountError::Form(shown(text)).into()),
    }
}

/// Returns the shares of a node whose level keeps its sum: `50% of level` is half of that sum.
fn shares_of_traded(tree: &Tree, node: NodeId, amount: Amount) -> Result<i64, EditError> {
    if let Amount::PercentOfLevel(percent) = amount
        && let Some(account) = tree.parent(node)
    {
        let mut sum = level_sum(tree, account);
        if Some(node) == tree.unknown() {
            let own = tree.shares(node).count();
            sum = sum.saturating_add(own.unwrap_or(0));
        }
        let shares = sum as f64 * percent / 100.0;
        return whole(shares);
    }
    let shares = amount.shares(tree, node)?;
    shares.count().ok_or(EditError::NotTraded)
}
