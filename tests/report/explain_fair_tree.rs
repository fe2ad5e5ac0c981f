//! Explanations of a user's rank under Fair Tree.

use super::text_of;
use crate::support::associations::drawn;
use crate::support::growth::{self, Accounts, random_tree};
use crate::support::random::Random;
use fairscope::format::Problems;
use fairscope::model::{Kind, NodeId, Settings, Snapshot, resolve};
use fairscope::report::{View, explain};
use fairscope::rules::policy::{DecisionSide, Policy};
use fairscope::scenario::Scenario;
use std::collections::HashMap;
use std::sync::Arc;

fn explained(policy: Policy, drawing: &str, path: &str) -> String {
    let scenario = Scenario::new(Arc::new(drawn(drawing)), policy);
    let problems = Problems::default();
    let view = View::of(&scenario, &problems);
    let node = resolve(scenario.tree(), path.as_bytes()).expect("a node of the tree");
    let lines = explain::lines(&view, &scenario.explain(node));
    text_of(&lines)
}

/// The account or user that a sentence names as the cause: `NAME` in `held back by NAME`, or the node itself if the
/// sentence states the node's usage.
fn blamed(sentence: &str, name: &str) -> Option<String> {
    if let Some((_, rest)) = sentence.split_once("held back by ") {
        return rest.split_once(',').map(|(name, _)| name.to_owned());
    }
    sentence.contains("; it has ").then(|| name.to_owned())
}

/// The number of users ahead of `node` decided at each node of its path that has a sibling ahead of it. The count of a
/// level includes ties there, which follow the order in which Slurm lists accounts.
fn decided(scenario: &Scenario, node: NodeId) -> HashMap<NodeId, usize> {
    let (tree, evaluation, policy) = (scenario.tree(), scenario.evaluation(), scenario.policy());
    let own = evaluation.rank(node).expect("a user");
    let mut decided: HashMap<NodeId, (usize, bool)> = HashMap::new();
    for &other in tree.nodes() {
        if evaluation.rank(other).is_some_and(|rank| rank < own) {
            let decision = policy.decision(tree, evaluation, node, other);
            let (all, strictly): &mut (usize, bool) = decided.entry(decision.own).or_default();
            *all += 1;
            *strictly |= decision.first == Some(DecisionSide::Other);
        }
    }
    let behind = decided.into_iter().filter(|(_, (_, strictly))| *strictly);
    behind.map(|(node, (all, _))| (node, all)).collect()
}

fn random_site(random: &mut Random) -> Snapshot {
    let count = random.between(5, 30);
    let tree = random_tree(
        random,
        count,
        Accounts {
            first: 3,
            one_in: Some(4),
        },
        |random| growth::shares(random, 12, true, 30),
        |random| (random.below(6) > 0).then(|| random.between(1, 9_000_000) as f64 / 7.0),
    );
    growth::snapshot(tree, Settings::default())
}

#[test]
fn the_level_with_most_users_ahead_is_named_as_the_cause() {
    let mut random = Random::new(99);
    let (mut blames, mut above) = (0, 0);
    for case in 0..600 {
        let scenario = Scenario::new(Arc::new(random_site(&mut random)), Policy::FairTree);
        let problems = Problems::default();
        let view = View::of(&scenario, &problems);
        let tree = scenario.tree();
        let users = tree.nodes().iter().copied();
        for node in users.filter(|&node| tree.kind(node) == Kind::User) {
            let name = view.name(node);
            let sentence = explain::lines(&view, &scenario.explain(node))[0].text();
            let decided = decided(&scenario, node);
            let Some(blamed) = blamed(&sentence, &name) else {
                continue;
            };
            let line = tree.line(node).into_iter();
            let level = line.clone().find(|&level| *view.name(level) == *blamed);
            let level = level.unwrap_or_else(|| panic!("case {case}: {sentence}"));
            let most = decided.values().copied().max().unwrap_or(0);
            assert_eq!(
                decided.get(&level).copied().unwrap_or(0),
                most,
                "case {case}: {sentence}\n{decided:?}"
            );
            assert!(most > 0, "case {case}: {sentence}");
            blames += 1;
            above += usize::from(level != node);
        }
    }
    assert!(blames > 1000 && above > 300, "{blames}, {above} above");
}

