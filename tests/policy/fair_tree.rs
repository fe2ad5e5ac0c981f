//! Fair Tree compared with the real plugin's numbers, and the differences between its document and the plugin.

use crate::support::associations::drawn;
use crate::support::growth::{Sprout, grown};
use crate::support::slurm::{Row, cases};
use fairscope::base::extended::Extended;
use fairscope::model::{Kind, NodeId, Position, Settings, Shares, TieOrder, Tree, TreeBuilder};
use fairscope::rules::policy::{ColumnId, Evaluation, Policy};
use proptest::collection::vec;
use proptest::prelude::*;

/// The golden columns with exact floats, and our columns.
const NUMBERS: [(&str, ColumnId); 6] = [
    ("shares_norm", ColumnId::NormShares),
    ("usage_raw", ColumnId::Usage),
    ("usage_norm", ColumnId::NormUsage),
    ("usage_efctv", ColumnId::EffectvUsage),
    ("level_fs", ColumnId::LevelFs),
    ("factor", ColumnId::Factor),
];

fn evaluated(tree: &Tree) -> Evaluation {
    Policy::FairTree.evaluate(tree, &Settings::default())
}

/// A number of the real plugin; `None` for its mark for "no value".
fn shown(row: &Row, column: &str) -> Option<f64> {
    let number = row.number(column)?;
    let is_mark = column == "level_fs"
        && row.text("type") == Some("acct")
        && row.text("shares_raw") == Some("parent");
    if is_mark {
        assert_eq!(number.to_bits(), 4_294_967_294.0_f64.to_bits());
        return None;
    }
    Some(number)
}

#[test]
fn golden_numbers_equal_the_real_plugins_bit_for_bit() {
    let (mut tables, mut compared) = (0, 0);
    let mut different = Vec::new();
    for case in cases() {
        for file in case.tables("fairtree") {
            let rows = case.table(&file);
            let evaluation = evaluated(&case.tree);
            if rows.is_empty() {
                println!(
                    "{} {file}: the real program crashed, nothing to compare",
                    case.name
                );
                continue;
            }
            tables += 1;
            assert_eq!(rows.len(), case.tree.node_count(), "{}", case.name);
            for row in &rows {
                for (column, id) in NUMBERS {
                    compared += 1;
                    let ours = evaluation.number(id, row.node);
                    let (ours, theirs) =
                        (ours.map(f64::to_bits), shown(row, column).map(f64::to_bits));
                    if ours != theirs {
                        let name = row.text("name");
                        different.push(format!(
                            "{} {name:?} {column}: {ours:x?} {theirs:x?}",
                            case.name
                        ));
                    }
                }
                compared += 1;
                let ours = evaluation.number(ColumnId::SchedulerRank, row.node);
                let theirs = row.count("rank").map(|rank| rank as f64);
                if ours != theirs {
                    let name = row.text("name");
                    different.push(format!("{} {name:?} rank: {ours:?} {theirs:?}", case.name));
                }
            }
        }
    }
    println!(
        "{tables} tables, {compared} numbers compared, {} differ",
        different.len()
    );
    assert!(different.is_empty(), "{different:#?}");
}

#[test]
fn a_lone_root_has_no_users_and_no_ranks() {
    let tree = TreeBuilder::new(b"root").build();
    for policy in [Policy::FairTree, Policy::FairTreeDocumented] {
        let evaluation = policy.evaluate(&tree, &Settings::default());
        assert_eq!(evaluation.user_count(), 0);
        assert_eq!(evaluation.number(ColumnId::LevelFs, NodeId::ROOT), None);
        assert_eq!(
            evaluation.number(ColumnId::EffectvUsage, NodeId::ROOT),
            Some(1.0)
        );
    }
}

/// A root with users of these shares and this usage.
fn flat(users: &[(u32, f64)]) -> Tree {
    let mut builder = TreeBuilder::new(b"root");
    for (index, &(shares, usage)) in users.iter().enumerate() {
        let name = builder.intern(format!("u{index}").as_bytes());
        let user = builder.push(NodeId::ROOT, name, Kind::User, Position::Last);
        builder.set_shares(user, Shares::new(i64::from(shares)));
        builder.record(user, usage, true);
    }
    builder.build()
}

