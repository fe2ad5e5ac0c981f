//! How users moved: all of them, those of each account of one level, and those who share a rank.

use crate::model::{Kind, NodeId, Tree};
use crate::rules::policy::Evaluation;
use crate::scenario::Scenario;

/// How many ranks that became shared, or no longer are, are kept by name, and how many users of each.
const KEPT: usize = 3;

/// A user whose rank changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The user.
    pub(crate) node: NodeId,
    /// The rank in the untouched snapshot; 1 runs first.
    pub(crate) before: u32,
    /// The rank as edited.
    pub(crate) after: u32,
}

impl Move {
    /// Returns how many places the user gained (positive) or lost.
    pub(crate) fn places(self) -> i64 {
        i64::from(self.before) - i64::from(self.after)
    }
}

/// The ranks before and after, by position in the tree as edited; 0 where there is none.
pub(super) struct Ranks {
    /// Before the edits.
    pub(super) before: Vec<u32>,
    /// As edited.
    pub(super) after: Vec<u32>,
}

impl Ranks {
    /// Returns the ranks in the snapshot and with all edits.
    pub(super) fn of(scenario: &Scenario) -> Self {
        let rank_before = |node: NodeId| {
            if scenario.is_new(node) {
                return None;
            }
            scenario.baseline().rank(node)
        };
        Self::between(scenario.tree(), rank_before, scenario.evaluation())
    }

    /// Returns the ranks before and after a change, which made this tree.
    pub(super) fn between(
        tree: &Tree,
        rank_before: impl Fn(NodeId) -> Option<u32>,
        after: &Evaluation,
    ) -> Self {
        let mut ranks = Self {
            before: Vec::with_capacity(tree.node_count()),
            after: Vec::with_capacity(tree.node_count()),
        };
        for &node in tree.nodes() {
            ranks.before.push(rank_before(node).unwrap_or(0));
            ranks.after.push(after.rank(node).unwrap_or(0));
        }
        ranks
    }

    /// Returns how a user moved; `None` if its rank is the same, or missing on one side.
    fn step(&self, position: usize, node: NodeId) -> Option<Move> {
        let before = self.before[position];
        let after = self.after[position];
        if before == 0 || after == 0 || before == after {
            return None;
        }
        Some(Move {
            node,
            before,
            after,
        })
    }
}

/// The users below an account with a rank before or after, and how they moved. New users do not count as moved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccountMoves {
    /// The account; the level itself for users directly in it.
    pub account: NodeId,
    /// The users with a rank before or after.
    pub users: usize,
    /// Those that run earlier.
    pub earlier: usize,
    /// Those that run later.
    pub later: usize,
    /// The user that gained most places; of several the first in the tree.
    pub(crate) best: Option<Move>,
    /// The user that lost most places; of several the first in the tree.
    pub(crate) worst: Option<Move>,
}

impl AccountMoves {
    /// Returns how the users below an account moved.
    pub(super) fn below(tree: &Tree, ranks: &Ranks, account: NodeId) -> Self {
        let mut moves = Self {
            account,
            ..Self::default()
        };
        moves.count(tree, ranks, account);
        moves
    }

    /// Returns how many users changed rank.
    pub fn moved(&self) -> usize {
        self.earlier + self.later
    }

    /// Counts the users below a node, itself included.
    fn count(&mut self, tree: &Tree, ranks: &Ranks, top: NodeId) {
        for position in tree.order().span(top) {
            let node = tree.nodes()[position];
            if tree.kind(node) == Kind::User {
                self.count_user(ranks, position, node);
            }
        }
    }

    /// Counts one user. Returns whether its rank changed.
    pub(super) fn count_user(&mut self, ranks: &Ranks, position: usize, user: NodeId) -> bool {
        let has_rank = ranks.before[position] > 0 || ranks.after[position] > 0;
        self.users += usize::from(has_rank);
        let Some(step) = ranks.step(position, user) else {
            return false;
        };
        if step.places() > 0 {
            self.earlier += 1;
            self.best = Some(larger(self.best, step));
        } else {
            self.later += 1;
            self.worst = Some(larger(self.worst, step));
        }
        true
    }
}

/// Returns the larger of two moves, and of equal ones the first.
fn larger(kept: Option<Move>, step: Move) -> Move {
    if let Some(kept) = kept
        && kept.places().abs() >= step.places().abs()
    {
        return kept;
    }
    step
}

