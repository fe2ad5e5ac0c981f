//! Classic and depth-oblivious numbers in words.

use super::standing::{against, rank_in_words, times};
use super::steps::Steps;
use super::{Emphasis, Line, heading};
use crate::base::extended::Extended;
use crate::base::number::{amount, counted, fraction, grouped, percent, word_for};
use crate::base::shown::{Shown, sentence};
use crate::model::NodeId;
use crate::report::View;
use crate::rules::policy::{ColumnId, Explanation, Level, Policy, depth_oblivious};

/// Returns the sentence, then the target, the effective usage and the factor.
pub(super) fn lines(view: &View<'_>, explanation: &Explanation, levels: &[Level]) -> Vec<Line> {
    let mut lines = vec![sentence(view, explanation, levels)];
    let Some(last) = levels.last() else {
        return lines;
    };
    let steps = Steps::new(view, levels.iter().map(|level| level.node).collect());
    lines.push(Line::default());
    targets(view, levels, &steps, &mut lines);
    let is_depth_oblivious = view.policy == Policy::DepthOblivious;
    lines.push(if is_depth_oblivious {
        heading(
            "Effective usage",
            &sentence!(
                "Effectv Usage = R × r^k × target; R is the {}'s Effectv Usage / target, r the node's usage / target \
                 against that of its level",
                view.settings.noun().one
            ),
        )
    } else {
        heading(
            "Effective usage",
            &sentence!(
                "Effectv Usage = own + (the {}'s - own) × portion of the level",
                view.settings.noun().one
            ),
        )
    });
    steps.each(&mut lines, |index, label| {
        effective(view, &levels[index], label, is_depth_oblivious)
    });
    lines.push(if dampening(view) > 1 {
        heading(
            "Factor",
            "2^-(Effectv Usage / Norm Shares / FairShareDampeningFactor)",
        )
    } else {
        heading("Factor", "2^-(Effectv Usage / Norm Shares)")
    });
    lines.push(factor(view, explanation, last, &steps.label(last.node)));
    lines
}

fn dampening(view: &View<'_>) -> u16 {
    view.settings.slurm.dampening
}

/// Returns a number of the policy; NaN, which is shown as such, if there is none.
pub(super) fn number(view: &View<'_>, column: ColumnId, node: NodeId) -> f64 {
    view.evaluation.number(column, node).unwrap_or(f64::NAN)
}

/// Adds the derivation of the target, level by level.
pub(super) fn targets(view: &View<'_>, levels: &[Level], steps: &Steps<'_>, lines: &mut Vec<Line>) {
    lines.push(heading(
        "Target",
        &sentence!(
            "Norm Shares = shares / shares of the level × the {}'s Norm Shares",
            view.settings.noun().one
        ),
    ));
    steps.each(lines, |index, label| target(view, &levels[index], label));
}

fn target(view: &View<'_>, level: &Level, label: &str) -> Line {
    let target = percent(number(view, ColumnId::NormShares, level.node));
    let Some(shares) = level.shares.count() else {
        let account = view.label(level.account);
        return Line::from(sentence!("{label}shares `parent`: it has {account}'s "))
            .and(Emphasis::Strong, target);
    };
    if level.family_shares == 0 {
        return Line::from(sentence!("{label}{}: ", no_level_shares(level)))
            .and(Emphasis::Strong, target);
    }
    let word = word_for(level.family_shares, "share", "shares");
    let line = Line::from(sentence!(
        "{label}{} / {} {word} = ",
        grouped(shares),
        amount(level.family_shares as f64)
    ));
    let line = if level.account == NodeId::ROOT {
        line
    } else {
        let portion = percent(portion(level));
        let above = percent(number(view, ColumnId::NormShares, level.account));
        line.and(
            Emphasis::Plain,
            sentence!("{portion}; {portion} × {above} = "),
        )
    };
    let line = line.and(Emphasis::Strong, target);
    if level.has_wrapped {
        line.and(
            Emphasis::Dim,
            "; the sum of the level overflows, as in Slurm's 32 bits",
        )
    } else {
        line
    }
}

/// Returns the node's portion of its level's shares.
fn portion(level: &Level) -> f64 {
    match level.family_shares {
        0 => 0.0,
        total => level.shares.count().unwrap_or(0) as f64 / total as f64,
    }
}

