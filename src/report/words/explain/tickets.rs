//! Tickets in words.
//!
//! Tickets are handed down from the root, on each level by target and by how little was used; a user's factor is its tickets
//! over the most that any user has.

use super::classic::{no_target, shares_in_brief, targets};
use super::why::{self, Derivation, PathLevel, Step, Why, number, opening, root, root_usage};
use crate::base::number::{amount, fraction, percent};
use crate::base::shown::{Shown, sentence};
use crate::model::{Kind, NodeId};
use crate::report::View;
use crate::report::render::line::Line;
use crate::rules::policy::{ColumnId, Explanation, Level};

/// Returns why a node has its rank.
pub(super) fn why(view: &View<'_>, explanation: &Explanation) -> Why {
    let levels = &explanation.levels;
    let sentence = sentence(view, explanation);
    let path = PathLevel::path(view, levels);
    let Some(last) = path.last() else {
        return sentence.into();
    };
    let usage = "portion of all usage, but at least 1% of the portion of the level's shares";
    let account = view.settings.noun().one;
    let tickets = sentence!(
        "the {account}'s, split among active siblings by target × weight; weight = target / effective usage, at most 100"
    );
    let mut derivations = vec![
        targets(view, levels),
        Derivation::of("Effective usage", usage).along(&path, effective),
        Derivation::of("Tickets", tickets).along(&path, handed),
    ];
    if explanation.is_user(view.tree) {
        let formula = "tickets / the most tickets that any user has";
        let derivation = Derivation::of("Factor", formula);
        derivations.push(derivation.with([factor(last)]));
    }
    Why {
        sentence,
        derivations,
    }
}

/// Returns shares, usage and what comes of them, a line each.
pub(super) fn in_brief(view: &View<'_>, explanation: &Explanation) -> Vec<Line> {
    let path = PathLevel::path(view, &explanation.levels);
    let Some((last, above)) = path.split_last() else {
        return Vec::new();
    };
    let own = if explanation.is_user(view.tree) {
        let name = last.name();
        let computation = factor(last).computation();
        sentence!("{name} {computation}")
    } else {
        handed(last).outcome()
    };
    let usage = effective(last).computation();
    vec![
        shares_in_brief(&path),
        why::line_in_brief("Effective usage", usage),
        why::path_in_brief("Tickets", above, handed, own),
    ]
}

/// Returns the effective usage of a level.
fn effective(level: &PathLevel<'_>) -> Step {
    let own = level.own;
    let total = root_usage(level.view);
    let is_taken_over = own.shares.is_parent() && own.account != NodeId::ROOT;
    let usage = if is_taken_over {
        level.account_usage()
    } else {
        level.usage()
    };
    let mut portion = 0.0;
    if total > 0.0 {
        portion = usage / total;
    }
    let mut inputs = if is_taken_over {
        let account = level.account_name();
        sentence!("shares `parent`: it has {account}'s ")
    } else if total > 0.0 {
        let used = amount(usage);
        let whole = amount(total);
        sentence!("{used} / {whole} = ")
    } else {
        "nothing was used: ".into()
    };
    let printed = level.effective_usage();
    if printed > portion.min(1.0) * (1.0 + f64::EPSILON) {
        let whose = if is_taken_over { "its" } else { "the" };
        let less = fraction(portion);
        inputs += &sentence!("{less}; 1% of {whose} portion of the shares is more: ");
    }
    level.step(inputs).gives(fraction(printed))
}

/// Returns the tickets of a node.
fn tickets(view: &View<'_>, node: NodeId) -> f64 {
    number(view, ColumnId::Tickets, node)
}

/// Returns the tickets that a level gets from its account.
fn handed(level: &PathLevel<'_>) -> Step {
    let own = level.number(ColumnId::Tickets);
    let tickets = amount(own);
    if own == 0.0 {
        let reason = without(level);
        let step = level.step(sentence!("{reason}: "));
        return step.gives(tickets);
    }
    let above = level.account_number(ColumnId::Tickets);
    let target = level.target();
    // Slurm does not let usage count as less than a hundredth of the target.
    let least = target / 100.0;
    let effective = level.effective_usage().max(least);
    let weight = fraction(target / effective);
    let part = percent(own / above);
    let account = level.account_name();
    let whole = amount(above);
    let share = fraction(target);
    let step = level.step(sentence!(
        "{share} × weight {weight}: {part} of {account}'s {whole} = "
    ));
    step.gives(tickets)
}

