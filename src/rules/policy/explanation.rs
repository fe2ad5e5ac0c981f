//! How a node's numbers came about, and where the order of two nodes is decided, as data; `report` turns it into prose.

use super::decision::{Decision, DecisionSide};
use super::levels::{Level, Listed, Member, beyond_common};
use super::pbs::walk;
use super::{ColumnId, Evaluation, Policy, Precedence, flux, pbs};
use crate::base::number::Value;
use crate::base::sort::rising;
use crate::model::{NodeId, Settings, Tree};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Why a node has its rank.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The node explained.
    pub node: NodeId,
    /// Its rank; `None` for an account, and for a user without one.
    pub rank: Option<u32>,
    /// How many users have a rank.
    pub user_count: usize,
    /// The user that runs just before it, and where that is decided; `None` for the first.
    pub ahead: Option<Neighbour>,
    /// The user that runs just after it, and where that is decided; `None` for the last.
    pub behind: Option<Neighbour>,
    /// How many other users have the same rank.
    pub tied: usize,
    /// What the node competes with, from the root's child down to the node. The numbers are in the evaluation. Empty
    /// for the root and for a node without numbers.
    pub levels: Arc<Vec<Level>>,
    /// How its numbers came about under PBS's rules, or a formula of its numbers; `None` under the others.
    pub pbs: Option<pbs::PbsExplanation>,
}

/// A neighbouring user in the order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// The other user.
    pub node: NodeId,
    /// Its rank.
    pub rank: u32,
    /// Where the order of the two is decided. The explained node is the one spoken of.
    pub decision: Decision,
}

/// What the members of a level have in common, computed in one pass over them. [`Level`] says what the numbers mean.
#[derive(Clone, Debug, Default)]
struct LevelMembers {
    shares: u64,
    has_wrapped: bool,
    usage: f64,
    norm_usage: f64,
    is_usage_cut: bool,
    /// The members that have a number, those that run first in front.
    members: Vec<Member>,
    /// Under Flux, the key of each member.
    places: HashMap<NodeId, u64>,
    listed: Listed,
    /// The member with the most usage.
    heaviest: Option<NodeId>,
    /// The member with the most usage beside that one.
    second_heaviest: Option<NodeId>,
}

/// What was computed for explanations under one evaluation: a family may have a million members, and moving the cursor
/// through it asks about the same family again and again.
#[derive(Clone, Debug, Default)]
pub struct ExplanationCache {
    levels_below: HashMap<NodeId, LevelMembers>,
    /// The levels of the path that was explained last.
    levels: Arc<Vec<Level>>,
    /// PBS's numbers of these levels.
    pbs: Arc<Vec<pbs::PbsLevel>>,
}

impl Policy {
    /// Explains how a node's numbers came about. `memory` keeps what was computed under this evaluation.
    pub fn explain(
        self,
        tree: &Tree,
        settings: &Settings,
        evaluation: &Evaluation,
        memory: &mut ExplanationCache,
        node: NodeId,
    ) -> Explanation {
        let ranked = RankedNodes {
            policy: self,
            tree,
            evaluation,
        };
        let levels = ranked.levels(memory, node);
        let pbs = if self.is_of_pbs() {
            let path = &mut memory.pbs;
            Some(pbs::explain(
                tree, settings, evaluation, &levels, path, node,
            ))
        } else {
            None
        };
        let mut explanation = Explanation {
            node,
            rank: evaluation.rank(node),
            user_count: evaluation.user_count(),
            ahead: None,
            behind: None,
            tied: 0,
            levels,
            pbs,
        };
        if let Some(rank) = explanation.rank {
            ranked.add_neighbours(&mut explanation, rank);
        }
        explanation
    }

    /// Returns where the order of two nodes is decided.
    pub fn decision(self, tree: &Tree, evaluation: &Evaluation, a: NodeId, b: NodeId) -> Decision {
        let ranked = RankedNodes {
            policy: self,
            tree,
            evaluation,
        };
        ranked.decision(a, b)
    }
}

