//! Usage of accounts in Slurm trees after edits.

use crate::support::associations::drawn;
use crate::support::laws;
use fairscope::base::extended::Extended;
use fairscope::model::{
    Amounts, Kind, NodeId, Position, Scheduler, Shares, Snapshot, Tree, TreeBuilder, Usage,
    UsageState, resolve,
};
use fairscope::rules::policy::{ColumnId, Policy};
use fairscope::scenario::{Edit, Scenario, parse};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use std::sync::Arc;

fn scenario(snapshot: Snapshot) -> Scenario {
    Scenario::new(Arc::new(snapshot), Policy::FairTree)
}

fn edit(scenario: &mut Scenario, text: &str) {
    let edit = parse(text.as_bytes(), scenario.tree(), scenario.settings());
    scenario.apply(edit.expect(text)).expect(text);
}

/// The usage of some nodes.
fn usages<const COUNT: usize>(scenario: &Scenario, paths: [&str; COUNT]) -> [Option<f64>; COUNT] {
    paths.map(|path| {
        let node = resolve(scenario.tree(), path.as_bytes()).expect(path);
        scenario.tree().usage(node).amount()
    })
}

/// The root has 100, of which former users of `a` used 20.
fn tree() -> Snapshot {
    let mut snapshot =
        drawn("a/ 1 | 80\n  x 1 | 10\n  y 1 | 50\nb/ 1 | 20\n  c/ 1 | 15\n    z 1 | 5\n  w 1 | 5");
    snapshot.tree.set_usage(NodeId::ROOT, Usage::new(100.0));
    snapshot
}

#[test]
fn moving_a_user_leaves_usage_in_the_old_account() {
    let mut scenario = scenario(tree());
    edit(&mut scenario, "move a/y to b");
    assert_eq!(
        usages(&scenario, ["", "a", "b", "b/y"]),
        [Some(100.0), Some(80.0), Some(20.0), Some(0.0)]
    );
    scenario.undo();
    assert_eq!(usages(&scenario, ["a", "a/y"]), [Some(80.0), Some(50.0)]);
}

#[test]
fn usage_of_an_account_that_states_none_scales_what_is_below() {
    let sums = "a/ 1\n  x 1 | 10\n  c/ 1\n    y 1 | 50\nb/ 1\n  z 1 | 20";
    let used = ["a", "a/x", "a/c", "a/c/y", "b/z"];
    for scheduler in [Some(Scheduler::Slurm), None] {
        for (text, times) in [
            ("usage a*=3", 3.0),
            ("usage a+=60", 2.0),
            ("usage a=30", 0.5),
            ("usage a-=50%", 0.5),
            ("charge a cores=1 time=60", 2.0),
        ] {
            let mut snapshot = drawn(sums);
            snapshot.settings.scheduler = scheduler;
            let mut scenario = scenario(snapshot);
            let text = match scheduler {
                Some(_) => text.replace("cores=", "cpus="),
                None => text.to_owned(),
            };
            edit(&mut scenario, &text);
            let expected = [
                None,
                Some(10.0 * times),
                None,
                Some(50.0 * times),
                Some(20.0),
            ];
            assert_eq!(usages(&scenario, used), expected, "{text}");
            // What the history keeps makes the same tree again.
            let kept = scenario.history().edits()[0].text.clone();
            let after = scenario.tree().state_hash();
            scenario.undo();
            edit(&mut scenario, &kept);
            assert_eq!(scenario.tree().state_hash(), after, "{kept}");
        }
        let mut snapshot = drawn(sums);
        snapshot.settings.scheduler = scheduler;
        let mut scenario = scenario(snapshot);
        edit(&mut scenario, "usage a=0");
        assert_eq!(usages(&scenario, ["a/x", "a/c/y"]), [Some(0.0), Some(0.0)]);
    }
}

#[test]
fn the_first_member_of_an_account_takes_no_usage_from_the_root() {
    for text in ["add a/x shares=1", "move c/z to a", "move c to a"] {
        let mut snapshot = drawn("a/ 1 | 80\nb/ 1 | 20\nc/ 1\n  z 1 | 5");
        snapshot.settings.scheduler = None;
        let mut scenario = scenario(snapshot);
        let used = |scenario: &Scenario| {
            let evaluation = scenario.evaluation();
            evaluation.number(ColumnId::Usage, NodeId::ROOT)
        };
        assert_eq!(used(&scenario), Some(105.0));
        edit(&mut scenario, text);
        assert_eq!(used(&scenario), Some(105.0), "{text}");
        scenario.undo();
        assert_eq!(used(&scenario), Some(105.0), "{text}");
    }
}

