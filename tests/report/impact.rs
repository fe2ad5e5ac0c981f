//! The impact of edits: the affected users, by how much, and the report's text.

use super::{scenario, written};
use crate::support::expected::Expected as _;
use crate::support::laws;
use crate::support::trees::SEED;
use fairscope::analysis::impact::{AccountMoves, ChangeKind, DilutedLevel, Impact};
use fairscope::format::{Request, csv};
use fairscope::model::generate::{Shape, generate};
use fairscope::model::{Kind, NodeId, Scheduler, Snapshot, path_of};
use fairscope::report::impact::tables;
use fairscope::report::words::impact::summary;
use fairscope::report::{Form, View, whatif};
use fairscope::rules::policy::Policy;
use fairscope::scenario::{Edit, Scenario, parse};
use proptest::prelude::*;
use std::ops::ControlFlow;
use std::sync::Arc;

/// A tree from CSV under a policy, with edits.
fn edited(rows: &str, policy: Policy, edits: &[&str]) -> Scenario {
    let text = format!("parent,name,shares,usage,type\n{rows}");
    let loaded = csv::parse(text.into_bytes(), &Request::default(), &mut |_| {
        ControlFlow::Continue(())
    })
    .expect("the rows are a tree");
    on(loaded.snapshot, policy, edits)
}

fn on(snapshot: Snapshot, policy: Policy, edits: &[&str]) -> Scenario {
    let mut scenario = Scenario::new(Arc::new(snapshot), policy);
    for edit in edits {
        let edit = parse(edit.as_bytes(), scenario.tree(), scenario.settings())
            .expect("an edit of the tree");
        scenario.apply(edit).expect("an edit that fits");
    }
    scenario
}

fn told(scenario: &Scenario) -> String {
    summary(scenario, &Impact::of(scenario)).into()
}

/// Two accounts with two users and one account with one user, with the shares of a first allocation round.
const LABS: &str = ",physics,40,,account\n,chemistry,40,,account\n,biology,20,,account\n\
                    physics,ann,1,500,user\nphysics,ben,3,10,user\n\
                    chemistry,cleo,1,300,user\nchemistry,dan,1,0,user\nbiology,eve,1,20,user\n";

#[test]
fn a_reset_that_is_left_out_for_lack_of_a_date_is_told() {
    let said = |taken: Option<i64>, edits: &[&str]| {
        let mut base = edited(LABS, Policy::FairTree, &[]).base().clone();
        base.settings.scheduler = Some(Scheduler::Slurm);
        base.settings.time.taken = taken;
        told(&on(base, Policy::FairTree, edits))
    };
    let monthly = "set PriorityUsageResetPeriod=MONTHLY";
    let left_out = ". The monthly reset of usage to 0 is left out, because the source has no date.";
    let text = said(None, &[monthly, "wait 40d"]);
    text.must_end(left_out);
    assert_eq!(text.matches("left out").count(), 1, "{text}");
    for (taken, edits) in [
        (Some(1_790_000_000), &[monthly, "wait 40d"][..]),
        (None, &[monthly, "shares physics=5"]),
        (None, &["wait 40d"]),
        (None, &["set PriorityUsageResetPeriod=NOW", "wait 40d"]),
    ] {
        let text = said(taken, edits);
        assert!(!text.contains("left out"), "{edits:?}: {text}");
    }
}

#[test]
fn nodes_removed_earlier_do_not_count_as_removed_with_their_account() {
    let said = |edits: &[&str]| told(&edited(LABS, Policy::FairTree, edits));
    let text = said(&["remove physics/ann", "remove physics"]);
    text.must_begin("Removing physics/ann and removing physics with 1 node below it:");
    let text = said(&["move physics/ann to chemistry", "remove physics"]);
    text.must_contain("removing physics with 1 node below it");
    let text = said(&["add physics/zoe shares=1", "remove physics"]);
    text.must_begin("Removing physics with 2 nodes below it:");
}

#[test]
fn raising_an_account_reports_the_loss_of_its_unedited_siblings() {
    let scenario = edited(LABS, Policy::FairTree, &["shares physics=60"]);
    assert_eq!(
        told(&scenario),
        "Raising physics from 40 to 60: no rank changes; \
         the other 2 accounts each lose 16.7% of their share (3 users affected)."
    );
    let impact = Impact::of(&scenario);
    let [level] = &impact.dilution.levels[..] else {
        panic!("one level");
    };
    assert_eq!(
        (level.level, level.accounts, level.users, level.users_below),
        (NodeId::ROOT, 2, 0, 3)
    );
    assert!((level.least - 1.0 / 6.0).abs() < 1e-12 && (level.most - 1.0 / 6.0).abs() < 1e-12);
    assert_eq!(
        impact.dilution.users, 0,
        "targets of users are portions of their level here"
    );
}