proptest! {
    #![proptest_config(crate::support::laws(64))]

    #[test]
    fn every_number_equals_the_80_bit_number_rounded_once(
        users in vec((1_u32..1_000_000, prop_oneof![
            (0_u32..u32::MAX).prop_map(f64::from),
            (1_u64..1 << 53).prop_map(|bits| bits as f64 / 4_294_967_296.0),
            1e-300..1e300_f64,
            Just(f64::MIN_POSITIVE),
            Just(f64::MAX),
        ]), 1..300),
    ) {
        let tree = flat(&users);
        let evaluation = evaluated(&tree);
        let wide = |number: f64| Extended::from_f64(number).expect("a finite number");
        // Slurm reads usage from text, so this does too.
        let read = |usage: f64| Extended::from_decimal(&format!("{usage:e}")).unwrap_or_else(|| wide(usage));
        let total = users.iter().fold(Extended::ZERO, |sum, &(_, usage)| sum.plus(read(usage)));
        let shares: u32 = users.iter().map(|&(shares, _)| shares).fold(0, u32::wrapping_add);
        for (&node, &(own, usage)) in tree.nodes()[1..].iter().zip(&users) {
            let used = read(usage).over(total).unwrap_or(Extended::ZERO);
            let share = wide(f64::from(own) / f64::from(shares));
            let level_fs = share.over(used).map_or(f64::INFINITY, Extended::to_f64);
            let bits = |column| evaluation.number(column, node).map(f64::to_bits);
            prop_assert_eq!(bits(ColumnId::EffectvUsage), Some(used.to_f64().to_bits()));
            prop_assert_eq!(bits(ColumnId::NormUsage), Some(used.to_f64().to_bits()));
            prop_assert_eq!(bits(ColumnId::LevelFs), Some(level_fs.to_bits()));
        }
    }
}

/// The users by rank under a policy; tied users are joined, in tree order.
fn order(policy: Policy, drawing: &str) -> String {
    let snapshot = drawn(drawing);
    let tree = &snapshot.tree;
    let evaluation = policy.evaluate(tree, &Settings::default());
    let mut order = String::new();
    let mut last = None;
    let mut users = tree.nodes().to_vec();
    users.retain(|&node| evaluation.rank(node).is_some());
    users.sort_by_key(|&node| evaluation.rank(node));
    for node in users {
        let rank = evaluation.rank(node);
        if last.is_some() {
            order.push(if rank == last { '=' } else { ' ' });
        }
        order += &String::from_utf8_lossy(tree.name(node));
        last = rank;
    }
    order
}

fn orders(drawing: &str) -> [String; 2] {
    [Policy::FairTree, Policy::FairTreeDocumented].map(|policy| order(policy, drawing))
}

#[test]
fn the_document_merges_tied_accounts_but_the_plugin_does_not() {
    let tied = "
a/ 1
  a1 1 | 2
  a2 1 | 8
b/ 1
  b1 1 | 4
  b2 1 | 6
";
    // The Level FS is 1.25 for b1 and 0.625 for a2.
    assert_eq!(orders(tied), ["a1 a2=b1 b2", "a1 b1 b2 a2"]);
}

#[test]
fn merged_accounts_merge_again_at_the_next_level() {
    let nested = "
a/ 1
  aa/ 1
    u1 1 | 2
    u2 1 | 8
b/ 1
  bb/ 1
    u3 1 | 4
    u4 1 | 6
";
    assert_eq!(orders(nested), ["u1 u2=u3 u4", "u1 u3 u4 u2"]);
}

#[test]
fn a_user_that_ties_with_an_account_shares_its_best_rank() {
    let tied = "
a/ 2
  a1 1 | 3
  a2 1 | 1
u 1 | 2
";
    assert_eq!(orders(tied), ["a2=u a1", "a2=u a1"]);
    // The plugin stops at the account without users; the document does not mention this.
    let behind_nobody = "
a/ 2
  a0/ 2
  a1 2 | 3
  a2 1 | 1
u 1 | 2
";
    assert_eq!(orders(behind_nobody), ["u a2 a1", "a2=u a1"]);
}

#[test]
fn an_account_without_users_passes_its_tie_to_the_next_ranked_user() {
    let tied = "
a/ 1 | 5
b/ 1
  b1 1 | 5
c/ 8
  c1 1 | 1
";
    assert_eq!(orders(tied), ["b1=c1", "c1 b1"]);
}

#[test]
fn children_of_parent_accounts_compete_one_level_up() {
    let passed = "
a/ parent
  a1 3 | 1
  p/ parent
    p1 1 | 1
u 1 | 2
v parent | 9
";
    assert_eq!(orders(passed), ["v a1 p1 u", "v a1 p1 u"]);
}

