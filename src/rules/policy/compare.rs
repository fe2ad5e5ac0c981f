//! The order of two nodes by their numbers in one column.

use super::{ColumnId, Evaluation};
use crate::base::number::Value;
use crate::base::sort::rising;
use crate::model::NodeId;
use std::cmp;

/// Compares two numbers of one column; a node without one comes last.
pub(super) fn compare(
    evaluation: &Evaluation,
    column: ColumnId,
    a: NodeId,
    b: NodeId,
) -> cmp::Ordering {
    let key = |node| match evaluation.value(column, node) {
        Value::Word(word) => Some((word, 0)),
        value => value.as_f64().map(|number| (0, rising(number))),
    };
    key(b).cmp(&key(a))
}
