//! How a node's numbers came about, and where the order of two nodes is decided, as data; `report` turns it into prose.

use super::levels::{Level, beyond_common};
use super::pbs::walk;
use super::{ColumnId, Evaluation, Policy, Precedence, flux, pbs, slurm};
use crate::base::number::Value;
use crate::base::sort::rising;
use crate::model::{Kind, NodeId, Settings, Tree};
use std::cmp;
use std::collections::HashMap;
use std::sync::Arc;

/// Why a node has its rank.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "fields are what their names say")]
pub struct Explanation {
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
    /// Where the order of the two is decided. The explained node is the first side.
    pub decision: Decision,
}

/// What the members of a level have in common, computed in one pass over them.
#[derive(Clone, Debug, Default)]
struct LevelMembers {
    shares: u64,
    has_wrapped: bool,
    usage: f64,
    norm_usage: f64,
    is_usage_cut: bool,
    /// The members by the policy's number, those that run first in front. Under PBS's rules by the key of its walk, and
    /// under Flux by place, which ties share.
    members: Vec<(u64, NodeId)>,
    /// Under Flux, the place of each member.
    places: HashMap<NodeId, u64>,
    /// The two members with the most usage.
    heaviest: [Option<NodeId>; 2],
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

impl LevelMembers {
    fn of(
        policy: Policy,
        tree: &Tree,
        evaluation: &Evaluation,
        account: NodeId,
        column: ColumnId,
    ) -> Self {
        let usage = |node: NodeId| evaluation.number(ColumnId::Usage, node).unwrap_or(0.0);
        let children = match policy {
            Policy::Flux => tree.children(account).collect(),
            // PBS lists the newest first. Of those with the same usage, the oldest counts.
            policy if policy.is_of_pbs() => {
                let children: Vec<_> = tree.children(account).collect();
                children.into_iter().rev().collect()
            }
            _ => slurm::fair_share_children(tree, account),
        };
        let mut family = Self::default();
        let mut shares: i128 = 0;
        let mut whole_usage = 0;
        for node in children {
            if evaluation.is_blank(node) {
                continue;
            }
            shares += i128::from(tree.shares(node).count().unwrap_or(0));
            // Nodes without a value are excluded from the comparison.
            if let Some(key) = policy.level_key(evaluation, column, node) {
                family.members.push((key, node));
            }
            family.usage += usage(node);
            if !tree.shares(node).is_parent() {
                let norm_usage = evaluation.number(ColumnId::NormUsage, node);
                family.norm_usage += norm_usage.unwrap_or(0.0);
            }
            whole_usage = flux::add_usage(whole_usage, usage(node));
            let [first, second] = family.heaviest;
            if first.is_none_or(|first| usage(node) > usage(first)) {
                family.heaviest = [Some(node), first];
            } else if second.is_none_or(|second| usage(node) > usage(second)) {
                family.heaviest = [first, Some(node)];
            }
        }
        let limit: i128 = 1 << if policy == Policy::Flux { 64 } else { 32 };
        family.has_wrapped = !(0..limit).contains(&shares);
        family.shares = u64::try_from(shares.rem_euclid(limit)).unwrap_or(0);
        if policy == Policy::Flux {
            let whole_usage = whole_usage as f64;
            family.is_usage_cut = whole_usage.to_bits() != family.usage.to_bits();
            family.usage = whole_usage;
            family.members = flux::places(tree, evaluation, &family.members);
            let places = family.members.iter().map(|&(place, node)| (node, place));
            family.places = places.collect();
        } else {
            family.members.sort_unstable();
        }
        family
    }
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
        let rank = evaluation.rank(node);
        let user_count = evaluation.user_count();
        let (ahead, behind, tied) = match rank {
            Some(rank) => self.neighbours(tree, evaluation, node, rank),
            None => (None, None, 0),
        };
        let levels = self.levels(tree, evaluation, memory, node);
        let path = &mut memory.pbs;
        let of_pbs = || pbs::explain(tree, settings, evaluation, &levels, path, node);
        let pbs = self.is_of_pbs().then(of_pbs);
        Explanation {
            node,
            rank,
            user_count,
            ahead,
            behind,
            tied,
            levels,
            pbs,
        }
    }

