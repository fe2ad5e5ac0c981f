//! Plans of `sacctmgr` commands, applied to a stand-in for the accounting database.

use super::sacctmgr::{Database, Guard, Key};
use crate::support::expected::Expected as _;
use fairscope::analysis::plan::verify::{ChangeStatus, verify};
use fairscope::analysis::plan::{Plan, PlanInputs, plan, planned_tree};
use fairscope::format::slurm::companion::JobLabel;
use fairscope::model::{
    Fact, Format, Kind, NodeId, Position, Recorded, Scheduler, Settings, Shares, Snapshot, Source,
    Tree, TreeBuilder, Usage, resolve,
};
use fairscope::report::words::plan as words;
use fairscope::rules::policy::Policy;
use fairscope::scenario::{Edit, Scenario, parse};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The notes of a plan, as text.
fn notes(plan: &Plan) -> Vec<String> {
    let notes = plan.notes.iter();
    notes
        .map(|note| words::note(note, plan.scheduler).into())
        .collect()
}

/// The changes that a plan omits, as text.
fn cannot(plan: &Plan) -> Vec<String> {
    let refused = plan.omission_reasons.iter();
    refused
        .map(|refused| words::cannot(refused).into())
        .collect()
}

/// The slurmdbd records of a tree.
fn database(tree: &Tree) -> Database {
    Database::of(tree, |_| false)
}

fn scenario(tree: Tree) -> Scenario {
    let snapshot = Snapshot::new(
        tree,
        Settings {
            scheduler: Some(Scheduler::Slurm),
            ..Settings::default()
        },
        Source {
            format: Format::Sshare,
            cluster: "gold".to_owned(),
            ..Source::default()
        },
        Recorded::default(),
    );
    Scenario::new(Arc::new(snapshot), Policy::FairTree)
}

fn planned(scenario: &Scenario) -> Plan {
    plan(scenario, Scheduler::Slurm, &PlanInputs::default())
}

type Seedling = (prop::sample::Index, bool, u8, u16);

/// A Slurm tree: account names are unique, and users may have associations in several accounts.
fn tree(seedlings: &[Seedling]) -> Tree {
    let mut builder = TreeBuilder::new(b"root");
    let mut accounts = vec![NodeId::ROOT];
    let mut users = std::collections::HashSet::new();
    for (place, (parent, is_account, user, shares)) in seedlings.iter().enumerate() {
        let parent = *parent.get(&accounts);
        let (name, kind) = if *is_account {
            (format!("acct {place}"), Kind::Account)
        } else {
            (format!("user{}", user % 6), Kind::User)
        };
        if !is_account && !users.insert((parent, name.clone(), user / 128)) {
            continue;
        }
        let name = builder.intern(name.as_bytes());
        let node = builder.push(parent, name, kind, Position::Last);
        let shares = if *shares == 7 {
            Shares::PARENT
        } else {
            Shares::new(i64::from(*shares))
        };
        builder.set_shares(node, shares);
        if *is_account {
            accounts.push(node);
        } else if *user >= 128 {
            builder.set_partition(node, b"gpu");
        }
    }
    builder.build()
}

type Choice = (u8, prop::sample::Index, prop::sample::Index, u16);

fn edit(tree: &Tree, (what, one, two, number): &Choice) -> Edit {
    let node = *one.get(tree.nodes());
    let other = *two.get(tree.nodes());
    match what % 7 {
        // Renames the user everywhere, or in this association alone.
        5 | 6 => {
            let is_same = |other: &&NodeId| {
                **other == node
                    || (what % 7 == 5
                        && tree.kind(**other) == Kind::User
                        && tree.name(**other) == tree.name(node))
            };
            let nodes = tree.nodes().iter().filter(is_same);
            Edit::Batch(
                nodes
                    .map(|&node| Edit::Rename {
                        node,
                        name: format!("user{}", number % 12).into_bytes(),
                    })
                    .collect(),
            )
        }
        0 => Edit::SetShares {
            node,
            shares: Shares::new(i64::from(*number)),
        },
        1 => Edit::Add {
            parent: node,
            name: format!("user{}", number % 6).into_bytes(),
            partition: None,
            kind: Kind::User,
            shares: Shares::new(i64::from(*number)),
            usage: Usage::NONE,
        },
        2 => Edit::Add {
            parent: node,
            name: format!("acct {}", number % 50).into_bytes(),
            partition: None,
            kind: Kind::Account,
            shares: Shares::new(i64::from(*number)),
            usage: Usage::NONE,
        },
        3 => Edit::Remove { node },
        _ => Edit::Move { node, to: other },
    }
}

