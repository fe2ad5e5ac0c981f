//! How users moved: all of them, those of each account of one level, and those who share a rank.

use crate::model::{Kind, NodeId, Tree};
use crate::rules::policy::Evaluation;
use crate::scenario::Scenario;

/// How many ranks that became shared, or no longer are, are kept by name, and how many users of each.
const KEPT: usize = 3;

/// A user whose rank changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    pub(crate) node: NodeId,
    /// The rank in the untouched snapshot; 1 runs first.
    pub(crate) before: u32,
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
    pub(super) before: Vec<u32>,
    pub(super) after: Vec<u32>,
}

impl Ranks {
    /// Returns the ranks in the snapshot and with all edits.
    pub(super) fn of(scenario: &Scenario) -> Self {
        let before = |node: NodeId| {
            let rank = scenario.baseline().rank(node);
            rank.filter(|_| !scenario.is_new(node))
        };
        Self::between(scenario.tree(), before, scenario.evaluation())
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

    fn step(&self, position: usize, node: NodeId) -> Option<Move> {
        let (before, after) = (self.before[position], self.after[position]);
        let has_moved = before > 0 && after > 0 && before != after;
        has_moved.then_some(Move {
            node,
            before,
            after,
        })
    }
}

/// The users below an account with a rank before or after, and how they moved. New users do not count as moved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields are what their names say")]
pub struct AccountMoves {
    /// The account; the level itself for users directly in it.
    pub account: NodeId,
    pub users: usize,
    pub earlier: usize,
    pub later: usize,
    /// The user that gained most places; of several the first in the tree.
    pub(crate) best: Option<Move>,
    /// The user that lost most places; of several the first in the tree.
    pub(crate) worst: Option<Move>,
}

impl AccountMoves {
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
        let larger = |kept: Option<Move>, step: Move| match kept {
            Some(kept) if kept.places().abs() >= step.places().abs() => kept,
            _ => step,
        };
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

/// The root, or the account further down that holds all who moved and is divided into accounts itself.
fn level(tree: &Tree, ranks: &Ranks) -> NodeId {
    let nodes = tree.nodes().iter().enumerate();
    let has_moved = nodes.map(|(position, &node)| ranks.step(position, node).is_some());
    let movers = tree.order().count_within(&has_moved.collect::<Vec<_>>());
    let movers = |node: NodeId| movers[tree.order().span(node).start];
    let all = movers(NodeId::ROOT);
    let mut level = NodeId::ROOT;
    loop {
        let holder = tree.children(level).find(|&child| movers(child) == all);
        let is_account = |below: NodeId| tree.kind(below) == Kind::Account;
        match holder.filter(|_| all > 0) {
            Some(child) if tree.children(child).any(is_account) => level = child,
            _ => return level,
        }
    }
}

/// Users who share a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tie {
    pub(crate) rank: u32,
    pub(crate) users: usize,
    /// The first of them in tree order.
    pub(crate) named: Vec<NodeId>,
}

/// Users who share their rank on one side only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ties {
    pub(crate) users: usize,
    /// Some of their ranks, in tree order.
    pub(crate) ranks: Vec<Tie>,
}

impl Ties {
    fn add(&mut self, rank: u32, users: usize) {
        self.users += 1;
        if self.ranks.len() < KEPT && self.ranks.iter().all(|tie| tie.rank != rank) {
            let named = Vec::new();
            self.ranks.push(Tie { rank, users, named });
        }
    }

    fn name(&mut self, nodes: &[NodeId], ranks: &[u32]) {
        for (&node, &rank) in nodes.iter().zip(ranks) {
            let tie = self.ranks.iter_mut().find(|tie| tie.rank == rank);
            if let Some(tie) = tie.filter(|tie| tie.named.len() < KEPT) {
                tie.named.push(node);
            }
        }
    }
}

pub(super) fn ties(scenario: &Scenario, ranks: &Ranks) -> [Ties; 2] {
    let (nodes, base) = (scenario.tree().nodes(), scenario.base().tree.nodes());
    let base_ranks = base.iter().map(|&node| scenario.baseline().rank(node));
    let base_ranks: Vec<u32> = base_ranks.map(Option::unwrap_or_default).collect();
    let [crowds_before, crowds_after] = [&base_ranks, &ranks.after].map(|ranks| crowds(ranks));
    let [mut made, mut broken] = [Ties::default(), Ties::default()];
    for (position, &node) in nodes.iter().enumerate() {
        if scenario.is_new(node) {
            continue;
        }
        let (before, after) = (ranks.before[position], ranks.after[position]);
        let had = crowds_before[before as usize];
        let has = crowds_after[after as usize];
        match (had > 1, has > 1) {
            (false, true) => made.add(after, has),
            (true, false) => broken.add(before, had),
            _ => {}
        }
    }
    made.name(nodes, &ranks.after);
    broken.name(base, &base_ranks);
    [made, broken]
}

fn crowds(ranks: &[u32]) -> Vec<usize> {
    let most = ranks.iter().max().map_or(0, |&rank| rank as usize);
    let mut crowds = vec![0; most + 1];
    for &rank in ranks {
        crowds[rank as usize] += 1;
    }
    crowds[0] = 0;
    crowds
}
