//! Fair Tree against the real plugin's numbers, and what sets the document apart from it.

use crate::support::slurm::{Row, cases};
use fairscope::model::{Kind, NodeId, Position, Settings, Shares, TreeBuilder};
use fairscope::policy::extended::Extended;
use fairscope::policy::{ColumnId, Evaluation, Policy};
use proptest::collection::vec;
use proptest::prelude::*;

/// The golden columns that hold exact floats, and ours.
const NUMBERS: [(&str, ColumnId); 6] = [
    ("shares_norm", ColumnId::NormShares),
    ("usage_raw", ColumnId::Usage),
    ("usage_norm", ColumnId::NormUsage),
    ("usage_efctv", ColumnId::EffectvUsage),
    ("level_fs", ColumnId::LevelFs),
    ("factor", ColumnId::Factor),
];

fn evaluated(tree: &fairscope::model::Tree) -> Evaluation {
    Policy::FairTree.evaluate(tree, &Settings::default())
}

/// What the real plugin has where it shows nothing: its mark for "no value".
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

/// Whether a float that is written exactly has more bits than a double.
fn is_beyond_double(text: &str) -> bool {
    let digits = text.trim_start_matches("0x");
    let digits = digits.split('p').next().expect("digits").replace('.', "");
    let mantissa = u64::from_str_radix(&digits, 16).expect("digits");
    mantissa > 0 && (mantissa >> mantissa.trailing_zeros()) >= 1 << 53
}

/// Whether the program was given usage that no double holds, and so no tree of ours.
fn is_given_more_than_doubles(rows: &[Row]) -> bool {
    let users = rows.iter().filter(|row| row.text("type") == Some("user"));
    let mut usage = users.filter_map(|row| row.text("usage_raw_x"));
    usage.any(is_beyond_double)
}

#[test]
fn golden_nodes_have_the_bits_of_the_real_plugin() {
    let (mut tables, mut compared) = (0, 0);
    let (mut off_by_one, mut given_more) = (0, 0);
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
            let is_given_more = is_given_more_than_doubles(&rows);
            assert_eq!(rows.len(), case.tree.node_count(), "{}", case.name);
            for row in &rows {
                for (column, ours) in NUMBERS {
                    compared += 1;
                    let ours = evaluation.number(ours, row.node).map(f64::to_bits);
                    let theirs = shown(row, column).map(f64::to_bits);
                    if is_given_more && column != "factor" {
                        given_more += 1;
                        let (ours, theirs) = (ours.unwrap_or(0), theirs.unwrap_or(0));
                        off_by_one += u32::from(ours.abs_diff(theirs) == 1);
                        assert!(ours.abs_diff(theirs) <= 1, "{} {column}", case.name);
                        continue;
                    }
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
    println!(
        "of those, {given_more} follow from usage that no double holds: {off_by_one} are off by one unit in the \
         last place, the ranks and factors agree"
    );
    assert!(different.is_empty(), "{different:#?}");
}

#[test]
fn a_root_alone_has_no_users_and_no_ranks() {
    let tree = fairscope::model::TreeBuilder::new(b"root").build();
    for policy in [Policy::FairTree, Policy::FairTreeDocumented] {
        let evaluation = policy.evaluate(&tree, &Settings::default());
        assert_eq!(evaluation.ranking(), []);
        assert_eq!(evaluation.number(ColumnId::LevelFs, NodeId::ROOT), None);
        assert_eq!(
            evaluation.number(ColumnId::EffectvUsage, NodeId::ROOT),
            Some(1.0)
        );
    }
}

/// A root with users of these shares and this usage.
fn flat(users: &[(u32, f64)]) -> fairscope::model::Tree {
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
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_number_is_the_80_bit_number_rounded_once(
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
        let total = users.iter().fold(Extended::ZERO, |sum, &(_, usage)| sum.plus(wide(usage)));
        let shares: u32 = users.iter().map(|&(shares, _)| shares).fold(0, u32::wrapping_add);
        for (&node, &(own, usage)) in tree.nodes()[1..].iter().zip(&users) {
            let used = wide(usage).over(total).unwrap_or(Extended::ZERO);
            let share = wide(f64::from(own) / f64::from(shares));
            let level_fs = share.over(used).map_or(f64::INFINITY, Extended::to_f64);
            let bits = |column| evaluation.number(column, node).map(f64::to_bits);
            prop_assert_eq!(bits(ColumnId::EffectvUsage), Some(used.to_f64().to_bits()));
            prop_assert_eq!(bits(ColumnId::NormUsage), Some(used.to_f64().to_bits()));
            prop_assert_eq!(bits(ColumnId::LevelFs), Some(level_fs.to_bits()));
        }
    }
}