proptest! {
    #![proptest_config(crate::support::laws(512))]

    #[test]
    fn commands_give_the_scenario_and_the_rollback_restores_the_snapshot(
        seedlings in prop::collection::vec(any::<Seedling>(), 0..30),
        choices in prop::collection::vec(any::<Choice>(), 1..10),
        defaults in prop::collection::vec(any::<prop::sample::Index>(), 1..8),
        told in 0..3_u8,
        is_later in any::<bool>(),
    ) {
        let mut scenario = scenario(tree(&seedlings));
        let mut before = database(&scenario.base().tree);
        before.guard = if is_later { Guard::Later } else { Guard::Earlier };
        before.defaults = random_defaults(&before, &defaults);
        scenario = tell_defaults(&scenario, &before, told);
        for choice in &choices {
            let edit = edit(scenario.tree(), choice);
            // Invalid edits are not tested here.
            let _ = scenario.apply(edit);
        }
        let plan = planned(&scenario);
        prop_assume!(!notes(&plan).iter().any(|note| note.contains("no other account to make the default")));
        assert_deletions_are_last(&plan.commands);
        assert_deletions_are_last(&plan.rollback);
        let mut slurm = before.clone();
        for command in &plan.commands {
            slurm.run(command);
        }
        let planned_tree = planned_tree(&scenario, &plan.omissions);
        let wanted = database(&planned_tree);
        prop_assert_eq!((&slurm.accounts, &slurm.users), (&wanted.accounts, &wanted.users), "{:#?}", (&plan.commands, &plan.omission_reasons));
        // Every user with a default account before still has one.
        for user in before.default_accounts().keys() {
            let is_there = slurm.users.keys().any(|(_, other, _)| other == user);
            prop_assert!(!is_there || slurm.default_accounts().contains_key(user), "{} {:#?}", user, plan.commands);
        }
        let later = Snapshot {
            tree: planned_tree,
            ..scenario.base().clone()
        };
        for verdict in verify(&scenario, &later, &plan.omissions) {
            prop_assert!(verdict.is_fine(), "{:?}", verdict);
        }
        if slurm.users != before.users || slurm.accounts != before.accounts {
            let verdicts = verify(&scenario, scenario.base(), &plan.omissions);
            prop_assert!(verdicts.iter().any(|verdict| !verdict.is_fine()), "{:#?}", (&plan.commands, verdicts));
        }
        for command in &plan.rollback {
            slurm.run(command);
        }
        prop_assert_eq!((&slurm.accounts, &slurm.users), (&before.accounts, &before.users), "{:#?}", plan.rollback);
        if told < 2 {
            prop_assert_eq!(slurm.default_accounts(), before.default_accounts(), "{:#?}", (plan.commands, plan.rollback));
        }
    }
}

/// Chooses one default association for each user.
fn random_defaults(database: &Database, choices: &[prop::sample::Index]) -> BTreeSet<Key> {
    let mut of_user: BTreeMap<&String, Vec<&Key>> = BTreeMap::new();
    for key in database.users.keys() {
        of_user.entry(&key.1).or_default().push(key);
    }
    let chosen = of_user.values().zip(choices.iter().cycle());
    chosen
        .map(|(keys, choice)| (*choice.get(keys)).clone())
        .collect()
}

/// The same scenario with a source that reports default associations, default accounts, or neither.
fn tell_defaults(scenario: &Scenario, database: &Database, told: u8) -> Scenario {
    let mut base = scenario.base().clone();
    let mut recorded = Recorded::default();
    let tree = &base.tree;
    let text = |name: &[u8]| String::from_utf8(name.to_vec()).expect("UTF-8");
    let users = tree.nodes().iter().copied();
    for node in users.filter(|&node| tree.kind(node) == Kind::User) {
        let account = text(tree.name(tree.parent(node).expect("a user has an account")));
        let partition = tree.partition(node).map(text).unwrap_or_default();
        let user = text(tree.name(node));
        match told {
            0 => {
                let is_default = database.defaults.contains(&(account, user, partition));
                recorded.set_text(Fact::DefAssoc, node, if is_default { "Yes" } else { "No" });
            }
            1 => recorded.set_text(
                Fact::DefaultAccount,
                node,
                &database.default_accounts()[&user],
            ),
            _ => {}
        }
    }
    base.recorded = Arc::new(recorded);
    Scenario::new(Arc::new(base), scenario.policy())
}

/// Asserts that no command that Slurm may refuse follows a deletion.
fn assert_deletions_are_last(commands: &[String]) {
    let does_harm =
        |command: &&String| command.contains(" delete ") || command.contains("rawusage=0");
    let begin = commands.iter().position(|command| does_harm(&command));
    let end = &commands[begin.unwrap_or(commands.len())..];
    let is_safe = |command: &String| does_harm(&command) || command.contains("defaultaccount=");
    assert!(end.iter().all(is_safe), "{commands:#?}");
}

fn of(names: &[(&str, &str, bool)], edits: &[&str]) -> Plan {
    planned(&scenario_of(names, edits))
}

