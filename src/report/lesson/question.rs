//! What is asked before a step does anything. The answer is looked up in the tree after the step.

use super::caption::{self, Caption, Sides};
use crate::analysis::solve::{Goal, Standing};
use crate::base::shown::{Shown, sentence};
use crate::model::PathError;
use crate::report::View;
use crate::rules::policy::{ColumnId, Policy};
use std::cmp::Ordering;

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
    pub(crate) answers: Vec<Shown>,
    /// Whether each of them is right. Several are where nodes tie.
    pub is_right: Vec<bool>,
}

impl Question {
    /// Returns whether the numbers of a column tell the answer. Many tell a rank; the words of `LEVEL_BASED` stay, for the
    /// lesson about them asks to read the ranks from them.
    pub(super) fn is_told_by(&self, column: ColumnId, policy: Policy) -> bool {
        let tells_rank = |column: ColumnId| {
            let also = [ColumnId::Change, ColumnId::PriorityPoints, ColumnId::Factor];
            let is_of_rank = column.name().contains("rank") || also.contains(&column);
            is_of_rank || column == policy.factor_column()
        };
        let computed = match column {
            ColumnId::Recorded(fact) => ColumnId::computing(fact).unwrap_or(column),
            column => column,
        };
        match self.about {
            About::Most { column, .. } | About::Change { column, .. } if !tells_rank(column) => {
                // The number that the level is ordered by is told by the ranks too.
                let is_order = column == ColumnId::BucketFactor && tells_rank(computed);
                column.name() == computed.name() || is_order
            }
            _ => tells_rank(computed),
        }
    }

    /// Returns the answers, and which of them are right; an error if the tree has no such node or the goal is none.
    pub(super) fn reply(&self, sides: &Sides<'_>) -> Result<Reply, Shown> {
        let failed = |error: PathError| Shown::error(&error);
        let value = |view: &View<'_>, column: ColumnId, path: &str| {
            let node = caption::node(view, path).map_err(failed)?;
            let column = caption::under(view.policy, column);
            Ok::<_, Shown>((node, view.value(column, node).as_f64()))
        };
        let replies: Vec<(Shown, bool)> = match &self.about {
            About::Most {
                nodes,
                column,
                is_smallest,
            } => {
                let values = nodes.iter().map(|path| value(&sides.now, *column, path));
                let values = values.collect::<Result<Vec<_>, _>>()?;
                let known = values.iter().filter_map(|&(_, number)| number);
                let best = known.reduce(if *is_smallest { f64::min } else { f64::max });
                let reply = |&(node, number)| (sides.now.label(node), number == best);
                values.iter().map(reply).collect()
            }
            About::Reaches { node, goal } => {
                let is_reached = reaches(&sides.now, node, goal)?;
                vec![("yes".into(), is_reached), ("no".into(), !is_reached)]
            }
            About::Change { node, column } => {
                let (_, before) = value(&sides.before, *column, node)?;
                let (_, now) = value(&sides.now, *column, node)?;
                let order = now.partial_cmp(&before);
                let replies = [
                    ("it becomes larger", Ordering::Greater),
                    ("it stays the same", Ordering::Equal),
                    ("it becomes smaller", Ordering::Less),
                ];
                let replies = replies.map(|(text, right)| (text.into(), order == Some(right)));
                replies.to_vec()
            }
        };
        let (answers, is_right) = replies.into_iter().unzip();
        Ok(Reply { answers, is_right })
    }
}

impl Reply {
    /// Returns the right answers in words: `bob`, `bob and cathy`.
    pub(crate) fn right(&self) -> Shown {
        let answers = self.answers.iter().zip(&self.is_right);
        let right = answers.filter(|(_, is_right)| **is_right);
        let right: Vec<Shown> = right.map(|(answer, _)| answer.clone()).collect();
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
    Ok(goal.is_reached(view.evaluation, standing))
}
