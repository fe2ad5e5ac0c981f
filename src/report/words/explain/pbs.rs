//! PBS's numbers in words.
//!
//! PBS has two orders: by `fairshare_factor` with a formula, and without one by usage over target, level by level from the
//! top. Both are derived, the one that ranks before the other. Its portions have 32 bits, and every node starts at usage 1.

use super::compared_numbers;
use super::why::{
    self, Derivation, Step, Why, against, level_place, number, opening, others_used_less, root,
    times, without_numbers,
};
use crate::base::number::{amount, fraction, grouped, ordinal, percent, word_for};
use crate::base::shown::{Shown, sentence, shown, shown_text};
use crate::model::{Kind, NodeId};
use crate::report::View;
use crate::report::render::line::{Emphasis, Line};
use crate::rules::policy::formula::{Formula, Inputs};
use crate::rules::policy::pbs::{INITIAL_USAGE, PbsExplanation, PbsLevel};
use crate::rules::policy::{self, ColumnId, Level, Policy, deciding};

/// A level of the path to a node, with PBS's numbers.
#[derive(Clone, Copy)]
struct PbsPathLevel<'a> {
    /// The tree with its numbers.
    view: &'a View<'a>,
    /// The usage of the whole tree.
    root_usage: f64,
    /// The level of the group above; `None` for the topmost.
    above: Option<&'a PbsLevel>,
    /// The numbers of the node.
    own: &'a PbsLevel,
}

impl<'a> PbsPathLevel<'a> {
    /// Returns the levels of a path, from the top.
    fn path(view: &'a View<'a>, explanation: &'a PbsExplanation) -> Vec<Self> {
        let mut path = Vec::new();
        let mut above = None;
        for own in explanation.levels.iter() {
            path.push(Self {
                view,
                root_usage: explanation.root_usage,
                above,
                own,
            });
            above = Some(own);
        }
        path
    }

    /// Returns the node.
    const fn node(&self) -> NodeId {
        self.own.common.node
    }

    /// Returns the name of the node.
    fn name(&self) -> Shown {
        self.view.label(self.node())
    }

    /// Returns a step for the node.
    fn step(&self, inputs: impl Into<Shown>) -> Step {
        Step::of(self.name(), inputs)
    }

    /// Returns whether no usage was recorded for the node.
    fn lacks_usage(&self) -> bool {
        let usage = self.view.tree.usage(self.node());
        usage.amount().is_none()
    }

    /// Returns whether the target of the node is 0%.
    fn is_without_target(&self) -> bool {
        self.own.fairshare_perc == 0.0
    }

    /// Returns how the target of the node came about.
    fn target(&self) -> Step {
        let target = part_percent(self.own.fairshare_perc);
        if let Some(above) = self.above
            && above.fairshare_perc == 0.0
        {
            let step = self.step("below a target of 0% all targets are ");
            return step.gives(target);
        }
        let portion = part_percent(self.own.group_percentage);
        let inputs = self.shares();
        let Some(above) = self.above else {
            return self.step(inputs).gives(portion);
        };
        let of_group = part_percent(above.fairshare_perc);
        let step = self.step(sentence!("{portion} × {of_group} = "));
        step.after(sentence!("{inputs}{portion}; ")).gives(target)
    }

    /// Returns the shares of the node against those of its level, up to their ratio.
    fn shares(&self) -> Shown {
        let all = self.own.family_shares;
        if all == 0 {
            return "the shares of its level add up to 0: ".into();
        }
        let word = word_for(all, "share", "shares");
        let own = grouped(self.own.shares);
        let whole = grouped(all);
        let sum = self.level_shares();
        if sum == i64::from(all) {
            return sentence!("{own} / {whole} {word} = ");
        }
        let unwrapped = grouped(sum);
        sentence!("{own} / {whole} {word} ({unwrapped} overflow PBS's 32 bits) = ")
    }

    /// Returns the sum of the shares of the node's level, which may be more than PBS's 32 bits hold.
    fn level_shares(&self) -> i64 {
        let tree = self.view.tree;
        let mut sum = 0;
        if let Some(parent) = tree.parent(self.node()) {
            for member in tree.children(parent) {
                sum += tree.shares(member).count().unwrap_or(0);
            }
        }
        sum
    }

