//! LEVEL_BASED compared with Slurm 14.11.0pre3, and a test of each of its rules.

use crate::support::associations::drawn;
use crate::support::slurm::{Row, cases};
use fairscope::base::extended::Extended;
use fairscope::base::number::Value;
use fairscope::model::{
    Kind, NodeId, Position, Settings, Shares, Snapshot, Tree, TreeBuilder, Usage,
};
use fairscope::rules::policy::level_based::{BucketFunction, Buckets, factor, levels};
use fairscope::rules::policy::{ColumnId, Evaluation, Policy};
use proptest::prelude::*;
use std::collections::{BTreeMap, HashMap};

/// Counts of compared and of differing numbers.
#[derive(Default)]
struct Tally {
    compared: u64,
    differing: u64,
    complaints: Vec<String>,
}

impl Tally {
    fn count(&mut self, is_same: bool, complaint: impl FnOnce() -> String) {
        self.compared += 1;
        if !is_same {
            self.differing += 1;
            if self.complaints.len() < 10 {
                self.complaints.push(complaint());
            }
        }
    }

    fn report(&self, what: &str) {
        println!(
            "{what}: {} numbers compared, {} differ",
            self.compared, self.differing
        );
        for complaint in &self.complaints {
            println!("  {complaint}");
        }
    }
}

fn levels_of(table: &str) -> u8 {
    let number = table.trim_start_matches("level-").trim_end_matches(".tsv");
    number.parse().expect("the table names its levels")
}

fn evaluated(tree: &Tree, levels: u8) -> Evaluation {
    let mut settings = Settings::default();
    settings.slurm.priority_levels = Some(levels);
    Policy::LevelBased.evaluate(tree, &settings)
}

/// The bits of a number, so that numbers are compared exactly.
fn bits(value: Value) -> Option<u64> {
    match value {
        Value::Double(number) => Some(number.to_bits()),
        Value::Count(count) => Some(count.unsigned_abs()),
        Value::Word(word) => Some(word),
        _ => None,
    }
}

/// A hexadecimal float with up to 64 bits of mantissa, exactly.
fn long_double(text: &str) -> Extended {
    let digits = text.strip_prefix("0x").expect("a hexadecimal float");
    let (digits, exponent) = digits.split_once('p').expect("an exponent");
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    // 64 bits may be written with seventeen digits; the last is then 0.
    let mantissa = u128::from_str_radix(&format!("{whole}{fraction}"), 16).expect("digits");
    let zeros = mantissa.trailing_zeros().min(127);
    let mantissa = u64::try_from(mantissa >> zeros).expect("at most 64 bits");
    let exponent: i32 = exponent.parse().expect("an exponent");
    let exponent = exponent - 4 * i32::try_from(fraction.len()).expect("a few digits");
    Extended::from_u64(mantissa).scaled(exponent + zeros.cast_signed())
}

fn usage_of(row: &Row) -> Extended {
    long_double(row.text("usage_raw_x").expect("every node has usage"))
}

#[test]
fn golden_every_number_equals_slurms() {
    let mut tallies: BTreeMap<u8, Tally> = BTreeMap::new();
    for case in cases() {
        for table in case.tables("level-") {
            let levels = levels_of(&table);
            let evaluation = evaluated(&case.tree, levels);
            let tally = tallies.entry(levels).or_default();
            for row in &case.table(&table) {
                let number = |name| row.number(name).map(f64::to_bits);
                let mut expected = vec![
                    (ColumnId::Usage, number("usage_raw")),
                    (ColumnId::NormShares, number("shares_norm")),
                    (ColumnId::Level, row.count("level")),
                    (ColumnId::SchedulerRank, row.count("rank")),
                    (ColumnId::Factor, number("factor")),
                    (ColumnId::EffectvUsage, number("usage_efctv")),
                ];
                if levels > 1 {
                    expected.push((ColumnId::LevelFsWord, row.word("level_fs")));
                    expected.push((ColumnId::PriorityFsRaw, row.word("priority_fs_raw")));
                }
                for (column, expected) in expected {
                    let computed = bits(evaluation.value(column, row.node));
                    tally.count(computed == expected, || {
                        format!(
                            "{} {table} {column:?} {:?}: {computed:x?}, not {expected:x?}",
                            case.name, row.node
                        )
                    });
                }
            }
        }
    }
    for (levels, tally) in &tallies {
        tally.report(&format!("PriorityLevels={levels}"));
        assert_eq!(tally.differing, 0);
    }
}

