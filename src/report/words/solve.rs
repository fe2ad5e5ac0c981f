//! The reason of a solution, and usage against targets, in words.

use super::number_word;
use crate::analysis::solve::{
    Goal, Leader, LevelOrder, LevelPosition, NumberOrder, Obstacle, Rationale, ReachedGoal,
    ShareQuestion, Solution, Standing, TargetUse,
};
use crate::base::number::{Value, cell, counted, fraction, grouped, percent};
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, Tree, path_for_people};

/// Returns the reason of a solution as one sentence without a full stop.
pub fn reason(tree: &Tree, solution: &Solution) -> Shown {
    match &solution.rationale {
        Rationale::Reached(found) => reached(tree, solution, found),
        Rationale::Impossible { last, obstacle } => impossible(tree, solution, *last, obstacle),
    }
}

/// Returns a number of shares with its word.
fn shares(count: i64) -> Shown {
    counted(count, "share", "shares")
}

/// Returns a factor with the digits a scheduler prints, and more where it takes them.
fn factor(number: f64) -> Shown {
    if number != 0.0 && number.abs() < 1e-4 {
        return sentence!("{number:.3e}");
    }
    fraction(number)
}

/// Returns a number that stays below a bound, with the digits it takes to see that.
fn short_of(bound: f64, number: f64) -> Shown {
    let text = factor(number);
    if number < bound
        && let Ok(rounded) = text.parse::<f64>()
        && rounded >= bound
    {
        return sentence!("{number}");
    }
    text
}

/// Returns what the smallest change reaches, and what one share less would.
fn reached(tree: &Tree, solution: &Solution, found: &ReachedGoal) -> Shown {
    let ShareQuestion { node, goal, change } = solution.question;
    let of = if change == node {
        Shown::default()
    } else {
        let name = path_for_people(tree, change);
        sentence!(" for {name}")
    };
    let is_on_target = goal == Goal::OnTarget && found.target.is_some();
    let stands = match &found.target {
        Some(target) if is_on_target => {
            sentence!("{} {}", path_for_people(tree, node), uses(tree, target))
        }
        _ => {
            let users = grouped(found.user_count);
            standing(solution, found.standing, &sentence!(" of {users}"))
        }
    };
    let reached = sentence!("{}{of}: {stands}", shares(found.shares));
    let Some(almost) = solution.almost else {
        let first = if found.is_falling {
            "its current number"
        } else {
            "the minimum"
        };
        let Some(count) = solution.shares_from_one else {
            return sentence!("{reached}; that is {first}");
        };
        let minimum = grouped(count);
        return sentence!(
            "{reached}; that is {first}; apart from 0 shares the minimum is {minimum}"
        );
    };
    let step = if found.is_falling { 1 } else { -1 };
    let next = grouped(found.shares.saturating_add(step));
    if goal == Goal::OnTarget
        && let Some(target) = almost.target
    {
        let [_, share] = told_apart(target.used, target.share);
        return sentence!("{reached}; with {next} its target is {share}");
    }
    let there = standing(solution, almost, "");
    let missed = match goal {
        _ if is_on_target || standing(solution, found.standing, "") != there => there,
        Goal::AheadOf(other) => {
            let path = path_for_people(tree, other);
            sentence!("not ahead of {path}")
        }
        _ => "just below".into(),
    };
    sentence!("{reached}; with {next} it is {missed}")
}

/// Returns the standing of a node, as far as the goal is about it; `of` follows a rank.
fn standing(solution: &Solution, standing: Standing, of: &str) -> Shown {
    let goal = solution.question.goal;
    if let Goal::Factor(_) = goal
        && let Some(number) = standing.factor
    {
        let word = number_word(solution.factor_column);
        return sentence!("{word} {}", factor(number));
    }
    if let Goal::Share(_) = goal
        && let Some(number) = standing.share
    {
        return sentence!("a share of {}", factor(number));
    }
    match standing.rank {
        Some(rank) => {
            let rank = grouped(rank);
            sentence!("rank {rank}{of}")
        }
        None => "no rank".into(),
    }
}