#[test]
fn moving_a_user_back_restores_its_usage() {
    let mut scenario = scenario(tree());
    let before = scenario.tree().state_hash();
    edit(&mut scenario, "move a/y to b");
    edit(&mut scenario, "move b/y to a");
    assert_eq!(scenario.tree().state_hash(), before);
}

#[test]
fn adding_a_removed_user_again_restores_its_usage() {
    let mut scenario = scenario(tree());
    edit(&mut scenario, "remove a/y");
    edit(&mut scenario, "add a/y shares=3");
    assert_eq!(usages(&scenario, ["a", "a/y"]), [Some(80.0), Some(50.0)]);
    edit(&mut scenario, "move a/x to b");
    edit(&mut scenario, "add a/x shares=3");
    assert_eq!(usages(&scenario, ["a", "a/x"]), [Some(80.0), Some(10.0)]);
}

#[test]
fn adding_a_removed_user_after_time_has_passed_gives_no_usage() {
    let mut scenario = scenario(tree());
    edit(&mut scenario, "move a/y to b");
    edit(&mut scenario, "wait 5m");
    edit(&mut scenario, "move b/y to a");
    assert_eq!(usages(&scenario, ["a/y"]), [Some(0.0)]);
}

#[test]
fn accounts_keep_the_usage_of_removed_users() {
    let mut scenario = scenario(tree());
    edit(&mut scenario, "remove a/y");
    assert_eq!(usages(&scenario, ["", "a"]), [Some(100.0), Some(80.0)]);
    edit(&mut scenario, "remove b/c");
    assert_eq!(usages(&scenario, ["", "b"]), [Some(100.0), Some(20.0)]);
}

#[test]
fn unstated_usage_stays_in_the_account_after_edits() {
    let snapshot = drawn("a/ 1\n  x 1 | 10\n  y 1 | 50\nb/ 1\n  z 1 | 5");
    let mut scenario = scenario(snapshot);
    let before = scenario.tree().state_hash();
    edit(&mut scenario, "remove a/y");
    assert_eq!(
        usages(&scenario, ["", "a", "b"]),
        [Some(65.0), Some(60.0), None]
    );
    edit(&mut scenario, "move a/x to b");
    assert_eq!(
        usages(&scenario, ["", "a", "b/x"]),
        [Some(65.0), Some(60.0), Some(0.0)]
    );
    scenario.undo();
    scenario.undo();
    assert_eq!(scenario.tree().state_hash(), before);
}

#[test]
fn moving_an_account_moves_its_usage_including_former_users() {
    let mut scenario = scenario(tree());
    edit(&mut scenario, "move a to b");
    assert_eq!(
        usages(&scenario, ["", "b", "b/a"]),
        [Some(100.0), Some(100.0), Some(80.0)]
    );
}

#[test]
fn moving_an_account_below_a_new_one_keeps_its_usage() {
    let mut scenario = scenario(tree());
    edit(&mut scenario, "add deep shares=4 kind=account");
    edit(&mut scenario, "move a to deep");
    edit(&mut scenario, "move b/c to deep");
    assert_eq!(
        usages(&scenario, ["", "deep", "deep/a", "deep/c", "b"]),
        [Some(100.0), Some(95.0), Some(80.0), Some(15.0), Some(5.0)]
    );
    let tree = scenario.tree();
    let a = resolve(tree, b"deep/a").unwrap();
    let effective = scenario.evaluation().number(ColumnId::EffectvUsage, a);
    assert_eq!(effective, Some(80.0 / 95.0));
}

#[test]
fn removing_a_moved_account_leaves_its_usage_where_the_plan_deletes_it() {
    let mut scenario = scenario(tree());
    edit(&mut scenario, "move b/c to a");
    edit(&mut scenario, "remove a/c");
    assert_eq!(usages(&scenario, ["a", "b"]), [Some(80.0), Some(20.0)]);
}

#[test]
fn adding_a_removed_account_again_restores_its_usage() {
    let mut scenario = scenario(tree());
    edit(&mut scenario, "remove b/c");
    edit(&mut scenario, "add a/c shares=1 kind=account");
    edit(&mut scenario, "add a/c/z shares=1");
    assert_eq!(
        usages(&scenario, ["a", "a/c", "a/c/z", "b"]),
        [Some(95.0), Some(15.0), Some(5.0), Some(5.0)]
    );
}

#[test]
fn adding_a_removed_account_after_a_reset_gives_no_usage() {
    let mut scenario = scenario(tree());
    edit(&mut scenario, "remove b/c");
    edit(&mut scenario, "usage =0");
    edit(&mut scenario, "add a/c shares=1 kind=account");
    assert_eq!(usages(&scenario, ["", "a", "a/c"]), [Some(0.0); 3]);
}

