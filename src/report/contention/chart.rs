//! Delivered portions of the top level over time, drawn with letters.

use super::Runs;
use crate::analysis::contention::Contention;
use crate::base::number::percent;
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, duration_for_people};
use crate::report::render::document::{Curve, Drawing, Figure, Moment};

/// The number of nodes drawn with a letter.
const LETTERS: usize = 6;

/// The columns and rows of a chart without its scale, which fits a terminal of 80 columns.
const SIZE: (usize, usize) = (66, 11);

/// Draws the portions of the top-level nodes with the largest targets, and adds a line for each of them.
pub(crate) fn chart(runs: &Runs<'_>, run: &Contention) -> Vec<Shown> {
    let nodes = drawn(runs, run);
    let (width, height) = (
        run.windows().min(SIZE.0) * (SIZE.0 / run.windows().max(1)).max(1),
        SIZE.1,
    );
    if width == 0 || nodes.is_empty() {
        return Vec::new();
    }
    // One window may span several columns, and one column several windows.
    let windows = |column: usize| {
        let all = run.windows();
        let first = column * all / width;
        first..((column + 1) * all / width).max(first + 1)
    };
    let portion = |node, column| run.portion_of(windows(column), node).unwrap_or(0.0);
    let columns = 0..width;
    let most = nodes.iter().fold(0.01_f64, |most, &(node, target)| {
        let portions = columns.clone().map(|column| portion(node, column));
        portions.fold(most.max(target), f64::max)
    });
    // Rounds up to tenths, so that the scale is easy to read.
    let most = ((most * 10.0).ceil() / 10.0).min(1.0);
    let row = |portion: f64| row_of(portion / most, height);
    let mut cells = vec![vec![' '; width]; height];
    for &(_, target) in &nodes {
        cells[row(target)].fill('·');
    }
    // The node with the largest target is drawn last, on top of the others.
    let letters: Vec<(char, NodeId)> = ('a'..).zip(nodes.iter().map(|&(node, _)| node)).collect();
    for &(letter, node) in letters.iter().rev() {
        for column in columns.clone() {
            cells[row(portion(node, column))][column] = letter;
        }
    }
    let mut lines = Vec::with_capacity(height + nodes.len() + 2);
    for (place, cells) in cells.iter().enumerate() {
        let value = most * (height - 1 - place) as f64 / (height - 1) as f64;
        let scale = match place % 5 {
            0 => percent(value),
            _ => Shown::default(),
        };
        let cells: String = cells.iter().collect();
        lines.push(sentence!("{scale:>7} │{}", cells.trim_end()));
    }
    let end = duration_for_people(run.watched);
    lines.push(sentence!("{:>9}0{end:>1$}", "", width.saturating_sub(1)));
    for (letter, &(node, target)) in ('a'..).zip(&nodes) {
        let got = run.portion_of(run.second_half(), node).unwrap_or(0.0);
        let (path, [target, got]) = (runs.view.path(node), [target, got].map(percent));
        let text = sentence!("{letter} {path}: target {target}, second half {got}");
        lines.push(sentence!("{:>9}{text}", ""));
    }
    lines
}

/// Returns the nodes of the top level that are drawn, with their targets, the largest first.
fn drawn(runs: &Runs<'_>, run: &Contention) -> Vec<(NodeId, f64)> {
    let top = runs.top().into_iter();
    let targets = top.filter_map(|node| Some((node, run.target(node)?)));
    let mut nodes: Vec<(NodeId, f64)> = targets.collect();
    nodes.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    nodes.truncate(LETTERS);
    nodes
}

pub(super) fn drawing<'a>(runs: &Runs<'a>) -> Drawing<'a> {
    let first = runs.runs.first();
    let nodes = first.map_or_else(Vec::new, |run| drawn(runs, run));
    let windows = first.map_or(0, Contention::windows);
    let moments = first.into_iter().flat_map(|run| {
        (0..windows).map(|window| Moment {
            at: run.end_of(window) as f64,
            text: duration_for_people(run.end_of(window)),
        })
    });
    let figures = runs.runs.iter().map(|run| {
        let curves = nodes.iter().enumerate().flat_map(|(name, &(node, _))| {
            let portions = (0..windows).map(|window| run.portion(window, node));
            let targets = vec![run.target(node); windows];
            [
                Curve::new(name, false, portions),
                Curve::new(name, true, targets),
            ]
        });
        Figure {
            heading: sentence!("Delivered share under {}", run.policy.title()),
            is_reversed: false,
            is_whole: false,
            text: Box::new(percent),
            curves: curves.flatten().collect(),
        }
    });
    Drawing {
        moments: moments.collect(),
        names: nodes.iter().map(|&(it, _)| runs.view.path(it)).collect(),
        figures: figures.collect(),
        note: Some("Thin and dotted: the target.".into()),
    }
}

/// Returns the row of a fraction of the height; row 0 is at the top.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a part of the height is from 0 to the height"
)]
fn row_of(part: f64, height: usize) -> usize {
    let up = (part.clamp(0.0, 1.0) * (height - 1) as f64).round() as usize;
    height - 1 - up
}