/// Returns why no number of shares reaches the goal; `last` is the one that was tried last.
fn impossible(tree: &Tree, solution: &Solution, last: i64, obstacle: &Obstacle) -> Shown {
    let question = solution.question;
    let word = number_word(solution.factor_column);
    let path = |node| path_for_people(tree, node);
    let node = path(question.node);
    let with = if question.change == question.node {
        sentence!("even with {}", shares(last))
    } else {
        sentence!("even with {} for {}", shares(last), path(question.change))
    };
    match obstacle {
        Obstacle::NoFactor => sentence!("{node} has no {word}: the policy excludes it"),
        Obstacle::NoShare => sentence!("{node} has no share: the policy excludes it"),
        Obstacle::NoTarget => sentence!("{node} has no target: the policy excludes it"),
        Obstacle::UnknownRank => {
            sentence!("the rank of {node} is not known, because not all users are listed")
        }
        Obstacle::NoRank { has_users } => {
            let other_goal = if *has_users {
                ""
            } else {
                "; in a tree without users choose a goal such as share>=5%"
            };
            sentence!("{node} has no rank: it has no users, or the policy excludes it{other_goal}")
        }
        Obstacle::LowFactor {
            wanted,
            factor: number,
            account,
        } => {
            let reached = short_of(*wanted, *number);
            let above = held_down(tree, *account);
            sentence!("{with} the {word} of {node} reaches only {reached}, below {wanted}{above}")
        }
        Obstacle::LowShare {
            wanted,
            share,
            account,
        } => {
            let reached = short_of(*wanted, *share);
            let text = sentence!(
                "{with} the share of {node} in the tree reaches only {reached}, below {wanted}"
            );
            let Some((account, share)) = *account else {
                return text;
            };
            let most = short_of(*wanted, share);
            let account = path(account);
            sentence!("{text}; {account} above it has {most}")
        }
        Obstacle::OverTarget { target, account } => {
            let use_of_target = uses(tree, target);
            let text = sentence!("{with} {node} {use_of_target}");
            let Some((account, share)) = *account else {
                return text;
            };
            let most = percent(share);
            let account = path(account);
            sentence!("{text}; the target of {account} above it is {most}")
        }
        Obstacle::TargetInside(target) => {
            let change = path(question.change);
            let uses = uses(tree, target);
            sentence!(
                "the shares of {change} do not change the target of {node} inside it: {node} {uses}"
            )
        }
        Obstacle::Level(order) => by_level(tree, question.change, order, &with),
        Obstacle::Number(order) => by_number(tree, order, &with),
        Obstacle::Rounding => {
            sentence!("no number of shares tried reaches the goal; {with} it is closest")
        }
    }
}

/// Returns what the node's account has, where accounts have a factor.
fn held_down(tree: &Tree, account: Option<(NodeId, f64)>) -> Shown {
    let Some((account, number)) = account else {
        return Shown::default();
    };
    let name = path_for_people(tree, account);
    sentence!("; {name} above it has {} itself", factor(number))
}

/// The two numbers of a comparison, with the digits it takes to tell them apart.
struct LeaderNumbers {
    /// That of the node, or of the account above it.
    own: Shown,
    /// The number that it is compared with.
    other: Shown,
}

impl LeaderNumbers {
    /// Returns the numbers that decide who stays ahead.
    fn of(leader: &Leader) -> Self {
        let own = number(leader, leader.own_value);
        let other = number(leader, leader.other_value);
        if own == other
            && let Value::Double(a) = leader.own_value
            && let Value::Double(b) = leader.other_value
            && a.to_bits() != b.to_bits()
        {
            return Self {
                own: sentence!("{a}"),
                other: sentence!("{b}"),
            };
        }
        Self { own, other }
    }
}

/// Returns a number of the compared column.
fn number(leader: &Leader, value: Value) -> Shown {
    match value {
        Value::Null => "none".into(),
        value => cell(value, leader.decision.column.unit()),
    }
}

