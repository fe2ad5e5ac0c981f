//! Trying numbers of shares for one node, for two, and so on.
//!
//! All nodes of a set but one are given numbers of a ladder, which gets closer from round to round. For the last one the numbers
//! between two rungs are found by halving: each goal that fails on one of them and holds on the other changes in between.

use super::goal::Aim;
use super::outcome::{holds, sum_of};
use super::search::{Changes, Search, count};
use crate::analysis::solve::{Goal, SolveError};
use crate::model::NodeId;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// How many times the sum of a level one node is given at most.
const MOST_TIMES: i64 = 256;

/// The longest ladder that has every number.
const WHOLE: i64 = 12;

/// The rungs between a number and twice that, in the rounds; later rounds double the last.
const RUNGS: [u32; 3] = [1, 2, 4];

/// Where the rungs are this close, nothing new is tried.
const CLOSEST: u32 = 1 << 16;

/// The most tries for something cheaper after shares were found, of each kind.
pub(super) const FURTHER: usize = 1_000;

/// The most lines of which all sets of nodes are tried: there are too many larger ones.
const MOST_LINES: usize = 5;

/// Numbers of shares that are tried for a node.
struct Ladder {
    rungs: Vec<i64>,
    /// Larger ones, far apart.
    further: Vec<i64>,
    /// Whether these are all.
    is_whole: bool,
}

