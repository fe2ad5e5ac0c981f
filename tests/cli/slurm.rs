//! Numbers of Slurm and Flux from a CSV source to JSON output.

use crate::support::command::Run;
use crate::support::expected::Expected as _;
use crate::support::json::{node_lines, number};
use crate::support::slurm::{Case, cases};
use crate::support::{data, golden};
use fairscope::model::path_of;
use std::collections::HashMap;

/// Returns the text of a number in our JSON.
fn written(number: Option<f64>) -> String {
    match number {
        None => "null".to_owned(),
        Some(f64::INFINITY) => "inf".to_owned(),
        Some(number) => format!("{number:?}"),
    }
}

/// Returns the numbers in the JSON of each node, by path.
fn shown(case: &Case, arguments: &[&str]) -> HashMap<String, String> {
    let json = Run::fairscope(["show", "-", "--format", "csv", "--format-out", "json"])
        .args(arguments)
        .input(case.csv.as_bytes())
        .run()
        .text();
    let path = |line: &str| {
        let start = line.find('"').expect("a key") + "\"path\": \"".len();
        let rest = &line[start..];
        rest[..rest.find('"').expect("an end")].to_owned()
    };
    node_lines(&json)
        .into_iter()
        .map(|line| (path(line), line.to_owned()))
        .collect()
}

/// An algorithm: its golden tables, its command-line arguments, and its columns in both.
struct Algorithm {
    tables: &'static str,
    arguments: fn(&str) -> Vec<String>,
    numbers: &'static [(&'static str, &'static str)],
    words: &'static [&'static str],
}

const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        tables: "level-",
        arguments: |levels| {
            let set = format!("PriorityLevels={levels}");
            ["--policy", "level-based", "--set", &set]
                .map(str::to_owned)
                .to_vec()
        },
        numbers: &[
            ("norm_shares", "shares_norm"),
            ("effectv_usage", "usage_efctv"),
            ("factor", "factor"),
        ],
        words: &["level_fs", "priority_fs_raw"],
    },
    Algorithm {
        tables: "fairtree",
        arguments: |_| ["--policy", "fair-tree"].map(str::to_owned).to_vec(),
        numbers: &[
            ("norm_shares", "shares_norm"),
            ("effectv_usage", "usage_efctv"),
            ("factor", "factor"),
        ],
        words: &[],
    },
    Algorithm {
        tables: "classic-",
        arguments: |dampening| {
            let set = format!("FairShareDampeningFactor={dampening}");
            ["--policy", "classic", "--set", &set]
                .map(str::to_owned)
                .to_vec()
        },
        numbers: &[
            ("norm_shares", "shares_norm"),
            ("effectv_usage", "usage_efctv"),
        ],
        words: &[],
    },
];

#[test]
fn golden_numbers_reach_json_bit_for_bit() {
    for algorithm in ALGORITHMS {
        let (mut compared, mut different) = (0, Vec::new());
        for case in cases() {
            // The tests of each policy compare the largest cases in the same process.
            if case.tree.node_count() > 2000 {
                continue;
            }
            for table in case.tables(algorithm.tables) {
                let parameter = table
                    .trim_start_matches(algorithm.tables)
                    .trim_end_matches(".tsv");
                // With one level a word is as long as the mantissa. The tests of the policy check its last bit.
                if algorithm.tables == "level-" && parameter == "1" {
                    continue;
                }
                let rows = case.table(&table);
                let arguments = (algorithm.arguments)(parameter);
                let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
                let shown = shown(&case, &arguments);
                for row in &rows {
                    let path = path_of(&case.tree, row.node).expect("a shallow tree");
                    let line = &shown[&path];
                    let mut compare = |ours: &str, expected: String| {
                        compared += 1;
                        let found = number(line, ours);
                        if found != expected {
                            different.push(format!(
                                "{} {table} {path} {ours}: {found}, not {expected}",
                                case.name
                            ));
                        }
                    };
                    for &(ours, theirs) in algorithm.numbers {
                        compare(ours, written(row.number(theirs)));
                    }
                    for &word in algorithm.words {
                        let expected = row.text(word).unwrap_or("null");
                        compare(word, expected.to_owned());
                    }
                }
            }
        }
        println!(
            "{}: {compared} numbers compared, {} differ",
            algorithm.tables,
            different.len()
        );
        assert!(different.is_empty(), "{different:#?}");
    }
}

