//! Why a node has its rank, in words: the policy's formulas with this node's numbers, and one sentence.

mod classic;
mod difference;
mod fair_tree;
mod flux;
pub(crate) mod job_usage;
mod level_based;
mod pbs;
mod tickets;
mod why;

pub(crate) use difference::difference;
pub(crate) use why::{level_place, number, rank_in_words, rank_of_all, without_numbers};

use crate::base::number::{NOT_REPRODUCED, Unit, Value, amount, cell, fraction, ordinal};
use crate::base::shown::{Shown, sentence, shown};
use crate::format::Severity;
use crate::model::{EXACT, Fact, Figure, Kind, NodeId, Scheduler};
use crate::report::render::line::{Emphasis, Line};
use crate::report::words::{part, verify as words};
use crate::report::{View, order};
use crate::rules::policy::{ColumnId, Decision, Explanation, Policy};
use crate::trust::verify::Caveat;

/// Returns a sentence, the source of each number level by level, and the neighbours with the deciding comparisons.
pub fn lines(view: &View<'_>, explanation: &Explanation) -> Vec<Line> {
    if view.tree.is_others(explanation.node) {
        return vec![part::stands_for(view.tree, explanation.node).into()];
    }
    if view.shows_only_printed() || is_unknown(view, explanation) {
        return as_printed(view, explanation);
    }
    let levels = &explanation.levels;
    let (sentence, derivations) = match (&explanation.pbs, view.policy) {
        (Some(detail), _) => pbs::why(view, explanation, detail),
        (None, Policy::LevelBased) => level_based::why(view, explanation, levels),
        (None, Policy::Flux) => flux::why(view, explanation, levels),
        (None, Policy::Tickets) => tickets::why(view, explanation, levels),
        (None, Policy::Classic | Policy::DepthOblivious) => classic::why(view, explanation, levels),
        (None, _) => fair_tree::why(view, explanation, levels),
    };
    let mut lines = match view.policy {
        Policy::Formula => pbs::formula(view, explanation.node),
        _ => Vec::new(),
    };
    lines.push(sentence);
    if !derivations.is_empty() {
        lines.push(Line::default());
        lines.extend(why::print(derivations));
    }
    // Assumptions about the whole source are in its title and among the findings.
    let remarks = order::quick(view).into_iter();
    let remarks = remarks.filter(|remark| remark.code != order::ASSUMED);
    let remarks = remarks.map(|remark| {
        let emphasis = match remark.severity {
            Severity::Note => Emphasis::Dim,
            Severity::Warning | Severity::Error => Emphasis::Over,
        };
        Line::of(emphasis, sentence!("  {}.", remark.message))
    });
    // They follow the sentence with the node's rank.
    let caveat = caveat(view, explanation.node).into_iter();
    lines.splice(1..1, caveat.chain(remarks));
    lines.extend(neighbours(view, explanation));
    lines.extend(why::print(job_usage::derivations(view, explanation.node)));
    lines.extend(recorded(view, explanation.node));
    lines.extend(new_since(view, explanation.node));
    lines.extend(blanks(view, explanation.node));
    lines.extend(assumed(view, explanation.node));
    if explanation.node != NodeId::ROOT {
        lines.push(Line::of(Emphasis::Dim, beyond(view.settings.scheduler)));
    }
    lines
}

/// Returns the steps to a node's rank in at most three lines: shares, usage, and what comes of them. For a node without
/// steps, and for a user without a rank, it is one sentence.
pub(crate) fn in_brief(view: &View<'_>, explanation: &Explanation) -> Vec<Line> {
    let node = explanation.node;
    if view.tree.is_others(node) {
        return vec![part::stands_for(view.tree, node).into()];
    }
    if view.shows_only_printed() || is_unknown(view, explanation) {
        return vec![printed_rank(view, explanation)];
    }
    let levels = &explanation.levels;
    if levels.is_empty() {
        let is_root = node == NodeId::ROOT;
        let name = Line::strong(view.label(node));
        return vec![if is_root {
            name.plain(" is the root, with which nothing competes.")
        } else {
            name.plain(without_numbers(view))
        }];
    }
    match (&explanation.pbs, view.policy) {
        (Some(detail), _) => pbs::in_brief(view, detail),
        (None, Policy::LevelBased) => level_based::in_brief(view, levels),
        (None, Policy::Flux) => flux::in_brief(view, levels),
        (None, Policy::Tickets) => tickets::in_brief(view, explanation),
        (None, Policy::Classic | Policy::DepthOblivious) => classic::in_brief(view, explanation),
        (None, _) => fair_tree::in_brief(view, levels),
    }
}