fn scenario_of(names: &[(&str, &str, bool)], edits: &[&str]) -> Scenario {
    let mut builder = TreeBuilder::new(b"root");
    let mut accounts = vec![("root", NodeId::ROOT)];
    for &(parent, name, is_account) in names {
        let above = accounts
            .iter()
            .find(|(known, _)| *known == parent)
            .expect("an account")
            .1;
        let kind = if is_account {
            Kind::Account
        } else {
            Kind::User
        };
        let id = builder.intern(name.as_bytes());
        let node = builder.push(above, id, kind, Position::Last);
        builder.set_shares(node, Shares::new(1));
        builder.set_usage(node, Usage::new(9.0));
        if is_account {
            accounts.push((name, node));
        }
    }
    let mut scenario = scenario(builder.build());
    for text in edits {
        let edit = parse(text.as_bytes(), scenario.tree(), scenario.settings()).unwrap();
        scenario.apply(edit).unwrap();
    }
    scenario
}

const TREE: &[(&str, &str, bool)] = &[
    ("root", "physics", true),
    ("physics", "alice", false),
    ("physics", "Bob", false),
    ("root", "chem", true),
    ("chem", "dan", false),
];

#[test]
fn every_command_names_account_and_cluster() {
    let plan = of(TREE, &["shares physics/alice=20", "shares chem=parent"]);
    assert_eq!(
        plan.commands,
        [
            "sacctmgr -i modify user where name=alice account=physics cluster=gold set fairshare=20",
            "sacctmgr -i modify account where name=chem cluster=gold set fairshare=parent",
        ]
    );
    assert!(
        plan.omission_reasons.is_empty(),
        "{:?}",
        plan.omission_reasons
    );
}

#[test]
fn moving_a_user_adds_an_association_and_reports_the_losses() {
    let plan = of(TREE, &["move physics/alice to chem"]);
    assert_eq!(
        plan.commands,
        [
            "sacctmgr -i add user name=alice account=chem cluster=gold fairshare=1",
            "sacctmgr -i modify user where name=alice cluster=gold set defaultaccount=chem",
            "sacctmgr -i delete user where name=alice account=physics cluster=gold",
        ]
    );
    assert!(
        notes(&plan)[0].starts_with("chem/alice: a user moves by"),
        "{:?}",
        plan.notes
    );
}

#[test]
fn edits_that_cancel_out_leave_nothing() {
    let plan = of(
        TREE,
        &[
            "shares chem=5",
            "move chem to physics",
            "move physics/chem to /",
            "shares chem=1",
        ],
    );
    assert!(
        plan.is_empty() && plan.omission_reasons.is_empty(),
        "{plan:?}"
    );
}

#[test]
fn omissions_for_slurm_are_reported() {
    let cases = [
        (
            "rename chem to chemistry",
            "chem: Slurm cannot rename accounts; ",
        ),
        (
            "shares physics/Bob=3",
            "physics/Bob: sacctmgr converts capital letters",
        ),
        ("usage physics/alice=5", "physics/alice: Slurm counts usage"),
        ("add chem/a,b shares=1", "chem/a,b: sacctmgr reads a comma"),
        ("set TieOrder=newest", "TieOrder depends on the version"),
    ];
    for (edit, begin) in cases {
        let plan = of(TREE, &[edit]);
        assert!(plan.is_empty(), "{edit}: {:?}", plan.commands);
        assert!(
            cannot(&plan)[0].starts_with(begin),
            "{edit}: {:?}",
            plan.omission_reasons
        );
    }
}

#[test]
fn usage_can_only_be_reset() {
    let plan = of(TREE, &["usage physics/alice=0"]);
    assert_eq!(
        plan.commands,
        ["sacctmgr -i modify user where name=alice account=physics cluster=gold set rawusage=0"]
    );
    assert!(plan.rollback.is_empty());
    assert!(
        plan.omission_reasons.is_empty(),
        "{:?}",
        plan.omission_reasons
    );
}

#[test]
fn unknown_values_are_not_restored_by_the_rollback() {
    let mut scenario = scenario_of(TREE, &[]);
    let mut base = scenario.base().clone();
    base.source.lacks_settings = true;
    scenario = Scenario::new(Arc::new(base), Policy::FairTree);
    for text in ["set PriorityDecayHalfLife=14-0", "shares chem=2"] {
        let edit = parse(text.as_bytes(), scenario.tree(), scenario.settings()).unwrap();
        scenario.apply(edit).unwrap();
    }
    let plan = planned(&scenario);
    assert!(
        notes(&plan)[0]
            .ends_with("the source does not show PriorityDecayHalfLife, so note it down first"),
        "{:?}",
        plan.notes
    );
    assert!(
        words::effect(&plan.effective[1]).contains("unless slurm.conf says otherwise"),
        "{:?}",
        plan.effective
    );
}

#[test]
fn an_unknown_default_account_is_changed_first_with_a_note() {
    let tree = &[
        ("root", "physics", true),
        ("physics", "alice", false),
        ("root", "chem", true),
        ("chem", "alice", false),
    ];
    let plan = of(tree, &["remove physics/alice"]);
    assert_eq!(
        plan.commands,
        [
            "sacctmgr -i modify user where name=alice cluster=gold set defaultaccount=chem",
            "sacctmgr -i delete user where name=alice account=physics cluster=gold",
        ]
    );
    assert!(
        notes(&plan)
            .iter()
            .any(|note| note.starts_with("alice: the source does not show the default account")),
        "{:?}",
        plan.notes
    );
}

