//! Shares and usage of an output without their columns, as far as other columns tell them.
//!
//! `NormShares` is a portion of the level, so shares can be counted in millionths of it, the last digit that is printed.
//! `NormUsage` is a portion of all usage. Under Fair Tree `EffectvUsage` is the portion of the account's usage, and
//! NormShares / LevelFS is the same, so the product down the path is a portion of all usage, too.

use super::problem::AssembleProblem;
use crate::format::problem::{Place, Problems};
use crate::model::{
    Fact, Incomplete, NodeId, Recorded, RoundedUsage, Shares, TreeBuilder, Usage, UsagePrecision,
};

/// How many shares a level has whose shares are counted in its portions.
pub(super) const SHARES_OF_LEVEL: f64 = 1e6;

/// How far the portions of a level may sum up to more than all of it, by rounding.
const ROUNDING: f64 = 1e-3;

/// The unit of usage that is told as a portion.
pub(super) const PORTION: &str = "portion of all usage";

/// The code of the problem that an output has no shares.
const NO_SHARES: &str = "slurm-no-shares";

/// A tree of which a column is missing.
pub(super) struct DerivedColumns<'a> {
    pub(super) builder: &'a mut TreeBuilder,
    pub(super) recorded: &'a mut Recorded,
    /// Whether its rule is Fair Tree, which compares the members of each level.
    pub(super) is_fair_tree: bool,
}

impl DerivedColumns<'_> {
    /// Gives nodes without shares those that `NormShares` tells, if it tells those of all nodes, and says so. Returns whether
    /// it does.
    pub(super) fn derive_shares(&mut self, problems: &mut Problems) -> bool {
        let lacks_column = self.recorded.incomplete == Some(Incomplete::WithoutShares);
        if !lacks_column || !self.is_fair_tree {
            return false;
        }
        let Some(shares) = self.shares_of_portions() else {
            return false;
        };
        for (node, count) in shares {
            self.builder.set_shares(node, Shares::new(count));
        }
        self.recorded.without_shares.clear();
        self.recorded.incomplete = None;
        self.recorded.shares_are_portions = true;
        *problems = std::mem::take(problems).without(&[NO_SHARES]);
        problems.report(Place::WHOLE, AssembleProblem::SharesOfPortions);
        true
    }

    /// Returns the shares of all nodes in millionths of their level. `None` if a portion is not printed, if those of a level
    /// are more than all of it, as with shares `parent`, which have the portion of the account above, or if a node has no
    /// `LevelFS`, as with these shares, too. Without that column only levels that are whole tell that there are none. A
    /// portion of 0 tells nothing unless `LevelFS` is 0, too.
    fn shares_of_portions(&self) -> Option<Vec<(NodeId, i64)>> {
        let portions = self.recorded.figures(Fact::NormShares)?;
        let levels = self.recorded.figures(Fact::LevelFs);
        let count = self.builder.len();
        let mut shares = Vec::with_capacity(count);
        let mut sums = vec![0.0; count];
        for index in 1..count {
            let node = NodeId::from_index(index);
            let portion = portions.get(node)?.value;
            let mut may_be_none = false;
            if let Some(levels) = levels {
                may_be_none = levels.get(node)?.value == 0.0;
            }
            if portion == 0.0 && !may_be_none {
                return None;
            }
            let parent = self.builder.parent(node)?;
            sums[parent.index()] += portion;
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a portion that is printed with six decimals is at most 1"
            )]
            let own = (portion.clamp(0.0, 1.0) * SHARES_OF_LEVEL).round() as i64;
            shares.push((node, own));
        }
        for sum in sums {
            let is_short = sum > 0.0 && sum < 1.0 - ROUNDING;
            if sum > 1.0 + ROUNDING || (is_short && levels.is_none()) {
                return None;
            }
        }
        Some(shares)
    }

    /// Gives nodes without usage the portion of all usage that other columns tell, and says so. Returns whether they do.
    pub(super) fn derive_usage(&mut self, problems: &mut Problems) -> bool {
        let by_norm_usage = self.recorded.figures(Fact::NormUsage).is_some();
        let by_portions = self.recorded.figures(Fact::EffectvUsage).is_some()
            || self.recorded.figures(Fact::LevelFs).is_some();
        if !by_norm_usage && !by_portions {
            return false;
        }
        let Some(usage) = self.usage_of_portions(by_norm_usage) else {
            return false;
        };
        for (index, amount) in usage.into_iter().enumerate() {
            let node = NodeId::from_index(index);
            self.builder.set_usage(node, Usage::new(amount));
        }
        let mut column = Fact::NormUsage.name();
        let mut decimals: u8 = 6;
        if !by_norm_usage {
            column = match self.recorded.figures(Fact::EffectvUsage) {
                Some(_) => Fact::EffectvUsage.name(),
                None => "NormShares / LevelFS",
            };
            // The errors of the levels above add up.
            decimals = 5;
        }
        self.recorded.usage_precision = UsagePrecision::Decimals(decimals);
        self.builder.set_rounded_usage(RoundedUsage {
            error: 0.1_f64.powi(decimals.into()),
            tells_none: self.is_fair_tree && self.recorded.figures(Fact::LevelFs).is_some(),
        });
        let problem = AssembleProblem::UsageOfPortions { column };
        problems.report(Place::WHOLE, problem);
        true
    }

    /// Returns the portion of all usage of each node, by id. `None` if nothing tells that of a node.
    fn usage_of_portions(&self, by_norm_usage: bool) -> Option<Vec<f64>> {
        let mut usage = vec![f64::NAN; self.builder.len()];
        usage[NodeId::ROOT.index()] = 1.0;
        // An account can be younger than its members, so a path is gone up to what is known.
        let mut path = Vec::new();
        for index in 1..usage.len() {
            path.push(NodeId::from_index(index));
            while let Some(&node) = path.last() {
                if !usage[node.index()].is_nan() {
                    path.pop();
                    continue;
                }
                // EffectvUsage is a portion of this account's usage.
                let account = self.builder.account_of(node)?;
                let of_account = usage[account.index()];
                if of_account.is_nan() {
                    path.push(account);
                    continue;
                }
                let mut portion = if by_norm_usage {
                    self.recorded.figure(Fact::NormUsage, node)?.value
                } else {
                    self.portion_of_account(node)? * of_account
                };
                if portion == 0.0
                    && self.is_fair_tree
                    && let Some(of_level) = self.portion_by_level(node)
                {
                    portion = of_level * of_account;
                }
                usage[node.index()] = portion;
            }
        }
        Some(usage)
    }

    /// Returns the portion that a node has of its account's usage. `None` if nothing tells it.
    fn portion_of_account(&self, node: NodeId) -> Option<f64> {
        if !self.is_fair_tree {
            return None;
        }
        match self.recorded.figure(Fact::EffectvUsage, node) {
            Some(portion) => Some(portion.value),
            None => self.portion_by_level(node),
        }
    }

    /// Returns the portion that a node has of its account's usage under Fair Tree, by its `LevelFS`. `None` if that does not
    /// tell it.
    fn portion_by_level(&self, node: NodeId) -> Option<f64> {
        let level_fs = self.recorded.figure(Fact::LevelFs, node)?.value;
        let share = self.recorded.figure(Fact::NormShares, node)?.value;
        // Of a node without shares LevelFS is 0 whatever it used.
        if level_fs > 0.0 && share > 0.0 {
            Some(share / level_fs)
        } else {
            None
        }
    }
}
