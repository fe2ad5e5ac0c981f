//! The search for the first number of shares that reaches an objective, by tries: a number of shares, the node's standing
//! with it, and the users so close that rounding decides which of them comes first, who may change places more than once as
//! shares grow.

use super::SolveError;
use super::goal::{Goal, Standing};
use crate::model::{NodeId, Shares};
use crate::rules::policy::{ColumnId, Evaluation, Policy};
use crate::scenario::{Edit, Scenario};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// The effort of a search. More tries find answers between two others that attempt alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// The number of steps that are tried one by one, from the first.
    pub scanned: u64,
    /// The number of steps that are tried between a power of two and the next.
    pub per_octave: u64,
    /// The number of steps that are tried one by one just before an answer.
    pub tried_back: u64,
    /// The number of tries after which a range is skipped if its end does not reach the objective.
    pub patience: usize,
}

impl Effort {
    /// Returns the effort for so many nodes: about a second of work, and about ten seconds for a million nodes.
    pub fn for_nodes(count: usize) -> Self {
        let count = u64::try_from(count).unwrap_or(u64::MAX).max(1);
        Self {
            scanned: (1_000_000 / count).clamp(8, 1024),
            per_octave: (100_000 / count).clamp(1, 16),
            tried_back: (1_000_000 / count).clamp(2, 64),
            patience: usize::try_from((10_000_000 / count).clamp(60, 20_000)).unwrap_or(60),
        }
    }

    /// Returns the steps that are always tried: small ones, powers of two, their neighbours, some between, the present.
    fn steps(self, last: u64, now: Option<u64>) -> BTreeSet<u64> {
        let mut steps: BTreeSet<u64> = (0..self.scanned).collect();
        for bit in 0..=last.checked_ilog2().unwrap_or(0) {
            let power = 1_u64 << bit;
            steps.extend([power - 1, power, power.saturating_add(1)]);
            self.add_between_powers(&mut steps, power);
        }
        if self.per_octave == 1 {
            // On a large tree tries are expensive; neighbours are tried later where they matter.
            steps.retain(|step| *step < self.scanned || step.is_power_of_two());
        }
        if let Some(now) = now {
            steps.extend([now.saturating_sub(1), now, now.saturating_add(1)]);
        }
        // The step before the last is tried too, because the last may be a special case: no shares at all.
        steps.extend([last.saturating_sub(1), last]);
        steps.retain(|&step| step <= last);
        steps
    }

    /// Returns steps before an answer at which the objective may be reached too: rounding makes results flicker, and
    /// with 32-bit floats the flicker reaches further for larger numbers.
    fn steps_back(self, found: u64) -> BTreeSet<u64> {
        let stride = (found >> 20).max(1);
        let mut steps = BTreeSet::new();
        for back in 1..=self.tried_back {
            steps.extend(found.checked_sub(back));
            steps.extend(found.checked_sub(back * stride));
        }
        steps
    }

    /// Adds the steps between a power of two and the next.
    fn add_between_powers(self, steps: &mut BTreeSet<u64>, power: u64) {
        let parts = u128::from(self.per_octave);
        let start = u128::from(power);
        for part in 1..parts {
            let step = start + start * part / parts;
            if let Ok(step) = u64::try_from(step) {
                steps.insert(step);
            }
        }
    }
}

/// A step that reaches the objective.
pub(super) struct SearchResult {
    /// The try of the step.
    pub(super) at: Attempt,
    /// The step before, which does not reach it. `None` if the very first step reaches it.
    pub(super) before: Option<Attempt>,
}

/// The first step that reaches the objective, if one does.
type SearchOutcome = Result<Option<SearchResult>, SolveError>;

impl SearchResult {
    /// Returns the result without the step before.
    fn first(at: Attempt) -> Self {
        Self { at, before: None }
    }
}

