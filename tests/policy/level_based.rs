//! LEVEL_BASED against Slurm 14.11.0pre3 itself, and its rules one by one.

use crate::support::slurm::{Case, Row, cases};
use fairscope::model::{
    Kind, NodeId, Position, Settings, Shares, Snapshot, Tree, TreeBuilder, Usage,
};
use fairscope::policy::extended::Extended;
use fairscope::policy::level_based::{Buckets, Filling, factor, levels};
use fairscope::policy::{ColumnId, Evaluation, Policy, Value};
use std::collections::{BTreeMap, HashMap};

/// How many numbers were compared, and how many differ.
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
    // Seventeen digits may be written for 64 bits; the last is 0 then.
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

/// Whether Slurm had usage that a double cannot hold, so that our tree is not quite the one it saw.
fn has_finer_usage(case: &Case, rows: &[Row]) -> bool {
    let is_finer = |row: &Row| {
        let usage = usage_of(row);
        Extended::from_f64(usage.to_f64()) != Some(usage)
    };
    rows.iter()
        .any(|row| case.tree.kind(row.node) == Kind::User && is_finer(row))
}

#[test]
fn golden_every_number_is_slurms() {
    let mut tallies: BTreeMap<u8, Tally> = BTreeMap::new();
    let mut finer = Tally::default();
    for case in cases() {
        for table in case.tables("level-") {
            let levels = levels_of(&table);
            let evaluation = evaluated(&case.tree, levels);
            let tally = tallies.entry(levels).or_default();
            let rows = case.table(&table);
            let has_finer_usage = has_finer_usage(&case, &rows);
            for row in &rows {
                let number = |name| row.number(name).map(f64::to_bits);
                let usage = number("usage_efctv");
                let mut expected = vec![
                    (ColumnId::Usage, number("usage_raw")),
                    (ColumnId::NormShares, number("shares_norm")),
                    (ColumnId::Level, row.count("level")),
                    (ColumnId::SchedulerRank, row.count("rank")),
                    (ColumnId::Factor, number("factor")),
                ];
                if has_finer_usage {
                    let computed = bits(evaluation.value(ColumnId::EffectvUsage, row.node));
                    let apart = computed.unwrap().abs_diff(usage.unwrap());
                    finer.count(apart == 0, || {
                        format!("{} {table} {:?}", case.name, row.node)
                    });
                    assert!(apart <= 1, "{} {table} {:?}", case.name, row.node);
                } else {
                    expected.push((ColumnId::EffectvUsage, usage));
                }
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
    finer.report("EffectvUsage where Slurm's usage fits no double, at most one unit apart");
}

/// With one bucket of 64 bits every last bit of `powl` shows, and those of the processor's `f2xm1` are not all
/// followed. Nothing but the words may differ, and they by no more than 1.
#[test]
fn golden_a_bucket_of_64_bits_is_slurms_but_for_the_last_bit_of_f2xm1() {
    let (mut own, mut raw) = (Tally::default(), Tally::default());
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
                }
            }
        }
    }
    own.report("PriorityLevels=1, level_fs");
    raw.report("PriorityLevels=1, priority_fs_raw");
}

#[test]
fn golden_accounts_hold_the_long_doubles_of_their_users() {
    let (mut sums, mut quotients) = (Tally::default(), Tally::default());
    for case in cases() {
        let rows = case.table("level-4.tsv");
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
            // What the case states for an account is taken as given.
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
