//! The derivation of a node's rank as values, the one printer of them, and the words that all policies share.
//!
//! A derivation is a formula and a step for each level of the path, which is the formula with the numbers of that level. Of a
//! long path only the levels at both ends have steps.

use crate::base::number::{amount, counted, fraction, ordinal, percent};
use crate::base::shown::{Shown, cells, sentence};
use crate::model::NodeId;
use crate::report::View;
use crate::report::render::line::{Emphasis, Line};
use crate::rules::policy::{ColumnId, Explanation, Level, Policy};

/// The number of levels written out at the top and at the bottom of a long path.
const WRITTEN_OUT: usize = 8;

/// From here on a multiple has no decimals.
const LARGE: f64 = 1000.0;

/// Why a node has its rank.
pub(super) struct Why {
    /// A sentence, as an admin would give it to a user.
    pub(super) sentence: Line,
    /// The numbers behind it; none for a node without numbers.
    pub(super) derivations: Vec<Derivation>,
}

impl From<Line> for Why {
    fn from(sentence: Line) -> Self {
        Self {
            sentence,
            derivations: Vec::new(),
        }
    }
}

/// A level of the path to a node, with the numbers of the policy.
#[derive(Clone, Copy)]
pub(super) struct PathLevel<'a> {
    /// The tree with its numbers.
    pub(super) view: &'a View<'a>,
    /// What the node of the level competes with.
    pub(super) own: &'a Level,
}

impl<'a> PathLevel<'a> {
    /// Returns the levels of a path, from the top.
    pub(super) fn path(view: &'a View<'a>, levels: &'a [Level]) -> Vec<Self> {
        let mut path = Vec::new();
        for own in levels {
            path.push(Self { view, own });
        }
        path
    }

    /// Returns the name of the node.
    pub(super) fn name(&self) -> Shown {
        self.view.label(self.own.node)
    }

    /// Returns the name of the account on whose level the node competes.
    pub(super) fn account_name(&self) -> Shown {
        self.view.label(self.own.account)
    }

    /// Returns a number of the node; NaN if there is none.
    pub(super) fn number(&self, column: ColumnId) -> f64 {
        number(self.view, column, self.own.node)
    }

    /// Returns a number of the account; NaN if there is none.
    pub(super) fn account_number(&self, column: ColumnId) -> f64 {
        number(self.view, column, self.own.account)
    }

    /// Returns the usage of the node; NaN if there is none.
    pub(super) fn usage(&self) -> f64 {
        self.number(ColumnId::Usage)
    }

    /// Returns the usage of the account; NaN if there is none.
    pub(super) fn account_usage(&self) -> f64 {
        self.account_number(ColumnId::Usage)
    }

    /// Returns the portion of the shares that Slurm compares the usage with; NaN if there is none.
    pub(super) fn target(&self) -> f64 {
        self.number(ColumnId::NormShares)
    }

    /// Returns the portion of the usage that Slurm compares with the target; NaN if there is none.
    pub(super) fn effective_usage(&self) -> f64 {
        self.number(ColumnId::EffectvUsage)
    }

    /// Returns a number of the node with six decimals.
    pub(super) fn fraction(&self, column: ColumnId) -> Shown {
        fraction(self.number(column))
    }

    /// Returns whether the node is the last one of a path.
    pub(super) fn is_end_of(&self, levels: &[Level]) -> bool {
        match levels.last() {
            Some(last) => last.node == self.own.node,
            None => false,
        }
    }

    /// Returns a step for the node.
    pub(super) fn step(&self, inputs: impl Into<Shown>) -> Step {
        Step::of(self.name(), inputs)
    }
}

/// How the numbers of a path, or one number, came about.
#[derive(Default)]
pub(super) struct Derivation {
    /// The number.
    what: Shown,
    /// How it is computed.
    formula: Shown,
    /// A drawing between the formula and the steps; empty for none.
    pub(super) drawing: Vec<Line>,
    /// The formula with the numbers of each level, from the top.
    steps: Vec<Step>,
    /// How many levels in the middle of a long path have no step.
    left_out: usize,
    /// What is said below the steps.
    pub(super) notes: Vec<Shown>,
}

/// The formula with the numbers of one node.
#[derive(Default)]
pub(super) struct Step {
    /// What the numbers are of, usually a node. `None` if they name it themselves.
    label: Option<Shown>,
    /// What is computed before, ready to precede the numbers.
    first: Shown,
    /// The numbers, up to the result.
    inputs: Shown,
    /// The result; empty if the step has none of its own.
    result: Line,
    /// Remarks, each after a semicolon.
    notes: Line,
}

