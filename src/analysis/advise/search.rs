//! The search for the shares with which goals hold: level by level where goals are about portions, by the search for one
//! node's shares where they are about ranks, and by trying everything where there is little to try.

use super::goal::{Aim, ROUNDING};
use super::level::{Level, Sibling};
use super::outcome::{holds, share_before, sum_before};
use crate::analysis::solve::{
    Effort, Goal, Question, Rationale, Solution, SolveError, Standing, solve_with,
};
use crate::model::{NodeId, Shares, Tree};
use crate::scenario::{Edit, Scenario, level_sum};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// New shares, by node.
pub(super) type Changes = BTreeMap<NodeId, i64>;

/// The most ways in which goals that depend on several levels are spread over these.
const MOST_WAYS: usize = 256;

/// The most assignments of shares that are all tried.
const MOST_TRIED: f64 = 300_000.0;

/// The most shares with which sums are searched: Flux's may have 63 bits.
pub(super) const MOST_SHARES: i64 = 1 << 40;

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

/// The bounds of a portion of the tree or of a level, and the nodes whose shares decide it, from the top level down.
type Portion = ([f64; 2], Vec<NodeId>);

/// A search for the fewest changes of the shares that a scenario starts with.
pub(super) struct Search<'a> {
    pub(super) start: &'a Scenario,
    /// The most shares that a node can get.
    pub(super) most: i64,
    pub(super) tries: usize,
    pub(super) progress: &'a mut dyn FnMut(usize) -> ControlFlow<()>,
    /// What is searched for now.
    pub(super) aims: Vec<Aim>,
    /// The fewest changes so far with which the goals hold.
    pub(super) best: Option<Changes>,
}