/// One bucket of 64 bits shows the last bit of `powl`, which depends on the processor's `f2xm1`. Only marked words may
/// differ, and by at most 1.
#[test]
fn golden_64_bit_buckets_equal_slurms_except_for_the_last_bit_of_f2xm1() {
    let (mut own, mut raw, mut marked) = (Tally::default(), Tally::default(), 0);
    for case in cases() {
        for table in case.tables("level-1.") {
            let evaluation = evaluated(&case.tree, 1);
            for row in case.table(&table) {
                let words = [
                    (&mut own, ColumnId::LevelFsWord, "level_fs"),
                    (&mut raw, ColumnId::PriorityFsRaw, "priority_fs_raw"),
                ];
                for (tally, column, name) in words {
                    let computed = bits(evaluation.value(column, row.node));
                    let expected = row.word(name);
                    tally.count(computed == expected, || {
                        format!(
                            "{} {:?} {computed:x?}, not {expected:x?}",
                            case.name, row.node
                        )
                    });
                    assert_eq!(computed.is_some(), expected.is_some());
                    let apart = computed.unwrap_or(0).abs_diff(expected.unwrap_or(0));
                    assert!(apart <= 1, "{} {:?}", case.name, row.node);
                    let is_marked = evaluation.is_open_word(row.node);
                    marked += usize::from(is_marked);
                    assert!(apart == 0 || is_marked, "{} {:?}", case.name, row.node);
                    let bound = |column| bits(evaluation.value(column, row.node));
                    let least = bound(ColumnId::PriorityFsRawLeast);
                    let most = bound(ColumnId::PriorityFsRawMost);
                    if let (true, Some(least), Some(most), ColumnId::PriorityFsRaw) =
                        (is_marked, least, most, column)
                    {
                        assert!(
                            (least..=most).contains(&expected.unwrap_or(0)),
                            "{} {:?}",
                            case.name,
                            row.node
                        );
                    }
                }
            }
        }
    }
    own.report("PriorityLevels=1, level_fs");
    raw.report("PriorityLevels=1, priority_fs_raw");
    println!("PriorityLevels=1: {} words are marked", marked / 2);
}

#[test]
fn golden_accounts_hold_the_long_doubles_of_their_users() {
    let (mut sums, mut quotients) = (Tally::default(), Tally::default());
    for case in cases() {
        let tables = case.tables("level-");
        let Some(table) = tables.first() else {
            println!("skipped: {} was not run with LEVEL_BASED", case.name);
            continue;
        };
        let rows = case.table(table);
        let usage: HashMap<NodeId, Extended> =
            rows.iter().map(|row| (row.node, usage_of(row))).collect();
        let mut added: HashMap<NodeId, Extended> = HashMap::new();
        for row in &rows {
            let here = row.node;
            let mut above = case.tree.parent(here);
            if case.tree.kind(here) == Kind::User {
                while let Some(account) = above {
                    let sum = added.entry(account).or_insert(Extended::ZERO);
                    *sum = sum.plus(usage[&here]);
                    above = case.tree.parent(account);
                }
            }
        }
        for row in &rows {
            let Some(sum) = added.get(&row.node) else {
                continue;
            };
            // Usage stated by the case for an account is taken as given.
            if case.tree.usage(row.node) == Usage::NONE {
                sums.count(*sum == usage[&row.node], || {
                    format!("{} {:?}", case.name, row.node)
                });
            }
        }
        for row in &rows {
            let Some(mut home) = case.tree.parent(row.node) else {
                continue;
            };
            while case.tree.shares(home).is_parent() {
                home = case.tree.parent(home).expect("the root has shares");
            }
            let quotient = usage[&row.node]
                .over(usage[&home])
                .unwrap_or(Extended::ZERO);
            quotients.count(
                row.number("usage_efctv").map(f64::to_bits) == Some(quotient.to_f64().to_bits()),
                || format!("{} {:?}", case.name, row.node),
            );
        }
    }
    sums.report("accounts' sums in 64-bit mantissas");
    quotients.report("usage of the level from Slurm's own long doubles");
    assert_eq!((sums.differing, quotients.differing), (0, 0));
}

