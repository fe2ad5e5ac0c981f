//! What is asked before a step does anything. The answer is looked up in the tree after the step.

use super::caption::{self, Caption, Sides};
use crate::analysis::solve::{Goal, Standing};
use crate::base::number::{Unit, Value, ordinal};
use crate::base::shown::{Shown, sentence};
use crate::model::NodeId;
use crate::report::View;
use crate::report::words::listed;
use crate::rules::policy::{ColumnId, Policy, Target};
use std::cmp::Ordering;

/// A question before a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The line on which it begins, from 1.
    pub(super) line: u64,
    /// What is asked.
    pub text: Caption,
    /// What the answer depends on.
    pub(super) about: About,
}

/// What a question asks of a tree.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum About {
    /// Which of these nodes has the smallest or the largest number.
    Most {
        nodes: Vec<String>,
        column: ColumnId,
        is_smallest: bool,
    },
    /// Whether a node reaches a goal, in the words of `solve`.
    Reaches { node: String, goal: String },
    /// Whether a number of a node becomes larger.
    Change { node: String, column: ColumnId },
}

/// What can be answered, and what is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The answers, in the order of their digits.
    pub(crate) answers: Vec<Shown>,
    /// Whether each of them is right. Several are where nodes tie.
    pub is_right: Vec<bool>,
    /// The numbers that make them right or wrong: `suzy ranks 3rd, bob 1st`.
    pub(crate) numbers: Shown,
}

impl Question {
    /// Returns whether the numbers of a column tell the answer. Many tell a rank; the words of `LEVEL_BASED` stay, for the
    /// lesson about them asks to read the ranks from them.
    pub(super) fn is_told_by(&self, column: ColumnId, policy: Policy) -> bool {
        let mut computed = column;
        if let ColumnId::Recorded(fact) = column {
            computed = ColumnId::computing(fact).unwrap_or(column);
        }
        let is_of_rank = tells_rank(computed, policy);
        match self.about {
            About::Most { column, .. } | About::Change { column, .. }
                if !tells_rank(column, policy) =>
            {
                // The number that the level is ordered by is told by the ranks too.
                let is_order = column == ColumnId::BucketFactor && is_of_rank;
                column.name() == computed.name() || is_order
            }
            _ => is_of_rank,
        }
    }

    /// Returns the answers, and which of them are right.
    ///
    /// # Errors
    /// The sentence says which node the tree does not have, or why the goal is none.
    pub(super) fn reply(&self, sides: &Sides<'_>) -> Result<Reply, Shown> {
        match &self.about {
            About::Most {
                nodes,
                column,
                is_smallest,
            } => most(&sides.now, nodes, *column, *is_smallest),
            About::Reaches { node, goal } => {
                let aim = Aim::parse(&sides.now, node, goal)?;
                let is_reached = aim.is_reached(&sides.now);
                Ok(Reply {
                    answers: vec!["yes".into(), "no".into()],
                    is_right: vec![is_reached, !is_reached],
                    numbers: aim.numbers(&sides.now),
                })
            }
            About::Change { node, column } => {
                let before = NamedNumber::of(&sides.before, *column, node)?;
                let now = NamedNumber::of(&sides.now, *column, node)?;
                let order = now.number.partial_cmp(&before.number);
                let numbers = if order == Some(Ordering::Equal) {
                    sentence!("it stays {}", now.text)
                } else {
                    sentence!("it goes from {} to {}", before.text, now.text)
                };
                Ok(Reply {
                    numbers,
                    answers: vec![
                        "it becomes larger".into(),
                        "it stays the same".into(),
                        "it becomes smaller".into(),
                    ],
                    is_right: vec![
                        order == Some(Ordering::Greater),
                        order == Some(Ordering::Equal),
                        order == Some(Ordering::Less),
                    ],
                })
            }
        }
    }
}

/// Returns whether the numbers of a column tell ranks under a policy.
fn tells_rank(column: ColumnId, policy: Policy) -> bool {
    let tells_order = matches!(
        column,
        ColumnId::Change | ColumnId::PriorityPoints | ColumnId::Factor
    );
    tells_order || column.name().contains("rank") || column == policy.factor_column()
}

/// Returns the node at a path.
///
/// # Errors
/// The sentence says that the tree has no such node.
fn node(view: &View<'_>, path: &str) -> Result<NodeId, Shown> {
    caption::node(view, path).map_err(|error| Shown::error(&error))
}

/// A number of a node that a question names.
struct NamedNumber {
    /// The node.
    node: NodeId,
    /// The number; `None` if the node has none.
    number: Option<f64>,
    /// The number as a sentence has it.
    text: Shown,
}

