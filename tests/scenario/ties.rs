//! The order of accounts that tie after edits.

use crate::support::associations::drawn;
use crate::support::loading::open;
use fairscope::model::{TieOrder, resolve};
use fairscope::rules::policy::Policy;
use fairscope::scenario::{Scenario, parse};
use std::fs;
use std::sync::Arc;
use tempfile::TempDir;

/// Two accounts that tie; `b` is the newer one.
fn scenario() -> Scenario {
    let mut snapshot = drawn("a/ 1 | 5\n  u 1 | 5\nb/ 1 | 5\n  v 1 | 5\n  w 2 | 0");
    snapshot.settings.slurm.tie_order = TieOrder::Newest;
    Scenario::new(Arc::new(snapshot), Policy::FairTree)
}

/// The rank of `u` in the account that ties.
fn rank(scenario: &Scenario) -> Option<u32> {
    let u = resolve(scenario.tree(), b"a/u").expect("a node");
    scenario.evaluation().rank(u)
}

fn apply(scenario: &mut Scenario, text: &str) {
    let edit = parse(text.as_bytes(), scenario.tree(), scenario.settings()).expect(text);
    scenario.apply(edit).expect(text);
}

#[test]
fn an_update_lists_tied_accounts_by_name_until_it_is_undone() {
    let mut scenario = scenario();
    assert_eq!(rank(&scenario), Some(2));
    for edit in ["wait 1d", "set PriorityDecayHalfLife=1-0"] {
        apply(&mut scenario, edit);
        assert_eq!(rank(&scenario), Some(2), "{edit}");
    }
    apply(&mut scenario, "shares b/w=3");
    assert_eq!(rank(&scenario), Some(1));
    scenario.undo();
    assert_eq!(rank(&scenario), Some(2));
    scenario.redo();
    assert_eq!(rank(&scenario), Some(1));
    scenario.undo();
    let edit = parse(b"add b/x shares=1", scenario.tree(), scenario.settings()).expect("an edit");
    scenario.try_out(edit).expect("it fits");
    assert_eq!(rank(&scenario), Some(1));
    scenario.end_trial();
    assert_eq!(rank(&scenario), Some(2));
}

/// Two accounts that tie, as `sshare -a` prints them: u shares the rank of v, so that b is visited before a.
const BY_AGE: &str = "Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare\nroot|||0.000000|1000|1.000000|\n \
                      a||1|0.500000|500|0.500000|\n  a|u|1|1.000000|500|1.000000|0.666667\n \
                      b||1|0.500000|500|0.500000|\n  b|v|1|0.333333|500|1.000000|0.666667\n  b|w|2|0.666667|0|0.000000|1.000000\n";

#[test]
fn accounts_that_ranks_show_by_age_are_by_name_after_an_update() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("sshare.txt");
    fs::write(&path, BY_AGE).expect("a file");
    let mut scenario = open(&path, None).scenario;
    assert_eq!(rank(&scenario), Some(2));
    apply(&mut scenario, "wait 1d");
    assert_eq!(rank(&scenario), Some(2));
    apply(&mut scenario, "shares b/w=3");
    assert_eq!(rank(&scenario), Some(1));
    scenario.undo();
    assert_eq!(rank(&scenario), Some(2));
}
