//! Why: what the answer leads to, or where it is decided that there is none.

use super::goal::{Goal, best_rank, best_user};
use super::on_target::{against_target, told_apart};
use super::trial::Trial;
use super::{Question, Solution, Standing};
use crate::base::number::Value;
use crate::base::number::{cell, counted, fraction, grouped, percent};
use crate::base::shown::{shown, visible};
use crate::model::{NodeId, Tree, path_of};
use crate::rules::policy::{Decision, Evaluation, Policy};

/// The path of a node, for people.
pub(super) fn named(tree: &Tree, node: NodeId) -> String {
    match path_of(tree, node) {
        Some(path) => visible(&path),
        None => format!("…/{}", shown(tree.name(node))),
    }
}

/// A number of shares in words.
fn shares(count: i64) -> String {
    if count == 1 {
        "1 share".to_owned()
    } else {
        format!("{} shares", grouped(count))
    }
}

/// A factor with the digits a scheduler prints, and more where it takes them.
fn factor(number: f64) -> String {
    if number != 0.0 && number.abs() < 1e-4 {
        format!("{number:.3e}")
    } else {
        fraction(number)
    }
}

/// The reason as one sentence. The trial stands at the end of its scale if there is no answer.
pub(super) fn sentence(trial: &Trial<'_>, solution: &Solution) -> String {
    match (solution.shares, solution.after) {
        (Some(count), Some(after)) => reached(trial, solution, count, after),
        _ => impossible(trial, solution),
    }
}

fn reached(trial: &Trial<'_>, solution: &Solution, count: i64, after: Standing) -> String {
    let scenario = &trial.scenario;
    let question = solution.question;
    let of = if question.change == question.node {
        String::new()
    } else {
        format!(" for {}", named(scenario.tree(), question.change))
    };
    let users = grouped(i64::try_from(scenario.evaluation().user_count()).unwrap_or(i64::MAX));
    let stands = |standing: Standing, of: &str| match (question.goal, standing) {
        (
            Goal::OnTarget,
            Standing {
                target: Some(target),
                ..
            },
        ) => format!(
            "{} {}",
            named(scenario.tree(), question.node),
            against_target(scenario.policy(), scenario.tree(), question.node, target)
        ),
        (
            Goal::Factor(_),
            Standing {
                factor: Some(number),
                ..
            },
        ) => format!("factor {}", factor(number)),
        (
            Goal::Share(_),
            Standing {
                share: Some(number),
                ..
            },
        ) => format!("a share of {}", factor(number)),
        (
            _,
            Standing {
                rank: Some(rank), ..
            },
        ) => format!("rank {}{of}", grouped(i64::from(rank))),
        _ => "no rank".to_owned(),
    };
    let reached = format!(
        "{}{of}: {}",
        shares(count),
        stands(after, &format!(" of {users}"))
    );
    let Some(almost) = solution.almost else {
        let first = if trial.scale.falls {
            "all it has now"
        } else {
            "the least there can be"
        };
        let from_one = match solution.shares_from_one {
            Some(count) => format!("; with any at all it takes {}", grouped(count)),
            None => String::new(),
        };
        return format!("{reached}; that is {first}{from_one}");
    };
    let next = if trial.scale.falls {
        count.saturating_add(1)
    } else {
        count.saturating_sub(1)
    };
    let next = grouped(next);
    if let (Goal::OnTarget, Some(target)) = (question.goal, almost.target) {
        let [_, share] = told_apart(target.used, target.share);
        return format!("{reached}; with {next} its target is {share}");
    }
    let (here, there) = (stands(after, ""), stands(almost, ""));
    if here == there {
        let missed = match question.goal {
            Goal::AheadOf(other) => format!("not ahead of {}", named(scenario.tree(), other)),
            _ => "just below".to_owned(),
        };
        return format!("{reached}; with {next} it is {missed}");
    }
    format!("{reached}; with {next} it is {there}")
}

/// Where the order between the node and another is decided.
struct Obstacle {
    /// The user that stays ahead.
    other: NodeId,
    /// How many users stay ahead for the same reason.
    users: usize,
    decision: Decision,
}

