//! What the levels of an output lack: the shares and the usage of everybody who is not listed.
//!
//! Each row tells the sum of its level's shares: `NormShares` is shares / sum, under classic rules times the account's own
//! `NormShares`. Printed with six decimals it leaves an interval, and what all rows of a level leave nearly always holds
//! one whole number. What an account used beyond its listed members was used by those that are not listed.

use super::derived::SHARES_OF_LEVEL;
use super::problem::AssembleProblem;
use crate::base::number::{counted, grouped};
use crate::base::shown::{Shown, sentence, shown};
use crate::format::problem::{Place, Problems};
use crate::format::slurm::rows::USERS_MISSING;
use crate::model::{
    Fact, Figure, Figures, Incomplete, Kind, NameId, NodeId, OTHERS, Part, Recorded, ShareBounds,
    Shares, TreeBuilder, UnlistedLevel,
};
use crate::rules::policy::Policy;

/// The relative error of a quotient of two doubles, of which a writer of JSON may have changed the last digit.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// How far usage may be off, as a part of it, that only a member's part of it tells: three digits are shown of it.
const LEAST_KNOWN: f64 = 1e-3;

/// How far apart the least and the most that a level's sum can be may be, as a part of it, for its numbers to be shown.
const WIDEST: f64 = 0.02;

/// The largest number up to which every whole number is a double.
const MOST_WHOLE: f64 = 9_007_199_254_740_992.0;

/// The least and the most that a sum can be, and the rows that say so.
#[derive(Clone, Copy)]
struct SumBounds {
    least: f64,
    most: f64,
    /// The row that gives the least.
    above: NodeId,
    /// The row that gives the most.
    below: NodeId,
}

impl SumBounds {
    /// Any sum.
    const ANY: Self = Self {
        least: 0.0,
        most: f64::INFINITY,
        above: NodeId::ROOT,
        below: NodeId::ROOT,
    };

    /// Takes what a row says: its shares are this portion of the sum, at least and at most.
    fn narrow(&mut self, node: NodeId, shares: f64, (least, most): (f64, f64)) {
        let low = shares / most * (1.0 - ROUNDING);
        let high = shares / least * (1.0 + ROUNDING);
        if low > self.least {
            self.least = low;
            self.above = node;
        }
        if high < self.most {
            self.most = high;
            self.below = node;
        }
    }

    /// Returns the whole numbers between them; `None` without any, or without a bound.
    fn whole(self) -> Option<ShareBounds> {
        let least = self.least.ceil();
        let most = self.most.floor();
        if least > most || most > MOST_WHOLE {
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "both are whole and small enough"
        )]
        let bounds = ShareBounds {
            least: least as i64,
            most: most as i64,
        };
        Some(bounds)
    }
}

/// What is known of an account's level and of the usage below it.
#[derive(Clone, Copy)]
struct LevelSums {
    /// The shares of the listed members.
    listed: i64,
    /// Whether the shares of a member are not known.
    is_open: bool,
    /// What the rows say of the sum of all shares.
    sum: SumBounds,
    /// How many rows say something of it.
    tellers: u32,
    /// How many members have shares of their own.
    members: u32,
    /// How many nodes are listed below the account.
    children: u32,
    /// The one of them that used most.
    heaviest: Option<NodeId>,
    /// Their usage, as shown.
    used: f64,
    /// The least and the most that it can be; not a number if the usage of one of them is not known.
    least_used: f64,
    most_used: f64,
}

impl LevelSums {
    /// No members.
    const EMPTY: Self = Self {
        listed: 0,
        is_open: false,
        sum: SumBounds::ANY,
        tellers: 0,
        members: 0,
        children: 0,
        heaviest: None,
        used: 0.0,
        least_used: 0.0,
        most_used: 0.0,
    };
}

/// The unlisted usage of an account.
#[derive(Clone, Copy)]
struct UnlistedUsage {
    /// The most likely amount.
    amount: f64,
    /// Whether the digits leave no doubt that there is some.
    is_certain: bool,
    /// Whether the members used more than the account, whatever the digits that are not shown.
    is_exceeded: bool,
}

/// The levels of a tree of which the source lists only a part.
struct PartialTree<'a> {
    builder: &'a mut TreeBuilder,
    recorded: &'a Recorded,
    /// By node: what is known of its level.
    levels: Vec<LevelSums>,
    /// Whether `NormShares` is a portion of the whole tree's shares.
    is_of_tree: bool,
    /// Whether shares are rounded portions of their level, so that their sum is not the level's.
    are_portions: bool,
    name: NameId,
    part: Part,
}

