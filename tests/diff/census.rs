//! Shares of a university's labs in every version since 2024: shares added to one lab dilute all others.

use super::between;
use crate::support::golden;
use fairscope::analysis::diff::Diff;
use fairscope::rules::policy::Policy;
use std::collections::BTreeMap;
use std::path::Path;

/// The shares of each lab.
type Census = BTreeMap<String, u64>;

fn read(path: &Path) -> Census {
    let text = std::fs::read_to_string(path).unwrap();
    let labs = text.lines().filter_map(|line| {
        let (lab, shares) = line.split_once(',')?;
        Some((lab.trim().to_owned(), shares.trim().parse().ok()?))
    });
    labs.collect()
}

fn diff(old: &Census, new: &Census) -> Diff {
    let drawing = |census: &Census| {
        let lines = census.iter();
        let lines = lines.map(|(lab, shares)| format!("{lab}/ {shares}"));
        lines.collect::<Vec<_>>().join("\n")
    };
    between(&drawing(old), &drawing(new), Policy::FairTree)
}

/// The relative change of every unedited lab's portion, which is the same for all.
fn expected(old: &Census, new: &Census) -> f64 {
    let total = |census: &Census| census.values().sum::<u64>() as f64;
    total(old) / total(new) - 1.0
}

#[test]
fn golden_unedited_labs_are_diluted_by_the_growth_of_the_share_sum() {
    let Some(folder) = golden("public/fasrc_census") else {
        return;
    };
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "csv"))
        .collect();
    files.sort();
    assert_eq!(files.len(), 93);
    let (mut diluted, mut enriched, mut labs) = (0, 0, 0);
    for pair in files.windows(2) {
        let (old, new) = (read(&pair[0]), read(&pair[1]));
        let diff = diff(&old, &new);
        let untouched = old
            .iter()
            .filter(|(lab, shares)| **shares > 0 && new.get(*lab) == Some(shares))
            .count();
        let dilution = diff.target_shifts();
        let name = pair[1].display();
        assert_eq!(dilution.accounts, untouched, "{name}");
        assert_eq!(dilution.users, 0);
        let change = expected(&old, &new);
        let (lost, gained) = (dilution.lost.accounts, dilution.gained.accounts);
        let count = |is: bool| if is { untouched } else { 0 };
        assert_eq!(lost, count(change < -0.001), "{name}");
        assert_eq!(gained, count(change > 0.001), "{name}");
        for shift in [dilution.lost, dilution.gained] {
            if shift.count() > 0 {
                for figure in [shift.least, shift.median, shift.most] {
                    assert!((figure - change).abs() < 1e-9, "{name}: {figure} {change}");
                }
            }
        }
        let came = new.keys().filter(|lab| !old.contains_key(*lab)).count();
        let went = old.keys().filter(|lab| !new.contains_key(*lab)).count();
        assert_eq!(diff.changes.added.len(), came, "{name}");
        assert_eq!(diff.changes.removed.len(), went, "{name}");
        diluted += usize::from(lost > 0);
        enriched += usize::from(gained > 0);
        labs += lost;
    }
    println!(
        "{diluted} of 92 changes diluted {labs} labs that they did not touch, {enriched} gave more"
    );
    assert!(diluted > 10);
}

#[test]
fn golden_consecutive_versions_report_diluted_labs_and_amounts() {
    let Some(folder) = golden("public/fasrc_census") else {
        return;
    };
    let versions = [
        "census_20250326_2818905.csv",
        "census_20250422_9a794ed.csv",
        "census_20250425_7819e0c.csv",
    ];
    let [first, second, third] = versions.map(|name| read(&folder.join(name)));
    for (old, new) in [(&first, &second), (&second, &third)] {
        println!("{:?}", fairscope::report::diff::lines(&diff(old, new)));
    }
    // One edited line diluted 292 other labs.
    let differing = third
        .iter()
        .filter(|(lab, shares)| second.get(*lab) != Some(shares))
        .map(|(lab, _)| lab.as_str())
        .collect::<Vec<_>>();
    assert_eq!(differing, ["kempner_lab"]);
    assert_eq!(format!("{:.3}", expected(&second, &third)), "-0.037");
    assert_eq!(
        fairscope::report::diff::lines(&diff(&second, &third)),
        [
            "Shares of 1 node changed.",
            "Not edited: 292 accounts. Diluted: 292 accounts (-3.7%)."
        ]
    );
}
