//! Classic and depth-oblivious numbers in words.

use super::why::{
    self, Derivation, Step, Why, against, no_level_shares, number, opening, root, times,
};
use crate::base::extended::Extended;
use crate::base::number::{amount, fraction, grouped, percent, word_for};
use crate::base::shown::{Shown, sentence};
use crate::model::NodeId;
use crate::report::View;
use crate::report::render::line::Line;
use crate::rules::policy::{ColumnId, Explanation, Level, Policy, depth_oblivious};

pub(super) fn why(view: &View<'_>, explanation: &Explanation, levels: &[Level]) -> Why {
    let sentence = sentence(view, explanation, levels);
    let Some(last) = levels.last() else {
        return (sentence, Vec::new());
    };
    let account = view.settings.noun().one;
    let usage = match view.policy {
        Policy::DepthOblivious => sentence!(
            "Effectv Usage = R × r^k × target; R is the {account}'s Effectv Usage / target, r the node's usage / target \
             against that of its level"
        ),
        _ => sentence!("Effectv Usage = own + (the {account}'s - own) × portion of the level"),
    };
    let formula = if view.settings.slurm.dampening > 1 {
        "2^-(Effectv Usage / Norm Shares / FairShareDampeningFactor)"
    } else {
        "2^-(Effectv Usage / Norm Shares)"
    };
    let derivations = vec![
        targets(view, levels),
        Derivation::of("Effective usage", usage).along(levels, |level| effective(view, level)),
        Derivation::of("Factor", formula).with([factor(view, explanation, last)]),
    ];
    (sentence, derivations)
}

/// Returns shares, usage and what comes of them, a line each.
pub(super) fn in_brief(view: &View<'_>, explanation: &Explanation) -> Vec<Line> {
    let levels = &explanation.levels;
    let Some(last) = levels.last() else {
        return Vec::new();
    };
    vec![
        shares_in_brief(view, levels),
        why::line_in_brief("Effective usage", effective(view, last).computation()),
        why::line_in_brief("Factor", factor_in_brief(view, explanation, last)),
    ]
}

/// Returns what gives the factor, and whose numbers these are if they are not the node's.
fn factor_in_brief(view: &View<'_>, explanation: &Explanation, level: &Level) -> Shown {
    let computation = factor(view, explanation, level).computation();
    let counted = counted_node(view, explanation, level);
    if counted == level.node {
        return computation;
    }
    let counted = view.label(counted);
    sentence!("with shares `parent` {counted}'s numbers count: {computation}")
}

pub(super) fn shares_in_brief(view: &View<'_>, levels: &[Level]) -> Line {
    why::in_brief("Shares", levels, |level| target(view, level))
}

/// Returns the portion of the account's usage that counts for a node, if more than half of its effective usage comes from
/// there.
pub(super) fn inherited_portion(view: &View<'_>, level: &Level) -> Option<f64> {
    let of = |column| number(view, column, level.node);
    let is_most = of(ColumnId::EffectvUsage) > 2.0 * of(ColumnId::NormUsage);
    let inherits = view.policy == Policy::Classic && !level.shares.is_parent();
    (inherits && is_most).then(|| portion(level))
}

pub(super) fn targets(view: &View<'_>, levels: &[Level]) -> Derivation {
    let account = view.settings.noun().one;
    let formula =
        sentence!("Norm Shares = shares / shares of the level × the {account}'s Norm Shares");
    Derivation::of("Target", formula).along(levels, |level| target(view, level))
}

fn target(view: &View<'_>, level: &Level) -> Step {
    let target = |node| percent(number(view, ColumnId::NormShares, node));
    let name = view.label(level.node);
    let step = if let Some(shares) = level.shares.count() {
        if level.family_shares == 0 {
            Step::of(name, sentence!("{}: ", no_level_shares(level)))
        } else {
            let all = amount(level.family_shares as f64);
            let word = word_for(level.family_shares, "share", "shares");
            let inputs = sentence!("{} / {all} {word} = ", grouped(shares));
            match (percent(portion(level)), level.account) {
                (_, NodeId::ROOT) => Step::of(name, inputs),
                (portion, above) => Step::of(name, sentence!("{portion} × {} = ", target(above)))
                    .after(sentence!("{inputs}{portion}; ")),
            }
        }
    } else {
        let account = view.label(level.account);
        Step::of(name, sentence!("shares `parent`: it has {account}'s "))
    };
    let step = step.gives(target(level.node));
    if level.has_wrapped && level.shares.count().is_some() && level.family_shares > 0 {
        return step.noting("the sum of the level overflows, as in Slurm's 32 bits");
    }
    step
}

