//! Random trees with the columns that Slurm would print for them, for tests.

use crate::model::generate::{Random, Shape, generate};
use crate::model::{
    Fact, Figure, Kind, NodeId, Position, Recorded, Scheduler, Shares, Snapshot, TieOrder, Tree,
    TreeBuilder, Usage, UsagePrecision,
};
use crate::rules::policy::{ColumnId, Policy};
use std::sync::Arc;

/// The properties of one kind of random tree.
#[derive(Clone, Copy, Debug)]
pub(in crate::source) struct Sort {
    /// The largest usage of a user.
    pub(in crate::source) most: u64,
    /// Whether shares and usage take so few values that many nodes tie.
    pub(in crate::source) ties: bool,
    /// Whether some nodes have shares `parent`.
    pub(in crate::source) has_parents: bool,
    /// The order in which accounts that tie were visited.
    pub(in crate::source) order: TieOrder,
    /// How many nodes are below the root at most.
    pub(in crate::source) size: u64,
}

impl Sort {
    /// Returns one kind of every number.
    pub(in crate::source) fn of(number: u64) -> Self {
        let orders = TieOrder::ALL;
        let order = usize::try_from(number / 12).unwrap_or(0) % orders.len();
        Self {
            most: [3, 400, 1 << 40][usize::try_from(number % 3).unwrap_or(0)],
            ties: number.is_multiple_of(2),
            has_parents: (number / 2).is_multiple_of(3),
            order: orders[order],
            size: 40,
        }
    }
}

/// Returns a tree with fractional usage, of which only the whole part is shown, and the columns of Fair Tree with six
/// decimals.
pub(in crate::source) fn printed(seed: u64, sort: Sort) -> Snapshot {
    let mut snapshot = generate(1, Shape::Flat, seed);
    snapshot.settings.scheduler = Some(Scheduler::Slurm);
    snapshot.tree = tree(seed, sort);
    let mut settings = snapshot.settings.clone();
    settings.slurm.tie_order = sort.order;
    let evaluation = Policy::FairTree.evaluate(&snapshot.tree, &settings);
    let mut recorded = Recorded::default();
    recorded.usage_precision = UsagePrecision::Whole;
    for (fact, column) in [
        (Fact::NormShares, ColumnId::NormShares),
        (Fact::NormUsage, ColumnId::NormUsage),
        (Fact::EffectvUsage, ColumnId::EffectvUsage),
        (Fact::LevelFs, ColumnId::LevelFs),
        (Fact::FairShare, ColumnId::Factor),
    ] {
        for &node in snapshot.tree.nodes() {
            if let Some(number) = evaluation.number(column, node) {
                let value = format!("{number:.6}").parse().unwrap_or(number);
                recorded.set(fact, node, Figure { value, decimals: 6 });
            }
        }
    }
    snapshot.recorded = Arc::new(recorded);
    for node in snapshot.tree.nodes().to_vec() {
        let used = evaluation.number(ColumnId::Usage, node).unwrap_or(0.0);
        snapshot.tree.set_usage(node, Usage::new(used.trunc()));
    }
    snapshot
}

fn tree(seed: u64, sort: Sort) -> Tree {
    let mut random = Random(seed);
    let mut below = |limit: u64| random.next() % limit;
    let mut builder = TreeBuilder::new(b"root");
    let mut accounts = vec![NodeId::ROOT];
    for number in 0..2 + below(sort.size) {
        let is_account = number == 0 || below(3) == 0;
        let above = usize::try_from(below(accounts.len() as u64)).unwrap_or(0);
        let (kind, letter) = if is_account {
            (Kind::Account, 'a')
        } else {
            (Kind::User, 'u')
        };
        // Names are not in the order in which the nodes were made.
        let name = builder.intern(format!("{letter}{:02}{number}", below(100)).as_bytes());
        let node = builder.push(accounts[above], name, kind, Position::Last);
        let shares = 1 + below(if sort.ties { 2 } else { 100 });
        builder.set_shares(
            node,
            match below(12) {
                0 if sort.has_parents => Shares::PARENT,
                1 => Shares::new(0),
                _ => Shares::new(i64::try_from(shares).unwrap_or(1)),
            },
        );
        if is_account {
            accounts.push(node);
        } else if below(3) > 0 {
            let part = if sort.ties {
                below(2)
            } else {
                below(1_000_000)
            };
            let used = below(sort.most) as f64 + part as f64 / 1e6;
            builder.record(node, used, true);
        }
    }
    builder.build()
}
