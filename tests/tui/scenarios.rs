//! Scenarios saved on trees of Slurm and Flux: every node has the same rank after reopening.

use crate::support::loading::load_quietly;
use crate::support::{data, golden};
use fairscope::format::{FilesBeside, Format, Request, SourceKind};
use fairscope::model::path_of;
use fairscope::open::opened::{Opened, apply_text};
use fairscope::rules::policy::Policy;
use fairscope::scenario::Scenario;
use fairscope::tui::Session;
use std::path::{Path, PathBuf};

fn open(request: &Request, policy: Option<Policy>) -> Opened {
    let loaded = load_quietly(request);
    Opened::new(loaded.expect("it can be opened"), policy)
}

/// Returns the rank of every node, by path.
fn ranks(scenario: &Scenario) -> Vec<(String, Option<u32>)> {
    let (tree, evaluation) = (scenario.tree(), scenario.evaluation());
    let path = |node| path_of(tree, node).expect("a shallow tree");
    let nodes = tree.nodes().iter();
    nodes
        .map(|&node| (path(node), evaluation.rank(node)))
        .collect()
}

/// Opens a source, edits it, saves the scenario with `w`, opens that file, and compares both.
#[track_caller]
fn assert_reopens(request: &Request, policy: Option<Policy>, edits: &[&str]) {
    let mut opened = open(request, policy);
    for edit in edits {
        apply_text(&mut opened.scenario, edit.as_bytes()).expect("it fits");
    }
    let before = opened.scenario.clone();
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("plan.toml");
    // The explorer does the same when started in that folder.
    let text = Session::new(opened).scenario_text(&path, Path::new(env!("CARGO_MANIFEST_DIR")));
    std::fs::write(&path, &text).expect("the folder is ours");
    let request = Request::to_open(path);
    let again = open(&request, None);
    let codes = again
        .source
        .problems
        .list()
        .iter()
        .map(|problem| problem.code);
    for code in codes {
        assert!(
            !code.starts_with("toml-") && !code.starts_with("scenario-"),
            "{code}\n{text}"
        );
    }
    let after = &again.scenario;
    assert_eq!(after.policy(), before.policy(), "{text}");
    assert_eq!(after.settings(), before.settings(), "{text}");
    assert_eq!(ranks(after), ranks(&before), "{text}");
    assert_eq!(after.history().edits().len(), edits.len(), "{text}");
}

fn gold(name: &str) -> PathBuf {
    data("slurm/gold").join(name)
}

#[test]
fn a_scenario_on_several_slurm_outputs_names_all_of_them() {
    let edits = [
        "shares science/chem=50",
        "usage science/physics/carol+=1000000",
    ];
    let config = Some(gold("scontrol_config.txt"));
    let cluster = Some("gold".to_owned());
    for request in [
        Request::to_open(data("slurm/gold")),
        Request {
            beside: FilesBeside {
                config: config.clone(),
                ..FilesBeside::default()
            },
            cluster: cluster.clone(),
            ..Request::to_open(gold("sshare.txt"))
        },
        Request {
            source: SourceKind::Path {
                path: data("slurm/gold.cfg"),
                more: vec![gold("sshare.txt")],
            },
            beside: FilesBeside {
                config,
                ..FilesBeside::default()
            },
            ..Request::default()
        },
        Request {
            source: SourceKind::Path {
                path: "tests/data/slurm/gold.cfg".into(),
                more: vec!["tests/data/slurm/gold/sshare.txt".into()],
            },
            cluster,
            ..Request::default()
        },
        Request {
            format: Some(Format::Sshare),
            settings: vec![("TieOrder".to_owned(), "newest".to_owned())],
            ..Request::to_open(gold("sshare.txt"))
        },
    ] {
        assert_reopens(&request, None, &edits);
        assert_reopens(&request, Some(Policy::Classic), &edits);
        assert_reopens(&request, None, &["set TieOrder=name"]);
    }
}

#[test]
fn settings_detected_from_numbers_are_detected_again_on_reopening() {
    let Some(golden) = golden("slurm") else {
        return;
    };
    let cases = [
        ("08-classic/22.05", "sshare_a_l_P.txt"),
        ("09-classic-damp5/24.11", "scontrol_show_assoc_mgr.txt"),
        ("09-classic-damp5/24.11", "sshare_a_json.json"),
        ("07-ties/22.05", "scontrol_show_assoc_mgr.txt"),
        ("07-ties/20.11", "sshare_a_P_allfields.txt"),
        ("05-fairshare-parent/26.05", "sshare_a_l_P.txt"),
        ("14-partitions/24.11", "sshare_a_json.json"),
    ];
    for (case, name) in cases {
        // Without a configuration, the numbers alone show the policy and its settings.
        let request = Request::to_open(golden.join(case).join(name));
        assert_reopens(&request, None, &["shares root=3"]);
    }
}

#[test]
fn a_scenario_on_a_flux_database_reopens_it() {
    let request = Request::to_open(data("flux/45_wal_after_update_fshare/input.db"));
    assert_reopens(&request, None, &["shares account1/leaf.1.2=1000000"]);
    let request = Request {
        settings: vec![("inactive".to_owned(), "show".to_owned())],
        ..Request::to_open(data("flux/21_inactive/input.db"))
    };
    assert_reopens(&request, None, &["usage A/a1+=100"]);
}
