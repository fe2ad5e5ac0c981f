//! Edits compared with a real Slurm: their factors equal those printed after the commands ran.

use crate::support::files::{files_below, folders_with};
use crate::support::loading::open;
use crate::support::{data, golden};
use fairscope::analysis::plan::NetChanges;
use fairscope::model::{Fact, Kind, NodeId, Snapshot, Tree};
use fairscope::rules::policy::Policy;
use fairscope::scenario::{Scenario, parse};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An association by account, user and partition; the user of an account is empty.
type Name = (String, String, String);

/// Cases with commands that Slurm refused in part, and the edits that took effect nevertheless.
const REFUSED: &[(&str, &[&str])] = &[
    ("24-moveuser", &["add science/chem/carol shares=1"]),
    ("24-rmdefault", &[]),
    (
        "24-rmphysics",
        &[
            "remove science/physics/carol",
            "remove science/physics/bob@main",
            "remove science/physics/bob@gpu",
            "remove science/physics/alice@gpu",
        ],
    ),
    // The user was renamed by hand and renamed back, which leaves no trace.
    ("24-renameuser", &[]),
];

fn cases() -> Vec<PathBuf> {
    let root = golden("slurm_plans").unwrap_or_else(|| data("slurm_plans"));
    folders_with(&root, &["after.fairshare.psv"])
}

/// The factors that Slurm printed.
fn printed(file: &Path) -> BTreeMap<Name, String> {
    let text = std::fs::read_to_string(file).expect("what sshare printed");
    let rows = text.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split('|').collect();
        let [account, user, partition, factor] = cells[..] else {
            panic!("{line}");
        };
        let name = (account.trim_start(), user, partition);
        let name = (name.0.to_owned(), name.1.to_owned(), name.2.to_owned());
        (name, factor.to_owned())
    });
    rows.filter(|((_, user, _), _)| !user.is_empty()).collect()
}

/// Our factors, with the same number of digits.
fn computed(scenario: &Scenario) -> BTreeMap<Name, String> {
    let evaluation = scenario.evaluation();
    users(scenario)
        .into_iter()
        .map(|(name, node)| {
            let factor = evaluation.number(scenario.policy().factor_column(), node);
            let factor = factor.expect("a user has a factor");
            (name, format!("{factor:.6}"))
        })
        .collect()
}

/// The users of a scenario's tree by name.
fn users(scenario: &Scenario) -> Vec<(Name, NodeId)> {
    let tree = scenario.tree();
    let text = |name: &[u8]| String::from_utf8(name.to_vec()).expect("UTF-8");
    let users = tree.nodes().iter().copied();
    let users = users.filter(|&node| tree.kind(node) == Kind::User);
    users
        .map(|node| {
            let account = tree.parent(node).expect("a user has an account");
            let partition = tree.partition(node).map(text).unwrap_or_default();
            let name = (text(tree.name(account)), text(tree.name(node)), partition);
            (name, node)
        })
        .collect()
}

fn apply(scenario: &mut Scenario, text: &str) {
    let edit = parse(text.as_bytes(), scenario.tree(), scenario.settings());
    let edit = edit.unwrap_or_else(|error| panic!("{text}: {error}"));
    scenario.apply(edit).expect(text);
}

/// The path of a node, as written in an edit.
fn path(tree: &Tree, node: NodeId) -> String {
    match fairscope::model::path_of(tree, node).expect("not deep") {
        path if path.is_empty() => "/".to_owned(),
        path => path,
    }
}

/// The scenario rolled back command by command, starting from the tree after all its edits.
fn rolled_back(scenario: &Scenario) -> Scenario {
    let base = scenario.base();
    let (before, after) = (&base.tree, scenario.tree());
    let changes = NetChanges::of(scenario);
    let happened = Snapshot {
        tree: after.clone(),
        ..base.clone()
    };
    let mut back = Scenario::new(Arc::new(happened), scenario.policy());
    for &node in &changes.renamed {
        let text = format!(
            "rename {} to {}",
            path(back.tree(), node),
            String::from_utf8_lossy(before.name(node))
        );
        apply(&mut back, &text);
    }
    for &node in &changes.moved {
        let home = before.parent(node).expect("it was moved");
        let text = format!("move {} to {}", path(back.tree(), node), path(before, home));
        apply(&mut back, &text);
    }
    for &node in &changes.shares {
        let text = format!("shares {}={}", path(back.tree(), node), before.shares(node));
        apply(&mut back, &text);
    }
    for &top in &changes.removed {
        for &node in &before.nodes()[before.order().span(top)] {
            let kind = match before.kind(node) {
                Kind::Account => " kind=account",
                Kind::User | Kind::Others => "",
            };
            let text = format!(
                "add {} shares={}{kind}",
                path(before, node),
                before.shares(node)
            );
            apply(&mut back, &text);
        }
    }
    for &node in changes.added.iter().rev() {
        let text = format!("remove {}", path(back.tree(), node));
        apply(&mut back, &text);
    }
    back
}

