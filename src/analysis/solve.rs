//! What it takes: the least shares with which a node reaches a goal, or why no number of shares does.
//!
//! The answer is the least whole number that can be given (what the scheduler holds, without the sum of the level
//! running over) such that an evaluation of the whole tree with it, and with all else as it is, has the goal. Every
//! number that is named was tried, and so was the number before the answer, which does not reach it.
//!
//! # What is proven, and how
//!
//! More shares do not always mean a better rank: numbers are rounded, tickets are cut to whole ones, PBS looks at six
//! decimals and behind a tie at another order, nodes of one account change places when the account's shares change,
//! and under `LEVEL_BASED` no shares come first. So no step from one count to another rests on "more is better".
//! Small counts are tried one by one; from there on, powers of two and what lies between. What lies between two tries
//! without the goal is passed over only if the goal cannot be there: whoever is ahead at both ends is ahead all the
//! way, and if they are too many there is no use in looking, else the part is halved and looked at again. That is
//! proof as long as no two users change places twice between two tries. Where rounding can make them - six decimals of
//! PBS that are the same and leave it to another order, tickets that are one apart - a user does not count as ahead
//! all the way, and what lies just before the answer is tried one by one too. [`Effort`] says how many tries a tree of
//! some size is worth: trees of a thousand nodes and less are tried count by count up to a thousand; where it runs out
//! before all is passed over, an answer that holds for a few counts only can be missed. So it can under a
//! `job_sort_formula`, which may do anything between two tries, and under `DEPTH_OBLIVIOUS`, which bends at the target.

mod close;
mod goal;
mod on_target;
mod positions;
mod rationale;
mod search;
mod sensitivity;
mod trial;

pub use goal::{Goal, GoalError, ON_TARGET, Standing};
pub use on_target::{TargetUse, check_target};
pub use rationale::{
    DecidingNumbers, LevelOrder, LevelPosition, NumberOrder, Obstacle, Rationale, ReachedGoal,
    UnreachableGoal,
};
pub use search::Effort;
pub use sensitivity::{
    HEAVIEST, LevelCost, RankChange, RivalCost, Sensitivity, sensitivity, sensitivity_with,
};

use crate::model::{NodeId, Shares, Tree, path_for_people};
use crate::scenario::{Edit, EditError, Scenario};
use search::SearchResult;
use std::ops::{ControlFlow, RangeInclusive};
use trial::{Objective, ShareSteps, Trial};

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Question {
    /// Whose standing counts.
    pub node: NodeId,
    /// What is wanted of it.
    pub goal: Goal,
    /// Whose shares may change: the node's own, those of an account above it, or of any other node.
    pub change: NodeId,
}

/// Why a question cannot be answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SolveError {
    /// Whoever asked does not want to know any more.
    #[error("the search was given up; nothing has changed")]
    Cancelled,
    /// The root is ahead of nobody.
    #[error(
        "the root holds all users and has no place among them; choose an account or a user below it"
    )]
    Root,
    /// A node and itself.
    #[error("{0} cannot come before itself; name another user or account")]
    Itself(String),
    /// A node and one that it holds.
    #[error(
        "{node} cannot come before {other}: one of them holds the other; choose two nodes apart"
    )]
    OneLine {
        /// The node.
        node: String,
        /// The other.
        other: String,
    },
    /// A node with Slurm's `parent` in place of shares, and so without a target of its own, is to be on target.
    #[error("{0} has no target of its own: its shares are `parent`; ask for a rank or a factor")]
    ParentShares(String),
    /// A node that the policy leaves out is to be on target.
    #[error(
        "{0} has no target of its own: the policy has no numbers for it; ask for a rank or a factor"
    )]
    NoTarget(String),
    /// The shares cannot be changed.
    #[error(transparent)]
    Edit(#[from] EditError),
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// What was asked.
    pub question: Question,
    /// The shares that the changed node has now.
    pub shares_now: Shares,
    /// The least shares that reach the goal; for a node on another way than the asked one's, of which more shares are
    /// in the way, the most that it can keep. Nothing if no number does.
    pub shares: Option<i64>,
    /// The least shares from 1 up that reach it, where none at all do and 1 does not: under `LEVEL_BASED` who has no
    /// shares comes first.
    pub shares_from_one: Option<i64>,
    /// Whether the goal is reached as it is.
    pub is_reached_now: bool,
    /// The counts among which it was looked for.
    pub range: RangeInclusive<i64>,
    /// Where the node stands now.
    pub before: Standing,
    /// Where it stands with the answer.
    pub after: Option<Standing>,
    /// Where it stands with one share less, or one more where shares are taken away.
    pub almost: Option<Standing>,
    /// How many counts were tried.
    pub tries: usize,
    /// What the answer leads to, or where it is decided that none does.
    pub rationale: Rationale,
}

impl Solution {
    /// The edit that makes it so; nothing if no number of shares does.
    #[must_use]
    pub fn edit(&self) -> Option<Edit> {
        let shares = Shares::new(self.shares?);
        Some(Edit::SetShares {
            node: self.question.change,
            shares,
        })
    }

    /// By how many shares the changed node's would change; nothing if no number reaches the goal, or it has none now.
    #[must_use]
    pub fn difference(&self) -> Option<i64> {
        Some(self.shares?.saturating_sub(self.shares_now.count()?))
    }

    /// The difference as a part of the shares now; infinite where there are none.
    #[must_use]
    pub fn relative_difference(&self) -> Option<f64> {
        let difference = self.difference()? as f64;
        let now = self.shares_now.count()? as f64;
        Some(if difference == 0.0 {
            0.0
        } else {
            (difference / now).abs()
        })
    }
}

