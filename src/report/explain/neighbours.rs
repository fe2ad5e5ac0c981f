//! Who stands beside a user in the order, and where that is decided.

use super::{Emphasis, Line, heading};
use crate::model::NodeId;
use crate::number::{cell, fraction};
use crate::policy::{ColumnId, Decision, Explanation, Neighbour, Value};
use crate::report::View;

/// A line for the user just ahead, and one for the user just behind.
pub(super) fn lines(view: &View<'_>, explanation: &Explanation) -> Vec<Line> {
    let neighbours = [
        ("  just behind ", explanation.ahead),
        ("  just ahead of ", explanation.behind),
    ];
    let mut lines = Vec::new();
    for (standing, neighbour) in neighbours {
        let Some(neighbour) = neighbour else {
            continue;
        };
        if lines.is_empty() {
            lines.push(heading(
                "In the order",
                "the users next to it, and what decides",
            ));
        }
        lines.push(line(view, standing, &neighbour));
    }
    lines
}

fn line(view: &View<'_>, standing: &str, neighbour: &Neighbour) -> Line {
    Line::plain(standing)
        .and(Emphasis::Strong, view.path(neighbour.node))
        .and(
            Emphasis::Plain,
            format!(": {}", decided(view, &neighbour.decision)),
        )
}

/// What decides between two nodes, in words; the first side is the one spoken of.
pub(in crate::report) fn decided(view: &View<'_>, decision: &Decision) -> String {
    let [own, other] = decision.sides;
    let column = decision.column;
    let number = |node| shown(view, column, node);
    let word = column.heading();
    let sides = format!(
        "{} has {word} {}, {} has {}",
        view.name(own),
        number(own),
        view.name(other),
        number(other)
    );
    match decision.first {
        Some(_) => sides,
        None => format!("{sides}: a tie there, decided by what Slurm or PBS looks at next"),
    }
}

/// A number with the digits it takes to compare it with another.
fn shown(view: &View<'_>, column: ColumnId, node: NodeId) -> String {
    match view.value(column, node) {
        Value::Null => "none".to_owned(),
        Value::Double(number) if column == ColumnId::Factor => fraction(number),
        value => cell(value, column.unit()),
    }
}
