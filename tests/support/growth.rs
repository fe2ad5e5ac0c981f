//! Trees that grow node by node: accounts in accounts, and users anywhere.

use super::random::Random;
use fairscope::model::{
    Kind, NodeId, Position, Settings, Shares, Snapshot, Source, Tree, TreeBuilder,
};
use std::sync::Arc;

/// What the next node of a tree is.
pub(crate) struct Sprout {
    /// The place of its account among the accounts so far, of which the root is the first.
    pub(crate) account: usize,
    pub(crate) kind: Kind,
    pub(crate) shares: Shares,
    /// Its recorded usage. `None` if nothing was recorded; accounts are given none.
    pub(crate) usage: Option<f64>,
}

/// Grows a tree of `count` nodes below the root, named `n0`, `n1`, and so on. `next` is given the number of a node and
/// how many accounts there are so far.
pub(crate) fn grown(count: usize, mut next: impl FnMut(usize, usize) -> Sprout) -> Tree {
    let mut builder = TreeBuilder::new(b"root");
    let mut accounts = vec![NodeId::ROOT];
    for number in 0..count {
        let sprout = next(number, accounts.len());
        let name = builder.intern(format!("n{number}").as_bytes());
        let parent = accounts[sprout.account];
        let node = builder.push(parent, name, sprout.kind, Position::Last);
        builder.set_shares(node, sprout.shares);
        if sprout.kind == Kind::Account {
            accounts.push(node);
        } else if let Some(usage) = sprout.usage {
            builder.record(node, usage, true);
        }
    }
    builder.build()
}

/// Which nodes of a random tree are accounts.
#[derive(Clone, Copy)]
pub(crate) struct Accounts {
    /// How many of the first nodes are accounts for certain.
    pub(crate) first: usize,
    /// Of how many later nodes one is an account. `None` if all later nodes are users.
    pub(crate) one_in: Option<usize>,
}

/// Grows a tree of `count` nodes, each below one of the accounts so far, with shares and usage by chance.
pub(crate) fn random_tree(
    random: &mut Random,
    count: u64,
    accounts: Accounts,
    shares: impl Fn(&mut Random) -> Shares,
    usage: impl Fn(&mut Random) -> Option<f64>,
) -> Tree {
    let count = usize::try_from(count).expect("trees are small");
    grown(count, |number, account_count| {
        let account = random.below(account_count);
        let is_account = number < accounts.first
            || accounts
                .one_in
                .is_some_and(|one_in| random.below(one_in) == 0);
        let shares = shares(random);
        Sprout {
            account,
            kind: if is_account {
                Kind::Account
            } else {
                Kind::User
            },
            shares,
            usage: if is_account { None } else { usage(random) },
        }
    })
}

/// Shares by chance: of `one_in` nodes one has none and, where the rule knows them, one has shares `parent`; the others
/// have 1 to `most`.
pub(crate) fn shares(random: &mut Random, one_in: usize, knows_parent: bool, most: u64) -> Shares {
    match random.below(one_in) {
        0 => Shares::new(0),
        1 if knows_parent => Shares::PARENT,
        _ => Shares::new(random.between(1, most).cast_signed()),
    }
}

/// A snapshot of a tree that comes from nowhere, with these settings.
pub(crate) fn snapshot(tree: Tree, settings: Settings) -> Snapshot {
    Snapshot {
        tree,
        settings,
        source: Source::default(),
        recorded: Arc::default(),
    }
}