/// Finds the first step that reaches the objective. `now` is the present step, if there is one.
pub(super) fn first(trial: &mut Trial<'_>, effort: Effort, now: Option<u64>) -> SearchOutcome {
    let steps = effort.steps(trial.scale.last, now);
    let Some(mut found) = first_of(trial, effort, &steps)? else {
        return Ok(None);
    };
    // Repeated until no earlier step is found.
    while let Some(earlier) = first_of(trial, effort, &effort.steps_back(found.at.step))? {
        found = earlier;
    }
    // The step before the answer must not reach the objective.
    while let Some(before) = found.at.step.checked_sub(1) {
        if let Some(attempt) = &found.before
            && attempt.step == before
        {
            break;
        }
        let attempt = trial.attempt(before)?;
        if attempt.is_reached {
            found = SearchResult::first(attempt);
        } else {
            found.before = Some(attempt);
        }
    }
    Ok(Some(found))
}

/// Finds the first step that reaches the objective, among some steps and between them.
fn first_of(trial: &mut Trial<'_>, effort: Effort, steps: &BTreeSet<u64>) -> SearchOutcome {
    let mut last: Option<Attempt> = None;
    for &step in steps {
        let attempt = trial.attempt(step)?;
        let Some(before) = last else {
            if attempt.is_reached {
                return Ok(Some(SearchResult::first(attempt)));
            }
            last = Some(attempt);
            continue;
        };
        match between(trial, effort, before, attempt)? {
            Between::Reached(found) => return Ok(Some(found)),
            Between::Passed(end) => last = Some(end),
        }
    }
    Ok(None)
}

/// What the tries of a range of steps lead to.
enum Between {
    /// A step of the range reaches the objective.
    Reached(SearchResult),
    /// No step does that was tried, up to this last one.
    Passed(Attempt),
}

/// Finds the first step after `start`, up to `end`, that reaches the objective.
fn between(
    trial: &mut Trial<'_>,
    effort: Effort,
    mut start: Attempt,
    end: Attempt,
) -> Result<Between, SolveError> {
    let mut ends = vec![end];
    while let Some(end) = ends.pop() {
        let is_narrow = end.step - start.step <= 1;
        let is_open = end.is_reached || trial.tries < effort.patience;
        if !is_narrow && is_open && trial.may_be_between(&start, &end) {
            let middle = start.step + (end.step - start.step) / 2;
            ends.push(end);
            ends.push(trial.attempt(middle)?);
            continue;
        }
        if end.is_reached {
            return Ok(Between::Reached(SearchResult {
                at: end,
                before: Some(start),
            }));
        }
        start = end;
    }
    Ok(Between::Passed(start))
}

/// The numbers of shares to search, as steps from the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShareSteps {
    /// The shares at step 0.
    pub(super) first: i64,
    /// Whether every step reduces the shares.
    pub(super) falls: bool,
    /// The last step.
    pub(super) last: u64,
}

impl ShareSteps {
    /// Returns the steps from one number of shares to another.
    pub(super) const fn new(first: i64, last: i64, falls: bool) -> Self {
        let last = first.abs_diff(last);
        Self { first, falls, last }
    }

    /// Returns the shares at a step.
    pub(super) const fn shares(self, step: u64) -> i64 {
        if self.falls {
            self.first.saturating_sub_unsigned(step)
        } else {
            self.first.saturating_add_unsigned(step)
        }
    }

    /// Returns the step with so many shares. `None` if they are out of range.
    pub(super) fn step(self, shares: i64) -> Option<u64> {
        let is_outside = if self.falls {
            shares > self.first
        } else {
            shares < self.first
        };
        let step = self.first.abs_diff(shares);
        if is_outside || step > self.last {
            return None;
        }
        Some(step)
    }
}

/// What a search looks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Objective {
    /// A goal of the node.
    Goal(Goal),
    /// Any rank but this.
    OtherRank(Option<u32>),
}

/// A try of one number of shares.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    pub(super) step: u64,
    pub(super) is_reached: bool,
    pub(super) standing: Standing,
    /// By position, who is ahead, or tied with a node to be passed. Empty if the objective does not depend on ranks.
    ahead: Vec<bool>,
    /// By position, whether a user's order may change near this step by rounding. Empty if no order does.
    close: Vec<bool>,
}

