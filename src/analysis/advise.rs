//! Advice: the shares, and the half-life, with which a site keeps its goals, with the fewest changes; or the smallest set of
//! goals that contradict each other.
//!
//! Goals about shares assume that everybody wants more than there is. Every proposal is judged by the policy's own
//! evaluation. Time goals are met by the half-life alone, the others by shares alone.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "shares, sums and seconds are far below 2^63, and those above 0 are cut on purpose"
)]

mod apportion;
mod bounds;
mod changes;
mod contradiction;
mod division;
mod emptied;
mod goal;
mod level;
mod lines;
mod outcome;
mod portions;
mod proof;
mod ranks;
mod refine;
mod search;
mod time;

pub use apportion::{Contributions, Rounding};
pub(crate) use goal::Aim;
pub use goal::{SiteGoal, SiteGoalError};
pub(crate) use outcome::{GoalValue, Payer};
pub(crate) use time::BURST;
pub use time::{BackTime, HalfLife, HalfLives, half_lives_between, measure};

use crate::analysis::solve::SolveError;
use crate::model::{NodeId, Shares};
use crate::rules::clock::{OnSeconds, half_life};
use crate::scenario::{Edit, Scenario};
use changes::{count, with_shares};
use contradiction::END_OF_SEARCH;
use outcome::{holds, value};
use search::Search;
use std::collections::BTreeMap;

/// The nodes that all tries of a search in a large tree evaluate together, which takes about half a minute.
const EVALUATED_NODES: usize = 100_000_000;

/// How many tries a search has in the largest tree.
const FEWEST_TRIES: usize = 100;

/// How many tries a search has in a small tree, which take some seconds. More of them hardly find anything.
const MOST_TRIES: usize = 100_000;

/// A goal before and after the proposed edits.
#[derive(Clone, Debug, PartialEq)]
pub struct GoalOutcome {
    /// The goal.
    pub goal: SiteGoal,
    pub(crate) before: GoalValue,
    pub(crate) after: GoalValue,
    /// Whether the goal holds after the edits.
    pub is_met: bool,
    /// The nearest that the goal can come with the others of its contradiction kept. `None` if that is unknown.
    pub(crate) nearest: Option<GoalValue>,
}

/// Advice to a site.
#[derive(Clone, Debug)]
pub struct Advice {
    /// The edits to make: shares in tree order, then the half-life. Empty in a contradiction, or if all goals hold already.
    pub edits: Vec<Edit>,
    /// The scenario with the edits.
    pub after: Scenario,
    /// The goals, in their order.
    pub goals: Vec<GoalOutcome>,
    /// The places of the fewest goals that contradict each other; empty if there is a proposal.
    pub contradiction: Vec<usize>,
    /// Whether the proposal has the fewest lines, or the contradiction is proven; else nothing better was found.
    pub is_proven: bool,
    pub(crate) who_pays: Vec<Payer>,
    /// Those that the proposal leaves without shares.
    pub given_none: Vec<NodeId>,
    /// Whether it is proven that the goals hold only if somebody is left without shares.
    pub needs_none: bool,
    /// The contribution that is rounded most. `None` without contributions.
    pub rounding: Option<Rounding>,
}