/// Returns the level at which users moved, and the accounts there that hold users, in tree order.
pub(super) fn by_account(tree: &Tree, ranks: &Ranks) -> (NodeId, Vec<AccountMoves>) {
    let level = level(tree, ranks);
    let mut groups = Vec::new();
    let mut own = AccountMoves {
        account: level,
        ..AccountMoves::default()
    };
    for child in tree.children(level) {
        match tree.kind(child) {
            Kind::Others => {}
            Kind::User => own.count(tree, ranks, child),
            Kind::Account => groups.push(AccountMoves::below(tree, ranks, child)),
        }
    }
    groups.push(own);
    groups.retain(|group| group.users > 0);
    (level, groups)
}

/// Returns the root, or the account further down that holds all who moved and is divided into accounts itself.
fn level(tree: &Tree, ranks: &Ranks) -> NodeId {
    let mut has_moved = Vec::with_capacity(tree.node_count());
    for (position, &node) in tree.nodes().iter().enumerate() {
        has_moved.push(ranks.step(position, node).is_some());
    }
    let movers = tree.order().count_within(&has_moved);
    let all = movers[0];
    let mut level = NodeId::ROOT;
    if all == 0 {
        return level;
    }
    loop {
        let mut children = tree.children(level);
        let holder = children.find(|&child| movers[tree.order().span(child).start] == all);
        match holder {
            Some(child) if has_accounts(tree, child) => level = child,
            _ => return level,
        }
    }
}

/// Returns whether an account is divided into accounts.
fn has_accounts(tree: &Tree, account: NodeId) -> bool {
    let mut children = tree.children(account);
    children.any(|child| tree.kind(child) == Kind::Account)
}

/// Users who share a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tie {
    /// The rank; 1 runs first.
    pub(crate) rank: u32,
    /// How many users share it.
    pub(crate) users: usize,
    /// The first of them in tree order.
    pub(crate) named: Vec<NodeId>,
}

/// Users who share their rank on one side only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ties {
    /// How many users they are.
    pub(crate) users: usize,
    /// Some of their ranks, in tree order.
    pub(crate) ranks: Vec<Tie>,
}

impl Ties {
    /// Adds a user, by the rank that so many users share.
    fn add(&mut self, rank: u32, users: usize) {
        self.users += 1;
        if self.ranks.len() < KEPT && self.ranks.iter().all(|tie| tie.rank != rank) {
            self.ranks.push(Tie {
                rank,
                users,
                named: Vec::new(),
            });
        }
    }

    /// Names the first users of each kept rank.
    fn name(&mut self, nodes: &[NodeId], ranks: &[u32]) {
        for (&node, &rank) in nodes.iter().zip(ranks) {
            if let Some(tie) = self.ranks.iter_mut().find(|tie| tie.rank == rank)
                && tie.named.len() < KEPT
            {
                tie.named.push(node);
            }
        }
    }
}

/// Returns the users who share their rank now and did not before, and those who did before and do not now.
pub(super) fn ties(scenario: &Scenario, ranks: &Ranks) -> [Ties; 2] {
    let nodes = scenario.tree().nodes();
    let base = scenario.base().tree.nodes();
    let mut base_ranks = Vec::with_capacity(base.len());
    for &node in base {
        base_ranks.push(scenario.baseline().rank(node).unwrap_or(0));
    }
    let crowds_before = crowds(&base_ranks);
    let crowds_after = crowds(&ranks.after);
    let mut made = Ties::default();
    let mut broken = Ties::default();
    for (position, &node) in nodes.iter().enumerate() {
        if scenario.is_new(node) {
            continue;
        }
        let before = ranks.before[position];
        let after = ranks.after[position];
        let had = crowds_before[before as usize];
        let has = crowds_after[after as usize];
        if had <= 1 && has > 1 {
            made.add(after, has);
        } else if had > 1 && has <= 1 {
            broken.add(before, had);
        }
    }
    made.name(nodes, &ranks.after);
    broken.name(base, &base_ranks);
    [made, broken]
}

/// Returns, by rank, how many users share it; 0 for rank 0, which is none.
fn crowds(ranks: &[u32]) -> Vec<usize> {
    let most = ranks.iter().max().copied();
    let mut crowds = vec![0; most.unwrap_or(0) as usize + 1];
    for &rank in ranks {
        crowds[rank as usize] += 1;
    }
    crowds[0] = 0;
    crowds
}
