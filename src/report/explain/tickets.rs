//! Tickets in words.

use super::classic::{no_target, number, opening, root, targets};
use super::steps::Steps;
use super::{Emphasis, Line, heading};
use crate::base::number::{amount, fraction, percent};
use crate::base::shown::{Shown, sentence};
use crate::model::{Kind, NodeId};
use crate::report::View;
use crate::rules::policy::{ColumnId, Explanation, Level};

/// Returns the sentence, then the target, the effective usage, the tickets and the factor.
pub(super) fn lines(view: &View<'_>, explanation: &Explanation, levels: &[Level]) -> Vec<Line> {
    let mut lines = vec![sentence(view, explanation, levels)];
    let Some(last) = levels.last() else {
        return lines;
    };
    let steps = Steps::new(view, levels.iter().map(|level| level.node).collect());
    lines.push(Line::default());
    targets(view, levels, &steps, &mut lines);
    lines.push(heading(
        "Effective usage",
        "portion of all usage, but at least 1% of the portion of the level's shares",
    ));
    steps.each(&mut lines, |index, label| {
        effective(view, &levels[index], label)
    });
    lines.push(heading(
        "Tickets",
        &sentence!(
            "the {}'s, split among active siblings by target × weight; weight = target / effective usage, at most 100",
            view.settings.noun().one
        ),
    ));
    steps.each(&mut lines, |index, label| {
        handed(view, &levels[index], label)
    });
    if explanation.is_user(view.tree) {
        lines.push(heading(
            "Factor",
            "tickets / the most tickets that any user has",
        ));
        lines.push(factor(view, last, &steps.label(last.node)));
    }
    lines
}

fn effective(view: &View<'_>, level: &Level, label: &str) -> Line {
    let of = |column, node| number(view, column, node);
    let printed = of(ColumnId::EffectvUsage, level.node);
    let total = of(ColumnId::Usage, NodeId::ROOT);
    let is_taken_over = level.shares.is_parent() && level.account != NodeId::ROOT;
    let source = if is_taken_over {
        level.account
    } else {
        level.node
    };
    let usage = of(ColumnId::Usage, source);
    let own = if total > 0.0 { usage / total } else { 0.0 };
    let begin = if is_taken_over {
        sentence!("{label}shares `parent`: it has {}'s ", view.label(source))
    } else if total > 0.0 {
        sentence!("{label}{} / {} = ", amount(usage), amount(total))
    } else {
        sentence!("{label}nothing was used: ")
    };
    if printed > own.min(1.0) * (1.0 + f64::EPSILON) {
        let shares = if is_taken_over { "its" } else { "the" };
        return Line::from(begin)
            .and(
                Emphasis::Plain,
                sentence!(
                    "{}; 1% of {shares} portion of the shares is more: ",
                    fraction(own)
                ),
            )
            .and(Emphasis::Strong, fraction(printed));
    }
    Line::from(begin).and(Emphasis::Strong, fraction(printed))
}

/// Returns the tickets of a node.
fn tickets(view: &View<'_>, node: NodeId) -> f64 {
    number(view, ColumnId::Tickets, node)
}

fn handed(view: &View<'_>, level: &Level, label: &str) -> Line {
    let own = tickets(view, level.node);
    let above = tickets(view, level.account);
    let strong = amount(own);
    if own == 0.0 {
        let reason = without(view, level);
        return Line::from(sentence!("{label}{reason}: ")).and(Emphasis::Strong, strong);
    }
    let target = number(view, ColumnId::NormShares, level.node);
    let effective = number(view, ColumnId::EffectvUsage, level.node);
    // Slurm does not let usage count as less than a hundredth of the target.
    let weight = target / effective.max(target / 100.0);
    Line::from(sentence!(
        "{label}{} × weight {}: {} of {}'s {} = ",
        fraction(target),
        fraction(weight),
        percent(own / above),
        view.label(level.account),
        amount(above)
    ))
    .and(Emphasis::Strong, strong)
}

