//! Flux's numbers in words.

use super::why::{
    self, Derivation, Step, Why, against, number, opening, others_used_less, without_numbers,
};
use crate::base::number::{amount, counted, flux_weight, fraction, ordinal, percent, word_for};
use crate::base::shown::{Shown, sentence};
use crate::model::{Kind, NodeId};
use crate::report::View;
use crate::report::render::line::Line;
use crate::rules::policy::flux::{LEAST_USAGE, UNUSED_WEIGHT};
use crate::rules::policy::{ColumnId, Explanation, Level, holding_back};

pub(super) fn why(view: &View<'_>, explanation: &Explanation, levels: &[Level]) -> Why {
    let sentence = sentence(view, explanation, levels);
    if levels.is_empty() {
        return (sentence, Vec::new());
    }
    let formula = "(shares / shares of the level) / (usage / usage of the level); the higher weight ranks first";
    let mut weights = Derivation::of("Weight", formula).along(levels, |level| weight(view, level));
    if levels.iter().any(|level| level.is_usage_cut) {
        weights = weights.noting(
            "Flux stores the usage of a level as a whole number: each addition drops the fraction.",
        );
    }
    if levels.iter().any(|level| level.has_wrapped) {
        weights =
            weights.noting("Flux stores the shares of a level in 64 bits: their sum overflows.");
    }
    let order = "level by level from the top; tied banks are visited together";
    let visited = Derivation::of("Visited", order).along(levels, |level| visited(view, level));
    let derivations = [weights, visited].into_iter();
    let derivations = derivations.chain(fair_share(view, explanation));
    (sentence, derivations.collect())
}

/// Returns shares, usage and what comes of them, a line each.
pub(super) fn in_brief(view: &View<'_>, levels: &[Level]) -> Vec<Line> {
    vec![
        why::in_brief("Shares", levels, |level| shares(view, level)),
        why::in_brief("Usage", levels, |level| usage(view, level)),
        why::in_brief("Weight", levels, |level| weight(view, level)),
    ]
}

fn fair_share(view: &View<'_>, explanation: &Explanation) -> Option<Derivation> {
    let node = explanation.node;
    let counter = view.evaluation.number(ColumnId::SchedulerRank, node)?;
    let factor = view.evaluation.number(ColumnId::Factor, node)?;
    // The counter falls as the rank rises: their sum is the number of users in Flux's tree, which leaves out inactive
    // ones, plus one.
    let users = counter + f64::from(explanation.rank?) - 1.0;
    let inputs = sentence!("{} / {} = ", amount(counter), amount(users));
    let step = Step::of(view.label(node), inputs).gives(fraction(factor));
    let formula = "the counter over all users; it starts at their number and falls by 1 with every user visited";
    let note = "Users that tie share the higher counter. Flux stores the fair-share rounded to 6 decimals, as here.";
    let derivation = Derivation::of("Fair-share", formula).with([step]);
    Some(derivation.noting(note))
}

/// Returns a weight in digits; without usage it has twenty of them.
pub(super) fn figures(weight: f64) -> Shown {
    if weight.to_bits() == UNUSED_WEIGHT.to_bits() {
        "2^64".into()
    } else {
        flux_weight(weight)
    }
}

fn is_unused(usage: f64) -> bool {
    usage.abs() < LEAST_USAGE
}

fn weight(view: &View<'_>, level: &Level) -> Step {
    let node = level.node;
    let usage = number(view, ColumnId::Usage, node);
    let name = view.label(node);
    let step = if level.shares.count() == Some(0) {
        Step::of(name, "no shares give ")
    } else if is_unused(usage) {
        Step::of(name, "shares without usage give ")
    } else {
        let portion = |column| fraction(number(view, column, node));
        let share = portion(ColumnId::WeightedShares);
        let used = portion(ColumnId::WeightedUsage);
        let first = [shares(view, level), self::usage(view, level)];
        let [shares, usage] = first.map(|step| step.computation());
        Step::of(name, sentence!("{share} / {used} = ")).after(sentence!("{shares}; {usage}; "))
    };
    step.gives(figures(number(view, ColumnId::Weight, node)))
}

