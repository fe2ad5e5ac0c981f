//! Classic and depth-oblivious numbers in words.
//!
//! Both compare all users directly, by `2^-(usage / target)`; they differ in how the usage of the account above counts for
//! its members.

use super::why::{
    self, Derivation, PathLevel, Step, Why, against, no_level_shares, number, opening, root,
    root_usage, times,
};
use crate::base::extended::Extended;
use crate::base::number::{amount, fraction, grouped, percent, word_for};
use crate::base::shown::{Shown, sentence};
use crate::model::NodeId;
use crate::report::View;
use crate::report::render::line::Line;
use crate::rules::policy::{ColumnId, Explanation, Level, Policy, depth_oblivious};

/// Returns why a node has its rank.
pub(super) fn why(view: &View<'_>, explanation: &Explanation) -> Why {
    let levels = &explanation.levels;
    let sentence = sentence(view, explanation);
    let path = PathLevel::path(view, levels);
    let Some(last) = path.last() else {
        return sentence.into();
    };
    let account = view.settings.noun().one;
    let usage = if view.policy == Policy::DepthOblivious {
        sentence!(
            "Effectv Usage = R × r^k × target; R is the {account}'s Effectv Usage / target, r the node's usage / target \
             against that of its level"
        )
    } else {
        sentence!("Effectv Usage = own + (the {account}'s - own) × portion of the level")
    };
    let formula = if view.settings.slurm.dampening > 1 {
        "2^-(Effectv Usage / Norm Shares / FairShareDampeningFactor)"
    } else {
        "2^-(Effectv Usage / Norm Shares)"
    };
    Why {
        sentence,
        derivations: vec![
            targets(view, levels),
            Derivation::of("Effective usage", usage).along(&path, effective),
            Derivation::of("Factor", formula).with([factor(last, explanation)]),
        ],
    }
}

/// Returns shares, usage and what comes of them, a line each.
pub(super) fn in_brief(view: &View<'_>, explanation: &Explanation) -> Vec<Line> {
    let path = PathLevel::path(view, &explanation.levels);
    let Some(last) = path.last() else {
        return Vec::new();
    };
    let usage = effective(last).computation();
    let factor = factor_in_brief(last, explanation);
    vec![
        why::in_brief("Shares", &path, target),
        why::line_in_brief("Effective usage", usage),
        why::line_in_brief("Factor", factor),
    ]
}

/// Returns what gives the factor, and whose numbers these are if they are not the node's.
fn factor_in_brief(level: &PathLevel<'_>, explanation: &Explanation) -> Shown {
    let computation = factor(level, explanation).computation();
    let counted = counted_node(level, explanation);
    if counted == level.own.node {
        return computation;
    }
    let name = level.view.label(counted);
    sentence!("with shares `parent` {name}'s numbers count: {computation}")
}

