//! On small random trees the proposal has as few lines as any, and contradictions are smallest.

use crate::support::growth::{self, Sprout, grown};
use crate::support::random::Random;
use fairscope::analysis::advise::{SiteGoal, advise};
use fairscope::analysis::solve::{Goal, Standing};
use fairscope::model::{Kind, NodeId, Settings, Shares, Snapshot, Tree, path_of};
use fairscope::rules::policy::Policy;
use fairscope::scenario::{Edit, Scenario};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The number of trees.
const TREES: u64 = 300;

const POLICIES: [Policy; 6] = [
    Policy::FairTree,
    Policy::LevelBased,
    Policy::Classic,
    Policy::PbsWalk,
    Policy::Pbs,
    Policy::Flux,
];

/// A tree of 2 or 3 levels with at most 6 nodes and at most `most` shares each.
fn tree(random: &mut Random, most: u64) -> Tree {
    let shape = random.below(3);
    let count = [
        2 + random.below(5),
        4 + random.below(3),
        5 + random.below(2),
    ][shape];
    grown(count, |number, accounts| {
        let is_account = match shape {
            0 => false,
            1 => number < 2,
            _ => number < 3,
        };
        let account = match (shape, number) {
            (0, _) | (1 | 2, 0..2) => 0,
            (2, 2) => 1,
            // Every account has somebody.
            (_, number) if number < 2 * (accounts - 1) => number - (accounts - 1) + 1,
            _ => 1 + random.below(accounts - 1),
        };
        Sprout {
            account: account.min(accounts - 1),
            kind: if is_account {
                Kind::Account
            } else {
                Kind::User
            },
            shares: Shares::new(i64::try_from(random.between(1, most)).unwrap()),
            usage: (!is_account && random.below(4) > 0).then(|| random.between(1, 60) as f64),
        }
    })
}

/// A goal, checked by arithmetic of its own.
enum Check {
    Share(NodeId, char, f64, f64),
    Standing(NodeId, Goal),
    Keep(NodeId),
    KeepOthers,
    Lines(usize),
    Total(NodeId, i64),
}

fn goal(random: &mut Random, tree: &Tree) -> (String, Check) {
    let nodes = &tree.nodes()[1..];
    let path = |node| path_of(tree, node).unwrap();
    let node = nodes[random.below(nodes.len())];
    let users = nodes
        .iter()
        .copied()
        .filter(|&node| tree.kind(node) == Kind::User);
    let users: Vec<NodeId> = users.collect();
    let user = users[random.below(users.len())];
    let other = users[random.below(users.len())];
    match random.below(9) {
        0..3 => {
            let percent = [
                10.0,
                20.0,
                25.0,
                40.0,
                50.0,
                60.0,
                75.0,
                random.between(2, 90) as f64,
            ][random.below(8)];
            let sign = [">=", "<=", "="][random.below(3)];
            let text = format!("share({}) {sign} {percent}%", path(node));
            let near = if sign == "=" { 0.05 } else { 0.0 };
            let check = Check::Share(
                node,
                sign.chars().next().unwrap(),
                (percent - near) / 100.0,
                (percent + near) / 100.0,
            );
            (text, check)
        }
        3 => {
            let rank = u32::try_from(random.between(1, 3)).unwrap();
            let check = Check::Standing(user, Goal::Rank(rank));
            (format!("rank({}) <= {rank}", path(user)), check)
        }
        4 if user != other => {
            let check = Check::Standing(user, Goal::AheadOf(other));
            (format!("ahead({}, {})", path(user), path(other)), check)
        }
        5 => (
            format!("on-target({})", path(node)),
            Check::Standing(node, Goal::OnTarget),
        ),
        6 => (format!("keep({})", path(node)), Check::Keep(node)),
        7 => ("keep(others)".to_owned(), Check::KeepOthers),
        8 if random.below(2) == 0 => {
            let lines = random.between(1, 3);
            (
                format!("lines <= {lines}"),
                Check::Lines(usize::try_from(lines).unwrap()),
            )
        }
        _ => {
            let account = tree.parent(node).unwrap();
            let sum = random.between(2, 12);
            let text = match account {
                NodeId::ROOT => format!("total = {sum}"),
                account => format!("total({}) = {sum}", path(account)),
            };
            (text, Check::Total(account, i64::try_from(sum).unwrap()))
        }
    }
}

