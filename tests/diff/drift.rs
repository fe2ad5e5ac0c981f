//! The edits that give a tree the shares of a file: as many as nodes differ, and nothing else.

use crate::support::loading::open;
use crate::support::{golden, laws};
use fairscope::analysis::diff::Diff;
use fairscope::format::native::write_tree;
use fairscope::model::{
    Kind, NodeId, Position, Recorded, Settings, Shares, Snapshot, Source, Tree, TreeBuilder, Usage,
    path_of,
};
use fairscope::open::desired::{DesiredFile, Drift};
use fairscope::rules::policy::Policy;
use fairscope::scenario::{Edit, Scenario};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// A node: its account among those before it, whether it is an account, its shares, and its new shares.
type Seedling = (Index, bool, i64, Option<i64>);

fn seedlings() -> impl Strategy<Value = Vec<Seedling>> {
    let change = prop_oneof![2 => Just(None), 1 => (0_i64..9).prop_map(Some)];
    vec((any::<Index>(), any::<bool>(), 0_i64..9, change), 1..40)
}

/// Returns a scenario on a random tree, and one with other shares and with `added` below its accounts.
fn edited(seedlings: &[Seedling], added: &[Seedling]) -> (Scenario, Scenario) {
    let mut builder = TreeBuilder::new(b"root");
    let mut accounts = vec![NodeId::ROOT];
    for (place, (account, is_account, shares, _)) in seedlings.iter().enumerate() {
        // A user has the same name in several accounts.
        let name = if *is_account {
            format!("a{place}")
        } else {
            format!("u{}-{}", place % 3, place / 20)
        };
        let (parent, kind) = (
            *account.get(&accounts),
            if *is_account {
                Kind::Account
            } else {
                Kind::User
            },
        );
        let name = builder.intern(name.as_bytes());
        let node = builder.push(parent, name, kind, Position::Last);
        builder.set_shares(node, Shares::new(*shares));
        if *is_account {
            accounts.push(node);
        }
    }
    let snapshot = Snapshot::new(
        builder.build(),
        Settings::default(),
        Source::default(),
        Recorded::default(),
    );
    let plain = Scenario::new(Arc::new(snapshot), Policy::FairTree);
    let mut edited = plain.clone();
    for (place, (.., change)) in seedlings.iter().enumerate() {
        if let Some(shares) = change {
            let (node, shares) = (NodeId::from_index(place + 1), Shares::new(*shares));
            edited.apply(Edit::SetShares { node, shares }).unwrap();
        }
    }
    for (place, (account, is_account, shares, _)) in added.iter().enumerate() {
        let node = NodeId::from_index(edited.tree().id_count());
        let add = Edit::Add {
            parent: *account.get(&accounts),
            name: format!("new{place}").into_bytes(),
            partition: None,
            kind: if *is_account {
                Kind::Account
            } else {
                Kind::User
            },
            shares: Shares::new(*shares),
            usage: Usage::NONE,
        };
        edited.apply(add).unwrap();
        if *is_account {
            accounts.push(node);
        }
    }
    (plain, edited)
}

fn shares(tree: &Tree) -> BTreeMap<String, Shares> {
    let nodes = tree.nodes().iter().skip(1);
    nodes
        .map(|&node| (path_of(tree, node).unwrap(), tree.shares(node)))
        .collect()
}

fn read(path: &Path, below: Option<&[u8]>) -> DesiredFile {
    DesiredFile::read(path, below.map(<[u8]>::to_vec), &mut |_| {
        ControlFlow::Continue(())
    })
    .unwrap()
}

/// Checks that the edits lead to the tree of `wanted`, and that there is one for each node that differs.
fn check(plain: &Scenario, wanted: &Tree, file: &Path) {
    let drift = Drift::between(plain, &read(file, None)).unwrap();
    assert_eq!(drift.problems.list(), []);
    let (was, is) = (shares(plain.tree()), shares(wanted));
    assert_eq!(shares(drift.edited.tree()), is);
    let differing = is
        .iter()
        .filter(|&(path, shares)| was.get(path) != Some(shares))
        .count();
    assert_eq!(drift.differing + drift.missing, differing);
    let lines = drift
        .edited
        .history()
        .edits()
        .into_iter()
        .map(|entry| entry.text.lines().count());
    assert_eq!(lines.sum::<usize>(), differing);
    assert_eq!((drift.named, drift.unnamed), (is.len(), 0));
}