fn portion(level: &Level) -> f64 {
    match level.family_shares {
        0 => 0.0,
        total => level.shares.count().unwrap_or(0) as f64 / total as f64,
    }
}

fn effective(view: &View<'_>, level: &Level) -> Step {
    let of = |column, node| number(view, column, node);
    let effective = of(ColumnId::EffectvUsage, level.node);
    let emphasis = against(effective, of(ColumnId::NormShares, level.node));
    let total = of(ColumnId::Usage, NodeId::ROOT);
    let inputs = if total > 0.0 {
        let usage = of(ColumnId::Usage, level.node);
        sentence!("{} / {} = ", amount(usage), amount(total))
    } else {
        "nothing was used: ".into()
    };
    let name = view.label(level.node);
    let step = if level.account == NodeId::ROOT {
        Step::of(name, inputs)
    } else {
        let own = fraction(of(ColumnId::NormUsage, level.node));
        Step::of(name, from_account(view, level, &own)).after(sentence!("{inputs}{own}; "))
    };
    step.gives_as(emphasis, fraction(effective))
}

fn from_account(view: &View<'_>, level: &Level, own: &Shown) -> Shown {
    let of = |column, node| fraction(number(view, column, node));
    let account = view.label(level.account);
    if level.shares.is_parent() {
        return sentence!("with shares `parent` it has {account}'s ");
    }
    if view.policy == Policy::DepthOblivious {
        return match terms(view, level) {
            Some(terms) => {
                let [account_ratio, ratio, power] = terms.map(fraction);
                let target = of(ColumnId::NormShares, level.node);
                sentence!("{account_ratio} × {ratio}^{power} × {target} = ")
            }
            None => "without usage or target nothing is added: ".into(),
        };
    }
    if level.family_shares == 0 {
        return sentence!("as {}, it has {account}'s ", no_level_shares(level));
    }
    let above = of(ColumnId::EffectvUsage, level.account);
    let portion = fraction(portion(level));
    sentence!("{own} + ({above} - {own}) × {portion} = ")
}

/// Returns the account's ratio, the node's ratio relative to its level, and the exponent of the latter.
fn terms(view: &View<'_>, level: &Level) -> Option<[f64; 3]> {
    let of = |column, node| number(view, column, node);
    let [target, above] = [level.node, level.account].map(|node| of(ColumnId::NormShares, node));
    let account_ratio = of(ColumnId::EffectvUsage, level.account) / above;
    let own = of(ColumnId::NormUsage, level.node);
    let ratio = own / target / (level.family_norm_usage / above);
    let mut all = [target, above, account_ratio, own].into_iter();
    if !all.all(|number| number > 0.0) {
        return None;
    }
    let [base, exponent] = [account_ratio, ratio].map(Extended::from_f64);
    let power = depth_oblivious::power(base?, exponent?);
    Some([account_ratio, ratio, power])
}

/// Returns the node whose effective usage and target give the factor; usually another one for shares `parent`.
fn counted_node(view: &View<'_>, explanation: &Explanation, level: &Level) -> NodeId {
    let parent_factors = view.settings.slurm.parent_factors;
    if level.shares.is_parent() && parent_factors.uses_parent(explanation.is_user(view.tree)) {
        level.account
    } else {
        level.node
    }
}