/// The shares of all nodes below the root before and after.
struct Assignment<'a> {
    tree: &'a Tree,
    before: &'a [i64],
    after: &'a [i64],
}

impl Assignment<'_> {
    fn place(&self, node: NodeId) -> usize {
        let mut nodes = self.tree.nodes()[1..].iter();
        nodes.position(|&other| other == node).unwrap()
    }

    fn sum(&self, shares: &[i64], account: NodeId) -> i64 {
        let nodes = self.tree.nodes()[1..].iter().zip(shares);
        let of_level = nodes.filter(|(node, _)| self.tree.parent(**node) == Some(account));
        of_level.map(|(_, shares)| shares).sum()
    }

    fn share(&self, shares: &[i64], node: NodeId) -> f64 {
        let line = self.tree.line(node).into_iter();
        let of_level = line.map(|node| {
            let own = shares[self.place(node)];
            own as f64 / self.sum(shares, self.tree.parent(node).unwrap()) as f64
        });
        of_level.product()
    }

    fn lines(&self) -> usize {
        let both = self.before.iter().zip(self.after);
        both.filter(|(before, after)| before != after).count()
    }

    /// What is left of the share of a node if it is not edited, below the lowest node above it that is.
    fn left(&self, node: NodeId) -> f64 {
        let mut left = 1.0;
        for above in self.tree.line(node).into_iter().rev() {
            let place = self.place(above);
            if above != node && self.before[place] != self.after[place] {
                break;
            }
            let account = self.tree.parent(above).unwrap();
            left *= self.sum(self.before, account) as f64 / self.sum(self.after, account) as f64;
        }
        left
    }

    fn holds(&self, check: &Check, evaluated: &dyn Fn(NodeId, Goal) -> bool) -> bool {
        const SLACK: f64 = 1e-6;
        match *check {
            Check::Share(node, sign, least, most) => {
                let share = self.share(self.after, node);
                let (over, under) = (share >= least - SLACK, share <= most + SLACK);
                match sign {
                    '>' => over,
                    '<' => under,
                    _ => over && under,
                }
            }
            Check::Standing(node, goal) => evaluated(node, goal),
            Check::Keep(node) => {
                self.share(self.after, node) >= 0.99 * self.share(self.before, node) - SLACK
            }
            Check::KeepOthers => {
                let mut nodes = self.tree.nodes()[1..].iter();
                nodes.all(|&node| self.left(node) >= 0.99 - SLACK)
            }
            Check::Lines(most) => self.lines() <= most,
            Check::Total(account, sum) => self.sum(self.after, account) == sum,
        }
    }
}

/// Random goals, of which not all hold, if such are found soon.
fn goals(random: &mut Random, scenario: &Scenario, count: usize) -> Vec<(String, Check)> {
    let tree = scenario.tree();
    let nodes = tree.nodes()[1..].iter();
    let shares: Vec<i64> = nodes
        .map(|&node| tree.shares(node).count().unwrap())
        .collect();
    let now = Assignment {
        tree,
        before: &shares,
        after: &shares,
    };
    let evaluated = |node, goal: Goal| {
        let (policy, evaluation) = (scenario.policy(), scenario.evaluation());
        goal.is_reached(evaluation, Standing::of(policy, tree, evaluation, node))
    };
    let mut goals: Vec<(String, Check)> = Vec::new();
    for _ in 0..20 {
        goals = (0..count).map(|_| goal(random, tree)).collect();
        if goals.iter().any(|(_, check)| !now.holds(check, &evaluated)) {
            break;
        }
    }
    goals
}

