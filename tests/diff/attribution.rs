//! Rank changes by cause: the contributions add up to the total, and each change is attributed to its own cause.

use super::{edited, node};
use crate::support::trees;
use fairscope::analysis::diff::{Attribution, Cause, Diff, PlacesByCause};
use fairscope::model::{
    Kind, NodeId, Position, Recorded, Scheduler, Settings, Shares, Snapshot, Source, TreeBuilder,
};
use fairscope::rules::policy::Policy;
use fairscope::scenario::Scenario;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Rank changes by cause for every user ranked in both trees; asserts that each adds up.
fn attributed(diff: &Diff) -> Vec<(NodeId, PlacesByCause)> {
    let mut attribution = Attribution::of(diff);
    let mut users = Vec::new();
    for &user in diff.after.tree.nodes() {
        if diff.after.tree.kind(user) != Kind::User {
            continue;
        }
        let before = diff.matching.before(user);
        let before = before.and_then(|before| diff.before.evaluation.rank(before));
        let after = diff.after.evaluation.rank(user);
        let gained = attribution.attribute(user);
        let whole = before
            .zip(after)
            .map(|(before, after)| i64::from(before) - i64::from(after));
        assert_eq!(gained.map(|gained| total(&gained)), whole);
        users.extend(gained.map(|gained| (user, gained)));
    }
    users
}

fn total(gained: &PlacesByCause) -> i64 {
    Cause::ALL.iter().map(|&cause| gained.places(cause)).sum()
}

/// Whether `cause` alone changed the rank.
fn is_only(gained: &PlacesByCause, cause: Cause) -> bool {
    let mut others = Cause::ALL.iter().filter(|&&other| other != cause);
    others.all(|&other| gained.places(other) == 0)
}

#[test]
fn changed_usage_is_attributed_to_the_user_its_account_or_others() {
    for &policy in Policy::ALL {
        let diff = edited(policy, &["usage chemistry/lab/dora+=123456"]);
        let tree = &diff.after.tree;
        let own = node(&diff, "chemistry/lab/dora");
        for (user, gained) in attributed(&diff) {
            let cause = if user == own {
                Cause::OwnUsage
            } else if tree
                .parent(user)
                .is_some_and(|account| tree.order().is_within(own, account))
            {
                Cause::AccountUsage
            } else {
                Cause::Others
            };
            assert!(is_only(&gained, cause), "{}: {gained:?}", policy.name());
        }
        // At least one rank must have changed, or nothing was tested.
        assert!(!diff.moves().is_empty(), "{}", policy.name());
    }
}

#[test]
fn shares_and_moves_are_attributed_to_their_own_causes() {
    for &policy in Policy::ALL {
        for (edit, cause) in [
            (&["shares physics=4000"] as &[_], Cause::Shares),
            (&["shares physics/bob=1"], Cause::Shares),
            (&["move physics/bob to biology"], Cause::Structure),
            (&["move chemistry/lab to physics"], Cause::Structure),
            (
                &[
                    "move chemistry/lab/dora to biology",
                    "move chemistry/lab to physics",
                    "move physics/alice to physics/lab",
                ],
                Cause::Structure,
            ),
            (&["remove physics/carol"], Cause::Structure),
            (&["add physics/zoe shares=500"], Cause::Structure),
        ] {
            let diff = edited(policy, edit);
            for (_, because) in attributed(&diff) {
                let name = policy.name();
                assert!(is_only(&because, cause), "{name}, {edit:?}: {because:?}");
            }
        }
    }
}

#[test]
fn usage_of_an_added_user_is_not_attributed_to_structure() {
    let diff = edited(
        Policy::FairTree,
        &["add physics/zoe shares=1", "usage physics/zoe=1000000"],
    );
    let bob = node(&diff, "physics/bob");
    let gina = node(&diff, "biology/gina");
    let users = attributed(&diff);
    let because = |user| users.iter().find(|(node, _)| *node == user).unwrap().1;
    assert_eq!(because(bob).places(Cause::Others), 0);
    assert!(because(bob).places(Cause::AccountUsage) != 0);
    assert_eq!(because(gina).places(Cause::AccountUsage), 0);
}