/// Returns which comparison of siblings no number of shares changes.
fn by_level(tree: &Tree, change: NodeId, order: &LevelOrder, with: &str) -> Shown {
    let leader = &order.leader;
    let numbers = LeaderNumbers::of(leader);
    let number = numbers.own;
    let other_number = numbers.other;
    let own = path_for_people(tree, leader.decision.own);
    let other = path_for_people(tree, leader.decision.other);
    let verb = if leader.decision.first.is_none() {
        "ties with"
    } else {
        "is behind"
    };
    let column = leader.decision.column.heading();
    let rival = path_for_people(tree, leader.user);
    let staying = if leader.users > 1 {
        let users = counted(leader.users, "user", "users");
        sentence!("; {users} stay ahead")
    } else if order.is_behind && leader.user != leader.decision.other {
        sentence!("; {rival} stays ahead")
    } else {
        Shown::default()
    };
    let compared = sentence!("{verb} {other}, {column} {number} against {other_number}{staying}");
    match order.place {
        LevelPosition::Above(account) => {
            let name = path_for_people(tree, account);
            sentence!("no shares inside {name} can pass {rival}: {own} itself {compared}")
        }
        LevelPosition::Inside => {
            let account = path_for_people(tree, change);
            sentence!("shares of {account} cannot reorder its own members: there {own} {compared}")
        }
        LevelPosition::Level => sentence!("{with} {own} {compared}"),
    }
}

/// Returns which number of another user no number of shares reaches.
fn by_number(tree: &Tree, order: &NumberOrder, with: &str) -> Shown {
    let leader = &order.leader;
    let word = number_word(leader.decision.column);
    let LeaderNumbers {
        own: number,
        other: other_number,
    } = LeaderNumbers::of(leader);
    let user = path_for_people(tree, order.user);
    let rival = path_for_people(tree, leader.user);
    if order.is_tied {
        let rank = order.rank;
        return sentence!("{with} {user} only ties with {rival} at rank {rank}, {word} {number}");
    }
    let rank = grouped(order.rank);
    let than = if number == other_number {
        // Only PBS looks at anything behind the factor.
        "the same and runs first without a job_sort_formula"
    } else {
        &other_number
    };
    let ahead = if leader.users > 1 {
        let users = counted(leader.users, "user", "users");
        sentence!(", and {users} too many stay ahead")
    } else {
        Shown::default()
    };
    let account = held_down(tree, order.account);
    sentence!(
        "{with} the {word} of {user} reaches only {number}, rank {rank}; {rival} has {than}{ahead}{account}"
    )
}

/// Returns use against target: `uses 66.4% of physics, target 59.4%`, or `of all usage` for portions of the tree.
pub(crate) fn uses(tree: &Tree, usage: &TargetUse) -> Shown {
    let whole = whole(tree, usage.whole);
    let [used, share] = told_apart(usage.target.used, usage.target.share);
    sentence!("uses {used} of {whole}, target {share}")
}

/// Returns the account whose usage is divided; `all usage` for the root, unless all of it is not known.
pub(super) fn whole(tree: &Tree, account: NodeId) -> Shown {
    if account != NodeId::ROOT {
        return path_for_people(tree, account);
    }
    match tree.part() {
        Some(part) if part.is_unknown(account) => "its level".into(),
        _ => "all usage".into(),
    }
}

/// Returns two portions as percentages, with the digits it takes to tell them apart.
fn told_apart(one: f64, other: f64) -> [Shown; 2] {
    let texts = [percent(one), percent(other)];
    if texts[0] != texts[1] || one.to_bits() == other.to_bits() {
        return texts;
    }
    for digits in [3, 6, 9] {
        let first = sentence!("{:.digits$}%", one * 100.0);
        let second = sentence!("{:.digits$}%", other * 100.0);
        if first != second {
            return [first, second];
        }
    }
    texts
}

/// Returns whether a node is on target, with what it uses: `physics is over its target (uses 59.4% of science, target
/// 40.0%)`.
pub(crate) fn stands(tree: &Tree, node: NodeId, target: &TargetUse) -> Shown {
    let verdict = if target.target.is_met {
        "on target"
    } else {
        "over its target"
    };
    let name = path_for_people(tree, node);
    let use_of_target = uses(tree, target);
    sentence!("{name} is {verdict} ({use_of_target})")
}
