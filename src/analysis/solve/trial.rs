//! Tries: one count of shares, and where the node stands with it.

use super::SolveError;
use super::close::users_close;
use super::goal::{Goal, Standing};
use super::positions::{bits, bits_within};
use crate::model::{NodeId, Shares};
use crate::scenario::{Edit, Scenario};
use std::ops::ControlFlow;

/// The counts of shares that are looked through, as steps from the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShareSteps {
    /// The shares at step 0.
    pub(super) first: i64,
    /// Whether shares are taken away with every step, not added.
    pub(super) falls: bool,
    /// The last step.
    pub(super) last: u64,
}

impl ShareSteps {
    /// The shares at a step.
    pub(super) const fn shares(self, step: u64) -> i64 {
        if self.falls {
            self.first.saturating_sub_unsigned(step)
        } else {
            self.first.saturating_add_unsigned(step)
        }
    }

    /// The step at which there are so many shares, if there is one.
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

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Objective {
    /// A goal.
    Goal(Goal),
    /// Any other rank than this one.
    OtherRank(Option<u32>),
}

/// What came of a try.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    /// The step of the scale.
    pub(super) step: u64,
    /// Whether what is wanted was there.
    pub(super) is_reached: bool,
    /// Where the node stood.
    pub(super) standing: Standing,
    /// The users ahead of it, or on a par where another node is to be passed, a bit each by position; empty where only
    /// the factor or the share counts.
    ahead: Vec<u64>,
    /// Those of them so close to it that rounding may decide otherwise somewhere near; empty where there are none.
    close: Vec<u64>,
}

impl Attempt {
    /// The users that are ahead at both tries, and so far that they are ahead in between too, a bit each by position.
    fn ahead_all_the_way(&self, other: &Self) -> impl Iterator<Item = u64> {
        let close = |place: usize| {
            let of = |look: &Self| look.close.get(place).copied().unwrap_or(0);
            of(self) | of(other)
        };
        let both = self.ahead.iter().zip(&other.ahead).enumerate();
        both.map(move |(place, (a, b))| a & b & !close(place))
    }
}

/// A scenario in which the shares of one node are tried out.
pub(super) struct Trial<'a> {
    pub(super) scenario: Scenario,
    pub(super) node: NodeId,
    pub(super) change: NodeId,
    pub(super) wanted: Objective,
    pub(super) scale: ShareSteps,
    /// How many counts were tried.
    pub(super) tries: usize,
    pub(super) progress: &'a mut dyn FnMut(usize) -> ControlFlow<()>,
}

impl Trial<'_> {
    /// Tries the shares of a step.
    pub(super) fn look(&mut self, step: u64) -> Result<Attempt, SolveError> {
        if (self.progress)(self.tries).is_break() {
            return Err(SolveError::Cancelled);
        }
        self.tries += 1;
        let shares = Shares::new(self.scale.shares(step));
        self.scenario.try_out(Edit::SetShares {
            node: self.change,
            shares,
        })?;
        let (tree, evaluation) = (self.scenario.tree(), self.scenario.evaluation());
        let standing = Standing::of(self.scenario.policy(), tree, evaluation, self.node);
        let is_reached = match self.wanted {
            Objective::Goal(goal) => goal.is_reached(tree, evaluation, standing),
            Objective::OtherRank(rank) => standing.rank != rank,
        };
        let ranks = evaluation.ranks();
        let ahead = match (standing.rank, self.wanted) {
            (None, _) | (_, Objective::Goal(Goal::OnTarget | Goal::Factor(_) | Goal::Share(_))) => {
                Vec::new()
            }
            // Who is on a par with the other node has not passed it.
            (Some(rank), Objective::Goal(Goal::AheadOf(_))) => users_ahead(ranks, rank + 1),
            (Some(rank), _) => users_ahead(ranks, rank),
        };
        let close = match self.wanted {
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

    /// Whether what is wanted can be there between two tries of which the first did not have it, if no two users
    /// that are not close change places more than once in between, and the factor and the share move one way.
    pub(super) fn may_be_between(&self, a: &Attempt, b: &Attempt) -> bool {
        if b.is_reached {
            return true;
        }
        let is_ranked = a.standing.rank.is_some() && b.standing.rank.is_some();
        match self.wanted {
            Objective::Goal(Goal::Rank(wanted)) => {
                let ahead: u32 = a.ahead_all_the_way(b).map(u64::count_ones).sum();
                is_ranked && ahead < wanted
            }
            Objective::Goal(Goal::AheadOf(other)) => {
                let span = self.scenario.tree().order().span(other);
                let mut ahead = a.ahead_all_the_way(b).enumerate();
                is_ranked && ahead.all(|(place, word)| word & bits_within(place, &span) == 0)
            }
            Objective::Goal(Goal::OnTarget | Goal::Factor(_) | Goal::Share(_)) => false,
            Objective::OtherRank(_) => a.ahead != b.ahead,
        }
    }
}

/// Whether a node has reached a goal.
pub(super) fn has(scenario: &Scenario, node: NodeId, goal: Goal) -> bool {
    let (tree, evaluation) = (scenario.tree(), scenario.evaluation());
    let standing = Standing::of(scenario.policy(), tree, evaluation, node);
    goal.is_reached(tree, evaluation, standing)
}

/// The users of better rank, a bit each by position.
fn users_ahead(ranks: &[u32], rank: u32) -> Vec<u64> {
    bits(ranks.len(), |position| (1..rank).contains(&ranks[position]))
}
