//! Detection of the policy of a dump in each of its printed forms.

use crate::support::files::files_below;
use crate::support::golden;
use crate::support::loading::load_path;
use fairscope::model::{Incomplete, Kind};
use fairscope::open::opened::Opened;
use fairscope::rules::policy::Policy;
use std::collections::BTreeMap;
use std::path::Path;

fn open(path: &Path) -> Option<Opened> {
    let loaded = load_path(path);
    Some(Opened::new(loaded.ok()?, None))
}

#[test]
fn golden_classic_dumps_are_detected_in_every_form() {
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
        for file in files_below(&root.join(case)) {
            let name = file
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            if !name.starts_with("sshare") && !name.starts_with("scontrol_show_assoc") {
                continue;
            }
            // A user's only row without LevelFS and with the factor 1 is as under either rule.
            if name == "sshare_U_root.txt" {
                continue;
            }
            let Some(opened) = open(&file) else { continue };
            *counts.entry(case).or_default() += 1;
            let policy = opened.scenario.policy();
            let is_complete = opened.source.verification.unverified.is_none();
            // Where something is printed of accounts, what is not listed of their levels follows.
            let tree = opened.scenario.tree();
            let is_completed = tree
                .nodes()
                .iter()
                .any(|&node| tree.kind(node) == Kind::Others);
            let expected = match case {
                // Only the numbers of several levels distinguish it from classic.
                "10-classic-depth-oblivious" if is_complete || is_completed => {
                    Policy::DepthOblivious
                }
                _ => Policy::Classic,
            };
            if policy != expected || opened.source.verification.differs() {
                wrong.push(format!("{}: {policy:?}", file.display()));
            }
        }
    }
    println!("opened under their policy: {counts:?}");
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn golden_partial_controller_output_is_not_reported_as_altered() {
    let Some(root) = golden("slurm_outputs") else {
        return;
    };
    let opened = open(&root.join("assoc_mgr_users.txt")).expect("a tree");
    let reason = opened
        .source
        .verification
        .unverified
        .map(Incomplete::clause);
    assert_eq!(
        reason,
        Some("users are missing from it, as when scontrol show assoc_mgr runs with users=")
    );
    assert!(!opened.source.verification.differs());
    let all = open(&root.join("assoc_mgr_all.txt")).expect("a tree");
    assert_eq!(all.source.verification.unverified, None);
}
