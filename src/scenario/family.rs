//! Edits of a whole level: the children of one account divide its shares.
//!
//! Shares are rounded by largest remainders: every child gets the whole part of its portion, and the rest goes one by
//! one to those that lost most by rounding, the earlier sibling first. A child with shares keeps at least one, because
//! nobody runs with none. Left out are children with `parent` shares, and PBS's group `unknown` unless it is named.

use super::edit::path;
use super::{Edit, EditError};
use crate::base::shown::{Shown, sentence};
use crate::model::{Kind, NodeId, Settings, Shares, Tree};
use std::cmp::Reverse;
use std::collections::HashSet;

/// A child and its shares, or its weight in a division of shares.
#[derive(Clone, Copy)]
struct Portion {
    node: NodeId,
    shares: i64,
}

/// Gives a node shares while its level keeps its sum: siblings outside `kept` give or get, in their present ratio.
pub fn trade(
    tree: &Tree,
    settings: &Settings,
    node: NodeId,
    shares: i64,
    kept: &[NodeId],
) -> Result<Edit, EditError> {
    let account = tree.parent(node).ok_or(EditError::Root("given shares"))?;
    if shares < 0 {
        return Err(EditError::Shares {
            count: shares,
            scheduler: settings.scheduler,
        });
    }
    let mut all_kept = kept.to_vec();
    all_kept.push(node);
    let holders = ShareHolders::of(tree, settings, account, &all_kept);
    let own = tree.shares(node).count().unwrap_or(0);
    // The siblings give what the node gets.
    let left = holders.total().saturating_sub(shares.saturating_sub(own));
    if left < holders.least() && holders.count() > 0 {
        let most = holders.total().saturating_sub(holders.least());
        return Err(EditError::NotGiven {
            node: path(tree, node),
            shares,
            most: most.saturating_add(own),
        });
    }
    let mut portions = holders.portions(left, &holders.free)?;
    portions.push(Portion { node, shares });
    Ok(batch(tree, portions))
}

/// Returns the sum of the shares of an account's children, without PBS's group `unknown`.
pub fn level_sum(tree: &Tree, account: NodeId) -> i64 {
    let mut sum: i64 = 0;
    for child in tree.children(account) {
        if Some(child) != tree.unknown() {
            let shares = tree.shares(child).count();
            sum = sum.saturating_add(shares.unwrap_or(0));
        }
    }
    sum
}

/// The children of an account that have shares of their own, and what those together have that keep theirs.
pub struct ShareHolders<'a> {
    tree: &'a Tree,
    settings: &'a Settings,
    account: NodeId,
    /// The shares of the children that keep theirs.
    kept: i64,
    /// The other children, with the shares that they have; below 0 counts as 0.
    free: Vec<Portion>,
}

impl<'a> ShareHolders<'a> {
    /// Returns those below an account. Children in `kept` keep their shares.
    pub fn of(tree: &'a Tree, settings: &'a Settings, account: NodeId, kept: &[NodeId]) -> Self {
        let all_kept: HashSet<&NodeId> = kept.iter().collect();
        let mut holders = Self {
            tree,
            settings,
            account,
            kept: 0,
            free: Vec::new(),
        };
        for child in tree.children(account) {
            let Some(count) = tree.shares(child).count() else {
                continue;
            };
            if all_kept.contains(&child) || tree.is_others(child) {
                holders.kept = holders.kept.saturating_add(count);
            } else if Some(child) != tree.unknown() {
                holders.free.push(Portion {
                    node: child,
                    shares: count.max(0),
                });
            }
        }
        holders
    }

    /// Scales the shares to a total, in their present ratio.
    pub fn scale(&self, total: i64) -> Result<Edit, EditError> {
        let portions = self.portions(total, &self.free)?;
        Ok(batch(self.tree, portions))
    }

    /// Gives every child the same shares, together `total` or their present sum. If that does not divide evenly, uses the
    /// next larger sum that does, which [`Self::uneven`] reports.
    pub fn split(&self, total: Option<i64>) -> Result<Edit, EditError> {
        let asked = total.unwrap_or_else(|| self.total());
        let even = self.even(asked).unwrap_or(asked);
        let mut equal = self.free.clone();
        for portion in &mut equal {
            portion.shares = 1;
        }
        let portions = self.portions(even, &equal)?;
        Ok(batch(self.tree, portions))
    }