#[test]
fn users_lose_with_their_account_if_targets_refer_to_the_whole_tree() {
    for policy in [Policy::Classic, Policy::Pbs] {
        let scenario = edited(LABS, policy, &["shares physics=60"]);
        let impact = Impact::of(&scenario);
        let [level] = &impact.dilution.levels[..] else {
            panic!("one level, not {:?}", impact.dilution.levels);
        };
        assert_eq!((level.accounts, level.users, level.users_below), (2, 0, 3));
        assert_eq!(impact.dilution.users, 3);
        let text = summary(&scenario, &impact);
        let sentence = "the other 2 accounts each lose 16.7% of their share (3 users affected)";
        text.must_contain(sentence);
    }
}

#[test]
fn lowering_an_account_reduces_only_its_own_users() {
    let scenario = edited(LABS, Policy::Classic, &["shares physics=20"]);
    let impact = Impact::of(&scenario);
    assert_eq!(impact.dilution.levels, []);
    assert_eq!(
        (impact.dilution.users, impact.dilution.users_with_account),
        (2, 2)
    );
    let text = summary(&scenario, &impact);
    let sentence = "2 users lose share with their edited account; nobody else is diluted";
    text.must_contain(sentence);
}

#[test]
fn users_with_parent_shares_lose_what_their_account_loses() {
    let rows = ",physics,40,,account\n,chemistry,40,,account\nphysics,ann,parent,500,user\n\
                chemistry,cleo,parent,300,user\nchemistry,dan,parent,10,user\n";
    for policy in [Policy::FairTree, Policy::Classic] {
        let scenario = edited(rows, policy, &["shares physics=120"]);
        let impact = Impact::of(&scenario);
        let [level] = &impact.dilution.levels[..] else {
            panic!("one level, not {:?}", impact.dilution.levels);
        };
        assert_eq!(
            (level.level, level.accounts, level.users),
            (NodeId::ROOT, 1, 0)
        );
    }
}

#[test]
fn a_user_without_numbers_loses_its_rank() {
    let scenario = edited(
        ",group1,40,,account\ngroup1,bob,50,100,user\ngroup1,cathy,50,100,user\n",
        Policy::Pbs,
        &["shares bob=parent"],
    );
    let text = told(&scenario);
    text.must_begin("Changing the shares of bob from 50 to parent: ");
    text.must_contain("1 user loses its rank, because the policy excludes it");
}

#[test]
fn edits_are_reported_as_net_changes() {
    let named = |edits: &[&str]| {
        let scenario = scenario(SEED, edits).0;
        let text = told(&scenario);
        text.split(": ").next().expect("a beginning").to_owned()
    };
    assert_eq!(
        named(&["shares bob=20", "shares bob=10"]),
        "Lowering group1/bob from 50 to 10"
    );
    assert_eq!(
        named(&["shares bob=20", "usage cathy=7"]),
        "Lowering group1/bob from 50 to 20 and changing the usage of group1/cathy from 100 to 7"
    );
    assert_eq!(
        named(&["move bob to group2"]),
        "Moving group1/bob from group1 to group2"
    );
    assert_eq!(
        named(&["move bob to /"]),
        "Moving group1/bob from group1 to the top"
    );
    assert_eq!(named(&["rename bob to rob"]), "Renaming group1/bob to rob");
    assert_eq!(
        named(&["add group1/zoe shares=1"]),
        "Adding group1/zoe with 1 share"
    );
    assert_eq!(
        named(&["shares bob=1", "remove group1"]),
        "Removing group1 with 2 nodes below it"
    );
    assert_eq!(
        named(&["set unknown_shares=10"]),
        "Setting unknown_shares from 0 to 10"
    );
    assert_eq!(
        named(&[
            "shares bob=1",
            "shares cathy=1",
            "shares suzy=99",
            "add x shares=2"
        ]),
        "4 edits (1 raised, 2 lowered, 1 added)"
    );
    assert_eq!(
        told(&scenario(SEED, &["add group1/zoe", "remove zoe"]).0),
        "2 edits that leave all as it was: no rank changes."
    );
    assert_eq!(
        told(&scenario(SEED, &["shares bob=50"]).0),
        "1 edit that leaves all as it was: no rank changes."
    );
}