#[test]
fn users_are_renamed_everywhere_or_not_at_all() {
    let tree = &[
        ("root", "physics", true),
        ("physics", "alice", false),
        ("root", "chem", true),
        ("chem", "alice", false),
        ("chem", "dan", false),
    ];
    let plan = of(
        tree,
        &[
            "rename physics/alice to alix",
            "rename chem/alice to alix",
            "shares chem/alix=7",
        ],
    );
    assert_eq!(
        plan.commands,
        [
            "sacctmgr -i modify user where name=alice set newname=alix",
            "sacctmgr -i modify user where name=alix account=chem cluster=gold set fairshare=7",
        ]
    );
    assert_eq!(
        plan.rollback,
        [
            "sacctmgr -i modify user where name=alix set newname=alice",
            "sacctmgr -i modify user where name=alice account=chem cluster=gold set fairshare=1",
        ]
    );
    for (edit, reason) in [
        (
            "rename physics/alice to alix",
            "renames a user in all associations at once",
        ),
        ("rename chem/dan to Dan", "converts capital letters"),
        (
            "rename physics/alice to dan",
            "has a user of the new name already",
        ),
    ] {
        let plan = of(tree, &[edit]);
        assert!(plan.is_empty(), "{:?}", plan.commands);
        assert!(
            cannot(&plan)[0].contains(reason),
            "{:?}",
            plan.omission_reasons
        );
    }
}

#[test]
fn associations_for_a_partition_are_added_with_it() {
    let plan = of(
        TREE,
        &[
            "add chem/dave@gpu shares=5",
            "add chem/new lab shares=2 kind=account",
        ],
    );
    assert_eq!(
        plan.commands,
        [
            "sacctmgr -i add account 'name=new lab' cluster=gold parent=chem fairshare=2",
            "sacctmgr -i add user name=dave account=chem cluster=gold partition=gpu fairshare=5",
        ]
    );
    assert_eq!(
        plan.rollback,
        [
            "sacctmgr -i delete user where name=dave account=chem cluster=gold partition=gpu",
            "sacctmgr -i delete account where 'name=new lab' cluster=gold",
        ]
    );
}

#[test]
fn changed_settings_are_lines_for_slurm_conf() {
    let plan = of(TREE, &["set PriorityDecayHalfLife=14-0"]);
    assert_eq!(plan.commands, ["scontrol reconfigure"]);
    notes(&plan)[0].must_begin("write PriorityDecayHalfLife=14-00:00:00 in slurm.conf");
}

#[test]
fn equal_changes_of_several_names_are_one_command() {
    let tree = &[
        ("root", "physics", true),
        ("physics", "alice", false),
        ("physics", "bob", false),
        ("physics", "x y", false),
        ("root", "chem", true),
        ("chem", "bob", false),
    ];
    let edits = [
        "shares physics/alice=20",
        "shares physics/bob=20",
        "shares physics/x y=20",
        "shares chem/bob=20",
        "shares chem=20",
        "shares physics=20",
    ];
    let plan = of(tree, &edits);
    assert_eq!(
        plan.commands,
        [
            "sacctmgr -i modify account where name=physics,chem cluster=gold set fairshare=20",
            "sacctmgr -i modify user where name=alice,bob account=physics cluster=gold set fairshare=20",
            "sacctmgr -i modify user where 'name=x y' account=physics cluster=gold set fairshare=20",
            "sacctmgr -i modify user where name=bob account=chem cluster=gold set fairshare=20",
        ]
    );
}

#[test]
fn long_lists_of_names_are_split_to_fit_a_terminal() {
    let names: Vec<String> = (0..1000).map(|place| format!("user{place}")).collect();
    let mut tree = vec![("root", "physics", true)];
    tree.extend(names.iter().map(|name| ("physics", &name[..], false)));
    let plan = of(&tree, &["split physics to 9000"]);
    assert!(plan.commands.len() < 12, "{}", plan.commands.len());
    assert!(plan.commands.iter().all(|command| command.len() < 1200));
}

#[test]
fn indistinguishable_associations_are_not_changed() {
    let tree = &[
        ("root", "physics", true),
        ("physics", "alice", false),
        ("physics", "alice", false),
    ];
    for edit in [
        "shares physics/alice=20",
        "shares physics/alice#2=20",
        "remove physics/alice",
        "remove physics/alice#2",
        "move physics/alice to /",
    ] {
        let plan = of(tree, &[edit]);
        assert!(plan.is_empty(), "{:?}", plan.commands);
        cannot(&plan)[0].must_contain("several associations look the same");
    }
}