/// The raw words by path, with this number of levels.
fn words(drawing: &str, levels: u8) -> Vec<(String, u64)> {
    let tree = drawn(drawing).tree;
    let evaluation = evaluated(&tree, levels);
    let word = |node| bits(evaluation.value(ColumnId::PriorityFsRaw, node)).unwrap();
    tree.nodes()
        .iter()
        .skip(1)
        .map(|&node| {
            (
                String::from_utf8_lossy(tree.name(node)).into_owned(),
                word(node),
            )
        })
        .collect()
}

fn word(drawing: &str, levels: u8, name: &str) -> u64 {
    let words = words(drawing, levels);
    words
        .iter()
        .find(|(other, _)| other == name)
        .expect("a node")
        .1
}

fn ranks(drawing: &str, levels: u8) -> Vec<(String, u32, f64)> {
    let tree = drawn(drawing).tree;
    let evaluation = evaluated(&tree, levels);
    let rank = |node: &NodeId| {
        let name = String::from_utf8_lossy(tree.name(*node)).into_owned();
        let factor = evaluation.number(ColumnId::Factor, *node)?;
        Some((name, evaluation.rank(*node)?, factor))
    };
    tree.nodes().iter().filter_map(rank).collect()
}

#[test]
fn buckets_fill_the_word_from_the_highest_bits() {
    let layouts: [(u8, u32, u32, u64); 16] = [
        (1, 64, 0, u64::MAX),
        (2, 32, 0, 0xFFFF_FFFF),
        (3, 21, 1, 0x1F_FFFF),
        (4, 16, 0, 0xFFFF),
        (5, 12, 4, 0xFFF),
        (6, 10, 4, 0x3FF),
        (7, 9, 1, 0x1FF),
        (8, 8, 0, 0xFF),
        (9, 7, 1, 0x7F),
        (10, 6, 4, 0x3F),
        (11, 5, 9, 0x1F),
        (12, 5, 4, 0x1F),
        (13, 4, 12, 0xF),
        (14, 4, 8, 0xF),
        (15, 4, 4, 0xF),
        (16, 4, 0, 0xF),
    ];
    for (levels, width, unused, full) in layouts {
        let buckets = Buckets::for_levels(levels);
        assert_eq!(
            (buckets.width(), buckets.unused(), buckets.full()),
            (width, unused, full)
        );
        let all = (0..buckets.levels()).map(|level| full << buckets.shift(level).unwrap());
        let all: Vec<u64> = all.collect();
        assert_eq!(
            all.iter().fold(0, |word, bucket| word | bucket),
            u64::MAX << unused
        );
        assert_eq!(
            all.iter().map(|bucket| bucket.count_ones()).sum::<u32>(),
            64 - unused
        );
        assert_eq!(buckets.shift(buckets.levels()), None);
        assert_eq!(buckets.value(u64::MAX, buckets.levels() - 1), Some(full));
    }
    assert_eq!(Buckets::for_levels(0), Buckets::for_levels(1));
    assert_eq!(Buckets::for_levels(255), Buckets::for_levels(16));
}

