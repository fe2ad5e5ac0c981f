//! The order among siblings.

use crate::base::number::Value;
use crate::base::shown::{Shown, sentence};
use crate::model::{Fact, NodeId, Recorded, Settings};
use crate::rules::policy::{ColumnId, Evaluation, Policy, Target, ordered};
use crate::scenario::Scenario;

/// The column and the direction in which siblings are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sort {
    /// The column; `None` sorts by name.
    pub column: Option<ColumnId>,
    /// Whether the largest comes first.
    pub is_falling: bool,
}

/// The sort keys of nodes by one column, as integers; nodes without a number come last.
pub(super) enum Keys<'a> {
    Names(Vec<u32>, &'a Scenario, bool),
    Numbers(&'a Scenario, ColumnId, bool),
}

impl Sort {
    /// The order by rank.
    pub const RANK: Self = Self {
        column: Some(ColumnId::Rank),
        is_falling: false,
    };

    /// Returns the default order of a column: the largest number first, but ranks and names ascending.
    #[must_use]
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
    #[must_use]
    pub fn reversed(self) -> Self {
        Self {
            is_falling: !self.is_falling,
            ..self
        }
    }

    /// Returns the name: `usage ▼`, `name ▲`.
    #[must_use]
    pub fn title(self) -> Shown {
        let name = self.column.map_or("name", ColumnId::heading);
        sentence!("{name} {}", if self.is_falling { '▼' } else { '▲' })
    }

    pub(super) fn keys(self, scenario: &Scenario) -> Keys<'_> {
        let Some(column) = self.column else {
            let names = scenario.tree().names();
            let mut sorted: Vec<_> = names.iter().collect();
            sorted.sort_unstable_by_key(|&(_, bytes)| bytes);
            let mut places = vec![0; names.len()];
            for (place, (name, _)) in (0..).zip(sorted) {
                places[name.index()] = place;
            }
            return Keys::Names(places, scenario, self.is_falling);
        };
        Keys::Numbers(scenario, column, self.is_falling)
    }
}

impl Keys<'_> {
    /// Returns the key of a node; the order is that of ascending keys.
    pub(super) fn of(&self, node: NodeId) -> u64 {
        match self {
            Self::Names(places, scenario, is_falling) => {
                let place = u64::from(places[scenario.tree().name_id(node).index()]);
                if *is_falling { u64::MAX - place } else { place }
            }
            Self::Numbers(scenario, column, is_falling) => {
                let rising = match scenario.value(*column, node) {
                    // A double would lose the lowest buckets.
                    Value::Word(word) => word,
                    value => match value.as_f64().filter(|number| !number.is_nan()) {
                        Some(number) => ordered(number),
                        None => return u64::MAX,
                    },
                };
                // One below the key of nodes without a number.
                if *is_falling {
                    (!rising).min(u64::MAX - 1)
                } else {
                    rising.min(u64::MAX - 1)
                }
            }
        }
    }
}

impl Scenario {
    /// Returns the value of a node in any column of the table, those of the facts and of the comparison included.
    #[must_use]
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
#[must_use]
pub fn recorded(recorded: &Recorded, fact: Fact, node: NodeId) -> Value {
    let figure = recorded.figure(fact, node);
    figure.map_or(Value::Null, |figure| Value::Double(figure.value))
}

/// Returns how much of a target was used, as a multiple of it; [`Value::Null`] without a target.
#[must_use]
pub fn served(target: Option<Target>) -> Value {
    let served = target.and_then(Target::served);
    served.map_or(Value::Null, Value::Double)
}

/// Returns the points that the factor of a user adds to job priority.
#[must_use]
pub fn points(policy: Policy, settings: &Settings, evaluation: &Evaluation, node: NodeId) -> Value {
    let factor = evaluation.value(policy.factor_column(), node).as_f64();
    // Accounts run no jobs, even if they have a factor.
    let factor = factor.filter(|_| evaluation.rank(node).is_some());
    let points = factor.and_then(|factor| policy.priority_points(settings, factor));
    points.map_or(Value::Null, Value::Count)
}