fn impossible(trial: &Trial<'_>, solution: &Solution) -> String {
    let scenario = &trial.scenario;
    let (tree, evaluation, policy) = (scenario.tree(), scenario.evaluation(), scenario.policy());
    let question = solution.question;
    let node = named(tree, question.node);
    let end = trial.scale.shares(trial.scale.last);
    let with = if question.change == question.node {
        format!("even with {}", shares(end))
    } else {
        format!(
            "even with {} for {}",
            shares(end),
            named(tree, question.change)
        )
    };
    let user = best_user(tree, evaluation, question.node);
    if question.goal == Goal::OnTarget {
        return off_target(trial, solution, &with);
    }
    if let Goal::Factor(wanted) = question.goal {
        let standing = Standing::of(policy, tree, evaluation, question.node);
        return match standing.factor {
            Some(number) => format!(
                "{with} the factor of {node} only comes to {}, below {wanted}{}",
                factor(number),
                held_down(policy, tree, evaluation, question.node)
            ),
            None => format!("{node} has no factor: the policy leaves it out"),
        };
    }
    if let Goal::Share(wanted) = question.goal {
        let standing = Standing::of(policy, tree, evaluation, question.node);
        return match standing.share {
            Some(number) => format!(
                "{with} the share of {node} in the tree only comes to {}, below {wanted}{}",
                factor(number),
                most_inside(policy, tree, evaluation, question.node)
            ),
            None => format!("{node} has no share: the policy leaves it out"),
        };
    }
    let Some(user) = user else {
        let other_goal = if tree.user_count() == 0 {
            "; in a tree without users ask for a portion of it, as in share>=5%"
        } else {
            ""
        };
        return format!(
            "{node} has no rank: no user is there, or the policy leaves it out{other_goal}"
        );
    };
    let Some(obstacle) = obstacle(trial, user, question.goal) else {
        // It is there at the end of the scale by rounding alone.
        return format!("no number of shares tried reaches it; {with} it comes closest");
    };
    if policy.orders_by_level() {
        by_level(trial, user, &obstacle, &with)
    } else {
        by_factor(trial, user, &obstacle, &with)
    }
}

/// Why no number of shares brings a node on target.
fn off_target(trial: &Trial<'_>, solution: &Solution, with: &str) -> String {
    let scenario = &trial.scenario;
    let (tree, evaluation, policy) = (scenario.tree(), scenario.evaluation(), scenario.policy());
    let Question { node, change, .. } = solution.question;
    let name = named(tree, node);
    let Some(target) = policy.target(tree, evaluation, node) else {
        return format!("{name} has no target: the policy leaves it out");
    };
    let uses = against_target(policy, tree, node, target);
    if change != node && policy.counts_by_level() && tree.order().is_within(node, change) {
        return format!(
            "the shares of {} leave the target of {name} inside it as it is: {name} {uses}",
            named(tree, change)
        );
    }
    let account = tree.parent(node).filter(|&account| account != NodeId::ROOT);
    let above = account.and_then(|account| {
        let target = policy.target(tree, evaluation, account)?;
        Some((account, target.share))
    });
    match above.filter(|_| !policy.counts_by_level()) {
        Some((account, share)) => format!(
            "{with} {name} {uses}; the target of its account {} is {}",
            named(tree, account),
            percent(share)
        ),
        None => format!("{with} {name} {uses}"),
    }
}

/// What the node's account has, where accounts have a factor.
fn held_down(policy: Policy, tree: &Tree, evaluation: &Evaluation, node: NodeId) -> String {
    let account = tree.parent(node).filter(|&account| account != NodeId::ROOT);
    let of = |account| evaluation.number(policy.factor_column(), account);
    match account.and_then(|account| Some((account, of(account)?))) {
        Some((account, number)) => format!(
            "; its account {} itself has {}",
            named(tree, account),
            factor(number)
        ),
        None => String::new(),
    }
}

/// What the node's account has of the tree: its children cannot have more.
fn most_inside(policy: Policy, tree: &Tree, evaluation: &Evaluation, node: NodeId) -> String {
    let account = tree.parent(node).filter(|&account| account != NodeId::ROOT);
    let of = |account| Standing::of(policy, tree, evaluation, account).share;
    match account.and_then(|account| Some((account, of(account)?))) {
        Some((account, number)) => format!(
            "; its account {} has {}",
            named(tree, account),
            factor(number)
        ),
        None => String::new(),
    }
}