/// Returns why a node has no tickets.
fn without(view: &View<'_>, level: &Level) -> Shown {
    if !is_active(view, level.node) {
        return match view.tree.kind(level.node) {
            Kind::User => "it has no pending jobs".into(),
            Kind::Account => "no user below it has pending jobs".into(),
        };
    }
    if tickets(view, level.account) == 0.0 {
        sentence!("{} has no tickets to hand down", view.label(level.account))
    } else if number(view, ColumnId::NormShares, level.node) == 0.0 {
        "its target is 0%".into()
    } else {
        "its portion is less than one ticket".into()
    }
}

/// Whether a user, or any user below an account, is known to have a job pending.
fn is_active(view: &View<'_>, node: NodeId) -> bool {
    let span = view.tree.order().span(node);
    view.tree.nodes()[span]
        .iter()
        .any(|&node| view.tree.kind(node) == Kind::User && view.tree.active(node).unwrap_or(true))
}

/// Returns the node whose tickets count for a job of the user; another node for shares `parent`.
fn counted_node(level: &Level) -> NodeId {
    if level.shares.is_parent() {
        level.account
    } else {
        level.node
    }
}

/// Returns the largest number of tickets of any user, from a user's tickets and factor.
fn most(own: f64, factor: f64) -> f64 {
    (own / factor).round()
}

fn factor(view: &View<'_>, level: &Level, label: &str) -> Line {
    let counted = counted_node(level);
    let own = tickets(view, counted);
    let factor = number(view, ColumnId::Factor, level.node);
    let result = fraction(factor);
    let line = if factor > 0.0 {
        let most = amount(most(own, factor));
        Line::from(sentence!("{label}{} / {most} = ", amount(own)))
    } else {
        Line::from(sentence!("{label}no tickets give "))
    };
    let line = line.and(Emphasis::Strong, result);
    if counted == level.node {
        return line;
    }
    line.and(
        Emphasis::Dim,
        sentence!(
            "; with shares `parent` {}'s tickets count",
            view.label(counted)
        ),
    )
}

/// Returns the explanation as an admin would give it to a user.
fn sentence(view: &View<'_>, explanation: &Explanation, levels: &[Level]) -> Line {
    let Some(level) = levels.last() else {
        let all = sentence!(" and all {} tickets", amount(tickets(view, NodeId::ROOT)));
        return root(view, explanation, &all);
    };
    let opening = opening(view, explanation);
    let own = tickets(view, level.node);
    let is_user = explanation.is_user(view.tree);
    let counts_itself = !is_user || counted_node(level) == level.node;
    let consequence = if is_user {
        "it has no tickets, and its factor is 0"
    } else {
        "it has no tickets to hand down"
    };
    if counts_itself && own == 0.0 {
        // The topmost account without tickets explains why its subtree has none.
        let first = levels.iter().find(|level| tickets(view, level.node) == 0.0);
        let first = first.unwrap_or(level);
        let reason = if number(view, ColumnId::NormShares, level.node) == 0.0 {
            no_target(view, levels)
        } else if first.node == level.node || !is_active(view, level.node) {
            without(view, level)
        } else {
            sentence!("{} above it has no tickets", view.label(first.node))
        };
        return opening.and(Emphasis::Plain, sentence!("{reason}, so {consequence}."));
    }
    if !counts_itself {
        let factor = fraction(number(view, ColumnId::Factor, level.node));
        let account = view.label(counted_node(level));
        let tickets = amount(tickets(view, counted_node(level)));
        return opening.and(
            Emphasis::Plain,
            sentence!(
                "its shares are `parent`, so its jobs use {account}'s {tickets} tickets. Its factor is {factor}."
            ),
        );
    }
    let account = view.label(level.account);
    let above = amount(tickets(view, level.account));
    let begin = sentence!("it has {} of {account}'s {above} tickets", amount(own));
    if !is_user {
        return opening.and(Emphasis::Plain, sentence!("{begin} to hand down."));
    }
    let factor = number(view, ColumnId::Factor, level.node);
    let most = most(own, factor);
    let end = if most <= own {
        ", and no user has more.".into()
    } else {
        sentence!(
            ", {} of the {} that the user with the most has.",
            percent(factor),
            amount(most)
        )
    };
    opening.and(Emphasis::Plain, sentence!("{begin}{end}"))
}