/// Gives accounts shares by what they contributed, then finds the fewest further changes of shares with which goals hold. No
/// node gets more than `most` shares. `spent` is given the number of tries, and gives the part of the search that is over: it
/// ends at 1. Unless something else limits it, that is the number of tries by [`usual_tries`].
pub fn advise(
    before: &Scenario,
    contributions: &Contributions,
    goals: Vec<SiteGoal>,
    most: i64,
    spent: &mut dyn FnMut(usize) -> f64,
) -> Result<Advice, SolveError> {
    if before.tree().part().is_some() {
        return Err(SolveError::NotAllListed);
    }
    let goals = once_each(goals);
    let (contributed, rounding) = apportion::apportion(before, contributions, &goals);
    let start = &with_shares(before, &contributed)?;
    let mut search = Search::new(start, most, spent);
    let mut places = Vec::new();
    let mut aims = Vec::new();
    for (place, goal) in goals.iter().enumerate() {
        if !matches!(goal.aim, Aim::Back { .. }) {
            places.push(place);
            aims.push(goal.aim);
        }
    }
    let mut after = start.clone();
    let mut edits = Vec::new();
    let mut given_none = Vec::new();
    // By place, how near each goal of a contradiction comes.
    let mut conflicts = BTreeMap::new();
    let found = search.propose(&aims, END_OF_SEARCH)?;
    let mut is_proven = found.is_proven;
    if let Some(changes) = found.changes {
        after = with_shares(start, &changes)?;
        for (node, new) in changes {
            if new == 0 && count(start.tree(), node) > 0 {
                given_none.push(node);
            }
        }
        for node in outcome::changed(before, &after) {
            let shares = after.tree().shares(node);
            edits.push(Edit::SetShares { node, shares });
        }
        if let Some(edit) = half_life_for(&after, &goals) {
            after.apply(edit.clone())?;
            edits.push(edit);
        }
    } else {
        let conflict = search.conflict(&aims, is_proven)?;
        is_proven = conflict.is_proven;
        for &place in &conflict.set {
            let mut nearest = None;
            if is_proven {
                nearest = search.nearest(&aims, &conflict.set, place)?;
            }
            conflicts.insert(places[place], nearest);
        }
    }
    let mut outcomes = Vec::with_capacity(goals.len());
    for (place, goal) in goals.into_iter().enumerate() {
        outcomes.push(GoalOutcome {
            before: value(goal.aim, before, before),
            after: value(goal.aim, start, &after),
            is_met: holds(goal.aim, start, &after),
            nearest: conflicts.get(&place).copied().flatten(),
            goal,
        });
    }
    Ok(Advice {
        goals: outcomes,
        who_pays: outcome::who_pays(before, &after),
        given_none,
        needs_none: found.needs_none,
        rounding,
        edits,
        after,
        contradiction: conflicts.into_keys().collect(),
        is_proven,
    })
}

/// Returns how many tries a search has unless something else limits it: the larger the tree, the fewer. With the same number
/// the answer is the same on every machine.
pub fn usual_tries(scenario: &Scenario) -> usize {
    let nodes = scenario.tree().node_count();
    (EVALUATED_NODES / nodes).clamp(FEWEST_TRIES, MOST_TRIES)
}

/// Returns the goals without those that ask for the same as one before.
fn once_each(goals: Vec<SiteGoal>) -> Vec<SiteGoal> {
    let mut once: Vec<SiteGoal> = Vec::new();
    for goal in goals {
        if !once.iter().any(|other| other.aim.asks_the_same(&goal.aim)) {
            once.push(goal);
        }
    }
    once
}

/// Returns the most shares that a proposal gives to a node: what the scheduler stores.
pub fn most_shares(scenario: &Scenario) -> i64 {
    Shares::most(scenario.settings().scheduler).min(search::MOST_SHARES)
}

/// Measures the time goals of a proposal on a machine of so many cores. What cannot be simulated is left out.
pub fn times(advice: &Advice, cores: u64, progress: OnSeconds<'_>) -> Vec<BackTime> {
    let mut times = Vec::new();
    if !advice.contradiction.is_empty() {
        return times;
    }
    for outcome in &advice.goals {
        if let Aim::Back { node, .. } = outcome.goal.aim {
            times.extend(measure(&advice.after, node, cores, progress));
        }
    }
    times
}

/// Returns the edit that shortens the half-life to the longest one with which all time goals hold. `None` if they hold.
fn half_life_for(scenario: &Scenario, goals: &[SiteGoal]) -> Option<Edit> {
    let mut needed = f64::INFINITY;
    for goal in goals {
        if let Aim::Back { node, seconds } = goal.aim
            && let Some(wait) = time::wait(scenario, node)
        {
            needed = needed.min(seconds as f64 / wait.half_lives);
        }
    }
    if needed < half_life(scenario.settings())? {
        time::half_life_edit(scenario.settings(), needed)
    } else {
        None
    }
}
