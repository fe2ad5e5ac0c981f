//! PBS's numbers in words.

use super::neighbours;
use super::standing::{against, among, rank_in_words, times};
use super::steps::Steps;
use super::{Emphasis, Line, heading, without_numbers};
use crate::base::number::{amount, counted, fraction, grouped, ordinal, percent, word_for};
use crate::base::shown::{Shown, sentence};
use crate::model::{Kind, NodeId};
use crate::report::View;
use crate::rules::policy::pbs::{PbsExplanation, PbsLevel};
use crate::rules::policy::{self, ColumnId, Policy};

/// The usage at which PBS starts every node.
const INITIAL_USAGE: f64 = 1.0;

/// Returns the sentence, then the target, the effective usage, the factor and the order without a formula.
pub(super) fn lines(
    view: &View<'_>,
    outer: &policy::Explanation,
    explanation: &PbsExplanation,
) -> Vec<Line> {
    let mut lines = vec![sentence(view, outer, explanation)];
    let Some(last) = explanation.levels.last() else {
        return lines;
    };
    let nodes = explanation.levels.iter().map(|level| level.node);
    let steps = Steps::new(view, nodes.collect());

    lines.push(Line::default());
    lines.push(heading(
        "Target",
        &sentence!(
            "fairshare_perc = shares / shares of the level × the {}'s target",
            view.settings.noun().one
        ),
    ));
    steps.each(&mut lines, |index, label| {
        let level = &explanation.levels[index];
        let above = index
            .checked_sub(1)
            .map(|above| explanation.levels[above].fairshare_perc);
        target(level, label, above)
    });

    let is_walk = view.policy == Policy::PbsWalk;
    if is_walk {
        order(&mut lines, &steps, explanation);
    }
    lines.push(heading(
        "Effective usage",
        &sentence!(
            "fairshare_tree_usage = own + (the {}'s - own) × portion of the level",
            view.settings.noun().one
        ),
    ));
    steps.each(&mut lines, |index, label| {
        effective(
            &explanation.levels[index],
            label,
            explanation.root_usage,
            index == 0,
        )
    });

    lines.push(heading(
        "Factor",
        "fairshare_factor = 2^-(fairshare_tree_usage / fairshare_perc)",
    ));
    lines.push(factor(last, &steps.label(last.node)));

    if !is_walk {
        order(&mut lines, &steps, explanation);
    }
    let levels = explanation.levels.iter();
    let mut usage = levels.map(|level| view.tree.usage(level.node));
    if usage.any(|usage| usage.amount().is_none()) {
        let effect = initial_usage(explanation, last).into_iter();
        lines.extend(effect.map(|text| Line::of(Emphasis::Dim, text)));
    }
    lines
}

/// Adds the order without a formula, level by level.
fn order(lines: &mut Vec<Line>, steps: &Steps, explanation: &PbsExplanation) {
    lines.push(heading(
        "Without a job_sort_formula",
        "usage / fairshare_perc, level by level from the top; the smaller runs first",
    ));
    steps.each(lines, |index, label| {
        walk(&explanation.levels[index], label)
    });
}

/// Returns the effect of PBS's initial usage on the numbers. `None` if the digits shown are the same without it.
fn initial_usage(explanation: &PbsExplanation, last: &PbsLevel) -> Option<Shown> {
    let note = "PBS starts every node at usage 1 and adds what was recorded below it";
    let Some(documented) = explanation.without_initial_usage else {
        return Some(sentence!("{note}."));
    };
    let without = [documented.fairshare_tree_usage, documented.fairshare_factor];
    let with = [f64::from(last.fairshare_tree_usage), last.fairshare_factor];
    let [usage, factor] = without.map(fraction);
    (with.map(fraction) != [usage.clone(), factor.clone()]).then(|| {
        sentence!("{note}; without that 1 the tree usage would be {usage} and the factor {factor}.")
    })
}

fn target(level: &PbsLevel, label: &str, above: Option<f32>) -> Line {
    let portion = percent(f64::from(level.group_percentage));
    let word = word_for(level.family_shares, "share", "shares");
    let line = if above == Some(0.0) {
        return Line::from(sentence!("{label}below a target of 0% all targets are "))
            .and(Emphasis::Strong, percent(f64::from(level.fairshare_perc)));
    } else if level.family_shares == 0 {
        Line::from(sentence!("{label}the shares of its level add up to 0: "))
    } else {
        Line::from(sentence!(
            "{label}{} / {} {word} = ",
            grouped(level.shares),
            grouped(level.family_shares)
        ))
    };
    let Some(above) = above else {
        return line.and(Emphasis::Strong, portion);
    };
    let above = percent(f64::from(above));
    line.and(
        Emphasis::Plain,
        sentence!("{portion}; {portion} × {above} = "),
    )
    .and(Emphasis::Strong, percent(f64::from(level.fairshare_perc)))
}

