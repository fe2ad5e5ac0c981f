//! LEVEL_BASED against Slurm 14.11.0pre3 itself.

use crate::support::slurm::{Case, cases};
use fairscope::model::Settings;
use fairscope::policy::{ColumnId, Evaluation, Policy, Value};
use std::collections::BTreeMap;

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
}

fn levels_of(table: &str) -> u8 {
    let number = table.trim_start_matches("level-").trim_end_matches(".tsv");
    number.parse().expect("the table names its levels")
}

fn evaluated(case: &Case, levels: u8) -> Evaluation {
    let mut settings = Settings::default();
    settings.slurm.priority_levels = Some(levels);
    Policy::LevelBased.evaluate(&case.tree, &settings)
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

#[test]
fn golden_every_number_is_slurms() {
    let mut tallies: BTreeMap<u8, Tally> = BTreeMap::new();
    let mut words = Tally::default();
    let (mut nodes, mut units) = (0, 0);
    for case in cases() {
        for table in case.tables("level-") {
            let levels = levels_of(&table);
            let evaluation = evaluated(&case, levels);
            let tally = tallies.entry(levels).or_default();
            for row in case.table(&table) {
                let doubles = [
                    (ColumnId::Usage, "usage_raw"),
                    (ColumnId::NormShares, "shares_norm"),
                    (ColumnId::EffectvUsage, "usage_efctv"),
                    (ColumnId::Factor, "factor"),
                ];
                let doubles = doubles.map(|(column, name)| (column, name, row.number(name).map(f64::to_bits)));
                let counts = [(ColumnId::Level, "level"), (ColumnId::SchedulerRank, "rank")];
                let counts = counts.map(|(column, name)| (column, name, row.count(name)));
                for (column, name, expected) in doubles.into_iter().chain(counts) {
                    let computed = bits(evaluation.value(column, row.node));
                    tally.count(computed == expected, || {
                        format!("{} {table} {name} {:?}: {computed:x?}, not {expected:x?}", case.name, row.node)
                    });
                }
                nodes += u64::from(levels == 1);
                let mut differs = false;
                for (column, name) in [(ColumnId::LevelFsWord, "level_fs"), (ColumnId::PriorityFsRaw, "priority_fs_raw")] {
                    let expected = row.word(name);
                    let computed = bits(evaluation.value(column, row.node));
                    let tally = if levels == 1 { &mut words } else { &mut *tally };
                    tally.count(computed == expected, || {
                        format!("{} {table} {name} {:?}: {computed:x?}, not {expected:x?}", case.name, row.node)
                    });
                    if levels == 1 && computed != expected {
                        differs = true;
                        units = units.max(computed.unwrap().abs_diff(expected.unwrap()));
                    }
                }
                let _ = differs;
            }
        }
    }
    for (levels, tally) in &tallies {
        println!("PriorityLevels={levels}: {} numbers compared, {} differ", tally.compared, tally.differing);
        println!("{}", tally.complaints.join("\n"));
    }
    println!("PriorityLevels=1: {} words of {nodes} nodes compared, {} differ by at most {units}", words.compared, words.differing);
    println!("{}", words.complaints.join("\n"));
    assert!(tallies.values().all(|tally| tally.differing == 0));
}