impl Attempt {
    /// Returns whether a user is ahead at both tries, and so far ahead that it is ahead between them too.
    fn is_ahead_throughout(&self, other: &Self, position: usize) -> bool {
        let is_ahead = self.ahead[position] && other.ahead[position];
        is_ahead && !self.is_close(position) && !other.is_close(position)
    }

    /// Returns whether the order of a user may change near this step by rounding.
    fn is_close(&self, position: usize) -> bool {
        self.close.get(position) == Some(&true)
    }

    /// Returns how many users are ahead throughout.
    fn count_ahead_throughout(&self, other: &Self) -> usize {
        let mut count = 0;
        for position in 0..self.ahead.len() {
            count += usize::from(self.is_ahead_throughout(other, position));
        }
        count
    }
}

/// A scenario in which numbers of shares are tried for one node.
pub(super) struct Trial<'a> {
    pub(super) scenario: Scenario,
    pub(super) node: NodeId,
    pub(super) change: NodeId,
    pub(super) objective: Objective,
    pub(super) scale: ShareSteps,
    /// The number of tries so far.
    pub(super) tries: usize,
    pub(super) progress: &'a mut dyn FnMut(usize) -> ControlFlow<()>,
}

impl Trial<'_> {
    /// Tries a number of shares.
    pub(super) fn attempt(&mut self, step: u64) -> Result<Attempt, SolveError> {
        if (self.progress)(self.tries).is_break() {
            return Err(SolveError::Cancelled);
        }
        self.tries += 1;
        let shares = Shares::new(self.scale.shares(step));
        self.scenario.try_out(Edit::SetShares {
            node: self.change,
            shares,
        })?;
        let evaluation = self.scenario.evaluation();
        let standing = Standing::in_scenario(&self.scenario, self.node);
        let is_reached = match self.objective {
            Objective::Goal(goal) => goal.is_reached(evaluation, standing),
            Objective::OtherRank(rank) => standing.rank != rank,
        };
        let end = match self.objective {
            Objective::Goal(Goal::OnTarget | Goal::Factor(_) | Goal::Share(_)) => None,
            // A user tied with the other node has not passed it.
            Objective::Goal(Goal::AheadOf(_)) => standing.rank.map(|rank| rank + 1),
            Objective::Goal(Goal::Rank(_)) | Objective::OtherRank(_) => standing.rank,
        };
        let mut ahead = Vec::new();
        if let Some(end) = end {
            let ranks = evaluation.ranks().iter();
            ahead.extend(ranks.map(|rank| (1..end).contains(rank)));
        }
        let close = match self.objective {
            Objective::Goal(Goal::Rank(_) | Goal::AheadOf(_)) if !is_reached => {
                users_close(&self.scenario, self.node)
            }
            _ => Vec::new(),
        };
        Ok(Attempt {
            step,
            is_reached,
            standing,
            ahead,
            close,
        })
    }

    /// Returns whether the objective may be reached between two tries, of which the first did not reach it. This
    /// assumes that users who are not nearly tied change places at most once in between, and that factor and share
    /// change in one direction.
    pub(super) fn may_be_between(&self, a: &Attempt, b: &Attempt) -> bool {
        if b.is_reached {
            return true;
        }
        let is_ranked = a.standing.rank.is_some() && b.standing.rank.is_some();
        match self.objective {
            Objective::Goal(Goal::Rank(wanted)) => {
                is_ranked && a.count_ahead_throughout(b) < wanted as usize
            }
            Objective::Goal(Goal::AheadOf(other)) => {
                let mut span = self.scenario.tree().order().span(other);
                is_ranked && !span.any(|position| a.is_ahead_throughout(b, position))
            }
            Objective::Goal(Goal::OnTarget | Goal::Factor(_) | Goal::Share(_)) => false,
            Objective::OtherRank(_) => a.ahead != b.ahead,
        }
    }
}

