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

/// What each policy promises, and why: usage settles where all who want cores are equally far in the order.
pub const PROMISES: &[(Policy, Promise, &str)] = &[
    (
        Policy::Pbs,
        Promise::FlatTrees,
        "fairshare_factor counts a part of the account's usage as the user's own: below an account the factors are \
         equal where the larger shares got more than theirs (fair_share without a formula compares level by level)",
    ),
    (
        Policy::LevelBased,
        Promise::Nothing,
        "each level holds usage against 0.1 + 0.9 S, so that small shares get more than theirs and large ones less",
    ),
    (
        Policy::FairTree,
        Promise::Shares,
        "siblings are served by shares / usage, level by level, so that no level rests before usage is as the shares",
    ),
    (
        Policy::FairTreeDocumented,
        Promise::Shares,
        "siblings are served by shares / usage, level by level, so that no level rests before usage is as the shares",
    ),
    (
        Policy::Classic,
        Promise::FlatTrees,
        "effective usage counts a part of the account's usage as the user's own: below an account the factors are \
         equal where the larger shares got more than theirs",
    ),
    (
        Policy::DepthOblivious,
        Promise::Shares,
        "effective usage is that of the account times how a user stands among its siblings, so that all factors are \
         equal where usage is as the shares",
    ),
    (
        Policy::Tickets,
        Promise::Nothing,
        "tickets go by shares × shares / usage, so that they are equal where usage is as the squares of the shares, \
         and they are few in accounts of many",
    ),
    (
        Policy::Flux,
        Promise::Shares,
        "siblings are served by shares / usage, level by level, so that no level rests before usage is as the shares",
    ),
    (
        Policy::PbsWalk,
        Promise::Shares,
        "siblings are served by usage / share, level by level, so that no level rests before usage is as the shares",
    ),
    (
        Policy::Formula,
        Promise::Nothing,
        "a formula promises what its author meant it to",
    ),
];

/// The promise of a policy, and why.
#[must_use]
pub fn promise(policy: Policy) -> (Promise, &'static str) {
    let row = PROMISES.iter().find(|(known, ..)| *known == policy);
    let (_, promise, reason) = row.expect("every policy has a row, which a test holds");
    (*promise, reason)
}

/// Whether a policy promises that usage comes to the shares in this tree.
#[must_use]
pub fn is_promised(policy: Policy, tree: &Tree) -> bool {
    match promise(policy).0 {
        Promise::Shares => true,
        Promise::FlatTrees => {
            let mut nodes = tree.nodes().iter();
            nodes.all(|&node| tree.kind(node) == Kind::Account || tree.depth(node) == 1)
        }
        Promise::Nothing => false,
    }
}