/// Returns why the policy's number or what follows from it is blank for a node that has other numbers.
fn blanks(view: &View<'_>, node: NodeId) -> Option<Line> {
    if view.evaluation.is_blank(node) {
        return None;
    }
    let is_shown = |column: &ColumnId| view.policy.columns().contains(column);
    let is_blank = |column: &ColumnId| view.value(*column, node) == Value::Null;
    let names = |columns: &[ColumnId]| {
        let blank = columns.iter().filter(|column| is_blank(column));
        Shown::joined(blank.map(|column| Shown::from(column.heading())), ", ")
    };
    let of_users = match view.tree.kind(node) {
        Kind::Account | Kind::Others => names(&[ColumnId::Factor, ColumnId::Rank]),
        Kind::User => Shown::default(),
    };
    let ratio = Some(ColumnId::LevelFs).filter(is_shown);
    let of_target: Vec<ColumnId> = ratio.into_iter().chain([ColumnId::Served]).collect();
    let of_target = names(&of_target);
    let why = if node == NodeId::ROOT {
        "the root has no siblings"
    } else if view.tree.shares(node).is_parent() {
        "with shares `parent` it has no target of its own"
    } else {
        "it has used nothing of a target of 0%"
    };
    let mut reasons = Vec::new();
    if !of_users.is_empty() {
        reasons.push(sentence!("No {of_users}: only users have one."));
    }
    if !of_target.is_empty() {
        reasons.push(sentence!("No {of_target}: {why}."));
    }
    let reasons = Shown::joined(reasons, " ");
    (!reasons.is_empty()).then(|| Line::of(Emphasis::Dim, reasons))
}

/// Returns that an association is newer than the numbers that the scheduler printed beside it.
fn new_since(view: &View<'_>, node: NodeId) -> Option<Line> {
    let printed = |fact| Some(view.recorded.figure(fact, node)?.value);
    let is_new = view.is_untouched
        && view.tree.kind(node) == Kind::User
        && printed(Fact::FairShare) == Some(0.0)
        && printed(Fact::LevelFs) == Some(f64::INFINITY);
    is_new.then(|| {
        let text =
            "FairShare 0 beside LevelFS inf: it was added since the scheduler's last calculation.";
        Line::of(Emphasis::Dim, text)
    })
}

/// Returns what is assumed of the levels of a path that are not listed as a whole.
fn assumed(view: &View<'_>, node: NodeId) -> Option<Line> {
    let text = part::assumed_of_path(view.tree, node)?;
    Some(Line::of(Emphasis::Dim, text))
}

/// Returns what else decides which job runs next, of which no policy knows anything.
pub fn beyond(scheduler: Option<Scheduler>) -> &'static str {
    match scheduler {
        Some(Scheduler::Pbs) => {
            "Not known here: queues, reservations, preemption, limits, job size."
        }
        Some(Scheduler::Flux) => "Not known here: queue, bank priority, urgency, limits.",
        _ => "Not known here: age, QOS, partition, job size, limits, free nodes.",
    }
}

/// Explains a node in a source that lists only some of the associations, where no numbers can be computed.
fn as_printed(view: &View<'_>, explanation: &Explanation) -> Vec<Line> {
    let mut lines = vec![printed_rank(view, explanation)];
    lines.extend(caveat(view, explanation.node));
    lines.extend(why::print(job_usage::derivations(view, explanation.node)));
    lines.extend(recorded(view, explanation.node));
    lines.extend(assumed(view, explanation.node));
    lines.push(Line::of(Emphasis::Dim, beyond(view.settings.scheduler)));
    lines
}

/// Returns whether a number of a part of a tree needs what is not listed: under a rule that compares siblings, the rest of
/// the node's own level, under one that asks for jobs everybody, and else the rest of any level above it.
fn is_unknown(view: &View<'_>, explanation: &Explanation) -> bool {
    let levels = &explanation.levels;
    if view.policy == Policy::Tickets {
        return view.tree.part().is_some();
    }
    if view.policy.compares_siblings() {
        levels.last().is_some_and(|own| own.listed.is_unknown())
    } else {
        levels.iter().any(|level| level.listed.is_unknown())
    }
}