impl Derivation {
    /// Returns a derivation without steps.
    pub(super) fn of(what: impl Into<Shown>, formula: impl Into<Shown>) -> Self {
        Self {
            what: what.into(),
            formula: formula.into(),
            ..Self::default()
        }
    }

    /// Returns the derivation with further steps.
    pub(super) fn with(mut self, steps: impl IntoIterator<Item = Step>) -> Self {
        self.steps.extend(steps);
        self
    }

    /// Returns the derivation with a step for each level, from the top.
    pub(super) fn along<L>(mut self, levels: &[L], step: impl Fn(&L) -> Step) -> Self {
        let top = levels.len().min(WRITTEN_OUT);
        self.left_out = levels.len().saturating_sub(2 * WRITTEN_OUT);
        let bottom = top + self.left_out;
        for level in &levels[..top] {
            self.steps.push(step(level));
        }
        for level in &levels[bottom..] {
            self.steps.push(step(level));
        }
        self
    }

    /// Returns the derivation with a further note.
    pub(super) fn noting(mut self, note: impl Into<Shown>) -> Self {
        self.notes.push(note.into());
        self
    }
}

impl<T: Into<Shown>> From<T> for Step {
    fn from(inputs: T) -> Self {
        Self {
            inputs: inputs.into(),
            ..Self::default()
        }
    }
}

impl Step {
    /// Returns a step that has no result of its own.
    pub(super) fn of(label: impl Into<Shown>, inputs: impl Into<Shown>) -> Self {
        Self {
            label: Some(label.into()),
            ..Self::from(inputs)
        }
    }

    /// Returns the step with what is computed before it.
    pub(super) fn after(mut self, first: impl Into<Shown>) -> Self {
        self.first = first.into();
        self
    }

    /// Returns the step with its result.
    pub(super) fn gives(self, result: impl Into<Shown>) -> Self {
        self.gives_as(Emphasis::Strong, result)
    }

    /// Returns the step with its result, emphasized so.
    pub(super) fn gives_as(mut self, emphasis: Emphasis, result: impl Into<Shown>) -> Self {
        self.result = Line::of(emphasis, result);
        self
    }

    /// Returns the step with a remark, which follows a semicolon.
    pub(super) fn noting(self, note: impl Into<Shown>) -> Self {
        self.noting_as(Emphasis::Dim, note)
    }

    /// Returns the step with a remark, emphasized so.
    pub(super) fn noting_as(mut self, emphasis: Emphasis, note: impl Into<Shown>) -> Self {
        let note = note.into();
        self.notes = self.notes.and(emphasis, sentence!("; {note}"));
        self
    }

    /// Returns the numbers and the result, without the name of the node.
    pub(super) fn computation(&self) -> Shown {
        let inputs = &self.inputs;
        let result = self.result.text();
        sentence!("{inputs}{result}")
    }

    /// Returns the name of the node.
    fn name(&self) -> Shown {
        self.label.clone().unwrap_or_default()
    }

    /// Returns the result after the name of the node, or what it has instead of one.
    pub(super) fn outcome(&self) -> Shown {
        let name = self.name();
        let result = self.result.text();
        if result.is_empty() {
            let inputs = &self.inputs;
            return sentence!("{name} {inputs}");
        }
        sentence!("{name} {result}")
    }

    /// Returns the line of the step, with its label as wide as the others.
    fn print(self, width: usize) -> Line {
        let mut start = Shown::from("  ");
        if let Some(label) = &self.label {
            start += label;
            start.pad(width - cells(label) + 2);
        }
        let mut line = Line::from(start + &self.first + &self.inputs);
        line.spans.extend(self.result.spans);
        line.spans.extend(self.notes.spans);
        line
    }
}

/// The levels that are named at the top and at the bottom of a path in brief.
const NAMED_IN_BRIEF: usize = 3;

/// Returns a line with the results of all levels, from the top, and with what the last one is computed from.
pub(super) fn in_brief<L>(what: &'static str, levels: &[L], step: impl Fn(&L) -> Step) -> Line {
    let Some((last, above)) = levels.split_last() else {
        return Line::default();
    };
    let own = step(last);
    let name = own.name();
    let computation = own.computation();
    let end = sentence!("{name} {computation}");
    path_in_brief(what, above, step, end)
}

