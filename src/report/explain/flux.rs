//! Flux's numbers in words.

use super::standing::{holding_back, rank_in_words};
use super::steps::Steps;
use super::{Emphasis, Line, heading, without_numbers};
use crate::base::number::{amount, counted, fraction, ordinal, percent, ratio, word_for};
use crate::base::shown::{Shown, sentence};
use crate::model::{Kind, NodeId};
use crate::report::View;
use crate::rules::policy::flux::{LEAST_USAGE, UNUSED_WEIGHT};
use crate::rules::policy::{ColumnId, Explanation, Level};

/// Returns the sentence, then the weight of every level, and the fair-share.
pub(super) fn lines(view: &View<'_>, explanation: &Explanation, levels: &[Level]) -> Vec<Line> {
    let mut lines = vec![sentence(view, explanation, levels)];
    if levels.is_empty() {
        return lines;
    }
    let steps = Steps::new(view, levels.iter().map(|level| level.node).collect());
    lines.push(Line::default());
    lines.push(heading(
        "Weight",
        "(shares / shares of the level) / (usage / usage of the level); the higher weight ranks first",
    ));
    steps.each(&mut lines, |index, label| {
        weight(view, &levels[index], label)
    });
    if levels.iter().any(|level| level.is_usage_cut) {
        let note =
            "Flux stores the usage of a level as a whole number: each addition drops the fraction.";
        lines.push(Line::of(Emphasis::Dim, note));
    }
    if levels.iter().any(|level| level.has_wrapped) {
        let note = "Flux stores the shares of a level in 64 bits: their sum overflows.";
        lines.push(Line::of(Emphasis::Dim, note));
    }
    lines.push(heading(
        "Visited",
        "level by level from the top; tied banks are visited together",
    ));
    steps.each(&mut lines, |index, label| {
        visited(view, &levels[index], label)
    });
    if let Some(standing) = FluxRank::of(view, explanation) {
        lines.push(heading(
            "Fair-share",
            "the counter over all users; it starts at their number and falls by 1 with every user visited",
        ));
        lines.push(
            Line::from(sentence!(
                "{}{} / {} = ",
                steps.label(explanation.node),
                amount(standing.counter),
                amount(standing.users)
            ))
            .and(Emphasis::Strong, fraction(standing.factor)),
        );
        let note = "Users that tie share the higher counter. Flux stores the fair-share rounded to 6 decimals, as here.";
        lines.push(Line::of(Emphasis::Dim, note));
    }
    lines
}

/// The counter and the factor that Flux's walk assigned to a user.
struct FluxRank {
    counter: f64,
    /// The number of users in Flux's tree, which leaves out inactive ones.
    users: f64,
    factor: f64,
}

impl FluxRank {
    fn of(view: &View<'_>, explanation: &Explanation) -> Option<Self> {
        let counter = view
            .evaluation
            .number(ColumnId::SchedulerRank, explanation.node)?;
        Some(Self {
            counter,
            // The counter falls as the rank rises: their sum is the number of users plus one.
            users: counter + f64::from(explanation.rank?) - 1.0,
            factor: view.evaluation.number(ColumnId::Factor, explanation.node)?,
        })
    }
}

fn number(view: &View<'_>, column: ColumnId, node: NodeId) -> f64 {
    view.evaluation.number(column, node).unwrap_or(f64::NAN)
}

/// Returns a weight in digits; without usage it has twenty of them.
pub(super) fn figures(weight: f64) -> Shown {
    if weight.to_bits() == UNUSED_WEIGHT.to_bits() {
        "2^64".into()
    } else {
        ratio(weight)
    }
}

fn is_unused(usage: f64) -> bool {
    usage.abs() < LEAST_USAGE
}

