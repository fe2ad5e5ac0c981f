//! Edits of a whole level.

use crate::support::expected::Expected as _;
use crate::support::{laws, trees};
use fairscope::model::{NodeId, Settings, Tree, resolve};
use fairscope::open::opened::apply_text;
use fairscope::rules::policy::Policy;
use fairscope::scenario::{Scenario, ShareHolders, parse, trade, uneven_split};
use proptest::prelude::*;
use std::sync::Arc;

const LEVEL: &str = "
physics 40
  alice 10 | 5
  bob 20 | 1
  carol 30
  dave 0
chemistry 60
  erin 1
";

fn scenario(drawing: &str) -> Scenario {
    Scenario::new(Arc::new(trees::pbs(drawing)), Policy::Pbs)
}

/// Applies an edit and returns the shares below an account.
fn after(drawing: &str, edit: &str, account: &str) -> Result<Vec<i64>, String> {
    let mut scenario = scenario(drawing);
    let edit = parse(edit.as_bytes(), scenario.tree(), &Settings::default());
    scenario
        .apply(edit.map_err(|error| error.to_string())?)
        .map_err(|error| error.to_string())?;
    Ok(shares(scenario.tree(), account))
}

/// The shares below an account, by name.
fn shares(tree: &Tree, account: &str) -> Vec<i64> {
    let account = resolve(tree, account.as_bytes()).unwrap();
    let mut shares: Vec<_> = tree
        .children(account)
        .map(|child| {
            (
                tree.name(child).to_vec(),
                tree.shares(child).count().unwrap(),
            )
        })
        .collect();
    shares.sort();
    shares.into_iter().map(|(_, count)| count).collect()
}

#[test]
fn scaling_a_level_keeps_its_ratios() {
    assert_eq!(
        after(LEVEL, "scale physics to 100", "physics").unwrap(),
        [17, 33, 50, 0]
    );
    assert_eq!(
        after(LEVEL, "scale physics to 100 keeping physics/bob", "physics").unwrap(),
        [20, 20, 60, 0]
    );
}

#[test]
fn a_level_is_split_equally() {
    assert_eq!(
        after(LEVEL, "split physics", "physics").unwrap(),
        [15, 15, 15, 15]
    );
    assert_eq!(
        after(LEVEL, "split physics to 42 keeping carol", "physics").unwrap(),
        [4, 4, 30, 4]
    );
}

#[test]
fn an_uneven_split_adds_the_fewest_shares() {
    let five = "g 1\n  a 2\n  b 2\n  c 1\n  d 1\n  e 0\n";
    assert_eq!(after(five, "split g", "g").unwrap(), [2, 2, 2, 2, 2]);
    assert_eq!(after(five, "split g to 3", "g").unwrap(), [1, 1, 1, 1, 1]);
    assert_eq!(
        after(five, "split g to 7 keeping a", "g").unwrap(),
        [2, 2, 2, 2, 2]
    );
    let uneven = |edit: &str| {
        let scenario = scenario(five);
        let uneven = uneven_split(edit.as_bytes(), scenario.tree(), scenario.settings());
        uneven.map(|uneven| uneven.to_string())
    };
    assert_eq!(
        uneven("split g").as_deref(),
        Some("6 shares cannot be split equally among 5, so each has 2, 10 together")
    );
    assert_eq!(
        uneven("split g to 7 keeping a").as_deref(),
        Some("5 shares cannot be split equally among 4, so each has 2, 8 together")
    );
    assert_eq!(
        uneven("split\tg  to\t7\tkeeping a"),
        uneven("split g to 7 keeping a")
    );
    assert_eq!(
        uneven("split\t/ to 31\tkeeping unknown"),
        uneven("split / to 31 keeping unknown")
    );
    assert_eq!(uneven("split g to 20"), None);
    assert_eq!(uneven("scale g to 7"), None);
}

#[test]
fn the_reason_for_a_larger_total_is_kept_with_the_split() {
    let mut scenario = scenario("g 1\n  a 2\n  b 1\n");
    apply_text(&mut scenario, b"split g").unwrap();
    assert_eq!(
        scenario.history().edits()[0].reason,
        "split g: 3 shares cannot be split equally among 2, so each has 2, 4 together"
    );
}

#[test]
fn giving_shares_to_one_node_takes_them_from_its_siblings() {
    assert_eq!(
        after(LEVEL, "trade bob=40", "physics").unwrap(),
        [5, 40, 15, 0]
    );
    assert_eq!(
        after(LEVEL, "trade bob=25 keeping carol", "physics").unwrap(),
        [5, 25, 30, 0]
    );
    // Half of the whole level's shares, not of the other siblings'.
    assert_eq!(
        after(LEVEL, "trade bob=50% of level", "physics").unwrap(),
        [8, 30, 22, 0]
    );
}

