//! Which policy a dump is opened under, whatever shape it was printed in.

use crate::support::golden;
use fairscope::report::words::source::incomplete;
use fairscope::rules::policy::Policy;
use fairscope::source::format::{self, Request};
use fairscope::source::opened::Opened;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

fn open(path: &Path) -> Option<Opened> {
    let request = Request {
        path: path.to_owned(),
        ..Request::default()
    };
    let loaded = format::load(&request, &mut |_| ControlFlow::Continue(()));
    Some(Opened::new(loaded.ok()?, None))
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn golden_dumps_of_classic_are_classic_in_every_shape() {
    let Some(root) = golden("slurm") else {
        return;
    };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for case in [
        "08-classic",
        "09-classic-damp5",
        "10-classic-depth-oblivious",
        "15b-zero-usage-classic",
    ] {
        for file in files(&root.join(case)) {
            let name = file
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            if !name.starts_with("sshare") && !name.starts_with("scontrol_show_assoc") {
                continue;
            }
            let Some(opened) = open(&file) else { continue };
            *counts.entry(case).or_default() += 1;
            let policy = opened.scenario.policy();
            let is_complete = opened.verification.unverified.is_none();
            let expected = match case {
                // What tells it from classic is in the users' rows.
                "10-classic-depth-oblivious" if is_complete => Policy::DepthOblivious,
                _ => Policy::Classic,
            };
            if policy != expected || opened.verification.differs() {
                wrong.push(format!("{}: {policy:?}", file.display()));
            }
        }
    }
    println!("opened under their policy: {counts:?}");
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn golden_some_users_of_the_controller_are_not_called_altered() {
    let Some(root) = golden("slurm_outputs") else {
        return;
    };
    let opened = open(&root.join("assoc_mgr_users.txt")).expect("a tree");
    let reason = opened.verification.unverified.map(incomplete);
    assert_eq!(
        reason,
        Some("users are missing from it, as when scontrol show assoc_mgr runs with users=")
    );
    assert!(!opened.verification.differs());
    let all = open(&root.join("assoc_mgr_all.txt")).expect("a tree");
    assert_eq!(all.verification.unverified, None);
}
