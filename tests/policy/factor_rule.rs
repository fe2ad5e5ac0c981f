//! The factor as a function of share and usage, compared with the factors that each policy computes.

use crate::support::loading::load_quietly;
use fairscope::format::Request;
use fairscope::model::NodeId;
use fairscope::rules::policy::{ColumnId, FactorRule, Policy};
use fairscope::scenario::Scenario;
use std::sync::Arc;

/// Returns an example under a policy.
fn example(name: &str, policy: Policy) -> Scenario {
    let request = Request::to_open(format!("example:{name}"));
    let loaded = load_quietly(&request);
    let snapshot = loaded.expect("it is built in").snapshot;
    Scenario::new(Arc::new(snapshot), policy)
}

#[test]
fn the_rule_gives_the_factors_of_the_policy() {
    let mut checked = 0;
    for name in ["small", "buckets", "equal150", "objective", "flux"] {
        for policy in Policy::ALL {
            let scenario = example(name, *policy);
            let Some(rule) = policy.factor_rule(scenario.settings()) else {
                continue;
            };
            let (usage, factor) = match policy {
                Policy::Pbs => (ColumnId::FairshareTreeUsage, ColumnId::FairshareFactor),
                Policy::LevelBased => (ColumnId::EffectvUsage, ColumnId::BucketFactor),
                _ => (ColumnId::EffectvUsage, ColumnId::Factor),
            };
            let numbers = scenario.evaluation();
            for &node in scenario.tree().nodes() {
                let number = |column| numbers.number(column, node);
                let share = policy.portions(numbers, node).map(|(share, _)| share);
                let (Some(share), Some(used), Some(factor)) =
                    (share, number(usage), number(factor))
                else {
                    continue;
                };
                if node == NodeId::ROOT {
                    continue;
                }
                let found = rule.factor(share, used);
                // PBS computes with 24 bits of mantissa.
                let is_near = (found - factor).abs() <= 1e-6;
                assert!(is_near, "{name}, {policy:?}: {found}, not {factor}");
                checked += 1;
            }
        }
    }
    assert!(checked > 500, "{checked} factors");
}

#[test]
fn without_a_share_the_factor_is_0_and_under_level_based_1() {
    let classic = FactorRule::Classic { dampening: 5 };
    let bits = |rule: FactorRule, share, usage| rule.factor(share, usage).to_bits();
    for usage in [0.0, 0.5, 1.0] {
        assert_eq!(bits(classic, 0.0, usage), 0.0_f64.to_bits());
        assert_eq!(bits(FactorRule::LevelBased, 0.0, usage), 1.0_f64.to_bits());
    }
    // Where the usage is S', the factor is a half.
    let half = 0.5_f64.to_bits();
    assert_eq!(bits(classic, 0.1, 0.5), half);
    assert_eq!(bits(FactorRule::LevelBased, 1.0, 1.0), half);
}