#[test]
fn only_settings_that_the_policy_uses_are_a_cause() {
    let diff = edited(Policy::Pbs, &["set unknown_shares=10"]);
    assert_eq!(diff.changes.settings.len(), 1);
    assert_eq!(diff.changes.settings[0].key, "unknown_shares");
    attributed(&diff);
    // The policy ignores this setting.
    let diff = edited(Policy::FairTree, &["set FairShareDampeningFactor=5"]);
    assert!(diff.is_empty());
    let diff = edited(Policy::Classic, &["set FairShareDampeningFactor=5"]);
    assert_eq!(diff.changes.settings.len(), 1);
    for (_, because) in attributed(&diff) {
        assert!(is_only(&because, Cause::Settings));
    }
}

/// A reproducible generator of pseudo-random whole numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn one_in(&mut self, chance: u64) -> bool {
        self.below(chance) == 0
    }
}

/// A node to create: parent account, whether it is an account, shares, usage.
type Facts = (Option<String>, bool, i64, Option<u32>);

/// A site with accounts and users by name; over time, nodes are added, removed, moved, reshared and used.
#[derive(Clone)]
struct Site {
    nodes: BTreeMap<String, Facts>,
    born: u32,
}

impl Site {
    fn new(dice: &mut Dice) -> Self {
        let mut site = Self {
            nodes: BTreeMap::new(),
            born: 0,
        };
        for _ in 0..5 + dice.below(20) {
            site.grow(dice);
        }
        site
    }

    fn account(&self, dice: &mut Dice) -> Option<String> {
        let accounts: Vec<&String> = self
            .nodes
            .iter()
            .filter_map(|(name, facts)| facts.1.then_some(name))
            .collect();
        let place = usize::try_from(dice.below(accounts.len() as u64 + 1)).unwrap();
        accounts.get(place).map(|name| (*name).clone())
    }

    fn grow(&mut self, dice: &mut Dice) {
        let account = self.account(dice);
        self.born += 1;
        let is_account = dice.one_in(3);
        // Accounts sort by age, so a parent is always older.
        let name = format!("{}{:03}", if is_account { 'a' } else { 'u' }, self.born);
        let shares = i64::try_from(dice.below(50)).unwrap();
        let usage = u32::try_from(dice.below(10_000)).unwrap();
        let usage = Some(usage).filter(|_| !is_account && !dice.one_in(5));
        self.nodes
            .insert(name, (account, is_account, shares, usage));
    }

    fn age(&mut self, dice: &mut Dice) {
        for name in self.nodes.keys().cloned().collect::<Vec<_>>() {
            let is_account = self.nodes[&name].1;
            if !is_account && dice.one_in(10) {
                self.nodes.remove(&name);
                continue;
            }
            let account = self.account(dice);
            let facts = self.nodes.get_mut(&name).unwrap();
            if !is_account && dice.one_in(10) {
                facts.0 = account;
            }
            if dice.one_in(6) {
                facts.2 = i64::try_from(dice.below(50)).unwrap();
            }
            if !is_account && dice.one_in(3) {
                facts.3 = Some(u32::try_from(dice.below(10_000)).unwrap());
            }
        }
        for _ in 0..dice.below(4) {
            self.grow(dice);
        }
    }