    /// Returns the users just before and just after a user, and how many share its rank.
    fn neighbours(
        self,
        tree: &Tree,
        evaluation: &Evaluation,
        node: NodeId,
        rank: u32,
    ) -> (Option<Neighbour>, Option<Neighbour>, usize) {
        let (ranks, ranking) = (evaluation.ranks(), evaluation.ranking());
        let same = ranking.places(ranks, rank);
        let neighbour = |position: u32| {
            let other = tree.nodes()[position as usize];
            Neighbour {
                node: other,
                rank: ranks[position as usize],
                decision: self.decision(tree, evaluation, node, other),
            }
        };
        let positions = ranking.positions();
        // Of several with one rank, the first in the tree.
        let ahead = same.start.checked_sub(1).map(|place| {
            let rank = ranks[positions[place] as usize];
            neighbour(positions[ranking.places(ranks, rank).start])
        });
        let behind = positions.get(same.end).map(|&position| neighbour(position));
        (ahead, behind, same.len().saturating_sub(1))
    }

    /// Returns a node's number as an integer that is the lowest for the first to run. `None` if it has none.
    fn level_key(self, evaluation: &Evaluation, column: ColumnId, node: NodeId) -> Option<u64> {
        if self.is_of_pbs() {
            return Some(pbs::key(evaluation, node));
        }
        match evaluation.value(column, node) {
            Value::Word(word) => Some(!word),
            value => value.as_f64().map(|number| !rising(number)),
        }
    }

    fn levels(
        self,
        tree: &Tree,
        evaluation: &Evaluation,
        memory: &mut ExplanationCache,
        node: NodeId,
    ) -> Arc<Vec<Level>> {
        if evaluation.is_blank(node) {
            return Arc::default();
        }
        let (Precedence::Factor(column) | Precedence::Levels(column) | Precedence::Visits(column)) =
            self.rules().precedence;
        let (levels_below, levels) = (&mut memory.levels_below, &mut memory.levels);
        let path = Arc::make_mut(levels);
        let line = beyond_common(tree, path, |level| level.node, node);
        let mut level = |node: NodeId| {
            let account = if self == Self::Flux || self.is_of_pbs() {
                tree.parent(node)
            } else {
                slurm::fair_share_parent(tree, node)
            };
            let account = account.unwrap_or(NodeId::ROOT);
            let members = || LevelMembers::of(self, tree, evaluation, account, column);
            let family = levels_below.entry(account).or_insert_with(members);
            let key = if self == Self::Flux {
                family.places.get(&node).copied().unwrap_or(0)
            } else {
                self.level_key(evaluation, column, node).unwrap_or(u64::MAX)
            };
            let start = family.members.partition_point(|&(other, _)| other < key);
            let end = family.members.partition_point(|&(other, _)| other <= key);
            let mut heaviest = family.heaviest.into_iter().flatten();
            Level {
                node,
                account,
                shares: tree.shares(node),
                family_shares: family.shares,
                has_wrapped: family.has_wrapped,
                family_usage: family.usage,
                is_usage_cut: family.is_usage_cut,
                family_norm_usage: family.norm_usage,
                siblings_ahead: start,
                siblings_tied: (end - start).saturating_sub(1),
                sibling_count: family.members.len() - usize::from(start < end),
                users_ahead: 0,
                last_ahead: None,
                sibling_ahead: start.checked_sub(1).map(|place| family.members[place].1),
                heaviest_sibling: heaviest.find(|&heaviest| heaviest != node),
            }
        };
        path.extend(line.into_iter().map(&mut level));
        if self.orders_by_level() {
            self.count_users_ahead(tree, evaluation, path, node);
        }
        Arc::clone(levels)
    }

