//! Which policies promise that deliveries converge to the shares.

use crate::model::{Kind, Tree};
use crate::rules::policy::Policy;

/// What a policy promises if cores are handed out by its rank for long and everybody wants more than there is.
///
/// The promise holds up to what is handed out at once, which a scheduler's clock makes coarser than the rule (see
/// [`Contention::at_once`](super::Contention::at_once)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// The deliveries of users and accounts converge to their shares.
    Shares,
    /// They converge to their shares if all users are directly below the root.
    FlatTrees,
    /// They converge to something else.
    Nothing,
}

/// Returns the promise of a policy: usage settles where all users with demand rank equally.
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

/// Returns whether a policy promises that usage converges to the shares in this tree.
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