/// Returns, by position, whether rounding decides a user's order relative to a node's best user. Empty if it cannot.
fn users_close(scenario: &Scenario, node: NodeId) -> Vec<bool> {
    let Some(own) = scenario.evaluation().best_user(node) else {
        return Vec::new();
    };
    match scenario.policy() {
        Policy::Pbs => users_close_in_pbs(scenario, own),
        Policy::Tickets => users_close_in_tickets(scenario, own),
        _ => Vec::new(),
    }
}

/// Returns, by position, whether the decimals of factors or the walk decide a user's order relative to another one.
fn users_close_in_pbs(scenario: &Scenario, own: NodeId) -> Vec<bool> {
    let evaluation = scenario.evaluation();
    let order = PbsOrder::of(evaluation, own);
    let mut close = vec![false; evaluation.ranks().len()];
    for (position, node) in scenario.tree().positions() {
        if evaluation.ranks()[position] > 0 {
            close[position] = PbsOrder::of(evaluation, node).is_close(order);
        }
    }
    close
}

/// Returns, by position, whether truncated tickets decide a user's order relative to another one.
fn users_close_in_tickets(scenario: &Scenario, own: NodeId) -> Vec<bool> {
    let evaluation = scenario.evaluation();
    let own_tickets = tickets(evaluation, own);
    let mut close = vec![false; evaluation.ranks().len()];
    for (position, node) in scenario.tree().positions() {
        if evaluation.ranks()[position] > 0 {
            let difference = tickets(evaluation, node) - own_tickets;
            close[position] = difference.abs() <= TRUNCATION;
        }
    }
    close
}

/// Returns the tickets of a user, 0 without any.
fn tickets(evaluation: &Evaluation, user: NodeId) -> f64 {
    evaluation.number(ColumnId::Tickets, user).unwrap_or(0.0)
}

/// The largest difference that truncation makes: the tickets of the user and those of the account are whole numbers.
const TRUNCATION: f64 = 2.0;

/// The numbers by which PBS orders a user: the factor with six decimals, then the rank in the walk of the tree.
#[derive(Clone, Copy)]
struct PbsOrder {
    factor: f64,
    walk_rank: f64,
}

impl PbsOrder {
    /// Factors this far apart never print the same six decimals, even with rounding errors.
    const APART: f64 = 1.5e-6;

    /// The largest error of a factor from 32-bit floats: a few times 2^-24, as r 2^-r is at most 0.53.
    const NOISE: f64 = 3e-7;

    /// Factors this close to 0 or to 1 all print the same six decimals.
    const END: f64 = 5e-7 - Self::NOISE;

    /// Returns the numbers of a user, 0 without any.
    fn of(evaluation: &Evaluation, user: NodeId) -> Self {
        let factor = evaluation.number(ColumnId::FairshareFactor, user);
        let walk_rank = evaluation.number(ColumnId::WalkRank, user);
        Self {
            factor: factor.unwrap_or(0.0),
            walk_rank: walk_rank.unwrap_or(0.0),
        }
    }

    /// Returns whether the decimals or the walk may decide the order of the two, with different results.
    fn is_close(self, own: Self) -> bool {
        let further = self.factor - own.factor;
        if further.abs() >= Self::APART {
            return false;
        }
        // If both orders agree, rounding changes nothing: a larger factor never prints as a smaller one.
        let walk = self.walk_rank - own.walk_rank;
        let is_alike = further == 0.0;
        let is_agreed = is_alike || (further > 0.0) == (walk < 0.0) && walk != 0.0;
        let is_at_an_end = self.is_at_an_end() && own.is_at_an_end();
        !(is_agreed && (is_alike || is_at_an_end || further.abs() >= Self::NOISE))
    }

    /// Returns whether the factor prints the same decimals as all others near it.
    fn is_at_an_end(self) -> bool {
        self.factor < Self::END || 1.0 - self.factor < Self::END
    }
}