#[test]
fn users_excluded_by_a_policy_are_not_counted() {
    let csv = "parent,name,shares,usage,type,active\n\
               ,bob,1,5,user,1\n\
               ,idle,1,5,user,0\n\
               ,taken,parent,5,user,1\n";
    for (policy, count) in [("fair-tree", 3), ("tickets", 3), ("pbs", 2), ("flux", 1)] {
        for command in ["show", "rank"] {
            let json = Run::fairscope([command, "-", "--format", "csv", "--format-out", "json"])
                .args(["--policy", policy])
                .input(csv.as_bytes())
                .run()
                .text();
            let expected = format!("\"user_count\": {count},");
            assert!(json.contains(&expected), "{command} {policy}: {json}");
        }
    }
}

#[test]
fn the_factor_recorded_by_slurm_is_shown_first_where_it_is_more_accurate() {
    for (file, is_first) in [
        (
            "captures/17-stale-after-change/26.05/1-just-changed/sshare_al.txt",
            true,
        ),
        ("undecided/sshare_a_l_P.txt", false),
        ("three_levels/sshare_plain.txt", false),
        ("three_levels/sshare_a_l_P.txt", false),
    ] {
        let path = format!("tests/data/slurm/{file}");
        for command in ["show", "rank"] {
            let text = Run::fairscope([command, &path]).run().text();
            let heading = text.lines().next().expect("a heading");
            let columns: Vec<&str> = heading.split_whitespace().collect();
            let place = |name| columns.iter().position(|&column| column == name);
            let expected = is_first.then(|| place("Factor").expect("ours") - 1);
            assert_eq!(place("FairShare"), expected, "{command} {file}: {heading}");
        }
    }
}

#[test]
fn one_odd_number_in_any_output_of_the_controller_ends_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("assoc_mgr.txt");
    let key = "UsageRaw/Norm/Efctv=";
    for capture in [
        "slurm/live/assoc_mgr.txt",
        "slurm/captures/05-fairshare-parent/22.05/scontrol_show_assoc_mgr.txt",
        "slurm/captures/09-classic-damp5/26.05/scontrol_show_assoc_mgr.txt",
        "slurm/captures/14-partitions/24.11/scontrol_show_assoc_mgr.txt",
        "slurm/captures/17-stale-after-change/26.05/2-after-recalc/scontrol_show_assoc_mgr.txt",
    ] {
        let text = std::fs::read_to_string(data(capture)).unwrap();
        for (place, _) in text.match_indices(key) {
            for odd in ["-0.22", "1e400", "nan"] {
                let start = place + key.len();
                let end = start + text[start..].find('/').unwrap();
                let changed = [&text[..start], odd, &text[end..]].concat();
                std::fs::write(&file, changed).unwrap();
                let ran = Run::fairscope(["check"]).arg(&file).run();
                assert_eq!(
                    ran.code,
                    Some(1),
                    "{capture} at {place}, {odd}: {}",
                    ran.stderr
                );
                let told = String::from_utf8_lossy(&ran.stdout).into_owned();
                told.must_contain("the usage of");
            }
        }
    }
}

#[test]
fn golden_negative_usage_is_a_problem_with_its_line() {
    let Some(folder) = golden("field/negative-usage") else {
        return;
    };
    let ran = Run::fairscope(["check"]).arg(&folder).run();
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let told = String::from_utf8_lossy(&ran.stdout).into_owned();
    told.must_contain(":13: error: the usage of");
    told.must_contain("is -0.22");
}