impl Search<'_> {
    /// Returns the fewest changes with which all goals hold; then the least, then the smallest numbers.
    pub(super) fn propose(&mut self, aims: &[Aim]) -> Result<Found, SolveError> {
        self.aims = aims.to_vec();
        self.best = None;
        let is_proven = self.try_changes(&Changes::new())? || self.search()?;
        let changes = self.best.take();
        // No change at all was tried first.
        let is_least = changes.as_ref().is_some_and(|changes| changes.len() <= 1);
        Ok(Found {
            changes,
            is_proven: is_proven || is_least,
        })
    }

    /// Searches in all ways, and returns whether nothing better can be found.
    fn search(&mut self) -> Result<bool, SolveError> {
        let tree = self.start.tree();
        let portions = self.portions();
        let levels = portions.iter().map(|(_, line)| line.len());
        let count = levels.fold(1, usize::saturating_mul);
        let limits = self.aims.iter().filter_map(|aim| match aim {
            Aim::Lines(most) => Some(*most),
            _ => None,
        });
        let most_lines = limits.min().unwrap_or(usize::MAX);
        let mut seeds = vec![Changes::new()];
        for way in 0..count.min(MOST_WAYS) {
            let mut left = way;
            let carried = portions.iter().map(|portion| {
                let line = &portion.1;
                let place = left % line.len();
                left /= line.len();
                (line[line.len() - 1 - place], portion)
            });
            // With more lines than a goal allows, the fewest are too many.
            if let Some(changes) = self.by_levels(tree, &carried.collect::<Vec<_>>())?
                && !self.try_changes(&changes)?
                && changes.len() <= most_lines
            {
                seeds.push(changes);
            }
        }
        let is_ranked =
            |aim: &Aim| matches!(aim, Aim::Standing { goal, .. } if *goal != Goal::OnTarget);
        if count == 1 && seeds.len() == 1 && !self.aims.iter().any(is_ranked) {
            return Ok(true);
        }
        let has_shares = |node: &NodeId| tree.shares(*node).count() > Some(0);
        let nodes = tree.nodes()[1..].iter().copied().filter(has_shares);
        let nodes: Vec<NodeId> = nodes.collect();
        if (self.most as f64).powf(nodes.len() as f64) <= MOST_TRIED {
            self.best = None;
            for lines in 1..=nodes.len() {
                self.try_lines(&nodes, lines, &mut Changes::new())?;
                if self.best.is_some() {
                    break;
                }
            }
            return Ok(true);
        }
        for seed in seeds {
            self.reach(&seed, 2 * self.aims.len())?;
        }
        Ok(false)
    }

    /// Returns the portions that the goals are about.
    fn portions(&self) -> Vec<Portion> {
        let (start, tree) = (self.start, self.start.tree());
        let portion = |aim: &Aim| {
            let (node, bounds) = match *aim {
                Aim::Share { node, bounds, .. } => (node, bounds),
                Aim::Keep { node, kept } => {
                    (node?, [share_before(start, node?) * kept, f64::INFINITY])
                }
                Aim::Standing {
                    node,
                    goal: Goal::OnTarget,
                } => (node, [start.target(node)?.used, f64::INFINITY]),
                _ => return None,
            };
            let mut line = match aim {
                Aim::Standing { .. } if start.policy().counts_by_level() => vec![node],
                _ => tree.line(node),
            };
            line.retain(|&node| tree.shares(node).count().is_some());
            Some((bounds, line))
        };
        self.aims.iter().filter_map(portion).collect()
    }

    /// Returns the fewest changes if each portion is brought into its bounds by the shares of one node. `None` if a level
    /// has no such shares.
    fn by_levels(
        &mut self,
        tree: &Tree,
        carried: &[(NodeId, &Portion)],
    ) -> Result<Option<Changes>, SolveError> {
        let shares = |node| count(tree, node);
        let sums = self.aims.iter().filter_map(|aim| match *aim {
            Aim::Total { account, sum } => Some((account, sum)),
            _ => None,
        });
        let sums: Vec<(NodeId, i64)> = sums.collect();
        let kept = self.aims.iter().find_map(|aim| match *aim {
            Aim::Keep { node: None, kept } => Some(kept),
            _ => None,
        });
        let accounts = carried.iter().filter_map(|&(node, _)| tree.parent(node));
        let mut accounts: Vec<NodeId> = accounts.chain(sums.iter().map(|it| it.0)).collect();
        accounts.sort_by_key(|&account| tree.order().position(account));
        accounts.dedup();
        let mut members: BTreeMap<NodeId, Vec<(NodeId, &Portion)>> = BTreeMap::new();
        for &(node, portion) in carried {
            if let Some(account) = tree.parent(node) {
                members.entry(account).or_default().push((node, portion));
            }
        }
        let mut changes = Changes::new();
        let mut level_sums = BTreeMap::new();
        for account in accounts {
            let mut named: BTreeMap<NodeId, [f64; 2]> = BTreeMap::new();
            for (node, (bounds, line)) in members.remove(&account).unwrap_or_default() {
                let others = line.iter().filter(|&&it| it != node);
                let others: f64 = others
                    .map(|&it| portion_with(tree, &changes, &mut level_sums, it))
                    .product();
                let [least, most] = bounds.map(|bound| bound / others);
                let both = named.entry(node).or_insert([0.0, f64::INFINITY]);
                *both = [both[0].max(least), both[1].min(most)];
            }
            let rest = tree.children(account).filter(|it| !named.contains_key(it));
            let rest = rest.filter(|&it| shares(it) > 0 && Some(it) != tree.unknown());
            let mut rest: Vec<NodeId> = rest.collect();
            rest.sort_by_key(|&node| Reverse(shares(node)));
            let mut sums = sums.iter().filter(|it| it.0 == account).map(|it| it.1);
            let sum = sums.next();
            let kept = kept.zip(sum_before(self.start, account));
            let siblings = named.iter().map(|(&node, &bounds)| Sibling {
                shares: shares(node),
                bounds,
            });
            let level = Level {
                named: siblings.collect(),
                rest: rest.iter().map(|&node| shares(node)).collect(),
                sum,
                most_sum: kept.map(|(kept, sum)| (sum as f64 / kept * (1.0 + ROUNDING)) as i64),
                most: self.most,
            };
            // Two sums of one level contradict each other.
            if sums.any(|other| Some(other) != sum) || level.rest.first() > Some(&MOST_SHARES) {
                return Ok(None);
            }
            let (tries, progress) = (&mut self.tries, &mut self.progress);
            let found = level.best(&mut || {
                *tries += 1;
                progress(*tries)
            });
            let Some(found) = found? else {
                return Ok(None);
            };
            let found = named.into_keys().chain(rest).zip(found);
            let found = found.filter(|&(node, new)| new != shares(node));
            let found: Vec<(NodeId, i64)> = found.collect();
            // Levels below ask for the sum of this one.
            let more: i64 = found.iter().map(|&(node, new)| new - shares(node)).sum();
            level_sums.insert(account, level_sum(tree, account) + more);
            changes.extend(found);
        }
        Ok(Some(changes))
    }

    /// Tries all shares for so many of some nodes.
    fn try_lines(
        &mut self,
        nodes: &[NodeId],
        lines: usize,
        changes: &mut Changes,
    ) -> Result<(), SolveError> {
        if lines == 0 {
            return self.try_changes(changes).map(drop);
        }
        for (place, &node) in nodes.iter().enumerate() {
            let now = self.start.tree().shares(node).count();
            for shares in (1..=self.most).filter(|&shares| Some(shares) != now) {
                changes.insert(node, shares);
                self.try_lines(&nodes[place + 1..], lines - 1, changes)?;
            }
            changes.remove(&node);
        }
        Ok(())
    }

    /// Reaches the first goal about a rank that does not hold by the shares of one node, then the next, in so many steps.
    fn reach(&mut self, changes: &Changes, steps: usize) -> Result<(), SolveError> {
        let best = self.best.as_ref();
        if best.is_some_and(|best| best.len() < changes.len()) || self.try_changes(changes)? {
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
                let most = Changes::from([(change, last.clamp(1, self.most))]);
                let [now, then] = [scenario.clone(), with_shares(&scenario, &most)?]
                    .map(|it| Standing::in_scenario(&it, node).rank);
                let better = then.filter(|&rank| now.is_none_or(|now| rank < now));
                let Some(goal) = better.map(Goal::Rank) else {
                    continue;
                };
                solution = self.solve(&scenario, Question { goal, ..question })?;
            }
            if let Some(shares @ 1..) = solution.shares
                && shares <= self.most
            {
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
            let account = changed.parent(node).unwrap_or(NodeId::ROOT);
            let [before, now] = [self.start.tree(), changed].map(|it| level_sum(it, account));
            let portion = count(changed, node) as f64 / before.min(now).max(1) as f64;
            ([portion, f64::INFINITY], vec![node])
        }));
        let carried = portions.iter().filter_map(|it| Some((*it.1.last()?, it)));
        let further = self.by_levels(changed, &carried.collect::<Vec<_>>())?;
        let Some(further) = further.filter(|further| !further.is_empty()) else {
            return Ok(());
        };
        let mut all = changes.clone();
        all.extend(further);
        self.try_changes(&all).map(drop)
    }

    fn solve(&mut self, scenario: &Scenario, question: Question) -> Result<Solution, SolveError> {
        let (tries, progress) = (self.tries, &mut self.progress);
        let solution = solve_with(scenario, question, EFFORT, &mut |more| {
            progress(tries + more)
        })?;
        self.tries += solution.tries;
        Ok(solution)
    }

    /// Returns whether the goals hold with some changes, which are kept if they are the best so far.
    fn try_changes(&mut self, changes: &Changes) -> Result<bool, SolveError> {
        self.tries += 1;
        if (self.progress)(self.tries).is_break() {
            return Err(SolveError::Cancelled);
        }
        let scenario = with_shares(self.start, changes)?;
        let mut aims = self.aims.iter();
        if !aims.all(|&aim| holds(aim, self.start, &scenario)) {
            return Ok(false);
        }
        let cost = |changes: &Changes| {
            let before = |node| count(self.start.tree(), node);
            let changed = changes.iter();
            let change: u64 = changed.map(|(&it, &new)| before(it).abs_diff(new)).sum();
            (changes.len(), change, changes.values().sum::<i64>())
        };
        let best = self.best.as_ref();
        if best.is_none_or(|best| cost(changes) < cost(best)) {
            self.best = Some(changes.clone());
        }
        Ok(true)
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
    others.retain(|&it| !tree.order().is_within(node, it) && tree.shares(it).count() > Some(1));
    levers.extend(others);
    // A sibling may be above the other node too.
    let mut seen = BTreeSet::new();
    levers.retain(|&it| seen.insert(it));
    levers
}

/// Returns a scenario with other shares, as one edit.
pub(super) fn with_shares(start: &Scenario, changes: &Changes) -> Result<Scenario, SolveError> {
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

/// Returns the portion of its level that a node has with other shares. `level_sums` holds the sums of levels with these, and
/// gets those of levels without changes.
fn portion_with(
    tree: &Tree,
    changes: &Changes,
    level_sums: &mut BTreeMap<NodeId, i64>,
    node: NodeId,
) -> f64 {
    let account = tree.parent(node).unwrap_or(NodeId::ROOT);
    let sum = level_sums.entry(account);
    let sum = *sum.or_insert_with(|| level_sum(tree, account));
    let after = changes.get(&node).copied();
    let after = after.unwrap_or_else(|| count(tree, node));
    after as f64 / sum as f64
}

/// Returns the shares of a node; 0 for Slurm's `parent`.
pub(super) fn count(tree: &Tree, node: NodeId) -> i64 {
    tree.shares(node).count().unwrap_or(0)
}
