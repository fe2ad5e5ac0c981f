//! The derivation of a node's rank as values, the one printer of them, and the words that all policies share.

use crate::base::number::{amount, counted, ordinal, percent};
use crate::base::shown::{Shown, cells, sentence};
use crate::model::NodeId;
use crate::report::View;
use crate::report::render::line::{Emphasis, Line};
use crate::rules::policy::{ColumnId, Explanation, Level, Policy};

/// The number of levels written out at the top and at the bottom of a long path.
const WRITTEN_OUT: usize = 8;

/// From here on a multiple has no decimals.
const LARGE: f64 = 1000.0;

/// Why a node has its rank: a sentence, as an admin would give it to a user, and the numbers behind it.
pub(super) type Why = (Line, Vec<Derivation>);

#[derive(Default)]
pub(super) struct Derivation {
    what: Shown,
    formula: Shown,
    pub(super) drawing: Vec<Line>,
    steps: Vec<Step>,
    /// How many levels in the middle of a long path have no step.
    left_out: usize,
    pub(super) notes: Vec<Shown>,
}

/// The formula with the numbers of one node.
#[derive(Default)]
pub(super) struct Step {
    /// What the numbers are of, usually a node. `None` if they name it themselves.
    label: Option<Shown>,
    /// What is computed before, ready to precede the numbers.
    first: Shown,
    inputs: Shown,
    result: Line,
    notes: Line,
}

impl Derivation {
    pub(super) fn of(what: impl Into<Shown>, formula: impl Into<Shown>) -> Self {
        Self {
            what: what.into(),
            formula: formula.into(),
            ..Self::default()
        }
    }

    pub(super) fn with(mut self, steps: impl IntoIterator<Item = Step>) -> Self {
        self.steps.extend(steps);
        self
    }

    /// Returns the derivation with a step for each level, from the top.
    pub(super) fn along<L>(mut self, levels: &[L], step: impl Fn(&L) -> Step) -> Self {
        self.left_out = levels.len().saturating_sub(2 * WRITTEN_OUT);
        let (top, rest) = levels.split_at(levels.len().min(WRITTEN_OUT));
        let written_out = top.iter().chain(&rest[self.left_out..]);
        self.with(written_out.map(step))
    }

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

    pub(super) fn gives(self, result: impl Into<Shown>) -> Self {
        self.gives_as(Emphasis::Strong, result)
    }

    pub(super) fn gives_as(mut self, emphasis: Emphasis, result: impl Into<Shown>) -> Self {
        self.result = Line::of(emphasis, result);
        self
    }

    /// Returns the step with a remark, which follows a semicolon.
    pub(super) fn noting(self, note: impl Into<Shown>) -> Self {
        self.noting_as(Emphasis::Dim, note)
    }

    pub(super) fn noting_as(mut self, emphasis: Emphasis, note: impl Into<Shown>) -> Self {
        self.notes = self.notes.and(emphasis, sentence!("; {}", note.into()));
        self
    }

    /// Returns the numbers and the result, without the name of the node.
    pub(super) fn computation(&self) -> Shown {
        sentence!("{}{}", self.inputs, self.result.text())
    }

    /// Returns the result after the name of the node, or what it has in place of one.
    pub(super) fn outcome(&self) -> Shown {
        let label = self.label.clone().unwrap_or_default();
        match self.result.text() {
            none if none.is_empty() => sentence!("{label} {}", self.inputs),
            result => sentence!("{label} {result}"),
        }
    }

    fn print(self, width: usize) -> Line {
        let label = self.label.map_or_else(Shown::default, |label| {
            let blanks = " ".repeat(width - cells(&label));
            sentence!("{label}{blanks}  ")
        });
        let mut line = Line::from(sentence!("  {label}{}{}", self.first, self.inputs));
        line.spans.extend(self.result.spans);
        line.spans.extend(self.notes.spans);
        line
    }
}

/// The levels that are named at the top and at the bottom of a path in brief.
const NAMED_IN_BRIEF: usize = 3;