/// The rows that differ.
fn differences(computed: &BTreeMap<Name, String>, printed: &BTreeMap<Name, String>) -> Vec<String> {
    let names = computed.keys().chain(printed.keys());
    let names: std::collections::BTreeSet<&Name> = names.collect();
    let rows = names.into_iter().filter_map(|name| {
        let (ours, theirs) = (computed.get(name), printed.get(name));
        (ours != theirs).then(|| format!("{name:?}: {ours:?}, Slurm {theirs:?}"))
    });
    rows.collect()
}

#[test]
fn edits_predict_the_factors_that_slurm_printed_after_its_commands() {
    let (mut rows, mut wrong) = (0, Vec::new());
    for folder in cases() {
        let case = folder.file_name().expect("a name").to_string_lossy();
        let refused = REFUSED.iter().find(|(name, _)| *name == case);
        let scenario = match refused {
            None => open(&folder.join("scenario.toml"), None).scenario,
            Some((_, edits)) => {
                let mut scenario = open(&folder.join("before"), None).scenario;
                for edit in *edits {
                    apply(&mut scenario, edit);
                }
                scenario
            }
        };
        let mut scenario = scenario;
        // Slurm cannot rename accounts, so the commands omitted it.
        let edits: Vec<String> = scenario
            .history()
            .edits()
            .into_iter()
            .map(|entry| entry.text.clone())
            .collect();
        if refused.is_none() && edits.iter().any(|edit| edit.starts_with("rename")) {
            scenario = open(&folder.join("before"), None).scenario;
            for edit in edits.iter().filter(|edit| !edit.starts_with("rename")) {
                apply(&mut scenario, &edit.replace("bio2", "bio"));
            }
        }
        for (file, scenario) in [
            ("after.fairshare.psv", &scenario),
            ("rolled-back.fairshare.psv", &rolled_back(&scenario)),
        ] {
            let printed = printed(&folder.join(file));
            let differing = differences(&computed(scenario), &printed);
            rows += printed.len();
            println!(
                "{case}/{file}: {} of {} as Slurm printed them ({})",
                printed.len() - differing.len().min(printed.len()),
                printed.len(),
                scenario.policy().name()
            );
            wrong.extend(
                differing
                    .into_iter()
                    .map(|line| format!("{case}/{file}: {line}")),
            );
        }
    }
    println!("{rows} factors");
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// The factors that a snapshot recorded, with the digits of text.
fn recorded(snapshot: &Snapshot) -> BTreeMap<Name, String> {
    let scenario = Scenario::new(Arc::new(snapshot.clone()), Policy::FairTree);
    let figures = snapshot.recorded.figures(Fact::FairShare).expect("factors");
    let users = users(&scenario).into_iter();
    let rows = users.filter_map(|(name, node)| {
        let factor = figures.get(node)?.value;
        Some((name, format!("{factor:.6}")))
    });
    rows.collect()
}

#[test]
fn golden_edits_predict_the_factors_of_the_second_collection() {
    let Some(root) = golden("slurm_real") else {
        return;
    };
    let (mut rows, mut wrong) = (0, Vec::new());
    let scenarios = files_below(&root).into_iter();
    for scenario in scenarios.filter(|file| file.ends_with("sc.toml")) {
        let folder = scenario.parent().expect("a folder");
        let after = open(&folder.join("s1"), None).scenario;
        // Under classic rules the JSON holds no factor.
        if after.base().recorded.figures(Fact::FairShare).is_none()
            || after.policy() != Policy::FairTree
        {
            println!("{}: no factors of Fair Tree", folder.display());
            continue;
        }
        let recorded = recorded(after.base());
        let predicted = computed(&open(&scenario, None).scenario);
        let differing = differences(&predicted, &recorded);
        rows += recorded.len();
        wrong.extend(
            differing
                .into_iter()
                .map(|line| format!("{}: {line}", folder.display())),
        );
    }
    println!("{rows} factors");
    assert!(
        wrong.is_empty(),
        "{} of {rows} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(rows > 0);
}