fn shares(view: &View<'_>, level: &Level) -> Step {
    let own = level.shares.count().unwrap_or(0).cast_unsigned();
    let word = word_for(level.family_shares, "share", "shares");
    let [own, all] = [own, level.family_shares].map(|count| amount(count as f64));
    let portion = number(view, ColumnId::WeightedShares, level.node);
    Step::of(view.label(level.node), sentence!("{own} / {all} {word} = ")).gives(fraction(portion))
}

fn usage(view: &View<'_>, level: &Level) -> Step {
    let own = number(view, ColumnId::Usage, level.node);
    let name = view.label(level.node);
    if is_unused(own) {
        return Step::of(name, "has used nothing");
    }
    let [own, all] = [own, level.family_usage].map(amount);
    let portion = number(view, ColumnId::WeightedUsage, level.node);
    Step::of(name, sentence!("{own} / {all} usage = ")).gives(fraction(portion))
}

fn visited(view: &View<'_>, level: &Level) -> Step {
    let name = view.label(level.node);
    if level.sibling_count == 0 {
        return Step::of(name, "alone on its level");
    }
    let place = ordinal(level.siblings_ahead + 1);
    let all = amount((level.sibling_count + 1) as f64);
    let step = Step::of(name, sentence!("{place} of {all} on its level"));
    if level.siblings_tied == 0 {
        return match level.sibling_ahead {
            Some(ahead) => step.noting(sentence!("just behind {}", view.label(ahead))),
            None => step,
        };
    }
    let others = counted(level.siblings_tied, "sibling", "siblings");
    let members = match view.tree.kind(level.node) {
        Kind::Account => ": their members are ranked as one list",
        Kind::User | Kind::Others => "",
    };
    step.noting(sentence!("a tie with {others}{members}"))
}

fn held_back(view: &View<'_>, levels: &[Level]) -> Shown {
    let Some(level) = holding_back(levels) else {
        return Shown::default();
    };
    let name = view.label(level.node);
    if level.shares.count() == Some(0) {
        return sentence!(" It is held back by {name}, which has no shares.");
    }
    let columns = [ColumnId::WeightedUsage, ColumnId::WeightedShares];
    let [used, target] = columns.map(|column| number(view, column, level.node));
    let others = others_used_less(view, level, used > target);
    let [used, target] = [used, target].map(percent);
    sentence!(
        " It is held back by {name}, which has used {used} of its level, target {target}{others}."
    )
}

fn sentence(view: &View<'_>, explanation: &Explanation, levels: &[Level]) -> Line {
    let node = explanation.node;
    let Some(level) = levels.last() else {
        let text = if node == NodeId::ROOT {
            let usage = amount(number(view, ColumnId::Usage, node));
            let users = counted(explanation.user_count, "user", "users");
            sentence!(" is the root: usage {usage} in all, {users} below it; it has no weight.")
        } else {
            without_numbers(view)
        };
        return Line::strong(view.label(node)).plain(text);
    };
    let line = opening(view, explanation);
    let weight = number(view, ColumnId::Weight, node);
    let shares = number(view, ColumnId::WeightedShares, node);
    let used = number(view, ColumnId::WeightedUsage, node);
    let usage = number(view, ColumnId::Usage, node);
    let held_back = held_back(view, levels);
    if level.shares.count() == Some(0) {
        let place = if level.siblings_tied < level.sibling_count {
            " and it ranks last on its level"
        } else {
            ""
        };
        let text = sentence!("it has no shares, so its weight is 0{place}.{held_back}");
        return line.plain(text);
    }
    if is_unused(usage) {
        let text = "it has used nothing, so its weight is 2^64 and no sibling is ahead.";
        return line.plain(sentence!("{text}{held_back}"));
    }
    let (target, weight) = (percent(shares), figures(weight));
    line.plain("it has used ")
        .and(against(used, shares), percent(used))
        .plain(sentence!(
            " of its level, target {target}, so its weight is {weight}.{held_back}"
        ))
}
