//! Every capture of a real Slurm: each file alone and with the configuration beside it.

use super::capture::Capture;
use super::open;
use crate::support::files::files_below;
use crate::support::{data, golden};
use fairscope::format::{FilesBeside, Request};
use fairscope::open::opened::Opened;
use fairscope::report::{View, check};
use fairscope::trust::verify::Evidence;
use fairscope::trust::verify::{ColumnCheck, Verification};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

/// The results for the files of one kind.
#[derive(Default)]
struct Found {
    tried: usize,
    refused: usize,
    equal: usize,
    undecided: usize,
    differing: usize,
    unsettled: usize,
    stale: usize,
    unverified: usize,
    certain: usize,
    likely: usize,
    untold: usize,
    wrong: usize,
}

impl Found {
    const HEADER: &str = "tried refused    equal undecided differ unsettled stale unverified certain likely untold wrong";

    fn line(&self) -> String {
        format!(
            "{:5} {:7} {:8} {:9} {:6} {:9} {:5} {:10} {:7} {:6} {:6} {:5}",
            self.tried,
            self.refused,
            self.equal,
            self.undecided,
            self.differing,
            self.unsettled,
            self.stale,
            self.unverified,
            self.certain,
            self.likely,
            self.untold,
            self.wrong
        )
    }

    fn add(&mut self, capture: &Capture, opened: &Opened, mistake: Option<&String>) {
        let verification = &opened.source.verification;
        self.equal += sum(verification, |column| column.equal);
        self.undecided += sum(verification, |column| column.undecided);
        self.unverified += usize::from(verification.unverified.is_some());
        if capture.label.is_unsettled() {
            self.unsettled += 1;
            self.stale += usize::from(verification.stale.is_some());
        } else {
            self.differing += sum(verification, ColumnCheck::differing);
        }
        let count = match (mistake, &verification.detected) {
            (Some(_), _) => &mut self.wrong,
            (None, Some(detected)) if detected.certain => &mut self.certain,
            (None, Some(_)) => &mut self.likely,
            (None, None) => &mut self.untold,
        };
        *count += 1;
    }
}

fn sum(verification: &Verification, count: fn(&ColumnCheck) -> usize) -> usize {
    verification.columns.iter().map(count).sum()
}

/// One line about a verification.
fn summary(opened: &Opened) -> String {
    let verification = &opened.source.verification;
    let mut text = String::new();
    for column in &verification.columns {
        let (name, equal, rows) = (column.fact.name(), column.equal, column.rows);
        let _ = write!(text, " {name} {equal}/{rows}");
        if column.undecided > 0 {
            let _ = write!(text, " ({} undecided)", column.undecided);
        }
        if let Some(difference) = column.first_difference {
            let name = String::from_utf8_lossy(opened.scenario.tree().name(difference.node));
            let (recorded, computed) = (difference.recorded, difference.computed);
            let differing = column.differing();
            let _ = write!(
                text,
                " ({differing} DIFFER: {name} {recorded:?} != {computed:?})"
            );
        }
    }
    let _ = write!(
        text,
        "; stale {:?}; detected {:?}; unverified {:?}; in force {}",
        verification.stale,
        verification.detected,
        verification.unverified,
        opened.scenario.policy().name()
    );
    text
}

/// A wrong statement of a detection, if there is one.
fn mistake(capture: &Capture, opened: &Opened) -> Option<String> {
    let detected = opened.source.verification.detected.as_ref()?;
    // Without nested accounts, classic and DEPTH_OBLIVIOUS are equal, and the detection says so.
    let is_same = !detected.certain && matches!(detected.evidence, Evidence::SameAs { .. });
    if detected.policy != capture.policy() && !is_same {
        return Some(detected.policy.name().to_owned());
    }
    let mut settings = detected.settings.iter();
    settings.find_map(|known| {
        let (key, value) = (known.key(), known.value());
        let is_right = capture.setting(key) == Some(value.as_str());
        (!is_right).then(|| format!("{key}={value}"))
    })
}

