//! Tries: one count of shares, and where the node stands with it.

use super::SolveError;
use super::goal::{Goal, Standing, best_rank};
use crate::model::{NodeId, Shares};
use crate::scenario::{Edit, Scenario};
use std::ops::ControlFlow;

/// The counts of shares that are looked through, as steps from the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scale {
    /// The shares at step 0.
    pub(super) first: u32,
    /// Whether shares are taken away with every step, not added.
    pub(super) falls: bool,
    /// The last step.
    pub(super) last: u32,
}

impl Scale {
    /// The shares at a step.
    pub(super) const fn shares(self, step: u32) -> u32 {
        if self.falls {
            self.first - step
        } else {
            self.first + step
        }
    }

    /// The step at which there are so many shares, if there is one.
    pub(super) fn step(self, shares: i64) -> Option<u32> {
        let first = i64::from(self.first);
        let step = if self.falls {
            first - shares
        } else {
            shares - first
        };
        u32::try_from(step).ok().filter(|&step| step <= self.last)
    }
}

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Wanted {
    /// A goal.
    Goal(Goal),
    /// Any other rank than this one.
    OtherRank(Option<u32>),
}

/// What came of a try.
#[derive(Clone, Debug)]
pub(super) struct Look {
    /// The step of the scale.
    pub(super) step: u32,
    /// Whether what is wanted was there.
    pub(super) is_reached: bool,
    /// Where the node stood.
    pub(super) standing: Standing,
    /// The users ahead of it, a bit each by position; empty where only the factor counts.
    ahead: Vec<u64>,
}

/// A scenario in which the shares of one node are tried out.
pub(super) struct Trial<'a> {
    pub(super) scenario: Scenario,
    pub(super) node: NodeId,
    pub(super) change: NodeId,
    pub(super) wanted: Wanted,
    pub(super) scale: Scale,
    /// How many counts were tried.
    pub(super) tries: usize,
    pub(super) progress: &'a mut dyn FnMut(usize) -> ControlFlow<()>,
}

impl Trial<'_> {
    /// Tries the shares of a step.
    pub(super) fn look(&mut self, step: u32) -> Result<Look, SolveError> {
        if (self.progress)(self.tries).is_break() {
            return Err(SolveError::Cancelled);
        }
        self.tries += 1;
        let shares = Shares::new(i64::from(self.scale.shares(step)));
        self.scenario.try_out(Edit::SetShares {
            node: self.change,
            shares,
        })?;
        let (tree, evaluation) = (self.scenario.tree(), self.scenario.evaluation());
        let standing = Standing::of(self.scenario.policy(), tree, evaluation, self.node);
        let is_reached = match self.wanted {
            Wanted::Goal(goal) => is_reached(&self.scenario, goal, standing),
            Wanted::OtherRank(rank) => standing.rank != rank,
        };
        let counts_users = matches!(
            self.wanted,
            Wanted::Goal(Goal::Rank(_)) | Wanted::OtherRank(_)
        );
        let ahead = match standing.rank.filter(|_| counts_users) {
            Some(rank) => users_ahead(evaluation.ranks(), rank),
            None => Vec::new(),
        };
        Ok(Look {
            step,
            is_reached,
            standing,
            ahead,
        })
    }

    /// Whether what is wanted can be there between two tries of which the first did not have it, if no two users
    /// change places more than once in between, and the factor moves one way.
    pub(super) fn may_be_between(&self, a: &Look, b: &Look) -> bool {
        if b.is_reached {
            return true;
        }
        match self.wanted {
            // Who is ahead at both ends is ahead all the way.
            Wanted::Goal(Goal::Rank(wanted)) => {
                let both = a.ahead.iter().zip(&b.ahead);
                let ahead: u32 = both.map(|(a, b)| (a & b).count_ones()).sum();
                let is_ranked = a.standing.rank.is_some() && b.standing.rank.is_some();
                is_ranked && ahead < wanted
            }
            Wanted::Goal(Goal::Factor(_) | Goal::AheadOf(_)) => false,
            Wanted::OtherRank(_) => a.ahead != b.ahead,
        }
    }
}

/// Whether a node has reached a goal.
pub(super) fn has(scenario: &Scenario, node: NodeId, goal: Goal) -> bool {
    let (tree, evaluation) = (scenario.tree(), scenario.evaluation());
    let standing = Standing::of(scenario.policy(), tree, evaluation, node);
    is_reached(scenario, goal, standing)
}

fn is_reached(scenario: &Scenario, goal: Goal, standing: Standing) -> bool {
    match goal {
        Goal::Rank(wanted) => standing.rank.is_some_and(|rank| rank <= wanted),
        Goal::Factor(wanted) => standing.factor.is_some_and(|factor| factor >= wanted),
        // Who has no rank never runs.
        Goal::AheadOf(other) => standing.rank.is_some_and(|rank| {
            best_rank(scenario.tree(), scenario.evaluation(), other)
                .is_none_or(|other| rank < other)
        }),
    }
}

/// The users of better rank, a bit each by position.
fn users_ahead(ranks: &[u32], rank: u32) -> Vec<u64> {
    let word = |ranks: &[u32]| {
        let bits = ranks.iter().enumerate();
        bits.fold(0_u64, |word, (bit, &other)| {
            word | u64::from(other > 0 && other < rank) << bit
        })
    };
    ranks.chunks(64).map(word).collect()
}