#[test]
fn resetting_an_account_resets_all_nodes_below() {
    let mut scenario = scenario_of(TREE, &[]);
    let mut base = scenario.base().clone();
    let chem = resolve(&base.tree, b"chem").unwrap();
    // Former users have used 3.
    base.tree.set_usage(chem, Usage::new(12.0));
    scenario = Scenario::new(Arc::new(base), Policy::FairTree);
    let edit = parse(b"usage chem=0", scenario.tree(), scenario.settings()).unwrap();
    scenario.apply(edit).unwrap();
    let plan = planned(&scenario);
    assert_eq!(
        plan.commands,
        ["sacctmgr -i modify account where name=chem cluster=gold set rawusage=0"]
    );
    assert!(
        plan.omission_reasons.is_empty(),
        "{:?}",
        plan.omission_reasons
    );
}

#[test]
fn omitted_changes_do_not_count_as_failed() {
    let edits = ["rename chem to chemistry", "shares physics/alice=20"];
    let scenario = scenario_of(TREE, &edits);
    let plan = planned(&scenario);
    let verdicts = |applied: &[&str]| {
        let mut later = scenario.base().clone();
        later.tree = scenario_of(TREE, applied).tree().clone();
        let verdicts = verify(&scenario, &later, &plan.omissions);
        let told = verdicts.iter();
        told.map(|verdict| (verdict.standing, verdict.is_fine()))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        verdicts(&edits[1..]),
        [(ChangeStatus::Applied, true), (ChangeStatus::Before, true)]
    );
    assert_eq!(
        verdicts(&[]),
        [(ChangeStatus::Before, false), (ChangeStatus::Before, true)]
    );
    // Made by hand, so the plan does not recognise it.
    assert_eq!(
        verdicts(&edits),
        [(ChangeStatus::Applied, true), (ChangeStatus::Applied, true)]
    );
}

#[test]
fn a_user_that_cannot_be_deleted_is_not_moved() {
    let tree = &[
        ("root", "Physics", true),
        ("Physics", "alice", false),
        ("root", "chem", true),
    ];
    let plan = of(tree, &["move Physics/alice to chem"]);
    assert!(plan.is_empty(), "{:?}", plan.commands);
    assert!(
        cannot(&plan)[0].contains("converts capital letters"),
        "{:?}",
        plan.omission_reasons
    );
}

#[test]
fn shares_and_usage_of_a_user_that_cannot_move_are_omitted_too() {
    let edits = [
        "shares physics/Bob=7",
        "usage physics/Bob=0",
        "move physics/Bob to chem",
    ];
    let scenario = scenario_of(TREE, &edits);
    let plan = planned(&scenario);
    assert!(plan.is_empty(), "{:?}", plan.commands);
    let later = scenario.base().clone();
    for verdict in verify(&scenario, &later, &plan.omissions) {
        assert!(verdict.is_fine(), "{verdict:?}");
    }
}

/// A plan for a cluster of this version; empty if the source does not tell it.
fn of_version(version: &str, names: &[(&str, &str, bool)], edits: &[&str]) -> Plan {
    planned(&scenario_of_version(version, names, edits))
}

fn scenario_of_version(version: &str, names: &[(&str, &str, bool)], edits: &[&str]) -> Scenario {
    let mut base = scenario_of(names, &[]).base().clone();
    version.clone_into(&mut base.source.version);
    let mut scenario = Scenario::new(Arc::new(base), Policy::FairTree);
    for text in edits {
        let edit = parse(text.as_bytes(), scenario.tree(), scenario.settings()).unwrap();
        scenario.apply(edit).unwrap();
    }
    scenario
}

#[test]
fn names_with_an_equals_sign_are_planned() {
    let tree = &[
        ("root", "physics", true),
        ("physics", "a=b", false),
        ("physics", "e=f", false),
        ("root", "x=y", true),
    ];
    let plan = of(
        tree,
        &[
            "rename physics/e=f to g=h",
            "add x=y/c=d shares=3",
            "shares x=y=7",
            "remove physics/a=b",
        ],
    );
    assert_eq!(
        plan.commands,
        [
            "sacctmgr -i modify user where name=e=f set newname=g=h",
            "sacctmgr -i add user name=c=d account=x=y cluster=gold fairshare=3",
            "sacctmgr -i modify account where name=x=y cluster=gold set fairshare=7",
            "sacctmgr -i delete user where name=a=b account=physics cluster=gold",
        ]
    );
    assert!(plan.omission_reasons.is_empty(), "{:?}", cannot(&plan));
}