fn weight(view: &View<'_>, level: &Level, label: &str) -> Line {
    let node = level.node;
    let weight = figures(number(view, ColumnId::Weight, node));
    let usage = number(view, ColumnId::Usage, node);
    if level.shares.count() == Some(0) {
        return Line::from(sentence!("{label}no shares give ")).and(Emphasis::Strong, weight);
    }
    if is_unused(usage) {
        return Line::from(sentence!("{label}shares without usage give "))
            .and(Emphasis::Strong, weight);
    }
    let shares = level.shares.count().unwrap_or(0).cast_unsigned();
    let portion = |column| fraction(number(view, column, node));
    let (share, used) = (
        portion(ColumnId::WeightedShares),
        portion(ColumnId::WeightedUsage),
    );
    let word = word_for(level.family_shares, "share", "shares");
    Line::from(sentence!(
        "{label}{} / {} {word} = {share}; {} / {} usage = {used}; {share} / {used} = ",
        amount(shares as f64),
        amount(level.family_shares as f64),
        amount(usage),
        amount(level.family_usage),
    ))
    .and(Emphasis::Strong, weight)
}

fn visited(view: &View<'_>, level: &Level, label: &str) -> Line {
    if level.sibling_count == 0 {
        return Line::from(sentence!("{label}alone on its level"));
    }
    let standing = sentence!(
        "{label}{} of {} on its level",
        ordinal(level.siblings_ahead + 1),
        amount((level.sibling_count + 1) as f64)
    );
    let line = Line::from(standing);
    if level.siblings_tied == 0 {
        return match level.sibling_ahead {
            Some(ahead) => line.and(
                Emphasis::Dim,
                sentence!("; just behind {}", view.label(ahead)),
            ),
            None => line,
        };
    }
    let others = counted(level.siblings_tied, "sibling", "siblings");
    let tie = if view.tree.kind(level.node) == Kind::Account {
        sentence!("; a tie with {others}: their members are ranked as one list")
    } else {
        sentence!("; a tie with {others}")
    };
    line.and(Emphasis::Dim, tie)
}

/// Returns which bank above holds the node back, as a sentence; empty if none does.
fn held_back(view: &View<'_>, levels: &[Level]) -> Shown {
    let Some(level) = holding_back(levels) else {
        return Shown::default();
    };
    let name = view.label(level.node);
    if level.shares.count() == Some(0) {
        return sentence!(" It is held back by {name}, which has no shares.");
    }
    let portion = |column| percent(number(view, column, level.node));
    sentence!(
        " It is held back by {name}, which has used {} of its level, target {}.",
        portion(ColumnId::WeightedUsage),
        portion(ColumnId::WeightedShares)
    )
}

/// Returns the explanation as an admin would give it to a user.
fn sentence(view: &View<'_>, explanation: &Explanation, levels: &[Level]) -> Line {
    let node = explanation.node;
    let name = Line::of(Emphasis::Strong, view.label(node));
    let Some(level) = levels.last() else {
        let text = if node == NodeId::ROOT {
            sentence!(
                " is the root: usage {} in all, {} below it; it has no weight.",
                amount(number(view, ColumnId::Usage, node)),
                counted(explanation.user_count, "user", "users"),
            )
        } else {
            without_numbers(view)
        };
        return name.and(Emphasis::Plain, text);
    };
    let opening = sentence!("{}: ", rank_in_words(view, explanation));
    let weight = number(view, ColumnId::Weight, node);
    let shares = number(view, ColumnId::WeightedShares, node);
    let used = number(view, ColumnId::WeightedUsage, node);
    let usage = number(view, ColumnId::Usage, node);
    let line = name.and(Emphasis::Plain, opening);
    let held_back = held_back(view, levels);
    if level.shares.count() == Some(0) {
        let is_last = level.sibling_count > 0 && level.siblings_tied < level.sibling_count;
        let place = if is_last {
            " and it ranks last on its level"
        } else {
            ""
        };
        let text = sentence!("it has no shares, so its weight is 0{place}.{held_back}");
        return line.and(Emphasis::Plain, text);
    }
    if is_unused(usage) {
        let text = sentence!(
            "it has used nothing, so its weight is 2^64 and no sibling is ahead.{held_back}"
        );
        return line.and(Emphasis::Plain, text);
    }
    let emphasis = if used > shares {
        Emphasis::Over
    } else if used < shares {
        Emphasis::Under
    } else {
        Emphasis::Plain
    };
    line.and(Emphasis::Plain, "it has used ")
        .and(emphasis, percent(used))
        .and(
            Emphasis::Plain,
            sentence!(
                " of its level, target {}, so its weight is {}.{held_back}",
                percent(shares),
                figures(weight)
            ),
        )
}
