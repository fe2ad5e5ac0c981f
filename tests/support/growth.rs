//! Trees grown node by node: accounts below accounts, users below any account.

use super::random::Random;
use fairscope::model::{
    Kind, NodeId, Position, Recorded, Settings, Shares, Snapshot, Source, Tree, TreeBuilder,
};

/// The properties of the next node of a tree.
pub(crate) struct Sprout {
    /// The index of the node's account among the accounts so far. The root is index 0.
    pub(crate) account: usize,
    pub(crate) kind: Kind,
    pub(crate) shares: Shares,
    /// The recorded usage. `None` if nothing was recorded. Accounts have none.
    pub(crate) usage: Option<f64>,
}

/// Grows a tree of `count` nodes below the root, named `n0`, `n1`, and so on. `next` takes the number of a node and the
/// number of accounts so far.
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

/// Decides which nodes of a random tree are accounts.
#[derive(Clone, Copy)]
pub(crate) struct Accounts {
    /// The number of first nodes that are always accounts.
    pub(crate) first: usize,
    /// One in this many later nodes is an account. `None` if all later nodes are users.
    pub(crate) one_in: Option<usize>,
}

/// Grows a tree of `count` nodes, each below one of the accounts so far, with random shares and usage.
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

/// Random shares. One in `one_in` nodes has none. If the rule knows shares `parent`, another one in `one_in` has those.
/// All other nodes have 1 to `most`.
pub(crate) fn shares(random: &mut Random, one_in: usize, knows_parent: bool, most: u64) -> Shares {
    match random.below(one_in) {
        0 => Shares::new(0),
        1 if knows_parent => Shares::PARENT,
        _ => Shares::new(random.between(1, most).cast_signed()),
    }
}

/// Makes a snapshot of a tree without a source, with these settings.
pub(crate) fn snapshot(tree: Tree, settings: Settings) -> Snapshot {
    Snapshot::new(tree, settings, Source::default(), Recorded::default())
}