/// Real Slurm 24.11.5 answered `Nothing deleted` with status 1 where 22.05.8 deleted the user.
#[test]
fn a_name_with_a_backslash_is_not_deleted_since_lineages() {
    let tree = &[
        ("root", "physics", true),
        ("physics", r"back\sl", false),
        ("root", "chem", true),
    ];
    let edits = [
        ("physics", r"remove physics/back\\sl"),
        ("chem", r"move physics/back\\sl to chem"),
    ];
    for (account, edit) in edits {
        let plan = of_version("24.11.5", tree, &[edit]);
        assert!(plan.is_empty(), "{:?}", plan.commands);
        let refusal = format!(
            r"{account}/back\\\\sl: Slurm 24.11 does not delete a name with a backslash: sacctmgr answers Nothing deleted; set its shares to 0 instead"
        );
        assert_eq!(cannot(&plan), [refusal]);
        let plan = of_version("22.05.8", tree, &[edit]);
        assert!(plan.omission_reasons.is_empty(), "{:?}", cannot(&plan));
        assert_eq!(
            plan.commands.last().map(String::as_str),
            Some(r"sacctmgr -i delete user where 'name=back\sl' account=physics cluster=gold")
        );
    }
    let plan = of_version("24.11.5", tree, &[r"shares physics/back\\sl=0"]);
    assert_eq!(plan.commands.len(), 1, "{:?}", cannot(&plan));
}

#[test]
fn faults_of_slurm_that_a_move_of_accounts_meets_are_noted() {
    let tree = &[
        ("root", "a0", true),
        ("a0", "a1", true),
        ("a1", "a3", true),
        ("a3", "alice", false),
        ("a0", "a2", true),
        ("a2", "bob", false),
        ("root", "a4", true),
        ("root", "a_1", true),
        ("root", "ab", true),
        ("ab", "sub", true),
    ];
    let seen = |untried: &str| {
        let lost = "on Slurm 24.11.5 the next restart of slurmctld loses users two levels below, because the new parent sorts after the old one: they get FairShare 0. Choose a parent that sorts earlier, or roll back before the restart";
        let omitted = "after this move sacctmgr dump of Slurm 24.11.5 omits users that are added two levels below, even after a rollback; compare the dump with sacctmgr show assoc";
        [lost, omitted].map(|fault| fault.to_owned() + untried)
    };
    let [lost, omitted] = seen("");
    let of_move = |version, edits: &[&str]| -> Vec<String> {
        let notes = notes(&of_version(version, tree, edits)).into_iter();
        let is_fault =
            |note: &String| note.contains("restart of slurmctld") || note.contains("omits users");
        notes.filter(is_fault).collect()
    };
    let both = ["a1"; 2].map(str::to_owned);
    let both = [
        format!("{}: {lost}", both[0]),
        format!("{}: {omitted}", both[1]),
    ];
    for (version, untried) in [
        (
            "26.05.5",
            "; this was not tried on 26.05.5, the version of the source",
        ),
        (
            "23.11.1",
            "; this was not tried on 23.11.1, the version of the source",
        ),
        ("", "; the source does not state its version"),
    ] {
        let noted = seen(untried).map(|note| format!("a1: {note}"));
        assert_eq!(of_move(version, &["move a0/a1 to a4"]), noted, "{version}");
    }
    assert_eq!(of_move("24.11.5", &["move a0/a1 to a4"]), both);
    for version in ["22.05.8", "23.02.7"] {
        assert!(
            of_move(version, &["move a0/a1 to a4"]).is_empty(),
            "{version}"
        );
    }
    assert_eq!(of_move("24.11.5", &["move a0/a1 to /"]), both);
    assert!(of_move("24.11.5", &["move a0/a2 to a4"]).is_empty());
    assert!(of_move("24.11.5", &["shares a0/a1=4"]).is_empty());
    let edits = ["add a4/new shares=1 kind=account", "move a4 to a0"];
    assert_eq!(of_move("24.11.5", &edits), [format!("a4: {omitted}")]);
    // In the order of the database a letter is before an underscore.
    assert_eq!(
        of_move("24.11.5", &["move ab to a_1"]),
        [format!("ab: {lost}"), format!("ab: {omitted}")]
    );
}

#[test]
fn records_that_a_rollback_leaves_are_noted_once() {
    let record = "the rollback deletes only the association and leaves the record of the account; delete it with sacctmgr delete account name=NAME if no other cluster uses it";
    let edits = [
        "add physics/zoe shares=1",
        "add chem/zoe shares=1",
        "add chem/alice shares=1",
        "add optics shares=1 kind=account",
        "add optics/yan shares=1",
    ];
    let of_version = |version| -> Vec<String> {
        let notes = notes(&of_version(version, TREE, &edits)).into_iter();
        notes
            .filter(|note| note.contains("leaves the record"))
            .collect()
    };
    // The record of a user goes with its last association.
    for version in ["24.11.5", "26.05.5", ""] {
        assert_eq!(
            of_version(version),
            [format!("optics: {record}")],
            "{version}"
        );
    }
    assert!(of_version("22.05.8").is_empty());
}

