//! The neighbours of a user in the order, and the comparisons that decide it.

use super::flux;
use crate::base::number::{Value, cell, fraction, ordinal};
use crate::base::shown::{Shown, sentence};
use crate::model::{Kind, NodeId};
use crate::report::View;
use crate::report::render::line::{Emphasis, Line};
use crate::rules::policy::{ColumnId, Decision, Explanation, Policy};

pub(super) fn lines(view: &View<'_>, explanation: &Explanation) -> Vec<Line> {
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
pub(in crate::report) fn decided(view: &View<'_>, decision: &Decision) -> Shown {
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
pub(super) fn numbers(view: &View<'_>, column: ColumnId, nodes: [NodeId; 2]) -> [Shown; 2] {
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
    found.unwrap_or_else(|| [sentence!("{a}"), sentence!("{b}")])
}
