//! Output of real daemons of 20.11 to 26.05 compared with computed numbers.

use super::captures::{Capture, captures};
use crate::support::golden;
use fairscope::model::{Settings, Snapshot};
use fairscope::rules::policy::Policy;
use fairscope::trust::verify::{ColumnCheck, Verification, verify_dump};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The policy and settings of a capture.
fn rule(capture: &Capture, settings: &Settings) -> (Policy, Settings) {
    let mut settings = settings.clone();
    if capture.label.case.starts_with("09-") {
        settings.slurm.dampening = 5;
    }
    let policy = match &capture.label.case[..3] {
        "10-" => Policy::DepthOblivious,
        _ if capture.label.is_classic() => Policy::Classic,
        _ => Policy::FairTree,
    };
    (policy, settings)
}

fn verified(capture: &Capture, snapshot: &Snapshot) -> Verification {
    let (policy, settings) = rule(capture, &snapshot.settings);
    let snapshot = Snapshot {
        settings,
        ..snapshot.clone()
    };
    verify_dump(&snapshot, policy, policy)
}

/// One line about a verification.
fn summary(snapshot: &Snapshot, verification: &Verification) -> String {
    let columns = verification.columns.iter().map(|column| {
        let mut text = format!("{} {}/{}", column.fact.name(), column.equal, column.rows);
        if column.undecided > 0 {
            let _ = write!(text, " ({} undecided)", column.undecided);
        }
        if let Some(difference) = column.first_difference {
            let name = String::from_utf8_lossy(snapshot.tree.name(difference.node));
            let _ = write!(
                text,
                " ({} DIFFER: {name} {:?} != {:?})",
                column.differing(),
                difference.recorded,
                difference.computed
            );
        }
        text
    });
    columns.collect::<Vec<_>>().join(", ")
}

/// The results for the captures of one version.
#[derive(Default)]
struct Found {
    captures: usize,
    rows: usize,
    differing: usize,
    undecided: usize,
    stale: usize,
    detected: usize,
    untold: usize,
}

#[test]
fn golden_settled_numbers_of_real_daemons_never_differ() {
    let Some(root) = golden("slurm") else {
        return;
    };
    let mut different = Vec::new();
    let mut found: BTreeMap<String, Found> = BTreeMap::new();
    for capture in captures(&root) {
        let (snapshot, _) = capture.printed();
        assert_eq!(snapshot.tree.node_count(), capture.rows.len());
        let (policy, _) = rule(&capture, &snapshot.settings);
        for (usage, snapshot) in [("printed", Some(snapshot)), ("exact", capture.exact())] {
            let Some(snapshot) = snapshot else { continue };
            let verification = verified(&capture, &snapshot);
            let line = format!(
                "{} {usage}: {}; stale: {:?}; detected: {:?}",
                capture.name(),
                summary(&snapshot, &verification),
                verification.stale,
                verification.detected,
            );
            let found = found
                .entry(format!("{} {usage}", capture.label.version))
                .or_default();
            found.captures += 1;
            for column in &verification.columns {
                found.rows += column.equal;
                found.undecided += column.undecided;
            }
            if capture.label.is_unsettled() {
                found.stale += usize::from(verification.stale.is_some());
                if verification.stale.is_none() {
                    different.push(format!("not stale: {line}"));
                }
            } else {
                found.differing += verification
                    .columns
                    .iter()
                    .map(ColumnCheck::differing)
                    .sum::<usize>();
                if verification.differs() {
                    different.push(line.clone());
                }
            }
            match &verification.detected {
                Some(detected) if detected.policy == policy => found.detected += 1,
                Some(_) => different.push(format!("mistaken: {line}")),
                None => {
                    found.untold += 1;
                    println!("untold: {line}");
                }
            }
        }
    }
    println!(
        "version          captures  verified  differ  undecided  stale  detected  cannot tell"
    );
    for (version, found) in &found {
        println!(
            "{version:16} {:8}  {:8}  {:6}  {:9}  {:5}  {:8}  {:11}",
            found.captures,
            found.rows,
            found.differing,
            found.undecided,
            found.stale,
            found.detected,
            found.untold
        );
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn golden_one_altered_number_is_not_taken_for_an_older_column() {
    let Some(root) = golden("slurm") else {
        return;
    };
    let (mut altered, mut seen, mut tolerated) = (0, 0, 0);
    let mut mistaken = Vec::new();
    for mut capture in captures(&root) {
        let is_chosen = ["22.05", "26.05"].contains(&capture.label.version.as_str());
        if capture.label.is_unsettled() || capture.rows.len() > 60 || !is_chosen {
            continue;
        }
        let ids: Vec<u64> = capture.rows.keys().copied().collect();
        for id in ids {
            for column in [
                "RawShares",
                "NormShares",
                "RawUsage",
                "NormUsage",
                "EffectvUsage",
                "FairShare",
                "LevelFS",
            ] {
                let kept = capture.rows[&id][column].clone();
                // Changes every fourth number by the same factor.
                let factor = [0.5, 0.97, 1.05, 3.0][altered % 4];
                if let Ok(number) = kept.parse::<f64>() {
                    let text = if column.starts_with("Raw") {
                        format!("{:.0}", number * factor)
                    } else {
                        format!("{:.6}", number * factor)
                    };
                    if text == kept {
                        continue;
                    }
                    capture
                        .rows
                        .get_mut(&id)
                        .expect("a row")
                        .insert(column, text.clone());
                    let (snapshot, _) = capture.printed();
                    let verification = verified(&capture, &snapshot);
                    altered += 1;
                    seen += usize::from(verification.differs());
                    tolerated += usize::from(!verification.differs());
                    if let Some(stale) = verification.stale {
                        mistaken.push(format!(
                            "{}: {column} of {id} from {kept} to {text}: {stale:?}",
                            capture.name()
                        ));
                    }
                }
                capture
                    .rows
                    .get_mut(&id)
                    .expect("a row")
                    .insert(column, kept);
            }
        }
    }
    println!(
        "{altered} numbers altered: {seen} seen to differ, {tolerated} still possible, {} called older",
        mistaken.len()
    );
    assert!(mistaken.is_empty(), "{}", mistaken.join("\n"));
    assert!(
        seen * 100 > altered * 90,
        "only {seen} of {altered} were seen"
    );
}