fn printed_rank(view: &View<'_>, explanation: &Explanation) -> Line {
    let name = shown(view.tree.name(explanation.node));
    let standing = why::rank_in_words(view, explanation);
    let factor = view.value(ColumnId::Factor, explanation.node);
    let with = match cell(factor, ColumnId::Factor.unit()) {
        none if none.is_empty() && !view.shows_only_printed() => {
            "; a part of its path is not listed, so this rule gives it no number.".into()
        }
        none if none.is_empty() => "; no factor was printed for it.".into(),
        factor => sentence!(" by the factor that was printed, {factor}."),
    };
    Line::strong(name).plain(standing + &with)
}

const DIGITS: usize = 6;

/// Returns why the node's rank may differ from the scheduler's, in one sentence.
pub(crate) fn caveat(view: &View<'_>, node: NodeId) -> Option<Line> {
    let reason = words::doubt(&view.caveat?.reason);
    let own = view.better_recorded().map(|fact| {
        let recorder = Caveat::recorder(fact);
        let name = fact.name();
        match view.recorded.figure(fact, node) {
            Some(figure) => sentence!("; {name} {} is {recorder}'s own", printed(figure)),
            None => sentence!("; {name} is {recorder}'s own"),
        }
    });
    let line = Line::of(Emphasis::Over, reason);
    Some(line.and(Emphasis::Strong, own.unwrap_or_default()))
}

/// Returns what was recorded for a node, each number beside the computed one; empty if nothing was recorded.
fn recorded(view: &View<'_>, node: NodeId) -> Vec<Line> {
    let is_computed = !view.shows_only_printed();
    let is_reproduced = |fact| {
        let column = ColumnId::computing(fact);
        column.is_none_or(|column| !view.evaluation.is_printed(column, node))
    };
    let rows = view.recorded.facts().filter_map(|fact| {
        let Some(figure) = view.recorded.figure(fact, node) else {
            let text = view.recorded.text(fact, node)?;
            return Some((fact.name(), shown(text.as_bytes()), None));
        };
        let recorded = match ColumnId::Recorded(fact).unit() {
            Unit::Count | Unit::Usage => amount(figure.value),
            _ => printed(figure),
        };
        let beside = match is_reproduced(fact) {
            _ if !is_computed => None,
            true => computed(view, fact, node).map(|computed| sentence!("computed {computed}")),
            false => Some(sentence!(
                "{NOT_REPRODUCED} cannot be reproduced from shares and usage"
            )),
        };
        Some((fact.name(), recorded, beside))
    });
    let mut rows: Vec<(&str, Shown, Option<Shown>)> = rows.collect();
    let bins = view.recorded.bins(node);
    if !bins.is_empty() {
        let bins = bins.iter().map(|&usage| amount(usage));
        rows.push(("usage bins", Shown::joined(bins, ", "), None));
    }
    if rows.is_empty() {
        return Vec::new();
    }
    let names = rows.iter().map(|(name, ..)| name.len());
    let name_cells = names.max().unwrap_or(0);
    let compared = rows.iter().filter(|(.., computed)| computed.is_some());
    let compared = compared.map(|(_, recorded, _)| recorded.len());
    let cells = compared.max().unwrap_or(0);
    let what = if is_computed {
        "what the scheduler printed, before any edit, and what fairscope computes now"
    } else {
        "what the scheduler printed"
    };
    let mut lines = vec![why::heading("Recorded", what)];
    for (name, recorded, computed) in rows {
        let line = Line::from(sentence!("  {name:name_cells$}  "));
        lines.push(match computed {
            Some(computed) => {
                let line = line.plain(sentence!("{recorded:>cells$}"));
                line.and(Emphasis::Dim, sentence!("  {computed}"))
            }
            None => line.plain(recorded),
        });
    }
    lines
}

/// Returns a number with the digits that were printed.
fn printed(figure: Figure) -> Shown {
    let Figure { value, decimals } = figure;
    if value.is_infinite() {
        return cell(Value::Double(value), ColumnId::LevelFs.unit());
    }
    let digits = match decimals {
        EXACT => DIGITS,
        decimals => usize::try_from(decimals).unwrap_or(0),
    };
    sentence!("{value:.digits$}")
}

fn computed(view: &View<'_>, fact: Fact, node: NodeId) -> Option<Shown> {
    let column = ColumnId::computing(fact)?;
    let value = view.value(column, node).as_f64()?;
    Some(match ColumnId::Recorded(fact).unit() {
        Unit::Usage => amount(value),
        _ => printed(Figure::exact(value)),
    })
}

