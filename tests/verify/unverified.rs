//! A source that is shown before it is verified: with its printed numbers, and no others.

use super::{FACTS, loaded};
use crate::support::files::files_below;
use crate::support::loading::{load_quietly, request};
use crate::support::{data, trees};
use fairscope::model::{Fact, Kind};
use fairscope::rules::policy::{ColumnId, Policy};
use fairscope::source::format::{Loaded, Request, SavedScenario};
use fairscope::source::opened::{Opened, Unverified};
use fairscope::source::verify::Verification;
use std::path::PathBuf;

/// A dump of Fair Tree.
const DUMP: &str = "\
Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|LevelFS
root|||0.000000|300||1.000000||
 a||1|1.000000|300|1.000000|1.000000||1.000000
  a|ann|1|0.500000|100|0.333333|0.333333|1.000000|1.500000
  a|bob|1|0.500000|200|0.666667|0.666667|0.500000|0.750000
";

fn read(text: &str) -> Loaded {
    loaded(text, &Request::default())
}

/// Returns the source as it was printed and as it is verified, for all dumps of Slurm's that can be shown before they
/// are verified.
fn dumps() -> Vec<(PathBuf, Opened, Opened)> {
    let dumps = files_below(&data("slurm")).into_iter().filter_map(|file| {
        let name = file.file_name()?.to_string_lossy().into_owned();
        let loaded = load_quietly(&request(&file)).ok()?;
        let unverified = Unverified::new(loaded, None);
        let printed = unverified
            .as_printed()
            .filter(|_| name.starts_with("sshare"))?;
        Some((file, printed, unverified.verified()))
    });
    let dumps: Vec<_> = dumps.collect();
    assert!(dumps.len() > 10);
    dumps
}

#[test]
fn every_number_is_as_it_was_printed_and_the_others_are_blank() {
    for (file, printed, _) in dumps() {
        let scenario = &printed.scenario;
        let (numbers, snapshot) = (scenario.evaluation(), scenario.base());
        let tree = &snapshot.tree;
        let mut count = 0;
        for &node in tree.nodes() {
            for fact in FACTS {
                let column = ColumnId::computing(fact).expect("policies compute it");
                let is_account = tree.kind(node) == Kind::Account;
                // Some outputs print 0 where Fair Tree has no factor.
                let has_number = !(is_account
                    && fact == Fact::FairShare
                    && scenario.policy() == Policy::FairTree);
                let recorded = snapshot.recorded.figure(fact, node);
                let recorded = recorded.filter(|_| has_number).map(|figure| figure.value);
                let shown = numbers.number(column, node);
                let is_shown = scenario.policy().columns().contains(&column);
                assert!(
                    shown == recorded || !is_shown,
                    "{}: {fact:?} {shown:?} {recorded:?}",
                    file.display()
                );
                count += usize::from(shown.is_some());
            }
            let usage = tree.usage(node).amount();
            let shown = numbers.number(ColumnId::Usage, node);
            assert_eq!(shown, usage, "{}: {node:?}", file.display());
        }
        assert!(count > 0, "{}", file.display());
        assert_eq!(printed.verification, Verification::default());
    }
}

#[test]
fn the_printed_ranks_are_those_of_a_verified_dump() {
    let mut compared = 0;
    for (file, printed, verified) in dumps() {
        let found = &verified.verification;
        let is_same_rule = printed.scenario.policy() == verified.scenario.policy();
        if found.differs() || found.stale.is_some() || !is_same_rule {
            continue;
        }
        let (before, after) = (
            printed.scenario.evaluation(),
            verified.scenario.evaluation(),
        );
        for &node in printed.scenario.tree().nodes() {
            assert_eq!(before.rank(node), after.rank(node), "{}", file.display());
        }
        compared += 1;
    }
    assert!(compared > 5, "{compared}");
}

#[test]
fn an_unverified_source_is_opened_as_any_other() {
    let (one, other) = (read(DUMP), read(DUMP));
    let at_once = Opened::new(one, None);
    let later = Unverified::new(other, None).verified();
    assert_eq!(at_once.verification, later.verification);
    assert_eq!(at_once.scenario.policy(), later.scenario.policy());
}

#[test]
fn what_would_not_be_sure_as_printed_is_verified_first() {
    let is_shown = |loaded: Loaded, policy: Option<Policy>| {
        Unverified::new(loaded, policy).as_printed().is_some()
    };
    assert!(is_shown(read(DUMP), None));
    assert!(is_shown(read(DUMP), Some(Policy::FairTree)));
    // Its numbers would stand below the name of another policy.
    assert!(!is_shown(read(DUMP), Some(Policy::Classic)));
    assert!(!is_shown(read(DUMP), Some(Policy::Pbs)));
    // An edit needs numbers that were not printed.
    let mut edited = read(DUMP);
    edited.scenarios.push(SavedScenario::default());
    assert!(!is_shown(edited, None));
    // A part of the tree has no levels to sum, and is never computed.
    let users: String = DUMP
        .lines()
        .filter(|line| !line.contains("|bob|"))
        .map(|line| line.to_owned() + "\n")
        .collect();
    let part = read(&users);
    assert!(part.snapshot.recorded.incomplete.is_some());
    assert!(!is_shown(part, None));
    // Ranks follow from printed factors alone.
    let without: String = DUMP
        .lines()
        .map(|line| line.rsplitn(3, '|').last().unwrap_or_default().to_owned() + "\n")
        .collect();
    assert!(!is_shown(read(&without), None));
    assert!(!is_shown(trees::loaded(trees::pbs(trees::SEED)), None));
}