/// Who stays ahead of a user so that the goal is out of reach: the user of another node, or, where a rank is wanted,
/// of all who are ahead those who part from the user's way at the highest level at which they are enough.
fn obstacle(trial: &Trial<'_>, user: NodeId, goal: Goal) -> Option<Obstacle> {
    let scenario = &trial.scenario;
    let (tree, evaluation, policy) = (scenario.tree(), scenario.evaluation(), scenario.policy());
    let decided = |other, users| Obstacle {
        other,
        users,
        decision: policy.decision(tree, evaluation, user, other),
    };
    let wanted = match goal {
        Goal::AheadOf(other) => {
            return Some(decided(best_user(tree, evaluation, other)?, 1));
        }
        Goal::Rank(wanted) => wanted,
        Goal::OnTarget | Goal::Factor(_) | Goal::Share(_) => return None,
    };
    let rank = evaluation.rank(user)?;
    let ranks = evaluation.ranks();
    if !policy.orders_by_level() {
        // The last one that would have to be passed.
        let is_ahead = |other: &u32| (1..=wanted).contains(other);
        let last = ranks.iter().copied().filter(is_ahead).max()?;
        let place = ranks.iter().position(|&other| other == last)?;
        let users = rank.saturating_sub(wanted) as usize;
        return Some(decided(tree.nodes()[place], users));
    }
    let mut above = NodeId::ROOT;
    let mut users = 0;
    for node in tree.line(user) {
        let inside = tree.order().span(node);
        let parting = tree.order().span(above);
        let is_ahead =
            |&place: &usize| !inside.contains(&place) && ranks[place] > 0 && ranks[place] < rank;
        let ahead: Vec<usize> = parting.filter(is_ahead).collect();
        users += ahead.len();
        if users >= wanted as usize {
            // The first in its way is the one just ahead.
            let last = ahead.into_iter().max_by_key(|&place| ranks[place])?;
            return Some(decided(tree.nodes()[last], users));
        }
        above = node;
    }
    None
}

/// The two numbers of a decision, with the digits it takes to tell them apart.
fn numbers(evaluation: &Evaluation, decision: &Decision) -> [String; 2] {
    let values = decision
        .sides
        .map(|side| evaluation.value(decision.column, side));
    let texts = values.map(|value| match value {
        Value::Null => "none".to_owned(),
        value => cell(value, decision.column.unit()),
    });
    match values {
        [Value::Double(a), Value::Double(b)]
            if texts[0] == texts[1] && a.to_bits() != b.to_bits() =>
        {
            [a.to_string(), b.to_string()]
        }
        _ => texts,
    }
}

fn by_level(trial: &Trial<'_>, user: NodeId, obstacle: &Obstacle, with: &str) -> String {
    let scenario = &trial.scenario;
    let (tree, evaluation) = (scenario.tree(), scenario.evaluation());
    let decision = &obstacle.decision;
    let [own, other] = decision.sides;
    let [number, other_number] = numbers(evaluation, decision);
    let word = decision.column.heading();
    let (own_name, other_name) = (named(tree, own), named(tree, other));
    let verb = if decision.first.is_some() {
        "is behind"
    } else {
        "ties with"
    };
    let compared = format!("{verb} {other_name}, {word} {number} against {other_number}");
    let rank = evaluation.rank(user);
    let is_behind = rank > evaluation.rank(obstacle.other);
    let staying = if obstacle.users > 1 {
        format!("; {} stay ahead", counted(obstacle.users, "user", "users"))
    } else if is_behind && obstacle.other != other {
        format!("; {} stays ahead", named(tree, obstacle.other))
    } else {
        String::new()
    };
    let order = tree.order();
    if own != trial.change && order.is_within(trial.change, own) {
        // The ways part above.
        let inside = tree.parent(trial.change).unwrap_or(own);
        return format!(
            "inside {} no share can pass {}: {own_name} itself {compared}{staying}",
            named(tree, inside),
            named(tree, obstacle.other),
        );
    }
    if own != trial.change && order.is_within(own, trial.change) {
        return format!(
            "the shares of {} leave the order inside it as it is: there {own_name} {compared}{staying}",
            named(tree, trial.change)
        );
    }
    format!("{with} {own_name} {compared}{staying}")
}

fn by_factor(trial: &Trial<'_>, user: NodeId, obstacle: &Obstacle, with: &str) -> String {
    let scenario = &trial.scenario;
    let (tree, evaluation, policy) = (scenario.tree(), scenario.evaluation(), scenario.policy());
    let [number, other_number] = numbers(evaluation, &obstacle.decision);
    let rank = best_rank(tree, evaluation, user).unwrap_or(0);
    let (user_name, other) = (named(tree, user), named(tree, obstacle.other));
    let held_down = held_down(policy, tree, evaluation, user);
    if evaluation.rank(obstacle.other) == Some(rank) {
        return format!(
            "{with} {user_name} only ties with {other} at rank {rank}, factor {number}"
        );
    }
    let ahead = if obstacle.users > 1 {
        let users = counted(obstacle.users, "user", "users");
        format!(", and {users} too many stay ahead")
    } else {
        String::new()
    };
    if number == other_number {
        // Only PBS looks at anything behind the factor.
        return format!(
            "{with} the factor of {user_name} only comes to {number}, rank {}, where {other} has the same and comes first without a job_sort_formula{ahead}{held_down}",
            grouped(i64::from(rank)),
        );
    }
    format!(
        "{with} the factor of {user_name} only comes to {number}, rank {}, where {other} has {other_number}{ahead}{held_down}",
        grouped(i64::from(rank)),
    )
}
