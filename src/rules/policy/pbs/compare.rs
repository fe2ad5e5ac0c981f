//! Which of two nodes PBS ranks as more deserving (`compare_path` of `fairshare.cpp`).

use crate::model::{NodeId, Tree};
use crate::rules::policy::{ColumnId, Evaluation};
use std::cmp::Ordering;

/// Compares two nodes as PBS does without a formula: `Less` is more deserving.
///
/// Both paths are walked in step from the root, and the first level at which usage/perc differs decides. A node ties
/// with its ancestors and the root with every node. The relation is not transitive between nodes of different depths.
pub fn compare_path(tree: &Tree, evaluation: &Evaluation, a: NodeId, b: NodeId) -> Ordering {
    let number = |column, node| evaluation.number(column, node).unwrap_or(0.0);
    for (a, b) in tree.line(a).into_iter().zip(tree.line(b)) {
        if a == b {
            continue;
        }
        let has_share = |node| number(ColumnId::FairsharePerc, node) > 0.0;
        match (has_share(a), has_share(b)) {
            (false, false) => return Ordering::Equal,
            (true, false) => return Ordering::Less,
            (false, true) => return Ordering::Greater,
            (true, true) => {}
        }
        let ratio = |node| number(ColumnId::UsageOverPerc, node);
        match ratio(a).partial_cmp(&ratio(b)) {
            // A NaN decides nothing, and the next level is compared.
            None | Some(Ordering::Equal) => {}
            Some(order) => return order,
        }
    }
    Ordering::Equal
}
