//! What a policy computed: one typed column of numbers per [`ColumnId`], addressed by node.

use super::ColumnId;
use crate::model::NodeId;

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

/// The numbers of one column, indexed by [`NodeId::index`].
#[derive(Clone, Debug, PartialEq)]
pub enum Numbers {
    /// 64-bit floats.
    Double(Vec<f64>),
    /// 32-bit floats.
    Single(Vec<f32>),
    /// Ranks; 0 where a node has none.
    Rank(Vec<u32>),
}

/// A tree under a policy: typed columns, and which nodes have no numbers at all.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    columns: Vec<(ColumnId, Numbers)>,
    blank: Option<Vec<bool>>,
}

impl Evaluation {
    /// Collects the columns of one policy; `blank` marks nodes that the policy cannot say anything about.
    #[must_use]
    pub fn new(columns: Vec<(ColumnId, Numbers)>, blank: Option<Vec<bool>>) -> Self {
        Self { columns, blank }
    }

    /// The numbers of a column, if this policy has it.
    #[must_use]
    pub fn numbers(&self, column: ColumnId) -> Option<&Numbers> {
        self.columns
            .iter()
            .find(|(id, _)| *id == column)
            .map(|(_, numbers)| numbers)
    }

    /// Whether the policy cannot say anything about the node.
    #[must_use]
    pub fn is_blank(&self, node: NodeId) -> bool {
        self.blank.as_ref().is_some_and(|blank| blank[node.index()])
    }

    /// The number of a node in a column; [`Value::Null`] where there is none.
    #[must_use]
    pub fn value(&self, column: ColumnId, node: NodeId) -> Value {
        if self.is_blank(node) {
            return Value::Null;
        }
        let index = node.index();
        match self.numbers(column) {
            // A node that an edit added has no number in an older evaluation.
            Some(Numbers::Double(numbers)) => numbers
                .get(index)
                .map_or(Value::Null, |&number| Value::Double(number)),
            Some(Numbers::Single(numbers)) => numbers
                .get(index)
                .map_or(Value::Null, |&number| Value::Single(number)),
            Some(Numbers::Rank(ranks)) => match ranks.get(index) {
                None | Some(0) => Value::Null,
                Some(&rank) => Value::Count(i64::from(rank)),
            },
            None => Value::Null,
        }
    }

    /// The number of a node in a column as a double.
    #[must_use]
    pub fn number(&self, column: ColumnId, node: NodeId) -> Option<f64> {
        self.value(column, node).as_f64()
    }

    /// The rank of a user: 1 runs first.
    #[must_use]
    pub fn rank(&self, node: NodeId) -> Option<u32> {
        match self.numbers(ColumnId::Rank) {
            Some(Numbers::Rank(ranks)) => ranks.get(node.index()).copied().filter(|&rank| rank > 0),
            _ => None,
        }
    }
}
