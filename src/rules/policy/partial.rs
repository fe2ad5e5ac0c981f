//! The numbers of a part of a tree: which of them the listed nodes tell.

use super::{ColumnId, Evaluation, Policy};
use crate::model::{NodeId, Part, ShareBounds, Tree};

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
            account: vec![0; count],
        };
        for (position, _) in tree.positions().skip(1) {
            let parent = above[position] as usize;
            let passes_on = policy.inherits_shares()
                && parent > 0
                && tree.shares(tree.nodes()[parent]).is_parent();
            let account = if passes_on {
                levels.account[parent]
            } else {
                above[position]
            };
            levels.account[position] = account;
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

/// Returns the numbers of a tree of which nothing is known but the usage.
pub(super) fn without_numbers(mut evaluation: Evaluation, tree: &Tree) -> Evaluation {
    if !tree.has_usage() {
        evaluation.drop_columns(&[ColumnId::Usage]);
    }
    let all = vec![true; tree.node_count()];
    evaluation.hide(&all, &all);
    evaluation
}

impl Policy {
    /// Returns the numbers of a part of a tree without those that need what is not listed: factors that count users, and
    /// everything at a level whose sum is not known.
    pub(super) fn of_part(
        self,
        mut evaluation: Evaluation,
        tree: &Tree,
        part: &Part,
    ) -> Evaluation {
        if self == Self::Tickets {
            // Which of those that are not listed have jobs, and so take part, is not known.
            return without_numbers(evaluation, tree);
        }
        let compares_siblings = matches!(self, Self::FairTree | Self::FairTreeDocumented);
        let counts_users = matches!(self, Self::Flux | Self::LevelBased);
        let hides_factors =
            part.hides_factors && matches!(self, Self::Classic | Self::DepthOblivious);
        if compares_siblings || counts_users || hides_factors {
            evaluation.drop_columns(&[ColumnId::Factor, ColumnId::SchedulerRank]);
        }
        if !tree.has_usage() {
            evaluation.drop_columns(&[ColumnId::Usage]);
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
            return evaluation;
        }
        if part.is_unknown(NodeId::ROOT) {
            evaluation.drop_columns(&[ColumnId::NormUsage]);
        }
        let mut levels = UnknownLevels::of(self, tree, part);
        let unordered = if hides_factors {
            // Without the settings of the rule nothing tells the order of its factors.
            vec![true; tree.node_count()]
        } else if compares_siblings {
            levels.unordered(tree, &evaluation)
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
        evaluation.hide_usage(&is_unstated);
        evaluation
    }
}