/// Returns, by set of goals, the fewest lines with which all of the set hold.
fn fewest(scenario: &Scenario, checks: &[Check], most: i64) -> Vec<Option<usize>> {
    let tree = scenario.tree();
    let nodes = &tree.nodes()[1..];
    let before: Vec<i64> = nodes
        .iter()
        .map(|&node| tree.shares(node).count().unwrap())
        .collect();
    let mut after = vec![1; nodes.len()];
    let mut fewest = vec![None; 1 << checks.len()];
    let needs_ranks = checks
        .iter()
        .any(|check| matches!(check, Check::Standing(..)));
    loop {
        let mut tried = scenario.clone();
        if needs_ranks {
            let edits = nodes
                .iter()
                .zip(&after)
                .map(|(&node, &shares)| Edit::SetShares {
                    node,
                    shares: Shares::new(shares),
                });
            tried.try_out(Edit::Batch(edits.collect())).unwrap();
        }
        let evaluated = |node, goal: Goal| {
            let (policy, tree, evaluation) = (tried.policy(), tried.tree(), tried.evaluation());
            goal.is_reached(evaluation, Standing::of(policy, tree, evaluation, node))
        };
        let assignment = Assignment {
            tree,
            before: &before,
            after: &after,
        };
        let met: Vec<bool> = checks
            .iter()
            .map(|check| assignment.holds(check, &evaluated))
            .collect();
        let lines = assignment.lines();
        for (set, fewest) in fewest.iter_mut().enumerate() {
            let is_met = (0..checks.len()).all(|goal| set & (1 << goal) == 0 || met[goal]);
            if is_met && fewest.is_none_or(|fewest| lines < fewest) {
                *fewest = Some(lines);
            }
        }
        // The next assignment, as an odometer counts.
        let Some(place) = after.iter().position(|&shares| shares < most) else {
            return fewest;
        };
        after[place] += 1;
        after[..place].fill(1);
    }
}

#[test]
fn proposals_and_contradictions_are_those_of_trying_everything() {
    let (mut proposals, mut contradictions, mut lines_of) = (0, 0, [0; 8]);
    for seed in 0..TREES {
        let random = &mut Random::new(seed);
        let most = [3, 4][random.below(2)];
        let tree = tree(random, most);
        let policy = POLICIES[random.below(POLICIES.len())];
        let snapshot: Snapshot = growth::snapshot(tree, Settings::default());
        let scenario = Scenario::new(Arc::new(snapshot), policy);
        let count = [1, 1, 2, 2, 3, 4][random.below(6)];
        let goals = goals(random, &scenario, count);
        let parsed: Result<Vec<SiteGoal>, _> = goals
            .iter()
            .map(|(text, _)| SiteGoal::parse(text.as_bytes(), &scenario))
            .collect();
        let Ok(parsed) = parsed else {
            // The policy leaves out a node, or it has no target.
            continue;
        };
        let most = i64::try_from(most).unwrap();
        let advice = advise(&scenario, &BTreeMap::new(), parsed, most, &mut |_| {
            ControlFlow::Continue(())
        })
        .unwrap();
        let (texts, checks): (Vec<String>, Vec<Check>) = goals.into_iter().unzip();
        let fewest = fewest(&scenario, &checks, most);
        let told = || format!("seed {seed}, {policy:?}, {texts:?}: {:?}", advice.edits);
        assert!(advice.is_proven, "{}", told());
        if let Some(lines) = fewest[fewest.len() - 1] {
            assert_eq!(advice.edits.len(), lines, "{}", told());
            assert!(advice.contradiction.is_empty(), "{}", told());
            assert!(advice.goals.iter().all(|goal| goal.is_met), "{}", told());
            proposals += 1;
            lines_of[lines] += 1;
        } else {
            let set = advice
                .contradiction
                .iter()
                .map(|goal| 1_usize << goal)
                .sum::<usize>();
            assert!(set > 0 && fewest[set].is_none(), "{}: {set:b}", told());
            for goal in advice.contradiction.iter().map(|goal| 1 << goal) {
                assert!(
                    fewest[set & !goal].is_some(),
                    "{}: {set:b} {goal:b}",
                    told()
                );
            }
            let smaller = (0..fewest.len()).filter(|it| it.count_ones() < set.count_ones());
            for other in smaller {
                assert!(fewest[other].is_some(), "{}: {other:b} < {set:b}", told());
            }
            contradictions += 1;
        }
    }
    println!("{proposals} proposals of {lines_of:?} lines, {contradictions} contradictions");
    assert!(
        proposals > 100 && contradictions > 100,
        "too few of one kind"
    );
}
