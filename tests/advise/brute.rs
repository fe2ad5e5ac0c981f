//! On small random trees the proposal has as few lines as any, and contradictions are smallest; on trees with large numbers no
//! proposal of up to three lines is missed, no contradiction is false, and who is not named pays as little as with any other.
//!
//! `FAIRSCOPE_ADVISE=300 cargo test --release advise::brute -- --nocapture` tries 300 of the trees with large numbers.

use crate::support::growth::{self, Sprout, grown};
use crate::support::random::Random;
use fairscope::analysis::advise::{Advice, SiteGoal, advise};
use fairscope::analysis::solve::{Goal, Standing};
use fairscope::model::{Kind, NodeId, Settings, Shares, Snapshot, Tree, path_of, resolve};
use fairscope::rules::policy::Policy;
use fairscope::scenario::{Edit, Scenario};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The number of trees on which all shares are tried.
const TREES: u64 = 300;

/// The number of trees on which up to three lines are tried, unless `FAIRSCOPE_ADVISE` says another.
const LARGE_TREES: u64 = 15;

/// The most shares that are tried there.
const TRIED: i64 = 7;

/// The tries of the advisor there: a part of what it has in half a minute.
const BUDGET: f64 = 100_000.0;

const POLICIES: [Policy; 6] = [
    Policy::FairTree,
    Policy::LevelBased,
    Policy::Classic,
    Policy::PbsWalk,
    Policy::Pbs,
    Policy::Flux,
];

/// A tree of 2 or 3 levels with at most 5 nodes, and `more`, and at most `most` shares each.
fn tree(random: &mut Random, most: u64, more: usize) -> Tree {
    let shape = random.below(3);
    let count = more + [2 + random.below(4), 4 + random.below(2), 5][shape];
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

impl Check {
    /// The nodes that the goal names.
    fn named(&self) -> Vec<NodeId> {
        match *self {
            Self::Standing(node, Goal::AheadOf(other)) => vec![node, other],
            Self::Share(node, ..) | Self::Standing(node, _) | Self::Keep(node) => vec![node],
            Self::KeepOthers | Self::Lines(_) | Self::Total(..) => Vec::new(),
        }
    }
}

/// What a proposal costs nodes that no goal names: their lines, and the largest loss of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
struct Price {
    lines: usize,
    loss: f64,
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
            if own == 0 {
                return 0.0;
            }
            own as f64 / self.sum(shares, self.tree.parent(node).unwrap()) as f64
        });
        of_level.product()
    }

    fn is_edited(&self, node: NodeId) -> bool {
        let place = self.place(node);
        self.before[place] != self.after[place]
    }

    /// What nodes pay that no goal names.
    fn price(&self, checks: &[Check]) -> Price {
        let named: Vec<NodeId> = checks.iter().flat_map(Check::named).collect();
        let mut price = Price::default();
        for &node in &self.tree.nodes()[1..] {
            if !named.contains(&node) {
                let [before, after] = [self.before, self.after].map(|it| self.share(it, node));
                price.lines += usize::from(self.is_edited(node));
                price.loss = price.loss.max(1.0 - after / before);
            }
        }
        price
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
        const SLACK: f64 = 5e-10;
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
                nodes.all(|&node| self.is_edited(node) || self.left(node) >= 0.99 - SLACK)
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

/// The fewest lines with which a set of goals holds, by how much everybody is left: at least a share, or nothing.
#[derive(Clone, Copy, Default)]
struct Fewest {
    with_shares: Option<usize>,
    at_all: Option<usize>,
}

/// Tries shares for all nodes.
struct Brute<'a> {
    scenario: &'a Scenario,
    checks: &'a [Check],
    before: Vec<i64>,
    most: i64,
    most_lines: usize,
    /// By set of goals.
    fewest: Vec<Fewest>,
    /// The least price of all goals with the fewest lines, where everybody keeps a share.
    cheapest: Option<(usize, Price)>,
}

impl<'a> Brute<'a> {
    fn try_all(scenario: &'a Scenario, checks: &'a [Check], most: i64, most_lines: usize) -> Self {
        let nodes = scenario.tree().nodes()[1..].iter();
        let shares = nodes.map(|&node| scenario.tree().shares(node).count().unwrap());
        let mut after: Vec<i64> = shares.collect();
        let mut brute = Self {
            scenario,
            checks,
            most,
            most_lines,
            fewest: vec![Fewest::default(); 1 << checks.len()],
            cheapest: None,
            before: after.clone(),
        };
        brute.try_from(0, 0, &mut after);
        brute
    }

