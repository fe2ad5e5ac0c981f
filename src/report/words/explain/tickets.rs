//! Tickets in words.

use super::classic::{no_target, shares_in_brief, targets};
use super::why::{self, Derivation, Step, Why, number, opening, root};
use crate::base::number::{amount, fraction, percent};
use crate::base::shown::{Shown, sentence};
use crate::model::{Kind, NodeId};
use crate::report::View;
use crate::report::render::line::Line;
use crate::rules::policy::{ColumnId, Explanation, Level};

pub(super) fn why(view: &View<'_>, explanation: &Explanation, levels: &[Level]) -> Why {
    let sentence = sentence(view, explanation, levels);
    let Some(last) = levels.last() else {
        return (sentence, Vec::new());
    };
    let usage = "portion of all usage, but at least 1% of the portion of the level's shares";
    let tickets = sentence!(
        "the {}'s, split among active siblings by target × weight; weight = target / effective usage, at most 100",
        view.settings.noun().one
    );
    let mut derivations = vec![
        targets(view, levels),
        Derivation::of("Effective usage", usage).along(levels, |level| effective(view, level)),
        Derivation::of("Tickets", tickets).along(levels, |level| handed(view, level)),
    ];
    if explanation.is_user(view.tree) {
        let formula = "tickets / the most tickets that any user has";
        derivations.push(Derivation::of("Factor", formula).with([factor(view, last)]));
    }
    (sentence, derivations)
}

/// Returns shares, usage and what comes of them, a line each.
pub(super) fn in_brief(view: &View<'_>, explanation: &Explanation) -> Vec<Line> {
    let Some((last, above)) = explanation.levels.split_last() else {
        return Vec::new();
    };
    let name = view.label(last.node);
    let own = if explanation.is_user(view.tree) {
        sentence!("{name} {}", factor(view, last).computation())
    } else {
        handed(view, last).outcome()
    };
    vec![
        shares_in_brief(view, &explanation.levels),
        why::line_in_brief("Effective usage", effective(view, last).computation()),
        why::path_in_brief("Tickets", above, |level| handed(view, level), own),
    ]
}

fn effective(view: &View<'_>, level: &Level) -> Step {
    let of = |column, node| number(view, column, node);
    let printed = of(ColumnId::EffectvUsage, level.node);
    let total = of(ColumnId::Usage, NodeId::ROOT);
    let is_taken_over = level.shares.is_parent() && level.account != NodeId::ROOT;
    let (source, whose) = if is_taken_over {
        (level.account, "its")
    } else {
        (level.node, "the")
    };
    let usage = of(ColumnId::Usage, source);
    let own = if total > 0.0 { usage / total } else { 0.0 };
    let mut inputs = if is_taken_over {
        sentence!("shares `parent`: it has {}'s ", view.label(source))
    } else if total > 0.0 {
        sentence!("{} / {} = ", amount(usage), amount(total))
    } else {
        "nothing was used: ".into()
    };
    if printed > own.min(1.0) * (1.0 + f64::EPSILON) {
        let own = fraction(own);
        inputs += &sentence!("{own}; 1% of {whose} portion of the shares is more: ");
    }
    Step::of(view.label(level.node), inputs).gives(fraction(printed))
}

fn tickets(view: &View<'_>, node: NodeId) -> f64 {
    number(view, ColumnId::Tickets, node)
}

fn handed(view: &View<'_>, level: &Level) -> Step {
    let own = tickets(view, level.node);
    let above = tickets(view, level.account);
    let inputs = if own == 0.0 {
        sentence!("{}: ", without(view, level))
    } else {
        let target = number(view, ColumnId::NormShares, level.node);
        let effective = number(view, ColumnId::EffectvUsage, level.node);
        // Slurm does not let usage count as less than a hundredth of the target.
        let weight = target / effective.max(target / 100.0);
        let [target, weight] = [target, weight].map(fraction);
        let (part, above) = (percent(own / above), amount(above));
        let account = view.label(level.account);
        sentence!("{target} × weight {weight}: {part} of {account}'s {above} = ")
    };
    Step::of(view.label(level.node), inputs).gives(amount(own))
}

fn without(view: &View<'_>, level: &Level) -> Shown {
    if !is_active(view, level.node) {
        return match view.tree.kind(level.node) {
            Kind::User | Kind::Others => "it has no pending jobs".into(),
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
    let is_active = |&node: &NodeId| {
        view.tree.kind(node) == Kind::User && view.tree.active(node).unwrap_or(true)
    };
    view.tree.within(node).iter().any(is_active)
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

fn factor(view: &View<'_>, level: &Level) -> Step {
    let counted = counted_node(level);
    let own = tickets(view, counted);
    let factor = number(view, ColumnId::Factor, level.node);
    let inputs = if factor > 0.0 {
        sentence!("{} / {} = ", amount(own), amount(most(own, factor)))
    } else {
        "no tickets give ".into()
    };
    let step = Step::of(view.label(level.node), inputs).gives(fraction(factor));
    if counted == level.node {
        return step;
    }
    step.noting(sentence!(
        "with shares `parent` {}'s tickets count",
        view.label(counted)
    ))
}

fn sentence(view: &View<'_>, explanation: &Explanation, levels: &[Level]) -> Line {
    let Some(level) = levels.last() else {
        let all = sentence!(" and all {} tickets", amount(tickets(view, NodeId::ROOT)));
        return root(view, explanation.user_count, &all);
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
        return opening.plain(sentence!("{reason}, so {consequence}."));
    }
    let account = view.label(level.account);
    let above = amount(tickets(view, level.account));
    if !counts_itself {
        let factor = fraction(number(view, ColumnId::Factor, level.node));
        return opening.plain(sentence!(
            "its shares are `parent`, so its jobs use {account}'s {above} tickets. Its factor is {factor}."
        ));
    }
    let begin = sentence!("it has {} of {account}'s {above} tickets", amount(own));
    if !is_user {
        return opening.plain(sentence!("{begin} to hand down."));
    }
    let factor = number(view, ColumnId::Factor, level.node);
    let most = most(own, factor);
    let end = if most <= own {
        ", and no user has more.".into()
    } else {
        let (part, most) = (percent(factor), amount(most));
        sentence!(", {part} of the {most} that the user with the most has.")
    };
    opening.plain(sentence!("{begin}{end}"))
}