impl NamedNumber {
    /// Returns the number of the node at a path.
    ///
    /// # Errors
    /// The sentence says that the tree has no such node.
    fn of(view: &View<'_>, column: ColumnId, path: &str) -> Result<Self, Shown> {
        let node = node(view, path)?;
        let own = caption::under(view.policy, column);
        let value = view.value(own, node);
        let text = match value {
            Value::Null => "none".into(),
            _ => caption::column_cell(value, own.unit()),
        };
        Ok(Self {
            node,
            number: value.as_f64(),
            text,
        })
    }
}

/// Returns which of some nodes have the smallest or the largest number. All are right if none has a number.
fn most(
    view: &View<'_>,
    paths: &[String],
    column: ColumnId,
    is_smallest: bool,
) -> Result<Reply, Shown> {
    let mut candidates = Vec::new();
    let mut best: Option<f64> = None;
    for path in paths {
        let candidate = NamedNumber::of(view, column, path)?;
        if let Some(number) = candidate.number {
            best = Some(match best {
                Some(best) if is_smallest => best.min(number),
                Some(best) => best.max(number),
                None => number,
            });
        }
        candidates.push(candidate);
    }
    let mut reply = Reply {
        answers: Vec::new(),
        is_right: Vec::new(),
        numbers: Shown::default(),
    };
    let heading = column.heading();
    let mut numbers = Vec::new();
    for candidate in candidates {
        let name = view.label(candidate.node);
        let number = if column == ColumnId::Rank {
            ranked(view, candidate.node)
        } else if numbers.is_empty() {
            sentence!("{heading} of {name} is {}", candidate.text)
        } else {
            sentence!("of {name} {}", candidate.text)
        };
        numbers.push(number);
        reply.answers.push(name);
        reply.is_right.push(candidate.number == best);
    }
    reply.numbers = Shown::joined(&numbers, ", ");
    Ok(reply)
}

/// Returns the rank of a node in words: `suzy ranks 3rd`.
fn ranked(view: &View<'_>, node: NodeId) -> Shown {
    let name = view.label(node);
    match view.evaluation.rank(node) {
        Some(rank) => sentence!("{name} ranks {}", ordinal(rank as usize)),
        None => sentence!("{name} has no rank"),
    }
}

impl Reply {
    /// Returns the right answers in words: `bob`, `bob and cathy`.
    pub(crate) fn right(&self) -> Shown {
        let mut right = Vec::new();
        for (answer, &is_right) in self.answers.iter().zip(&self.is_right) {
            if is_right {
                right.push(answer.clone());
            }
        }
        if right.is_empty() {
            return "none of them".into();
        }
        listed(&right)
    }
}

/// A goal of a node.
pub(super) struct Aim {
    /// The node.
    pub(super) node: NodeId,
    /// The goal.
    goal: Goal,
}

impl Aim {
    /// Reads a goal, in the words of `solve`, for the node at a path.
    ///
    /// # Errors
    /// The sentence says that the tree has no such node, or what is wrong with the goal.
    pub(super) fn parse(view: &View<'_>, path: &str, goal: &str) -> Result<Self, Shown> {
        let node = node(view, path)?;
        match Goal::parse(goal.as_bytes(), view.tree) {
            Ok(goal) => Ok(Self { node, goal }),
            Err(error) => Err(Shown::error(&error)),
        }
    }

    /// Returns whether the node reaches the goal.
    pub(super) fn is_reached(&self, view: &View<'_>) -> bool {
        let standing = self.standing(view);
        self.goal.is_reached(view.evaluation, standing)
    }

    /// Returns where the node stands.
    fn standing(&self, view: &View<'_>) -> Standing {
        Standing::of(view.policy, view.tree, view.evaluation, self.node)
    }

    /// Returns where the node stands in what the goal is about: `alice ranks 35th`.
    fn numbers(&self, view: &View<'_>) -> Shown {
        let standing = self.standing(view);
        match self.goal {
            Goal::Rank(_) => ranked(view, self.node),
            Goal::AheadOf(other) => {
                let own = ranked(view, self.node);
                let of_other = ranked(view, other);
                sentence!("{own}, {of_other}")
            }
            Goal::Factor(_) => self.number(view, "factor", standing.factor, Unit::Fraction),
            Goal::Share(_) => self.number(view, "share", standing.share, Unit::Portion),
            Goal::OnTarget => {
                let served = standing.target.and_then(Target::served);
                self.number(view, ColumnId::Served.heading(), served, Unit::Times)
            }
        }
    }

    /// Returns a number of the node: `the factor of bob is 0.500000`.
    fn number(&self, view: &View<'_>, what: &str, number: Option<f64>, unit: Unit) -> Shown {
        let name = view.label(self.node);
        let number = match number {
            Some(number) => caption::column_cell(Value::Double(number), unit),
            None => "none".into(),
        };
        sentence!("the {what} of {name} is {number}")
    }
}