/// Returns a line with the results of all levels, from the top, and with what the last one is computed from.
pub(super) fn in_brief<L>(what: &'static str, levels: &[L], step: impl Fn(&L) -> Step) -> Line {
    let Some((own, above)) = levels.split_last() else {
        return Line::default();
    };
    let own = step(own);
    let label = own.label.clone().unwrap_or_default();
    let own = sentence!("{label} {}", own.computation());
    path_in_brief(what, above, step, own)
}

/// Returns a line with the results of the accounts of a path, from the top, before the text of its end.
pub(super) fn path_in_brief<L>(
    what: &'static str,
    above: &[L],
    step: impl Fn(&L) -> Step,
    own: Shown,
) -> Line {
    let (top, rest) = above.split_at(above.len().min(NAMED_IN_BRIEF));
    let left_out = rest.len().saturating_sub(NAMED_IN_BRIEF);
    let mut parts: Vec<Shown> = top.iter().map(|level| step(level).outcome()).collect();
    if left_out > 0 {
        parts.push(sentence!("… {}", counted(left_out, "level", "levels")));
    }
    parts.extend(rest[left_out..].iter().map(|level| step(level).outcome()));
    parts.push(own);
    line_in_brief(what, Shown::joined(parts, ", "))
}

/// Returns a line of an explanation in brief.
pub(super) fn line_in_brief(what: &'static str, text: impl Into<Shown>) -> Line {
    Line::strong(what).plain(sentence!(": {}", text.into()))
}

/// Returns the heading of lines: their subject, and how it is computed.
pub(super) fn heading(what: impl Into<Shown>, how: impl Into<Shown>) -> Line {
    Line::strong(what).and(Emphasis::Dim, sentence!(": {}", how.into()))
}

/// Returns the lines of derivations, whose labels are all as wide as the longest.
pub(super) fn print(derivations: Vec<Derivation>) -> Vec<Line> {
    let steps = derivations.iter().flat_map(|derivation| &derivation.steps);
    let labels = steps.filter_map(|step| step.label.as_deref());
    let width = labels.map(cells).max().unwrap_or(0);
    let mut lines = Vec::new();
    for derivation in derivations {
        lines.push(heading(derivation.what, derivation.formula));
        lines.extend(derivation.drawing);
        lines.extend(derivation.steps.into_iter().map(|step| step.print(width)));
        if derivation.left_out > 0 {
            let left_out = counted(derivation.left_out, "level", "levels");
            let gap = Line::of(Emphasis::Dim, sentence!("  … {left_out} in between"));
            lines.insert(lines.len() - WRITTEN_OUT, gap);
        }
        let notes = derivation.notes.into_iter();
        lines.extend(notes.map(|note| Line::of(Emphasis::Dim, note)));
    }
    lines
}

/// Returns a number of the policy; NaN, which is shown as such, if there is none.
pub(crate) fn number(view: &View<'_>, column: ColumnId, node: NodeId) -> f64 {
    view.evaluation.number(column, node).unwrap_or(f64::NAN)
}

/// Returns the sentence for the root. `rest` follows the shares.
pub(super) fn root(view: &View<'_>, user_count: usize, rest: &str) -> Line {
    let users = counted(user_count, "user", "users");
    let usage = amount(number(view, ColumnId::Usage, NodeId::ROOT));
    Line::strong(view.label(NodeId::ROOT)).plain(sentence!(
        " is the root: all of the shares{rest}, usage {usage} in all, {users} below it."
    ))
}

/// Returns the beginning of a sentence: the name, and the rank of a user.
pub(super) fn opening(view: &View<'_>, explanation: &Explanation) -> Line {
    let place = rank_in_words(view, explanation);
    Line::strong(view.label(explanation.node)).plain(sentence!("{place}: "))
}

/// Returns why the policy gives a node no numbers, to follow its name.
pub(crate) fn without_numbers(view: &View<'_>) -> Shown {
    let any = view.settings.noun().any;
    match view.policy {
        Policy::Flux => sentence!(
            " has no numbers: it or {any} above it is inactive, or has shares `parent`, which Flux does not know."
        ),
        _ => sentence!(
            " has no numbers: it or {any} above it has shares `parent`, which PBS does not know."
        ),
    }
}

