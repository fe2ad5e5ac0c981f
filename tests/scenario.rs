//! Edits and the edit language.

use crate::support::associations::drawn;
use crate::support::expected::Expected as _;
use fairscope::format::Example;
use fairscope::model::{Shares, resolve};
use fairscope::open::example;
use fairscope::rules::policy::{ColumnId, Policy};
use fairscope::scenario::{Amount, Edit, Entry, Scenario, parse};
use std::sync::Arc;

fn scenario() -> Scenario {
    Scenario::new(Arc::new(example(Example::Small).snapshot), Policy::Pbs)
}

fn edit(scenario: &mut Scenario, text: &str) -> Result<(), String> {
    let edit = parse(text.as_bytes(), scenario.tree(), scenario.settings())
        .map_err(|error| error.to_string())?;
    scenario.apply(edit).map_err(|error| error.to_string())
}

#[test]
fn the_order_of_pbs_follows_its_formula_and_undo_restores_it() {
    let mut snapshot =
        crate::support::trees::pbs("a 50\n  a1 90 | 10\n  a2 10 | 400\nb 50\n  b1 100 | 700\n");
    snapshot.settings.formula.set = None;
    let mut scenario = Scenario::following(Arc::new(snapshot));
    let ranks = |scenario: &Scenario| {
        ["a1", "a2", "b1"].map(|name| {
            let node = resolve(scenario.tree(), name.as_bytes()).unwrap();
            scenario.evaluation().rank(node).unwrap()
        })
    };
    assert_eq!(scenario.policy(), Policy::PbsWalk);
    assert_eq!(ranks(&scenario), [1, 2, 3]);
    edit(&mut scenario, "set job_sort_formula=fairshare_factor").unwrap();
    assert_eq!(
        (scenario.policy(), scenario.policy_before()),
        (Policy::Pbs, Policy::PbsWalk)
    );
    assert_eq!(ranks(&scenario), [1, 3, 2]);
    assert_eq!(scenario.users_moved(), 2);
    edit(&mut scenario, "set job_sort_formula=ncpus").unwrap();
    assert_eq!(scenario.policy(), Policy::PbsWalk);
    scenario.undo();
    assert_eq!(ranks(&scenario), [1, 3, 2]);
    scenario.undo();
    assert_eq!(
        (scenario.policy(), ranks(&scenario)),
        (Policy::PbsWalk, [1, 2, 3])
    );
    assert_eq!(scenario.settings().formula.set, None);
    // A chosen policy stays; the scheduler's own policy follows the formula again.
    scenario.set_policy(Policy::FairTree);
    edit(&mut scenario, "set job_sort_formula=fairshare_factor").unwrap();
    assert_eq!(scenario.policy(), Policy::FairTree);
    scenario.set_policy(Policy::Pbs);
    scenario.undo();
    assert_eq!(scenario.policy(), Policy::PbsWalk);
}

/// Returns the text of an edit of the history.
fn text(entry: Option<&Entry>) -> Option<&str> {
    Some(&entry?.edit()?.text)
}

#[test]
fn charging_a_user_lowers_the_factor_and_undo_brings_it_back() {
    let mut scenario = scenario();
    let bob = resolve(scenario.tree(), b"bob").unwrap();
    let factor = |scenario: &Scenario| {
        scenario
            .evaluation()
            .number(ColumnId::FairshareFactor, bob)
            .unwrap()
    };
    let before = factor(&scenario);
    edit(&mut scenario, "usage bob+=5000").unwrap();
    assert!(factor(&scenario) < before);
    assert_eq!(scenario.tree().usage(bob).amount(), Some(5100.0));
    assert_eq!(text(scenario.undo()), Some("usage group1/bob=5100"));
    assert_eq!(factor(&scenario).to_bits(), before.to_bits());
}

#[test]
fn edits_of_every_kind_are_parsed() {
    let mut scenario = scenario();
    for text in [
        "shares group1/bob=20",
        "shares bob*=2",
        "add group1/zoe shares=5 usage=3",
        "move zoe to group2",
        "rename group2/zoe to eve",
        "remove eve",
        "set unknown_shares=10",
    ] {
        assert_eq!(edit(&mut scenario, text), Ok(()), "{text}");
    }
    let tree = scenario.tree();
    assert_eq!(tree.shares(resolve(tree, b"bob").unwrap()), Shares::new(40));
    assert_eq!(
        tree.shares(resolve(tree, b"unknown").unwrap()),
        Shares::new(10)
    );
    while scenario.undo().is_some() {}
    assert!(scenario.history().is_untouched());
}

