//! What real daemons of 20.11 to 26.05 printed, held against what we compute.

use super::captures::{Capture, captures};
use crate::support::golden;
use fairscope::model::{Settings, Snapshot};
use fairscope::policy::Policy;
use fairscope::verify::{Verification, verify_under};

/// The rule and settings of a capture.
fn rule(capture: &Capture, settings: &Settings) -> (Policy, Settings) {
    let mut settings = settings.clone();
    if capture.case.starts_with("09-") {
        settings.slurm.dampening = 5;
    }
    let policy = match &capture.case[..3] {
        "10-" => Policy::DepthOblivious,
        _ if capture.is_classic() => Policy::Classic,
        _ => Policy::FairTree,
    };
    (policy, settings)
}

fn verified(capture: &Capture, snapshot: &Snapshot) -> Verification {
    let (policy, settings) = rule(capture, &snapshot.settings);
    verify_under(snapshot, policy, &settings)
}

/// One line about a verification.
fn summary(snapshot: &Snapshot, verification: &Verification) -> String {
    let columns = verification.columns.iter().map(|column| {
        let mut text = format!("{} {}/{}", column.fact.name(), column.equal, column.rows);
        if column.undecided > 0 {
            text += &format!(" ({} undecided)", column.undecided);
        }
        if let Some(difference) = column.first_difference {
            let name = String::from_utf8_lossy(snapshot.tree.name(difference.node));
            text += &format!(
                " ({} DIFFER: {name} {} != {})",
                column.differing(),
                difference.recorded,
                difference.computed
            );
        }
        text
    });
    columns.collect::<Vec<_>>().join(", ")
}

#[test]
fn golden_nothing_that_real_daemons_printed_differs_where_they_had_settled() {
    let Some(root) = golden("slurm") else {
        return;
    };
    let mut different = Vec::new();
    for capture in captures(&root) {
        let (snapshot, _) = capture.printed();
        assert_eq!(snapshot.tree.node_count(), capture.rows.len());
        for (usage, snapshot) in [("printed", Some(snapshot)), ("exact", capture.exact())] {
            let Some(snapshot) = snapshot else { continue };
            let verification = verified(&capture, &snapshot);
            let line = format!(
                "{} {usage}: {}",
                capture.name(),
                summary(&snapshot, &verification)
            );
            println!("{line}");
            if verification.differs() && !capture.is_unsettled() {
                different.push(line);
            }
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}