fn effective(view: &View<'_>, level: &Level, label: &str, is_depth_oblivious: bool) -> Line {
    let of = |column, node| number(view, column, node);
    let printed = of(ColumnId::EffectvUsage, level.node);
    let emphasis = against(printed, of(ColumnId::NormShares, level.node));
    let total = of(ColumnId::Usage, NodeId::ROOT);
    let own = of(ColumnId::NormUsage, level.node);
    let line = Line::from(if total > 0.0 {
        let usage = of(ColumnId::Usage, level.node);
        sentence!("{label}{} / {} = ", amount(usage), amount(total))
    } else {
        sentence!("{label}nothing was used: ")
    });
    if level.account == NodeId::ROOT {
        return line.and(emphasis, fraction(printed));
    }
    let account = view.label(level.account);
    let above = of(ColumnId::EffectvUsage, level.account);
    let steps = if level.shares.is_parent() {
        sentence!(
            "{}; with shares `parent` it has {account}'s ",
            fraction(own)
        )
    } else if is_depth_oblivious {
        match terms(view, level) {
            Some([account_ratio, ratio, power]) => sentence!(
                "{}; {} × {}^{} × {} = ",
                fraction(own),
                fraction(account_ratio),
                fraction(ratio),
                fraction(power),
                fraction(of(ColumnId::NormShares, level.node))
            ),
            None => sentence!(
                "{}; without usage or target nothing is added: ",
                fraction(own)
            ),
        }
    } else if level.family_shares == 0 {
        sentence!(
            "{}; as {}, it has {account}'s ",
            fraction(own),
            no_level_shares(level)
        )
    } else {
        sentence!(
            "{}; {} + ({} - {}) × {} = ",
            fraction(own),
            fraction(own),
            fraction(above),
            fraction(own),
            fraction(portion(level))
        )
    };
    line.and(Emphasis::Plain, steps)
        .and(emphasis, fraction(printed))
}

/// Returns the account's ratio, the node's ratio relative to its level, and the exponent of the latter.
fn terms(view: &View<'_>, level: &Level) -> Option<[f64; 3]> {
    let of = |column, node| number(view, column, node);
    let [target, above] = [level.node, level.account].map(|node| of(ColumnId::NormShares, node));
    let account_ratio = of(ColumnId::EffectvUsage, level.account) / above;
    let own = of(ColumnId::NormUsage, level.node);
    let ratio = own / target / (level.family_norm_usage / above);
    let has_all = [target, above, account_ratio, own]
        .into_iter()
        .all(|number| number > 0.0);
    if !has_all {
        return None;
    }
    let power = depth_oblivious::power(
        Extended::from_f64(account_ratio)?,
        Extended::from_f64(ratio)?,
    );
    Some([account_ratio, ratio, power])
}

/// Returns the node whose effective usage and target give the factor; usually another one for a node with shares
/// `parent`.
fn counted_node(view: &View<'_>, explanation: &Explanation, level: &Level) -> NodeId {
    let parent_factors = view.settings.slurm.parent_factors;
    if level.shares.is_parent() && parent_factors.uses_parent(explanation.is_user(view.tree)) {
        level.account
    } else {
        level.node
    }
}

fn factor(view: &View<'_>, explanation: &Explanation, level: &Level, label: &str) -> Line {
    let counted = counted_node(view, explanation, level);
    let result = fraction(number(view, ColumnId::Factor, level.node));
    let target = number(view, ColumnId::NormShares, counted);
    if target == 0.0 {
        return Line::from(sentence!("{label}a target of 0% gives ")).and(Emphasis::Strong, result);
    }
    let dampening = match dampening(view) {
        0 | 1 => Shown::default(),
        dampening => sentence!(" / {dampening}"),
    };
    let line = Line::from(sentence!(
        "{label}2^-({} / {}{dampening}) = ",
        fraction(number(view, ColumnId::EffectvUsage, counted)),
        fraction(target),
    ))
    .and(Emphasis::Strong, result);
    if counted == level.node {
        let is_only_printed = level.shares.is_parent() && explanation.is_user(view.tree);
        let note = if is_only_printed {
            sentence!(
                "; this is what sshare prints with shares `parent`, while a job gets {}'s factor",
                view.name(level.account)
            )
        } else {
            Shown::default()
        };
        return line.and(Emphasis::Dim, note);
    }
    let note = if counted == NodeId::ROOT {
        "; with shares `parent` jobs use the root's numbers, although sshare prints another factor"
            .into()
    } else {
        sentence!(
            "; with shares `parent` {}'s numbers count",
            view.label(counted)
        )
    };
    line.and(Emphasis::Dim, note)
}