#[test]
fn errors_name_the_accepted_input() {
    let cases = [
        (
            "share bob=1",
            "unknown edit 'share'; did you mean 'shares'? (shares, usage, charge, scale, split, trade, add, remove, \
             move, rename, set, wait, rate, campaign, pace)",
        ),
        (
            "shares bob",
            "shares bob is not complete; expected shares PATH=20, PATH+=10, PATH*=2, PATH+=20%, PATH=50% of level or PATH=parent",
        ),
        (
            "shares bib=1",
            "unknown node 'bib'; did you mean 'group1/bob'?",
        ),
        (
            "shares bob=5000000000",
            "5000000000 shares do not fit; PBS accepts whole numbers from 0 to 2147483647",
        ),
        (
            "usage bob*=-1",
            "usage cannot be -100; expected a number from 0 up",
        ),
        (
            "usage group1=5",
            "the usage of group1 is the sum of its users'; change the usage of a user below it",
        ),
        (
            "add group1/suzy shares=1",
            "the name suzy is taken by group2/suzy, and PBS knows nodes by name alone; choose another name",
        ),
        (
            "move group1 to group1/bob",
            "group1 cannot move under itself; choose a node outside it",
        ),
        (
            "set color=red",
            "unknown setting 'color' (unknown_shares, fairshare_decay_factor, fairshare_decay_time, \
             fairshare_enforce_no_shares, fair_share, fairshare_entity, fairshare_usage_res, PriorityLevels, \
             FairShareDampeningFactor, TieOrder, PriorityDecayHalfLife, PriorityCalcPeriod, PriorityUsageResetPeriod, \
             PriorityWeightFairShare, PriorityWeightAge, PriorityWeightAssoc, PriorityWeightJobSize, PriorityWeightPartition, PriorityWeightQOS, PriorityWeightTRES, PriorityMaxAge, TRESBillingWeights, AccountingStorageEnforce, BOOT_TIME, priority_decay_half_life, priority_usage_reset_period, \
             decay_factor, node_weight, core_weight, gpu_weight, fairshare_weight, end_half_life_period, inactive, \
             job_sort_formula, and resources that a job requests, such as ncpus or walltime)",
        ),
    ];
    for (text, message) in cases {
        let mut scenario = scenario();
        assert_eq!(edit(&mut scenario, text), Err(message.to_owned()), "{text}");
        assert!(scenario.history().is_untouched());
    }
}

#[test]
fn amounts_are_absolute_or_relative() {
    let cases = [
        ("20", Some(Amount::Exactly(20.0))),
        (" +10 ", Some(Amount::More(10.0))),
        ("-10", Some(Amount::More(-10.0))),
        ("*0.5", Some(Amount::Times(0.5))),
        ("50% of level", Some(Amount::PercentOfLevel(50.0))),
        ("+20%", Some(Amount::MorePercent(20.0))),
        ("-10%", Some(Amount::MorePercent(-10.0))),
        ("parent", Some(Amount::Parent)),
        ("x", None),
        ("50%", None),
        ("+ 50 % of level", None),
        ("nan", None),
        ("", None),
    ];
    for (text, amount) in cases {
        assert_eq!(Amount::parse(text).ok(), amount, "{text:?}");
    }
    let asked = Amount::parse("50%").unwrap_err().to_string();
    asked.must_begin("50% of what? write +50% or -50%");
}

#[test]
fn percentages_with_a_sign_refer_to_the_shares() {
    let snapshot = drawn("a 10\nb 0\nc parent\nd 3\n");
    let after = |name: &str, percent: f64| {
        let node = resolve(&snapshot.tree, name.as_bytes()).unwrap();
        let shares = Amount::MorePercent(percent).shares(&snapshot.tree, node);
        shares.map_err(|error| error.to_string())
    };
    assert_eq!(after("a", 20.0), Ok(Shares::new(12)));
    assert_eq!(after("a", -10.0), Ok(Shares::new(9)));
    let refused = [
        (
            "b",
            20.0,
            "+20% of 0 shares changes no whole share; expected a number such as 1",
        ),
        (
            "d",
            10.0,
            "+10% of 3 shares changes no whole share; expected a number such as 4",
        ),
        (
            "c",
            20.0,
            "+20% of parent has no meaning, for parent is not a number; expected one such as 20",
        ),
    ];
    for (name, percent, sentence) in refused {
        assert_eq!(after(name, percent), Err(sentence.to_owned()));
    }
}

#[test]
fn percentages_of_shares_refer_to_the_level() {
    let snapshot = example(Example::Small).snapshot;
    let tree = &snapshot.tree;
    let scott = resolve(tree, b"scott").unwrap();
    assert_eq!(
        Amount::PercentOfLevel(50.0).shares(tree, scott),
        Ok(Shares::new(60))
    );
    assert_eq!(
        Amount::PercentOfLevel(25.0).shares(tree, scott),
        Ok(Shares::new(20))
    );
}

/// The usage of all nodes in tree order.
fn usages(scenario: &Scenario) -> Vec<Option<f64>> {
    let tree = scenario.tree();
    let nodes = tree.nodes().iter();
    nodes.map(|&node| tree.usage(node).amount()).collect()
}

