//! The search for the shares with which goals hold: level by level where goals are about portions, by the search for one
//! node's shares where they are about ranks, and by trying everything where there is little to try.

use super::goal::{Aim, ROUNDING, SiteGoal};
use super::level::{Level, Sibling};
use super::outcome::{GoalValue, holds, share_before, value};
use crate::analysis::solve::{
    Effort, Goal, Question, Rationale, Solution, SolveError, Standing, solve_with,
};
use crate::model::{NodeId, Shares, Tree};
use crate::scenario::{Edit, Scenario, level_sum};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// New shares, by node.
pub(super) type Changes = BTreeMap<NodeId, i64>;

/// The most ways in which goals that depend on several levels are spread over these.
const MOST_WAYS: usize = 256;

/// The most assignments of shares that are all tried.
const MOST_TRIED: f64 = 300_000.0;

/// The most shares with which sums are searched: Flux's may have 63 bits.
pub(super) const MOST_SHARES: i64 = 1 << 40;

/// The most sets of goals of one size that are searched for a contradiction.
const MOST_SETS: usize = 400;

/// The steps of the search for how near a goal comes.
const STEPS: usize = 16;

/// How many siblings of each node above a user are tried with fewer shares.
const RIVALS: usize = 2;

/// The effort for a node's shares: many are searched for in turn.
const EFFORT: Effort = Effort {
    scanned: 8,
    per_octave: 1,
    tried_back: 2,
    patience: 60,
};

/// The answer of a search.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found {
    /// The new shares. `None` if no shares were found with which the goals hold.
    pub(super) changes: Option<Changes>,
    /// Whether nothing is better; without changes, whether there are none.
    pub(super) is_proven: bool,
}

/// A portion with bounds: of the whole tree, or of the level.
struct Portion {
    bounds: [f64; 2],
    /// The nodes whose shares decide it, from the top level down.
    line: Vec<NodeId>,
}

pub(super) struct Search<'a> {
    pub(super) start: &'a Scenario,
    /// The most shares that a node can get.
    pub(super) most: i64,
    pub(super) tries: usize,
    pub(super) progress: &'a mut dyn FnMut(usize) -> ControlFlow<()>,
}