/// Returns why a level has no tickets.
fn without(level: &PathLevel<'_>) -> Shown {
    let view = level.view;
    let node = level.own.node;
    if !is_active(view, node) {
        return match view.tree.kind(node) {
            Kind::User | Kind::Others => "it has no pending jobs".into(),
            Kind::Account => "no user below it has pending jobs".into(),
        };
    }
    if level.account_number(ColumnId::Tickets) == 0.0 {
        let account = level.account_name();
        sentence!("{account} has no tickets to hand down")
    } else if level.target() == 0.0 {
        "its target is 0%".into()
    } else {
        "its portion is less than one ticket".into()
    }
}

/// Returns whether a user, or any user below an account, is known to have a job pending.
fn is_active(view: &View<'_>, node: NodeId) -> bool {
    let tree = view.tree;
    for &node in tree.within(node) {
        if tree.kind(node) == Kind::User && tree.active(node) != Some(false) {
            return true;
        }
    }
    false
}

/// Returns the node whose tickets count for a job of the user; another node for shares `parent`.
fn counted_node(level: &Level) -> NodeId {
    if level.shares.is_parent() {
        return level.account;
    }
    level.node
}

/// Returns the largest number of tickets of any user, from a user's tickets and factor.
fn most(own: f64, factor: f64) -> f64 {
    (own / factor).round()
}

/// Returns the factor of a user.
fn factor(level: &PathLevel<'_>) -> Step {
    let counted = counted_node(level.own);
    let own = tickets(level.view, counted);
    let factor = level.number(ColumnId::Factor);
    let inputs = if factor > 0.0 {
        let numerator = amount(own);
        let denominator = amount(most(own, factor));
        sentence!("{numerator} / {denominator} = ")
    } else {
        "no tickets give ".into()
    };
    let result = fraction(factor);
    let step = level.step(inputs).gives(result);
    if counted == level.own.node {
        return step;
    }
    let name = level.view.label(counted);
    step.noting(sentence!("with shares `parent` {name}'s tickets count"))
}

/// Returns the sentence of a node: its rank, and its tickets.
fn sentence(view: &View<'_>, explanation: &Explanation) -> Line {
    let levels = &explanation.levels;
    let path = PathLevel::path(view, levels);
    let Some(level) = path.last() else {
        let all_tickets = amount(tickets(view, NodeId::ROOT));
        let all = sentence!(" and all {all_tickets} tickets");
        return root(view, explanation.user_count, &all);
    };
    let opening = opening(view, explanation);
    let is_user = explanation.is_user(view.tree);
    let counts_itself = !is_user || counted_node(level.own) == level.own.node;
    let own = level.number(ColumnId::Tickets);
    if counts_itself && own == 0.0 {
        let consequence = if is_user {
            "it has no tickets, and its factor is 0"
        } else {
            "it has no tickets to hand down"
        };
        let reason = without_tickets(level, levels);
        return opening.plain(sentence!("{reason}, so {consequence}."));
    }
    let account = level.account_name();
    let above = amount(level.account_number(ColumnId::Tickets));
    if !counts_itself {
        let factor = level.fraction(ColumnId::Factor);
        return opening.plain(sentence!(
            "its shares are `parent`, so its jobs use {account}'s {above} tickets. Its factor is {factor}."
        ));
    }
    let tickets = amount(own);
    let begin = sentence!("it has {tickets} of {account}'s {above} tickets");
    if !is_user {
        return opening.plain(sentence!("{begin} to hand down."));
    }
    let factor = level.number(ColumnId::Factor);
    let most = most(own, factor);
    if most <= own {
        return opening.plain(sentence!("{begin}, and no user has more."));
    }
    let part = percent(factor);
    let most = amount(most);
    opening.plain(sentence!(
        "{begin}, {part} of the {most} that the user with the most has."
    ))
}

/// Returns why a node has no tickets. The topmost account without tickets explains why its subtree has none.
fn without_tickets(level: &PathLevel<'_>, levels: &[Level]) -> Shown {
    let view = level.view;
    let node = level.own.node;
    if level.target() == 0.0 {
        return no_target(view, levels);
    }
    let mut path = levels.iter();
    let topmost = path.find(|level| tickets(view, level.node) == 0.0);
    if let Some(topmost) = topmost
        && topmost.node != node
        && is_active(view, node)
    {
        let name = view.label(topmost.node);
        return sentence!("{name} above it has no tickets");
    }
    without(level)
}