    /// Returns how the effective usage of the node came about.
    fn effective(&self) -> Step {
        let level = self.own;
        let emphasis = over_or_under(level);
        let own = part_fraction(level.own_usage);
        let usage = amount(level.usage);
        let all = amount(self.root_usage);
        let portion = sentence!("{usage} / {all} = ");
        if self.above.is_none() {
            return self.step(portion).gives_as(emphasis, own);
        }
        let parent = part_fraction(level.parent_tree_usage);
        let part = part_fraction(level.group_percentage);
        let step = self.step(sentence!("{own} + ({parent} - {own}) × {part} = "));
        let whole = part_fraction(level.fairshare_tree_usage);
        step.after(sentence!("{portion}{own}; "))
            .gives_as(emphasis, whole)
    }

    /// Returns how the factor of the node came about.
    fn factor(&self) -> Step {
        let result = fraction(self.own.fairshare_factor);
        if self.is_without_target() {
            return self.step("a target of 0% gives ").gives(result);
        }
        let usage = part_fraction(self.own.fairshare_tree_usage);
        let target = part_fraction(self.own.fairshare_perc);
        let step = self.step(sentence!("2^-({usage} / {target}) = "));
        step.gives(result)
    }

    /// Returns the number by which PBS walks down the tree, and the place that it gives.
    fn walk(&self) -> Step {
        let place = level_place(&self.own.common);
        if self.is_without_target() {
            return self.step("a target of 0% ranks last").noting(place);
        }
        let usage = amount(self.own.usage);
        let target = part_fraction(self.own.fairshare_perc);
        let quotient = amount(self.own.usage_over_perc);
        let step = self.step(sentence!("{usage} / {target} = "));
        step.gives(quotient).noting(place)
    }

    /// Returns the place of the level among its siblings; `None` if none is ahead.
    fn place(&self) -> Option<Shown> {
        let common = &self.own.common;
        let ahead = self.view.label(common.sibling_ahead?);
        let place = ordinal(common.siblings_ahead + 1);
        let count = grouped(common.sibling_count + 1);
        Some(sentence!(
            "{place} of {count} siblings, just behind {ahead}"
        ))
    }
}

/// Returns a portion of 32 bits as a percentage.
fn part_percent(portion: f32) -> Shown {
    percent(f64::from(portion))
}

/// Returns a number of 32 bits with six decimals.
fn part_fraction(number: f32) -> Shown {
    fraction(f64::from(number))
}

/// Returns why a node has its rank.
pub(super) fn why(
    view: &View<'_>,
    outer: &policy::Explanation,
    explanation: &PbsExplanation,
) -> Why {
    let sentence = sentence(view, outer, explanation);
    let path = PbsPathLevel::path(view, explanation);
    let Some(last) = path.last() else {
        return sentence.into();
    };
    let mut derivations = derivations(view, explanation.node, &path, last);
    if path.iter().any(PbsPathLevel::lacks_usage)
        && let Some(derivation) = derivations.last_mut()
    {
        let note = initial_usage(explanation, last.own);
        derivation.notes.extend(note);
    }
    Why {
        sentence,
        derivations,
    }
}

