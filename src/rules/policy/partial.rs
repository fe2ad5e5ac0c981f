//! The numbers of a part of a tree: which of them the listed nodes tell.

use super::{ColumnId, Evaluation, Policy};
use crate::model::{NodeId, Part, RoundedUsage, ShareBounds, Tree};

/// Which nodes of a tree, by position, are on a level of which the sum of shares or the usage is not known.
struct UnknownLevels {
    /// The node is a member of such a level.
    member: Vec<bool>,
    /// The node is a member of such a level, or below one.
    within: Vec<bool>,
    /// The position of the account on whose level the node competes.
    account: Vec<u32>,
}

impl UnknownLevels {
    /// Looks for the unknown levels of a tree.
    fn of(policy: Policy, tree: &Tree, part: &Part) -> Self {
        let above = tree.above();
        let count = tree.node_count();
        let mut is_unknown = vec![false; count];
        for &account in &part.unknown {
            if let Some(position) = tree.order().position(account) {
                is_unknown[position] = true;
            }
        }
        let mut levels = Self {
            member: vec![false; count],
            within: vec![false; count],
            account: competing_accounts(policy, tree),
        };
        for (position, _) in tree.positions().skip(1) {
            let parent = above[position] as usize;
            let account = levels.account[position];
            let inherits =
                policy.inherits_shares() && tree.shares(tree.nodes()[position]).is_parent();
            let is_inherited = inherits && levels.member[account as usize];
            levels.member[position] = is_unknown[account as usize] || is_inherited;
            levels.within[position] = levels.member[position] || levels.within[parent];
        }
        levels
    }

    /// Returns, by position, whether the order of the listed users is not known: they are below different members of an
    /// unknown level.
    fn unordered(&self, tree: &Tree, evaluation: &Evaluation) -> Vec<bool> {
        let mut branches = vec![0_u32; self.member.len()];
        for (position, &is_member) in self.member.iter().enumerate() {
            if is_member && evaluation.users_within(position) > 0 {
                branches[self.account[position] as usize] += 1;
            }
        }
        let above = tree.above();
        let mut unordered = vec![false; self.member.len()];
        for position in 1..unordered.len() {
            let is_one_of_several =
                self.member[position] && branches[self.account[position] as usize] > 1;
            unordered[position] = is_one_of_several || unordered[above[position] as usize];
        }
        unordered
    }
}

/// Returns, by position, the position of the account on whose level a node competes.
fn competing_accounts(policy: Policy, tree: &Tree) -> Vec<u32> {
    let mut accounts = tree.above().to_vec();
    if policy.inherits_shares() {
        for position in 1..accounts.len() {
            let parent = accounts[position] as usize;
            if parent > 0 && tree.shares(tree.nodes()[parent]).is_parent() {
                accounts[position] = accounts[parent];
            }
        }
    }
    accounts
}

/// The levels of a tree whose source rounds usage.
struct RoundedLevels<'a> {
    tree: &'a Tree,
    evaluation: &'a Evaluation,
    rounded: RoundedUsage,
}

/// What the `LevelFS` of a member of a level can be.
struct LevelBounds {
    position: usize,
    /// The position of the account on whose level it competes.
    account: u32,
    least: f64,
    most: f64,
    /// Whether it is known, as that of a member without shares or without usage.
    is_exact: bool,
}

impl RoundedLevels<'_> {
    /// Marks, by position, the nodes whose usage can be less than a digit: so nothing tells its ratio to their shares.
    fn untold(&self) -> Vec<bool> {
        let tree = self.tree;
        let mut untold = vec![false; tree.node_count()];
        if self.rounded.tells_none {
            return untold;
        }
        for (position, node) in tree.positions().skip(1) {
            let above = tree.above()[position] as usize;
            let may_have_some = untold[above] || !self.is_none(tree.nodes()[above]);
            untold[position] = may_have_some && self.is_none(node);
        }
        untold
    }

    /// Returns whether the stated usage of a node is 0.
    fn is_none(&self, node: NodeId) -> bool {
        self.tree.usage(node).amount() == Some(0.0)
    }

    /// Marks, by position, the members of each level whose order the digits do not tell, and everybody below them.
    fn undecided(&self, accounts: &[u32]) -> Vec<bool> {
        let mut members = Vec::with_capacity(accounts.len());
        for (position, &account) in accounts.iter().enumerate().skip(1) {
            members.extend(self.bounds(position, account));
        }
        members.sort_by(|a, b| {
            let by_account = a.account.cmp(&b.account);
            by_account.then(b.most.total_cmp(&a.most))
        });
        let mut undecided = vec![false; accounts.len()];
        for level in members.chunk_by(|a, b| a.account == b.account) {
            let mut before = &level[0];
            for member in &level[1..] {
                let is_certain = member.is_exact && before.is_exact;
                if member.most >= before.least && !is_certain {
                    undecided[member.position] = true;
                    undecided[before.position] = true;
                }
                if member.least < before.least {
                    before = member;
                }
            }
        }
        for position in 1..undecided.len() {
            undecided[position] |= undecided[self.tree.above()[position] as usize];
        }
        undecided
    }

    /// Returns what the `LevelFS` of a node can be. `None` if it has none.
    fn bounds(&self, position: usize, account: u32) -> Option<LevelBounds> {
        let node = self.tree.nodes()[position];
        self.evaluation.number(ColumnId::LevelFs, node)?;
        let share = self.evaluation.number(ColumnId::NormShares, node)?;
        let usage = self.tree.usage(node).amount()?;
        let all = self.tree.usage(self.tree.nodes()[account as usize]);
        let scale = share * all.amount()?;
        let mut bounds = LevelBounds {
            position,
            account,
            least: scale / (usage + self.rounded.error),
            most: f64::INFINITY,
            is_exact: false,
        };
        if usage > self.rounded.error {
            bounds.most = scale / (usage - self.rounded.error);
        }
        if usage == 0.0 && self.rounded.tells_none {
            bounds.least = f64::INFINITY;
            bounds.is_exact = true;
        }
        if share == 0.0 {
            bounds.least = 0.0;
            bounds.most = 0.0;
            bounds.is_exact = true;
        }
        Some(bounds)
    }
}

