//! Plans for trees of a real Slurm: Slurm accepts every command, and the rollback restores the tree.

use super::sacctmgr::{Database, Guard};
use crate::support::files::folders_with;
use crate::support::loading::open;
use crate::support::{data, golden};
use fairscope::analysis::plan::verify::{ChangeStatus, ChangeVerdict, verify};
use fairscope::analysis::plan::{Note, Plan, PlanInputs, Tested, plan, planned_tree};
use fairscope::model::{Fact, Kind, Scheduler, Snapshot, Tree, path_of};
use fairscope::open::opened::Opened;
use fairscope::scenario::parse;
use std::collections::BTreeSet;
use std::path::Path;

fn planned(case: &Path) -> (Opened, Plan) {
    let opened = open(&case.join("scenario.toml"), None);
    let plan = plan(&opened.scenario, Scheduler::Slurm, &PlanInputs::default());
    (opened, plan)
}

/// The slurmdbd records of a tree, with the default associations that the controller reported.
fn database(tree: &Tree, snapshot: &Snapshot) -> Database {
    Database::of(tree, |node| {
        snapshot.recorded.text(Fact::DefAssoc, node) == Some("Yes")
    })
}

#[test]
fn plans_and_rollbacks_of_real_trees_are_accepted() {
    let root = golden("slurm_plans").unwrap_or_else(|| data("slurm_plans"));
    let mut commands = 0;
    for case in folders_with(&root, &["scenario.toml"]) {
        let (opened, plan) = planned(&case);
        let (base, name) = (opened.scenario.base(), case.display());
        let mut before = database(&base.tree, base);
        let is_earlier = base.source.version.starts_with("22.");
        before.guard = if is_earlier {
            Guard::Earlier
        } else {
            Guard::Later
        };
        let mut slurm = before.clone();
        for command in &plan.commands {
            slurm.run(command);
        }
        let wanted = database(&planned_tree(&opened.scenario, &plan.omissions), base);
        assert_eq!(
            (&slurm.accounts, &slurm.users),
            (&wanted.accounts, &wanted.users),
            "{name}"
        );
        for command in &plan.rollback {
            slurm.run(command);
        }
        assert_eq!(
            (&slurm.accounts, &slurm.users),
            (&before.accounts, &before.users),
            "{name}"
        );
        // Defaults are known only from the controller's report.
        if !before.defaults.is_empty() {
            let defaults = [&slurm, &before].map(Database::default_accounts);
            assert_eq!(defaults[0], defaults[1], "{name}");
        }
        commands += plan.commands.len() + plan.rollback.len();
    }
    println!("{commands} commands");
}

#[test]
fn a_default_account_is_changed_before_its_association_is_deleted() {
    let Some(root) = golden("slurm_plans") else {
        return;
    };
    let (_, plan) = planned(&root.join("24-rmdefault"));
    assert_eq!(
        plan.commands,
        [
            "sacctmgr -i modify user where name=u3,u2,u1 cluster=gold set defaultaccount=b.lab_2",
            "sacctmgr -i delete user where name=u3 account=a-lab cluster=gold",
            "sacctmgr -i delete user where name=u2 account=a-lab cluster=gold",
            "sacctmgr -i delete user where name=u1 account=a-lab cluster=gold",
            "sacctmgr -i delete account where name=a-lab cluster=gold",
        ]
    );
    assert_eq!(
        plan.rollback,
        [
            "sacctmgr -i add account name=a-lab cluster=gold parent=humanities fairshare=5",
            "sacctmgr -i add user name=u1,u2,u3 account=a-lab cluster=gold fairshare=2",
            "sacctmgr -i modify user where name=u1,u2,u3 cluster=gold set defaultaccount=a-lab",
        ]
    );
    let (_, plan) = planned(&root.join("24-renameuser"));
    assert_eq!(
        plan.commands,
        ["sacctmgr -i modify user where name=dave set newname=david"]
    );
    assert_eq!(
        plan.rollback,
        ["sacctmgr -i modify user where name=david set newname=dave"]
    );
}

/// The dumps were made before and after a real slurmdbd ran the plan. They print the name `back\\sl` as sshare does.
#[test]
fn golden_dumps_show_whether_a_plan_was_applied() {
    let Some(root) = golden("slurm_real/plans") else {
        return;
    };
    let mut backslashes = 0;
    for case in folders_with(&root, &["sc.toml"]) {
        let scenario = open(&case.join("sc.toml"), None).scenario;
        let plan = plan(&scenario, Scheduler::Slurm, &PlanInputs::default());
        let [before, after] = ["d0.cfg", "d1.cfg"].map(|dump| open(&case.join(dump), None));
        let verdicts = verify(&scenario, after.scenario.base(), &plan.omissions);
        let is_applied = verdicts.iter().all(ChangeVerdict::is_fine);
        assert!(is_applied, "{}: {verdicts:#?}", case.display());
        let verdicts = verify(&scenario, before.scenario.base(), &plan.omissions);
        let is_before = verdicts.iter().any(|verdict| !verdict.is_fine());
        assert!(is_before, "{}: {verdicts:#?}", case.display());
        let mut scenario = open(&case.join("s0"), None).scenario;
        let tree = scenario.tree();
        let Some(user) = tree
            .nodes()
            .iter()
            .find(|&&node| tree.name(node) == br"back\\sl")
        else {
            continue;
        };
        let path = path_of(tree, *user).expect("a path");
        let edit = parse(
            format!("shares {path}=5").as_bytes(),
            tree,
            scenario.settings(),
        );
        scenario.apply(edit.expect("an edit")).expect("shares");
        let verdicts = verify(&scenario, before.scenario.base(), &BTreeSet::new());
        let standings = verdicts.iter().map(|verdict| verdict.standing);
        assert_eq!(standings.collect::<Vec<_>>(), [ChangeStatus::Before]);
        backslashes += 1;
    }
    assert!(backslashes > 1, "{backslashes}");
}

/// Slurm 24.11.5 moved a1 below a4; the next restart of slurmctld gave users FairShare 0.
#[test]
fn golden_the_users_that_a_restart_loses_are_two_levels_below_the_noted_account() {
    let Some(root) = golden("slurm_real/24.11-restart-after-move") else {
        return;
    };
    let mut scenario = open(&root.join("before"), None).scenario;
    let edit = parse(b"move a0/a1 to a4", scenario.tree(), scenario.settings());
    scenario.apply(edit.expect("an edit")).expect("a move");
    let plan = plan(&scenario, Scheduler::Slurm, &PlanInputs::default());
    let noted = plan
        .notes
        .iter()
        .find(|note| note.what == Note::LostAtRestart(Tested::Seen));
    assert_eq!(noted.map(|note| &note.named[..]), Some(&["a1".into()][..]));
    let later = open(&root.join("after_restart"), None).scenario;
    let later = later.base();
    let tree = &later.tree;
    let mut lost = 0;
    for &user in tree
        .nodes()
        .iter()
        .filter(|&&node| tree.kind(node) == Kind::User)
    {
        let account = tree.parent(user).and_then(|account| tree.parent(account));
        let is_below = account.is_some_and(|account| tree.name(account) == b"a1");
        let factor = later
            .recorded
            .figure(Fact::FairShare, user)
            .expect("a factor");
        assert_eq!(is_below, factor.value == 0.0, "{:?}", path_of(tree, user));
        lost += usize::from(is_below);
    }
    assert_eq!(lost, 15);
}