/// Returns how the numbers of a path came about, those of the current order before the others.
fn derivations(
    view: &View<'_>,
    node: NodeId,
    path: &[PbsPathLevel<'_>],
    last: &PbsPathLevel<'_>,
) -> Vec<Derivation> {
    let account = view.settings.noun().one;
    let of_level =
        sentence!("fairshare_perc = shares / shares of the level × the {account}'s target");
    let by_level = "usage / fairshare_perc, level by level from the top; the smaller runs first";
    let of_account =
        sentence!("fairshare_tree_usage = own + (the {account}'s - own) × portion of the level");
    let of_usage = "fairshare_factor = 2^-(fairshare_tree_usage / fairshare_perc)";
    let mut target = Derivation::of("Target", of_level).along(path, PbsPathLevel::target);
    target.notes.extend(namesakes(view, node));
    let order = Derivation::of("Without a job_sort_formula", by_level);
    let walk = order.along(path, PbsPathLevel::walk);
    let usage = Derivation::of("Effective usage", of_account);
    let effective = usage.along(path, PbsPathLevel::effective);
    let factor = Derivation::of("Factor", of_usage).with([last.factor()]);
    match view.policy {
        Policy::PbsWalk => vec![target, walk, effective, factor],
        _ => vec![target, effective, factor, walk],
    }
}

/// Returns shares, usage and what comes of them, a line each.
pub(super) fn in_brief(view: &View<'_>, explanation: &PbsExplanation) -> Vec<Line> {
    let path = PbsPathLevel::path(view, explanation);
    let Some(last) = path.last() else {
        return Vec::new();
    };
    let shares = why::in_brief("Shares", &path, PbsPathLevel::target);
    if view.policy == Policy::PbsWalk {
        let walk = why::in_brief("Usage/perc", &path, PbsPathLevel::walk);
        return vec![shares, walk];
    }
    let effective = last.effective().computation();
    let usage = why::line_in_brief("Effective usage", effective);
    let mut lines = vec![shares, usage];
    if view.policy == Policy::Formula {
        lines.extend(formula_in_brief(view, explanation.node));
    } else {
        let factor = last.factor().computation();
        lines.push(why::line_in_brief("Factor", factor));
    }
    lines
}

/// Returns the user of an entity named GROUP:USER; `None` for other names.
fn entity_user<'a>(view: &View<'a>, node: NodeId) -> Option<&'a [u8]> {
    let name = view.tree.name(node);
    let colon = name.iter().position(|&byte| byte == b':')?;
    let user = colon + 1;
    Some(&name[user..])
}

/// Returns that a user has entities in other groups too, as with `egroup:euser`, where each is named GROUP:USER.
fn namesakes(view: &View<'_>, node: NodeId) -> Option<Shown> {
    if view.settings.pbs.fairshare_entity != "egroup:euser" {
        return None;
    }
    let own = entity_user(view, node)?;
    let mut others = Vec::new();
    for user in view.tree.users() {
        let is_namesake = entity_user(view, user) == Some(own);
        if is_namesake && user != node {
            others.push(view.path(user));
        }
    }
    if others.is_empty() {
        return None;
    }
    let name = shown(own);
    let elsewhere = others.join(", ");
    Some(sentence!(
        "{name} has shares and usage of its own in each group, here and as {elsewhere}: fairshare_entity is egroup:euser, so a \
         job charges GROUP:USER."
    ))
}

/// Returns the effect of PBS's initial usage on the numbers. `None` if the digits shown are the same without it.
fn initial_usage(explanation: &PbsExplanation, last: &PbsLevel) -> Option<Shown> {
    let note = "PBS starts every node at usage 1 and adds what was recorded below it";
    let Some(documented) = explanation.without_initial_usage else {
        return Some(sentence!("{note}."));
    };
    let usage = fraction(documented.fairshare_tree_usage);
    let factor = fraction(documented.fairshare_factor);
    let is_same_usage = part_fraction(last.fairshare_tree_usage) == usage;
    let is_same_factor = fraction(last.fairshare_factor) == factor;
    if is_same_usage && is_same_factor {
        return None;
    }
    Some(sentence!(
        "{note}; without that 1 the tree usage would be {usage} and the factor {factor}."
    ))
}

/// Returns how the effective usage of a level is emphasized beside its target.
fn over_or_under(level: &PbsLevel) -> Emphasis {
    let used = f64::from(level.fairshare_tree_usage);
    let target = f64::from(level.fairshare_perc);
    against(used, target)
}

