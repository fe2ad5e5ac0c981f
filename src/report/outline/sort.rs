//! The order among siblings.

use crate::base::number::Value;
use crate::base::shown::{Shown, sentence};
use crate::base::sort::ordered;
use crate::model::{Fact, NodeId, Recorded, Settings};
use crate::rules::policy::{ColumnId, ColumnView, Evaluation, Policy, Target};
use crate::scenario::Scenario;
use std::cmp::Ordering;

/// The column and the direction in which siblings are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sort {
    /// The column; `None` sorts by name.
    pub column: Option<ColumnId>,
    /// Whether the largest comes first.
    pub is_falling: bool,
}

/// Puts nodes, by their positions in the tree, into the order of one column.
pub(super) struct Sorting<'a> {
    scenario: &'a Scenario,
    sort: Sort,
    /// The column, where the policy computes it.
    numbers: Option<ColumnView<'a>>,
    keyed: Vec<(u64, u32)>,
}

impl Sort {
    /// The order by rank.
    pub const RANK: Self = Self {
        column: Some(ColumnId::Rank),
        is_falling: false,
    };

    /// Returns the default order of a column: the largest number first, but ranks and names ascending.
    pub fn by(column: Option<ColumnId>) -> Self {
        let rises = matches!(
            column,
            None | Some(ColumnId::Rank | ColumnId::WalkRank | ColumnId::Before)
        );
        Self {
            column,
            is_falling: !rises,
        }
    }

    /// Returns the order by the same column in the other direction.
    pub fn reversed(self) -> Self {
        Self {
            is_falling: !self.is_falling,
            ..self
        }
    }

    /// Returns the name: `usage ▼`, `name ▲`.
    pub fn title(self) -> Shown {
        let name = self.column.map_or("name", ColumnId::heading);
        sentence!("{name} {}", if self.is_falling { '▼' } else { '▲' })
    }

    /// Returns what sorts the nodes of a scenario.
    pub(super) fn sorting(self, scenario: &Scenario) -> Sorting<'_> {
        let column = self.column.and_then(|column| match column {
            ColumnId::Factor => Some(scenario.policy().factor_column()),
            column => Some(column).filter(|&column| is_of_policy(column)),
        });
        Sorting {
            scenario,
            sort: self,
            numbers: column.map(|column| scenario.evaluation().view(column)),
            keyed: Vec::new(),
        }
    }
}

/// Returns whether a column is one of the policy's, and not of the facts or the comparison.
const fn is_of_policy(column: ColumnId) -> bool {
    !matches!(
        column,
        ColumnId::Shares
            | ColumnId::Before
            | ColumnId::Change
            | ColumnId::GroupId
            | ColumnId::Factor
            | ColumnId::Balance
            | ColumnId::Served
            | ColumnId::PriorityPoints
            | ColumnId::Recorded(_)
    )
}