impl Search<'_> {
    /// Returns the fewest changes with which all goals hold; then the least, then the smallest numbers.
    pub(super) fn propose(&mut self, goals: &[SiteGoal]) -> Result<Found, SolveError> {
        if self.holds(goals, &Changes::new())? {
            return Ok(Found {
                changes: Some(Changes::new()),
                is_proven: true,
            });
        }
        let (portions, is_by_portions) = self.portions(goals);
        let ways: Vec<usize> = portions.iter().map(|it| it.line.len()).collect();
        let count = ways
            .iter()
            .try_fold(1_usize, |all, &ways| all.checked_mul(ways));
        let count = count.unwrap_or(usize::MAX);
        let (mut best, mut seeds, mut is_refused) = (None, vec![Changes::new()], false);
        for way in 0..count.min(MOST_WAYS) {
            let mut left = way;
            let carriers = ways.iter().map(|&ways| {
                let place = left % ways;
                left /= ways;
                ways - 1 - place
            });
            let carriers: Vec<usize> = carriers.collect();
            let Some(changes) = self.by_levels(goals, &portions, &carriers)? else {
                continue;
            };
            if self.holds(goals, &changes)? {
                self.keep_better(&mut best, changes);
            } else {
                is_refused = true;
                seeds.push(changes);
            }
        }
        let mut is_proven = is_by_portions && count == 1 && !is_refused;
        if is_proven {
            return Ok(Found {
                changes: best,
                is_proven,
            });
        }
        let nodes = self.start.tree().nodes().iter().skip(1);
        let has_shares = |&&node: &&NodeId| {
            self.start
                .tree()
                .shares(node)
                .count()
                .is_some_and(|it| it > 0)
        };
        let nodes: Vec<NodeId> = nodes.filter(has_shares).copied().collect();
        is_proven = (self.most as f64).powf(nodes.len() as f64) <= MOST_TRIED;
        if is_proven {
            best = self.try_all(goals, &nodes)?;
        } else {
            seeds.dedup();
            for seed in seeds {
                self.reach(goals, seed, 2 * goals.len(), &mut best)?;
            }
        }
        // No change at all was tried first.
        is_proven |= best.as_ref().is_some_and(|best| best.len() == 1);
        Ok(Found {
            changes: best,
            is_proven,
        })
    }

    /// Returns the portions that goals are about, and whether they are about nothing else but lines and sums.
    fn portions(&self, goals: &[SiteGoal]) -> (Vec<Portion>, bool) {
        let (start, tree) = (self.start, self.start.tree());
        let of_tree = |node, bounds| {
            let line = tree.line(node).into_iter();
            let line = line.filter(|&it| tree.shares(it).count().is_some());
            let line = line.collect();
            Portion { bounds, line }
        };
        let mut portions = Vec::new();
        let mut is_all = true;
        for goal in goals {
            match goal.aim {
                Aim::Share { node, bounds, .. } => portions.push(of_tree(node, bounds)),
                Aim::Keep {
                    node: Some(node),
                    kept,
                } => {
                    let share = share_before(start, node);
                    portions.push(of_tree(node, [share * kept, f64::INFINITY]));
                }
                Aim::Standing {
                    node,
                    goal: Goal::OnTarget,
                } => {
                    let used = start.target(node).map_or(0.0, |target| target.used);
                    let mut portion = of_tree(node, [used, f64::INFINITY]);
                    if start.policy().counts_by_level() {
                        portion.line = vec![node];
                    }
                    portions.push(portion);
                }
                Aim::Standing { .. } => is_all = false,
                Aim::Keep { node: None, .. }
                | Aim::Back { .. }
                | Aim::Lines(_)
                | Aim::Total { .. } => {}
            }
        }
        (portions, is_all)
    }

    /// Returns the fewest changes if each portion is brought into its bounds on one level, its carrier. `None` if a level
    /// has no such shares.
    fn by_levels(
        &mut self,
        goals: &[SiteGoal],
        portions: &[Portion],
        carriers: &[usize],
    ) -> Result<Option<Changes>, SolveError> {
        let tree = self.start.tree();
        let mut levels: BTreeMap<usize, (NodeId, Vec<(NodeId, &Portion)>)> = BTreeMap::new();
        let position = |account| tree.order().position(account).unwrap_or(0);
        for (portion, &carrier) in portions.iter().zip(carriers) {
            let Some(&node) = portion.line.get(carrier) else {
                continue;
            };
            let account = tree.parent(node).unwrap_or(NodeId::ROOT);
            let level = levels
                .entry(position(account))
                .or_insert((account, Vec::new()));
            level.1.push((node, portion));
        }
        let (mut sums, mut kept) = (BTreeMap::new(), None);
        for goal in goals {
            match goal.aim {
                Aim::Total { account, sum } => {
                    // Two sums of one level contradict each other.
                    if sums.insert(account, sum).is_some_and(|other| other != sum) {
                        return Ok(None);
                    }
                    levels
                        .entry(position(account))
                        .or_insert((account, Vec::new()));
                }
                Aim::Keep {
                    node: None,
                    kept: part,
                } => kept = Some(part),
                _ => {}
            }
        }
        let mut changes = Changes::new();
        for (account, of_level) in levels.into_values() {
            let mut named: BTreeMap<NodeId, [f64; 2]> = BTreeMap::new();
            for (node, portion) in of_level {
                let others = portion.line.iter().filter(|&&it| it != node);
                let others: f64 = others.map(|&it| portion_with(tree, &changes, it)).product();
                let bounds = named.entry(node).or_insert([0.0, f64::INFINITY]);
                *bounds = [
                    bounds[0].max(portion.bounds[0] / others),
                    bounds[1].min(portion.bounds[1] / others),
                ];
            }
            let shares = |node| tree.shares(node).count().unwrap_or(0);
            let children = tree.children(account);
            let rest =
                children.filter(|&it| Some(it) != tree.unknown() && !named.contains_key(&it));
            let mut rest: Vec<NodeId> = rest.filter(|&it| shares(it) > 0).collect();
            rest.sort_by_key(|&node| Reverse(shares(node)));
            let siblings = named.iter().map(|(&node, &bounds)| Sibling {
                shares: shares(node),
                bounds,
            });
            let level = Level {
                named: siblings.collect(),
                rest: rest.iter().map(|&node| shares(node)).collect(),
                sum: sums.get(&account).copied(),
                most_sum: kept.and_then(|kept| {
                    let base = &self.start.base().tree;
                    let before = base.contains(account).then(|| level_sum(base, account));
                    Some((before? as f64 / kept * (1.0 + ROUNDING)) as i64)
                }),
                most: self.most,
            };
            if level.rest.first().is_some_and(|&most| most > MOST_SHARES) {
                return Ok(None);
            }
            let tries = &mut self.tries;
            let progress = &mut self.progress;
            let found = level.best(&mut || {
                *tries += 1;
                progress(*tries)
            });
            let Some(found) = found.ok_or(SolveError::Cancelled)? else {
                return Ok(None);
            };
            let nodes = named.keys().chain(&rest).copied();
            for (node, new) in nodes.zip(found.named.into_iter().chain(found.rest)) {
                if new != shares(node) {
                    changes.insert(node, new);
                }
            }
        }
        Ok(Some(changes))
    }

    /// Tries all shares for all nodes, the fewest lines first.
    fn try_all(
        &mut self,
        goals: &[SiteGoal],
        nodes: &[NodeId],
    ) -> Result<Option<Changes>, SolveError> {
        for lines in 1..=nodes.len() {
            let mut best = None;
            self.try_lines(goals, nodes, lines, &mut Changes::new(), &mut best)?;
            if best.is_some() {
                return Ok(best);
            }
        }
        Ok(None)
    }

    fn try_lines(
        &mut self,
        goals: &[SiteGoal],
        nodes: &[NodeId],
        lines: usize,
        changes: &mut Changes,
        best: &mut Option<Changes>,
    ) -> Result<(), SolveError> {
        if lines == 0 {
            if self.holds(goals, changes)? {
                self.keep_better(best, changes.clone());
            }
            return Ok(());
        }
        for (place, &node) in nodes.iter().enumerate() {
            let now = self.start.tree().shares(node).count();
            for shares in (1..=self.most).filter(|&shares| Some(shares) != now) {
                changes.insert(node, shares);
                self.try_lines(goals, &nodes[place + 1..], lines - 1, changes, best)?;
            }
            changes.remove(&node);
        }
        Ok(())
    }

    /// Makes the first goal about a rank that does not hold true, by the shares of one node, and so on.
    fn reach(
        &mut self,
        goals: &[SiteGoal],
        changes: Changes,
        steps: usize,
        best: &mut Option<Changes>,
    ) -> Result<(), SolveError> {
        if best.as_ref().is_some_and(|best| best.len() < changes.len()) {
            return Ok(());
        }
        if self.holds(goals, &changes)? {
            self.keep_better(best, changes);
            return Ok(());
        }
        let scenario = with(self.start, &changes)?;
        let mut unmet = goals
            .iter()
            .filter(|goal| !holds(&goal.aim, self.start, &scenario));
        let ranked = unmet.find_map(|goal| match goal.aim {
            Aim::Standing { node, goal } => Some((node, goal)),
            _ => None,
        });
        let Some((node, goal)) = ranked.filter(|_| steps > 0) else {
            return Ok(());
        };
        let tree = scenario.tree();
        let mut line = tree.line(node);
        if let Goal::AheadOf(other) = goal {
            line.retain(|&it| !tree.order().is_within(other, it));
            let others = tree.line(other).into_iter();
            line.extend(others.filter(|&it| !tree.order().is_within(node, it)));
        }
        // Those with the most shares may stand in the way.
        let siblings = |&node: &NodeId| {
            let account = tree.parent(node).unwrap_or(NodeId::ROOT);
            let mut siblings: Vec<NodeId> =
                tree.children(account).filter(|&it| it != node).collect();
            siblings.sort_by_key(|&it| Reverse(tree.shares(it).count()));
            siblings.into_iter().take(RIVALS)
        };
        let rivals: Vec<NodeId> = tree.line(node).iter().flat_map(siblings).collect();
        line.extend(
            rivals
                .into_iter()
                .filter(|it| tree.shares(*it).count() > Some(1)),
        );
        for change in line {
            let question = Question { node, goal, change };
            let mut solution = self.solve(&scenario, question)?;
            if let Rationale::Impossible { last, .. } = solution.rationale {
                // Another node may bring it the rest of the way.
                let most = Changes::from([(change, last.clamp(1, self.most))]);
                let [now, then] = [scenario.clone(), with(&scenario, &most)?]
                    .map(|it| Standing::in_scenario(&it, node).rank);
                let better = then.filter(|&rank| now.is_none_or(|now| rank < now));
                let Some(goal) = better.map(Goal::Rank) else {
                    continue;
                };
                solution = self.solve(&scenario, Question { goal, ..question })?;
            }
            let Some(shares) = solution.shares.filter(|&it| (1..=self.most).contains(&it)) else {
                continue;
            };
            let mut changes = changes.clone();
            changes.insert(change, shares);
            self.reach(goals, changes, steps - 1, best)?;
        }
        Ok(())
    }

    /// Returns the places of the fewest goals that do not hold together, of goals for which nothing was found.
    pub(super) fn contradiction(&mut self, goals: &[SiteGoal]) -> Result<Vec<usize>, SolveError> {
        let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
        for _ in 0..goals.len() {
            let larger = |set: &Vec<usize>| {
                let first = set.last().map_or(0, |last| last + 1);
                let set = set.clone();
                (first..goals.len()).map(move |next| [&set[..], &[next]].concat())
            };
            sets = sets.iter().flat_map(larger).collect();
            if sets.len() > MOST_SETS {
                break;
            }
            for set in &sets {
                if !self.is_possible(goals, set)? {
                    return Ok(set.clone());
                }
            }
        }
        // Too many sets: each goal is left out that is not needed for the contradiction.
        let mut set: Vec<usize> = (0..goals.len()).collect();
        for place in (0..goals.len()).rev() {
            let without: Vec<usize> = set.iter().copied().filter(|&it| it != place).collect();
            if !self.is_possible(goals, &without)? {
                set = without;
            }
        }
        Ok(set)
    }

    fn is_possible(&mut self, goals: &[SiteGoal], set: &[usize]) -> Result<bool, SolveError> {
        let goals: Vec<SiteGoal> = set.iter().map(|&place| goals[place].clone()).collect();
        Ok(self.propose(&goals)?.changes.is_some())
    }

    /// Returns how near a goal comes to holding with others that hold together without it. `None` if it has no degrees.
    pub(super) fn nearest(
        &mut self,
        goal: &SiteGoal,
        others: &[SiteGoal],
    ) -> Result<Option<GoalValue>, SolveError> {
        let (mut possible, mut least, mut most) = (None, 0.0, 1.0);
        for _ in 0..STEPS {
            let part = (least + most) / 2.0;
            let Some(aim) = goal.aim.eased(part) else {
                break;
            };
            let eased = SiteGoal {
                aim,
                ..goal.clone()
            };
            let goals = [others, &[eased]].concat();
            match self.propose(&goals)?.changes {
                Some(changes) => (most, possible) = (part, Some(changes)),
                None => least = part,
            }
        }
        if possible.is_none() {
            possible = self.propose(others)?.changes;
        }
        let Some(changes) = possible else {
            return Ok(None);
        };
        let now = with(self.start, &changes)?;
        Ok(Some(value(&goal.aim, self.start, &now)))
    }

    fn solve(&mut self, scenario: &Scenario, question: Question) -> Result<Solution, SolveError> {
        let (tries, progress) = (self.tries, &mut self.progress);
        let solution = solve_with(scenario, question, EFFORT, &mut |more| {
            progress(tries + more)
        })?;
        self.tries += solution.tries;
        Ok(solution)
    }

    fn holds(&mut self, goals: &[SiteGoal], changes: &Changes) -> Result<bool, SolveError> {
        self.tries += 1;
        if (self.progress)(self.tries).is_break() {
            return Err(SolveError::Cancelled);
        }
        let scenario = with(self.start, changes)?;
        Ok(goals
            .iter()
            .all(|goal| holds(&goal.aim, self.start, &scenario)))
    }

    fn keep_better(&self, best: &mut Option<Changes>, changes: Changes) {
        let tree = self.start.tree();
        let cost = |changes: &Changes| {
            let change = |(&node, &new): (&NodeId, &i64)| {
                tree.shares(node).count().unwrap_or(0).abs_diff(new)
            };
            let change: u64 = changes.iter().map(change).sum();
            (changes.len(), change, changes.values().sum::<i64>())
        };
        if best.as_ref().is_none_or(|best| cost(&changes) < cost(best)) {
            *best = Some(changes);
        }
    }
}

/// Returns a scenario with other shares, as one trial.
pub(super) fn with(start: &Scenario, changes: &Changes) -> Result<Scenario, SolveError> {
    let mut scenario = start.clone();
    let edits = changes.iter().map(|(&node, &shares)| Edit::SetShares {
        node,
        shares: Shares::new(shares),
    });
    let edits: Vec<Edit> = edits.collect();
    if !edits.is_empty() {
        scenario.apply(Edit::Batch(edits))?;
    }
    Ok(scenario)
}

/// Returns the portion of its level that a node has with other shares.
fn portion_with(tree: &Tree, changes: &Changes, node: NodeId) -> f64 {
    let account = tree.parent(node).unwrap_or(NodeId::ROOT);
    let before = |node| tree.shares(node).count().unwrap_or(0);
    let after = |node: NodeId| changes.get(&node).copied().unwrap_or_else(|| before(node));
    let of_level = changes
        .keys()
        .filter(|&&it| tree.parent(it) == Some(account));
    let more: i64 = of_level.map(|&it| after(it) - before(it)).sum();
    after(node) as f64 / (level_sum(tree, account) + more) as f64
}
