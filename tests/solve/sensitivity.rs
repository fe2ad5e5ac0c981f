//! What a rank depends on.

use crate::support::trees::{SEED, pbs};
use fairscope::analysis::solve::{Standing, sensitivity};
use fairscope::model::{Shares, path_of, resolve};
use fairscope::rules::policy::Policy;
use fairscope::scenario::{Edit, Scenario};
use std::ops::ControlFlow;
use std::sync::Arc;

#[test]
fn sensitivity_gives_the_nearest_shares_that_change_the_rank() {
    for &policy in Policy::ALL {
        if policy == Policy::Formula {
            continue;
        }
        let scenario = Scenario::new(Arc::new(pbs(SEED)), policy);
        for name in ["scott", "suzy", "cathy", "bob", "group1"] {
            let node = resolve(scenario.tree(), name.as_bytes()).unwrap();
            let found = sensitivity(&scenario, node, &mut |_| ControlFlow::Continue(())).unwrap();
            let now = found.shares.count().unwrap();
            let mut trial = scenario.clone();
            let mut rank = |count: i64| {
                let shares = Shares::new(count);
                trial.try_out(Edit::SetShares { node, shares }).unwrap();
                Standing::of(policy, trial.tree(), trial.evaluation(), node).rank
            };
            let what = format!("{} {name}", policy.name());
            let is_new = |count: &i64, rank: Option<u32>| {
                (rank != found.standing.rank).then_some((*count, rank))
            };
            let least = i64::from(policy == Policy::Flux && name == "group1");
            let fewer = (least..now)
                .rev()
                .find_map(|count| is_new(&count, rank(count)));
            let turn = found.fewer.map(|turn| (turn.shares, turn.rank));
            assert_eq!(turn, fewer, "{what}");
            let more = (now..now + 1000).find_map(|count| is_new(&count, rank(count)));
            let turn = found.more.map(|turn| (turn.shares, turn.rank));
            let turn = turn.filter(|&(shares, _)| shares < now + 1000);
            assert_eq!(turn, more, "{what}");
        }
    }
}

#[test]
fn users_ahead_are_counted_at_the_level_where_paths_diverge() {
    let scenario = Scenario::new(Arc::new(pbs(SEED)), Policy::FairTree);
    let scott = resolve(scenario.tree(), b"scott").unwrap();
    let found = sensitivity(&scenario, scott, &mut |_| ControlFlow::Continue(())).unwrap();
    let counts: Vec<usize> = found.levels.iter().map(|level| level.users_ahead).collect();
    assert_eq!(counts, [2, 1]);
    let rank = found.standing.rank.unwrap() as usize;
    assert_eq!(rank, 1 + counts.iter().sum::<usize>());
}

#[test]
fn a_rival_without_usage_counts_as_never_run() {
    let scenario = Scenario::new(Arc::new(pbs(SEED)), Policy::Pbs);
    let cathy = resolve(scenario.tree(), b"cathy").unwrap();
    let found = sensitivity(&scenario, cathy, &mut |_| ControlFlow::Continue(())).unwrap();
    let paths: Vec<String> = found
        .rivals
        .iter()
        .map(|rival| path_of(scenario.tree(), rival.node).unwrap())
        .collect();
    // suzy is not a sibling, and `unknown` has no usage.
    assert_eq!(paths, ["group1/bob", "group2"]);
    let mut without = scenario.clone();
    let edit = Edit::SetUsage {
        node: resolve(scenario.tree(), b"bob").unwrap(),
        usage: fairscope::model::Usage::new(0.0),
    };
    without.apply(edit).unwrap();
    let standing = Standing::of(Policy::Pbs, without.tree(), without.evaluation(), cathy);
    assert_eq!(found.rivals[0].without, standing);
}
