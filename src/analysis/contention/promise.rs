//! Which policies promise that what is delivered comes to what the shares say.

use crate::model::{Kind, Tree};
use crate::rules::policy::Policy;

/// What a policy promises of cores that are handed out by its rank for long, where everybody wants more than there is:
/// up to what is handed out at once, which a scheduler's clock makes coarser than the rule is (see
/// [`Contention::at_once`](super::Contention::at_once)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// Users and accounts come to their shares.
    Shares,
    /// They do so where all users stand right below the root.
    FlatTrees,
    /// They settle elsewhere.
    Nothing,
}

/// The promise of a policy: usage settles where all who want cores are equally far in the order.
#[must_use]
pub const fn promise(policy: Policy) -> Promise {
    match policy {
        Policy::FairTree
        | Policy::FairTreeDocumented
        | Policy::DepthOblivious
        | Policy::Flux
        | Policy::PbsWalk => Promise::Shares,
        Policy::Pbs | Policy::Classic => Promise::FlatTrees,
        Policy::LevelBased | Policy::Tickets | Policy::Formula => Promise::Nothing,
    }
}

/// Whether a policy promises that usage comes to the shares in this tree.
#[must_use]
pub fn is_promised(policy: Policy, tree: &Tree) -> bool {
    match promise(policy) {
        Promise::Shares => true,
        Promise::FlatTrees => {
            let mut nodes = tree.nodes().iter();
            nodes.all(|&node| tree.kind(node) == Kind::Account || tree.depth(node) == 1)
        }
        Promise::Nothing => false,
    }
}