/// The user is behind two of three siblings. Its account is behind one of two, but that one has six users.
const CROWD: &str = "
big/ 90
  a 1 | 10
  b 1 | 20
  c 1 | 30
  d 1 | 40
  e 1 | 50
  f 1 | 60
small/ 10
  me 1 | 500
  x 1 | 400
  y 1 | 300
  z 1 | 900
spare/ 1
  w 1 | 5000
";

#[test]
fn an_account_with_most_users_ahead_is_named_before_a_larger_fraction_of_few_siblings() {
    let text = explained(Policy::FairTree, CROWD, "me");
    let sentence = text.lines().next().expect("a sentence");
    assert_eq!(
        sentence,
        "me is 9th of 11, held back by small, which has used 2.90 times its share (LevelFS 0.3446). Inside small, me is \
         3rd of 4."
    );
}

#[test]
fn siblings_without_users_put_no_user_ahead() {
    let text = explained(
        Policy::FairTree,
        "empty/ 90\nown/ 10\n  me 1 | 500\n  x 1 | 900\n",
        "me",
    );
    let sentence = text.lines().next().expect("a sentence");
    assert_eq!(
        sentence,
        "me is 1st of 2: ranks first at every level, apart from accounts without users."
    );
}

/// At the level that decides the order against the user just ahead, that user's branch ranks first. Holds for every
/// policy that ranks level by level.
#[test]
fn neighbours_are_decided_at_the_level_where_the_other_branch_ranks_first() {
    for policy in [
        Policy::FairTree,
        Policy::FairTreeDocumented,
        Policy::LevelBased,
        Policy::Flux,
        Policy::PbsWalk,
    ] {
        let mut random = Random::new(7);
        let mut decided = 0;
        for _ in 0..100 {
            let scenario = Scenario::new(Arc::new(random_site(&mut random)), policy);
            for &node in scenario.tree().nodes() {
                let Some(ahead) = scenario.explain(node).ahead else {
                    continue;
                };
                assert_ne!(
                    ahead.decision.first,
                    Some(DecisionSide::Own),
                    "{}",
                    policy.name()
                );
                decided += usize::from(ahead.decision.first == Some(DecisionSide::Other));
                let own = ahead.decision.own;
                assert!(scenario.tree().order().is_within(node, own));
            }
        }
        assert!(decided > 300, "{}: {decided}", policy.name());
    }
}

const SITE: &str = "
astro/ 30
  bob 1 | 900
  carol 2 | 100
chemistry/ 50
  dave 1 | 400
physics/ 20
  eve parent | 50
  shared/ parent
    frank 1 | 150
    gina 0 | 10
";

