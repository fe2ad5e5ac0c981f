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
use std::mem;
use std::ops::{ControlFlow, RangeInclusive};

/// Which number of shares of one node brings a node to a goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShareQuestion {
    /// The node that should reach the goal.
    pub node: NodeId,
    /// The goal.
    pub goal: Goal,
    /// The node whose shares may change: the node itself, an account above it, or any other node.
    pub change: NodeId,
}

/// Why a goal cannot be solved for.
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
    pub question: ShareQuestion,
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
        Some(Edit::SetShares {
            node: self.question.change,
            shares: Shares::new(self.shares?),
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
        if difference == 0.0 {
            return Some(0.0);
        }
        Some(difference / now.abs())
    }
}

/// Finds the smallest number of shares that reaches a goal. `progress` is given the number of tries and may stop it. If
/// the node to change is neither the asked one nor above it, its shares are reduced from the present number.
pub fn solve(
    scenario: &Scenario,
    question: ShareQuestion,
    progress: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<Solution, SolveError> {
    let effort = Effort::for_nodes(scenario.tree().node_count());
    solve_with(scenario, question, effort, progress)
}

/// Does the same as [`solve`] with a given effort.
pub fn solve_with(
    scenario: &Scenario,
    question: ShareQuestion,
    effort: Effort,
    progress: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<Solution, SolveError> {
    let policy = scenario.policy();
    let tree = scenario.tree();
    let evaluation = scenario.evaluation();
    let ShareQuestion { node, goal, change } = question;
    check(policy, tree, evaluation, node, goal)?;
    let range = policy.possible_shares(tree, scenario.settings(), change);
    let shares_now = tree.shares(change);
    let is_on_path = tree.order().is_within(node, change);
    let scale = match shares_now.count() {
        Some(now) if !is_on_path && range.contains(&now) => {
            ShareSteps::new(now, *range.start(), true)
        }
        _ => ShareSteps::new(*range.start(), *range.end(), false),
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
    let mut step_now = None;
    if let Some(now) = shares_now.count() {
        step_now = scale.step(now);
    }
    let mut answer = None;
    let mut almost = None;
    let mut shares_from_one = None;
    if let Some(found) = search::first(&mut trial, effort, step_now)? {
        let shares = scale.shares(found.at.step);
        answer = Some(Answer {
            shares,
            standing: found.at.standing,
        });
        almost = found.before.map(|before| before.standing);
        if shares == 0 && !scale.falls {
            shares_from_one = smallest_from_one(&mut trial, effort)?;
        }
    }
    let tries = trial.tries;
    if answer.is_none() {
        // The rationale describes the tree with the last number that was tried.
        trial.attempt(scale.last)?;
    }
    Ok(Solution {
        question,
        shares_now,
        shares: answer.map(|answer| answer.shares),
        shares_from_one,
        is_reached_now: goal.is_reached(evaluation, Standing::in_scenario(scenario, node)),
        range,
        almost,
        factor_column: policy.factor_column(),
        tries,
        rationale: rationale::rationale(&trial, question, answer),
    })
}

/// A number of shares that reaches a goal, and the node's standing with it.
#[derive(Clone, Copy)]
struct Answer {
    shares: i64,
    standing: Standing,
}

/// Returns the smallest number from 1 up that reaches the goal. `None` if 1 does, or no number.
fn smallest_from_one(trial: &mut Trial<'_>, effort: Effort) -> Result<Option<i64>, SolveError> {
    let scale = trial.scale;
    trial.scale.first = 1;
    trial.scale.last = scale.last.saturating_sub(1);
    let found = search::first(trial, effort, None)?;
    let steps = mem::replace(&mut trial.scale, scale);
    let Some(found) = found else {
        return Ok(None);
    };
    match steps.shares(found.at.step) {
        ..=1 => Ok(None),
        shares => Ok(Some(shares)),
    }
}

/// Fails if a node cannot have a goal.
pub(crate) fn check(
    policy: Policy,
    tree: &Tree,
    evaluation: &Evaluation,
    node: NodeId,
    goal: Goal,
) -> Result<(), SolveError> {
    if node == NodeId::ROOT {
        return Err(SolveError::Root);
    }
    match goal {
        Goal::AheadOf(other) => check_other(tree, node, other),
        Goal::OnTarget if policy.target(tree, evaluation, node).is_some() => Ok(()),
        Goal::OnTarget if tree.shares(node).is_parent() => {
            Err(SolveError::ParentShares(path_for_people(tree, node)))
        }
        Goal::OnTarget => Err(SolveError::NoTarget(path_for_people(tree, node))),
        Goal::Rank(_) | Goal::Factor(_) | Goal::Share(_) => Ok(()),
    }
}

/// Fails if a node cannot be ahead of another one.
fn check_other(tree: &Tree, node: NodeId, other: NodeId) -> Result<(), SolveError> {
    let order = tree.order();
    if node == other {
        return Err(SolveError::Itself(path_for_people(tree, other)));
    }
    if order.is_within(node, other) || order.is_within(other, node) {
        return Err(SolveError::OneLine {
            node: path_for_people(tree, node),
            other: path_for_people(tree, other),
        });
    }
    Ok(())
}

/// Solves for a goal once for each node on the path, from the top level down to the node itself.
pub fn levels(
    scenario: &Scenario,
    node: NodeId,
    goal: Goal,
    progress: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<Vec<Solution>, SolveError> {
    let mut solutions = Vec::new();
    for change in scenario.tree().line(node) {
        let question = ShareQuestion { node, goal, change };
        solutions.push(solve(scenario, question, progress)?);
    }
    Ok(solutions)
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
        let mut absolute = Vec::with_capacity(solutions.len());
        let mut relative = Vec::with_capacity(solutions.len());
        for solution in solutions {
            let difference = solution.difference();
            absolute.push(difference.map(|difference| difference.unsigned_abs() as f64));
            relative.push(solution.relative_difference().map(f64::abs));
        }
        Self {
            absolute: smallest(&absolute),
            relative: smallest(&relative),
        }
    }
}

/// Returns the place of the smallest number, of equal ones the first. `None` if there is none.
fn smallest(numbers: &[Option<f64>]) -> Option<usize> {
    let mut smallest = None;
    let mut least = f64::INFINITY;
    for (place, number) in numbers.iter().enumerate() {
        if let Some(number) = *number
            && (smallest.is_none() || number < least)
        {
            smallest = Some(place);
            least = number;
        }
    }
    smallest
}
