//! The order among siblings, and the numbers by which they are ordered.

use crate::base::number::Value;
use crate::base::shown::{Shown, sentence};
use crate::base::sort::ordered;
use crate::model::{NodeId, Recorded, Settings, Shares, Tree};
use crate::rules::policy::{ColumnId, Evaluation, Policy, RuleColumn};
use crate::scenario::Scenario;
use std::cmp::Reverse;

/// The column and the direction in which siblings are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sort {
    /// The column; `None` sorts by name.
    pub column: Option<RuleColumn>,
    /// Whether the largest comes first.
    pub is_falling: bool,
}

impl Sort {
    /// By rank, the first to run first.
    pub(crate) const RANK: Self = Self {
        column: Some(RuleColumn::current(ColumnId::Rank)),
        is_falling: false,
    };

    /// Returns the default order of a column: the largest number first, but ranks and names ascending.
    pub(crate) fn by(column: Option<RuleColumn>) -> Self {
        let is_falling = match column {
            Some(column) => !matches!(
                column.column,
                ColumnId::Rank | ColumnId::WalkRank | ColumnId::Before
            ),
            None => false,
        };
        Self { column, is_falling }
    }

    /// Returns the opposite order.
    pub(crate) fn reversed(self) -> Self {
        Self {
            is_falling: !self.is_falling,
            ..self
        }
    }

    /// Returns the name: `usage ▼`, `name ▲`.
    pub(crate) fn title(self) -> Shown {
        let name = match self.column {
            Some(column) => column.heading(),
            None => "name".into(),
        };
        let sign = if self.is_falling { '▼' } else { '▲' };
        sentence!("{name} {sign}")
    }

    /// Sorts nodes by their positions in the tree. Nodes without a number come last, and nodes that tie keep their order.
    pub(super) fn sort(self, scenario: &Scenario, positions: &mut [u32]) {
        let tree = scenario.tree();
        let nodes = tree.nodes();
        match self.column {
            None if self.is_falling => positions.sort_by_cached_key(|&position| {
                let node = nodes[position as usize];
                Reverse(tree.name(node))
            }),
            None => positions.sort_by_cached_key(|&position| {
                let node = nodes[position as usize];
                tree.name(node)
            }),
            Some(column) => positions.sort_by_cached_key(|&position| {
                let node = nodes[position as usize];
                let value = scenario.column_value(column, node);
                key(value, self.is_falling)
            }),
        }
    }
}

/// Returns a number as an integer: the order is that of ascending keys, and what has no number comes last.
pub(crate) fn key(value: Value, is_falling: bool) -> u64 {
    let rising = if let Value::Word(word) = value {
        // A double would lose the lowest buckets.
        word
    } else {
        match value.as_f64() {
            Some(number) if !number.is_nan() => ordered(number),
            _ => return u64::MAX,
        }
    };
    let key = if is_falling { !rising } else { rising };
    // One below the key of nodes without a number.
    key.min(u64::MAX - 1)
}

impl Scenario {
    /// Returns the value of a node in a column of the current rule or of a named one.
    pub fn column_value(&self, column: RuleColumn, node: NodeId) -> Value {
        let Some(rule) = column.rule else {
            return self.value(column.column, node);
        };
        let numbers = self.column_numbers(rule, self.evaluation_under(rule));
        numbers.value(column.column, node)
    }

    /// Returns the facts of the tree and its numbers under a policy.
    fn column_numbers<'a>(
        &'a self,
        policy: Policy,
        evaluation: &'a Evaluation,
    ) -> ColumnNumbers<'a> {
        ColumnNumbers {
            tree: self.tree(),
            settings: self.settings(),
            recorded: &self.base().recorded,
            policy,
            evaluation,
        }
    }

    /// Returns the value of a node in any column of the table, those of the facts and of the comparison included.
    pub fn value(&self, column: ColumnId, node: NodeId) -> Value {
        match column {
            ColumnId::Before => self.rank_before(node).into(),
            ColumnId::Change => self.rank_change(node).into(),
            // The balance is the distance of a node from its target.
            ColumnId::Balance => match self.policy().portions(self.evaluation(), node) {
                Some((target, used)) => Value::Double(used - target),
                None => Value::Null,
            },
            _ => {
                let numbers = self.column_numbers(self.policy(), self.evaluation());
                numbers.value(column, node)
            }
        }
    }
}

/// Returns whether nothing tells the shares of a node: those of unlisted members, or those that the source does not state
/// and no edit gave.
fn has_unknown_shares(tree: &Tree, recorded: &Recorded, node: NodeId) -> bool {
    if tree.is_others(node) {
        return tree.unlisted_shares(node).is_none();
    }
    node != NodeId::ROOT && tree.shares(node) == Shares::new(1) && recorded.lacks_shares(node)
}

/// The facts of a tree and its numbers under a policy.
pub(crate) struct ColumnNumbers<'a> {
    /// The tree.
    pub(crate) tree: &'a Tree,
    /// The settings of its scheduler.
    pub(crate) settings: &'a Settings,
    /// What the scheduler printed.
    pub(crate) recorded: &'a Recorded,
    /// The policy.
    pub(crate) policy: Policy,
    /// The numbers under the policy.
    pub(crate) evaluation: &'a Evaluation,
}

impl ColumnNumbers<'_> {
    /// Returns the value of a node in any column but those of the comparison.
    pub(crate) fn value(&self, column: ColumnId, node: NodeId) -> Value {
        match column {
            ColumnId::Shares => self.shares(node),
            ColumnId::GroupId => {
                let group = self.tree.group(node);
                Value::Count(group.into())
            }
            ColumnId::Factor => self.factor(node),
            ColumnId::Served => self.served(node).into(),
            ColumnId::PriorityPoints => self.priority_points(node).into(),
            // A recorded text is no number.
            ColumnId::Recorded(fact) => match self.recorded.figure(fact, node) {
                Some(figure) => Value::Double(figure.value),
                None => Value::Null,
            },
            _ => self.evaluation.value(column, node),
        }
    }

    /// Returns how much of the target was used, as a multiple of it; `None` without either.
    fn served(&self, node: NodeId) -> Option<f64> {
        self.policy.served(self.tree, self.evaluation, node)
    }

    /// Returns the shares of a node; none if nothing tells them.
    fn shares(&self, node: NodeId) -> Value {
        if has_unknown_shares(self.tree, self.recorded, node) {
            return Value::Null;
        }
        match self.tree.shares(node).count() {
            Some(count) => Value::Count(count),
            None => Value::Parent,
        }
    }

    /// Returns the number by which the policy orders users.
    fn factor(&self, node: NodeId) -> Value {
        let column = self.policy.factor_column();
        self.evaluation.value(column, node)
    }

    /// Returns the points that the factor adds to job priority. Accounts run no jobs, even if they have a factor.
    fn priority_points(&self, node: NodeId) -> Option<i64> {
        self.evaluation.rank(node)?;
        let factor = self.factor(node).as_f64()?;
        self.policy.priority_points(self.settings, factor)
    }
}