/// Returns a line with the results of the accounts of a path, from the top, before the text of its end.
pub(super) fn path_in_brief<L>(
    what: &'static str,
    above: &[L],
    step: impl Fn(&L) -> Step,
    end: Shown,
) -> Line {
    let top = above.len().min(NAMED_IN_BRIEF);
    let left_out = above.len().saturating_sub(2 * NAMED_IN_BRIEF);
    let bottom = top + left_out;
    let mut parts = Vec::new();
    for level in &above[..top] {
        parts.push(step(level).outcome());
    }
    if left_out > 0 {
        let levels = counted(left_out, "level", "levels");
        parts.push(sentence!("… {levels}"));
    }
    for level in &above[bottom..] {
        parts.push(step(level).outcome());
    }
    parts.push(end);
    let text = Shown::joined(parts, ", ");
    line_in_brief(what, text)
}

/// Returns a line of an explanation in brief.
pub(super) fn line_in_brief(what: &'static str, text: impl Into<Shown>) -> Line {
    let text = text.into();
    Line::strong(what).plain(sentence!(": {text}"))
}

/// Returns the heading of lines: their subject, and how it is computed.
pub(super) fn heading(what: impl Into<Shown>, how: impl Into<Shown>) -> Line {
    let how = how.into();
    Line::strong(what).and(Emphasis::Dim, sentence!(": {how}"))
}

/// Returns the lines of derivations, whose labels are all as wide as the longest.
pub(super) fn print(derivations: Vec<Derivation>) -> Vec<Line> {
    let mut width = 0;
    for derivation in &derivations {
        for step in &derivation.steps {
            if let Some(label) = &step.label {
                width = width.max(cells(label));
            }
        }
    }
    let mut lines = Vec::new();
    for derivation in derivations {
        lines.push(heading(derivation.what, derivation.formula));
        lines.extend(derivation.drawing);
        for step in derivation.steps {
            lines.push(step.print(width));
        }
        if derivation.left_out > 0 {
            let left_out = counted(derivation.left_out, "level", "levels");
            let gap = Line::of(Emphasis::Dim, sentence!("  … {left_out} in between"));
            lines.insert(lines.len() - WRITTEN_OUT, gap);
        }
        for note in derivation.notes {
            lines.push(Line::of(Emphasis::Dim, note));
        }
    }
    lines
}

/// Returns a number of the policy; NaN, which is shown as such, if there is none.
pub(crate) fn number(view: &View<'_>, column: ColumnId, node: NodeId) -> f64 {
    let number = view.evaluation.number(column, node);
    number.unwrap_or(f64::NAN)
}

/// Returns the usage of the whole tree; NaN if there is none.
pub(super) fn root_usage(view: &View<'_>) -> f64 {
    number(view, ColumnId::Usage, NodeId::ROOT)
}

/// Returns the sentence for the root. `rest` follows the shares.
pub(super) fn root(view: &View<'_>, user_count: usize, rest: &str) -> Line {
    let name = Line::strong(view.label(NodeId::ROOT));
    let users = counted(user_count, "user", "users");
    let usage = amount(root_usage(view));
    name.plain(sentence!(
        " is the root: all of the shares{rest}, usage {usage} in all, {users} below it."
    ))
}

/// Returns the beginning of a sentence: the name, and the rank of a user.
pub(super) fn opening(view: &View<'_>, explanation: &Explanation) -> Line {
    let name = Line::strong(view.label(explanation.node));
    let place = rank_in_words(view, explanation);
    name.plain(sentence!("{place}: "))
}

/// Returns why the policy gives a node no numbers, to follow its name.
pub(crate) fn without_numbers(view: &View<'_>) -> Shown {
    let any = view.settings.noun().any;
    if view.policy == Policy::Flux {
        return sentence!(
            " has no numbers: it or {any} above it is inactive, or has shares `parent`, which Flux does not know."
        );
    }
    sentence!(" has no numbers: it or {any} above it has shares `parent`, which PBS does not know.")
}

/// Returns why the shares of a level add up to 0.
pub(super) const fn no_level_shares(level: &Level) -> &'static str {
    if level.has_wrapped {
        "the shares of its level overflow 32 bits and add up to 0"
    } else {
        "nobody on its level has shares"
    }
}

