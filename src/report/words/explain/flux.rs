//! Flux's numbers in words.
//!
//! Banks and users are visited level by level, the highest weight first; what a user gets is its place among the visits.
//! Without usage a weight is 2^64, without shares 0.

use super::why::{
    self, Derivation, PathLevel, Step, Why, against, number, opening, others_used_less,
    without_numbers,
};
use crate::base::number::{amount, counted, flux_weight, fraction, ordinal, percent, word_for};
use crate::base::shown::{Shown, sentence};
use crate::model::{Kind, NodeId};
use crate::report::View;
use crate::report::render::line::Line;
use crate::rules::policy::flux::{LEAST_USAGE, UNUSED_WEIGHT};
use crate::rules::policy::{ColumnId, Explanation, Level, holding_back};

/// Returns why a node has its rank.
pub(super) fn why(view: &View<'_>, explanation: &Explanation) -> Why {
    let levels = &explanation.levels;
    let sentence = sentence(view, explanation);
    if levels.is_empty() {
        return sentence.into();
    }
    let path = PathLevel::path(view, levels);
    let formula = "(shares / shares of the level) / (usage / usage of the level); the higher weight ranks first";
    let mut weights = Derivation::of("Weight", formula).along(&path, weight);
    if levels.iter().any(|level| level.is_usage_cut) {
        let note =
            "Flux stores the usage of a level as a whole number: each addition drops the fraction.";
        weights = weights.noting(note);
    }
    if levels.iter().any(|level| level.has_wrapped) {
        let note = "Flux stores the shares of a level in 64 bits: their sum overflows.";
        weights = weights.noting(note);
    }
    let order = "level by level from the top; tied banks are visited together";
    let visits = Derivation::of("Visited", order).along(&path, visited);
    let mut derivations = vec![weights, visits];
    derivations.extend(fair_share(view, explanation));
    Why {
        sentence,
        derivations,
    }
}

/// Returns shares, usage and what comes of them, a line each.
pub(super) fn in_brief(view: &View<'_>, levels: &[Level]) -> Vec<Line> {
    let path = PathLevel::path(view, levels);
    vec![
        why::in_brief("Shares", &path, shares),
        why::in_brief("Usage", &path, usage),
        why::in_brief("Weight", &path, weight),
    ]
}

/// Returns how a user's fair-share follows from the visits; `None` without a rank.
fn fair_share(view: &View<'_>, explanation: &Explanation) -> Option<Derivation> {
    let node = explanation.node;
    let rank = f64::from(explanation.rank?);
    let evaluation = view.evaluation;
    let counter = evaluation.number(ColumnId::SchedulerRank, node)?;
    let factor = evaluation.number(ColumnId::Factor, node)?;
    // The counter falls as the rank rises: their sum is the number of users in Flux's tree, which leaves out inactive
    // ones, plus one.
    let users = amount(counter + rank - 1.0);
    let counter = amount(counter);
    let name = view.label(node);
    let step = Step::of(name, sentence!("{counter} / {users} = "));
    let formula = "the counter over all users; it starts at their number and falls by 1 with every user visited";
    let note = "Users that tie share the higher counter. Flux stores the fair-share rounded to 6 decimals, as here.";
    let derivation = Derivation::of("Fair-share", formula);
    let with_step = derivation.with([step.gives(fraction(factor))]);
    Some(with_step.noting(note))
}

/// Returns a weight in digits; without usage it has twenty of them.
pub(super) fn figures(weight: f64) -> Shown {
    if weight.to_bits() == UNUSED_WEIGHT.to_bits() {
        return "2^64".into();
    }
    flux_weight(weight)
}

/// Returns whether Flux takes a usage for none.
const fn is_unused(usage: f64) -> bool {
    usage.abs() < LEAST_USAGE
}

/// Returns the weight of a level.
fn weight(level: &PathLevel<'_>) -> Step {
    let step = if level.own.shares.count() == Some(0) {
        level.step("no shares give ")
    } else if is_unused(level.usage()) {
        level.step("shares without usage give ")
    } else {
        let share = level.fraction(ColumnId::WeightedShares);
        let used = level.fraction(ColumnId::WeightedUsage);
        let of_shares = shares(level).computation();
        let of_usage = usage(level).computation();
        let step = level.step(sentence!("{share} / {used} = "));
        step.after(sentence!("{of_shares}; {of_usage}; "))
    };
    let weight = level.number(ColumnId::Weight);
    step.gives(figures(weight))
}