/// Returns the sentence of a node: its rank, and its usage against its target.
fn sentence(view: &View<'_>, outer: &policy::Explanation, explanation: &PbsExplanation) -> Line {
    let path = PbsPathLevel::path(view, explanation);
    let Some(own) = path.last() else {
        if explanation.node == NodeId::ROOT {
            return root(view, view.tree.user_count(), "");
        }
        let name = Line::strong(view.label(explanation.node));
        return name.plain(without_numbers(view));
    };
    let opening = opening(view, outer);
    if own.is_without_target() {
        let reason = no_share(view, explanation);
        return opening.plain(reason);
    }
    if explanation.root_usage <= INITIAL_USAGE {
        let text = "nobody has used anything. PBS starts every node at usage 1, so the larger target ranks first.";
        return opening.plain(text);
    }
    if view.policy == Policy::PbsWalk {
        let standing = standing(&path, outer);
        return opening.plain(standing);
    }
    if let Some(inherited) = inherited(own) {
        return opening.plain(inherited);
    }
    let effective = f64::from(own.own.fairshare_tree_usage);
    let target = f64::from(own.own.fairshare_perc);
    let used = used(own);
    let times = times(effective, target);
    let whole = fraction(target);
    let emphasis = over_or_under(own.own);
    opening
        .plain(sentence!("{used}, and its effective usage "))
        .and(emphasis, fraction(effective))
        .plain(sentence!(" is {times} its target {whole}."))
}

/// Returns what a node has used of the usage of its group.
fn used(own: &PbsPathLevel<'_>) -> Shown {
    let view = own.view;
    let tree = view.tree;
    let node = own.node();
    if !view.policy.has_used(tree, view.evaluation, node) {
        return match tree.kind(node) {
            Kind::Account => "it has used nothing".into(),
            Kind::User | Kind::Others => "it has used nothing itself".into(),
        };
    }
    let usage = amount(own.own.usage);
    let parent = tree.parent(node).unwrap_or(NodeId::ROOT);
    if parent == NodeId::ROOT {
        let whole = amount(own.root_usage);
        return sentence!("it has used {usage} of all {whole}");
    }
    let group = view.label(parent);
    let group_usage = number(view, ColumnId::Usage, parent);
    let whole = amount(group_usage);
    sentence!("it has used {usage} of {group}'s {whole}")
}