#[test]
fn a_user_is_behind_if_its_account_exceeds_its_share() {
    insta::assert_snapshot!(explained(Policy::FairTree, SITE, "bob"), @"
    bob is 6th of 6, held back by astro, which has used 2.07 times its share (LevelFS 0.4830). Inside astro, bob is last of 2.

    Shares: S = shares / shares of the level
      astro  30 / 100 = 0.300000
      bob    1 / 3 = 0.333333
    Usage: U = usage / usage of the account
      astro  1,000 / 1,610 = 0.621118
      bob    900 / 1,000 = 0.900000
    LevelFS: S / U; the higher LevelFS ranks first, together with its whole subtree
      astro  0.300000 / 0.621118 = 0.4830; last of 3 siblings, just behind physics (1.5333)
      bob    0.333333 / 0.900000 = 0.3704; behind its only sibling, carol (6.6667)
    Factor: (users at this rank or below) / all users
      bob    1 / 6 = 0.166667
    Neighbours in the ranking:
      just behind astro/carol (5th): decided at bob (LevelFS 0.3704) against carol (6.6667)
    Not known here: age, QOS, partition, job size, limits, free nodes.
    ");
}

#[test]
fn parent_shares_are_explained_on_every_level() {
    insta::assert_snapshot!(explained(Policy::FairTree, SITE, "gina"), @"
    gina is 4th of 6: inside physics, it is last of 3; it has no shares (LevelFS 0).

    Shares: S = shares / shares of the level
      physics  20 / 100 = 0.200000
      shared   `parent`: it has no shares of its own in physics
      gina     0 / 1 = 0.000000
    Usage: U = usage / usage of the account
      physics  210 / 1,610 = 0.130435
      shared   160 / 210 = 0.761905
      gina     10 / 210 = 0.047619
    LevelFS: S / U; the higher LevelFS ranks first, together with its whole subtree
      physics  0.200000 / 0.130435 = 1.5333; 2nd of 3 siblings, just behind chemistry (2.0125)
      shared   `parent`: its members compete directly in physics
      gina     no share gives 0; last of 3 siblings, just behind frank (1.4000)
    Factor: (users at this rank or below) / all users
      gina     3 / 6 = 0.500000
    Neighbours in the ranking:
      just behind physics/shared/frank (3rd): decided at gina (LevelFS 0) against frank (1.4000)
      just ahead of astro/carol (5th): decided at physics (LevelFS 1.5333) against astro (0.4830)
    Not known here: age, QOS, partition, job size, limits, free nodes.
    ");
    insta::assert_snapshot!(explained(Policy::FairTree, SITE, "eve"), @"
    eve is 2nd of 6, held back by physics, which has used 65.2% of its share (LevelFS 1.5333), but others used less of theirs. Inside physics, eve is first of 3.

    Shares: S = shares / shares of the level
      physics  20 / 100 = 0.200000
      eve      `parent`: it has no shares of its own in physics
    Usage: U = usage / usage of the account
      physics  210 / 1,610 = 0.130435
      eve      50 / 210 = 0.238095
    LevelFS: S / U; the higher LevelFS ranks first, together with its whole subtree
      physics  0.200000 / 0.130435 = 1.5333; 2nd of 3 siblings, just behind chemistry (2.0125)
      eve      a user with shares `parent` has inf; first of 3 siblings
    Factor: (users at this rank or below) / all users
      eve      5 / 6 = 0.833333
    Neighbours in the ranking:
      just behind chemistry/dave (1st): decided at physics (LevelFS 1.5333) against chemistry (2.0125)
      just ahead of physics/shared/frank (3rd): decided at eve (LevelFS inf) against frank (1.4000)
    No Served: with shares `parent` it has no target of its own.
    Not known here: age, QOS, partition, job size, limits, free nodes.
    ");
    insta::assert_snapshot!(explained(Policy::FairTree, SITE, "shared"), @r#"
    shared is an account: its shares are `parent`, so it does not compete itself. Its members compete directly in physics.

    Shares: S = shares / shares of the level
      physics  20 / 100 = 0.200000
      shared   `parent`: it has no shares of its own in physics
    Usage: U = usage / usage of the account
      physics  210 / 1,610 = 0.130435
      shared   160 / 210 = 0.761905
    LevelFS: S / U; the higher LevelFS ranks first, together with its whole subtree
      physics  0.200000 / 0.130435 = 1.5333; 2nd of 3 siblings, just behind chemistry (2.0125)
      shared   `parent`: its members compete directly in physics
    No Factor, Rank: only users have one. No LevelFS, Served: with shares `parent` it has no target of its own.
    Not known here: age, QOS, partition, job size, limits, free nodes.
    "#);
    insta::assert_snapshot!(explained(Policy::FairTree, SITE, "physics"), @r#"
    physics is an account: inside root, it is 2nd of 3; it has used 65.2% of its share (LevelFS 1.5333), but others used less of theirs.

    Shares: S = shares / shares of the level
      physics  20 / 100 = 0.200000
    Usage: U = usage / usage of the account
      physics  210 / 1,610 = 0.130435
    LevelFS: S / U; the higher LevelFS ranks first, together with its whole subtree
      physics  0.200000 / 0.130435 = 1.5333; 2nd of 3 siblings, just behind chemistry (2.0125)
    No Factor, Rank: only users have one.
    Not known here: age, QOS, partition, job size, limits, free nodes.
    "#);
}

const TIED: &str = "
a/ 1
  a1 1 | 2
  a2 1 | 8
b/ 1
  b1 1 | 4
  b2 1 | 6
";

#[test]
fn accounts_that_tie_are_visited_one_by_one_or_merged() {
    insta::assert_snapshot!(explained(Policy::FairTree, TIED, "b1"), @"
    b1 is 2nd of 4, tied with 1 other: no sibling ranks before it at any level, but b ties with others.

    Shares: S = shares / shares of the level
      b   1 / 2 = 0.500000
      b1  1 / 2 = 0.500000
    Usage: U = usage / usage of the account
      b   10 / 20 = 0.500000
      b1  4 / 10 = 0.400000
    LevelFS: S / U; the higher LevelFS ranks first, together with its whole subtree
      b   0.500000 / 0.500000 = 1.0000; tied with its only sibling
      b1  0.500000 / 0.400000 = 1.2500; ahead of its only sibling
    Factor: (users at this rank or below) / all users
      b1  3 / 4 = 0.750000
    Slurm does not merge accounts that tie with b: the one listed first (by name) ranks first, and the first user of the next one shares the rank of the user before it.
    Neighbours in the ranking:
      just behind a/a1 (1st): b and a tie (LevelFS 1.0000), and the one that Slurm lists first is first
      just ahead of b/b2 (4th): decided at b1 (LevelFS 1.2500) against b2 (0.8333)
    Not known here: age, QOS, partition, job size, limits, free nodes.
    ");
    insta::assert_snapshot!(explained(Policy::FairTreeDocumented, TIED, "b1"), @"
    b1 is 2nd of 4: no sibling ranks before it at any level, but b ties with others.

    Shares: S = shares / shares of the level
      b   1 / 2 = 0.500000
      b1  1 / 2 = 0.500000
    Usage: U = usage / usage of the account
      b   10 / 20 = 0.500000
      b1  4 / 10 = 0.400000
    LevelFS: S / U; the higher LevelFS ranks first, together with its whole subtree
      b   0.500000 / 0.500000 = 1.0000; tied with its only sibling
      b1  0.500000 / 0.400000 = 1.2500; ahead of its only sibling
    Factor: (users at this rank or below) / all users
      b1  3 / 4 = 0.750000
    All accounts that tie with b are merged with it: their children compete as if they were in one account.
    Neighbours in the ranking:
      just behind a/a1 (1st): decided at b1 (LevelFS 1.2500) against a1 (2.5000)
      just ahead of b/b2 (3rd): decided at b1 (LevelFS 1.2500) against b2 (0.8333)
    Not known here: age, QOS, partition, job size, limits, free nodes.
    ");
}

#[test]
fn a_tree_without_usage_says_so() {
    let drawing = "a/ 1\n  u 1\nb/ 4294967295\n  v 0";
    insta::assert_snapshot!(explained(Policy::FairTree, drawing, "v"), @"
    v is 1st of 2, tied with 1 other: ranks first at every level.

    Shares: S = shares / shares of the level
      b  the shares of its level overflow 32 bits and add up to 0: 0.000000
      v  nobody on its level has shares: 0.000000
    Usage: U = usage / usage of the account
      b  nobody in root has used anything: 0.000000
      v  nobody in b has used anything: 0.000000
    LevelFS: S / U; the higher LevelFS ranks first, together with its whole subtree
      b  no share gives 0; tied with its only sibling
      v  no share gives 0; alone on its level
    Factor: (users at this rank or below) / all users
      v  2 / 2 = 1.000000
    The shares of the members of root overflow 32 bits and add up to 0, so none of them has a share.
    Slurm does not merge accounts that tie with b: the one listed first (by name) ranks first, and the first user of the next one shares the rank of the user before it.
    Nobody has used anything yet, so everyone with shares ties at LevelFS inf.
    No Served: it has used nothing of a target of 0%.
    Not known here: age, QOS, partition, job size, limits, free nodes.
    ");
    insta::assert_snapshot!(explained(Policy::FairTree, drawing, "root"), @"
    root is the root: 2 users below it, usage 0 in all.
    No Factor, Rank: only users have one. No LevelFS, Served: the root has no siblings.
    ");
}