/// What is known of the output that the tree is made of.
#[derive(Clone, Copy)]
pub(super) struct BaseOutput {
    /// Whether there is no other. Rows of two outputs can be of two moments, so their sums say little.
    pub(super) is_alone: bool,
    /// Whether it is made of several views, which together may list everybody.
    pub(super) is_joined: bool,
    /// Whether its shares are portions of their level.
    pub(super) are_portions: bool,
}

/// Adds to each level of an incomplete tree what it lacks, as one node. Numbers that contradict each other are problems, and
/// their level stays unknown. A tree that nothing else calls incomplete is, if its own rows say so.
pub(super) fn add_others(
    builder: &mut TreeBuilder,
    recorded: &mut Recorded,
    policy: Option<Policy>,
    base: BaseOutput,
    problems: &mut Problems,
) {
    let may_lack_rows = if let Some(incomplete) = recorded.incomplete {
        incomplete.lacks_rows()
    } else {
        let is_rule_known = policy.is_some() || base.are_portions;
        base.is_alone && is_rule_known && recorded.figures(Fact::NormShares).is_some()
    };
    if !may_lack_rows {
        return;
    }
    let name = builder.intern(OTHERS);
    let count = builder.len();
    let mut tree = PartialTree {
        builder,
        recorded,
        levels: vec![LevelSums::EMPTY; count],
        // Under classic rules NormShares is a portion of the whole tree's shares.
        is_of_tree: matches!(policy, Some(Policy::Classic | Policy::DepthOblivious)),
        are_portions: base.are_portions,
        name,
        part: Part::default(),
    };
    tree.sum_up();
    let mut found = None;
    if tree.recorded.incomplete.is_none() {
        let Some(problem) = tree.missing_members() else {
            return;
        };
        problems.report(Place::WHOLE, problem);
        found = Some(Incomplete::SharesMissing);
    }
    for index in 0..count {
        tree.complete(NodeId::from_index(index), problems);
    }
    let part = tree.part;
    if base.is_joined && part.levels.is_empty() && part.unknown.is_empty() {
        recorded.incomplete = None;
        *problems = std::mem::take(problems).without(&[USERS_MISSING]);
        return;
    }
    builder.set_part(part);
    recorded.incomplete = recorded.incomplete.or(found);
}