/// Returns a line of targets.
pub(super) fn shares_in_brief(path: &[PathLevel<'_>]) -> Line {
    why::in_brief("Shares", path, target)
}

/// Returns the portion of the account's usage that counts for a node, if more than half of its effective usage comes from
/// there.
pub(super) fn inherited_portion(view: &View<'_>, level: &Level) -> Option<f64> {
    if view.policy != Policy::Classic || level.shares.is_parent() {
        return None;
    }
    let own = PathLevel { view, own: level };
    let usage = own.number(ColumnId::NormUsage);
    if own.effective_usage() > 2.0 * usage {
        Some(portion(level))
    } else {
        None
    }
}

/// Returns how the targets of a path came about.
pub(super) fn targets(view: &View<'_>, levels: &[Level]) -> Derivation {
    let path = PathLevel::path(view, levels);
    let account = view.settings.noun().one;
    let formula =
        sentence!("Norm Shares = shares / shares of the level × the {account}'s Norm Shares");
    Derivation::of("Target", formula).along(&path, target)
}

/// Returns the target of a level.
fn target(level: &PathLevel<'_>) -> Step {
    let own = level.own;
    let result = percent(level.target());
    let Some(shares) = own.shares.count() else {
        let account = level.account_name();
        let step = level.step(sentence!("shares `parent`: it has {account}'s "));
        return step.gives(result);
    };
    if own.family_shares == 0 {
        let reason = no_level_shares(own);
        let step = level.step(sentence!("{reason}: "));
        return step.gives(result);
    }
    let all = amount(own.family_shares as f64);
    let word = word_for(own.family_shares, "share", "shares");
    let count = grouped(shares);
    let inputs = sentence!("{count} / {all} {word} = ");
    let mut step = if own.account == NodeId::ROOT {
        level.step(inputs)
    } else {
        let portion = percent(portion(own));
        let above = percent(level.account_number(ColumnId::NormShares));
        let step = level.step(sentence!("{portion} × {above} = "));
        step.after(sentence!("{inputs}{portion}; "))
    };
    step = step.gives(result);
    if own.has_wrapped {
        return step.noting("the sum of the level overflows, as in Slurm's 32 bits");
    }
    step
}

/// Returns the portion that a node has of the shares of its level; 0 if nobody on it has any.
fn portion(level: &Level) -> f64 {
    if level.family_shares == 0 {
        return 0.0;
    }
    let own = level.shares.count().unwrap_or(0);
    own as f64 / level.family_shares as f64
}

/// Returns the effective usage of a level.
fn effective(level: &PathLevel<'_>) -> Step {
    let total = root_usage(level.view);
    let inputs = if total > 0.0 {
        let usage = amount(level.usage());
        let all = amount(total);
        sentence!("{usage} / {all} = ")
    } else {
        "nothing was used: ".into()
    };
    let step = if level.own.account == NodeId::ROOT {
        level.step(inputs)
    } else {
        let own = level.fraction(ColumnId::NormUsage);
        let step = level.step(from_account(level, &own));
        step.after(sentence!("{inputs}{own}; "))
    };
    let effective = level.effective_usage();
    let emphasis = against(effective, level.target());
    step.gives_as(emphasis, fraction(effective))
}

/// Returns how the usage of its account counts for a node, up to the result.
fn from_account(level: &PathLevel<'_>, own: &Shown) -> Shown {
    let account = level.account_name();
    if level.own.shares.is_parent() {
        return sentence!("with shares `parent` it has {account}'s ");
    }
    if level.view.policy == Policy::DepthOblivious {
        let Some(terms) = Terms::of(level) else {
            return "without usage or target nothing is added: ".into();
        };
        let account_ratio = fraction(terms.account_ratio);
        let ratio = fraction(terms.ratio);
        let power = fraction(terms.power);
        let target = level.fraction(ColumnId::NormShares);
        return sentence!("{account_ratio} × {ratio}^{power} × {target} = ");
    }
    if level.own.family_shares == 0 {
        let reason = no_level_shares(level.own);
        return sentence!("as {reason}, it has {account}'s ");
    }
    let above = fraction(level.account_number(ColumnId::EffectvUsage));
    let portion = fraction(portion(level.own));
    sentence!("{own} + ({above} - {own}) × {portion} = ")
}

/// What the depth-oblivious rule multiplies the target with.
struct Terms {
    /// The account's effective usage / its target.
    account_ratio: f64,
    /// The node's usage / target, against that of its level.
    ratio: f64,
    /// The exponent of that ratio.
    power: f64,
}

impl Terms {
    /// Returns the terms of a level; `None` without usage or target.
    fn of(level: &PathLevel<'_>) -> Option<Self> {
        let target = level.target();
        let above = level.account_number(ColumnId::NormShares);
        let account_ratio = level.account_number(ColumnId::EffectvUsage) / above;
        let own = level.number(ColumnId::NormUsage);
        let ratio = own / target / (level.own.family_norm_usage / above);
        let mut factors = [target, above, account_ratio, own].into_iter();
        if !factors.all(|factor| factor > 0.0) {
            return None;
        }
        let base = Extended::from_f64(account_ratio)?;
        let exponent = Extended::from_f64(ratio)?;
        Some(Self {
            account_ratio,
            ratio,
            power: depth_oblivious::power(base, exponent),
        })
    }
}

/// Returns the node whose effective usage and target give the factor; usually another one for shares `parent`.
fn counted_node(level: &PathLevel<'_>, explanation: &Explanation) -> NodeId {
    let own = level.own;
    let parent_factors = level.view.settings.slurm.parent_factors;
    let is_user = explanation.is_user(level.view.tree);
    if own.shares.is_parent() && parent_factors.uses_parent(is_user) {
        own.account
    } else {
        own.node
    }
}

/// Returns the factor of a node.
fn factor(level: &PathLevel<'_>, explanation: &Explanation) -> Step {
    let view = level.view;
    let own = level.own;
    let counted = counted_node(level, explanation);
    let result = level.fraction(ColumnId::Factor);
    let target = number(view, ColumnId::NormShares, counted);
    if target == 0.0 {
        return level.step("a target of 0% gives ").gives(result);
    }
    let dampening = match view.settings.slurm.dampening {
        0 | 1 => Shown::default(),
        dampening => sentence!(" / {dampening}"),
    };
    let usage = number(view, ColumnId::EffectvUsage, counted);
    let effective = fraction(usage);
    let whole = fraction(target);
    let inputs = sentence!("2^-({effective} / {whole}{dampening}) = ");
    let step = level.step(inputs).gives(result);
    if counted == NodeId::ROOT {
        step.noting("with shares `parent` jobs use the root's numbers, although sshare prints another factor")
    } else if counted != own.node {
        let name = view.label(counted);
        step.noting(sentence!("with shares `parent` {name}'s numbers count"))
    } else if own.shares.is_parent() && explanation.is_user(view.tree) {
        let account = view.name(own.account);
        step.noting(sentence!(
            "this is what sshare prints with shares `parent`, while a job gets {account}'s factor"
        ))
    } else {
        step
    }
}

/// Returns why a node has no target.
pub(super) fn no_target(view: &View<'_>, levels: &[Level]) -> Shown {
    let mut path = PathLevel::path(view, levels).into_iter();
    let Some(first) = path.find(|level| level.target() == 0.0) else {
        return "its shares are too small a portion to count".into();
    };
    let has_level_shares = first.own.family_shares > 0;
    if first.is_end_of(levels) {
        return if has_level_shares {
            "it has no shares".into()
        } else {
            no_level_shares(first.own).into()
        };
    }
    let name = first.name();
    if has_level_shares {
        sentence!("{name} above it has no shares")
    } else if first.own.has_wrapped {
        sentence!("the shares of the level of {name} overflow 32 bits and add up to 0")
    } else {
        sentence!("nobody on the level of {name} has shares")
    }
}

/// Returns the sentence of a node: its rank, and its effective usage against its target.
fn sentence(view: &View<'_>, explanation: &Explanation) -> Line {
    let levels = &explanation.levels;
    let path = PathLevel::path(view, levels);
    let Some(level) = path.last() else {
        return root(view, explanation.user_count, "");
    };
    let opening = opening(view, explanation);
    let counted = counted_node(level, explanation);
    let target = number(view, ColumnId::NormShares, counted);
    let effective = number(view, ColumnId::EffectvUsage, counted);
    if target == 0.0 {
        return opening.plain(sentence!(
            "{}, so its target is 0% and its factor is 0. It ranks after every node with a factor.",
            no_target(view, levels)
        ));
    }
    if counted == NodeId::ROOT {
        let factor = level.fraction(ColumnId::Factor);
        return opening.plain(sentence!(
            "its shares are `parent` below the root, so it counts as the root. Its factor is {factor}, whatever its \
             usage."
        ));
    }
    let is_own = counted == level.own.node;
    let begin = if is_own {
        used(level)
    } else {
        let account = view.label(counted);
        sentence!(
            "its shares are `parent`, so it counts as {account}. The effective usage of {account} "
        )
    };
    let whose = if is_own { "its" } else { "the" };
    let times = times(effective, target);
    let target_text = fraction(target);
    opening
        .plain(begin)
        .and(against(effective, target), fraction(effective))
        .plain(sentence!(" is {times} {whose} target {target_text}."))
}

/// Returns what a node has used, up to its effective usage.
fn used(level: &PathLevel<'_>) -> Shown {
    if root_usage(level.view) == 0.0 {
        return "nobody has used anything, and its effective usage ".into();
    }
    let account = level.account_name();
    if level.own.shares.is_parent() {
        return sentence!(
            "its shares are `parent`, so it has {account}'s target and effective usage. That effective usage "
        );
    }
    let usage = level.usage();
    let begin = if usage == 0.0 {
        "it has used nothing itself".into()
    } else {
        let total = amount(level.account_usage());
        sentence!("it has used {} of {account}'s {total}", amount(usage))
    };
    if let Some(portion) = inherited_portion(level.view, level.own) {
        let above = fraction(level.account_number(ColumnId::EffectvUsage));
        let part = percent(portion);
        return sentence!(
            "{begin}, but {part} of the rest of {account}'s effective usage {above} counts against it. Its effective usage "
        );
    }
    sentence!("{begin}, and its effective usage ")
}
