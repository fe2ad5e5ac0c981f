//! A walk from the root down, one level after the other, without recursion.

use crate::model::{NodeId, Tree};
use std::ops::Range;

/// Accounts that tie, or the root. Their children are visited as one family, and `first_rank` is that of the first user
/// below them.
struct Class {
    accounts: Range<usize>,
    first_rank: u32,
}

/// The accounts of one level by class.
#[derive(Default)]
pub(super) struct Level {
    accounts: Vec<u32>,
    classes: Vec<Class>,
}

impl Level {
    /// Adds accounts that tie, by their positions, with the rank of the first user below them.
    pub(super) fn push(&mut self, accounts: &[u32], first_rank: u32) {
        let start = self.accounts.len();
        self.accounts.extend_from_slice(accounts);
        self.classes.push(Class {
            accounts: start..self.accounts.len(),
            first_rank,
        });
    }

    fn clear(&mut self) {
        self.accounts.clear();
        self.classes.clear();
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
    let (mut here, mut common) = (node, 0);
    while let Some(parent) = tree.parent(here) {
        let depth = tree.depth(here) as usize;
        let known = depth.checked_sub(1).and_then(|level| levels.get(level));
        if known.is_some_and(|level| node_of(level) == here) {
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

/// Visits the families of a tree, level by level: `visit` gets the positions of the children that are counted, the rank
/// of the first user among or below them, and the next level, to which it adds what is to be visited there.
pub(super) fn visit_levels(
    tree: &Tree,
    is_counted: impl Fn(usize) -> bool,
    mut visit: impl FnMut(&[u32], u32, &mut Level),
) {
    let (mut level, mut next) = (Level::default(), Level::default());
    level.push(&[0], 1);
    let mut family = Vec::new();
    while !level.classes.is_empty() {
        for class in &level.classes {
            family.clear();
            for &account in &level.accounts[class.accounts.clone()] {
                let children = tree.order().children(account);
                family.extend(children.filter(|&child| is_counted(child as usize)));
            }
            visit(&family, class.first_rank, &mut next);
        }
        std::mem::swap(&mut level, &mut next);
        next.clear();
    }
}