impl Search<'_> {
    /// Returns the nodes whose shares are tried: those that goals name first, then those on the levels that decide about them,
    /// from the most shares to the least; then, where a rank may depend on any node, all others.
    pub(super) fn nodes(&self) -> Vec<NodeId> {
        let (start, tree) = (self.start, self.start.tree());
        let policy = start.policy();
        let named = self.named();
        let mut accounts = self.accounts();
        for &node in &named {
            let line = tree.line(node).into_iter();
            accounts.extend(line.map(|node| policy.account_of(tree, node)));
        }
        let is_ranked =
            |aim: &Aim| matches!(aim, Aim::Standing { goal, .. } if *goal != Goal::OnTarget);
        let is_any = self.aims.iter().any(is_ranked);
        let can_change =
            |node: &NodeId| tree.shares(*node).count().is_some() && Some(*node) != tree.unknown();
        let mut of_levels: Vec<NodeId> = Vec::new();
        for account in accounts {
            of_levels.extend(policy.level(tree, account));
        }
        of_levels.sort_by_key(|&node| Reverse(count(tree, node)));
        let others = tree.nodes()[1..].iter().copied().filter(|_| is_any);
        let all = named.into_iter().chain(of_levels).chain(others);
        let mut seen = BTreeSet::new();
        all.filter(|node| can_change(node) && seen.insert(*node))
            .collect()
    }

    /// Returns the numbers that are tried for a node, with so many rungs from a number to its double.
    fn ladder(&self, node: NodeId, per_octave: u32) -> Ladder {
        let (tree, policy) = (self.start.tree(), self.start.policy());
        let possible = policy.possible_shares(tree, self.start.settings(), node);
        let least = self.range[0].max(*possible.start());
        let most = self.range[1].min(*possible.end());
        let is_whole = most - least <= WHOLE;
        if is_whole {
            return Ladder {
                rungs: (least..=most).collect(),
                further: Vec::new(),
                is_whole,
            };
        }
        let sum = sum_of(policy, tree, policy.account_of(tree, node));
        let largest = most;
        let most = most.min(sum.max(1).saturating_mul(MOST_TIMES));
        let now = count(tree, node);
        let mut rungs = BTreeSet::from([least, 1, now / 2, now - 1, now.saturating_add(1), most]);
        let step = 2.0_f64.powf(1.0 / f64::from(per_octave));
        let mut rung = 1;
        while rung < most {
            rungs.insert(rung);
            rung = (rung + 1).max((rung as f64 * step).round() as i64);
        }
        rungs.retain(|rung| (least..=most).contains(rung));
        let mut further = Vec::new();
        let mut last = most;
        while last < largest {
            last = last.saturating_mul(MOST_TIMES).min(largest);
            further.push(last);
        }
        Ladder {
            rungs: rungs.into_iter().collect(),
            further,
            is_whole,
        }
    }

    /// Returns whether every number of shares is tried.
    pub(super) fn is_whole(&self) -> bool {
        self.range[1] - self.range[0] <= WHOLE
    }

    /// Tries one node after the other, and returns whether one line does.
    pub(super) fn by_one(&mut self, nodes: &[NodeId]) -> Result<bool, SolveError> {
        let mut end = usize::MAX;
        if self.fewest > 1 {
            return Ok(false);
        }
        for &node in nodes {
            if self.best.is_some() && !self.is_whole() {
                self.end_soon();
                end = end.min(self.tries + FURTHER);
            }
            if self.tries > end {
                break;
            }
            self.along(&mut Changes::new(), node, RUNGS[1])?;
        }
        Ok(self.best.as_ref().is_some_and(|best| best.0.0 == 1))
    }

    /// Tries two nodes, then three, and so on, ever closer, and returns whether everything was tried.
    pub(super) fn by_several(&mut self, nodes: &[NodeId]) -> Result<bool, SolveError> {
        let most_lines = self.most_lines().min(nodes.len());
        let is_whole = self.is_whole();
        if !is_whole {
            self.end_soon();
            if self.fewest > MOST_LINES {
                return Ok(false);
            }
        }
        let mut per_octave = RUNGS[0];
        for round in 0.. {
            let doubled = per_octave.saturating_mul(2);
            per_octave = RUNGS.get(round).copied().unwrap_or(doubled);
            // First few nodes with few numbers, or as many as there are lines to save.
            let lines = match &self.best {
                _ if is_whole => nodes.len(),
                Some((cost, _)) => cost.0.min(MOST_LINES),
                None => (2 + round).min(nodes.len()),
            };
            for lines in self.fewest.max(2)..=lines.min(most_lines) {
                let best = self.best.as_ref().map_or(usize::MAX, |best| best.0.0);
                if best < lines {
                    break;
                }
                let end = match (is_whole, best) {
                    (true, _) => Some(usize::MAX),
                    (false, usize::MAX) => None,
                    (false, _) => Some(self.tries + FURTHER),
                };
                self.sets(nodes, lines, &mut Vec::new(), per_octave, end)?;
            }
            let is_all = lines >= most_lines && is_whole;
            if self.best.is_some() || is_all || most_lines < 2 {
                return Ok(is_whole);
            }
            if lines >= most_lines && per_octave > CLOSEST {
                break;
            }
        }
        Ok(false)
    }

    /// Tries all sets of so many nodes, until `end` tries; or some tries after one was found.
    fn sets(
        &mut self,
        nodes: &[NodeId],
        lines: usize,
        set: &mut Vec<NodeId>,
        per_octave: u32,
        mut end: Option<usize>,
    ) -> Result<(), SolveError> {
        if lines == 0 {
            if !self.may_do(set) {
                return self.tick();
            }
            let ways = if per_octave == RUNGS[0] { 1 } else { set.len() };
            for last in (0..set.len()).rev().take(ways) {
                let mut others = set.clone();
                let last = others.remove(last);
                self.numbers(&others, last, &mut Changes::new(), per_octave)?;
            }
            return Ok(());
        }
        for (place, &node) in nodes.iter().enumerate() {
            if end.is_none() && self.best.is_some() {
                self.end_soon();
                end = Some(self.tries + FURTHER);
            }
            if end.is_some_and(|end| self.tries > end) {
                break;
            }
            set.push(node);
            self.sets(&nodes[place + 1..], lines - 1, set, per_octave, end)?;
            set.pop();
        }
        Ok(())
    }

    /// Returns whether other shares of these nodes may make the goals hold: of each goal about a portion that fails, one of them
    /// is on a level that decides about it.
    fn may_do(&self, set: &[NodeId]) -> bool {
        let (policy, tree) = (self.start.policy(), self.start.tree());
        let accounts: Vec<NodeId> = set.iter().map(|&it| policy.account_of(tree, it)).collect();
        self.aims.iter().all(|&aim| {
            let node = match aim {
                Aim::Share { node, .. } => node,
                Aim::Total { account, .. } => {
                    return accounts.contains(&account) || holds(aim, self.start, self.start);
                }
                _ => return true,
            };
            let mut line = tree.line(node).into_iter();
            line.any(|it| accounts.contains(&policy.account_of(tree, it)))
                || holds(aim, self.start, self.start)
        })
    }

    /// Gives all but the last node each number of its ladder.
    fn numbers(
        &mut self,
        others: &[NodeId],
        last: NodeId,
        changes: &mut Changes,
        per_octave: u32,
    ) -> Result<(), SolveError> {
        let Some((&node, others)) = others.split_first() else {
            return self.along(changes, last, per_octave);
        };
        let now = count(self.start.tree(), node);
        for rung in self.ladder(node, per_octave).rungs {
            if rung != now {
                changes.insert(node, rung);
                self.numbers(others, last, changes, per_octave)?;
            }
        }
        changes.remove(&node);
        Ok(())
    }

    /// Tries the numbers of a ladder for a node beside other changes, and those between two rungs of which each goal holds on
    /// one. Of neighbours with which all goals hold, the nearest to the present shares are found.
    fn along(
        &mut self,
        changes: &mut Changes,
        node: NodeId,
        per_octave: u32,
    ) -> Result<(), SolveError> {
        let now = count(self.start.tree(), node);
        let ladder = self.ladder(node, per_octave);
        let mut before: Option<(i64, u64)> = None;
        for rung in ladder.rungs.into_iter().chain(ladder.further) {
            if rung == now && ladder.is_whole {
                continue;
            }
            let failing = self.with(changes, node, rung)?;
            if let Some(before) = before.filter(|_| !ladder.is_whole) {
                self.between(changes, node, before, (rung, failing))?;
            }
            before = Some((rung, failing));
        }
        changes.remove(&node);
        Ok(())
    }

    /// Returns which goals fail with a number of shares for a node beside other changes.
    pub(super) fn with(
        &mut self,
        changes: &mut Changes,
        node: NodeId,
        shares: i64,
    ) -> Result<u64, SolveError> {
        if shares == count(self.start.tree(), node) {
            changes.remove(&node);
        } else {
            changes.insert(node, shares);
        }
        self.failing(changes)
    }

    /// Halves the range between two numbers for a node as long as each goal holds on one of its ends.
    pub(super) fn between(
        &mut self,
        changes: &mut Changes,
        node: NodeId,
        low: (i64, u64),
        high: (i64, u64),
    ) -> Result<(), SolveError> {
        let mut ranges = vec![(low, high)];
        while let Some((low, high)) = ranges.pop() {
            let is_both_or_none = (low.1 == 0) == (high.1 == 0);
            if high.0 - low.0 <= 1 || low.1 & high.1 != 0 || is_both_or_none && low.1 == 0 {
                continue;
            }
            let middle = low.0 + (high.0 - low.0) / 2;
            let middle = (middle, self.with(changes, node, middle)?);
            ranges.extend([(low, middle), (middle, high)]);
        }
        Ok(())
    }
}
