//! Classic and depth-oblivious fair-share compared with the numbers of Slurm 14.11.

use crate::support::slurm::{Case, Row, cases};
use fairscope::model::{Kind, NodeId, Position, Settings, Shares, Tree, TreeBuilder};
use fairscope::rules::policy::{ColumnId, Evaluation, Policy};
use proptest::collection::vec;
use proptest::prelude::*;

/// Our columns and their names in the golden tables.
const COLUMNS: [(ColumnId, &str); 3] = [
    (ColumnId::NormShares, "shares_norm"),
    (ColumnId::NormUsage, "usage_norm"),
    (ColumnId::EffectvUsage, "usage_efctv"),
];

fn settings(dampening: &str) -> Settings {
    let mut settings = Settings::default();
    settings
        .set("FairShareDampeningFactor", dampening)
        .expect("a dampening factor");
    settings
}

/// One of our numbers and Slurm's.
struct Pair {
    place: String,
    ours: Option<f64>,
    theirs: Option<f64>,
}

impl Pair {
    fn is_same(&self) -> bool {
        self.ours.map(f64::to_bits) == self.theirs.map(f64::to_bits)
    }
}

/// The numbers of a node: the columns and the factor.
fn pairs(case: &Case, numbers: &Evaluation, row: &Row) -> Vec<Pair> {
    let is_user = case.tree.kind(row.node) == Kind::User;
    let factor = if is_user { "factor" } else { "factor_sshare" };
    COLUMNS
        .into_iter()
        .chain([(ColumnId::Factor, factor)])
        .map(|(column, name)| Pair {
            place: format!("{} {} {name}", case.name, row.text("name").unwrap_or("?")),
            ours: numbers.number(column, row.node),
            theirs: row.number(name),
        })
        .filter(|pair| pair.ours.is_some() || pair.theirs.is_some())
        .collect()
}

/// Every number in the golden tables of an algorithm.
fn all_pairs(policy: Policy, algorithm: &str) -> Vec<Pair> {
    let mut all = Vec::new();
    for case in cases() {
        for table in case.tables(algorithm) {
            let dampening = table
                .trim_start_matches(algorithm)
                .trim_start_matches('-')
                .trim_end_matches(".tsv");
            let numbers = policy.evaluate(&case.tree, &settings(dampening));
            let rows = case.table(&table);
            assert_eq!(rows.len(), case.tree.node_count(), "{} {table}", case.name);
            let pairs = rows.iter().flat_map(|row| pairs(&case, &numbers, row));
            all.extend(pairs);
        }
    }
    all
}

/// Asserts that every number equals Slurm's.
fn assert_same(what: &str, pairs: &[Pair]) {
    let different: Vec<String> = pairs
        .iter()
        .filter(|pair| !pair.is_same())
        .map(|pair| format!("{}: {:?} is not {:?}", pair.place, pair.ours, pair.theirs))
        .collect();
    println!(
        "{what}: {} numbers compared, {} differ",
        pairs.len(),
        different.len()
    );
    assert!(different.is_empty(), "{different:#?}");
}

#[test]
fn golden_classic_numbers_equal_slurms_bit_for_bit() {
    assert_same("classic", &all_pairs(Policy::Classic, "classic"));
}

#[test]
fn golden_depth_oblivious_numbers_equal_slurms_bit_for_bit() {
    assert_same(
        "depth-oblivious",
        &all_pairs(Policy::DepthOblivious, "depth"),
    );
}

/// A tree of accounts and users; each seedling gives the account above, shares, usage, and whether it is a user.
fn tree(seedlings: &[(prop::sample::Index, i64, f64, bool)]) -> Tree {
    let mut builder = TreeBuilder::new(b"root");
    let mut accounts = vec![NodeId::ROOT];
    for (place, shares, usage, is_user) in seedlings {
        let name = builder.intern(b"node");
        let kind = if *is_user { Kind::User } else { Kind::Account };
        let node = builder.push(*place.get(&accounts), name, kind, Position::Last);
        builder.set_shares(
            node,
            match shares {
                ..0 => Shares::PARENT,
                &shares => Shares::new(shares),
            },
        );
        if *is_user {
            builder.record(node, *usage, true);
        } else {
            accounts.push(node);
        }
    }
    builder.build()
}

proptest! {
    #![proptest_config(crate::support::laws(256))]

    #[test]
    fn every_user_has_a_factor_and_a_rank_by_factor(
        seedlings in vec(
            (
                any::<prop::sample::Index>(),
                prop_oneof![-2_i64..20, 0_i64..1 << 32],
                prop_oneof![Just(0.0), 0.0..1e3, (0_u32..1000).prop_map(f64::from), 0.0..1e300],
                any::<bool>(),
            ),
            0..40,
        ),
    ) {
        let tree = tree(&seedlings);
        for policy in [Policy::Classic, Policy::DepthOblivious, Policy::Tickets] {
            let numbers = policy.evaluate(&tree, &Settings::default());
            let users = || tree.nodes().iter().filter(|&&node| tree.kind(node) == Kind::User);
            let factor = |node| numbers.number(ColumnId::Factor, node).expect("a user has a factor");
            for &user in users() {
                let ahead = users().filter(|&&other| factor(other) > factor(user)).count();
                prop_assert!(factor(user) >= 0.0);
                prop_assert_eq!(numbers.rank(user).map(|rank| rank as usize), Some(ahead + 1));
            }
        }
    }
}

#[test]
fn deep_chains_have_numbers() {
    let mut builder = TreeBuilder::new(b"root");
    let name = builder.intern(b"node");
    let mut above = NodeId::ROOT;
    for _ in 0..30_000 {
        let account = builder.push(above, name, Kind::Account, Position::Last);
        let user = builder.push(above, name, Kind::User, Position::Last);
        builder.set_shares(account, Shares::new(9));
        builder.set_shares(user, Shares::new(1));
        builder.record(user, 1.0, true);
        above = account;
    }
    let tree = builder.build();
    for policy in [Policy::Classic, Policy::DepthOblivious, Policy::Tickets] {
        let numbers = policy.evaluate(&tree, &Settings::default());
        assert_eq!(numbers.user_count(), 30_000, "{}", policy.name());
    }
}

#[test]
fn usage_in_exact_and_inexact_fractions_adds_up() {
    for (amounts, sum) in [
        (
            [0.25, 3.5, 9_007_199_254_740_991.0],
            9_007_199_254_740_994.0,
        ),
        ([0.1, 0.2, 1.0], 1.3),
    ] {
        let mut builder = TreeBuilder::new(b"root");
        let name = builder.intern(b"node");
        let account = builder.push(NodeId::ROOT, name, Kind::Account, Position::Last);
        for amount in amounts {
            let user = builder.push(account, name, Kind::User, Position::Last);
            builder.record(user, amount, true);
        }
        let numbers = Policy::Classic.evaluate(&builder.build(), &Settings::default());
        assert_eq!(numbers.number(ColumnId::Usage, account), Some(sum));
        assert_eq!(numbers.number(ColumnId::Usage, NodeId::ROOT), Some(sum));
    }
}