/// Returns the portion of the shares of a level.
fn shares(level: &PathLevel<'_>) -> Step {
    let own = level.own.shares.count().unwrap_or(0);
    let count = own.cast_unsigned();
    let all = level.own.family_shares;
    let word = word_for(all, "share", "shares");
    let own_shares = amount(count as f64);
    let all_shares = amount(all as f64);
    let step = level.step(sentence!("{own_shares} / {all_shares} {word} = "));
    step.gives(level.fraction(ColumnId::WeightedShares))
}

/// Returns the portion of the usage of a level.
fn usage(level: &PathLevel<'_>) -> Step {
    let usage = level.usage();
    if is_unused(usage) {
        return level.step("has used nothing");
    }
    let own = amount(usage);
    let all = amount(level.own.family_usage);
    let step = level.step(sentence!("{own} / {all} usage = "));
    step.gives(level.fraction(ColumnId::WeightedUsage))
}

/// Returns when a node is visited on its level.
fn visited(level: &PathLevel<'_>) -> Step {
    let own = level.own;
    let view = level.view;
    if own.sibling_count == 0 {
        return level.step("alone on its level");
    }
    let place = ordinal(own.siblings_ahead + 1);
    let all = amount((own.sibling_count + 1) as f64);
    let step = level.step(sentence!("{place} of {all} on its level"));
    if own.siblings_tied == 0 {
        return match own.sibling_ahead {
            Some(ahead) => {
                let name = view.label(ahead);
                step.noting(sentence!("just behind {name}"))
            }
            None => step,
        };
    }
    let others = counted(own.siblings_tied, "sibling", "siblings");
    let members = match view.tree.kind(own.node) {
        Kind::Account => ": their members are ranked as one list",
        Kind::User | Kind::Others => "",
    };
    step.noting(sentence!("a tie with {others}{members}"))
}

/// Returns which bank above holds the node back, as a sentence; empty if none does.
fn held_back(view: &View<'_>, levels: &[Level]) -> Shown {
    let Some(own) = holding_back(levels) else {
        return Shown::default();
    };
    let level = PathLevel { view, own };
    let name = level.name();
    if own.shares.count() == Some(0) {
        return sentence!(" It is held back by {name}, which has no shares.");
    }
    let used = level.number(ColumnId::WeightedUsage);
    let target = level.number(ColumnId::WeightedShares);
    let others = others_used_less(view, own, used > target);
    let used_part = percent(used);
    let target_part = percent(target);
    sentence!(
        " It is held back by {name}, which has used {used_part} of its level, target {target_part}{others}."
    )
}

/// Returns the sentence of a node: its rank, and its weight.
fn sentence(view: &View<'_>, explanation: &Explanation) -> Line {
    let levels = &explanation.levels;
    let path = PathLevel::path(view, levels);
    let Some(level) = path.last() else {
        return without_level(view, explanation);
    };
    let line = opening(view, explanation);
    let held_back = held_back(view, levels);
    if level.own.shares.count() == Some(0) {
        let place = if level.own.siblings_tied < level.own.sibling_count {
            " and it ranks last on its level"
        } else {
            ""
        };
        return line.plain(sentence!(
            "it has no shares, so its weight is 0{place}.{held_back}"
        ));
    }
    if is_unused(level.usage()) {
        return line.plain(sentence!(
            "it has used nothing, so its weight is 2^64 and no sibling is ahead.{held_back}"
        ));
    }
    let shares = level.number(ColumnId::WeightedShares);
    let used = level.number(ColumnId::WeightedUsage);
    let target = percent(shares);
    let number = level.number(ColumnId::Weight);
    let weight = figures(number);
    line.plain("it has used ")
        .and(against(used, shares), percent(used))
        .plain(sentence!(
            " of its level, target {target}, so its weight is {weight}.{held_back}"
        ))
}

/// Returns the sentence of the root, or of a node without numbers.
fn without_level(view: &View<'_>, explanation: &Explanation) -> Line {
    let node = explanation.node;
    let name = Line::strong(view.label(node));
    if node != NodeId::ROOT {
        return name.plain(without_numbers(view));
    }
    let usage = amount(number(view, ColumnId::Usage, node));
    let users = counted(explanation.user_count, "user", "users");
    name.plain(sentence!(
        " is the root: usage {usage} in all, {users} below it; it has no weight."
    ))
}
