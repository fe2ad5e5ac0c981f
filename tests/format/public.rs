//! Public files of other formats, converted to CSV by the commands of the manual.

use crate::support::golden;
use fairscope::format::input::Input;
use fairscope::format::{Format, Request, Severity};
use fairscope::open::load_inputs;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;

const FORMATS: &str = include_str!("../../assets/manual/formats.md");

/// Runs the manual's command for `input` on a file and returns its output.
fn converted(input: &str, file: &Path) -> Vec<u8> {
    let ending = format!(" {input} > tree.csv");
    let command = FORMATS.lines().find_map(|line| line.strip_suffix(&ending));
    let command = command.unwrap_or_else(|| panic!("the manual does not convert {input}"));
    let script = format!("{command} \"$0\"");
    let output = Command::new("sh")
        .arg("-c")
        .arg(script)
        .arg(file)
        .output()
        .unwrap();
    assert!(output.status.success(), "{command}");
    output.stdout
}

/// Asserts that every converted file with this ending has as many accounts as lines with shares.
fn every_file_opens(folder: &str, ending: &str, input: &str) {
    let Some(folder) = golden(folder) else {
        return;
    };
    let (mut files, mut accounts) = (0, 0);
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.extension().is_none_or(|extension| extension != ending) {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let expected = text
            .lines()
            .filter(|line| {
                line.split([',', '\t'])
                    .any(|cell| cell.parse::<i64>().is_ok())
            })
            .filter(|line| !line.starts_with('#'))
            .count();
        let inputs = vec![Input {
            path: "tree.csv".into(),
            bytes: converted(input, &path),
            modified: None,
        }];
        let loaded = load_inputs(inputs, &Request::default(), &mut |_| {
            ControlFlow::Continue(())
        })
        .unwrap();
        let name = path.display();
        assert_eq!(loaded.snapshot.source.format, Format::Csv, "{name}");
        // One of these files has lines without a name.
        let problems = loaded.problems.list().iter();
        let refused = problems
            .filter(|problem| problem.severity == Severity::Error)
            .count();
        assert_eq!(
            loaded.snapshot.tree.node_count() - 1 + refused,
            expected,
            "{name}"
        );
        files += 1;
        accounts += expected;
    }
    println!("{files} files converted and opened, {accounts} accounts");
    assert!(files > 0);
}

#[test]
fn golden_a_census_of_labs_and_shares_opens() {
    every_file_opens("public/fasrc_census", "csv", "labs.csv");
}

#[test]
fn golden_a_table_of_functional_shares_opens() {
    every_file_opens("public/wynton_sge", "tsv", "shares.tsv");
}