fn effective(level: &PbsLevel, label: &str, root_usage: f64, is_top: bool) -> Line {
    let own = fraction(f64::from(level.own_usage));
    let emphasis = against(
        f64::from(level.fairshare_tree_usage),
        f64::from(level.fairshare_perc),
    );
    let line = Line::from(sentence!(
        "{label}{} / {} = ",
        amount(level.usage),
        amount(root_usage)
    ));
    if is_top {
        return line.and(emphasis, own);
    }
    line.and(
        Emphasis::Plain,
        sentence!(
            "{own}; {own} + ({} - {own}) × {} = ",
            fraction(f64::from(level.parent_tree_usage)),
            fraction(f64::from(level.group_percentage)),
        ),
    )
    .and(emphasis, fraction(f64::from(level.fairshare_tree_usage)))
}

fn factor(level: &PbsLevel, label: &str) -> Line {
    let result = fraction(level.fairshare_factor);
    if level.fairshare_perc == 0.0 {
        return Line::from(sentence!("{label}a target of 0% gives ")).and(Emphasis::Strong, result);
    }
    Line::from(sentence!(
        "{label}2^-({} / {}) = ",
        fraction(f64::from(level.fairshare_tree_usage)),
        fraction(f64::from(level.fairshare_perc)),
    ))
    .and(Emphasis::Strong, result)
}

fn walk(level: &PbsLevel, label: &str) -> Line {
    let line = if level.fairshare_perc == 0.0 {
        Line::from(sentence!("{label}a target of 0% ranks last"))
    } else {
        Line::from(sentence!(
            "{label}{} / {} = ",
            amount(level.usage),
            fraction(f64::from(level.fairshare_perc)),
        ))
        .and(Emphasis::Strong, amount(level.usage_over_perc))
    };
    let standing = among(
        level.siblings_ahead,
        level.sibling_count,
        level.siblings_tied,
    );
    line.and(Emphasis::Dim, sentence!("; {standing}"))
}

/// Returns the explanation as an admin would give it to a user.
fn sentence(view: &View<'_>, outer: &policy::Explanation, explanation: &PbsExplanation) -> Line {
    let node = explanation.node;
    let name = view.label(node);
    let Some(level) = explanation.levels.last() else {
        return unexplained(view, explanation, &name);
    };
    let opening = Line::of(Emphasis::Strong, name).and(
        Emphasis::Plain,
        sentence!("{}: ", rank_in_words(view, outer)),
    );
    if level.fairshare_perc == 0.0 {
        return opening.and(Emphasis::Plain, no_share(view, explanation));
    }
    if explanation.root_usage <= INITIAL_USAGE {
        let text = "nobody has used anything. PBS starts every node at usage 1, so the larger target ranks first.";
        return opening.and(Emphasis::Plain, text);
    }
    if view.policy == Policy::PbsWalk {
        return opening.and(Emphasis::Plain, standing(view, explanation));
    }
    let parent = view.tree.parent(node).unwrap_or(NodeId::ROOT);
    if parent != NodeId::ROOT
        && let Some(text) = inherited(view, level, parent)
    {
        return opening.and(Emphasis::Plain, text);
    }
    let of_what = if parent == NodeId::ROOT {
        sentence!("all {}", amount(explanation.root_usage))
    } else {
        let usage = view.evaluation.number(ColumnId::Usage, parent);
        sentence!(
            "{}'s {}",
            view.label(parent),
            amount(usage.unwrap_or(f64::NAN))
        )
    };
    let used = if has_used(view, level.node) {
        sentence!("it has used {} of {of_what}", amount(level.usage))
    } else if view.tree.kind(node) == Kind::Account {
        "it has used nothing".into()
    } else {
        "it has used nothing itself".into()
    };
    opening
        .and(
            Emphasis::Plain,
            sentence!("{used}, and its effective usage "),
        )
        .and(
            against(
                f64::from(level.fairshare_tree_usage),
                f64::from(level.fairshare_perc),
            ),
            fraction(f64::from(level.fairshare_tree_usage)),
        )
        .and(
            Emphasis::Plain,
            sentence!(
                " is {} its target {}.",
                times(
                    f64::from(level.fairshare_tree_usage),
                    f64::from(level.fairshare_perc),
                ),
                fraction(f64::from(level.fairshare_perc)),
            ),
        )
}

