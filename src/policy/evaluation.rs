//! What a policy computed: one typed column of numbers per [`ColumnId`], by place in the tree.

use super::ColumnId;
use crate::model::{NodeId, Order, Tree, Usage};
use std::sync::Arc;

/// One number of one node, in the type the scheduler holds it in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Unknown or not applicable.
    Null,
    /// Slurm's `parent` in place of shares.
    Parent,
    /// A whole number.
    Count(i64),
    /// A 64-bit float.
    Double(f64),
    /// A 32-bit float: PBS holds its percentages so, and their shortest text differs from a double's.
    Single(f32),
}

impl Value {
    /// The number as a double, where there is one.
    #[must_use]
    pub fn as_f64(self) -> Option<f64> {
        match self {
            Self::Null | Self::Parent => None,
            Self::Count(count) => Some(count as f64),
            Self::Double(number) => Some(number),
            Self::Single(number) => Some(f64::from(number)),
        }
    }
}

/// The numbers of one column, by position in the tree's order. Shared, so that what an edit does not
/// touch is not copied.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Numbers {
    /// 64-bit floats.
    Double(Arc<Vec<f64>>),
    /// 32-bit floats.
    Single(Arc<Vec<f32>>),
    /// Ranks; 0 where a node has none.
    Rank(Arc<Vec<u32>>),
}

/// A tree under a policy: typed columns, and which nodes have no numbers at all.
#[derive(Clone, Debug)]
pub struct Evaluation {
    order: Arc<Order>,
    recorded: Arc<Vec<Usage>>,
    columns: Vec<(ColumnId, Numbers)>,
    blank: Option<Vec<bool>>,
}

impl Evaluation {
    /// Collects the columns of one policy; `blank` marks nodes that the policy cannot say anything about.
    pub(super) fn new(
        tree: &Tree,
        columns: Vec<(ColumnId, Numbers)>,
        blank: Option<Vec<bool>>,
    ) -> Self {
        Self {
            order: tree.shared_order(),
            recorded: tree.shared_usage(),
            columns,
            blank,
        }
    }

    /// Whether this tree has the nodes, places and recorded usage that were evaluated here. A "no" may only
    /// mean that the columns are not the very same ones in memory.
    pub(super) fn has_shape_of(&self, tree: &Tree) -> bool {
        Arc::ptr_eq(&self.order, &tree.shared_order())
    }

    /// As [`Evaluation::has_shape_of`], for recorded usage.
    pub(super) fn has_usage_of(&self, tree: &Tree) -> bool {
        self.has_shape_of(tree) && Arc::ptr_eq(&self.recorded, &tree.shared_usage())
    }

    pub(super) fn numbers(&self, column: ColumnId) -> Option<&Numbers> {
        self.columns
            .iter()
            .find(|(id, _)| *id == column)
            .map(|(_, numbers)| numbers)
    }

    /// Whether the policy cannot say anything about the node, or did not know it.
    #[must_use]
    pub fn is_blank(&self, node: NodeId) -> bool {
        match self.order.position(node) {
            Some(position) => self.blank.as_ref().is_some_and(|blank| blank[position]),
            None => true,
        }
    }

    /// The number of a node in a column; [`Value::Null`] where there is none.
    #[must_use]
    pub fn value(&self, column: ColumnId, node: NodeId) -> Value {
        let Some(position) = self.order.position(node).filter(|_| !self.is_blank(node)) else {
            return Value::Null;
        };
        match self.numbers(column) {
            Some(Numbers::Double(numbers)) => Value::Double(numbers[position]),
            Some(Numbers::Single(numbers)) => Value::Single(numbers[position]),
            Some(Numbers::Rank(ranks)) if ranks[position] > 0 => {
                Value::Count(i64::from(ranks[position]))
            }
            Some(Numbers::Rank(_)) | None => Value::Null,
        }
    }

    /// The number of a node in a column as a double.
    #[must_use]
    pub fn number(&self, column: ColumnId, node: NodeId) -> Option<f64> {
        self.value(column, node).as_f64()
    }

    /// By position in the tree's order: the best rank in each subtree; 0 where no user has one.
    #[must_use]
    pub fn best_ranks(&self) -> Vec<u32> {
        let Some(Numbers::Rank(ranks)) = self.numbers(ColumnId::Rank) else {
            return vec![0; self.order.nodes().len()];
        };
        let mut best = Vec::clone(ranks);
        for position in (1..best.len()).rev() {
            let here = best[position];
            let above = &mut best[self.order.above()[position] as usize];
            if here > 0 && (*above == 0 || here < *above) {
                *above = here;
            }
        }
        best
    }

    /// The place of a node in the order that was evaluated.
    #[must_use]
    pub fn position(&self, node: NodeId) -> Option<usize> {
        self.order.position(node)
    }

    /// The rank of a user: 1 runs first.
    #[must_use]
    pub fn rank(&self, node: NodeId) -> Option<u32> {
        let position = self.order.position(node)?;
        match self.numbers(ColumnId::Rank) {
            Some(Numbers::Rank(ranks)) => Some(ranks[position]).filter(|&rank| rank > 0),
            _ => None,
        }
    }
}

impl PartialEq for Evaluation {
    /// The same numbers to the bit for the same nodes; a NaN equals itself here.
    fn eq(&self, other: &Self) -> bool {
        let same = |(a, b): (&(ColumnId, Numbers), &(ColumnId, Numbers))| {
            a.0 == b.0
                && match (&a.1, &b.1) {
                    (Numbers::Double(a), Numbers::Double(b)) => a
                        .iter()
                        .map(|number| number.to_bits())
                        .eq(b.iter().map(|number| number.to_bits())),
                    (Numbers::Single(a), Numbers::Single(b)) => a
                        .iter()
                        .map(|number| number.to_bits())
                        .eq(b.iter().map(|number| number.to_bits())),
                    (Numbers::Rank(a), Numbers::Rank(b)) => a == b,
                    _ => false,
                }
        };
        self.order.nodes() == other.order.nodes()
            && self.blank == other.blank
            && self.columns.len() == other.columns.len()
            && self.columns.iter().zip(&other.columns).all(same)
    }
}
