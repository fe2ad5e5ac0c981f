//! Rank changes by account: the accounts of one level, with the users below each that gained and lost.

use super::{Move, Ranks, keep_larger};
use crate::model::{Kind, NodeId, Tree};

/// The users below an account, and how they moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountMoves {
    /// The account; the level itself for users directly in it.
    pub account: NodeId,
    /// How many users it holds.
    pub users: usize,
    /// Users who run earlier.
    pub earlier: usize,
    /// Users who run later.
    pub later: usize,
    /// The user that gained most places.
    pub best: Option<Move>,
    /// The user that lost most places.
    pub worst: Option<Move>,
}

impl AccountMoves {
    fn new(account: NodeId) -> Self {
        Self {
            account,
            users: 0,
            earlier: 0,
            later: 0,
            best: None,
            worst: None,
        }
    }

    /// Returns how many users changed rank.
    pub fn moved(&self) -> usize {
        self.earlier + self.later
    }

    /// Counts the users at some positions of the tree.
    fn count(&mut self, tree: &Tree, ranks: &Ranks, positions: std::ops::Range<usize>) {
        for position in positions {
            let node = tree.nodes()[position];
            if tree.kind(node) != Kind::User {
                continue;
            }
            self.users += 1;
            match ranks.step(position, node) {
                Some(step) if step.places() > 0 => {
                    self.earlier += 1;
                    keep_larger(&mut self.best, step);
                }
                Some(step) => {
                    self.later += 1;
                    keep_larger(&mut self.worst, step);
                }
                None => {}
            }
        }
    }
}

/// Returns the level at which users moved, and the accounts there that hold users, in tree order.
pub(super) fn groups(tree: &Tree, ranks: &Ranks) -> (NodeId, Vec<AccountMoves>) {
    let level = level(tree, ranks);
    let mut groups = Vec::new();
    let mut own = AccountMoves::new(level);
    for child in tree.children(level) {
        let span = tree.order().span(child);
        if tree.kind(child) == Kind::User {
            own.count(tree, ranks, span);
        } else {
            let mut group = AccountMoves::new(child);
            group.count(tree, ranks, span);
            groups.push(group);
        }
    }
    groups.push(own);
    groups.retain(|group| group.users > 0);
    (level, groups)
}

/// The root, or the account further down that holds all who moved and is divided into accounts itself.
fn level(tree: &Tree, ranks: &Ranks) -> NodeId {
    let nodes = tree.nodes();
    let has_moved: Vec<bool> = (0..nodes.len())
        .map(|position| ranks.step(position, nodes[position]).is_some())
        .collect();
    let movers = tree.order().count_within(&has_moved);
    let mut level = NodeId::ROOT;
    loop {
        let all = movers[tree.order().span(level).start];
        let holds_all = |&child: &NodeId| movers[tree.order().span(child).start] == all;
        let Some(child) = tree.children(level).find(holds_all).filter(|_| all > 0) else {
            return level;
        };
        let is_divided = tree
            .children(child)
            .any(|below| tree.kind(below) == Kind::Account);
        if !is_divided {
            return level;
        }
        level = child;
    }
}
