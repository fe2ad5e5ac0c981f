//! One bank of a larger tree of Flux, as `flux account view-bank BANK -t` prints it.

use crate::support::loading::open;
use fairscope::model::{Incomplete, NodeId};
use std::fs;
use tempfile::TempDir;

const HEADER: &str = "Bank              Username    Active    RawShares    RawUsage    Fairshare\n";

/// Opens the bank with these stored factors of its three users.
fn opened(factors: [&str; 3]) -> fairscope::open::opened::Opened {
    let [first, second, third] = factors;
    let table = format!(
        "{HEADER}account1                      true          1000       121.0\n \
         account1         leaf.1.1    true         10000       100.0    {first}\n \
         account1         leaf.1.2    true          1000        11.0    {second}\n \
         account1         leaf.1.3    true        100000        10.0    {third}\n"
    );
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("view-bank.txt");
    fs::write(&path, table).unwrap();
    open(&path, None)
}

#[test]
fn factors_of_a_larger_tree_are_no_older_ones() {
    let opened = opened(["0.285714", "0.142857", "0.428571"]);
    let verification = &opened.source.verification;
    assert_eq!(verification.unverified, Some(Incomplete::OneBank));
    assert_eq!(verification.stale, None);
    assert!(!verification.differs());
    let evaluation = opened.scenario.evaluation();
    for &user in &opened.scenario.tree().nodes()[1..] {
        assert_eq!(evaluation.rank(user), None);
    }
    let second = NodeId::from_index(1);
    assert_eq!(evaluation.least_rank(second), Some(2));
}

#[test]
fn factors_in_another_order_are_older_ones() {
    let opened = opened(["0.428571", "0.142857", "0.285714"]);
    assert_eq!(opened.source.verification.unverified, None);
    assert!(opened.source.verification.stale.is_some());
}