pub(super) fn no_level_shares(level: &Level) -> &'static str {
    if level.has_wrapped {
        "the shares of its level overflow 32 bits and add up to 0"
    } else {
        "nobody on its level has shares"
    }
}

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
        return sentence!(" is at best {}", ordinal(least as usize));
    }
    match rank_of_all(explanation) {
        Some(rank) => sentence!(" is {rank}"),
        None if explanation.is_user(view.tree) => " is a user".into(),
        None => sentence!(" is {}", view.settings.noun().any),
    }
}

/// Returns a rank among all: `3rd of 4`, `1st of 4, tied with 1 other`; `None` without one.
pub(crate) fn rank_of_all(explanation: &Explanation) -> Option<Shown> {
    let rank = explanation.rank?;
    let tie = match explanation.tied {
        0 => Shown::default(),
        tied => sentence!(", tied with {}", counted(tied, "other", "others")),
    };
    let users = amount(explanation.user_count as f64);
    Some(sentence!("{} of {users}{tie}", ordinal(rank as usize)))
}

/// Returns why a level may be behind although it is not over its target, to follow its usage and its target, under a
/// policy by whose number the siblings ahead used no larger part of their shares.
pub(super) fn others_used_less(view: &View<'_>, level: &Level, is_over: bool) -> &'static str {
    let served = |node| view.policy.served(view.tree, view.evaluation, node);
    let ahead = level.sibling_ahead.and_then(served);
    let is_less = ahead
        .zip(served(level.node))
        .is_some_and(|(ahead, own)| ahead < own);
    match (is_over, is_less) {
        (true, _) => "",
        (false, true) => ", but others used less of theirs",
        (false, false) => ", and others that tie with it come first",
    }
}

/// Returns how many times its target an effective usage is, in words.
pub(super) fn times(effective: f64, target: f64) -> Shown {
    let ratio = effective / target;
    if effective.to_bits() == target.to_bits() {
        "exactly".into()
    } else if ratio >= LARGE {
        sentence!("{} times", amount(ratio.round()))
    } else if ratio >= 1.0 {
        sentence!("{ratio:.2} times")
    } else {
        sentence!("{} of", percent(ratio))
    }
}

/// Returns the place of a node among those siblings that are listed: `2nd of 5 listed siblings, tied with 1`.
fn listed_place(it: &Level) -> Shown {
    let siblings = it.sibling_count + 1;
    if siblings == 1 {
        return "its siblings are not listed".into();
    }
    let tie = match it.siblings_tied {
        0 => Shown::default(),
        tied => sentence!(", tied with {}", amount(tied as f64)),
    };
    let place = ordinal(it.siblings_ahead + 1);
    sentence!(
        "{place} of {} listed siblings{tie}",
        amount(siblings as f64)
    )
}

/// Returns the place of a node among its siblings: `first of 3 siblings`, `2nd of 5 siblings, tied with 1`, `ahead of
/// its only sibling`.
pub(crate) fn level_place(it: &Level) -> Shown {
    let (ahead, siblings, tied) = (it.siblings_ahead, it.sibling_count, it.siblings_tied);
    if it.listed.is_part() {
        return listed_place(it);
    }
    let place = match (siblings, ahead, tied) {
        (0, ..) => return "alone on its level".into(),
        (1, _, 1..) => return "tied with its only sibling".into(),
        (1, 0, _) => return "ahead of its only sibling".into(),
        (1, ..) => return "behind its only sibling".into(),
        (_, 0, _) => "first".into(),
        _ if ahead == siblings => "last".into(),
        _ => ordinal(ahead + 1),
    };
    let tie = match tied {
        0 => Shown::default(),
        tied => sentence!(", tied with {}", amount(tied as f64)),
    };
    sentence!("{place} of {} siblings{tie}", amount((siblings + 1) as f64))
}
