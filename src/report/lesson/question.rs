//! What is asked before a step does anything. The answer is looked up in the tree after the step.

use super::caption::{self, Caption, Sides};
use crate::analysis::solve::{Goal, Standing};
use crate::base::shown::{Shown, sentence};
use crate::report::View;
use crate::rules::policy::ColumnId;

/// A question before a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    pub(super) line: u64,
    /// What is asked.
    pub text: Caption,
    pub(super) about: About,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum About {
    /// Which of these nodes has the smallest or the largest number.
    Most {
        nodes: Vec<String>,
        column: ColumnId,
        is_smallest: bool,
    },
    Reaches {
        node: String,
        goal: String,
    },
    /// Whether a number of a node becomes larger.
    Change {
        node: String,
        column: ColumnId,
    },
}

/// What can be answered, and what is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The answers, in the order of their digits.
    pub answers: Vec<Shown>,
    /// Whether each of them is right. Several are where nodes tie.
    pub is_right: Vec<bool>,
}

impl Question {
    /// Returns the column whose numbers tell the answer; `None` if only the rank does.
    pub const fn column(&self) -> Option<ColumnId> {
        match self.about {
            About::Most { column, .. } | About::Change { column, .. } => Some(column),
            About::Reaches { .. } => None,
        }
    }

    /// Returns the answers, and which of them are right.
    ///
    /// # Errors
    /// A sentence, if the tree has no such node or the goal is none.
    pub fn reply(&self, sides: &Sides<'_>) -> Result<Reply, Shown> {
        let failed = |error: crate::model::PathError| Shown::error(&error);
        match &self.about {
            About::Most {
                nodes,
                column,
                is_smallest,
            } => {
                let mut numbers = Vec::new();
                let mut answers = Vec::new();
                for path in nodes {
                    let node = caption::node(&sides.now, path).map_err(failed)?;
                    answers.push(sides.now.label(node));
                    let column = caption::under(sides.now.policy, *column);
                    numbers.push(sides.now.value(column, node).as_f64());
                }
                let known = numbers.iter().flatten().copied();
                let best = known.reduce(if *is_smallest { f64::min } else { f64::max });
                Ok(Reply {
                    answers,
                    is_right: numbers.iter().map(|number| *number == best).collect(),
                })
            }
            About::Reaches { node, goal } => {
                let is_reached = reaches(&sides.now, node, goal)?;
                Ok(Reply {
                    answers: ["yes", "no"].map(Shown::from).to_vec(),
                    is_right: vec![is_reached, !is_reached],
                })
            }
            About::Change { node, column } => {
                let number = |view: &View<'_>| {
                    let node = caption::node(view, node).map_err(failed)?;
                    Ok::<_, Shown>(
                        view.value(caption::under(view.policy, *column), node)
                            .as_f64(),
                    )
                };
                let (before, now) = (number(&sides.before)?, number(&sides.now)?);
                let order = now.partial_cmp(&before);
                let answers = [
                    "it becomes larger",
                    "it stays the same",
                    "it becomes smaller",
                ];
                let is_right = [
                    std::cmp::Ordering::Greater,
                    std::cmp::Ordering::Equal,
                    std::cmp::Ordering::Less,
                ];
                Ok(Reply {
                    answers: answers.map(Shown::from).to_vec(),
                    is_right: is_right.map(|right| order == Some(right)).to_vec(),
                })
            }
        }
    }
}

impl Reply {
    /// Returns the right answers in words: `bob`, `bob and cathy`.
    pub fn right(&self) -> Shown {
        let answers = self.answers.iter().zip(&self.is_right);
        let right: Vec<Shown> = answers
            .filter(|(_, is_right)| **is_right)
            .map(|(answer, _)| answer.clone())
            .collect();
        match &right[..] {
            [] => "none of them".into(),
            [one] => one.clone(),
            [first @ .., last] => sentence!("{} and {last}", first.join(", ")),
        }
    }
}

pub(super) fn reaches(view: &View<'_>, path: &str, goal: &str) -> Result<bool, Shown> {
    let node = caption::node(view, path).map_err(|error| Shown::error(&error))?;
    let goal = Goal::parse(goal.as_bytes(), view.tree).map_err(|error| Shown::error(&error))?;
    let standing = Standing::of(view.policy, view.tree, view.evaluation, node);
    Ok(goal.is_reached(view.tree, view.evaluation, standing))
}