    /// Counts the users that rank before a node, by the level of its path that decides it.
    ///
    /// Where members of tied accounts compete with each other, a level further down decides, and so it is with the members
    /// of an account with `parent` shares. These users are compared one by one.
    fn count_users_ahead(
        self,
        tree: &Tree,
        evaluation: &Evaluation,
        levels: &mut [Level],
        node: NodeId,
    ) {
        for level in levels.iter_mut() {
            level.users_ahead = 0;
            level.last_ahead = None;
        }
        let Some(rank) = evaluation.best_rank(node) else {
            return;
        };
        let merges_ties = matches!(self.rules().precedence, Precedence::Levels(_));
        let ranks = evaluation.ranks();
        let mut outer = NodeId::ROOT;
        let mut passed_on = Vec::new();
        for place in 0..levels.len() {
            let level = &levels[place];
            let inner = level.node;
            // An account with `parent` shares does not compete. Its members do, on the level of the account above.
            let is_passed_on = level.shares.is_parent() && tree.kind(inner) == Kind::Account;
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
            let (above, below) = (tree.order().span(outer), tree.order().span(inner));
            passed_on.extend([above.start..below.start, below.end..above.end]);
            outer = inner;
            if is_passed_on {
                continue;
            }
            for position in std::mem::take(&mut passed_on).into_iter().flatten() {
                if !(1..rank).contains(&ranks[position]) {
                    continue;
                }
                let other = tree.nodes()[position];
                let mut decided = place;
                if is_merged {
                    let [own, _] = self.decision(tree, evaluation, node, other).sides;
                    let below = levels.iter().position(|level| level.node == own);
                    decided = below.unwrap_or(place);
                }
                levels[decided].put_ahead(evaluation, 1, other);
            }
        }
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
        tree.kind(self.node) == Kind::User
    }
}

/// Where the order of two nodes is decided: which ancestors are compared, and in which column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The node on each path whose numbers are compared: the nodes themselves or accounts above them.
    pub sides: [NodeId; 2],
    /// The column that is compared.
    pub column: ColumnId,
    /// Which side ranks first by that number; `None` if the numbers are equal.
    pub first: Option<usize>,
}

impl Policy {
    /// Returns where the order of two nodes is decided.
    pub fn decision(self, tree: &Tree, evaluation: &Evaluation, a: NodeId, b: NodeId) -> Decision {
        let order = |[a, b]: [NodeId; 2], column| match self {
            Self::Flux => flux::compare(tree, evaluation, a, b),
            Self::PbsWalk => walk::compare(evaluation, a, b),
            _ => evaluation.compare(column, a, b),
        };
        let decide = |sides: [NodeId; 2], column| Decision {
            sides,
            column,
            first: match order(sides, column) {
                cmp::Ordering::Less => Some(0),
                cmp::Ordering::Equal => None,
                cmp::Ordering::Greater => Some(1),
            },
        };
        let precedence = self.rules().precedence;
        let (Precedence::Levels(column) | Precedence::Visits(column)) = precedence else {
            return decide([a, b], self.factor_column());
        };
        let counts = |node: &NodeId| !tree.shares(*node).is_parent() || *node == a || *node == b;
        let way = |node| tree.line(node).into_iter().filter(counts);
        let diverging = way(a).zip(way(b)).filter(|(a, b)| a != b);
        let mut has_ended = false;
        // PBS treats two nodes without shares as equal, whatever is below them.
        let diverging = diverging.take_while(|&(a, b)| {
            let is_end = |node| self == Self::PbsWalk && walk::is_end(evaluation, node);
            !std::mem::replace(&mut has_ended, is_end(a) && is_end(b))
        });
        let mut decisions = diverging.map(|(a, b)| decide([a, b], column));
        let Some(first) = decisions.next() else {
            // One of the nodes is below the other.
            return Decision {
                sides: [a, b],
                column,
                first: None,
            };
        };
        if first.first.is_some() || matches!(precedence, Precedence::Visits(_)) {
            return first;
        }
        let found = decisions.find(|decision| decision.first.is_some());
        found.unwrap_or_else(|| {
            // One path is longer: the buckets below the end of the other decide.
            let whole = decide([a, b], ColumnId::PriorityFsRaw);
            let is_decided = self == Self::LevelBased && whole.first.is_some();
            if is_decided { whole } else { first }
        })
    }
}
