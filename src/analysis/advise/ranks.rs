//! Goals about ranks: by the search for one node's shares after the other.

use super::goal::Aim;
use super::outcome::{holds, sum_of};
use super::search::{Changes, Search, count, until_then, with_shares};
use crate::analysis::solve::{
    Effort, Goal, Question, Rationale, Solution, SolveError, Standing, solve_with,
};
use crate::model::{NodeId, Tree};
use crate::scenario::Scenario;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// How many siblings of each node above a user are tried with fewer shares.
const RIVALS: usize = 2;

/// The effort for a node's shares: many are searched for in turn.
const EFFORT: Effort = Effort {
    scanned: 8,
    per_octave: 1,
    tried_back: 2,
    patience: 60,
};

impl Search<'_> {
    /// Reaches goals about ranks from each of several changes, in half of the time that is left.
    pub(super) fn reach_in_time(&mut self, seeds: &[Changes]) -> Result<(), SolveError> {
        let until = self.until;
        self.until = f64::midpoint(self.now(), until);
        let steps = 2 * self.aims.len();
        let ended = seeds.iter().try_for_each(|seed| self.reach(seed, steps));
        self.until = until;
        match ended {
            Err(SolveError::Cancelled) => Ok(()),
            ended => ended,
        }
    }

    /// Reaches the first goal about a rank that does not hold by the shares of one node, then the next, in so many steps.
    fn reach(&mut self, changes: &Changes, steps: usize) -> Result<(), SolveError> {
        let best = self.best.as_ref();
        if best.is_some_and(|best| best.0.0 < changes.len()) || self.try_changes(changes)? {
            return Ok(());
        }
        let scenario = with_shares(self.start, changes)?;
        let ranked = self.aims.iter().find_map(|&aim| match aim {
            Aim::Standing { node, goal } if !holds(aim, self.start, &scenario) => {
                Some((node, goal))
            }
            _ => None,
        });
        let Some((node, goal)) = ranked.filter(|_| steps > 0) else {
            return self.make_others_pay(changes, scenario.tree());
        };
        for change in levers(scenario.tree(), node, goal) {
            let question = Question { node, goal, change };
            let mut solution = self.solve(&scenario, question)?;
            if let Rationale::Impossible { last, .. } = solution.rationale {
                // Another node may bring it the rest of the way.
                let most = Changes::from([(change, last.clamp(self.range[0], self.range[1]))]);
                let [now, then] = [scenario.clone(), with_shares(&scenario, &most)?]
                    .map(|it| Standing::in_scenario(&it, node).rank);
                let better = then.filter(|&rank| now.is_none_or(|now| rank < now));
                let Some(goal) = better.map(Goal::Rank) else {
                    continue;
                };
                solution = self.solve(&scenario, Question { goal, ..question })?;
            }
            let shares = match solution.shares {
                Some(0) if self.range[0] > 0 => solution.shares_from_one,
                shares => shares,
            };
            if let Some(shares) = shares.filter(|&shares| shares <= self.range[1]) {
                let mut changes = changes.clone();
                changes.insert(change, shares);
                self.reach(&changes, steps - 1)?;
            }
        }
        Ok(())
    }

    /// Tries some changes with what goals about portions ask of the siblings beside them. Ranks follow from the shares of
    /// siblings to each other, so a changed node keeps the portion that its shares are of the level as it was.
    fn make_others_pay(&mut self, changes: &Changes, changed: &Tree) -> Result<(), SolveError> {
        let mut portions = self.portions();
        portions.extend(changes.keys().map(|&node| {
            let policy = self.start.policy();
            let account = policy.account_of(changed, node);
            let [before, now] = [self.start.tree(), changed].map(|it| sum_of(policy, it, account));
            let portion = count(changed, node) as f64 / before.min(now).max(1) as f64;
            ([portion, f64::INFINITY], vec![node])
        }));
        let carried = portions
            .into_iter()
            .filter_map(|it| Some((*it.1.last()?, it)));
        let further = self.by_levels(changed, &carried.collect::<Vec<_>>())?;
        let Some(further) = further.filter(|further| !further.is_empty()) else {
            return Ok(());
        };
        let mut all = changes.clone();
        all.extend(further);
        self.try_changes(&all).map(drop)
    }

    fn solve(&mut self, scenario: &Scenario, question: Question) -> Result<Solution, SolveError> {
        let (tries, spent, until) = (self.tries, &mut self.spent, self.until);
        let solution = solve_with(scenario, question, EFFORT, &mut |more| {
            until_then(spent(tries + more), until)
        })?;
        self.tries += solution.tries;
        Ok(solution)
    }
}

/// Returns the nodes whose shares may bring a node to a goal about its rank: its own and those above it, those of the other
/// node, and the siblings with the most shares.
fn levers(tree: &Tree, node: NodeId, goal: Goal) -> Vec<NodeId> {
    let mut levers = tree.line(node);
    let siblings = levers.iter().flat_map(|&node| {
        let account = tree.parent(node).unwrap_or(NodeId::ROOT);
        let mut siblings: Vec<NodeId> = tree.children(account).filter(|&it| it != node).collect();
        siblings.sort_by_key(|&it| Reverse(tree.shares(it).count()));
        siblings.into_iter().take(RIVALS)
    });
    let mut others: Vec<NodeId> = siblings.collect();
    if let Goal::AheadOf(other) = goal {
        levers.retain(|&it| !tree.order().is_within(other, it));
        others.extend(tree.line(other));
    }
    others.retain(|&it| {
        let is_lever = tree.shares(it).count() > Some(0) && !tree.is_others(it);
        is_lever && !tree.order().is_within(node, it)
    });
    levers.extend(others);
    // A sibling may be above the other node too.
    let mut seen = BTreeSet::new();
    levers.retain(|&it| seen.insert(it));
    levers
}
