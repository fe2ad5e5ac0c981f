//! PBS's numbers in words.

use super::why::{
    self, Derivation, Step, Why, against, level_place, number, opening, others_used_less, print,
    root, times, without_numbers,
};
use crate::base::number::{amount, fraction, grouped, ordinal, percent, word_for};
use crate::base::shown::{Shown, sentence, shown, shown_text};
use crate::model::{Kind, NodeId};
use crate::report::View;
use crate::report::render::line::{Emphasis, Line};
use crate::rules::policy::formula::{Formula, Inputs};
use crate::rules::policy::pbs::{INITIAL_USAGE, PbsExplanation, PbsLevel};
use crate::rules::policy::{self, ColumnId, Level, Policy, deciding};
use std::iter;

pub(super) fn why(
    view: &View<'_>,
    outer: &policy::Explanation,
    explanation: &PbsExplanation,
) -> Why {
    let sentence = sentence(view, outer, explanation);
    let levels = &explanation.levels;
    let Some(last) = levels.last() else {
        return (sentence, Vec::new());
    };
    let account = view.settings.noun().one;
    let above = iter::once(None).chain(levels.iter().map(Some));
    let path: Vec<_> = above.zip(levels.iter()).collect();
    let formula =
        sentence!("fairshare_perc = shares / shares of the level × the {account}'s target");
    let target = Derivation::of("Target", formula)
        .along(&path, |&(above, level)| target(view, above, level));
    let formula = "usage / fairshare_perc, level by level from the top; the smaller runs first";
    let order = Derivation::of("Without a job_sort_formula", formula)
        .along(levels, |level| walk(view, level));
    let formula =
        sentence!("fairshare_tree_usage = own + (the {account}'s - own) × portion of the level");
    let usage = Derivation::of("Effective usage", formula).along(&path, |&(above, level)| {
        effective(view, explanation.root_usage, above, level)
    });
    let formula = "fairshare_factor = 2^-(fairshare_tree_usage / fairshare_perc)";
    let factor = Derivation::of("Factor", formula).with([factor(view, last)]);
    let mut derivations = match view.policy {
        Policy::PbsWalk => vec![target, order, usage, factor],
        _ => vec![target, usage, factor, order],
    };
    let mut usage = levels
        .iter()
        .map(|level| view.tree.usage(level.common.node));
    if usage.any(|usage| usage.amount().is_none())
        && let Some(derivation) = derivations.last_mut()
    {
        derivation.notes.extend(initial_usage(explanation, last));
    }
    if let Some(target) = derivations.first_mut() {
        target.notes.extend(namesakes(view, explanation.node));
    }
    (sentence, derivations)
}

/// Returns shares, usage and what comes of them, a line each.
pub(super) fn in_brief(view: &View<'_>, explanation: &PbsExplanation) -> Vec<Line> {
    let levels = &explanation.levels;
    let Some(last) = levels.last() else {
        return Vec::new();
    };
    let above = iter::once(None).chain(levels.iter().map(Some));
    let path: Vec<_> = above.zip(levels.iter()).collect();
    let shares = why::in_brief("Shares", &path, |&(above, level)| {
        target(view, above, level)
    });
    if view.policy == Policy::PbsWalk {
        let order = why::in_brief("Usage/perc", levels, |level| walk(view, level));
        return vec![shares, order];
    }
    let above = path[path.len() - 1].0;
    let usage = effective(view, explanation.root_usage, above, last).computation();
    let usage = why::line_in_brief("Effective usage", usage);
    let result = match view.policy {
        Policy::Formula => formula_in_brief(view, explanation.node),
        _ => Some(why::line_in_brief(
            "Factor",
            factor(view, last).computation(),
        )),
    };
    [shares, usage].into_iter().chain(result).collect()
}

