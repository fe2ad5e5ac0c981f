//! From the scheduler's files to JSON: every number equals the one in the real scheduler.

use crate::support::command::Run;
use crate::support::golden;
use crate::support::json::{node_lines, number};
use serde_json::Value;

/// The columns of JSON and the names of the same numbers in the golden files.
const SINGLES: [(&str, &str); 3] = [
    ("group_percentage", "group_percentage_bits"),
    ("fairshare_perc", "tree_percentage_bits"),
    ("fairshare_tree_usage", "usage_factor_bits"),
];
const DOUBLES: [(&str, &str); 3] = [
    ("usage", "usage_bits"),
    ("fairshare_factor", "fairshare_factor_bits"),
    ("usage_over_perc", "usage_over_perc_bits"),
];

/// Returns the differences between a case and the output of `show`, and how many numbers were compared.
fn compare(case: &std::path::Path) -> (usize, Vec<String>) {
    let golden = std::fs::read_to_string(case.join("nodes.jsonl")).expect("it is there");
    let ran = Run::fairscope(["show", "--format-out", "json"])
        .arg(case)
        .run();
    assert_eq!(ran.code, Some(0), "{}: {}", case.display(), ran.stderr);
    let shown = ran.text();
    let nodes = node_lines(&shown);
    let mut differences = Vec::new();
    let mut compared = 0;
    if golden.lines().count() != nodes.len() {
        differences.push(format!("{}: {} nodes", case.display(), nodes.len()));
    }
    for (line, node) in golden.lines().zip(nodes) {
        let real: Value = serde_json::from_str(line).expect("it is JSON");
        let bits = |name: &str| {
            let text = real[name].as_str().expect("bits are text");
            u64::from_str_radix(text, 16).expect("bits are hexadecimal")
        };
        let mut hold = |column: &str, is_equal: bool| {
            compared += 1;
            if !is_equal {
                differences.push(format!("{}: {} of {line}", case.display(), column));
            }
        };
        // The compiler chooses the sign and payload of a NaN.
        for (column, name) in SINGLES {
            let ours: f32 = number(node, column).parse().expect("it is a number");
            let theirs = f32::from_bits(u32::try_from(bits(name)).expect("32 bits"));
            let is_equal = ours.to_bits() == theirs.to_bits() || ours.is_nan() && theirs.is_nan();
            hold(column, is_equal);
        }
        for (column, name) in DOUBLES {
            let ours: f64 = number(node, column).parse().expect("it is a number");
            let theirs = f64::from_bits(bits(name));
            let is_equal = ours.to_bits() == theirs.to_bits() || ours.is_nan() && theirs.is_nan();
            hold(column, is_equal);
        }
    }
    (compared, differences)
}

#[test]
fn golden_cases_reach_json_bit_for_bit() {
    let Some(folder) = golden("pbs") else {
        return;
    };
    let mut cases: Vec<_> = std::fs::read_dir(folder)
        .expect("it can be listed")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join("nodes.jsonl").exists() && path.join("resource_group").exists())
        .collect();
    cases.sort();
    let mut compared = 0;
    let mut differences = Vec::new();
    for case in &cases {
        let (count, different) = compare(case);
        compared += count;
        differences.extend(different);
    }
    println!(
        "{compared} numbers of {} cases compared, {} differ",
        cases.len(),
        differences.len()
    );
    differences.truncate(20);
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