#[test]
fn edits_being_tried_are_named() {
    let (mut scenario, _) = scenario(SEED, &[]);
    let edit = parse(b"shares bob=5", scenario.tree(), scenario.settings()).expect("an edit");
    scenario.try_out(edit).expect("it fits");
    let text = told(&scenario);
    text.must_begin("Lowering group1/bob from 50 to 5: 2 of 4 users");
}

#[test]
fn new_users_removed_users_and_ties_are_named() {
    let (scenario, _) = scenario(SEED, &["add group1/zoe shares=5", "remove scott"]);
    let impact = Impact::of(&scenario);
    assert_eq!((impact.new_users.len(), impact.gone_users.len()), (1, 1));
    let text = summary(&scenario, &impact);
    text.must_contain("group1/zoe is new, at rank 2; group2/scott is gone (rank 4 before)");
    let tables = tables(&scenario, &impact);
    let users = tables.iter().find(|table| table.heading == "Users");
    let rows = &users.expect("users moved").rows;
    let gone = ["gone", "1", "group2/scott (rank 4)"];
    assert!(rows.iter().any(|row| row.cells == gone));
}

#[test]
fn settings_edit_no_node_and_affect_all() {
    let (scenario, _) = scenario(SEED, &["set unknown_shares=10"]);
    assert_eq!(
        told(&scenario),
        "Setting unknown_shares from 0 to 10: no rank changes; \
         the other 2 groups each lose 9.1% of their share (4 users affected); \
         4 of 4 users have another factor."
    );
}

#[test]
fn trees_with_one_user_and_without_users_are_described() {
    let alone = edited(",ann,1,5,user\n", Policy::FairTree, &["shares ann=9"]);
    assert_eq!(
        told(&alone),
        "Raising ann from 1 to 9: no rank changes; nobody else is diluted."
    );
    let nobody = edited(
        ",lab,1,,account\n,other,1,,account\n",
        Policy::FairTree,
        &["shares lab=3"],
    );
    assert_eq!(
        told(&nobody),
        "Raising lab from 1 to 3: there are no users whose rank could change; \
         the other 1 account loses 50.0% of its share."
    );
}

#[test]
fn accounts_are_reported_at_the_level_where_ranks_changed() {
    let rows = ",site,1,,account\n,spare,1,,account\nsite,physics,40,,account\nsite,chemistry,40,,account\n\
                physics,ann,1,500,user\nphysics,ben,3,10,user\nchemistry,cleo,1,300,user\nchemistry,dan,1,7,user\n";
    let scenario = edited(rows, Policy::FairTree, &["shares physics=400"]);
    let impact = Impact::of(&scenario);
    let path = |node| path_of(scenario.tree(), node).expect("it is not deep");
    assert_eq!(path(impact.moves.level), "site");
    let groups: Vec<_> = impact
        .moves
        .accounts
        .iter()
        .map(|group| (path(group.account), group.users, group.earlier, group.later))
        .collect();
    let expected = [("site/physics", 2, 2, 0), ("site/chemistry", 2, 0, 2)];
    assert_eq!(
        groups,
        expected.map(|(path, users, up, down)| (path.to_owned(), users, up, down))
    );
}

#[test]
fn hostile_names_are_made_visible_and_escaped() {
    let rows = ",a|b*\u{1b}[31m,1,,account\n,plain,1,,account\nplain,ann,1,5,user\n";
    let mut scenario = edited(rows, Policy::Classic, &[]);
    let node = scenario.tree().nodes()[1];
    let shares = fairscope::model::Shares::new(5);
    scenario
        .apply(Edit::SetShares { node, shares })
        .expect("it fits");
    let problems = fairscope::format::Problems::default();
    for form in [Form::Table, Form::Markdown] {
        let view = View::of(&scenario, &problems);
        let text =
            written(|out| whatif::write(out, &scenario, &view, form, &whatif::Options::default()));
        text.must_lack("\u{1b}");
        if form == Form::Markdown {
            text.must_begin("Raising a\\|b\\*\\\\e\\[31m from 1 to 5: ");
        }
    }
}