#[test]
fn a_deletion_that_slurm_may_ignore_is_noted() {
    let tree = &[("root", "physics", true), ("physics", r"back\sl", false)];
    let ignored = r"back\\sl: Slurm 24.11.5 does not delete a name with a backslash: sacctmgr answers Nothing deleted, and the name stays";
    let ignored_by = |version, edit| {
        let notes = notes(&of_version(version, tree, &[edit])).into_iter();
        let ignored = notes.filter(|note| note.contains("does not delete a name"));
        ignored.collect::<Vec<_>>()
    };
    let untried = |why: &str| [ignored.to_owned() + why];
    assert_eq!(
        ignored_by("", r"remove physics/back\\sl"),
        untried("; the source does not state its version")
    );
    // It may work there, so it is planned.
    assert_eq!(
        ignored_by("26.05.5", r"remove physics/back\\sl"),
        untried("; this was not tried on 26.05.5, the version of the source")
    );
    assert!(ignored_by("22.05.8", r"remove physics/back\\sl").is_empty());
    assert!(ignored_by("", r"shares physics/back\\sl=0").is_empty());
    // The rollback of an added user deletes it.
    let tree = &[("root", "physics", true)];
    let added = of_version("24.11.5", tree, &[r"add physics/back\\sl shares=1"]);
    assert_eq!(added.commands.len(), 1);
    assert!(
        notes(&added).contains(&ignored.to_owned()),
        "{:?}",
        notes(&added)
    );
}

/// The plan adds a moved user with its shares, so they are part of it.
#[test]
fn changed_shares_of_a_moved_user_are_noticed() {
    let tree = &[
        ("root", "physics", true),
        ("physics", "alice", false),
        ("root", "chem", true),
        ("root", "optics", true),
    ];
    let verdicts = |edits: &[&str], applied: &[&str]| {
        let scenario = scenario_of(tree, edits);
        let mut later = scenario.base().clone();
        later.tree = scenario_of(tree, applied).tree().clone();
        let verdicts = verify(&scenario, &later, &BTreeSet::new());
        let told = verdicts.iter();
        told.map(|verdict| format!("{}: {}", words::standing(verdict), words::verdict(verdict)))
            .collect::<Vec<_>>()
    };
    let moved = "move physics/alice to chem";
    let is_moved = "applied: physics/alice is now chem/alice";
    assert_eq!(verdicts(&[moved], &[moved]), [is_moved]);
    assert_eq!(
        verdicts(&[moved], &[moved, "shares chem/alice=7"]),
        [is_moved, "something else: chem/alice has 7 shares, not 1"]
    );
    assert_eq!(
        verdicts(&[moved], &["shares physics/alice=7"]),
        ["still as before: physics/alice was to become chem/alice and is still there"]
    );
    assert_eq!(
        verdicts(
            &[moved, "shares chem/alice=3"],
            &[moved, "shares chem/alice=7"]
        ),
        [
            is_moved,
            "something else: chem/alice has 7 shares, neither 3 nor 1 as before"
        ]
    );
    // An account keeps its association, and the plan does not set its shares.
    let moved = "move chem to optics";
    assert_eq!(
        verdicts(&[moved], &[moved, "shares optics/chem=7"]),
        ["applied: chem is now optics/chem"]
    );
}

/// `sacctmgr dump` prints two backslashes as they are, and its reader takes them for one, as `sacctmgr load` does.
#[test]
fn two_backslashes_of_a_name_are_one_in_a_dump() {
    let tree = |name| [("root", "physics", true), ("physics", name, false)];
    let (of_sshare, of_dump) = (tree(r"back\\sl"), tree(r"back\sl"));
    let edits = [r"shares physics/back\\\\sl=5", r"shares physics/back\\sl=5"];
    let standings = |scenario: &Scenario, names, format, applied: &[&str]| {
        let mut later = scenario.base().clone();
        later.tree = scenario_of(names, applied).tree().clone();
        later.source.format = format;
        let verdicts = verify(scenario, &later, &BTreeSet::new());
        verdicts
            .iter()
            .map(|verdict| verdict.standing)
            .collect::<Vec<_>>()
    };
    let before = scenario_of(&of_sshare, &edits[..1]);
    let dump = Format::SacctmgrDump;
    assert_eq!(
        standings(&before, &of_dump, dump, &edits[1..]),
        [ChangeStatus::Applied]
    );
    assert_eq!(
        standings(&before, &of_dump, dump, &[]),
        [ChangeStatus::Before]
    );
    // Elsewhere these are two names.
    let other = Format::SlurmJson;
    assert_eq!(
        standings(&before, &of_dump, other, &edits[1..]),
        [ChangeStatus::Other]
    );
    let mut base = scenario_of(&of_dump, &[]).base().clone();
    base.source.format = dump;
    let mut before = Scenario::new(Arc::new(base), Policy::FairTree);
    let edit = parse(edits[1].as_bytes(), before.tree(), before.settings()).unwrap();
    before.apply(edit).unwrap();
    assert_eq!(
        standings(&before, &of_sshare, other, &edits[..1]),
        [ChangeStatus::Applied]
    );
}

