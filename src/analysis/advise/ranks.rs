//! Goals about ranks: by the search for one node's shares after the other.

use super::bounds::Bounds;
use super::changes::{Changes, count, with_shares};
use super::goal::Aim;
use super::outcome::{holds, sum_of};
use super::portions::{CarriedPortion, Portion};
use super::search::{Search, until_then};
use crate::analysis::solve::{
    Effort, Goal, Rationale, ShareQuestion, Solution, SolveError, Standing, solve_with,
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
        if self.best_lines() < changes.len() || self.try_changes(changes)? {
            return Ok(());
        }
        let scenario = with_shares(self.start, changes)?;
        let mut standing = None;
        if steps > 0 {
            standing = self.first_standing(&scenario);
        }
        let Some((node, goal)) = standing else {
            return self.make_others_pay(changes, scenario.tree());
        };
        for change in levers(scenario.tree(), node, goal) {
            let question = ShareQuestion { node, goal, change };
            let Some(shares) = self.shares_towards(&scenario, question)? else {
                continue;
            };
            if shares <= self.range.most {
                let mut further = changes.clone();
                further.insert(change, shares);
                self.reach(&further, steps - 1)?;
            }
        }
        Ok(())
    }

    /// Returns the first goal about a node's standing that does not hold, with the node. `None` if all do.
    fn first_standing(&self, scenario: &Scenario) -> Option<(NodeId, Goal)> {
        for &aim in &self.aims {
            if let Aim::Standing { node, goal } = aim
                && !holds(aim, self.start, scenario)
            {
                return Some((node, goal));
            }
        }
        None
    }

    /// Returns the shares of a node that bring another to a goal, or as near as they can. `None` if they bring it no nearer.
    fn shares_towards(
        &mut self,
        scenario: &Scenario,
        question: ShareQuestion,
    ) -> Result<Option<i64>, SolveError> {
        let ShareQuestion { node, change, .. } = question;
        let mut solution = self.solve(scenario, question)?;
        if let Rationale::Impossible { last, .. } = solution.rationale {
            // Another node may bring it the rest of the way.
            let furthest = Changes::from([(change, self.range.nearest(last))]);
            let then = with_shares(scenario, &furthest)?;
            let Some(rank) = Standing::in_scenario(&then, node).rank else {
                return Ok(None);
            };
            if let Some(now) = Standing::in_scenario(scenario, node).rank
                && rank >= now
            {
                return Ok(None);
            }
            let goal = Goal::Rank(rank);
            solution = self.solve(scenario, ShareQuestion { goal, ..question })?;
        }
        match solution.shares {
            Some(0) if self.range.least > 0 => Ok(solution.shares_from_one),
            shares => Ok(shares),
        }
    }

    /// Tries some changes with what goals about portions ask of the siblings beside them. Ranks follow from the shares of
    /// siblings to each other, so a changed node keeps the portion that its shares are of the level as it was.
    fn make_others_pay(&mut self, changes: &Changes, changed: &Tree) -> Result<(), SolveError> {
        let policy = self.start.policy();
        let mut carried = Vec::new();
        for portion in self.portions() {
            if let Some(&node) = portion.line.last() {
                carried.push(CarriedPortion { node, portion });
            }
        }
        for &node in changes.keys() {
            let account = policy.account_of(changed, node);
            let before = sum_of(policy, self.start.tree(), account);
            let now = sum_of(policy, changed, account);
            let least = count(changed, node) as f64 / before.min(now).max(1) as f64;
            let portion = Portion {
                bounds: Bounds::at_least(least),
                line: vec![node],
            };
            carried.push(CarriedPortion { node, portion });
        }
        let Some(further) = self.by_levels(changed, &carried)? else {
            return Ok(());
        };
        if !further.is_empty() {
            let mut all = changes.clone();
            all.extend(further);
            self.try_changes(&all)?;
        }
        Ok(())
    }

    /// Answers a question about a node's shares, and counts its tries.
    fn solve(
        &mut self,
        scenario: &Scenario,
        question: ShareQuestion,
    ) -> Result<Solution, SolveError> {
        let solution = solve_with(scenario, question, EFFORT, &mut |more| {
            until_then((self.spent)(self.tries + more), self.until)
        })?;
        self.tries += solution.tries;
        Ok(solution)
    }
}

/// Returns the nodes whose shares may bring a node to a goal about its rank: its own and those above it, those of the other
/// node, and the siblings with the most shares.
fn levers(tree: &Tree, node: NodeId, goal: Goal) -> Vec<NodeId> {
    let mut levers = tree.line(node);
    let mut others = Vec::new();
    for &above in &levers {
        others.extend(rivals(tree, above));
    }
    if let Goal::AheadOf(other) = goal {
        levers.retain(|&above| !tree.order().is_within(other, above));
        others.extend(tree.line(other));
    }
    // A sibling may be above the other node too.
    let mut seen: BTreeSet<NodeId> = levers.iter().copied().collect();
    for other in others {
        let has_shares = tree.shares(other).count() > Some(0);
        let is_lever = has_shares && !tree.is_others(other) && !tree.order().is_within(node, other);
        if is_lever && seen.insert(other) {
            levers.push(other);
        }
    }
    levers
}

/// Returns the siblings of a node with the most shares.
fn rivals(tree: &Tree, node: NodeId) -> Vec<NodeId> {
    let account = tree.parent(node).unwrap_or(NodeId::ROOT);
    let mut siblings: Vec<NodeId> = tree.children(account).collect();
    siblings.retain(|&sibling| sibling != node);
    siblings.sort_by_key(|&sibling| Reverse(tree.shares(sibling).count()));
    siblings.truncate(RIVALS);
    siblings
}