impl Sorting<'_> {
    /// Sorts positions. Nodes without a number come last, and nodes that tie in the order of the tree.
    pub(super) fn sort(&mut self, positions: &mut [u32]) {
        match self.sort.column {
            None => self.sort_by_name(positions),
            Some(column) => {
                self.keyed.clear();
                for &position in positions.iter() {
                    let key = self.key(column, position as usize);
                    self.keyed.push((key, position));
                }
                self.keyed.sort_unstable();
                for (sorted, &(_, position)) in positions.iter_mut().zip(&self.keyed) {
                    *sorted = position;
                }
            }
        }
    }

    /// Returns the number of a node as an integer: the order is that of ascending keys.
    fn key(&self, column: ColumnId, position: usize) -> u64 {
        let value = if let Some(numbers) = &self.numbers {
            numbers.value(position)
        } else {
            let node = self.scenario.tree().nodes()[position];
            self.scenario.value(column, node)
        };
        let rising = match value {
            // A double would lose the lowest buckets.
            Value::Word(word) => word,
            value => match value.as_f64().filter(|number| !number.is_nan()) {
                Some(number) => ordered(number),
                None => return u64::MAX,
            },
        };
        let key = if self.sort.is_falling {
            !rising
        } else {
            rising
        };
        // One below the key of nodes without a number.
        key.min(u64::MAX - 1)
    }

    /// Sorts positions by name: by the first bytes in which the names differ, and only where these tie by all.
    fn sort_by_name(&mut self, positions: &mut [u32]) {
        let tree = self.scenario.tree();
        let name = |position: u32| tree.name(tree.nodes()[position as usize]);
        let is_falling = self.sort.is_falling;
        let Some((&first, others)) = positions.split_first() else {
            return;
        };
        let first = name(first);
        let common = others.iter().fold(first.len(), |common, &other| {
            let pairs = first[..common].iter().zip(name(other));
            pairs.take_while(|(one, other)| one == other).count()
        });
        self.keyed.clear();
        for &position in positions.iter() {
            let rest = &name(position)[common..];
            let mut start = [0; 8];
            let length = rest.len().min(start.len());
            start[..length].copy_from_slice(&rest[..length]);
            let start = u64::from_be_bytes(start);
            self.keyed
                .push((if is_falling { !start } else { start }, position));
        }
        self.keyed.sort_unstable();
        let order = |one: u32, other: u32| -> Ordering {
            let rising = name(one).cmp(name(other));
            let order = if is_falling { rising.reverse() } else { rising };
            order.then(one.cmp(&other))
        };
        for tied in self.keyed.chunk_by_mut(|(one, _), (other, _)| one == other) {
            if tied.len() > 1 {
                tied.sort_unstable_by(|&(_, one), &(_, other)| order(one, other));
            }
        }
        for (sorted, &(_, position)) in positions.iter_mut().zip(&self.keyed) {
            *sorted = position;
        }
    }
}

impl Scenario {
    /// Returns the value of a node in any column of the table, those of the facts and of the comparison included.
    pub fn value(&self, column: ColumnId, node: NodeId) -> Value {
        match column {
            ColumnId::Shares => self
                .tree()
                .shares(node)
                .count()
                .map_or(Value::Parent, Value::Count),
            ColumnId::Before => {
                let rank = self.rank_before(node).map(i64::from);
                rank.map_or(Value::Null, Value::Count)
            }
            ColumnId::Change => self.rank_change(node).map_or(Value::Null, Value::Count),
            ColumnId::GroupId => Value::Count(i64::from(self.tree().group(node))),
            ColumnId::Factor => self.evaluation().value(self.policy().factor_column(), node),
            // The balance is the distance of a node from its target.
            ColumnId::Balance => match self.policy().portions(self.evaluation(), node) {
                Some((target, used)) => Value::Double(used - target),
                None => Value::Null,
            },
            ColumnId::Served => served(self.target(node)),
            ColumnId::PriorityPoints => {
                points(self.policy(), self.settings(), self.evaluation(), node)
            }
            ColumnId::Recorded(fact) => recorded(&self.base().recorded, fact, node),
            column => self.evaluation().value(column, node),
        }
    }
}

/// Returns what a source recorded as a number; [`Value::Null`] for texts.
pub fn recorded(recorded: &Recorded, fact: Fact, node: NodeId) -> Value {
    let figure = recorded.figure(fact, node);
    figure.map_or(Value::Null, |figure| Value::Double(figure.value))
}

/// Returns how much of a target was used, as a multiple of it; [`Value::Null`] without a target.
pub fn served(target: Option<Target>) -> Value {
    let served = target.and_then(Target::served);
    served.map_or(Value::Null, Value::Double)
}

/// Returns the points that the factor of a user adds to job priority.
pub fn points(policy: Policy, settings: &Settings, evaluation: &Evaluation, node: NodeId) -> Value {
    let factor = evaluation.value(policy.factor_column(), node).as_f64();
    // Accounts run no jobs, even if they have a factor.
    let factor = factor.filter(|_| evaluation.rank(node).is_some());
    let points = factor.and_then(|factor| policy.priority_points(settings, factor));
    points.map_or(Value::Null, Value::Count)
}