#[test]
fn accounts_without_stated_usage_include_added_usage() {
    let snapshot = drawn("a/ 1\n  x 1 | 10\nb/ 1\n  c/ 1\n    z 1 | 5\n  w 1 | 5");
    let mut scenario = scenario(snapshot);
    edit(&mut scenario, "remove b/c");
    edit(&mut scenario, "add a/c shares=1 kind=account");
    assert_eq!(
        usages(&scenario, ["", "a", "a/c", "b"]),
        [Some(20.0), Some(15.0), Some(5.0), Some(5.0)]
    );
    edit(&mut scenario, "add a/c/d shares=1 usage=7 kind=account");
    assert_eq!(
        usages(&scenario, ["", "a", "a/c", "a/c/d"]),
        [Some(27.0), Some(22.0), Some(12.0), Some(7.0)]
    );
}

#[test]
fn no_portion_exceeds_1_if_a_stated_sum_was_rounded() {
    // The sum of the users has one digit more than a double of this size holds.
    let mut scenario = scenario(drawn(
        "a/ 1\n  b/ 1\n    x 1 | 1228898476.3333333\n    y 1 | 919975718\n  z 1",
    ));
    edit(&mut scenario, "remove a/z");
    let b = resolve(scenario.tree(), b"a/b").unwrap();
    let effective = scenario.evaluation().number(ColumnId::EffectvUsage, b);
    assert_eq!(effective, Some(1.0));
}

#[test]
fn an_account_that_all_users_left_has_no_usage() {
    let mut snapshot = drawn(
        "hum/ 1 | 30\n  law/ 1 | 10\n    tax/ 1 | 10\n      u 1 | 10\n  arts/ 1 | 20\n    v 1 | 20",
    );
    let tree = &mut snapshot.tree;
    tree.set_usage(NodeId::ROOT, Usage::new(30.0));
    // The usage in memory is slightly less than printed.
    let amounts = tree.nodes().iter().map(|&node| {
        let shown = tree.usage(node).amount().expect("everybody has usage");
        Extended::from_f64(shown - 0.25).expect("a number")
    });
    let amounts = Amounts::Long(Arc::new(amounts.collect()));
    tree.set_usage_state(Some(UsageState::of(tree, amounts)));
    let mut scenario = scenario(snapshot);
    edit(&mut scenario, "move hum/law/tax to root");
    let law = resolve(scenario.tree(), b"hum/law").unwrap();
    let number = |column| scenario.evaluation().number(column, law);
    assert_eq!(number(ColumnId::EffectvUsage), Some(0.0));
    assert_eq!(number(ColumnId::LevelFs), Some(f64::INFINITY));
}

#[test]
fn usage_of_a_new_user_is_charged_to_its_accounts() {
    let mut scenario = scenario(tree());
    edit(&mut scenario, "add b/c/v shares=1 usage=1000");
    assert_eq!(
        usages(&scenario, ["", "b", "b/c"]),
        [Some(1100.0), Some(1020.0), Some(1015.0)]
    );
}

#[test]
fn resetting_an_account_resets_its_subtree_and_lowering_it_is_refused() {
    let mut scenario = scenario(tree());
    let refused = parse(b"usage b=9", scenario.tree(), scenario.settings()).unwrap();
    assert_eq!(
        scenario.apply(refused).unwrap_err().to_string(),
        "b cannot have less usage than its users have together, 20; expected a number from 20 up, or 0 to forget all \
         usage below it"
    );
    edit(&mut scenario, "usage b=0");
    assert_eq!(
        usages(&scenario, ["", "b", "b/c", "b/c/z", "b/w"]),
        [Some(80.0), Some(0.0), Some(0.0), Some(0.0), Some(0.0)]
    );
}

#[test]
fn other_schedulers_keep_their_own_rules() {
    let mut snapshot = tree();
    snapshot.settings.scheduler = None;
    let mut scenario = scenario(snapshot);
    edit(&mut scenario, "move a/y to b");
    assert_eq!(
        usages(&scenario, ["", "a", "b", "b/y"]),
        [Some(100.0), Some(30.0), Some(70.0), Some(50.0)]
    );
}

/// A node to create: parent account, whether it is an account, shares, usage, name.
type Seedling = (Index, bool, u8, u32, u8);