/// Finds the least shares that reach a goal; `progress` hears how many counts were tried and can stop it.
///
/// The shares of a node that is neither the asked one nor above it are looked through downwards from what it has.
///
/// # Errors
/// If the question has no answer of either kind, or it was stopped.
pub fn solve(
    scenario: &Scenario,
    question: Question,
    progress: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<Solution, SolveError> {
    let effort = Effort::for_nodes(scenario.tree().node_count());
    solve_with(scenario, question, effort, progress)
}

/// As [`solve`], with an effort of one's own.
///
/// # Errors
/// As [`solve`].
pub fn solve_with(
    scenario: &Scenario,
    question: Question,
    effort: Effort,
    progress: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<Solution, SolveError> {
    let tree = scenario.tree();
    check(tree, question.node, question.goal)?;
    check_target(
        scenario.policy(),
        tree,
        scenario.evaluation(),
        question.node,
        question.goal,
    )?;
    let range = scenario
        .policy()
        .possible_shares(tree, scenario.settings(), question.change);
    let shares_now = tree.shares(question.change);
    let is_on_line = tree.order().is_within(question.node, question.change);
    let now = shares_now.count();
    let scale = match now.filter(|now| !is_on_line && range.contains(now)) {
        Some(now) => ShareSteps {
            first: now,
            falls: true,
            last: now.abs_diff(*range.start()),
        },
        None => ShareSteps {
            first: *range.start(),
            falls: false,
            last: range.end().abs_diff(*range.start()),
        },
    };
    let before = Standing::of(
        scenario.policy(),
        tree,
        scenario.evaluation(),
        question.node,
    );
    let mut trial = Trial {
        scenario: scenario.clone(),
        node: question.node,
        change: question.change,
        wanted: Objective::Goal(question.goal),
        scale,
        tries: 0,
        progress,
    };
    let step_now = shares_now.count().and_then(|now| scale.step(now));
    let found = search::first(&mut trial, effort, step_now)?;
    let is_none = |found: &SearchResult| !scale.falls && scale.shares(found.at.step) == 0;
    let shares_from_one = if found.as_ref().is_some_and(is_none) {
        from_one(&mut trial, effort)?
    } else {
        None
    };
    trial.scale = scale;
    let tries = trial.tries;
    let reached = found
        .as_ref()
        .map(|found| (scale.shares(found.at.step), found.at.standing));
    if reached.is_none() {
        // The reason is about the tree as it is with all that can be given or taken.
        trial.look(scale.last)?;
    }
    Ok(Solution {
        question,
        shares_now,
        shares: reached.map(|(shares, _)| shares),
        shares_from_one,
        is_reached_now: trial::has(scenario, question.node, question.goal),
        range,
        before,
        after: reached.map(|(_, standing)| standing),
        almost: found.and_then(|found| found.before.map(|before| before.standing)),
        tries,
        rationale: rationale::rationale(&trial, question, reached),
    })
}

/// The least shares from 1 up that reach what none at all do; nothing if 1 does, or no number.
fn from_one(trial: &mut Trial<'_>, effort: Effort) -> Result<Option<i64>, SolveError> {
    trial.scale.first = 1;
    trial.scale.last = trial.scale.last.saturating_sub(1);
    let found = search::first(trial, effort, None)?;
    let shares = found.map(|found| trial.scale.shares(found.at.step));
    Ok(shares.filter(|&shares| shares > 1))
}

/// Whether a node can be asked to reach a goal.
///
/// # Errors
/// If it is the root, or is to be ahead of itself or of what it holds.
pub fn check(tree: &Tree, node: NodeId, goal: Goal) -> Result<(), SolveError> {
    if node == NodeId::ROOT {
        return Err(SolveError::Root);
    }
    if let Goal::AheadOf(other) = goal {
        if node == other {
            return Err(SolveError::Itself(path_for_people(tree, other)));
        }
        let order = tree.order();
        if order.is_within(node, other) || order.is_within(other, node) {
            return Err(SolveError::OneLine {
                node: path_for_people(tree, node),
                other: path_for_people(tree, other),
            });
        }
    }
    Ok(())
}

/// The least shares on each level of a node's way, from the root's child down to the node itself.
///
/// # Errors
/// As [`solve`].
pub fn levels(
    scenario: &Scenario,
    node: NodeId,
    goal: Goal,
    progress: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<Vec<Solution>, SolveError> {
    let line = scenario.tree().line(node);
    let ask = |change| {
        let question = Question { node, goal, change };
        solve(scenario, question, progress)
    };
    line.into_iter().map(ask).collect()
}

/// Which of several solutions changes least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SmallestChange {
    /// By number of shares.
    pub absolute: Option<usize>,
    /// By number of shares as a part of what the node has.
    pub relative: Option<usize>,
}

impl SmallestChange {
    /// Picks them; of several the first.
    #[must_use]
    pub fn of(solutions: &[Solution]) -> Self {
        let by = |measure: fn(&Solution) -> Option<f64>| {
            let measured = solutions.iter().enumerate();
            let measured =
                measured.filter_map(|(place, solution)| Some((measure(solution)?, place)));
            let smallest = measured.min_by(|(a, _), (b, _)| a.total_cmp(b));
            smallest.map(|(_, place)| place)
        };
        Self {
            absolute: by(|solution| Some(solution.difference()?.unsigned_abs() as f64)),
            relative: by(Solution::relative_difference),
        }
    }
}
