//! Answers that hold only for one or two counts of shares: decided by rounding, or just above zero shares.

use crate::support::associations::drawn;
use fairscope::analysis::solve::{Effort, Goal, ShareQuestion, Standing, solve_with};
use fairscope::model::{Settings, Shares, Snapshot, resolve};
use fairscope::rules::policy::Policy;
use fairscope::scenario::{Edit, Scenario};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Almost no counts are tried unconditionally, so that the search must find the counts between them.
const LEAST: Effort = Effort {
    scanned: 3,
    per_octave: 2,
    tried_back: 8,
    patience: 10_000,
};

/// A drawn tree under a policy with these settings.
fn scenario(drawing: &str, policy: Policy, settings: Settings) -> Scenario {
    let snapshot = Snapshot {
        settings,
        ..drawn(drawing)
    };
    Scenario::new(Arc::new(snapshot), policy)
}

fn question(scenario: &Scenario, node: &str, goal: &str, change: &str) -> ShareQuestion {
    let find = |path: &str| resolve(scenario.tree(), path.as_bytes()).unwrap();
    ShareQuestion {
        node: find(node),
        goal: Goal::parse(goal.as_bytes(), scenario.tree()).unwrap(),
        change: find(change),
    }
}

fn answer(scenario: &Scenario, question: ShareQuestion) -> Option<i64> {
    let go_on = &mut |_| ControlFlow::Continue(());
    solve_with(scenario, question, LEAST, go_on).unwrap().shares
}

/// The first of these counts of shares at which the node has this rank or a better one.
fn by_trying(
    scenario: &Scenario,
    question: ShareQuestion,
    wanted: u32,
    counts: std::ops::Range<i64>,
) -> Option<i64> {
    let mut scenario = scenario.clone();
    let ShareQuestion { node, change, .. } = question;
    counts.into_iter().find(|&count| {
        let shares = Shares::new(count);
        let edit = Edit::SetShares {
            node: change,
            shares,
        };
        scenario.try_out(edit).unwrap();
        let evaluation = scenario.evaluation();
        let standing = Standing::of(scenario.policy(), scenario.tree(), evaluation, node);
        standing.rank.is_some_and(|rank| rank <= wanted)
    })
}

#[test]
fn an_answer_that_holds_for_one_count_by_rounding_is_found() {
    let drawing = "
a/ 50
  b/ 99
    alice 45
  bob 2 | 806954491
  carol 84 | 12812904
  dave 85 | 147197952
c/ 73
  erin 12 | 1331
  frank 8
  grace 70 | 181321496
heidi 68
d/ 0
  ivan 97
";
    let scenario = scenario(drawing, Policy::Pbs, Settings::default());
    let asked = question(&scenario, "c/erin", "rank<=2", "c/erin");
    assert_eq!(answer(&scenario, asked), Some(1429));
    assert_eq!(by_trying(&scenario, asked, 2, 0..3000), Some(1429));
}

#[test]
fn the_first_count_at_which_close_users_rank_first_is_found() {
    let drawing = "
a/ 240
  b/ 1855
    alice 1431
    bob 1
  carol 1956 | 51895117
  c/ 2876
  dave 489
d/ 1562
  e/ 61
  erin 115 | 21717639
  frank 2675 | 201230056
grace 181 | 262144
heidi 397 | 54439939
";
    let scenario = scenario(drawing, Policy::Pbs, Settings::default());
    let asked = question(&scenario, "a/b", "rank<=4", "a/b");
    assert_eq!(answer(&scenario, asked), Some(454));
    assert_eq!(by_trying(&scenario, asked, 4, 0..3000), Some(454));
}

/// Under `LEVEL_BASED` a user without shares ranks first, so the result at 0 shares says nothing about larger counts.
#[test]
fn shares_are_lowered_to_the_last_one() {
    let drawing = "
a/ 1510
  b/ 1
    alice 1017 | 13481272
    bob 1 | 170953875
    carol 1091
    dave 1738 | 392223168
    c/ 1258
  erin parent | 909853209
  frank 1380 | 865523177
  grace 851 | 332812557
heidi 1 | 290117528
";
    let mut settings = Settings::default();
    settings.set("PriorityLevels", "16").unwrap();
    let scenario = scenario(drawing, Policy::LevelBased, settings);
    let asked = question(&scenario, "heidi", "ahead-of a/b", "a");
    assert_eq!(answer(&scenario, asked), Some(42));
}