fn neighbours(view: &View<'_>, explanation: &Explanation) -> Vec<Line> {
    let ahead = explanation.ahead.map(|it| ("  just behind ", it));
    let behind = explanation.behind.map(|it| ("  just ahead of ", it));
    let mut lines: Vec<Line> = Vec::new();
    for (standing, neighbour) in ahead.into_iter().chain(behind) {
        if lines.is_empty() {
            lines.push(Line::strong("Neighbours in the ranking").and(Emphasis::Dim, ":"));
        }
        let rank = ordinal(neighbour.rank as usize);
        let decided = decided(view, &neighbour.decision);
        let line = Line::from(standing).and(Emphasis::Strong, view.path(neighbour.node));
        lines.push(line.plain(sentence!(" ({rank}): {decided}")));
    }
    lines
}

/// Returns what decides between two nodes, in words; the first side is the one spoken of.
pub(crate) fn decided(view: &View<'_>, decision: &Decision) -> Shown {
    let [own, other] = decision.sides.map(|side| view.label(side));
    let [number, other_number] = numbers(view, decision.column, decision.sides);
    let word = decision.column.heading();
    let is_walk = matches!(decision.column, ColumnId::LevelFs | ColumnId::Weight);
    match (is_walk, decision.first) {
        (true, Some(_)) => {
            sentence!("decided at {own} ({word} {number}) against {other} ({other_number})")
        }
        (true, None) => {
            let behind = behind_a_tie(view, decision);
            sentence!("{own} and {other} tie ({word} {number}){behind}")
        }
        (false, Some(_)) => sentence!("{own} has {word} {number}, {other} has {other_number}"),
        (false, None) => {
            let otherwise = match view.policy {
                Policy::Pbs | Policy::Formula => "; PBS's order without a formula decides",
                Policy::PbsWalk => {
                    ", and where one path ends PBS compares no further; the shorter is listed first"
                }
                _ => ", a tie",
            };
            sentence!("both have {word} {number}{otherwise}")
        }
    }
}

fn behind_a_tie(view: &View<'_>, decision: &Decision) -> Shown {
    match decision.sides.map(|side| view.tree.kind(side)) {
        [Kind::User, Kind::User] => Shown::default(),
        [Kind::Account, Kind::Account] if view.policy == Policy::FairTree => {
            ", and the one that Slurm lists first is first".into()
        }
        [Kind::Account, Kind::Account] => ", and their members are merged".into(),
        _ => sentence!(", and users come before {}", view.settings.noun().many),
    }
}

/// Returns the numbers of two nodes in a column, with enough digits to distinguish them.
fn numbers(view: &View<'_>, column: ColumnId, nodes: [NodeId; 2]) -> [Shown; 2] {
    let values = nodes.map(|side| view.value(column, side));
    let texts = values.map(|value| match value {
        Value::Null => "none".into(),
        Value::Double(number) if column == ColumnId::Factor => fraction(number),
        Value::Double(weight) if column == ColumnId::Weight => flux::figures(weight),
        // As a number it would run first.
        Value::Double(number) if column == ColumnId::UsageOverPerc && number < 0.0 => {
            sentence!("{} (a target of 0% ranks last)", cell(value, column.unit()))
        }
        value => cell(value, column.unit()),
    });
    match values {
        [Value::Double(a), Value::Double(b)]
            if texts[0] == texts[1] && a.to_bits() != b.to_bits() =>
        {
            distinct(a, b)
        }
        _ => texts,
    }
}

/// Returns two numbers with as few decimals as distinguish them, and with all digits if that takes many.
fn distinct(a: f64, b: f64) -> [Shown; 2] {
    const MOST_DECIMALS: usize = 12;
    let rounded = |decimals: usize| [sentence!("{a:.decimals$}"), sentence!("{b:.decimals$}")];
    let mut candidates = (7..=MOST_DECIMALS).map(rounded);
    let found = candidates.find(|[a, b]| a != b);
    found.unwrap_or_else(|| [a, b].map(all_digits))
}

fn all_digits(number: f64) -> Shown {
    /// Below this a number begins with too many zeros to be read.
    const SMALL: f64 = 1e-6;
    if number.abs() < SMALL {
        sentence!("{number:e}")
    } else {
        sentence!("{number}")
    }
}