#[test]
fn impossible_splits_are_refused() {
    let refusal = |edit: &str| after(LEVEL, edit, "physics").unwrap_err();
    assert_eq!(
        refusal("scale physics to 25 keeping bob keeping alice"),
        "25 shares cannot be split among the members of physics; expected a number from 31 to 2147483647: a member \
         with shares keeps at least one, and a kept member keeps all"
    );
    assert_eq!(
        refusal("trade erin=50"),
        "no member of chemistry has shares that may change; give one of them shares first, or keep fewer of them"
    );
    assert_eq!(
        refusal("scale physics to plenty"),
        "plenty is not an amount; expected a number such as 20, +10, *1.2, +20% or 50% of level"
    );
    assert_eq!(
        refusal("scale physics"),
        "scale physics is not complete; expected scale ACCOUNT to 100, optionally keeping PATH"
    );
}

#[test]
fn the_pbs_group_unknown_is_changed_only_if_it_is_named() {
    let level =
        |edit: &str| after("physics 40\n  alice 1\nchemistry 60\n  erin 1\n", edit, "").unwrap();
    let before = level("shares physics=40");
    let [chemistry, physics, unknown] = before[..] else {
        panic!("{before:?}");
    };
    assert_eq!((chemistry, physics), (60, 40));
    assert_eq!(level("split /"), [50, 50, unknown]);
    assert_eq!(level("scale / to 200"), [120, 80, unknown]);
    assert_eq!(level("trade physics=50"), [50, 50, unknown]);
    assert_eq!(level("trade physics=25% of level"), [75, 25, unknown]);
    let kept = format!("scale / to {} keeping unknown", 50 + unknown);
    assert_eq!(level(&kept), [30, 20, unknown]);
    let traded = format!("trade unknown={}", unknown + 10);
    assert_eq!(level(&traded), [54, 36, unknown + 10]);
}

#[test]
fn a_level_without_shares_to_give_is_refused() {
    let refusal = after("g 1\n  a 1\n  b 1\n", "trade a=2", "g").unwrap_err();
    refusal.must_end("expected a number up to 1");
    let refusal = after("g 1\n  a 0\n  b 1\n  c 1\n", "trade a=1", "g").unwrap_err();
    assert_eq!(
        refusal,
        "1 share for g/a is more than its siblings can give; each sibling with shares keeps at least one"
    );
}

proptest! {
    #![proptest_config(laws(300))]

    #[test]
    fn a_level_reaches_its_total_and_no_holder_loses_all_shares(
        counts in prop::collection::vec(0..5000_i64, 1..12),
        total in 1..10_000_i64,
        kept in prop::collection::vec(any::<bool>(), 12),
        given in 0..6000_i64,
    ) {
        let drawing: String = std::iter::once("g 1\n".to_owned())
            .chain(counts.iter().enumerate().map(|(place, count)| format!("  u{place} {count}\n")))
            .collect();
        let before = scenario(&drawing);
        let tree = before.tree();
        let account = resolve(tree, b"g").unwrap();
        let children: Vec<NodeId> = tree.children(account).collect();
        let kept: Vec<NodeId> = children.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(child, _)| *child).collect();
        let count = |tree: &Tree, node| tree.shares(node).count().unwrap();
        // Shares that a split adds so that it divides evenly.
        let held: i64 = kept.iter().map(|&node| count(tree, node)).sum();
        let crowd = i64::try_from(children.len() - kept.len()).unwrap();
        let even = (total..total + 12).find(|total| crowd == 0 || (total - held) % crowd == 0).unwrap();
        let sum = |tree: &Tree| children.iter().map(|&node| count(tree, node)).sum::<i64>();
        let settings = Settings::default();
        let holders = ShareHolders::of(tree, &settings, account, &kept);
        let edits = [
            (holders.scale(total), total, false),
            (holders.split(Some(total)), even, true),
            (trade(tree, &settings, children[0], given, &kept), sum(tree), false),
        ];
        for (place, (edit, expected, is_equal)) in edits.into_iter().enumerate() {
            let Ok(edit) = edit else { continue };
            let mut scenario = before.clone();
            scenario.apply(edit).unwrap();
            let after = scenario.tree();
            prop_assert_eq!(sum(after), expected);
            let is_given = |node: NodeId| place == 2 && node == children[0];
            let free: Vec<NodeId> = children.iter().copied()
                .filter(|&node| !kept.contains(&node) && !is_given(node)).collect();
            for &node in &children {
                if kept.contains(&node) && !is_given(node) {
                    prop_assert_eq!(count(after, node), count(tree, node));
                }
            }
            for &node in &free {
                prop_assert_eq!(count(after, node) > 0, is_equal || count(tree, node) > 0);
                for &other in &free {
                    // Scaling keeps the order of siblings by shares.
                    let was = count(tree, node) > count(tree, other);
                    prop_assert!(is_equal || !was || count(after, node) >= count(after, other));
                    prop_assert!(!is_equal || count(after, node) == count(after, other));
                }
            }
        }
    }
}
