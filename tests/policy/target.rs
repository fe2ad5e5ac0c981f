//! The goal "on target", compared with the columns of each policy.

use crate::support::expected::Expected as _;
use crate::support::growth::{self, Accounts, random_tree};
use crate::support::random::Random;
use fairscope::model::{NodeId, Settings, Snapshot, Tree};
use fairscope::rules::policy::formula::FORMULA;
use fairscope::rules::policy::{ColumnId, Policy};
use fairscope::scenario::Scenario;
use std::sync::Arc;

/// A tree of nested accounts: some nodes have no shares or no usage, some `parent` shares if the policy has them.
fn snapshot(random: &mut Random, policy: Policy) -> Snapshot {
    let is_slurm = policy.columns().contains(&ColumnId::NormShares);
    let count = random.between(5, 20);
    let tree = random_tree(
        random,
        count,
        Accounts {
            first: 3,
            one_in: Some(4),
        },
        |random| growth::shares(random, 10, is_slurm, 9),
        |random| (random.below(3) > 0).then(|| random.between(1, 9) as f64 * 100.0),
    );
    let mut settings = Settings::default();
    settings.set(FORMULA, "1000 * fairshare_factor").unwrap();
    growth::snapshot(tree, settings)
}

/// Returns the first twelve digits of a number near 1: to these the two sides are compared.
fn twelve(number: f64) -> f64 {
    (number * 1e12).round()
}

/// The definition for each policy, from the columns that `show` prints.
fn by_columns(scenario: &Scenario, tree: &Tree, node: NodeId) -> Option<bool> {
    let number = |column, node| scenario.evaluation().number(column, node);
    if node == NodeId::ROOT || tree.shares(node).is_parent() {
        return None;
    }
    match scenario.policy() {
        Policy::FairTree | Policy::FairTreeDocumented => {
            Some(twelve(number(ColumnId::LevelFs, node)?) >= 1e12)
        }
        Policy::Flux => Some(twelve(number(ColumnId::Weight, node)?) >= 1e12),
        Policy::LevelBased => {
            let [used, share] = [ColumnId::EffectvUsage, ColumnId::NormShares];
            Some(twelve(number(used, node)?) <= twelve(number(share, node)?))
        }
        Policy::Classic | Policy::DepthOblivious | Policy::Tickets => {
            let all = number(ColumnId::Usage, NodeId::ROOT)?;
            let used = number(ColumnId::Usage, node)?;
            let share = number(ColumnId::NormShares, node)?;
            Some(used == 0.0 || twelve(used / all) <= twelve(share))
        }
        Policy::Pbs | Policy::PbsWalk | Policy::Formula => {
            let all = number(ColumnId::Usage, NodeId::ROOT)?;
            let share = number(ColumnId::FairsharePerc, node)?;
            // Where no usage is recorded, whoever has a target has not reached it.
            let has_record = tree
                .nodes()
                .iter()
                .any(|&node| tree.usage(node).amount() > Some(0.0));
            Some(if has_record {
                twelve(number(ColumnId::Usage, node)? / all) <= twelve(share)
            } else {
                share > 0.0
            })
        }
    }
}

#[test]
fn on_target_compares_used_and_target_portions_under_every_policy() {
    for &policy in Policy::ALL {
        let mut random = Random::new(13);
        let mut seen = [0, 0, 0];
        for case in 0..300 {
            let scenario = Scenario::new(Arc::new(snapshot(&mut random, policy)), policy);
            let tree = scenario.tree();
            for &node in tree.nodes() {
                let target = policy.target(tree, scenario.evaluation(), node);
                let is_met = target.map(|target| target.is_met);
                let name = policy.name();
                assert_eq!(
                    is_met,
                    by_columns(&scenario, tree, node),
                    "{name} case {case}"
                );
                seen[is_met.map_or(2, usize::from)] += 1;
                if let Some(target) = target {
                    let portions = policy.portions(scenario.evaluation(), node);
                    assert_eq!(portions, Some((target.share, target.used)));
                    // If the portions differ clearly, both definitions agree.
                    if target.used > target.share * 1.001 {
                        assert!(!target.is_met, "{name} case {case}: {target:?}");
                    }
                    if target.used < target.share * 0.999 {
                        assert!(target.is_met, "{name} case {case}: {target:?}");
                    }
                }
            }
        }
        assert!(
            seen.iter().all(|&count| count > 200),
            "{}: {seen:?}",
            policy.name()
        );
    }
}

#[test]
fn a_ranking_factor_of_one_half_does_not_mean_on_target() {
    let from_the_end = "(users - rank) / users";
    for policy in [
        Policy::FairTree,
        Policy::FairTreeDocumented,
        Policy::Flux,
        Policy::LevelBased,
    ] {
        let help = policy.column_help(ColumnId::Factor);
        let is_of_ranking =
            help.contains(from_the_end) || help.contains("users at this rank or below");
        assert!(is_of_ranking, "{}: {help}", policy.name());
        policy
            .column_help(ColumnId::Balance)
            .must_contain("the level");
    }
    for policy in Policy::ALL {
        let help = policy.column_help(ColumnId::Factor);
        assert!(!help.contains("on target"), "{}: {help}", policy.name());
    }
    let help = Policy::Classic.column_help(ColumnId::Factor);
    help.must_contain("0.5 where effective usage is the target");
}
