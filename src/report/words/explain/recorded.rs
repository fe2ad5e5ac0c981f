//! The scheduler's own numbers beside ours.

use super::why::heading;
use crate::base::number::{NOT_REPRODUCED, Unit, Value, amount, cell};
use crate::base::shown::{Shown, sentence, shown};
use crate::model::{EXACT, Fact, Figure, NodeId};
use crate::report::View;
use crate::report::render::line::{Emphasis, Line};
use crate::report::words::verify as words;
use crate::rules::policy::ColumnId;
use crate::trust::verify::Caveat;

const BINS: &str = "usage bins";

const DIGITS: usize = 6;

/// Returns why the node's rank may differ from the scheduler's, in one sentence.
pub(super) fn caveat(view: &View<'_>, node: NodeId) -> Option<Line> {
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
pub(super) fn lines(view: &View<'_>, node: NodeId) -> Vec<Line> {
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
        let bins: Vec<Shown> = bins.iter().map(|&usage| amount(usage)).collect();
        rows.push((BINS, Shown::joined(&bins, ", "), None));
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
    let mut lines = vec![heading("Recorded", what)];
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
