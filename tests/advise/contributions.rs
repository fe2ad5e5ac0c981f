//! Shares by contributions keep their order.

use crate::support::growth::{self, Sprout, grown};
use crate::support::random::Random;
use fairscope::analysis::advise::advise;
use fairscope::model::{Kind, NodeId, Settings, Shares};
use fairscope::rules::policy::Policy;
use fairscope::scenario::Scenario;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The number of random levels.
const LEVELS: u64 = 700;

/// Gives accounts shares by contributions, of a level with this sum, and returns them in order.
fn given(contributions: &[f64], sum: i64) -> Vec<i64> {
    let count = contributions.len();
    let tree = grown(count, |number, _| Sprout {
        account: 0,
        kind: Kind::Account,
        shares: Shares::new(if number == 0 { sum } else { 0 }),
        usage: None,
    });
    let snapshot = growth::snapshot(tree, Settings::default());
    let scenario = Scenario::new(Arc::new(snapshot), Policy::FairTree);
    let nodes: Vec<NodeId> = scenario.tree().nodes()[1..].to_vec();
    let worth: BTreeMap<NodeId, f64> = nodes
        .iter()
        .copied()
        .zip(contributions.iter().copied())
        .collect();
    let advice = advise(
        &scenario,
        &worth,
        Vec::new(),
        i64::from(i32::MAX),
        &mut |_| 0.0,
    )
    .unwrap();
    let shares = nodes
        .iter()
        .map(|&node| advice.after.tree().shares(node).count().unwrap());
    shares.collect()
}

#[test]
fn who_contributed_more_never_gets_fewer_shares() {
    for seed in 0..LEVELS {
        let random = &mut Random::new(seed);
        let count = 2 + random.below(12);
        let contributions: Vec<f64> = (0..count)
            .map(|_| match random.below(4) {
                0 => random.between(1, 10_000) as f64 / 100.0,
                1 => random.between(1, 9) as f64,
                2 => random.between(1, 1_000_000) as f64,
                _ => 10.0_f64.powi(i32::try_from(random.below(12)).unwrap() - 4),
            })
            .collect();
        let sum = i64::try_from(count as u64 + random.below(200) as u64).unwrap();
        let shares = given(&contributions, sum);
        assert_eq!(shares.iter().sum::<i64>(), sum, "seed {seed}");
        for (one, &worth) in contributions.iter().enumerate() {
            assert!(
                shares[one] >= 1,
                "seed {seed}: {contributions:?} {shares:?}"
            );
            for (other, &less) in contributions.iter().enumerate() {
                let is_kept = worth <= less || shares[one] >= shares[other];
                assert!(is_kept, "seed {seed}: {contributions:?} {shares:?}");
            }
        }
    }
}

#[test]
fn a_small_level_gives_the_larger_contribution_no_fewer_shares() {
    let contributions = [63.39, 31.87, 0.5, 0.4, 0.3];
    let shares = given(&contributions, 6);
    assert_eq!(shares, [2, 1, 1, 1, 1]);
}
