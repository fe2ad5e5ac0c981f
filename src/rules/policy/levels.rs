//! The levels of a tree: those of a path from the root, and a walk through all of them, without recursion.

use super::blank::BlankNodes;
use crate::model::{NodeId, Shares, Tree};
use std::collections::VecDeque;
use std::ops::Range;

/// One level on the path from the root to a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// The node of the path on this level.
    pub node: NodeId,
    /// The account it competes under: its parent, or a higher account where the parent has shares `parent`.
    pub account: NodeId,
    /// Its own shares.
    pub shares: Shares,
    /// The shares of its level, including its own: a sum of 32 bits in PBS and Slurm, of 64 in Flux.
    pub family_shares: u64,
    /// Whether that sum overflowed and so is wrong.
    pub has_wrapped: bool,
    /// The usage of its level, including its own. Flux truncates that sum to a whole number after every addition.
    pub family_usage: f64,
    /// Whether that truncation lost anything.
    pub is_usage_cut: bool,
    /// The usage of its level, including its own, as a part of all usage: the sum of Slurm's Norm Usage without
    /// `parent` siblings. 0 under a rule that does not use it.
    pub family_norm_usage: f64,
    /// How many siblings rank before it.
    pub siblings_ahead: usize,
    /// How many siblings have the same number.
    pub siblings_tied: usize,
    /// How many siblings there are, without itself.
    pub sibling_count: usize,
    /// How much of the level is listed. Neither the siblings nor the users ahead include what is not.
    pub listed: Listed,
    /// How many users come before the explained node because this level decides it. Their paths diverge here, at an
    /// account above with shares `parent`, or at one that ties where the levels below a tie are compared. For an account
    /// the rank of its best user counts. 0 under a policy that orders users by a number of their own, and for a node
    /// without a rank.
    pub users_ahead: usize,
    /// The last of these users; `None` if there are none.
    pub last_ahead: Option<NodeId>,
    /// The sibling just before it; `None` for the first.
    pub sibling_ahead: Option<NodeId>,
    /// The sibling with the most usage; `None` without siblings.
    pub heaviest_sibling: Option<NodeId>,
}

/// How much of a level is listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Listed {
    /// All of it.
    #[default]
    All,
    /// A part, and what the rest has is known.
    Part,
    /// A part, and nothing tells how many shares the level has, or how much usage.
    UnknownPart,
}

impl Listed {
    /// Returns whether some members are not listed.
    pub const fn is_part(self) -> bool {
        matches!(self, Self::Part | Self::UnknownPart)
    }

    /// Returns whether nothing tells what the level has.
    pub const fn is_unknown(self) -> bool {
        matches!(self, Self::UnknownPart)
    }
}

/// A member of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Member {
    /// Its place: the policy's number as an integer that is the lowest for the first to run. Under PBS's rules the key of
    /// its walk, and under Flux a counter, which ties share.
    pub(super) key: u64,
    /// The member.
    pub(super) node: NodeId,
}

/// Returns the level that puts the most users ahead, the topmost of equals. `None` if none puts any ahead, and under a
/// policy that does not rank level by level.
pub(crate) fn deciding(levels: &[Level]) -> Option<&Level> {
    most_ahead(levels, |level| level.users_ahead > 0)
}

/// Returns the level with the most users ahead, the topmost of equals, among those for which `is_behind` returns true.
pub(crate) fn most_ahead(levels: &[Level], is_behind: impl Fn(&&Level) -> bool) -> Option<&Level> {
    // The last of equals is the topmost.
    let from_below = levels.iter().rev().filter(is_behind);
    from_below.max_by_key(|level| level.users_ahead)
}

/// Returns the level above a node's own that puts the most users ahead of it, the topmost of equals. `None` if its own
/// level puts as many ahead, and under a policy that does not rank level by level.
pub(crate) fn holding_back(levels: &[Level]) -> Option<&Level> {
    let own = levels.last()?;
    let deciding = deciding(levels)?;
    if deciding.node == own.node {
        return None;
    }
    Some(deciding)
}

/// Accounts that tie, so that their children are visited as one family.
struct PendingClass {
    /// The places of the accounts in [`PendingClasses::accounts`].
    places: Range<usize>,
    /// The rank of the first user below them.
    first_rank: u32,
}

/// Classes of accounts whose children are to be visited, the next class first.
#[derive(Default)]
pub(super) struct PendingClasses {
    /// The accounts of all classes, by position in the tree.
    accounts: Vec<u32>,
    classes: VecDeque<PendingClass>,
}

impl PendingClasses {
    /// Adds accounts that tie, by their positions, with the rank of the first user below them.
    pub(super) fn push(&mut self, accounts: &[u32], first_rank: u32) {
        let start = self.accounts.len();
        self.accounts.extend_from_slice(accounts);
        self.classes.push_back(PendingClass {
            places: start..self.accounts.len(),
            first_rank,
        });
    }
}

/// Cuts the levels of a path to those that are on the path of a node too, and returns the nodes of its path that follow.
pub(super) fn beyond_common<L>(
    tree: &Tree,
    levels: &mut Vec<L>,
    node_of: impl Fn(&L) -> NodeId,
    node: NodeId,
) -> Vec<NodeId> {
    let mut beyond = Vec::new();
    let mut common = 0;
    let mut here = node;
    while let Some(parent) = tree.parent(here) {
        let depth = tree.depth(here) as usize;
        // The children of the root have depth 1 and are on the first level. Only a removed node has depth 0.
        if depth > 0
            && let Some(level) = levels.get(depth - 1)
            && node_of(level) == here
        {
            common = depth;
            break;
        }
        beyond.push(here);
        here = parent;
    }
    levels.truncate(common);
    beyond.reverse();
    beyond
}

/// Visits the families of a tree, level by level: `visit` gets the positions of the children that have numbers, the rank
/// of the first user among or below them, and the pending classes, to which it adds what is to be visited below.
pub(super) fn visit_levels(
    tree: &Tree,
    blank: &BlankNodes,
    mut visit: impl FnMut(&[u32], u32, &mut PendingClasses),
) {
    let mut pending = PendingClasses::default();
    pending.push(&[0], 1);
    let mut family = Vec::new();
    while let Some(class) = pending.classes.pop_front() {
        family.clear();
        for &account in &pending.accounts[class.places] {
            for child in tree.order().children(account) {
                if !blank.contains(child as usize) {
                    family.push(child);
                }
            }
        }
        visit(&family, class.first_rank, &mut pending);
    }
}