    /// The site as a scheduler reports it; Slurm also states the usage of some accounts.
    fn snapshot(&self, scheduler: Scheduler, dice: &mut Dice) -> Snapshot {
        let is_pbs = scheduler == Scheduler::Pbs;
        let mut builder = TreeBuilder::new(if is_pbs { b"TREEROOT" } else { b"root" });
        let mut ids = BTreeMap::new();
        let mut used = BTreeMap::new();
        for (name, (account, is_account, shares, usage)) in &self.nodes {
            let above = account
                .as_ref()
                .map_or(NodeId::ROOT, |account| ids[account]);
            let kind = if *is_account {
                Kind::Account
            } else {
                Kind::User
            };
            let position = if is_pbs {
                Position::First
            } else {
                Position::Last
            };
            let id = builder.intern(name.as_bytes());
            let node = builder.push(above, id, kind, position);
            let is_parent = scheduler == Scheduler::Slurm && *shares == 7;
            builder.set_shares(
                node,
                if is_parent {
                    Shares::PARENT
                } else {
                    Shares::new(*shares)
                },
            );
            ids.insert(name.clone(), node);
            if let Some(usage) = usage {
                builder.record(node, f64::from(*usage), true);
                let mut above = account.as_ref();
                while let Some(account) = above {
                    *used.entry(account.clone()).or_insert(0.0) += f64::from(*usage);
                    above = self.nodes[account].0.as_ref();
                }
            }
        }
        if scheduler == Scheduler::Slurm {
            for (account, used) in used {
                if !dice.one_in(4) {
                    builder.record(ids[account.as_str()], used, false);
                }
            }
        }
        if is_pbs {
            let name = builder.intern(b"unknown");
            let unknown = builder.push(NodeId::ROOT, name, Kind::Account, Position::Last);
            builder.follow_pbs(unknown);
        }
        let mut settings = Settings {
            scheduler: Some(scheduler),
            ..Settings::default()
        };
        if dice.one_in(4) {
            settings.set("FairShareDampeningFactor", "3").unwrap();
        }
        Snapshot::new(
            builder.build(),
            settings,
            Source::default(),
            Recorded::default(),
        )
    }
}

#[test]
fn contributions_add_up_for_every_user_under_every_policy() {
    let (mut users, mut moves) = (0, 0);
    for seed in 0..102 {
        let mut dice = Dice(seed);
        let scheduler = Scheduler::ALL[usize::try_from(seed % 3).unwrap()];
        let mut site = Site::new(&mut dice);
        let old = Arc::new(site.snapshot(scheduler, &mut dice));
        site.age(&mut dice);
        let new = Arc::new(site.snapshot(scheduler, &mut dice));
        for &policy in Policy::ALL {
            let diff = Diff::between(
                &Scenario::new(Arc::clone(&old), policy),
                &Scenario::new(Arc::clone(&new), policy),
            );
            users += attributed(&diff).len();
            moves += diff.moves().len();
            for (user, because) in diff.moves().iter().zip(diff.attribute(usize::MAX)) {
                assert_eq!(total(&because), user.places());
            }
        }
    }
    println!("{users} users, {moves} moves");
    assert!(
        users > 5_000 && moves > 1_000,
        "{users} users, {moves} moves"
    );
}

#[test]
fn pbs_trees_attribute_usage_by_group() {
    let base = Arc::new(trees::pbs(trees::SEED));
    let mut scenario = Scenario::new(base, Policy::Pbs);
    fairscope::open::opened::apply_text(&mut scenario, b"usage group1/bob+=90000").unwrap();
    let diff = Diff::between(&scenario.beside(None), &scenario);
    for (user, because) in attributed(&diff) {
        let name = diff.after.tree.name(user);
        let cause = match name {
            b"bob" => Cause::OwnUsage,
            b"cathy" => Cause::AccountUsage,
            _ => Cause::Others,
        };
        assert!(is_only(&because, cause), "{because:?}");
    }
}

#[test]
fn users_in_only_one_tree_have_no_rank_change() {
    let diff = edited(
        Policy::FairTree,
        &["add biology/zoe shares=5", "remove physics/bob"],
    );
    let zoe = node(&diff, "biology/zoe");
    assert_eq!(Attribution::of(&diff).attribute(zoe), None);
    assert!(diff.moves().iter().all(|user| user.nodes.after != zoe));
    assert_eq!(diff.changes.added, [zoe]);
    assert_eq!(diff.changes.removed.len(), 1);
}