impl PartialTree<'_> {
    /// Sums up the members of each account.
    fn sum_up(&mut self) {
        let portions = self.recorded.figures(Fact::NormShares);
        for &node in &self.recorded.without_shares {
            let account = self.builder.account_of(node).unwrap_or(NodeId::ROOT);
            self.levels[account.index()].is_open = true;
        }
        if !self.recorded.orphans.is_empty() {
            self.levels[NodeId::ROOT.index()].is_open = true;
        }
        for index in 1..self.levels.len() {
            let node = NodeId::from_index(index);
            let account = self.builder.account_of(node).unwrap_or(NodeId::ROOT);
            if let Some(shares) = self.builder.shares(node).count() {
                let level = &mut self.levels[account.index()];
                level.listed = level.listed.saturating_add(shares);
                level.members += 1;
                let portion = portions.and_then(|portions| self.portion(portions, node, account));
                if shares > 0
                    && let Some(portion) = portion
                {
                    let level = &mut self.levels[account.index()];
                    level.sum.narrow(node, shares as f64, portion);
                    level.tellers += 1;
                }
            }
            if let Some(parent) = self.builder.parent(node) {
                self.add_usage(parent, node);
            }
        }
        if self.are_portions {
            self.sum_up_portions();
        }
    }

    /// Takes all of a level as the sum of portions that are too small for a digit, where somebody else used something.
    fn sum_up_portions(&mut self) {
        for index in 0..self.levels.len() {
            let account = NodeId::from_index(index);
            let level = &self.levels[index];
            let usage = self.unlisted_usage(account);
            if level.tellers == 0
                && let Some(member) = level.heaviest
                && usage.is_some_and(|usage| usage.is_certain)
            {
                self.levels[index].sum = SumBounds {
                    least: SHARES_OF_LEVEL,
                    most: SHARES_OF_LEVEL,
                    above: member,
                    below: member,
                };
            }
        }
    }

    /// Returns what the rows say of levels with more shares than are listed, if there are any: several rows of a level agree,
    /// or its account used more than its listed members, too. One row alone may be of a share that was changed since.
    fn missing_members(&self) -> Option<AssembleProblem> {
        let mut short = Vec::new();
        for index in 0..self.levels.len() {
            let account = NodeId::from_index(index);
            let level = &self.levels[index];
            let Some(sum) = level.sum.whole() else {
                continue;
            };
            // The portion of an only member is all, whatever its shares were.
            let is_told = level.tellers > 1
                || level.members == 1
                || self
                    .unlisted_usage(account)
                    .is_some_and(|usage| usage.is_certain);
            let missing = sum.least - level.listed - self.rounded_off(account);
            if is_told && !level.is_open && missing > 0 {
                short.push((account, missing, sum.least));
            }
        }
        let &(first, missing, sum) = short.first()?;
        Some(AssembleProblem::SharesMissing {
            levels: counted(short.len(), "level has", "levels have"),
            account: self.label(first),
            missing: grouped(missing),
            sum: counted(sum, "share", "shares"),
        })
    }

    /// Adds the usage of a node to what is listed below its account.
    fn add_usage(&mut self, account: NodeId, node: NodeId) {
        let shown = self.builder.usage(node).amount().unwrap_or(f64::NAN);
        let (least, most) = self.recorded.usage_precision.bounds(shown);
        let heaviest = self.levels[account.index()].heaviest;
        let most_used = heaviest.and_then(|node| self.builder.usage(node).amount());
        let level = &mut self.levels[account.index()];
        if shown > most_used.unwrap_or(0.0) {
            level.heaviest = Some(node);
        }
        level.children += 1;
        level.used += shown;
        level.least_used += least;
        level.most_used += most;
    }

    /// Returns the least and the most that a node's portion of its level can be. `None` if nothing tells.
    fn portion(&self, portions: &Figures, node: NodeId, account: NodeId) -> Option<(f64, f64)> {
        let (least, most) = portions.get(node)?.bounds();
        if most == 0.0 {
            return None;
        }
        if !self.is_of_tree || account == NodeId::ROOT {
            return Some((least, most));
        }
        let above = portions.get(account).map(Figure::bounds);
        let (least_above, most_above) = above?;
        (least_above > 0.0).then_some((least / most_above, most / least_above))
    }

    /// Adds what an account's level lacks, if it lacks anything.
    fn complete(&mut self, account: NodeId, problems: &mut Problems) {
        if self.builder.kind(account) != Kind::Account {
            return;
        }
        let level = self.levels[account.index()];
        let is_parent = account != NodeId::ROOT && self.builder.shares(account).is_parent();
        let usage = self.unlisted_usage(account);
        if let Some(usage) = usage
            && usage.is_exceeded
        {
            self.report_exceeded(account, problems);
        }
        if level.children == 0 {
            if let Some(usage) = usage
                && usage.amount > 0.0
            {
                if is_parent {
                    self.add(account, Shares::PARENT, usage.amount, None);
                } else {
                    self.part.unknown.push(account);
                    self.add(account, Shares::new(1), usage.amount, None);
                }
            }
            return;
        }
        let shares = if is_parent {
            Some(ShareBounds { least: 0, most: 0 })
        } else {
            self.unlisted_shares(account, problems)
        };
        let (Some(shares), Some(usage)) = (shares, usage) else {
            self.part.unknown.push(account);
            // What they used is known, and decays and grows, whatever their shares are.
            if let Some(usage) = usage
                && usage.is_certain
            {
                self.add(account, Shares::new(1), usage.amount, None);
            }
            return;
        };
        if shares.least == 0 && !usage.is_certain {
            return;
        }
        let middle = shares.least + (shares.most - shares.least) / 2;
        if is_parent {
            self.add(account, Shares::PARENT, usage.amount, None);
        } else if shares.least == 0 {
            self.add(account, Shares::new(0), usage.amount, Some(shares));
        } else {
            self.add(account, Shares::new(middle), usage.amount, Some(shares));
        }
    }

    /// Returns the shares that a level has beyond the listed ones. `None` if its rows do not tell, or contradict each other.
    fn unlisted_shares(&self, account: NodeId, problems: &mut Problems) -> Option<ShareBounds> {
        let level = &self.levels[account.index()];
        if level.is_open || level.sum.most.is_infinite() {
            return None;
        }
        let Some(sum) = level.sum.whole() else {
            self.report_contradiction(level.sum, problems);
            return None;
        };
        if (sum.most - sum.least) as f64 > sum.most as f64 * WIDEST {
            return None;
        }
        if sum.most < level.listed {
            let problem = AssembleProblem::SharesExceeded {
                account: self.label(account),
                listed: grouped(level.listed),
                sum: grouped(sum.most),
                row: self.label(level.sum.below),
            };
            problems.report(Place::WHOLE, problem);
            return None;
        }
        Some(ShareBounds {
            least: (sum.least - level.listed - self.rounded_off(account)).max(0),
            most: sum.most - level.listed,
        })
    }

    /// Returns how many shares rounding can have taken from the listed members of a level.
    fn rounded_off(&self, account: NodeId) -> i64 {
        if self.are_portions {
            i64::from(self.levels[account.index()].children)
        } else {
            0
        }
    }

    /// Returns what an account used beyond its listed members. `None` if its usage or that of a member is not known.
    fn unlisted_usage(&self, account: NodeId) -> Option<UnlistedUsage> {
        let Some(shown) = self.builder.usage(account).amount() else {
            return self.usage_by_parts(account);
        };
        let level = &self.levels[account.index()];
        if level.used.is_nan() {
            return None;
        }
        let (least, most) = self.recorded.usage_precision.bounds(shown);
        // The sum of many doubles is off by some of their last digits.
        let slack = shown * 1e-12;
        Some(UnlistedUsage {
            amount: (shown - level.used).max(0.0),
            is_certain: least - level.most_used > slack,
            is_exceeded: most + slack < level.least_used,
        })
    }

    /// Returns what an account without usage of its own used beyond its listed members, as the part of it tells that the one
    /// with the most usage has. `None` if none tells.
    fn usage_by_parts(&self, account: NodeId) -> Option<UnlistedUsage> {
        if self.is_of_tree {
            return None;
        }
        let level = &self.levels[account.index()];
        let teller = level.heaviest?;
        let usage = self.builder.usage(teller).amount()?;
        let part = self.recorded.figure(Fact::EffectvUsage, teller)?;
        let (least_part, most_part) = part.bounds();
        let (least, most) = self.recorded.usage_precision.bounds(usage);
        let all = f64::midpoint(least, most) / part.value;
        let width = most / least_part - least / most_part;
        if level.used.is_nan() || width.is_nan() || width > all * LEAST_KNOWN {
            return None;
        }
        let amount = (all - level.used).max(0.0);
        Some(UnlistedUsage {
            amount,
            is_certain: amount > width,
            is_exceeded: false,
        })
    }

    /// Adds the node of what an account does not list.
    fn add(&mut self, account: NodeId, shares: Shares, usage: f64, bounds: Option<ShareBounds>) {
        let others = self.builder.push_apart(self.name, Kind::Others);
        self.builder.attach(others, account);
        self.builder.set_shares(others, shares);
        self.builder.record(others, usage, true);
        self.part.levels.push(UnlistedLevel {
            account,
            others,
            shares: bounds,
        });
    }

    /// Reports rows that cannot be of one level.
    fn report_contradiction(&self, sum: SumBounds, problems: &mut Problems) {
        let problem = AssembleProblem::SumsDiffer {
            one: self.label(sum.above),
            least: grouped(sum.least.ceil()),
            other: self.label(sum.below),
            most: grouped(sum.most.floor()),
        };
        problems.report(Place::WHOLE, problem);
    }

    /// Reports members that used more than their account.
    fn report_exceeded(&self, account: NodeId, problems: &mut Problems) {
        let problem = AssembleProblem::UsageExceeded {
            account: self.label(account),
            used: grouped(self.levels[account.index()].used.floor()),
            usage: grouped(self.builder.usage(account).amount().unwrap_or(0.0).floor()),
        };
        problems.report(Place::WHOLE, problem);
    }

    /// Returns the name of a node in messages.
    fn label(&self, node: NodeId) -> Shown {
        let name = shown(self.builder.name(node));
        match self.builder.parent(node) {
            Some(account) if self.builder.kind(node) == Kind::User => {
                sentence!("{}/{name}", shown(self.builder.name(account)))
            }
            _ => name,
        }
    }
}