#[test]
fn charged_usage_is_added_to_accounts_with_stated_usage() {
    let mut snapshot = drawn("a/ 1 | 30\n  x 1 | 10\n  y 1 | 20\nb/ 1\n  z 1 | 5\nc/ 1 | 7");
    snapshot.settings.scheduler = None;
    let mut scenario = Scenario::new(Arc::new(snapshot), Policy::FairTree);
    let before = usages(&scenario);
    edit(&mut scenario, "usage a/x+=3").unwrap();
    let charged = usages(&scenario);
    assert_eq!(charged[1..4], [Some(33.0), Some(13.0), Some(20.0)]);
    edit(&mut scenario, "move a/y to c").unwrap();
    let node = |path: &[u8]| resolve(scenario.tree(), path).unwrap();
    let usage = |path: &[u8]| scenario.tree().usage(node(path)).amount();
    assert_eq!(
        (usage(b"a"), usage(b"b"), usage(b"c")),
        (Some(13.0), None, Some(27.0))
    );
    scenario.undo();
    assert_eq!(usages(&scenario), charged);
    scenario.undo();
    assert_eq!(usages(&scenario), before);
    scenario.redo();
    scenario.redo();
    let all: Vec<f64> = usages(&scenario).into_iter().flatten().collect();
    // The root keeps the 7 of c, which counts no more since c has a member.
    assert_eq!(all, [45.0, 13.0, 13.0, 5.0, 27.0, 20.0]);
}

mod family;
mod job;
mod naming;
mod real_slurm;
mod shape;
mod ties;
mod usage;
#[test]
fn a_later_part_of_an_edit_cannot_name_a_removed_node() {
    for later in [
        "move group1 to group1/bob",
        "move bob to group2",
        "shares bob=3",
    ] {
        let mut scenario = scenario();
        let before = scenario.tree().state_hash();
        let refusal = edit(&mut scenario, &format!("remove group1\n{later}"));
        let refusal = refusal.expect_err(later);
        refusal.must_contain("an earlier part of the edit removed it");
        assert_eq!(scenario.tree().state_hash(), before, "{later}");
    }
}

#[test]
fn ending_a_trial_restores_a_name_that_no_edit_accepts() {
    let mut snapshot = example(Example::Small).snapshot;
    let bob = resolve(&snapshot.tree, b"bob").unwrap();
    snapshot.tree.rename(bob, b"bob the first");
    let mut scenario = Scenario::new(Arc::new(snapshot), Policy::Pbs);
    let before = scenario.tree().state_hash();
    let name = b"bob".to_vec();
    scenario.try_out(Edit::Rename { node: bob, name }).unwrap();
    assert_ne!(scenario.tree().state_hash(), before);
    scenario.end_trial();
    assert_eq!(scenario.tree().state_hash(), before);
}

#[test]
fn a_policy_that_is_chosen_during_a_trial_ranks_both_sides_of_it() {
    let mut scenario = scenario();
    let bob = resolve(scenario.tree(), b"bob").unwrap();
    let edit = Edit::SetShares {
        node: bob,
        shares: Shares::new(1),
    };
    let ranks = |scenario: &Scenario| scenario.evaluation().ranks().to_vec();
    let computed = |scenario: &Scenario, policy: Policy| {
        let evaluation = policy.evaluate(scenario.tree(), scenario.settings());
        evaluation.ranks().to_vec()
    };
    let _ = scenario.evaluation();
    scenario.try_out(edit.clone()).unwrap();
    let _ = scenario.evaluation();
    scenario.set_policy(Policy::FairTree);
    assert_eq!(ranks(&scenario), computed(&scenario, Policy::FairTree));
    scenario.end_trial();
    assert_eq!(ranks(&scenario), computed(&scenario, Policy::FairTree));
    scenario.set_policy(Policy::Classic);
    scenario.apply(edit).unwrap();
    assert_eq!(ranks(&scenario), computed(&scenario, Policy::Classic));
}

#[test]
fn names_reserved_by_pbs_are_refused() {
    let mut scenario = scenario();
    for name in ["root", "TREEROOT", "unknown"] {
        let sentence = format!(
            "{name} cannot be a name: PBS reserves it for a node of its own; choose another name"
        );
        let add = format!("add group1/{name} shares=1");
        assert_eq!(edit(&mut scenario, &add), Err(sentence.clone()));
        let rename = format!("rename bob to {name}");
        assert_eq!(edit(&mut scenario, &rename), Err(sentence));
    }
    assert_eq!(
        edit(&mut scenario, "rename bob to #bob"),
        Err(
            "#bob cannot be a name: PBS does not read such a line of resource_group as a group; choose another name"
                .to_owned()
        )
    );
}
