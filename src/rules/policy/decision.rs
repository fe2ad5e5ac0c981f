//! Where the order of two nodes is decided.

use super::pbs::walk;
use super::{ColumnId, Evaluation, Policy, Precedence, flux};
use crate::model::{NodeId, Tree};
use std::cmp;

/// Where the order of two nodes is decided: which ancestors are compared, and in which column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The node on each path whose numbers are compared: the nodes themselves or accounts above them.
    pub sides: [NodeId; 2],
    /// The column that is compared.
    pub column: ColumnId,
    /// Which side ranks first by that number; `None` if the numbers are equal.
    pub first: Option<usize>,
}

impl Policy {
    /// Returns where the order of two nodes is decided.
    pub fn decision(self, tree: &Tree, evaluation: &Evaluation, a: NodeId, b: NodeId) -> Decision {
        let order = |[a, b]: [NodeId; 2], column| match self {
            Self::Flux => flux::compare(tree, evaluation, a, b),
            Self::PbsWalk => walk::compare(evaluation, a, b),
            _ => evaluation.compare(column, a, b),
        };
        let decide = |sides: [NodeId; 2], column| Decision {
            sides,
            column,
            first: match order(sides, column) {
                cmp::Ordering::Less => Some(0),
                cmp::Ordering::Equal => None,
                cmp::Ordering::Greater => Some(1),
            },
        };
        let Precedence::Levels { column, merges } = self.rules().precedence else {
            return decide([a, b], self.factor_column());
        };
        let is_transparent =
            |node: &NodeId| !tree.shares(*node).is_parent() || *node == a || *node == b;
        let way = |node| tree.line(node).into_iter().filter(is_transparent);
        let diverging = way(a).zip(way(b)).filter(|(a, b)| a != b);
        let mut has_ended = false;
        // PBS treats two nodes without shares as equal, whatever is below them.
        let diverging = diverging.take_while(|&(a, b)| {
            let is_end = |node| self == Self::PbsWalk && walk::is_end(evaluation, node);
            !std::mem::replace(&mut has_ended, is_end(a) && is_end(b))
        });
        let mut decisions = diverging.map(|(a, b)| decide([a, b], column));
        let Some(first) = decisions.next() else {
            // One of the nodes is below the other.
            return Decision {
                sides: [a, b],
                column,
                first: None,
            };
        };
        if first.first.is_some() || !merges {
            return first;
        }
        let found = decisions.find(|decision| decision.first.is_some());
        found.unwrap_or_else(|| {
            // One path is longer: the buckets below the end of the other decide.
            let whole = decide([a, b], ColumnId::PriorityFsRaw);
            let is_decided = self == Self::LevelBased && whole.first.is_some();
            if is_decided { whole } else { first }
        })
    }
}
