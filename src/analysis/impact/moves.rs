//! How users moved: all of them, and those of each account of one level.

use crate::model::{Kind, NodeId, Tree};
use crate::rules::policy::Evaluation;
use crate::scenario::Scenario;

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

/// The ranks before a change that may add nodes.
#[derive(Clone, Copy)]
pub(super) struct RanksBefore<'a> {
    /// The numbers before the change.
    pub(super) evaluation: &'a Evaluation,
    /// The number of nodes that there were. A node with a later number is new.
    pub(super) known: usize,
}

impl RanksBefore<'_> {
    /// Returns the rank of a node before the change. `None` if it is new or had none.
    pub(super) fn rank(self, node: NodeId) -> Option<u32> {
        if node.index() >= self.known {
            return None;
        }
        self.evaluation.rank(node)
    }
}

impl Ranks {
    /// Returns the ranks in the snapshot and with all edits.
    pub(super) fn of(scenario: &Scenario) -> Self {
        let before = RanksBefore {
            evaluation: scenario.baseline(),
            known: scenario.base().tree.id_count(),
        };
        Self::between(scenario.tree(), before, scenario.evaluation())
    }

    /// Returns the ranks before and after a change, which made this tree.
    pub(super) fn between(tree: &Tree, before: RanksBefore<'_>, after: &Evaluation) -> Self {
        let mut ranks = Self {
            before: Vec::with_capacity(tree.node_count()),
            after: Vec::with_capacity(tree.node_count()),
        };
        for &node in tree.nodes() {
            ranks.before.push(before.rank(node).unwrap_or(0));
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
    fn below(tree: &Tree, ranks: &Ranks, account: NodeId) -> Self {
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

/// How the users of a tree moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moves {
    /// The users of the tree as edited that have a rank.
    pub all: AccountMoves,
    /// The account below which users moved: the root, or the one that holds all users that moved.
    pub level: NodeId,
    /// The accounts of that level that hold users, in tree order, and the level itself for users directly in it.
    pub accounts: Vec<AccountMoves>,
}

impl Moves {
    /// Returns how the users of a tree moved.
    pub(super) fn of(tree: &Tree, ranks: &Ranks) -> Self {
        let level = level(tree, ranks);
        Self {
            all: AccountMoves::below(tree, ranks, NodeId::ROOT),
            level,
            accounts: by_account(tree, ranks, level),
        }
    }
}

/// Returns how the users of each account of a level moved.
fn by_account(tree: &Tree, ranks: &Ranks, level: NodeId) -> Vec<AccountMoves> {
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
    groups
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