/// The faults in the result for a file.
fn complaints(capture: &Capture, opened: &Opened, has_config: bool) -> Vec<&'static str> {
    let verification = &opened.source.verification;
    let has_columns = !verification.columns.is_empty();
    let is_stale = verification.stale.is_some();
    let view = View::of(&opened.scenario, &opened.source.problems);
    let findings = check::findings(&view, verification);
    let is_told = |code: &str| findings.list().iter().any(|finding| finding.code == code);
    let is_in_force = opened.scenario.policy() == capture.policy();
    let has_undecided = sum(verification, |column| column.undecided) > 0;
    let complaints = [
        (
            capture.label.is_unsettled() && has_columns && !is_stale,
            "not called stale",
        ),
        (!capture.label.is_unsettled() && is_stale, "called stale"),
        (
            !capture.label.is_unsettled() && verification.differs(),
            "differs",
        ),
        (is_told("recorded-differs"), "recorded-differs"),
        (
            is_told("slurm-stale-columns") != is_stale,
            "slurm-stale-columns",
        ),
        (has_undecided && !capture.is_left_open(), "undecided"),
        (has_config && !is_in_force, "another policy than configured"),
        (capture.is_whole() && !has_columns, "nothing verified"),
        (
            capture.is_part() && has_columns,
            "verified where rows are missing",
        ),
        (
            capture.is_part() && verification.unverified.is_none(),
            "missing rows are not told",
        ),
    ];
    let complaints = complaints.into_iter().filter(|(is_so, _)| *is_so);
    complaints.map(|(_, complaint)| complaint).collect()
}

/// Opens one file and counts its results; returns the faults.
fn judge(capture: &Capture, has_config: bool, found: &mut Found) -> Option<String> {
    let request = Request {
        beside: FilesBeside {
            config: has_config.then(|| capture.config()),
            ..FilesBeside::default()
        },
        ..Request::to_open(capture.path.to_owned())
    };
    found.tried += 1;
    let opened = match open(&request) {
        Ok(opened) => opened,
        Err(error) => {
            found.refused += 1;
            let error = error.to_string();
            return (!capture.may_be_refused(&error)).then(|| format!("refused: {error}"));
        }
    };
    let mistake = mistake(capture, &opened);
    found.add(capture, &opened, mistake.as_ref());
    let mut wrong = complaints(capture, &opened, has_config).join(", ");
    if let Some(mistake) = mistake {
        let _ = write!(wrong, " mistaken for {mistake}");
    }
    (!wrong.is_empty()).then(|| format!("{wrong}:{}", summary(&opened)))
}

/// Verifies every file below a folder of captures, alone and with the configuration, and prints the results.
fn verify_all(root: &Path) {
    let mut found: BTreeMap<String, Found> = BTreeMap::new();
    let mut wrong = Vec::new();
    let paths = files_below(root);
    for capture in paths.iter().filter_map(|path| Capture::of(root, path)) {
        for (has_config, ending) in [(false, ""), (true, " + config")] {
            if has_config && !capture.can_have_config() {
                continue;
            }
            let kind = found
                .entry(format!("{}{ending}", capture.file))
                .or_default();
            if let Some(mistake) = judge(&capture, has_config, kind) {
                wrong.push(format!("{}{ending}: {mistake}", capture.name()));
            }
        }
    }
    println!("{:44} {}", "kind of file", Found::HEADER);
    for (kind, found) in &found {
        println!("{kind:44} {}", found.line());
    }
    assert!(!found.is_empty());
    let count = wrong.len();
    assert!(wrong.is_empty(), "{}\n{count} wrong", wrong.join("\n"));
}

#[test]
fn captures_kept_with_the_tests_are_verified() {
    verify_all(&data("slurm/captures"));
}

#[test]
fn golden_every_slurm_file_is_verified() {
    if let Some(root) = golden("slurm") {
        verify_all(&root);
    }
}

/// Folders whose numbers cannot match: Slurm 24.11 lost the parent of some associations there.
const BROKEN_BY_SLURM: &[&str] = &["24.11-restart-after-move/after_"];

#[test]
fn golden_every_moment_of_the_second_collection_is_verified() {
    let Some(root) = golden("slurm_real") else {
        return;
    };
    let files = files_below(&root);
    let folders: BTreeSet<&Path> = files.iter().filter_map(|file| file.parent()).collect();
    let (mut rows, mut wrong) = (0, Vec::new());
    for folder in folders {
        let name = folder.strip_prefix(&root).expect("a folder below");
        let name = name.to_string_lossy();
        let has_numbers = ["sshare.txt", "sshare.json", "assoc_mgr.txt"]
            .iter()
            .any(|file| folder.join(file).exists());
        let is_broken = BROKEN_BY_SLURM.iter().any(|start| name.starts_with(start));
        if !has_numbers || is_broken {
            continue;
        }
        let request = Request::to_open(folder);
        let opened = open(&request).expect("a snapshot");
        let verification = &opened.source.verification;
        rows += sum(verification, |column| column.rows);
        if verification.unverified.is_some()
            || (verification.differs() && verification.stale.is_none())
        {
            wrong.push(format!("{name}: {}", summary(&opened)));
        }
    }
    println!("{rows} numbers");
    assert!(rows > 0);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