/// A Slurm tree. Either all accounts state their usage, former users included, or none does.
fn slurm_tree(seedlings: &[Seedling], is_stated: bool, unit: f64) -> Tree {
    let mut builder = TreeBuilder::new(b"root");
    let mut accounts = vec![NodeId::ROOT];
    let mut nodes = vec![(NodeId::ROOT, None, 0.0)];
    let mut names = std::collections::HashSet::new();
    for (place, (above, is_account, shares, usage, name)) in seedlings.iter().enumerate() {
        let parent = *above.get(&accounts);
        let (name, kind) = if *is_account {
            (format!("acct{place}"), Kind::Account)
        } else {
            (format!("user{}", name % 8), Kind::User)
        };
        if !names.insert((parent, name.clone())) {
            continue;
        }
        let name = builder.intern(name.as_bytes());
        let node = builder.push(parent, name, kind, Position::Last);
        builder.set_shares(
            node,
            match shares {
                7 => Shares::PARENT,
                &count => Shares::new(i64::from(count)),
            },
        );
        if *is_account {
            accounts.push(node);
        }
        nodes.push((node, Some(parent), f64::from(*usage) * unit));
    }
    let mut used = vec![0.0; nodes.len()];
    for &(node, _, own) in nodes.iter().rev() {
        let children = nodes.iter().filter(|(_, parent, _)| *parent == Some(node));
        let below: f64 = children.map(|(child, ..)| used[child.index()]).sum();
        used[node.index()] = below + own;
        let total = Usage::new(used[node.index()]);
        if builder.kind(node) == Kind::User {
            builder.record(node, own, true);
        } else if is_stated {
            builder.set_usage(node, total);
        }
    }
    builder.build()
}

type Choice = (u8, Index, Index, u32);

fn random_edit(tree: &Tree, &(what, one, two, number): &Choice) -> Edit {
    let (node, other) = (*one.get(tree.nodes()), *two.get(tree.nodes()));
    let add = |kind, name: String, partition: Option<&[u8]>, usage| Edit::Add {
        parent: node,
        name: name.into_bytes(),
        partition: partition.map(<[u8]>::to_vec),
        kind,
        shares: Shares::new(i64::from(number % 20)),
        usage,
    };
    match what % 9 {
        0 => Edit::SetShares {
            node,
            shares: Shares::new(i64::from(number % 20)),
        },
        1 => add(Kind::User, format!("user{}", number % 8), None, Usage::NONE),
        2 => add(
            Kind::User,
            format!("user{}", number % 8),
            Some(b"gpu"),
            Usage::NONE,
        ),
        3 => add(
            Kind::User,
            format!("user{}", number % 8),
            None,
            Usage::new(f64::from(number) / 3.0),
        ),
        4 => add(
            Kind::Account,
            format!("acct{}", number % 60),
            None,
            Usage::NONE,
        ),
        5 => Edit::Remove { node },
        6 => Edit::SetUsage {
            node,
            usage: Usage::new(f64::from(number % 2) * f64::from(number) * 0.7),
        },
        _ => Edit::Move { node, to: other },
    }
}

proptest! {
    #![proptest_config(laws(512))]

    #[test]
    fn accounts_have_at_least_the_usage_of_their_children(
        seedlings in vec(any::<Seedling>(), 1..40),
        choices in vec(any::<Choice>(), 1..12),
        is_stated in any::<bool>(),
        unit in prop_oneof![Just(1.0), Just(0.01), Just(1.0 / 3.0)],
    ) {
        let mut snapshot = drawn("a/ 1");
        snapshot.tree = slurm_tree(&seedlings, is_stated, unit);
        let mut scenario = scenario(snapshot);
        let before = scenario.tree().state_hash();
        let ranks = scenario.evaluation().ranks().to_vec();
        let mut states = vec![before];
        for choice in &choices {
            let edit = random_edit(scenario.tree(), choice);
            // Invalid edits are not tested here.
            if scenario.apply(edit).is_err() {
                continue;
            }
            states.push(scenario.tree().state_hash());
            let tree = scenario.tree();
            for &node in tree.nodes() {
                if let Some(used) = tree.usage(node).amount().filter(|_| tree.kind(node) == Kind::Account) {
                    let children = tree.children(node).filter_map(|child| tree.usage(child).amount());
                    let sum: f64 = children.sum();
                    let edits: Vec<&str> = scenario.history().edits().into_iter().map(|entry| &entry.text[..]).collect();
                    prop_assert!(used >= sum, "{} < {} after {:?}", used, sum, edits);
                }
                for column in [ColumnId::EffectvUsage, ColumnId::NormUsage] {
                    let part = scenario.evaluation().number(column, node);
                    prop_assert!(part.is_none_or(|part| part <= 1.0), "{:?}", part);
                }
            }
        }
        while scenario.undo().is_some() {
            states.pop();
            prop_assert_eq!(scenario.tree().state_hash(), *states.last().expect("the first stays"));
        }
        prop_assert_eq!(scenario.evaluation().ranks(), &ranks[..]);
        while scenario.redo().is_some() {}
        while scenario.undo().is_some() {}
        prop_assert_eq!(scenario.tree().state_hash(), before);
    }
}
