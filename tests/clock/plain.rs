//! The clock of trees without a scheduler.

use fairscope::format::{Request, csv};
use fairscope::model::{Campaign, NodeId, Pace, Settings, Tree, resolve};
use fairscope::rules::clock::Clock;
use std::ops::ControlFlow;
use std::sync::Arc;

const DAY: u64 = 86_400;

fn tree() -> Tree {
    let text = "parent,name,shares,usage,type\n,lab,1,,account\n,stated,1,1000,account\n\
                lab,ann,1,800,user\nlab,ben,1,,user\nstated,eve,1,1000,user\n";
    let loaded = csv::parse(text.into(), &Request::default(), &mut |_| {
        ControlFlow::Continue(())
    });
    loaded.expect("the rows are a tree").snapshot.tree
}

fn node(tree: &Tree, path: &str) -> NodeId {
    resolve(tree, path.as_bytes()).expect("a node")
}

/// The clock of the tree after this number of days at a pace.
fn after(tree: &Tree, pace: Pace, days: u64) -> Clock {
    let mut settings = Settings::default();
    settings.time.pace = Arc::new(pace);
    let mut clock = Clock::new(tree, &settings);
    let _ = clock.advance(days * DAY, &mut |_| ControlFlow::Continue(()));
    clock
}

#[test]
fn usage_halves_exactly_in_one_half_life() {
    let tree = tree();
    let clock = after(&tree, Pace::default(), 14);
    let usage = |path| clock.usage(node(&tree, path)).amount();
    assert_eq!(usage("lab/ann"), Some(200.0));
    assert_eq!(usage("stated/eve"), Some(250.0));
    assert_eq!(usage("stated"), Some(250.0));
    assert_eq!(usage("lab"), None, "an account whose usage is a sum");
    assert_eq!(usage("lab/ben"), None, "no number becomes none");
}

#[test]
fn a_steady_pace_keeps_usage_and_a_rate_converges() {
    let tree = tree();
    let steady = Clock::new(&tree, &Settings::default()).steady();
    let clock = after(&tree, steady, 100);
    for path in ["lab/ann", "stated/eve", "stated"] {
        let (was, is) = (
            tree.usage(node(&tree, path)),
            clock.usage(node(&tree, path)),
        );
        let (was, is) = (was.amount().expect("usage"), is.amount().expect("usage"));
        assert!((is / was - 1.0).abs() < 1e-12, "{path}: {is}");
    }
    let mut pace = Pace::default();
    pace.set_rate(node(&tree, "lab/ben"), 2.0);
    let clock = after(&tree, pace, 700);
    let usage = clock.usage(node(&tree, "lab/ben")).amount().expect("usage");
    let limit = 2.0 * 7.0 * DAY as f64 / std::f64::consts::LN_2;
    assert!((usage / limit - 1.0).abs() < 1e-12, "{usage} {limit}");
}

#[test]
fn a_campaign_adds_usage_only_between_its_first_and_last_day() {
    let tree = tree();
    let ben = node(&tree, "lab/ben");
    let mut pace = Pace::default();
    pace.plan(Campaign {
        node: ben,
        rate: 1.0,
        from: 7 * DAY,
        until: 14 * DAY,
    });
    assert_eq!(after(&tree, pace.clone(), 7).usage(ben).amount(), None);
    // After one half-life, a rate has reached half of its limit; one half-life after it ends, half of that is left.
    let half = 0.5 * 7.0 * DAY as f64 / std::f64::consts::LN_2;
    for (days, expected) in [(14, half), (21, half / 2.0)] {
        let usage = after(&tree, pace.clone(), days).usage(ben).amount();
        let usage = usage.expect("usage");
        assert!((usage / expected - 1.0).abs() < 1e-12, "{days}: {usage}");
    }
}