/// Returns the beginning of the sentence: the name, and the rank of a user.
pub(super) fn opening(view: &View<'_>, explanation: &Explanation) -> Line {
    let place = rank_in_words(view, explanation);
    Line::of(Emphasis::Strong, view.label(explanation.node))
        .and(Emphasis::Plain, sentence!("{place}: "))
}

/// Returns the sentence for the root.
pub(super) fn root(view: &View<'_>, explanation: &Explanation, rest: &str) -> Line {
    let users = counted(explanation.user_count, "user", "users");
    let usage = amount(number(view, ColumnId::Usage, NodeId::ROOT));
    Line::of(Emphasis::Strong, view.label(explanation.node)).and(
        Emphasis::Plain,
        sentence!(" is the root: all of the shares{rest}, usage {usage} in all, {users} below it."),
    )
}

/// Returns why the shares of a level cannot be divided.
pub(super) fn no_level_shares(level: &Level) -> &'static str {
    if level.has_wrapped {
        "the shares of its level overflow 32 bits and add up to 0"
    } else {
        "nobody on its level has shares"
    }
}

/// Returns why a node's target is 0.
pub(super) fn no_target(view: &View<'_>, levels: &[Level]) -> Shown {
    let is_without = |level: &&Level| number(view, ColumnId::NormShares, level.node) == 0.0;
    let Some(first) = levels.iter().find(is_without) else {
        return "its shares are too small a portion to count".into();
    };
    let is_itself = levels.last().is_some_and(|last| last.node == first.node);
    match (is_itself, first.family_shares) {
        (true, 0) => no_level_shares(first).into(),
        (true, _) => "it has no shares".into(),
        (false, 0) if first.has_wrapped => sentence!(
            "the shares of the level of {} overflow 32 bits and add up to 0",
            view.label(first.node)
        ),
        (false, 0) => sentence!(
            "nobody on the level of {} has shares",
            view.label(first.node)
        ),
        (false, _) => sentence!("{} above it has no shares", view.label(first.node)),
    }
}

/// Returns the explanation as an admin would give it to a user.
fn sentence(view: &View<'_>, explanation: &Explanation, levels: &[Level]) -> Line {
    let of = |column, node| number(view, column, node);
    let Some(level) = levels.last() else {
        return root(view, explanation, "");
    };
    let opening = opening(view, explanation);
    let counted = counted_node(view, explanation, level);
    let target = of(ColumnId::NormShares, counted);
    let effective = of(ColumnId::EffectvUsage, counted);
    if target == 0.0 {
        return opening.and(
            Emphasis::Plain,
            sentence!(
                "{}, so its target is 0% and its factor is 0. It ranks after every node with a factor.",
                no_target(view, levels)
            ),
        );
    }
    if counted == NodeId::ROOT {
        let factor = fraction(of(ColumnId::Factor, level.node));
        return opening.and(
            Emphasis::Plain,
            sentence!(
                "its shares are `parent` below the root, so it counts as the root. Its factor is {factor}, whatever \
                 its usage."
            ),
        );
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
        .and(Emphasis::Plain, begin)
        .and(against(effective, target), fraction(effective))
        .and(
            Emphasis::Plain,
            sentence!(
                " is {} {} target {}.",
                times(effective, target),
                if counted == level.node { "its" } else { "the" },
                fraction(target)
            ),
        )
}

/// Returns the usage of a node, and how its effective usage follows from it.
fn used(view: &View<'_>, level: &Level) -> Shown {
    let of = |column, node| number(view, column, node);
    let usage = of(ColumnId::Usage, level.node);
    if of(ColumnId::Usage, NodeId::ROOT) == 0.0 {
        return "nobody has used anything, and its effective usage ".into();
    }
    let account = view.label(level.account);
    let own = of(ColumnId::NormUsage, level.node);
    let effective = of(ColumnId::EffectvUsage, level.node);
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
    // More than half of the effective usage comes from the account.
    if view.policy == Policy::Classic && effective > 2.0 * own {
        let above = fraction(of(ColumnId::EffectvUsage, level.account));
        return sentence!(
            "{begin}, but {} of the rest of {account}'s effective usage {above} counts against it. Its effective usage ",
            percent(portion(level))
        );
    }
    sentence!("{begin}, and its effective usage ")
}
