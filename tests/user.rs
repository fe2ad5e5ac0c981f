//! What a tree tells about a user, compared with counting: places, segments of accounts, and what cannot lift anybody.

use crate::support::growth::{self, Accounts, random_tree};
use crate::support::random::Random;
use fairscope::analysis::user::{AssociationStanding, IdleRecoveries, UserStanding};
use fairscope::model::{Kind, NodeId, Settings, Shares, Snapshot, Tree};
use fairscope::rules::policy::{Evaluation, Policy};
use fairscope::scenario::{Edit, Scenario};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Number of trees for each policy.
const TREES: u64 = 300;

const DEPTH_FIRST: [Policy; 5] = [
    Policy::FairTree,
    Policy::FairTreeDocumented,
    Policy::LevelBased,
    Policy::Flux,
    Policy::PbsWalk,
];

/// A tree of 5 to 30 nodes with ties, idle users, nodes without shares, and `parent` shares if the policy has them.
fn tree(random: &mut Random, policy: Policy) -> Snapshot {
    let is_slurm = matches!(
        policy,
        Policy::FairTree | Policy::FairTreeDocumented | Policy::LevelBased
    );
    let count = random.between(5, 30);
    let accounts = Accounts {
        first: 3,
        one_in: Some(4),
    };
    let tree = random_tree(
        random,
        count,
        accounts,
        |random| growth::shares(random, 12, is_slurm, 5),
        |random| (random.below(5) > 0).then(|| random.between(1, 40) as f64),
    );
    growth::snapshot(tree, Settings::default())
}

fn standing(scenario: &Scenario, user: NodeId) -> AssociationStanding {
    UserStanding::of(scenario, &[user]).associations.remove(0)
}

fn users(tree: &Tree) -> impl Iterator<Item = NodeId> {
    let users = tree.nodes().iter().copied();
    users.filter(|&node| tree.kind(node) == Kind::User)
}

fn is_below(tree: &Tree, node: NodeId, account: NodeId) -> bool {
    let mut above = std::iter::successors(Some(node), |&node| tree.parent(node));
    above.any(|node| node == account)
}

/// Returns the ranks below an account, sorted.
fn ranks(tree: &Tree, evaluation: &Evaluation, account: NodeId) -> Vec<u32> {
    let below = users(tree).filter(|&user| is_below(tree, user, account));
    let mut ranks: Vec<u32> = below.filter_map(|user| evaluation.rank(user)).collect();
    ranks.sort_unstable();
    ranks
}

#[test]
fn segments_and_parts_are_those_of_counting() {
    let mut compared = 0;
    for policy in DEPTH_FIRST {
        for seed in 0..TREES {
            let snapshot = Arc::new(tree(&mut Random::new(seed), policy));
            let scenario = Scenario::new(snapshot, policy);
            let (tree, evaluation) = (scenario.tree(), scenario.evaluation());
            let all = ranks(tree, evaluation, NodeId::ROOT);
            for user in users(tree) {
                let standing = standing(&scenario, user);
                let below = ranks(tree, evaluation, tree.parent(user).unwrap());
                let segment = below.first().zip(below.last());
                let segment = segment.map(|(&least, &greatest)| [least, greatest]);
                assert_eq!(standing.segment, segment, "{policy:?} {seed}");
                let rank = evaluation.rank(user);
                assert_eq!(standing.rank, rank);
                assert_eq!(standing.is_best, Some(true));
                let like = all.iter().filter(|&&other| Some(other) == rank).count();
                let tied = standing.explanation.map(|explanation| explanation.tied);
                assert_eq!(tied, Some(like.saturating_sub(1)));
                let part = rank.map(|rank| {
                    all.iter().filter(|&&other| other >= rank).count() as f64 / all.len() as f64
                });
                // Slurm's Fair Tree counts past the ties of accounts.
                if policy != Policy::Pbs {
                    let close = |(one, other): (f64, f64)| (one - other).abs() < 1e-12;
                    assert!(
                        standing.percentile.zip(part).is_none_or(close),
                        "{policy:?} {seed}: {:?} {part:?}",
                        standing.percentile
                    );
                }
                compared += usize::from(segment.is_some());
            }
        }
    }
    assert!(compared > 10_000, "{compared}");
}

#[test]
fn shares_inside_an_account_lift_nobody_above_its_segment() {
    let mut tried = 0;
    for policy in DEPTH_FIRST {
        for seed in 0..TREES {
            let mut random = Random::new(seed);
            let snapshot = Arc::new(tree(&mut random, policy));
            let scenario = Scenario::new(snapshot, policy);
            let tree = scenario.tree();
            for user in users(tree) {
                let standing = standing(&scenario, user);
                let account = tree.parent(user).unwrap();
                let Some([least, _]) = standing.segment.filter(|_| standing.is_block) else {
                    continue;
                };
                let inside: Vec<NodeId> = tree.children(account).collect();
                let mut other = scenario.clone();
                for _ in 0..3 {
                    let node = inside[random.below(inside.len())];
                    let shares = Shares::new(random.between(1, 40).cast_signed());
                    other.apply(Edit::SetShares { node, shares }).unwrap();
                }
                let best = ranks(other.tree(), other.evaluation(), account);
                assert!(
                    best.first().is_none_or(|&best| best >= least),
                    "{policy:?} {seed}: {best:?} {least}"
                );
                tried += 1;
            }
        }
    }
    assert!(tried > 3000, "{tried}");
}

#[test]
fn who_is_on_target_is_so_now_and_others_recover_alone() {
    for seed in 0..20 {
        let snapshot = Arc::new(tree(&mut Random::new(seed), Policy::Flux));
        let scenario = Scenario::new(snapshot, Policy::Flux);
        let (tree, evaluation) = (scenario.tree(), scenario.evaluation());
        for user in users(tree) {
            let mut found = UserStanding::of(&scenario, &[user]);
            let go_on = &mut |_| ControlFlow::Continue(());
            let idle = IdleRecoveries::of(&scenario, &[user], go_on);
            let idle = idle.expect("it is not cancelled");
            let done = found.add_recovery(&scenario, &idle, go_on);
            done.expect("it is not cancelled");
            let standing = found.associations.remove(0);
            let target = Policy::Flux.target(tree, evaluation, user);
            assert_eq!(standing.recovery.is_some(), target.is_some());
            let Some([alone, all]) = standing.recovery else {
                continue;
            };
            let is_now =
                |outcome| matches!(outcome, fairscope::analysis::simulate::RecoveryOutcome::Now);
            let is_met = target.is_some_and(|target| target.is_met);
            assert_eq!(is_now(alone.outcome), is_met);
            assert_eq!(is_now(all.outcome), is_met);
        }
    }
}