impl Policy {
    /// Returns those numbers of a tree that its source tells: all, unless it lacks a column or lists only a part.
    pub(super) fn known_of(self, mut evaluation: Evaluation, tree: &Tree) -> Evaluation {
        // Only these rules rank by LevelFS, a ratio to usage.
        if self.compares_siblings()
            && let Some(rounded) = tree.rounded_usage()
        {
            self.hide_rounded(&mut evaluation, tree, rounded);
        }
        if tree.part().is_none() && !tree.lacks_column() {
            return evaluation;
        }
        if !tree.has_usage() {
            evaluation.drop_columns(&[ColumnId::Usage]);
        }
        match tree.part() {
            // Of Tickets it is not known which of those that are not listed have jobs, and so take part.
            Some(part) if !tree.lacks_column() && self != Self::Tickets => {
                self.hide_unknown(&mut evaluation, tree, part);
            }
            _ => {
                let all = vec![true; tree.node_count()];
                evaluation.hide(&all, &all);
            }
        }
        evaluation
    }

    /// Hides what rounded usage does not tell: ratios to usage of less than a digit, and ranks of users whose order depends on
    /// digits that are not stated.
    fn hide_rounded(self, evaluation: &mut Evaluation, tree: &Tree, rounded: RoundedUsage) {
        let levels = RoundedLevels {
            tree,
            evaluation,
            rounded,
        };
        let untold = levels.untold();
        let undecided = levels.undecided(&competing_accounts(self, tree));
        evaluation.hide_in(ColumnId::LevelFs, &untold);
        evaluation.hide_in(ColumnId::Factor, &undecided);
        evaluation.hide_in(ColumnId::SchedulerRank, &undecided);
        evaluation.hide(&vec![false; undecided.len()], &undecided);
    }

    /// Returns whether the order of siblings needs nothing but their own level.
    pub(crate) const fn compares_siblings(self) -> bool {
        matches!(self, Self::FairTree | Self::FairTreeDocumented)
    }

    /// Hides the numbers of a part of a tree that need what is not listed: factors that count users, and everything at a
    /// level whose sum is not known.
    fn hide_unknown(self, evaluation: &mut Evaluation, tree: &Tree, part: &Part) {
        let compares_siblings = self.compares_siblings();
        let counts_users = matches!(self, Self::Flux | Self::LevelBased);
        let hides_factors =
            part.hides_factors && matches!(self, Self::Classic | Self::DepthOblivious);
        if compares_siblings || counts_users || hides_factors {
            evaluation.drop_columns(&[ColumnId::Factor, ColumnId::SchedulerRank]);
        }
        let mut others = Vec::new();
        for level in &part.levels {
            let may_have_none = |shares: ShareBounds| shares.least == 0 && shares.most > 0;
            if level.shares.is_none_or(may_have_none)
                && let Some(position) = tree.order().position(level.others)
            {
                others.push(position);
            }
        }
        if part.unknown.is_empty() && others.is_empty() && !hides_factors {
            return;
        }
        if part.is_unknown(NodeId::ROOT) {
            evaluation.drop_columns(&[ColumnId::NormUsage]);
        }
        let mut levels = UnknownLevels::of(self, tree, part);
        let unordered = if hides_factors {
            // Without the settings of the rule nothing tells the order of its factors.
            vec![true; tree.node_count()]
        } else if compares_siblings {
            levels.unordered(tree, evaluation)
        } else {
            levels.within.clone()
        };
        let hidden = if compares_siblings {
            &mut levels.member
        } else {
            &mut levels.within
        };
        for position in others {
            hidden[position] = true;
        }
        if part.is_unknown(NodeId::ROOT) {
            // The root stands for all of its level.
            hidden[0] = true;
        }
        evaluation.hide(hidden, &unordered);
        let mut is_unstated = vec![false; tree.node_count()];
        for &account in &part.unknown {
            if let Some(position) = tree.order().position(account) {
                is_unstated[position] = tree.usage(account).amount().is_none();
            }
        }
        evaluation.hide_in(ColumnId::Usage, &is_unstated);
    }
}