#[test]
fn zero_shares_fill_the_bucket() {
    let tree = "
a/ 0
  ada 1 | 1000
b/ 1
  ben 1
";
    assert_eq!(word(tree, 4, "a"), 0xFFFF << 48);
    assert_eq!(word(tree, 4, "b"), 0xFFFF << 48, "no usage fills it too");
    assert_eq!(word(tree, 4, "ada"), 0xFFFF_8000 << 32);
}

#[test]
fn parent_shares_fill_a_users_bucket_and_skip_an_accounts() {
    let tree = "
a/ 1 | 100
  pass/ parent
    ada parent | 10
    ann 1 | 90
  abe 1
";
    let own = word(tree, 2, "a");
    assert_eq!(own & 0xFFFF_FFFF, 0);
    assert_eq!(word(tree, 2, "pass"), own);
    assert_eq!(word(tree, 2, "ada"), own | 0xFFFF_FFFF);
    assert_eq!(word(tree, 2, "abe"), own | 0xFFFF_FFFF);
    // S = 1/2, U = 9/10: the shares and usage of the skipped account compete directly with the others.
    let function = BucketFunction::new(Buckets::for_levels(2));
    assert_eq!(
        word(tree, 2, "ann") & 0xFFFF_FFFF,
        function.filling(0.5, 0.9).value
    );
}

#[test]
fn users_below_the_deepest_level_tie_within_their_account() {
    let tree = "
a/ 1
  b/ 1
    bob 1 | 10
    bea 9 | 1
c/ 1
  cat 1 | 100
";
    assert_eq!(
        ranks(tree, 2),
        [
            ("bob".to_owned(), 1, 2.0 / 3.0),
            ("bea".to_owned(), 1, 2.0 / 3.0),
            ("cat".to_owned(), 3, 0.0)
        ]
    );
    assert_ne!(word(tree, 3, "bob"), word(tree, 3, "bea"));
}

#[test]
fn overflowing_sums_of_shares_wrap() {
    let tree = drawn(
        "
a 4294967295 | 1
b 3 | 1
",
    )
    .tree;
    let evaluation = evaluated(&tree, 4);
    let share = |index| evaluation.number(ColumnId::NormShares, NodeId::from_index(index));
    assert_eq!(share(1), Some(4_294_967_295.0 / 2.0));
    assert_eq!(share(2), Some(3.0 / 2.0));
    assert!(
        evaluation
            .number(ColumnId::PriorityFsRaw, NodeId::from_index(1))
            .is_some()
    );
}

#[test]
fn users_of_a_tree_without_usage_tie() {
    let used = ranks("\na/ 1\n  ada 1\n  ann 5\nb/ 2\n  ben 1\n", 2);
    assert!(
        used.iter()
            .all(|(_, rank, factor)| *rank == 1 && factor.to_bits() == (2.0_f64 / 3.0).to_bits()),
        "{used:?}"
    );
    let shared = ranks("\na/ 0\n  ada 0 | 3\n  ann 0 | 9\nb/ 0\n  ben 0 | 1\n", 2);
    assert!(shared.iter().all(|(_, rank, _)| *rank == 1), "{shared:?}");
}

#[test]
fn a_single_user_ranks_first_with_factor_zero() {
    assert_eq!(ranks("\nada 1 | 5\n", 4), [("ada".to_owned(), 1, 0.0)]);
}

#[test]
fn a_lone_root_has_only_a_word() {
    let tree = TreeBuilder::new(b"root").build();
    let evaluation = evaluated(&tree, 4);
    let value = |column| evaluation.value(column, NodeId::ROOT);
    assert_eq!(value(ColumnId::PriorityFsRaw), Value::Word(0));
    assert_eq!(value(ColumnId::EffectvUsage), Value::Double(1.0));
    for column in [
        ColumnId::Level,
        ColumnId::LevelFsWord,
        ColumnId::BucketFactor,
        ColumnId::SchedulerRank,
        ColumnId::Factor,
        ColumnId::Rank,
    ] {
        assert_eq!(value(column), Value::Null, "{column:?}");
    }
    assert_eq!(levels(&tree, &Settings::default()), 1);
}

