//! Policies without captures: the computed numbers, printed as the scheduler would, are verified.

use crate::support::associations::drawn;
use crate::support::expected::Expected as _;
use fairscope::base::number::Value;
use fairscope::model::{Fact, Figure, Incomplete, Recorded, Scheduler, Snapshot, UsagePrecision};
use fairscope::report::words::verify as words;
use fairscope::rules::policy::{ColumnId, Policy};
use fairscope::trust::verify::KnownSetting;
use fairscope::trust::verify::{Verification, verify_dump};
use std::sync::Arc;

const TREE: &str = "\
a/ 3
  u 1 | 700
  v 2 | 900
b/ 1
  c/ 1
    w 1 | 300
  x 1 | 50";

/// A snapshot with one recorded column of a policy's numbers, with six decimals, and with the policy's words.
fn recorded(policy: Policy, fact: Fact, change: impl Fn(f64) -> f64) -> Snapshot {
    let mut snapshot = drawn(TREE);
    let evaluation = policy.evaluate(&snapshot.tree, &snapshot.settings);
    let mut recorded = Recorded::default();
    recorded.usage_precision = UsagePrecision::Exact;
    for &node in snapshot.tree.nodes() {
        if let Some(factor) = evaluation.number(policy.factor_column(), node) {
            let value = (change(factor) * 1e6).round() / 1e6;
            recorded.set(fact, node, Figure { value, decimals: 6 });
        }
        if let Value::Word(word) = evaluation.value(ColumnId::PriorityFsRaw, node) {
            recorded.set_text(Fact::FairShareRaw, node, &format!("{word:X}"));
        }
    }
    snapshot.recorded = Arc::new(recorded);
    snapshot
}

fn counts(verification: &Verification, fact: Fact) -> (usize, usize) {
    let column = verification
        .columns
        .iter()
        .find(|column| column.fact == fact);
    column.map_or((0, 0), |column| (column.rows, column.equal))
}

#[test]
fn words_of_level_based_are_verified_and_identify_the_policy() {
    let snapshot = recorded(Policy::LevelBased, Fact::FairShare, |factor| factor);
    let verification = verify_dump(&snapshot, Policy::LevelBased, Policy::LevelBased);
    assert_eq!(counts(&verification, Fact::FairShareRaw), (8, 8));
    assert_eq!(counts(&verification, Fact::FairShare), (4, 4));
    let detected = verification.detected.expect("a rule");
    assert_eq!(
        (detected.policy, detected.certain),
        (Policy::LevelBased, true)
    );
}

#[test]
fn an_altered_word_differs() {
    let mut snapshot = recorded(Policy::LevelBased, Fact::FairShare, |factor| factor);
    let mut altered = (*snapshot.recorded).clone();
    let last = *snapshot.tree.nodes().last().expect("a node");
    altered.set_text(Fact::FairShareRaw, last, "1234");
    snapshot.recorded = Arc::new(altered);
    let verification = verify_dump(&snapshot, Policy::LevelBased, Policy::LevelBased);
    assert!(verification.differs());
    assert_eq!(verification.stale, None);
}

fn of_flux(change: impl Fn(f64) -> f64) -> Verification {
    let mut snapshot = recorded(Policy::Flux, Fact::FluxFairshare, change);
    snapshot.settings.scheduler = Some(Scheduler::Flux);
    verify_dump(&snapshot, Policy::Flux, Policy::Flux)
}

#[test]
fn factors_stored_by_flux_are_verified_to_six_decimals() {
    let verification = of_flux(|factor| factor);
    assert_eq!(counts(&verification, Fact::FluxFairshare), (4, 4));
    assert_eq!(verification.stale, None);
}

#[test]
fn factors_stored_by_flux_for_other_usage_are_reported_as_older() {
    let verification = of_flux(|_| 0.5);
    let stale = words::stale(&verification.stale.expect("an answer"));
    stale.must_begin("3 of 4 stored fairshare are older");
}

#[test]
fn partial_trees_are_not_verified() {
    let mut snapshot = recorded(Policy::FairTree, Fact::FairShare, |factor| factor);
    let mut part = (*snapshot.recorded).clone();
    part.incomplete = Some(Incomplete::SshareOwn);
    snapshot.recorded = Arc::new(part);
    let verification = verify_dump(&snapshot, Policy::FairTree, Policy::FairTree);
    assert_eq!(verification.columns, []);
    assert_eq!(verification.detected, None);
    assert_eq!(verification.unverified, Some(Incomplete::SshareOwn));
}

#[test]
fn the_dampening_factor_is_found_from_the_factors() {
    let mut snapshot = drawn(TREE);
    snapshot
        .settings
        .set("FairShareDampeningFactor", "7")
        .expect("a setting");
    let evaluation = Policy::Classic.evaluate(&snapshot.tree, &snapshot.settings);
    snapshot
        .settings
        .set("FairShareDampeningFactor", "1")
        .expect("a setting");
    let mut recorded = Recorded::default();
    for (fact, column) in [
        (Fact::NormShares, ColumnId::NormShares),
        (Fact::EffectvUsage, ColumnId::EffectvUsage),
        (Fact::FairShare, ColumnId::Factor),
    ] {
        for &node in snapshot.tree.nodes() {
            let value = evaluation.number(column, node).expect("a number");
            let value = (value * 1e6).round() / 1e6;
            recorded.set(fact, node, Figure { value, decimals: 6 });
        }
    }
    snapshot.recorded = Arc::new(recorded);
    let detected = verify_dump(&snapshot, Policy::Classic, Policy::Classic)
        .detected
        .expect("a rule");
    assert_eq!(detected.policy, Policy::Classic);
    assert_eq!(detected.settings, [KnownSetting::Dampening(7)]);
}