fn factor(view: &View<'_>, explanation: &Explanation, level: &Level) -> Step {
    let counted = counted_node(view, explanation, level);
    let name = view.label(level.node);
    let result = fraction(number(view, ColumnId::Factor, level.node));
    let target = number(view, ColumnId::NormShares, counted);
    if target == 0.0 {
        return Step::of(name, "a target of 0% gives ").gives(result);
    }
    let dampening = match view.settings.slurm.dampening {
        0 | 1 => Shown::default(),
        dampening => sentence!(" / {dampening}"),
    };
    let effective = fraction(number(view, ColumnId::EffectvUsage, counted));
    let inputs = sentence!("2^-({effective} / {}{dampening}) = ", fraction(target));
    let step = Step::of(name, inputs).gives(result);
    if counted == NodeId::ROOT {
        step.noting("with shares `parent` jobs use the root's numbers, although sshare prints another factor")
    } else if counted != level.node {
        let counted = view.label(counted);
        step.noting(sentence!("with shares `parent` {counted}'s numbers count"))
    } else if level.shares.is_parent() && explanation.is_user(view.tree) {
        let account = view.name(level.account);
        step.noting(sentence!(
            "this is what sshare prints with shares `parent`, while a job gets {account}'s factor"
        ))
    } else {
        step
    }
}

pub(super) fn no_target(view: &View<'_>, levels: &[Level]) -> Shown {
    let is_without = |level: &&Level| number(view, ColumnId::NormShares, level.node) == 0.0;
    let Some(first) = levels.iter().find(is_without) else {
        return "its shares are too small a portion to count".into();
    };
    let name = view.label(first.node);
    let is_itself = levels.last().is_some_and(|last| last.node == first.node);
    match (is_itself, first.family_shares) {
        (true, 0) => no_level_shares(first).into(),
        (true, _) => "it has no shares".into(),
        (false, 0) if first.has_wrapped => {
            sentence!("the shares of the level of {name} overflow 32 bits and add up to 0")
        }
        (false, 0) => sentence!("nobody on the level of {name} has shares"),
        (false, _) => sentence!("{name} above it has no shares"),
    }
}

fn sentence(view: &View<'_>, explanation: &Explanation, levels: &[Level]) -> Line {
    let of = |column, node| number(view, column, node);
    let Some(level) = levels.last() else {
        return root(view, explanation.user_count, "");
    };
    let opening = opening(view, explanation);
    let counted = counted_node(view, explanation, level);
    let target = of(ColumnId::NormShares, counted);
    let effective = of(ColumnId::EffectvUsage, counted);
    if target == 0.0 {
        return opening.plain(sentence!(
            "{}, so its target is 0% and its factor is 0. It ranks after every node with a factor.",
            no_target(view, levels)
        ));
    }
    if counted == NodeId::ROOT {
        let factor = fraction(of(ColumnId::Factor, level.node));
        return opening.plain(sentence!(
            "its shares are `parent` below the root, so it counts as the root. Its factor is {factor}, whatever its \
             usage."
        ));
    }
    let begin = if counted == level.node {
        used(view, level)
    } else {
        let account = view.label(counted);
        sentence!(
            "its shares are `parent`, so it counts as {account}. The effective usage of {account} "
        )
    };
    opening
        .plain(begin)
        .and(against(effective, target), fraction(effective))
        .plain(sentence!(
            " is {} {} target {}.",
            times(effective, target),
            if counted == level.node { "its" } else { "the" },
            fraction(target)
        ))
}

fn used(view: &View<'_>, level: &Level) -> Shown {
    let of = |column, node| number(view, column, node);
    let usage = of(ColumnId::Usage, level.node);
    if of(ColumnId::Usage, NodeId::ROOT) == 0.0 {
        return "nobody has used anything, and its effective usage ".into();
    }
    let account = view.label(level.account);
    let begin = if usage == 0.0 {
        "it has used nothing itself".into()
    } else {
        let total = amount(of(ColumnId::Usage, level.account));
        sentence!("it has used {} of {account}'s {total}", amount(usage))
    };
    if level.shares.is_parent() {
        return sentence!(
            "its shares are `parent`, so it has {account}'s target and effective usage. That effective usage "
        );
    }
    if let Some(portion) = inherited_portion(view, level) {
        let above = fraction(of(ColumnId::EffectvUsage, level.account));
        return sentence!(
            "{begin}, but {} of the rest of {account}'s effective usage {above} counts against it. Its effective usage ",
            percent(portion)
        );
    }
    sentence!("{begin}, and its effective usage ")
}
