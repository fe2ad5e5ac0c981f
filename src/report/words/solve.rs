//! The reason of a solution, and usage against targets, in words.

use super::number_word;
use crate::analysis::solve::{
    Goal, Leader, LevelOrder, LevelPosition, NumberOrder, Obstacle, Question, Rationale,
    ReachedGoal, Solution, Standing, TargetUse,
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

fn shares(count: i64) -> Shown {
    counted(count, "share", "shares")
}

/// A factor with the digits a scheduler prints, and more where it takes them.
fn factor(number: f64) -> Shown {
    if number != 0.0 && number.abs() < 1e-4 {
        sentence!("{number:.3e}")
    } else {
        fraction(number)
    }
}

/// A number that stays below a bound, with the digits it takes to see that.
fn short_of(bound: f64, number: f64) -> Shown {
    let text = factor(number);
    let rounds_up = text.parse().is_ok_and(|shown: f64| shown >= bound);
    if rounds_up && number < bound {
        sentence!("{number}")
    } else {
        text
    }
}

fn reached(tree: &Tree, solution: &Solution, found: &ReachedGoal) -> Shown {
    let Question { node, goal, change } = solution.question;
    let of = if change == node {
        Shown::default()
    } else {
        sentence!(" for {}", path_for_people(tree, change))
    };
    let target = found.target.filter(|_| goal == Goal::OnTarget);
    let stands = if let Some(target) = &target {
        sentence!("{} {}", path_for_people(tree, node), uses(tree, target))
    } else {
        let users = grouped(found.user_count);
        standing(solution, found.standing, &sentence!(" of {users}"))
    };
    let reached = sentence!("{}{of}: {stands}", shares(found.shares));
    let Some(almost) = solution.almost else {
        let first = if found.is_falling {
            "its current number"
        } else {
            "the minimum"
        };
        let from_one = match solution.shares_from_one {
            Some(count) => sentence!("; apart from 0 shares the minimum is {}", grouped(count)),
            None => Shown::default(),
        };
        return sentence!("{reached}; that is {first}{from_one}");
    };
    let step = if found.is_falling { 1 } else { -1 };
    let next = grouped(found.shares.saturating_add(step));
    if let (Goal::OnTarget, Some(target)) = (goal, almost.target) {
        let [_, share] = told_apart(target.used, target.share);
        return sentence!("{reached}; with {next} its target is {share}");
    }
    let there = standing(solution, almost, "");
    let missed = match goal {
        _ if target.is_some() || standing(solution, found.standing, "") != there => there,
        Goal::AheadOf(other) => sentence!("not ahead of {}", path_for_people(tree, other)),
        _ => "just below".into(),
    };
    sentence!("{reached}; with {next} it is {missed}")
}

/// The standing of a node, as far as the goal is about it; `of` follows a rank.
fn standing(solution: &Solution, standing: Standing, of: &str) -> Shown {
    let goal = solution.question.goal;
    match (goal, standing.factor, standing.share, standing.rank) {
        (Goal::Factor(_), Some(number), ..) => {
            let word = number_word(solution.factor_column);
            sentence!("{word} {}", factor(number))
        }
        (Goal::Share(_), _, Some(number), _) => sentence!("a share of {}", factor(number)),
        (.., Some(rank)) => sentence!("rank {}{of}", grouped(rank)),
        _ => "no rank".into(),
    }
}

fn impossible(tree: &Tree, solution: &Solution, last: i64, obstacle: &Obstacle) -> Shown {
    let (question, word) = (solution.question, number_word(solution.factor_column));
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
            let other_goal = match has_users {
                true => "",
                false => "; in a tree without users choose a goal such as share>=5%",
            };
            sentence!("{node} has no rank: it has no users, or the policy excludes it{other_goal}")
        }
        Obstacle::LowFactor {
            wanted,
            factor: number,
            account,
        } => {
            let (reached, account) = (short_of(*wanted, *number), held_down(tree, *account));
            sentence!("{with} the {word} of {node} reaches only {reached}, below {wanted}{account}")
        }
        Obstacle::LowShare {
            wanted,
            share,
            account,
        } => {
            let most = account.map_or_else(Shown::default, |(account, share)| {
                let share = short_of(*wanted, share);
                sentence!("; {} above it has {share}", path(account))
            });
            sentence!(
                "{with} the share of {node} in the tree reaches only {}, below {wanted}{most}",
                short_of(*wanted, *share)
            )
        }
        Obstacle::OverTarget { target, account } => {
            let above = account.map_or_else(Shown::default, |(account, share)| {
                let share = percent(share);
                sentence!("; the target of {} above it is {share}", path(account))
            });
            sentence!("{with} {node} {}{above}", uses(tree, target))
        }
        Obstacle::TargetInside(target) => {
            let (change, uses) = (path(question.change), uses(tree, target));
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

/// What the node's account has, where accounts have a factor.
fn held_down(tree: &Tree, account: Option<(NodeId, f64)>) -> Shown {
    account.map_or_else(Shown::default, |(account, number)| {
        let account = path_for_people(tree, account);
        sentence!("; {account} above it has {} itself", factor(number))
    })
}

/// The two numbers of a comparison, with the digits it takes to tell them apart.
fn numbers(leader: &Leader) -> [Shown; 2] {
    let texts = leader.values.map(|value| match value {
        Value::Null => "none".into(),
        value => cell(value, leader.decision.column.unit()),
    });
    match leader.values {
        [Value::Double(a), Value::Double(b)]
            if texts[0] == texts[1] && a.to_bits() != b.to_bits() =>
        {
            [sentence!("{a}"), sentence!("{b}")]
        }
        _ => texts,
    }
}

fn by_level(tree: &Tree, change: NodeId, order: &LevelOrder, with: &str) -> Shown {
    let path = |node| path_for_people(tree, node);
    let leader = &order.leader;
    let [number, other_number] = numbers(leader);
    let sides = leader.decision.sides;
    let [own, other] = sides.map(path);
    let verb = if leader.decision.first.is_none() {
        "ties with"
    } else {
        "is behind"
    };
    let column = leader.decision.column.heading();
    let rival = path(leader.user);
    let staying = match leader.users {
        2.. => sentence!("; {} stay ahead", counted(leader.users, "user", "users")),
        _ if order.is_behind && leader.user != sides[1] => sentence!("; {rival} stays ahead"),
        _ => Shown::default(),
    };
    let compared = sentence!("{verb} {other}, {column} {number} against {other_number}{staying}");
    match order.place {
        LevelPosition::Above(account) => {
            let account = path(account);
            sentence!("no shares inside {account} can pass {rival}: {own} itself {compared}")
        }
        LevelPosition::Inside => {
            let account = path(change);
            sentence!("shares of {account} cannot reorder its own members: there {own} {compared}")
        }
        LevelPosition::Level => sentence!("{with} {own} {compared}"),
    }
}

fn by_number(tree: &Tree, order: &NumberOrder, with: &str) -> Shown {
    let leader = &order.leader;
    let word = number_word(leader.decision.column);
    let [number, other_number] = numbers(leader);
    let [user, rival] = [order.user, leader.user].map(|node| path_for_people(tree, node));
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
    let ahead = match counted(leader.users, "user", "users") {
        users if leader.users > 1 => sentence!(", and {users} too many stay ahead"),
        _ => Shown::default(),
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
    let is_unknown = tree.part().is_some_and(|part| part.is_unknown(account));
    match account {
        NodeId::ROOT if is_unknown => "its level".into(),
        NodeId::ROOT => "all usage".into(),
        account => path_for_people(tree, account),
    }
}

/// Returns two portions as percentages, with the digits it takes to tell them apart.
fn told_apart(one: f64, other: f64) -> [Shown; 2] {
    let texts = [one, other].map(percent);
    if texts[0] != texts[1] || one.to_bits() == other.to_bits() {
        return texts;
    }
    let digits = [3, 6, 9].into_iter();
    let longer = digits.map(|digits| [one, other].map(|it| sentence!("{:.digits$}%", it * 100.0)));
    let mut longer = longer.filter(|[one, other]| one != other);
    longer.next().unwrap_or(texts)
}

/// Whether a node is on target, with what it uses: `physics is over its target (uses 59.4% of science, target 40.0%)`.
pub(crate) fn stands(tree: &Tree, node: NodeId, target: &TargetUse) -> Shown {
    let verdict = if target.target.is_met {
        "on target"
    } else {
        "over its target"
    };
    let name = path_for_people(tree, node);
    sentence!("{name} is {verdict} ({})", uses(tree, target))
}
