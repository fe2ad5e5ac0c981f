//! A real history of labs and their shares: `whatif` reports for each step the dilution that the lists themselves give.

use crate::support::command::Run;
use crate::support::golden;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Reads the labs of a version and their shares. `None` if a lab appears twice or a line is malformed.
fn labs(file: &Path) -> Option<BTreeMap<String, i64>> {
    let text = std::fs::read_to_string(file).expect("the census can be read");
    let mut labs = BTreeMap::new();
    for line in text.lines() {
        let (name, shares) = line.split_once(',')?;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if name.is_empty() || !name.bytes().all(is_plain) {
            return None;
        }
        let before = labs.insert(name.to_owned(), shares.trim().parse().ok()?);
        if before.is_some() {
            return None;
        }
    }
    Some(labs)
}

/// Writes one version as a tree and the changes to the next version as edits, and returns the impact.
fn whatif(folder: &Path, old: &BTreeMap<String, i64>, new: &BTreeMap<String, i64>) -> Value {
    let tree = folder.join("tree.csv");
    let mut text = "parent,name,shares,type\n".to_owned();
    for (name, shares) in old {
        writeln!(text, ",{name},{shares},account").unwrap();
    }
    std::fs::write(&tree, text).unwrap();
    let table = folder.join("edits.csv");
    let mut text = "path,shares\n".to_owned();
    for (name, shares) in new {
        if old.get(name).is_some_and(|before| before != shares) {
            writeln!(text, "{name},{shares}").unwrap();
        }
    }
    std::fs::write(&table, text).unwrap();
    let mut edits = Vec::new();
    for (name, shares) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
        edits.push(format!("--edit=add {name} shares={shares} kind=account"));
    }
    for name in old.keys().filter(|name| !new.contains_key(*name)) {
        edits.push(format!("--edit=remove {name}"));
    }
    let gates = ["--fail-if", "diluted > 1%", "--fail-if", "enriched > 1%"];
    let ran = Run::fairscope(["whatif", "--format-out", "json"])
        .args(gates)
        .arg(&tree)
        .arg("--edits")
        .arg(&table)
        .args(edits)
        .run();
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.stderr);
    serde_json::from_str(&ran.text()).expect("it is JSON")
}

fn versions() -> Option<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(golden("public/fasrc_census")?)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "csv"))
        .collect();
    files.sort();
    Some(files)
}

#[test]
fn golden_every_step_of_a_census_names_who_was_diluted_and_by_how_much() {
    let Some(files) = versions() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (mut steps, mut diluted) = (0, 0);
    let mut stopped = [0, 0];
    for pair in files.windows(2) {
        let (Some(old), Some(new)) = (labs(&pair[0]), labs(&pair[1])) else {
            continue;
        };
        if old == new {
            continue;
        }
        let name = pair[1].display();
        let impact = whatif(folder.path(), &old, &new);
        let text = impact["text"].as_str().unwrap();
        let levels = impact["impact"]["dilution"].as_array().unwrap();
        let (before, after): (i64, i64) = (old.values().sum(), new.values().sum());
        let untouched = old
            .iter()
            .filter(|(name, shares)| new.get(*name) == Some(*shares) && **shares > 0)
            .count();
        steps += 1;
        let change = before as f64 / after as f64 - 1.0;
        for (gate, is_broken) in [change < -0.01, change > 0.01].into_iter().enumerate() {
            assert_eq!(
                impact["gates"][gate]["broken"], is_broken,
                "{name}: {change}"
            );
            stopped[gate] += usize::from(is_broken);
        }
        if after <= before {
            assert_eq!(levels.len(), 0, "{name}: {text}");
            assert!(text.contains("nobody else is diluted"), "{name}: {text}");
            continue;
        }
        diluted += 1;
        let loss = 1.0 - before as f64 / after as f64;
        assert_eq!(levels.len(), 1, "{name}: {text}");
        assert_eq!(levels[0]["level"], "", "{name}");
        assert_eq!(levels[0]["untouched"], untouched, "{name}: {text}");
        for side in ["least", "most"] {
            let ours = levels[0][side].as_f64().unwrap();
            assert!((ours - loss).abs() < 1e-12, "{name}: {ours} for {loss}");
        }
        let percent = if loss < 0.0005 {
            "<0.1%".to_owned()
        } else {
            format!("{:.1}%", loss * 100.0)
        };
        let sentence = format!("the other {untouched} accounts each lose {percent} of their share");
        assert!(text.contains(&sentence), "{name}: {text}, not {sentence}");
    }
    println!(
        "{steps} steps of {} versions, {diluted} dilute",
        files.len()
    );
    assert!(diluted > 10, "only {diluted} of {steps} steps");
    // With the steps to and from a malformed version 24 of 92 moved labs that nobody touched by more than 1%.
    assert_eq!((steps, stopped), (90, [20, 3]));
}