    /// Returns how [`Self::split`] exceeds `total`, or the present sum, or `None` if it does not. It is the reason of such
    /// an edit.
    pub fn uneven(&self, total: Option<i64>) -> Option<Shown> {
        let asked = total.unwrap_or_else(|| self.total());
        let even = self.even(asked)?;
        if even == asked {
            return None;
        }
        let count = as_shares(self.free.len());
        let split = even - self.kept;
        Some(sentence!(
            "{} shares cannot be split equally among {count}, so each has {}, {split} together",
            asked - self.kept,
            split / count
        ))
    }

    /// Returns the present sum of the level.
    fn total(&self) -> i64 {
        let mut total = self.kept;
        for portion in &self.free {
            total = total.saturating_add(portion.shares);
        }
        total
    }

    /// Returns the least total from `asked` up that divides evenly among the free children, if there is any.
    fn even(&self, asked: i64) -> Option<i64> {
        let rest = asked.checked_sub(self.kept)?;
        let count = as_shares(self.free.len());
        if rest <= 0 || count == 0 {
            return None;
        }
        asked.checked_add((count - rest % count) % count)
    }

    /// Returns how many of the free children have any shares.
    fn count(&self) -> usize {
        count_of(&self.free)
    }

    /// Returns the least possible sum of the level: the kept shares, and one share for each free child that has any.
    fn least(&self) -> i64 {
        self.kept.saturating_add(as_shares(self.count()))
    }

    /// Splits what the kept shares leave of a total among the free children, by weight.
    fn portions(&self, total: i64, weights: &[Portion]) -> Result<Vec<Portion>, EditError> {
        let tree = self.tree;
        if tree.kind(self.account) == Kind::User {
            return Err(EditError::NobodyBelow(path(tree, self.account)));
        }
        let count = count_of(weights);
        if count == 0 {
            return Err(EditError::NobodyShares(path(tree, self.account)));
        }
        let rest = total.saturating_sub(self.kept);
        let most = Shares::most(self.settings.scheduler);
        if rest < as_shares(count) || total > most {
            return Err(EditError::TooFew {
                account: path(tree, self.account),
                total,
                least: self.kept.saturating_add(as_shares(count)),
                most,
                is_kept: self.kept > 0,
            });
        }
        let counts: Vec<i64> = weights.iter().map(|weight| weight.shares).collect();
        let mut portions = Vec::with_capacity(weights.len());
        for (weight, shares) in weights.iter().zip(shared_out(rest, &counts)) {
            let node = weight.node;
            portions.push(Portion { node, shares });
        }
        Ok(portions)
    }
}

/// Returns how many children have any shares.
fn count_of(portions: &[Portion]) -> usize {
    portions.iter().filter(|portion| portion.shares > 0).count()
}

/// Returns one share for each of so many children.
fn as_shares(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// A child in a division of shares.
struct Weighed {
    /// Its weight above 0; once it has the whole part of its portion, what that leaves.
    weight: i128,
    /// Its place among the weights.
    place: usize,
}

/// Splits a total by weight, by largest remainders, with at least one share for each weight above 0. More weight never gets
/// less.
pub(crate) fn shared_out(total: i64, weights: &[i64]) -> Vec<i64> {
    let mut parts = vec![0; weights.len()];
    let mut children = Vec::new();
    let mut sum = 0;
    for (place, &weight) in weights.iter().enumerate() {
        if weight > 0 {
            let weight = i128::from(weight);
            children.push(Weighed { weight, place });
            sum += weight;
        }
    }
    // A child whose portion is below one gets one, and the others share the rest. The lightest come first, because each
    // of them makes the portions of the others a little smaller.
    children.sort_by_key(|child| child.weight);
    let mut left = i128::from(total);
    let mut small = 0;
    while let Some(lightest) = children.get(small)
        && lightest.weight * left < sum
    {
        parts[lightest.place] = 1;
        left -= 1;
        sum -= lightest.weight;
        small += 1;
    }
    let mut remainders = children.split_off(small);
    let mut rest = left;
    for child in &mut remainders {
        let exact = child.weight * left;
        let part = exact / sum;
        parts[child.place] = i64::try_from(part).expect("a portion is not more than the total");
        rest -= part;
        child.weight = exact % sum;
    }
    remainders.sort_by_key(|child| (Reverse(child.weight), child.place));
    let rest = usize::try_from(rest).expect("what was given is rounded down");
    for child in remainders.iter().take(rest) {
        parts[child.place] += 1;
    }
    parts
}

/// Returns an edit of the shares that change.
fn batch(tree: &Tree, portions: Vec<Portion>) -> Edit {
    let mut edits = Vec::with_capacity(portions.len());
    for portion in portions {
        let node = portion.node;
        let shares = Shares::new(portion.shares);
        if tree.shares(node) != shares {
            edits.push(Edit::SetShares { node, shares });
        }
    }
    Edit::Batch(edits)
}