    fn try_from(&mut self, place: usize, lines: usize, after: &mut Vec<i64>) {
        let Some(&node) = self.scenario.tree().nodes()[1..].get(place) else {
            return self.judge(lines, after);
        };
        self.try_from(place + 1, lines, after);
        if lines == self.most_lines {
            return;
        }
        // Flux has no banks without shares.
        let is_bank = self.scenario.tree().kind(node) == Kind::Account;
        let least = i64::from(self.scenario.policy() == Policy::Flux && is_bank);
        let now = after[place];
        for shares in (least..=self.most).filter(|&shares| shares != now) {
            after[place] = shares;
            self.try_from(place + 1, lines + 1, after);
        }
        after[place] = now;
    }

    fn judge(&mut self, lines: usize, after: &[i64]) {
        let mut tried = self.scenario.clone();
        if needs_ranks(self.checks) {
            let nodes = self.scenario.tree().nodes()[1..].iter();
            let edits = nodes.zip(after).map(|(&node, &shares)| Edit::SetShares {
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
            tree: self.scenario.tree(),
            before: &self.before,
            after,
        };
        let mut met = 0;
        for (goal, check) in self.checks.iter().enumerate() {
            met |= usize::from(assignment.holds(check, &evaluated)) << goal;
        }
        let with_shares = self
            .before
            .iter()
            .zip(after)
            .all(|(was, is)| *is > 0 || *was == 0);
        if with_shares && met + 1 == self.fewest.len() {
            let price = (lines, assignment.price(self.checks));
            if self.cheapest.is_none_or(|cheapest| price < cheapest) {
                self.cheapest = Some(price);
            }
        }
        for (set, fewest) in self.fewest.iter_mut().enumerate() {
            if set & met == set {
                fewest.at_all = Some(fewest.at_all.map_or(lines, |fewest| fewest.min(lines)));
                if with_shares {
                    let least = fewest.with_shares.map_or(lines, |fewest| fewest.min(lines));
                    fewest.with_shares = Some(least);
                }
            }
        }
    }
}

fn needs_ranks(checks: &[Check]) -> bool {
    checks
        .iter()
        .any(|check| matches!(check, Check::Standing(..)))
}

/// A random tree, goals for it, and what the advisor answers. `None` if the policy leaves out a node, or it has no target.
fn case(
    seed: u64,
    [shares, more]: [u64; 2],
    most: i64,
    budget: f64,
) -> Option<(Scenario, Vec<String>, Vec<Check>, Advice)> {
    let random = &mut Random::new(seed);
    let tree = tree(random, shares, usize::try_from(more).unwrap());
    let policy = POLICIES[random.below(POLICIES.len())];
    let snapshot: Snapshot = growth::snapshot(tree, Settings::default());
    let scenario = Scenario::new(Arc::new(snapshot), policy);
    let count = [1, 1, 2, 2, 3, 4][random.below(6)];
    let (texts, checks): (Vec<String>, Vec<Check>) =
        goals(random, &scenario, count).into_iter().unzip();
    let parsed: Result<Vec<SiteGoal>, _> = texts
        .iter()
        .map(|text| SiteGoal::parse(text.as_bytes(), &scenario))
        .collect();
    let none = BTreeMap::new();
    let mut spent = |tries: usize| tries as f64 / budget;
    let advice = advise(&scenario, &none, parsed.ok()?, most, &mut spent).unwrap();
    Some((scenario, texts, checks, advice))
}

/// Returns the goals of a contradiction as a set of places in the list of all goals, of which some may be the same.
fn set_of(advice: &Advice, texts: &[String]) -> usize {
    let goals = advice.contradiction.iter().map(|&place| {
        let text = advice.goals[place].goal.text.as_str();
        1_usize << texts.iter().position(|other| other == text).unwrap()
    });
    goals.sum()
}

#[test]
fn proposals_and_contradictions_are_those_of_trying_everything() {
    let (mut proposals, mut contradictions, mut with_none, mut lines_of) = (0, 0, 0, [0; 8]);
    for seed in 0..TREES {
        let most = 2 + i64::try_from(seed % 2).unwrap();
        let case = case(seed, [most.cast_unsigned(), 0], most, f64::INFINITY);
        let Some((scenario, texts, checks, advice)) = case else {
            continue;
        };
        let brute = Brute::try_all(&scenario, &checks, most, usize::MAX);
        let fewest = &brute.fewest;
        let policy = scenario.policy();
        let told = || format!("seed {seed}, {policy:?}, {texts:?}: {:?}", advice.edits);
        let all = fewest[fewest.len() - 1];
        let has_none = all.at_all.is_some() && all.with_shares.is_none();
        assert_eq!(advice.needs_none, has_none, "{}", told());
        if let Some(lines) = all.with_shares.or(all.at_all) {
            assert_eq!(advice.edits.len(), lines, "{}", told());
            assert!(advice.contradiction.is_empty(), "{}", told());
            assert!(advice.goals.iter().all(|goal| goal.is_met), "{}", told());
            assert_eq!(advice.given_none.is_empty(), !has_none, "{}", told());
            assert_eq!(
                advice.is_proven,
                all.at_all == Some(lines) || lines == 1,
                "{}",
                told()
            );
            proposals += 1;
            with_none += usize::from(has_none);
            lines_of[lines] += 1;
        } else {
            let set = set_of(&advice, &texts);
            assert!(advice.is_proven, "{}", told());
            assert!(
                set > 0 && fewest[set].at_all.is_none(),
                "{}: {set:b}",
                told()
            );
            let smaller = (0..fewest.len()).filter(|it| it.count_ones() < set.count_ones());
            for other in smaller {
                let is_kept = fewest[other].at_all.is_some();
                assert!(is_kept, "{}: {other:b} < {set:b}", told());
            }
            contradictions += 1;
        }
    }
    println!(
        "{proposals} proposals of {lines_of:?} lines, {with_none} with nothing for somebody; {contradictions} contradictions"
    );
    assert!(
        proposals > 100 && contradictions > 60 && with_none > 5,
        "too few of one kind"
    );
}

#[test]
fn no_proposal_of_three_lines_is_missed_and_no_contradiction_is_false() {
    let (mut proposals, mut proven, mut open) = (0, 0, 0);
    let (mut missed, mut dearer) = (Vec::new(), Vec::new());
    let trees = std::env::var("FAIRSCOPE_ADVISE").map_or(LARGE_TREES, |it| it.parse().unwrap());
    for seed in 0..trees {
        let case = case(1000 + seed, [TRIED.cast_unsigned(), 2], 1 << 30, BUDGET);
        let Some((scenario, texts, checks, advice)) = case else {
            continue;
        };
        // A rank takes an evaluation of the tree.
        let lines = if needs_ranks(&checks) { 2 } else { 3 };
        let brute = Brute::try_all(&scenario, &checks, TRIED, lines);
        let all = brute.fewest[brute.fewest.len() - 1];
        let policy = scenario.policy();
        let told = || format!("seed {seed}, {policy:?}, {texts:?}: {:?}", advice.edits);
        if advice.contradiction.is_empty() {
            let lines = advice.edits.len();
            let is_less = all.at_all.is_some_and(|fewest| fewest < lines);
            assert!(
                !advice.is_proven || !is_less,
                "{}: {:?}",
                told(),
                all.at_all
            );
            assert!(
                !advice.needs_none || all.with_shares.is_none(),
                "{}",
                told()
            );
            assert!(advice.goals.iter().all(|goal| goal.is_met), "{}", told());
            let nodes = scenario.tree().nodes()[1..].iter();
            let after = nodes.map(|&node| advice.after.tree().shares(node).count().unwrap());
            let after: Vec<i64> = after.collect();
            let assignment = Assignment {
                tree: scenario.tree(),
                before: &brute.before,
                after: &after,
            };
            let mut price = assignment.price(&checks);
            price.loss -= 1e-9;
            let own = (lines, price);
            if brute.cheapest.is_some_and(|cheapest| cheapest < own) {
                dearer.push(format!("{}: {own:?}, not {:?}", told(), brute.cheapest));
            }
            proposals += 1;
        } else {
            let set = brute.fewest[set_of(&advice, &texts)];
            assert!(
                !advice.is_proven || set.at_all.is_none(),
                "false: {}",
                told()
            );
            if all.at_all.is_some() {
                missed.push(told());
            }
            proven += usize::from(advice.is_proven);
            open += usize::from(!advice.is_proven);
        }
    }
    println!(
        "{proposals} proposals, {proven} proven contradictions, {open} without an answer; {} missed, {} dearer than others",
        missed.len(),
        dearer.len()
    );
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    assert!(dearer.is_empty(), "{}", dearer.join("\n"));
    assert!(2 * proposals > trees, "too few proposals");
}

/// A node of a tree: the number of its account, from 1 in the order of the tree, or 0 for the root; and its shares.
type Planted = (usize, i64);

/// Returns a tree of nodes named `n0`, `n1`, and so on, of which so many first ones are accounts.
fn planted(nodes: &[Planted], accounts: usize) -> Scenario {
    let tree = grown(nodes.len(), |number, _| Sprout {
        account: nodes[number].0,
        kind: if number < accounts {
            Kind::Account
        } else {
            Kind::User
        },
        shares: Shares::new(nodes[number].1),
        usage: Some(1.0),
    });
    let snapshot: Snapshot = growth::snapshot(tree, Settings::default());
    Scenario::new(Arc::new(snapshot), Policy::FairTree)
}

/// Returns the proposal for the shares that nodes are to have at least, by their numbers, in percent; and what was asked and
/// answered.
fn proposed(scenario: &Scenario, goals: &[(usize, u64)]) -> (Advice, String) {
    let tree = scenario.tree();
    let goals = goals.iter().map(|(number, percent)| {
        let node = resolve(tree, format!("n{number}").as_bytes()).unwrap();
        format!("share({}) >= {percent}%", path_of(tree, node).unwrap())
    });
    let goals: Vec<String> = goals.collect();
    let parsed = goals
        .iter()
        .map(|goal| SiteGoal::parse(goal.as_bytes(), scenario).unwrap());
    let mut spent = |tries: usize| tries as f64 / BUDGET;
    let none = BTreeMap::new();
    let advice = advise(scenario, &none, parsed.collect(), 1 << 30, &mut spent).unwrap();
    let told = format!("{goals:?}: {:?}", advice.edits);
    (advice, told)
}

/// Portions that need everything are not reached by shares of billions beside one share, which only read like everything.
#[test]
fn goals_that_need_everything_leave_the_others_without_shares() {
    let levels = [(0, 50), (0, 50), (1, 1), (1, 1), (2, 1), (2, 1)];
    let deep = [(0, 50), (0, 50), (1, 3), (3, 1), (3, 1), (2, 1), (2, 1)];
    // The nodes, how many of them are accounts, the goals, and how many lines and nodes without shares they take.
    let cases = [
        (&levels[..], 2, [(2, 60), (4, 40)], [3, 2]),
        (&deep[..], 3, [(3, 60), (5, 40)], [3, 2]),
        (&levels[..5], 2, [(2, 60), (4, 40)], [2, 1]),
        (&levels[..5], 2, [(2, 50), (3, 50)], [1, 1]),
    ];
    for (nodes, accounts, goals, expected) in cases {
        let (advice, told) = proposed(&planted(nodes, accounts), &goals);
        assert!(advice.contradiction.is_empty(), "{told}");
        assert!(advice.goals.iter().all(|goal| goal.is_met), "{told}");
        let found = [advice.edits.len(), advice.given_none.len()];
        assert_eq!(found, expected, "{told}");
        assert!(advice.needs_none, "{told}");
    }
}

#[test]
fn a_user_of_each_account_can_have_all_of_it() {
    for seed in 0..40 {
        let random = &mut Random::new(seed);
        let accounts = 2 + random.below(2);
        let share = |random: &mut Random| i64::try_from(random.between(1, 60)).unwrap();
        let mut nodes: Vec<Planted> = (0..accounts).map(|_| (0, share(random))).collect();
        let (mut goals, mut left, mut others) = (Vec::new(), 100, 0);
        for account in 1..=accounts {
            let percent = if account == accounts {
                left
            } else {
                random.between(10, 40)
            };
            left -= percent;
            goals.push((nodes.len(), percent));
            let members = 1 + random.below(3);
            others += members - 1;
            nodes.extend((0..members).map(|_| (account, share(random))));
        }
        let (advice, told) = proposed(&planted(&nodes, accounts), &goals);
        assert!(advice.contradiction.is_empty(), "{seed} {nodes:?} {told}");
        assert_eq!(advice.given_none.len(), others, "{seed} {nodes:?} {told}");
        assert!(advice.edits.len() <= others + accounts, "{seed} {told}");
    }
}
