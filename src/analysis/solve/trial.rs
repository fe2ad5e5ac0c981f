//! Tries: a number of shares, the node's standing with it, and the users so close that rounding decides which of them
//! comes first, who may change places more than once as shares grow.

use super::SolveError;
use super::goal::{Goal, Standing, best_user};
use crate::model::{NodeId, Shares};
use crate::rules::policy::{ColumnId, Evaluation, Policy};
use crate::scenario::{Edit, Scenario};
use std::ops::ControlFlow;

/// The numbers of shares to search, as steps from the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShareSteps {
    /// The shares at step 0.
    pub(super) first: i64,
    /// Whether every step reduces the shares.
    pub(super) falls: bool,
    pub(super) last: u64,
}

impl ShareSteps {
    pub(super) const fn shares(self, step: u64) -> i64 {
        if self.falls {
            self.first.saturating_sub_unsigned(step)
        } else {
            self.first.saturating_add_unsigned(step)
        }
    }

    /// Returns the step with so many shares. `None` if they are out of range.
    pub(super) fn step(self, shares: i64) -> Option<u64> {
        let (from, to) = if self.falls {
            (shares, self.first)
        } else {
            (self.first, shares)
        };
        let step = (from <= to).then(|| to.abs_diff(from));
        step.filter(|&step| step <= self.last)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Objective {
    Goal(Goal),
    OtherRank(Option<u32>),
}

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
    /// Returns the positions of the users ahead at both tries, and so far ahead that they are ahead between them too.
    fn ahead_throughout(&self, other: &Self) -> impl Iterator<Item = usize> {
        let is_close = |attempt: &Self, place| attempt.close.get(place) == Some(&true);
        let both = self.ahead.iter().zip(&other.ahead).enumerate();
        let ahead = both.filter(|(_, (a, b))| **a && **b);
        ahead
            .map(|(place, _)| place)
            .filter(move |&place| !is_close(self, place) && !is_close(other, place))
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
        let users_ahead = |rank| {
            let ranks = evaluation.ranks().iter();
            ranks.map(|other| (1..rank).contains(other)).collect()
        };
        let ahead = match (standing.rank, self.objective) {
            (None, _) | (_, Objective::Goal(Goal::OnTarget | Goal::Factor(_) | Goal::Share(_))) => {
                Vec::new()
            }
            // A user tied with the other node has not passed it.
            (Some(rank), Objective::Goal(Goal::AheadOf(_))) => users_ahead(rank + 1),
            (Some(rank), _) => users_ahead(rank),
        };
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
                is_ranked && a.ahead_throughout(b).count() < wanted as usize
            }
            Objective::Goal(Goal::AheadOf(other)) => {
                let span = self.scenario.tree().order().span(other);
                is_ranked && !a.ahead_throughout(b).any(|place| span.contains(&place))
            }
            Objective::Goal(Goal::OnTarget | Goal::Factor(_) | Goal::Share(_)) => false,
            Objective::OtherRank(_) => a.ahead != b.ahead,
        }
    }
}

/// Returns, by position, whether rounding decides a user's order relative to a node's best user. Empty if it cannot.
fn users_close(scenario: &Scenario, node: NodeId) -> Vec<bool> {
    let (tree, evaluation) = (scenario.tree(), scenario.evaluation());
    let Some(own) = best_user(tree, evaluation, node) else {
        return Vec::new();
    };
    let users = |is_close: &dyn Fn(NodeId) -> bool| {
        let nodes = tree.nodes().iter().zip(evaluation.ranks());
        nodes
            .map(|(&node, &rank)| rank > 0 && is_close(node))
            .collect()
    };
    match scenario.policy() {
        Policy::Pbs => {
            let own = PbsOrder::of(evaluation, own);
            users(&|node| PbsOrder::of(evaluation, node).is_close(own))
        }
        Policy::Tickets => {
            let tickets = |node| evaluation.number(ColumnId::Tickets, node).unwrap_or(0.0);
            let own = tickets(own);
            users(&|node| (tickets(node) - own).abs() <= TRUNCATION)
        }
        _ => Vec::new(),
    }
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

    fn of(evaluation: &Evaluation, user: NodeId) -> Self {
        let number = |column| evaluation.number(column, user).unwrap_or(0.0);
        Self {
            factor: number(ColumnId::FairshareFactor),
            walk_rank: number(ColumnId::WalkRank),
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
        let is_at_an_end = [self.factor, own.factor]
            .iter()
            .all(|&factor| factor < Self::END || 1.0 - factor < Self::END);
        !(is_agreed && (is_alike || is_at_an_end || further.abs() >= Self::NOISE))
    }
}