#[test]
fn tied_accounts_below_parent_accounts_are_visited_in_slurms_list_order() {
    let tied = "
x/ parent
  z/ 1
    z1 1 | 1
    z2 2 | 1
a/ 1
  a1 1 | 1
  a2 2 | 1
";
    assert_eq!(order(Policy::FairTree, tied), "a2 z2=a1 z1");
    let snapshot = drawn(tied);
    let mut settings = Settings::default();
    settings.slurm.tie_order = TieOrder::Newest;
    let evaluation = Policy::FairTree.evaluate(&snapshot.tree, &settings);
    let named = |name: &[u8]| {
        let mut nodes = snapshot.tree.nodes().iter();
        nodes.find(|&&node| snapshot.tree.name(node) == name)
    };
    // The account that was added last is listed first.
    assert_eq!(evaluation.rank(*named(b"a2").expect("a user")), Some(1));
    settings.slurm.tie_order = TieOrder::Lineage;
    assert_eq!(
        Policy::FairTree.evaluate(&snapshot.tree, &settings),
        Policy::FairTree.evaluate(&snapshot.tree, &Settings::default())
    );
}

#[test]
fn without_usage_or_shares_all_users_tie() {
    assert_eq!(orders("u 1\nv 2\nw 3"), ["u=v=w", "u=v=w"]);
    assert_eq!(orders("u 0 | 1\nv 0 | 2\nw 0"), ["u=v=w", "u=v=w"]);
    assert_eq!(orders("u 0 | 1\nv 1"), ["v u", "v u"]);
}

#[test]
fn a_level_fs_equal_to_the_no_value_mark_ties_at_the_start() {
    // The plugin begins every list by comparing with 4294967294, its mark for "no value".
    let by_chance = "
a/ 8 | 4294967294
  u 1 | 1
v 1 | 1
";
    let [implemented, documented] = orders(by_chance);
    assert_eq!((&*implemented, &*documented), ("u=v", "v u"));
}

#[test]
fn deep_chains_of_tied_accounts_are_ranked() {
    let mut builder = TreeBuilder::new(b"root");
    let mut above = NodeId::ROOT;
    for _ in 0..20_000 {
        let name = builder.intern(b"a");
        let account = builder.push(above, name, Kind::Account, Position::Last);
        builder.set_shares(account, Shares::new(1));
        let name = builder.intern(b"b");
        let other = builder.push(above, name, Kind::Account, Position::Last);
        builder.set_shares(other, Shares::new(1));
        let name = builder.intern(b"u");
        let user = builder.push(other, name, Kind::User, Position::Last);
        builder.set_shares(user, Shares::new(1));
        above = account;
    }
    let tree = builder.build();
    for policy in [Policy::FairTree, Policy::FairTreeDocumented] {
        let evaluation = policy.evaluate(&tree, &Settings::default());
        assert_eq!(evaluation.user_count(), 20_000);
    }
}

/// A tree of accounts and users; each row gives the account above, the kind, shares and usage.
fn tree_of(rows: &[(usize, bool, u32, u32)]) -> Tree {
    grown(rows.len(), |number, accounts| {
        let (above, is_account, shares, usage) = rows[number];
        // Shares are distinct and usage is odd and large, so ties are rare.
        let shares = i64::from(shares) * 1_000 + i64::try_from(number).expect("a few") + 1;
        Sprout {
            account: above % accounts,
            kind: if is_account {
                Kind::Account
            } else {
                Kind::User
            },
            shares: Shares::new(shares),
            usage: Some(f64::from(usage) * 2.0 + 1.0),
        }
    })
}

proptest! {
    #![proptest_config(crate::support::laws(128))]

    #[test]
    fn both_variants_agree_without_ties(
        rows in vec((0_usize..40, any::<bool>(), 0_u32..1_000_000, 0_u32..1 << 31), 1..120),
    ) {
        let tree = tree_of(&rows);
        let implemented = Policy::FairTree.evaluate(&tree, &Settings::default());
        let mut seen = std::collections::HashSet::new();
        let ties = tree.nodes()[1..].iter().any(|&node| {
            let level_fs = implemented.number(ColumnId::LevelFs, node).map(f64::to_bits);
            !seen.insert((tree.parent(node), level_fs))
        });
        prop_assume!(!ties);
        let documented = Policy::FairTreeDocumented.evaluate(&tree, &Settings::default());
        prop_assert_eq!(implemented, documented);
    }
}