#[test]
fn impact_of_a_deep_chain_is_measured() {
    let snapshot = generate(20_000, Shape::Chain, 1);
    let policy = Policy::FairTree;
    let mut scenario = Scenario::new(Arc::new(snapshot), policy);
    let node = scenario.tree().nodes()[1];
    scenario.apply(Edit::Remove { node }).expect("it fits");
    let impact = Impact::of(&scenario);
    assert_eq!(impact.gone_users.len(), 1);
    let text = summary(&scenario, &impact);
    text.must_begin("Removing account1 with 19,999 nodes below it: ");
    text.must_contain("…/user20000 is gone");
    assert!(!tables(&scenario, &impact).is_empty());
}

/// Compares an impact with the plain definitions.
fn assert_adds_up(scenario: &Scenario, impact: &Impact) {
    let (tree, base) = (scenario.tree(), &scenario.base().tree);
    let target = scenario.policy().target_column();
    let (mut winners, mut losers, mut diluted) = (0, 0, 0);
    for &node in tree.nodes() {
        if scenario.is_new(node) || tree.kind(node) != Kind::User {
            continue;
        }
        let places = scenario.rank_change(node).unwrap_or(0);
        winners += usize::from(places > 0);
        losers += usize::from(places < 0);
        let [before, after] =
            [scenario.baseline(), scenario.evaluation()].map(|side| side.number(target, node));
        let has_less = matches!((before, after), (Some(before), Some(after)) if after < before);
        diluted += usize::from(has_less && !scenario.is_edited(node));
    }
    assert_eq!(
        (impact.moves.all.earlier, impact.moves.all.later),
        (winners, losers)
    );
    assert_eq!(
        (impact.moves.all.moved(), impact.dilution.users),
        (winners + losers, diluted)
    );
    let groups = &impact.moves.accounts;
    assert_eq!(
        groups.iter().map(AccountMoves::moved).sum::<usize>(),
        impact.moves.all.moved()
    );
    let dilution = &impact.dilution;
    // If targets refer to the level, users below keep their targets.
    let of_level = scenario.policy().counts_by_level();
    let below = |level: &DilutedLevel| if of_level { 0 } else { level.users_below };
    let levels = dilution
        .levels
        .iter()
        .map(|level| level.users + below(level));
    assert_eq!(levels.sum::<usize>() + dilution.users_with_account, diluted);
    for level in &dilution.levels {
        assert!(level.untouched() > 0);
        assert!(level.least <= level.most && level.most <= 1.0 && level.least >= 0.0);
    }
    for change in &impact.changes.list {
        match change.what {
            ChangeKind::Removed(node) => assert!(base.contains(node) && !tree.contains(node)),
            ChangeKind::Setting(_) | ChangeKind::Time => {}
            ChangeKind::Shares(node)
            | ChangeKind::Usage(node)
            | ChangeKind::Added(node)
            | ChangeKind::Moved(node)
            | ChangeKind::Renamed(node) => assert!(tree.contains(node)),
        }
    }
    let text = summary(scenario, impact);
    assert!(
        text.ends_with('.') && !text.contains(char::is_control),
        "{text}"
    );
}

proptest! {
    #![proptest_config(laws(40))]

    #[test]
    fn every_count_matches_its_definition(
        seed in 0_u64..1000,
        skewed in any::<bool>(),
        picks in prop::collection::vec((any::<prop::sample::Index>(), 0_u8..5, 0_i64..200), 1..6),
    ) {
        let shape = if skewed { Shape::Skewed } else { Shape::Balanced };
        let snapshot = Arc::new(generate(40, shape, seed));
        for &policy in Policy::ALL {
            let mut scenario = Scenario::new(Arc::clone(&snapshot), policy);
            for (pick, verb, count) in &picks {
                let nodes = scenario.tree().nodes();
                let node = *pick.get(nodes);
                let path = path_of(scenario.tree(), node).expect("it is not deep");
                let text = match verb {
                    0 => format!("shares {path}={count}"),
                    1 => format!("usage {path}={count}"),
                    2 => format!("remove {path}"),
                    3 => format!("add {path}/new{count} shares={count}"),
                    _ => format!("move {path} to /"),
                };
                if let Ok(edit) = parse(text.as_bytes(), scenario.tree(), scenario.settings()) {
                    // An invalid edit changes nothing.
                    let _ = scenario.apply(edit);
                }
            }
            assert_adds_up(&scenario, &Impact::of(&scenario));
        }
    }
}
