//! Which policies promise that what is delivered comes to what the shares say.

use crate::policy::Policy;

/// What a policy promises of cores that are handed out by its rank for a long time, where everybody wants more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// Users and accounts come to their shares.
    Shares,
    /// They do so in trees of one level alone.
    FlatTrees,
    /// They need not.
    Nothing,
}

/// The promise of a policy, and why.
#[must_use]
pub fn promise(_policy: Policy) -> (Promise, &'static str) {
    (Promise::Nothing, "")
}