/// Returns the level that puts the most users ahead, and for a group without users the topmost with siblings ahead; and
/// the place of the node among its siblings.
fn standing(path: &[PbsPathLevel<'_>], outer: &policy::Explanation) -> Shown {
    let Some(own) = path.last() else {
        return Shown::default();
    };
    let inside = inside(own);
    match held_back(path, outer) {
        Some(cause) if inside.is_empty() => cause,
        Some(cause) => sentence!("{cause} Inside {inside}"),
        None if inside.is_empty() => unhindered(own.view, &outer.levels),
        None => sentence!("inside {inside}"),
    }
}

/// Returns which group above holds a node back; `None` if none does.
fn held_back(path: &[PbsPathLevel<'_>], outer: &policy::Explanation) -> Option<Shown> {
    let own = path.last()?;
    let view = own.view;
    let cause = if view.evaluation.best_rank(outer.node).is_some() {
        let deciding = deciding(&outer.levels)?;
        path.iter().find(|level| level.node() == deciding.node)?
    } else {
        let mut above = path.iter();
        above.find(|level| level.own.common.sibling_ahead.is_some())?
    };
    if cause.node() == outer.node {
        return None;
    }
    let level = cause.own;
    let name = cause.name();
    let used = part_percent(level.own_usage);
    let target = part_percent(level.fairshare_perc);
    let others = others_used_less(view, &level.common, level.is_over_share);
    let held_back = sentence!(
        "it is held back by {name}, which has used {used} of all usage, target {target}{others}"
    );
    Some(match cause.place() {
        Some(place) => sentence!("{held_back} ({place})."),
        None => sentence!("{held_back}."),
    })
}

/// Returns the place of a node inside its group, which comes first; empty if no sibling is ahead.
fn inside(own: &PbsPathLevel<'_>) -> Shown {
    let view = own.view;
    let node = own.node();
    let Some(ahead) = own.own.common.sibling_ahead else {
        return Shown::default();
    };
    let Some(place) = own.place() else {
        return Shown::default();
    };
    let numbers = compared_numbers(view, ColumnId::UsageOverPerc, node, ahead);
    let parent = view.tree.parent(node).unwrap_or(NodeId::ROOT);
    let account = view.label(parent);
    let number = numbers.own;
    let other = numbers.other;
    sentence!("{account}, it is {place} (usage/perc {number} against {other}).")
}

/// Returns that no level holds a node back.
fn unhindered(view: &View<'_>, levels: &[Level]) -> Shown {
    let mut text = Shown::from("first of its siblings on every level of its path");
    if levels.iter().any(|level| level.siblings_ahead > 0) {
        let many = view.settings.noun().many;
        text += &sentence!(", apart from {many} without users");
    }
    if levels.iter().any(|level| level.users_ahead > 0) {
        let tie =
            ", but one of them ties with others, and their members are compared with each other";
        text += &tie.into();
    }
    sentence!("{text}.")
}

/// Returns why a node has no target, and what becomes of its jobs.
fn no_share(view: &View<'_>, explanation: &PbsExplanation) -> Shown {
    let cause = without_target(view, explanation);
    let end = jobs_without_target(view, explanation);
    sentence!("{cause}, so its target is 0%, its factor is 0, {end}.")
}

/// Returns why a node has no target: the topmost level of its path without one.
fn without_target(view: &View<'_>, explanation: &PbsExplanation) -> Shown {
    let mut levels = explanation.levels.iter();
    let Some(level) = levels.find(|level| level.fairshare_perc == 0.0) else {
        return "it has no shares".into();
    };
    let node = level.common.node;
    let name = view.label(node);
    let is_itself = node == explanation.node;
    if level.shares == 0 {
        if is_itself {
            return "it has no shares".into();
        }
        return sentence!("{name} above it has no shares");
    }
    let whose = if is_itself {
        "its".into()
    } else {
        sentence!("{name}'s")
    };
    if level.family_shares == 0 {
        return sentence!("the shares of {whose} level overflow PBS's 32 bits and add up to 0");
    }
    sentence!("{whose} portion of the tree is too small for PBS's 32-bit numbers")
}

/// Returns what becomes of the jobs of a node without a target.
fn jobs_without_target(view: &View<'_>, explanation: &PbsExplanation) -> Shown {
    let settings = &view.settings.pbs;
    if explanation.never_runs {
        return match settings.fair_share.period() {
            None => "and PBS never runs its jobs while fairshare_enforce_no_shares is true".into(),
            Some(period) => sentence!(
                "and PBS runs none of its jobs in {period} time while fairshare_enforce_no_shares is true"
            ),
        };
    }
    let is_walk = view.policy == Policy::PbsWalk;
    if settings.fair_share.is_on() && !settings.fairshare_enforce_no_shares {
        let behind = if is_walk {
            "rank last among its siblings"
        } else {
            "rank last"
        };
        return sentence!(
            "and its jobs {behind}; what fits beside the jobs of others starts, although PBS's guide says that they \
             run only when no others are available"
        );
    }
    if is_walk {
        "and it ranks after every sibling with a target".into()
    } else {
        "and it ranks after every node with a target".into()
    }
}

/// Returns the portion of the group's usage that counts for a node, if most of its effective usage comes from there.
pub(super) fn inherited_portion(level: &PbsLevel) -> Option<f64> {
    let portion = level.group_percentage;
    let own_part = level.own_usage * (1.0 - portion);
    let account_part = level.parent_tree_usage * portion;
    if account_part > own_part {
        Some(f64::from(portion))
    } else {
        None
    }
}

/// Returns that most of a node's effective usage comes from its group, and from whom; `None` if it does not.
fn inherited(own: &PbsPathLevel<'_>) -> Option<Shown> {
    let view = own.view;
    let evaluation = view.evaluation;
    let node = own.node();
    let parent = view.tree.parent(node)?;
    if parent == NodeId::ROOT {
        return None;
    }
    let portion = inherited_portion(own.own)?;
    let sibling = own.own.common.heaviest_sibling?;
    let sibling_usage = evaluation.number(ColumnId::Usage, sibling)?;
    let usage = own.own.usage;
    if sibling_usage <= usage {
        return None;
    }
    let used = if view.policy.has_used(view.tree, evaluation, node) {
        let usage = amount(usage);
        sentence!("it has used {usage} itself")
    } else {
        "it has used nothing itself".into()
    };
    let account = view.label(parent);
    let account_usage = evaluation.number(ColumnId::Usage, parent)?;
    let whole = amount(account_usage);
    let part = percent(portion);
    let of_account = part_fraction(own.own.parent_tree_usage);
    let name = view.label(sibling);
    let noun = view.settings.noun().one;
    let of_sibling = amount(sibling_usage);
    Some(sentence!(
        "{used}, but {part} of {account}'s effective usage ({of_account}) counts against it. {name}, in the same {noun}, has used \
         {of_sibling} of {account}'s {whole}."
    ))
}

/// Returns the formula, with a node's numbers and its value.
pub(super) fn formula(view: &View<'_>, node: NodeId) -> Vec<Line> {
    let text = view.settings.formula.text();
    let formula = shown_text(text.as_bytes());
    let heading = Line::strong(sentence!("job_sort_formula: {formula}"));
    let mut lines = vec![heading];
    lines.extend(value(view, node));
    lines.push(Line::default());
    lines
}

/// Returns the formula with a node's numbers, and its value, in a line; `None` for a node that has none.
fn formula_in_brief(view: &View<'_>, node: NodeId) -> Option<Line> {
    let text = match Formula::of_settings(view.settings) {
        Err(error) => {
            let reason = error.sentence();
            sentence!("not valid: {reason}")
        }
        Ok(_) if view.tree.kind(node) == Kind::Account => no_jobs(view),
        Ok(formula) => {
            let valued = ValuedFormula::of(view, &formula, node)?;
            let numbers = valued.numbers.computation();
            let result = valued.result.computation();
            sentence!("{numbers} {result}")
        }
    };
    Some(why::line_in_brief("Formula", text))
}

/// Returns that a group has no value.
fn no_jobs(view: &View<'_>) -> Shown {
    let any = view.settings.noun().any;
    sentence!("PBS evaluates it for the jobs of users; {any} has none.")
}

/// Returns how the value of a node came about; no lines for a node without numbers.
fn value(view: &View<'_>, node: NodeId) -> Vec<Line> {
    let formula = match Formula::of_settings(view.settings) {
        Ok(formula) => formula,
        Err(error) => {
            let reason = error.sentence();
            let line = sentence!("  This formula is not valid: {reason}.");
            return vec![line.into()];
        }
    };
    let Some(valued) = ValuedFormula::of(view, &formula, node) else {
        return Vec::new();
    };
    if view.tree.kind(node) == Kind::Account {
        let reason = no_jobs(view);
        let line = Line::of(Emphasis::Dim, sentence!("  {reason}"));
        return vec![line];
    }
    let name = view.label(node);
    let what = sentence!("For a job of {name}");
    let rule = "numbers with the six decimals that PBS writes; the larger value runs first, and no job that starts \
                changes it before the next cycle";
    let derivation = Derivation::of(what, rule);
    let whole = derivation.with([valued.numbers, valued.result]);
    why::print(vec![whole])
}

/// The formula of a node.
struct ValuedFormula {
    /// The formula with the numbers of the node.
    numbers: Step,
    /// Its value, or why there is none.
    result: Step,
}

impl ValuedFormula {
    /// Returns the formula of a node; `None` for one without numbers.
    fn of(view: &View<'_>, formula: &Formula, node: NodeId) -> Option<Self> {
        let job = &view.settings.formula.resources;
        let inputs = Inputs::of_node(view.evaluation, node, job)?;
        let numbers = formula.with_numbers(&inputs);
        let result = match formula.value(&inputs) {
            Ok(value) => Step::from("= ").gives(sentence!("{value}")),
            Err(error) if error.makes_zero() => {
                Step::from(sentence!("has no value: {error}, and PBS then uses ")).gives("0")
            }
            Err(error) => {
                let name = view.label(node);
                Step::from(sentence!("cannot be computed for {name}: {error}"))
            }
        };
        Some(Self {
            numbers: shown_text(numbers.as_bytes()).into(),
            result,
        })
    }
}