proptest! {
    #![proptest_config(laws(200))]

    #[test]
    fn a_list_written_from_an_edited_tree_gives_its_shares(
        seedlings in seedlings(), added in seedlings(), is_reversed in any::<bool>(), mark in 0_usize..4
    ) {
        let added: Vec<Seedling> = added.into_iter().map(|it| (it.0, false, it.2, it.3)).collect();
        let (plain, edited) = edited(&seedlings, &added);
        let mark = [",", ";", "\t", "|"][mark];
        let mut lines: Vec<String> = shares(edited.tree())
            .into_iter()
            .map(|(path, shares)| format!("{path}{mark}{shares}\n"))
            .collect();
        if is_reversed {
            lines.reverse();
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("shares");
        // A path of one step tells no account, so it may be a new name by mistake.
        let lines = lines.concat().replace("new", "/new").replace("//new", "/new");
        std::fs::write(&file, lines).unwrap();
        check(&plain, edited.tree(), &file);
    }

    #[test]
    fn a_tree_written_after_edits_gives_its_shares(seedlings in seedlings(), added in seedlings()) {
        let (plain, edited) = edited(&seedlings, &added);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tree.toml");
        std::fs::write(&file, write_tree(plain.base(), edited.tree(), None)).unwrap();
        check(&plain, edited.tree(), &file);
    }
}

/// Reads the labs of a version and their shares.
fn labs(file: &Path) -> BTreeMap<String, i64> {
    let text = std::fs::read_to_string(file).unwrap();
    let mut labs = BTreeMap::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let (name, shares) = line.split_once(',').unwrap();
        labs.entry(name.trim().to_owned())
            .or_insert_with(|| shares.trim().parse().unwrap());
    }
    labs
}

#[test]
fn golden_steps_of_a_census_dilute_those_that_its_own_sums_dilute() {
    let Some(census) = golden("public/fasrc_census") else {
        return;
    };
    let log = std::fs::read_to_string(census.join("GITLOG.txt")).unwrap();
    let files = std::fs::read_dir(&census).unwrap();
    let files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    let file_of = |line: &str| {
        let ending = format!("_{}.csv", line.split(' ').next().unwrap());
        let is_it = |file: &&std::path::PathBuf| file.to_string_lossy().ends_with(&ending);
        files.iter().find(is_it).unwrap().clone()
    };
    // The log begins with the newest.
    let mut versions: Vec<_> = log.lines().map(file_of).collect();
    versions.reverse();
    assert_eq!(versions.len(), 93);
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("tree.csv");
    let began = Instant::now();
    let (mut losses, mut gains) = (Vec::new(), Vec::new());
    for pair in versions.windows(2) {
        let (old, new) = (labs(&pair[0]), labs(&pair[1]));
        let mut text = "parent,name,shares,usage,type\n".to_owned();
        for (lab, shares) in &old {
            writeln!(text, ",{lab},{shares},,account").unwrap();
        }
        std::fs::write(&source, text).unwrap();
        let opened = open(&source, Some(Policy::FairTree));
        let drift = Drift::between(&opened.scenario, &read(&pair[1], Some(b"/"))).unwrap();
        let name = pair[1].file_name().unwrap().to_string_lossy().into_owned();
        assert_eq!(drift.problems.list(), [], "{name}");
        // Labs that are not named stay, so the sum is that of the old labs with what the new list changes and adds.
        let before: i64 = old.values().sum();
        let stay = old.iter().filter(|(lab, _)| !new.contains_key(*lab));
        let after: i64 =
            new.values().sum::<i64>() + stay.clone().map(|(_, shares)| shares).sum::<i64>();
        assert_eq!(drift.unnamed, stay.count(), "{name}");
        let differing = new
            .iter()
            .filter(|&(lab, shares)| old.get(lab) != Some(shares))
            .count();
        assert_eq!(drift.differing + drift.missing, differing, "{name}");
        let change = before as f64 / after as f64 - 1.0;
        let dilution = Diff::between(&opened.scenario, &drift.edited).target_shifts();
        let ours = [dilution.lost, dilution.gained].map(|shift| shift.most.abs() > 0.01);
        assert_eq!(ours, [change < -0.01, change > 0.01], "{name}: {change}");
        if change.abs() > 0.001 {
            let most = dilution.lost.most + dilution.gained.most;
            assert!((most - change).abs() < 1e-9, "{name}: {most}, not {change}");
        }
        losses.extend(ours[0].then(|| name.clone()));
        gains.extend(ours[1].then(|| name.clone()));
    }
    println!(
        "92 steps in {:?}: {} take more than 1% from labs that they do not touch, {} give it\nlosses: {losses:?}\ngains: {gains:?}",
        began.elapsed(),
        losses.len(),
        gains.len()
    );
    assert_eq!((losses.len(), gains.len()), (22, 2));
}

/// A file of 20,000 accounts and users takes no longer than the tree takes to be read.
#[test]
fn a_long_list_is_compared_in_time_that_grows_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let [source, file] = ["tree.csv", "new.csv"].map(|name| folder.path().join(name));
    let mut tree = "parent,name,shares,usage,type\n".to_owned();
    let mut list = "path,shares\n".to_owned();
    for account in 0..200 {
        writeln!(tree, ",a{account},1,,account").unwrap();
        for user in 0..100 {
            if user < 50 {
                writeln!(tree, "a{account},u{user},1,5,user").unwrap();
            }
            writeln!(list, "a{account}/u{user},{}", user % 7).unwrap();
        }
    }
    std::fs::write(&source, tree).unwrap();
    std::fs::write(&file, list).unwrap();
    let opened = open(&source, Some(Policy::FairTree));
    let began = Instant::now();
    let drift = Drift::between(&opened.scenario, &read(&file, None)).unwrap();
    println!("20,000 lines in {:?}", began.elapsed());
    assert_eq!(
        (drift.missing, drift.named, drift.unnamed),
        (10_000, 20_000, 200)
    );
    assert_eq!(drift.edited.history().edits().len(), 1);
}