/// A user is not found again in a sibling whose name is its own with other backslashes, and which is found by its own name.
#[test]
fn a_removed_name_is_not_another_one_that_differs_by_its_backslashes() {
    let tree = [
        ("root", "physics", true),
        ("physics", r"back\\sl", false),
        ("physics", r"back\sl", false),
    ];
    let scenario = scenario_of(&tree, &[r"remove physics/back\\\\sl"]);
    let only = [("root", "physics", true), ("physics", r"back\sl", false)];
    let in_place = [
        ("root", "physics", true),
        ("physics", "zoe", false),
        ("physics", r"back\sl", false),
    ];
    for names in [&only[..], &in_place] {
        let mut later = scenario.base().clone();
        later.tree = scenario_of(names, &[]).tree().clone();
        later.source.format = Format::SacctmgrDump;
        let verdicts = verify(&scenario, &later, &BTreeSet::new());
        let standings = verdicts.iter().map(|verdict| verdict.standing);
        assert_eq!(
            standings.collect::<Vec<_>>(),
            [ChangeStatus::Applied],
            "{names:?}"
        );
    }
}

#[test]
fn a_new_node_at_the_path_of_a_removed_one_is_not_matched_with_it() {
    let edits = [
        "add physics/new shares=4",
        "remove physics/alice",
        "add physics/alice shares=1 kind=account",
        "move physics/Bob to /",
        "add physics/Bob shares=9",
    ];
    let scenario = scenario_of(TREE, &edits);
    let nothing_left_out = std::collections::BTreeSet::new();
    let standings = |later: &Tree| -> Vec<ChangeStatus> {
        let later = Snapshot {
            tree: later.clone(),
            ..scenario.base().clone()
        };
        let verdicts = verify(&scenario, &later, &nothing_left_out);
        verdicts.iter().map(|verdict| verdict.standing).collect()
    };
    let applied = standings(scenario.tree());
    assert!(
        applied
            .iter()
            .all(|&standing| standing == ChangeStatus::Applied),
        "{applied:?}"
    );
    let before = standings(&scenario.base().tree);
    let count = before
        .iter()
        .filter(|&&standing| standing == ChangeStatus::Before)
        .count();
    // The node had one share before, too.
    assert_eq!(count, before.len() - 1, "{before:?}");
}

#[test]
fn jobs_that_keep_an_association_from_being_deleted_are_named() {
    let given = |jobs: &[[&str; 4]]| PlanInputs {
        jobs: jobs.iter().map(|job| label(*job)).collect(),
        ..PlanInputs::default()
    };
    let edits = ["remove physics/alice", "shares chem=7"];
    let scenario = scenario_of_version("26.05.5", TREE, &edits);
    let notes = |jobs: &[[&str; 4]]| {
        let plan = plan(&scenario, Scheduler::Slurm, &given(jobs));
        self::notes(&plan)
    };
    let told = notes(&[
        ["12", "alice", "physics", "batch"],
        ["13", "alice", "chem", "batch"],
        ["190_[0-20%4]", "alice", "physics", "batch"],
    ]);
    let named = "physics/alice: its jobs run or wait (12 and 190_[0-20%4]), so sacctmgr refuses to delete it";
    assert!(told.contains(&named.to_owned()), "{told:?}");
    let general = "refuses to delete an association with running or waiting jobs";
    assert!(told.iter().any(|note| note.contains(general)), "{told:?}");
    let none = notes(&[["13", "alice", "chem", "batch"]]);
    assert!(
        !none.iter().any(|note| note.contains("so sacctmgr refuses")),
        "{none:?}"
    );
    let many: Vec<String> = (1..9).map(|id| id.to_string()).collect();
    let many: Vec<[&str; 4]> = many
        .iter()
        .map(|id| [&**id, "alice", "physics", "batch"])
        .collect();
    let told = notes(&many);
    assert!(
        told.iter()
            .any(|note| note.contains("(1, 2, 3, 4, 5 and 3 more)")),
        "{told:?}"
    );
}

fn label([id, user, account, partition]: [&str; 4]) -> JobLabel {
    let name = |text: &str| Some(text.as_bytes().to_vec());
    JobLabel {
        id: fairscope::base::shown::shown(id.as_bytes()),
        user: name(user),
        account: name(account),
        partition: name(partition),
        cuts_names: false,
    }
}

#[test]
fn depth_oblivious_settles_at_the_second_calculation_after_an_addition() {
    let count = |policy: Policy, edit: &str| {
        let mut scenario = scenario_of_version("26.05.5", TREE, &[edit]);
        scenario.set_policy(policy);
        let plan = plan(&scenario, Scheduler::Slurm, &PlanInputs::default());
        let notes = self::notes(&plan);
        notes
            .iter()
            .filter(|note| note.contains("under DEPTH_OBLIVIOUS the first calculation"))
            .count()
    };
    assert_eq!(count(Policy::DepthOblivious, "add physics/zoe shares=1"), 1);
    assert_eq!(count(Policy::DepthOblivious, "shares physics=7"), 0);
    assert_eq!(count(Policy::FairTree, "add physics/zoe shares=1"), 0);
}
