//! Solving for a goal: the smallest number of shares with which a node reaches it, or why no number does.
//!
//! The answer is the smallest whole number with which an evaluation of the whole tree, unchanged otherwise, reaches the
//! goal. Only numbers count that the scheduler stores and that do not overflow the sum of the level. Every number in an
//! answer was tried, and so was the number before it, which does not reach the goal.
//!
//! # What is proven, and how
//!
//! More shares do not always mean a better rank: numbers are rounded, PBS breaks ties of six decimals by another order,
//! nodes of one account change places when its shares change, and under `LEVEL_BASED` nodes without shares come first.
//! So small numbers are tried one by one, then powers of two and some numbers between them. A range between two tries
//! without the goal is skipped only if too many users are ahead at both ends, and so in between; otherwise it is halved
//! and tried again. This is a proof as long as no two users change places twice between two tries. Rounding can make
//! them do so, so users that are close do not count as ahead, and the numbers just before the answer are tried one by
//! one too.
//!
//! [`Effort`] sets how many tries a tree of some size is worth: in trees of up to a thousand nodes all numbers up to a
//! thousand are tried. If the effort ends before all ranges are skipped, an answer that holds for a few numbers only
//! can be missed, as under a `job_sort_formula`, which may do anything between two tries, and under `DEPTH_OBLIVIOUS`,
//! whose formula bends at the target.

mod goal;
mod rationale;
mod search;
mod sensitivity;

pub use goal::{Goal, GoalError, Standing};
pub(crate) use goal::{ON_TARGET, TargetUse, share_in};
pub(crate) use rationale::{
    Leader, LevelOrder, LevelPosition, NumberOrder, Obstacle, Rationale, ReachedGoal,
};
pub use search::Effort;
pub(crate) use sensitivity::{HEAVIEST, RankChange, RivalCost};
pub use sensitivity::{Sensitivity, sensitivity};

use crate::base::shown::Shown;
use crate::model::{NodeId, Shares, Tree, path_for_people};
use crate::rules::policy::{ColumnId, Evaluation, Policy};
use crate::scenario::{Edit, EditError, Scenario};
use search::{Objective, ShareSteps, Trial};
use std::ops::{ControlFlow, RangeInclusive};

/// A question to solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Question {
    /// The node that should reach the goal.
    pub node: NodeId,
    /// The goal.
    pub goal: Goal,
    /// The node whose shares may change: the node itself, an account above it, or any other node.
    pub change: NodeId,
}

/// Why a question cannot be answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each variant says what it is")]
pub enum SolveError {
    #[error("the search was cancelled; nothing has changed")]
    Cancelled,
    #[error("the root has no rank among its users; choose a node below it")]
    Root,
    #[error("{0} cannot be ahead of itself; name another user or account")]
    Itself(Shown),
    #[error("{node} cannot be ahead of {other}: one contains the other; choose two separate nodes")]
    OneLine { node: Shown, other: Shown },
    #[error("{0} has no target of its own: its shares are `parent`; ask for a rank or a factor")]
    ParentShares(Shown),
    #[error("{0} has no target of its own: the policy excludes it; ask for a rank or a factor")]
    NoTarget(Shown),
    #[error(
        "advice is of all members of a level, and not all are listed; ask solve about one node, or open the whole tree"
    )]
    NotAllListed,
    #[error(transparent)]
    Edit(#[from] EditError),
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The question.
    pub question: Question,
    pub(crate) shares_now: Shares,
    /// The smallest number of shares that reaches the goal. If the node to change is neither the asked one nor above
    /// it, its shares are reduced, and this is the largest number it can keep. `None` if no number reaches the goal.
    pub shares: Option<i64>,
    /// The smallest number from 1 up, if 0 reaches the goal and 1 does not: in `LEVEL_BASED` 0 shares come first.
    pub shares_from_one: Option<i64>,
    /// Whether the goal is reached already.
    pub is_reached_now: bool,
    /// The numbers of shares that can be given.
    pub range: RangeInclusive<i64>,
    /// The standing with one share less, or one more if shares are reduced. `None` if the first number is the answer.
    pub(crate) almost: Option<Standing>,
    /// What a goal about the factor is about: a formula's value is no factor.
    pub(crate) factor_column: ColumnId,
    pub(crate) tries: usize,
    pub(crate) rationale: Rationale,
}

impl Solution {
    /// Returns the edit that reaches the goal. `None` if no number of shares does.
    pub fn edit(&self) -> Option<Edit> {
        let shares = Shares::new(self.shares?);
        Some(Edit::SetShares {
            node: self.question.change,
            shares,
        })
    }

    /// Returns the change in shares. `None` if no number reaches the goal, or the node has Slurm's `parent` now.
    pub fn difference(&self) -> Option<i64> {
        Some(self.shares?.saturating_sub(self.shares_now.count()?))
    }