/// Returns the position of a node in the walk: the topmost group with siblings ahead, and the sibling just ahead of the node.
fn standing(view: &View<'_>, explanation: &PbsExplanation) -> Shown {
    let place = |level: &PbsLevel| {
        let ahead = level.sibling_ahead?;
        Some(sentence!(
            "{} of {} siblings, just behind {}",
            ordinal(level.siblings_ahead + 1),
            grouped(level.sibling_count + 1),
            view.label(ahead)
        ))
    };
    let Some((own, above)) = explanation.levels.split_last() else {
        return Shown::default();
    };
    let cause = above.iter().find_map(|level| {
        Some(sentence!(
            "it is held back by {}, which has used {} of all usage, target {} ({}).",
            view.label(level.node),
            percent(f64::from(level.own_usage)),
            percent(f64::from(level.fairshare_perc)),
            place(level)?
        ))
    });
    let inside = own.sibling_ahead.zip(place(own)).map(|(ahead, place)| {
        let column = ColumnId::UsageOverPerc;
        let [number, other] = neighbours::numbers(view, column, [own.node, ahead]);
        let parent = view.tree.parent(own.node).unwrap_or(NodeId::ROOT);
        let account = view.label(parent);
        sentence!("{account}, it is {place} (usage/perc {number} against {other}).")
    });
    match (cause, inside) {
        (Some(cause), Some(inside)) => sentence!("{cause} Inside {inside}"),
        (Some(cause), None) => cause,
        (None, Some(inside)) => sentence!("inside {inside}"),
        (None, None) => "first of its siblings on every level of its path.".into(),
    }
}

/// Returns the sentence for a node without levels: the root, or a node that the policy gives no numbers.
fn unexplained(view: &View<'_>, explanation: &PbsExplanation, name: &Shown) -> Line {
    if explanation.node == NodeId::ROOT {
        let users = counted(view.tree.user_count(), "user", "users");
        return Line::of(Emphasis::Strong, name).and(
            Emphasis::Plain,
            sentence!(
                " is the root: all of the shares, usage {} in all, {users} below it.",
                amount(explanation.root_usage)
            ),
        );
    }
    Line::of(Emphasis::Strong, name).and(Emphasis::Plain, without_numbers(view))
}

/// Whether any usage was recorded for the node or below it.
fn has_used(view: &View<'_>, node: NodeId) -> bool {
    match view.tree.kind(node) {
        Kind::User => view
            .tree
            .usage(node)
            .amount()
            .is_some_and(|amount| amount != 0.0),
        Kind::Account => {
            let usage = view.evaluation.number(ColumnId::Usage, node);
            usage.is_none_or(|usage| usage > INITIAL_USAGE)
        }
    }
}

/// Returns the meaning of a target of 0 %.
fn no_share(view: &View<'_>, explanation: &PbsExplanation) -> Shown {
    let first = explanation
        .levels
        .iter()
        .find(|level| level.fairshare_perc == 0.0);
    let cause = match first {
        Some(level) => {
            let is_itself = level.node == explanation.node;
            let whose = if is_itself {
                "its".into()
            } else {
                sentence!("{}'s", view.label(level.node))
            };
            match (level.shares, level.family_shares) {
                (0, _) if is_itself => "it has no shares".into(),
                (0, _) => sentence!("{} above it has no shares", view.label(level.node)),
                (_, 0) => {
                    sentence!("the shares of {whose} level overflow PBS's 32 bits and add up to 0")
                }
                _ => sentence!("{whose} portion of the tree is too small for PBS's 32-bit numbers"),
            }
        }
        None => "it has no shares".into(),
    };
    let period = view.settings.pbs.fair_share.period();
    let end = match (explanation.never_runs, period) {
        (true, None) => {
            "and PBS never runs its jobs while fairshare_enforce_no_shares is true".into()
        }
        (true, Some(period)) => sentence!(
            "and PBS runs none of its jobs in {period} time while fairshare_enforce_no_shares is true"
        ),
        (false, _) if view.policy == Policy::PbsWalk => {
            "and it ranks after every sibling with a target".into()
        }
        (false, _) => "and it ranks after every node with a target".into(),
    };
    sentence!("{cause}, so its target is 0%, its factor is 0, {end}.")
}

/// Returns the sentence for a node whose effective usage comes mostly from its account.
fn inherited(view: &View<'_>, level: &PbsLevel, parent: NodeId) -> Option<Shown> {
    let own_part = level.own_usage * (1.0 - level.group_percentage);
    let account_part = level.parent_tree_usage * level.group_percentage;
    let sibling = level.heaviest_sibling?;
    let usage = |node| view.evaluation.number(ColumnId::Usage, node);
    let sibling_usage = usage(sibling)?;
    if account_part <= own_part || sibling_usage <= level.usage {
        return None;
    }
    let used = if has_used(view, level.node) {
        sentence!("it has used {} itself", amount(level.usage))
    } else {
        "it has used nothing itself".into()
    };
    let account = view.label(parent);
    Some(sentence!(
        "{used}, but {} of {account}'s effective usage ({}) counts against it. {}, in the same {}, has used {} of \
         {account}'s {}.",
        percent(f64::from(level.group_percentage)),
        fraction(f64::from(level.parent_tree_usage)),
        view.label(sibling),
        view.settings.noun().one,
        amount(sibling_usage),
        amount(usage(parent)?),
    ))
}
