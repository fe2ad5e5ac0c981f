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
    pub(crate) const RANK: Self = Self {
        column: Some(RuleColumn::current(ColumnId::Rank)),
        is_falling: false,
    };

    /// Returns the default order of a column: the largest number first, but ranks and names ascending.
    pub(crate) fn by(column: Option<RuleColumn>) -> Self {
        let rises = matches!(
            column.map(|column| column.column),
            None | Some(ColumnId::Rank | ColumnId::WalkRank | ColumnId::Before)
        );
        Self {
            column,
            is_falling: !rises,
        }
    }

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
        sentence!("{name} {}", if self.is_falling { '▼' } else { '▲' })
    }

    /// Sorts nodes by their positions in the tree. Nodes without a number come last, and nodes that tie keep their order.
    pub(super) fn sort(self, scenario: &Scenario, positions: &mut [u32]) {
        let tree = scenario.tree();
        let node = |position: u32| tree.nodes()[position as usize];
        let name = |position: u32| tree.name(node(position));
        match self.column {
            None if self.is_falling => positions.sort_by_cached_key(|&it| Reverse(name(it))),
            None => positions.sort_by_cached_key(|&it| name(it)),
            Some(column) => {
                let value = |position| scenario.column_value(column, node(position));
                positions.sort_by_cached_key(|&it| key(value(it), self.is_falling));
            }
        }
    }
}

/// Returns a number as an integer: the order is that of ascending keys, and what has no number comes last.
pub(crate) fn key(value: Value, is_falling: bool) -> u64 {
    let rising = match value {
        // A double would lose the lowest buckets.
        Value::Word(word) => word,
        value => match value.as_f64().filter(|number| !number.is_nan()) {
            Some(number) => ordered(number),
            None => return u64::MAX,
        },
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
        value(
            (self.tree(), self.settings(), &self.base().recorded),
            (rule, self.evaluation_under(rule)),
            column.column,
            node,
        )
    }

    /// Returns the value of a node in any column of the table, those of the facts and of the comparison included.
    pub fn value(&self, column: ColumnId, node: NodeId) -> Value {
        match column {
            ColumnId::Before => self.rank_before(node).into(),
            ColumnId::Change => self.rank_change(node).into(),
            // The balance is the distance of a node from its target.
            ColumnId::Balance => {
                let portions = self.policy().portions(self.evaluation(), node);
                portions.map(|(target, used)| used - target).into()
            }
            column => value(
                (self.tree(), self.settings(), &self.base().recorded),
                (self.policy(), self.evaluation()),
                column,
                node,
            ),
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

/// Returns the value of a node in any column but those of the comparison.
pub(crate) fn value(
    (tree, settings, recorded): (&Tree, &Settings, &Recorded),
    (policy, evaluation): (Policy, &Evaluation),
    column: ColumnId,
    node: NodeId,
) -> Value {
    let factor = || evaluation.value(policy.factor_column(), node);
    match column {
        ColumnId::Shares if has_unknown_shares(tree, recorded, node) => Value::Null,
        ColumnId::Shares => {
            let count = tree.shares(node).count();
            count.map_or(Value::Parent, Value::Count)
        }
        ColumnId::GroupId => Value::Count(i64::from(tree.group(node))),
        ColumnId::Factor => factor(),
        // How much of the target was used, as a multiple of it.
        ColumnId::Served => policy.served(tree, evaluation, node).into(),
        // The points that the factor adds to job priority. Accounts run no jobs, even if they have a factor.
        ColumnId::PriorityPoints => {
            let factor = factor().as_f64();
            let factor = factor.filter(|_| evaluation.rank(node).is_some());
            let points = factor.and_then(|factor| policy.priority_points(settings, factor));
            points.into()
        }
        // A recorded text is no number.
        ColumnId::Recorded(fact) => recorded.figure(fact, node).map(|it| it.value).into(),
        column => evaluation.value(column, node),
    }
}