    /// Returns the change relative to the present shares: -0.5 if half of them go, infinity if there are none.
    pub(crate) fn relative_difference(&self) -> Option<f64> {
        let difference = self.difference()? as f64;
        let now = self.shares_now.count()? as f64;
        Some(if difference == 0.0 {
            0.0
        } else {
            difference / now.abs()
        })
    }
}

/// Finds the smallest number of shares that reaches a goal. `progress` is given the number of tries and may stop it. If
/// the node to change is neither the asked one nor above it, its shares are reduced from the present number.
pub fn solve(
    scenario: &Scenario,
    question: Question,
    progress: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<Solution, SolveError> {
    let effort = Effort::for_nodes(scenario.tree().node_count());
    solve_with(scenario, question, effort, progress)
}

/// Does the same as [`solve`] with a given effort.
pub fn solve_with(
    scenario: &Scenario,
    question: Question,
    effort: Effort,
    progress: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<Solution, SolveError> {
    let (policy, tree, evaluation) = (scenario.policy(), scenario.tree(), scenario.evaluation());
    let Question { node, goal, change } = question;
    check(policy, tree, evaluation, node, goal)?;
    let range = policy.possible_shares(tree, scenario.settings(), change);
    let shares_now = tree.shares(change);
    let is_on_path = tree.order().is_within(node, change);
    let now = shares_now.count();
    let scale = match now.filter(|now| !is_on_path && range.contains(now)) {
        Some(now) => ShareSteps::new(now, *range.start(), true),
        None => ShareSteps::new(*range.start(), *range.end(), false),
    };
    let mut trial = Trial {
        scenario: scenario.clone(),
        node,
        change,
        objective: Objective::Goal(goal),
        scale,
        tries: 0,
        progress,
    };
    let step_now = now.and_then(|now| scale.step(now));
    let found = search::first(&mut trial, effort, step_now)?;
    let at = found.as_ref().map(|found| &found.at);
    let reached = at.map(|at| (scale.shares(at.step), at.standing));
    let shares_from_one = match reached {
        Some((0, _)) if !scale.falls => smallest_from_one(&mut trial, effort)?,
        _ => None,
    };
    trial.scale = scale;
    let tries = trial.tries;
    if reached.is_none() {
        // The rationale describes the tree with the last number that was tried.
        trial.attempt(scale.last)?;
    }
    Ok(Solution {
        question,
        shares_now,
        shares: reached.map(|(shares, _)| shares),
        shares_from_one,
        is_reached_now: goal.is_reached(evaluation, Standing::in_scenario(scenario, node)),
        range,
        almost: found.and_then(|found| found.before.map(|before| before.standing)),
        factor_column: policy.factor_column(),
        tries,
        rationale: rationale::rationale(&trial, question, reached),
    })
}

/// Returns the smallest number from 1 up that reaches the goal. `None` if 1 does, or no number.
fn smallest_from_one(trial: &mut Trial<'_>, effort: Effort) -> Result<Option<i64>, SolveError> {
    trial.scale.first = 1;
    trial.scale.last = trial.scale.last.saturating_sub(1);
    let found = search::first(trial, effort, None)?;
    let shares = found.map(|found| trial.scale.shares(found.at.step));
    Ok(shares.filter(|&shares| shares > 1))
}

pub(crate) fn check(
    policy: Policy,
    tree: &Tree,
    evaluation: &Evaluation,
    node: NodeId,
    goal: Goal,
) -> Result<(), SolveError> {
    let path = |node| path_for_people(tree, node);
    match goal {
        _ if node == NodeId::ROOT => Err(SolveError::Root),
        Goal::AheadOf(other) if node == other => Err(SolveError::Itself(path(other))),
        Goal::AheadOf(other)
            if tree.order().is_within(node, other) || tree.order().is_within(other, node) =>
        {
            let (node, other) = (path(node), path(other));
            Err(SolveError::OneLine { node, other })
        }
        Goal::OnTarget if policy.target(tree, evaluation, node).is_some() => Ok(()),
        Goal::OnTarget if tree.shares(node).is_parent() => {
            Err(SolveError::ParentShares(path(node)))
        }
        Goal::OnTarget => Err(SolveError::NoTarget(path(node))),
        _ => Ok(()),
    }
}

/// Solves for a goal once for each node on the path, from the top level down to the node itself.
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

/// The places of those among several solutions that change least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SmallestChange {
    /// The smallest change in shares. `None` if no solution has one.
    pub absolute: Option<usize>,
    /// The smallest change relative to the node's present shares. `None` if no solution has one.
    pub relative: Option<usize>,
}

impl SmallestChange {
    /// Finds the smallest changes; of equal ones the first.
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
            relative: by(|solution| Some(solution.relative_difference()?.abs())),
        }
    }
}