/// Returns that a user has entities in other groups too, as with `egroup:euser`, where each is named GROUP:USER.
fn namesakes(view: &View<'_>, node: NodeId) -> Option<Shown> {
    let user = |node| {
        let name = view.tree.name(node);
        let colon = name.iter().position(|&byte| byte == b':');
        colon.map(|colon| &name[colon + 1..])
    };
    let own = user(node).filter(|_| view.settings.pbs.fairshare_entity == "egroup:euser")?;
    let users = view.tree.users();
    let others = users.filter(|&it| it != node && user(it) == Some(own));
    let others: Vec<Shown> = others.map(|other| view.path(other)).collect();
    (!others.is_empty()).then(|| {
        sentence!(
            "{} has shares and usage of its own in each group, here and as {}: fairshare_entity is egroup:euser, so a \
             job charges GROUP:USER.",
            shown(own),
            others.join(", ")
        )
    })
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

fn target(view: &View<'_>, above: Option<&PbsLevel>, level: &PbsLevel) -> Step {
    let name = view.label(level.common.node);
    let target = percent(f64::from(level.fairshare_perc));
    let portion = percent(f64::from(level.group_percentage));
    let word = word_for(level.family_shares, "share", "shares");
    let members = view.tree.parent(level.common.node).into_iter();
    let members = members.flat_map(|parent| view.tree.children(parent));
    let counts = members.filter_map(|node| view.tree.shares(node).count());
    let sum: i64 = counts.sum();
    let is_wrapped = sum != i64::from(level.family_shares);
    let wrapped = is_wrapped.then(|| sentence!(" ({} overflow PBS's 32 bits)", grouped(sum)));
    let wrapped = wrapped.unwrap_or_default();
    if above.is_some_and(|above| above.fairshare_perc == 0.0) {
        return Step::of(name, "below a target of 0% all targets are ").gives(target);
    }
    let inputs = match level.family_shares {
        0 => "the shares of its level add up to 0: ".into(),
        all => sentence!(
            "{} / {} {word}{wrapped} = ",
            grouped(level.shares),
            grouped(all)
        ),
    };
    let Some(above) = above else {
        return Step::of(name, inputs).gives(portion);
    };
    let above = percent(f64::from(above.fairshare_perc));
    Step::of(name, sentence!("{portion} × {above} = "))
        .after(sentence!("{inputs}{portion}; "))
        .gives(target)
}

fn effective(view: &View<'_>, root_usage: f64, above: Option<&PbsLevel>, level: &PbsLevel) -> Step {
    let of = |number: f32| fraction(f64::from(number));
    let own = of(level.own_usage);
    let [usage, all] = [level.usage, root_usage].map(amount);
    let name = view.label(level.common.node);
    let emphasis = over_or_under(level);
    let portion = sentence!("{usage} / {all} = ");
    if above.is_none() {
        return Step::of(name, portion).gives_as(emphasis, own);
    }
    let [parent, part] = [level.parent_tree_usage, level.group_percentage].map(of);
    Step::of(name, sentence!("{own} + ({parent} - {own}) × {part} = "))
        .after(sentence!("{portion}{own}; "))
        .gives_as(emphasis, of(level.fairshare_tree_usage))
}

fn over_or_under(level: &PbsLevel) -> Emphasis {
    against(
        f64::from(level.fairshare_tree_usage),
        f64::from(level.fairshare_perc),
    )
}

fn factor(view: &View<'_>, level: &PbsLevel) -> Step {
    let inputs = if level.fairshare_perc == 0.0 {
        "a target of 0% gives ".into()
    } else {
        let [usage, target] = [level.fairshare_tree_usage, level.fairshare_perc];
        let [usage, target] = [usage, target].map(|number| fraction(f64::from(number)));
        sentence!("2^-({usage} / {target}) = ")
    };
    Step::of(view.label(level.common.node), inputs).gives(fraction(level.fairshare_factor))
}

fn walk(view: &View<'_>, level: &PbsLevel) -> Step {
    let name = view.label(level.common.node);
    let step = if level.fairshare_perc == 0.0 {
        Step::of(name, "a target of 0% ranks last")
    } else {
        let target = fraction(f64::from(level.fairshare_perc));
        Step::of(name, sentence!("{} / {target} = ", amount(level.usage)))
            .gives(amount(level.usage_over_perc))
    };
    step.noting(level_place(&level.common))
}

fn sentence(view: &View<'_>, outer: &policy::Explanation, explanation: &PbsExplanation) -> Line {
    let node = explanation.node;
    let Some(level) = explanation.levels.last() else {
        if node == NodeId::ROOT {
            return root(view, view.tree.user_count(), "");
        }
        let name = Line::strong(view.label(node));
        return name.plain(without_numbers(view));
    };
    let opening = opening(view, outer);
    if level.fairshare_perc == 0.0 {
        return opening.plain(no_share(view, explanation));
    }
    if explanation.root_usage <= INITIAL_USAGE {
        let text = "nobody has used anything. PBS starts every node at usage 1, so the larger target ranks first.";
        return opening.plain(text);
    }
    if view.policy == Policy::PbsWalk {
        return opening.plain(standing(view, outer, explanation));
    }
    let parent = view.tree.parent(node).unwrap_or(NodeId::ROOT);
    if parent != NodeId::ROOT
        && let Some(text) = inherited(view, level, parent)
    {
        return opening.plain(text);
    }
    let of_what = if parent == NodeId::ROOT {
        sentence!("all {}", amount(explanation.root_usage))
    } else {
        let usage = amount(number(view, ColumnId::Usage, parent));
        sentence!("{}'s {usage}", view.label(parent))
    };
    let used = if view
        .policy
        .has_used(view.tree, view.evaluation, level.common.node)
    {
        sentence!("it has used {} of {of_what}", amount(level.usage))
    } else if view.tree.kind(node) == Kind::Account {
        "it has used nothing".into()
    } else {
        "it has used nothing itself".into()
    };
    let [effective, target] = [level.fairshare_tree_usage, level.fairshare_perc].map(f64::from);
    let times = times(effective, target);
    opening
        .plain(sentence!("{used}, and its effective usage "))
        .and(over_or_under(level), fraction(effective))
        .plain(sentence!(" is {times} its target {}.", fraction(target)))
}

/// Returns the level that puts the most users ahead, and for a group without users the topmost with siblings ahead; and
/// the place of the node among its siblings.
fn standing(view: &View<'_>, outer: &policy::Explanation, explanation: &PbsExplanation) -> Shown {
    let levels = &explanation.levels;
    let Some(own) = levels.last() else {
        return Shown::default();
    };
    let has_rank = view.evaluation.best_rank(outer.node).is_some();
    let cause = if has_rank {
        let level = deciding(&outer.levels).filter(|level| level.node != outer.node);
        level.and_then(|level| levels.iter().find(|it| it.common.node == level.node))
    } else {
        let mut above = levels.iter().filter(|it| it.common.node != outer.node);
        above.find(|level| level.common.sibling_ahead.is_some())
    };
    let cause = cause.map(|level| {
        let name = view.label(level.common.node);
        let portions = [level.own_usage, level.fairshare_perc];
        let [used, target] = portions.map(|portion| percent(f64::from(portion)));
        let place = match place(view, level) {
            none if none.is_empty() => none,
            place => sentence!(" ({place})"),
        };
        let others = others_used_less(view, &level.common, level.is_over_share);
        sentence!(
            "it is held back by {name}, which has used {used} of all usage, target {target}{others}{place}."
        )
    });
    let inside = own.common.sibling_ahead.map(|ahead| {
        let column = ColumnId::UsageOverPerc;
        let [number, other] = super::numbers(view, column, [own.common.node, ahead]);
        let parent = view.tree.parent(own.common.node).unwrap_or(NodeId::ROOT);
        let (account, place) = (view.label(parent), place(view, own));
        sentence!("{account}, it is {place} (usage/perc {number} against {other}).")
    });
    match (cause, inside) {
        (Some(cause), Some(inside)) => sentence!("{cause} Inside {inside}"),
        (Some(cause), None) => cause,
        (None, Some(inside)) => sentence!("inside {inside}"),
        (None, None) => unhindered(view, &outer.levels),
    }
}

/// Returns that no level holds a node back.
fn unhindered(view: &View<'_>, levels: &[Level]) -> Shown {
    let apart = if levels.iter().any(|level| level.siblings_ahead > 0) {
        sentence!(", apart from {} without users", view.settings.noun().many)
    } else {
        Shown::default()
    };
    let tie = if levels.iter().any(|level| level.users_ahead > 0) {
        ", but one of them ties with others, and their members are compared with each other"
    } else {
        ""
    };
    sentence!("first of its siblings on every level of its path{apart}{tie}.")
}

/// Returns the place of a level among its siblings, if one is ahead.
fn place(view: &View<'_>, level: &PbsLevel) -> Shown {
    let Some(ahead) = level.common.sibling_ahead else {
        return Shown::default();
    };
    let ahead = view.label(ahead);
    let place = ordinal(level.common.siblings_ahead + 1);
    let count = grouped(level.common.sibling_count + 1);
    sentence!("{place} of {count} siblings, just behind {ahead}")
}

fn no_share(view: &View<'_>, explanation: &PbsExplanation) -> Shown {
    let mut levels = explanation.levels.iter();
    let cause = match levels.find(|level| level.fairshare_perc == 0.0) {
        Some(level) => {
            let is_itself = level.common.node == explanation.node;
            let whose = if is_itself {
                "its".into()
            } else {
                sentence!("{}'s", view.label(level.common.node))
            };
            match (level.shares, level.family_shares) {
                (0, _) if is_itself => "it has no shares".into(),
                (0, _) => sentence!("{} above it has no shares", view.label(level.common.node)),
                (_, 0) => {
                    sentence!("the shares of {whose} level overflow PBS's 32 bits and add up to 0")
                }
                _ => sentence!("{whose} portion of the tree is too small for PBS's 32-bit numbers"),
            }
        }
        None => "it has no shares".into(),
    };
    let settings = &view.settings.pbs;
    let period = settings.fair_share.period();
    let end = match (explanation.never_runs, period) {
        (false, _) if settings.fair_share.is_on() && !settings.fairshare_enforce_no_shares => {
            let behind = match view.policy {
                Policy::PbsWalk => "rank last among its siblings",
                _ => "rank last",
            };
            sentence!(
                "and its jobs {behind}; what fits beside the jobs of others starts, although PBS's guide says that they \
                 run only when no others are available"
            )
        }
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

/// Returns the portion of the group's usage that counts for a node, if most of its effective usage comes from there.
pub(super) fn inherited_portion(level: &PbsLevel) -> Option<f64> {
    let own_part = level.own_usage * (1.0 - level.group_percentage);
    let account_part = level.parent_tree_usage * level.group_percentage;
    (account_part > own_part).then_some(f64::from(level.group_percentage))
}

fn inherited(view: &View<'_>, level: &PbsLevel, parent: NodeId) -> Option<Shown> {
    let portion = inherited_portion(level)?;
    let sibling = level.common.heaviest_sibling?;
    let usage = |node| view.evaluation.number(ColumnId::Usage, node);
    let sibling_usage = usage(sibling)?;
    if sibling_usage <= level.usage {
        return None;
    }
    let used = if view
        .policy
        .has_used(view.tree, view.evaluation, level.common.node)
    {
        sentence!("it has used {} itself", amount(level.usage))
    } else {
        "it has used nothing itself".into()
    };
    let account = view.label(parent);
    Some(sentence!(
        "{used}, but {} of {account}'s effective usage ({}) counts against it. {}, in the same {}, has used {} of \
         {account}'s {}.",
        percent(portion),
        fraction(f64::from(level.parent_tree_usage)),
        view.label(sibling),
        view.settings.noun().one,
        amount(sibling_usage),
        amount(usage(parent)?),
    ))
}

pub(super) fn formula(view: &View<'_>, node: NodeId) -> Vec<Line> {
    let formula = shown_text(view.settings.formula.text().as_bytes());
    let mut lines = vec![Line::strong(sentence!("job_sort_formula: {formula}"))];
    lines.extend(value(view, node));
    lines.push(Line::default());
    lines
}

/// Returns the formula with a node's numbers, and its value, in a line; `None` for a node that has none.
fn formula_in_brief(view: &View<'_>, node: NodeId) -> Option<Line> {
    let text = match Formula::of_settings(view.settings) {
        Err(error) => sentence!("not valid: {}", error.sentence()),
        Ok(_) if view.tree.kind(node) == Kind::Account => no_jobs(view),
        Ok(formula) => {
            let [numbers, result] = with_numbers(view, &formula, node)?;
            sentence!("{} {}", numbers.computation(), result.computation())
        }
    };
    Some(why::line_in_brief("Formula", text))
}

fn no_jobs(view: &View<'_>) -> Shown {
    let any = view.settings.noun().any;
    sentence!("PBS evaluates it for the jobs of users; {any} has none.")
}

fn value(view: &View<'_>, node: NodeId) -> Vec<Line> {
    let formula = match Formula::of_settings(view.settings) {
        Ok(formula) => formula,
        Err(error) => {
            let error = error.sentence();
            return vec![Line::from(sentence!(
                "  This formula is not valid: {error}."
            ))];
        }
    };
    let Some(steps) = with_numbers(view, &formula, node) else {
        return Vec::new();
    };
    if view.tree.kind(node) == Kind::Account {
        let text = sentence!("  {}", no_jobs(view));
        return vec![Line::of(Emphasis::Dim, text)];
    }
    let name = view.label(node);
    let rule = "numbers with the six decimals that PBS writes; the larger value runs first, and no job that starts \
                changes it before the next cycle";
    let derivation = Derivation::of(sentence!("For a job of {name}"), rule);
    print(vec![derivation.with(steps)])
}

/// Returns the formula with the numbers of a node, and its value. `None` for a node without numbers.
fn with_numbers(view: &View<'_>, formula: &Formula, node: NodeId) -> Option<[Step; 2]> {
    let job = &view.settings.formula.resources;
    let inputs = Inputs::of_node(view.evaluation, node, job)?;
    let name = view.label(node);
    let result = match formula.value(&inputs) {
        Ok(value) => Step::from("= ").gives(sentence!("{value}")),
        Err(error) if error.makes_zero() => {
            Step::from(sentence!("has no value: {error}, and PBS then uses ")).gives("0")
        }
        Err(error) => Step::from(sentence!("cannot be computed for {name}: {error}")),
    };
    let numbers = Step::from(shown_text(formula.with_numbers(&inputs).as_bytes()));
    Some([numbers, result])
}