/// A tree with its numbers under a policy.
#[derive(Clone, Copy)]
struct RankedNodes<'a> {
    policy: Policy,
    tree: &'a Tree,
    evaluation: &'a Evaluation,
}

impl RankedNodes<'_> {
    /// Adds the users just before and just after a user with a rank, and how many share it.
    fn add_neighbours(self, explanation: &mut Explanation, rank: u32) {
        let ranks = self.evaluation.ranks();
        let ranking = self.evaluation.ranking();
        let positions = ranking.positions();
        let same = ranking.places(ranks, rank);
        if same.start > 0 {
            // Of several with one rank, the first in the tree.
            let rank_ahead = ranks[positions[same.start - 1] as usize];
            let first = ranking.places(ranks, rank_ahead).start;
            explanation.ahead = Some(self.neighbour(explanation.node, positions[first]));
        }
        if let Some(&position) = positions.get(same.end) {
            explanation.behind = Some(self.neighbour(explanation.node, position));
        }
        explanation.tied = same.len().saturating_sub(1);
    }

    /// Returns the user at a position as a neighbour of a node.
    fn neighbour(self, node: NodeId, position: u32) -> Neighbour {
        let position = position as usize;
        let other = self.tree.nodes()[position];
        Neighbour {
            node: other,
            rank: self.evaluation.ranks()[position],
            decision: self.decision(node, other),
        }
    }

    /// Returns the column by which the members of a level are compared.
    const fn column(self) -> ColumnId {
        match self.policy.traits().precedence {
            Precedence::Factor(column)
            | Precedence::Levels(column)
            | Precedence::Visits(column) => column,
        }
    }

    /// Returns a node's number as an integer that is the lowest for the first to run. `None` if it has none.
    fn key(self, node: NodeId) -> Option<u64> {
        if self.policy.is_of_pbs() {
            return Some(pbs::key(self.evaluation, node));
        }
        match self.evaluation.value(self.column(), node) {
            Value::Word(word) => Some(!word),
            value => Some(!rising(value.as_f64()?)),
        }
    }

    /// Returns what the members of an account's level have in common.
    fn level_members(self, account: NodeId) -> LevelMembers {
        let evaluation = self.evaluation;
        let usage = |node: NodeId| evaluation.number(ColumnId::Usage, node).unwrap_or(0.0);
        let mut nodes = self.policy.members(self.tree, account);
        if self.policy.is_of_pbs() {
            // PBS lists the newest first. Of those with the same usage, the oldest counts.
            nodes.reverse();
        }
        let mut level = LevelMembers::default();
        if let Some(part) = self.tree.part()
            && part.is_unknown(account)
        {
            level.listed = Listed::UnknownPart;
        }
        let mut shares: i128 = 0;
        let mut whole_usage = 0;
        for node in nodes {
            if evaluation.is_blank(node) {
                continue;
            }
            let used = usage(node);
            shares += i128::from(self.tree.shares(node).count().unwrap_or(0));
            let is_others = self.tree.is_others(node);
            if is_others && level.listed == Listed::All {
                level.listed = Listed::Part;
            }
            // Nodes without a value are excluded from the comparison.
            if !is_others && let Some(key) = self.key(node) {
                level.members.push(Member { key, node });
            }
            level.usage += used;
            whole_usage = flux::add_usage(whole_usage, used);
            if !self.tree.shares(node).is_parent() {
                let norm_usage = evaluation.number(ColumnId::NormUsage, node);
                level.norm_usage += norm_usage.unwrap_or(0.0);
            }
            if is_others {
                continue;
            }
            if level.heaviest.is_none_or(|heaviest| used > usage(heaviest)) {
                level.second_heaviest = level.heaviest;
                level.heaviest = Some(node);
            } else if level
                .second_heaviest
                .is_none_or(|second| used > usage(second))
            {
                level.second_heaviest = Some(node);
            }
        }
        let is_flux = self.policy == Policy::Flux;
        let limit: i128 = if is_flux { 1 << 64 } else { 1 << 32 };
        level.has_wrapped = !(0..limit).contains(&shares);
        level.shares = u64::try_from(shares.rem_euclid(limit)).unwrap_or(0);
        if !is_flux {
            level.members.sort_unstable();
            return level;
        }
        let whole_usage = whole_usage as f64;
        level.is_usage_cut = whole_usage.to_bits() != level.usage.to_bits();
        level.usage = whole_usage;
        level.members = flux::places(self.tree, evaluation, &level.members);
        for member in &level.members {
            level.places.insert(member.node, member.key);
        }
        level
    }

    /// Returns the levels of a node's path. Those of the path that was explained last are kept, as far as they are the
    /// same.
    fn levels(self, memory: &mut ExplanationCache, node: NodeId) -> Arc<Vec<Level>> {
        if self.evaluation.is_blank(node) {
            return Arc::default();
        }
        let path = Arc::make_mut(&mut memory.levels);
        for node in beyond_common(self.tree, path, |level| level.node, node) {
            let account = self.policy.account_of(self.tree, node);
            let members = memory.levels_below.entry(account);
            let members = members.or_insert_with(|| self.level_members(account));
            path.push(self.level(account, members, node));
        }
        if self.policy.orders_by_level() {
            self.count_users_ahead(path, node);
        }
        Arc::clone(&memory.levels)
    }

    /// Returns the level of a node among the members of its account's level, without users ahead.
    fn level(self, account: NodeId, level: &LevelMembers, node: NodeId) -> Level {
        let key = if self.policy == Policy::Flux {
            level.places.get(&node).copied().unwrap_or(0)
        } else {
            self.key(node).unwrap_or(u64::MAX)
        };
        let members = &level.members;
        let start = members.partition_point(|member| member.key < key);
        let end = members.partition_point(|member| member.key <= key);
        let same_count = end - start;
        let sibling_count = if same_count > 0 {
            members.len() - 1
        } else {
            members.len()
        };
        let heaviest_sibling = if level.heaviest == Some(node) {
            level.second_heaviest
        } else {
            level.heaviest
        };
        Level {
            node,
            account,
            shares: self.tree.shares(node),
            family_shares: level.shares,
            has_wrapped: level.has_wrapped,
            family_usage: level.usage,
            is_usage_cut: level.is_usage_cut,
            family_norm_usage: level.norm_usage,
            siblings_ahead: start,
            siblings_tied: same_count.saturating_sub(1),
            sibling_count,
            listed: level.listed,
            users_ahead: 0,
            last_ahead: None,
            sibling_ahead: members[..start].last().map(|member| member.node),
            heaviest_sibling,
        }
    }

    /// Counts the users that rank before a node, by the level of its path that decides it.
    ///
    /// Where members of tied accounts compete with each other, a level further down decides, and so it is with the members
    /// of an account with `parent` shares. These users are compared one by one.
    fn count_users_ahead(self, levels: &mut [Level], node: NodeId) {
        let tree = self.tree;
        let evaluation = self.evaluation;
        for level in levels.iter_mut() {
            level.users_ahead = 0;
            level.last_ahead = None;
        }
        let Some(rank) = evaluation.best_rank(node) else {
            return;
        };
        let precedence = self.policy.traits().precedence;
        let merges_ties = matches!(precedence, Precedence::Levels(_));
        let mut outer = NodeId::ROOT;
        // Positions whose users are counted on a level further down.
        let mut passed_on: Vec<Range<usize>> = Vec::new();
        for place in 0..levels.len() {
            let level = &levels[place];
            let inner = level.node;
            // An account with `parent` shares does not compete. Its members do, on the level of the account above.
            let is_passed_on = level.shares.is_parent() && tree.is_account(inner);
            let is_merged = merges_ties && level.siblings_tied > 0;
            if passed_on.is_empty()
                && !is_merged
                && !is_passed_on
                && let Some(within_outer) = evaluation.users_before(outer, rank)
                && let Some(within_inner) = evaluation.users_before(inner, rank)
            {
                if within_outer > within_inner
                    && let Some(last) = evaluation.last_before(rank, outer, inner)
                {
                    levels[place].put_ahead(evaluation, within_outer - within_inner, last);
                }
                outer = inner;
                continue;
            }
            let above = tree.order().span(outer);
            let below = tree.order().span(inner);
            passed_on.push(above.start..below.start);
            passed_on.push(below.end..above.end);
            outer = inner;
            if is_passed_on {
                continue;
            }
            for position in passed_on.drain(..).flatten() {
                let other_rank = evaluation.ranks()[position];
                if other_rank == 0 || other_rank >= rank {
                    continue;
                }
                let other = tree.nodes()[position];
                let mut deciding = place;
                if is_merged {
                    let own = self.decision(node, other).own;
                    let found = levels.iter().position(|level| level.node == own);
                    deciding = found.unwrap_or(place);
                }
                levels[deciding].put_ahead(evaluation, 1, other);
            }
        }
    }

    /// Returns which of two nodes ranks first by its own number in a column.
    fn order(self, column: ColumnId, a: NodeId, b: NodeId) -> Ordering {
        match self.policy {
            Policy::Flux => flux::compare(self.tree, self.evaluation, a, b),
            Policy::PbsWalk => walk::compare(self.evaluation, a, b),
            _ => self.evaluation.compare(column, a, b),
        }
    }

    /// Compares the numbers of two nodes in a column.
    fn decide(self, column: ColumnId, a: NodeId, b: NodeId) -> Decision {
        Decision {
            own: a,
            other: b,
            column,
            first: match self.order(column, a, b) {
                Ordering::Less => Some(DecisionSide::Own),
                Ordering::Equal => None,
                Ordering::Greater => Some(DecisionSide::Other),
            },
        }
    }

    /// Returns where the order of two nodes is decided: on the first level on which their paths differ, or where these
    /// accounts tie and their members compete with each other, on a level below.
    fn decision(self, a: NodeId, b: NodeId) -> Decision {
        let precedence = self.policy.traits().precedence;
        let (Precedence::Levels(column) | Precedence::Visits(column)) = precedence else {
            return self.decide(self.policy.factor_column(), a, b);
        };
        let merges_ties = matches!(precedence, Precedence::Levels(_));
        let mut tie = None;
        for (one, other) in self.path(a, b).into_iter().zip(self.path(b, a)) {
            if one == other {
                continue;
            }
            let decision = self.decide(column, one, other);
            if decision.first.is_some() || !merges_ties {
                return decision;
            }
            tie.get_or_insert(decision);
            let has_share = |node| walk::has_share(self.evaluation, node);
            if self.policy == Policy::PbsWalk && !has_share(one) && !has_share(other) {
                // PBS treats two nodes without shares as equal, whatever is below them.
                break;
            }
        }
        let Some(tie) = tie else {
            // One of the nodes is below the other.
            return Decision {
                own: a,
                other: b,
                column,
                first: None,
            };
        };
        if self.policy == Policy::LevelBased {
            // One path is longer: the buckets below the end of the other decide.
            let by_priority = self.decide(ColumnId::PriorityFsRaw, a, b);
            if by_priority.first.is_some() {
                return by_priority;
            }
        }
        tie
    }

    /// Returns the path from the root to a node, without the accounts with `parent` shares, which do not compete; the
    /// node that it is compared with stays.
    fn path(self, node: NodeId, other: NodeId) -> Vec<NodeId> {
        let mut path = self.tree.line(node);
        path.retain(|&above| {
            !self.tree.shares(above).is_parent() || above == node || above == other
        });
        path
    }
}

impl Level {
    /// Counts users that come before the explained node because this level decides it, of which one is the last.
    fn put_ahead(&mut self, evaluation: &Evaluation, users: usize, last: NodeId) {
        self.users_ahead += users;
        let known = self.last_ahead.and_then(|known| evaluation.rank(known));
        if evaluation.rank(last) > known {
            self.last_ahead = Some(last);
        }
    }
}

impl Explanation {
    /// Returns whether the explained node is a user.
    pub fn is_user(&self, tree: &Tree) -> bool {
        tree.is_user(self.node)
    }
}