/// Returns how a usage is emphasized beside its target.
pub(super) fn against(used: f64, share: f64) -> Emphasis {
    if used > share {
        Emphasis::Over
    } else if used < share {
        Emphasis::Under
    } else {
        Emphasis::Plain
    }
}

/// Returns what follows the name: ` is 3rd of 4`, ` is 1st of 4, tied with 1 other`, or without a rank ` is a user`.
pub(crate) fn rank_in_words(view: &View<'_>, explanation: &Explanation) -> Shown {
    if let Some(least) = view.evaluation.least_rank(explanation.node)
        && least > 1
    {
        let rank = ordinal(least as usize);
        return sentence!(" is at best {rank}");
    }
    match rank_of_all(explanation) {
        Some(rank) => sentence!(" is {rank}"),
        None if explanation.is_user(view.tree) => " is a user".into(),
        None => {
            let account = view.settings.noun().any;
            sentence!(" is {account}")
        }
    }
}

/// Returns a rank among all: `3rd of 4`, `1st of 4, tied with 1 other`; `None` without one.
pub(crate) fn rank_of_all(explanation: &Explanation) -> Option<Shown> {
    let rank = explanation.rank?;
    let place = ordinal(rank as usize);
    let users = amount(explanation.user_count as f64);
    if explanation.tied == 0 {
        return Some(sentence!("{place} of {users}"));
    }
    let others = counted(explanation.tied, "other", "others");
    Some(sentence!("{place} of {users}, tied with {others}"))
}

/// Returns why a level may be behind although it is not over its target, to follow its usage and its target, under a
/// policy by whose number the siblings ahead used no larger part of their shares.
pub(super) fn others_used_less(view: &View<'_>, level: &Level, is_over: bool) -> &'static str {
    if is_over {
        return "";
    }
    if has_used_less(view, level) == Some(true) {
        return ", but others used less of theirs";
    }
    ", and others that tie with it come first"
}

/// Returns whether the sibling just ahead used a smaller part of its share; `None` without one or a served ratio.
fn has_used_less(view: &View<'_>, level: &Level) -> Option<bool> {
    let policy = view.policy;
    let sibling = level.sibling_ahead?;
    let ahead = policy.served(view.tree, view.evaluation, sibling)?;
    let own = policy.served(view.tree, view.evaluation, level.node)?;
    Some(ahead < own)
}

/// Returns how many times its target an effective usage is, in words.
pub(super) fn times(effective: f64, target: f64) -> Shown {
    if effective.to_bits() == target.to_bits() {
        return "exactly".into();
    }
    let ratio = effective / target;
    if ratio >= LARGE {
        let multiple = amount(ratio.round());
        sentence!("{multiple} times")
    } else if ratio >= 1.0 {
        sentence!("{ratio:.2} times")
    } else {
        let part = percent(ratio);
        sentence!("{part} of")
    }
}

/// Returns the place of a node among those siblings that are listed: `2nd of 5 listed siblings, tied with 1`.
fn listed_place(level: &Level) -> Shown {
    if level.sibling_count == 0 {
        return "its siblings are not listed".into();
    }
    let place = ordinal(level.siblings_ahead + 1);
    let siblings = amount((level.sibling_count + 1) as f64);
    let tie = tie(level);
    sentence!("{place} of {siblings} listed siblings{tie}")
}

/// Returns with how many siblings a node ties, to follow its place; empty without a tie.
fn tie(level: &Level) -> Shown {
    if level.siblings_tied == 0 {
        return Shown::default();
    }
    let tied = amount(level.siblings_tied as f64);
    sentence!(", tied with {tied}")
}

/// Returns the place of a node among its siblings: `first of 3 siblings`, `2nd of 5 siblings, tied with 1`, `ahead of
/// its only sibling`.
pub(crate) fn level_place(level: &Level) -> Shown {
    if level.listed.is_part() {
        return listed_place(level);
    }
    let place = match level.sibling_count {
        0 => return "alone on its level".into(),
        1 if level.siblings_tied > 0 => return "tied with its only sibling".into(),
        1 if level.siblings_ahead == 0 => return "ahead of its only sibling".into(),
        1 => return "behind its only sibling".into(),
        _ if level.siblings_ahead == 0 => "first".into(),
        siblings if level.siblings_ahead == siblings => "last".into(),
        _ => ordinal(level.siblings_ahead + 1),
    };
    let siblings = amount((level.sibling_count + 1) as f64);
    let tie = tie(level);
    sentence!("{place} of {siblings} siblings{tie}")
}