#[test]
fn levels_are_limited_to_the_depth_of_fair_share() {
    let levels_of = |drawing| levels(&drawn(drawing).tree, &Settings::default());
    assert_eq!(levels_of("\nada 1\n"), 1);
    assert_eq!(levels_of("\na/ 1\n  b/ 1\n    bob 1\n"), 3);
    assert_eq!(levels_of("\na/ 1\n  b/ parent\n    bob 1\n"), 2);
    let mut builder = TreeBuilder::new(b"root");
    let mut account = NodeId::ROOT;
    for _ in 0..100_000 {
        let name = builder.intern(b"deep");
        account = builder.push(account, name, Kind::Account, Position::Last);
        builder.set_shares(account, Shares::new(1));
    }
    let tree = builder.build();
    assert_eq!(levels(&tree, &Settings::default()), 16);
    let evaluation = evaluated(&tree, 16);
    assert_eq!(
        evaluation.value(ColumnId::PriorityFsRaw, account),
        Value::Word(u64::MAX)
    );
}

#[test]
fn extreme_numbers_give_a_value() {
    let snapshot: Snapshot = drawn(
        "
a 1 | 1e308
b 1 | 1e308
c/ 1 | 5e-324
  cat 1 | 1e308
d/ 1 | -5
  dan 1 | -7
  dot 1 | 3
",
    );
    for levels in [1, 2, 16] {
        let evaluation = evaluated(&snapshot.tree, levels);
        let buckets = Buckets::for_levels(levels);
        for &node in &snapshot.tree.nodes()[1..] {
            let Value::Word(own) = evaluation.value(ColumnId::LevelFsWord, node) else {
                panic!("every node has a word");
            };
            let level = snapshot.tree.depth(node) - 1;
            match buckets.shift(level) {
                Some(shift) => assert_ne!(own >> shift, 0, "a bucket is never empty"),
                None => assert_eq!(own, 0),
            }
        }
    }
}

/// Shares and usage of a level, including round numbers, which lie on the edge between two values.
fn portions() -> impl Strategy<Value = (f64, f64)> {
    let part = || {
        prop_oneof![
            (0_u32..200, 1_u32..200).prop_map(|(part, whole)| f64::from(part) / f64::from(whole)),
            (any::<u32>(), 1..u32::MAX)
                .prop_map(|(part, whole)| f64::from(part) / f64::from(whole)),
            0.0..1.0,
        ]
    };
    prop_oneof![
        (part(), part()),
        // U = S' in decimals: F is 1/2, and the value is whole except for rounding.
        (0_u32..=1000).prop_map(|permille| {
            let shares = f64::from(permille) / 1000.0;
            (shares, f64::from(1000 + 9 * permille) / 10_000.0)
        }),
        (part(), 0.0..1e4),
    ]
}

proptest! {
    #![proptest_config(crate::support::laws(4_000))]

    #[test]
    fn fast_and_exact_bucket_values_are_equal((shares, usage) in portions(), levels in 1_u8..=16) {
        let function = BucketFunction::new(Buckets::for_levels(levels));
        let fast = function.filling(shares, usage);
        let exact = function.exact_filling(shares, usage);
        prop_assert_eq!((fast.least, fast.value, fast.most), (exact.least, exact.value, exact.most));
    }

    #[test]
    fn factors_equal_the_quotient_of_long_doubles((counter, users) in (1..u32::MAX).prop_flat_map(|users| (0..users, Just(users)))) {
        let ranked = Extended::from_u64(counter.into()).scaled(64).over(Extended::from_u64(users.into())).unwrap().whole();
        let quotient = Extended::from_u64(ranked).over(Extended::from_u64(u64::MAX)).unwrap();
        prop_assert_eq!(factor(counter, users).to_bits(), quotient.to_f64().to_bits());
    }
}
