//! Trying numbers of shares for one node, for two, and so on.
//!
//! All nodes of a set but one are given numbers of a ladder, which gets closer from round to round. For the last one the numbers
//! between two rungs are found by halving: each goal that fails on one of them and holds on the other changes in between.

use super::changes::{Changes, count};
use super::goal::Aim;
use super::outcome::{holds, sum_of};
use super::search::Search;
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

/// A number of shares for a node that was tried.
#[derive(Clone, Copy)]
pub(super) struct Rung {
    pub(super) shares: i64,
    /// Which goals fail with it, a bit for each.
    pub(super) failing: u64,
}

/// How sets of nodes are tried.
#[derive(Clone, Copy)]
struct Round {
    /// How many rungs there are between a number and twice that.
    per_octave: u32,
    /// The number of tries after which it ends. `None` if it ends some tries after something was found.
    end: Option<usize>,
}

impl Search<'_> {
    /// Returns the nodes whose shares are tried: those that goals name first, then those on the levels that decide about them,
    /// from the most shares to the least; then, where a rank may depend on any node, all others.
    pub(super) fn nodes(&self) -> Vec<NodeId> {
        let tree = self.start.tree();
        let policy = self.start.policy();
        let named = self.named();
        let mut accounts = self.accounts();
        for &node in &named {
            for above in tree.line(node) {
                accounts.insert(policy.account_of(tree, above));
            }
        }
        let mut of_levels: Vec<NodeId> = Vec::new();
        for account in accounts {
            of_levels.extend(policy.level(tree, account));
        }
        of_levels.sort_by_key(|&node| Reverse(count(tree, node)));
        let mut nodes = Vec::from_iter(named);
        nodes.extend(of_levels);
        if self.aims.iter().any(is_ranked) {
            nodes.extend(&tree.nodes()[1..]);
        }
        let mut seen = BTreeSet::new();
        nodes.retain(|&node| {
            let can_change = tree.shares(node).count().is_some() && Some(node) != tree.unknown();
            can_change && seen.insert(node)
        });
        nodes
    }

    /// Returns the numbers that are tried for a node, with so many rungs from a number to its double.
    fn ladder(&self, node: NodeId, per_octave: u32) -> Ladder {
        let tree = self.start.tree();
        let policy = self.start.policy();
        let possible = policy.possible_shares(tree, self.start.settings(), node);
        let least = self.range.least.max(*possible.start());
        let largest = self.range.most.min(*possible.end());
        if largest - least <= WHOLE {
            return Ladder {
                rungs: (least..=largest).collect(),
                further: Vec::new(),
                is_whole: true,
            };
        }
        let sum = sum_of(policy, tree, policy.account_of(tree, node));
        let most = largest.min(sum.max(1).saturating_mul(MOST_TIMES));
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
            rungs: Vec::from_iter(rungs),
            further,
            is_whole: false,
        }
    }

    /// Returns whether every number of shares is tried.
    pub(super) fn is_whole(&self) -> bool {
        self.range.most - self.range.least <= WHOLE
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
        Ok(self.best_lines() == 1)
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
            per_octave = match RUNGS.get(round) {
                Some(&rungs) => rungs,
                None => per_octave.saturating_mul(2),
            };
            // First few nodes with few numbers, or as many as there are lines to save.
            let lines = if is_whole {
                nodes.len()
            } else if self.best.is_some() {
                self.best_lines().min(MOST_LINES)
            } else {
                (2 + round).min(nodes.len())
            };
            for lines in self.fewest.max(2)..=lines.min(most_lines) {
                if self.best_lines() < lines {
                    break;
                }
                let round = Round {
                    per_octave,
                    end: self.end_of_round(),
                };
                self.sets(nodes, lines, &mut Vec::new(), round)?;
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

    /// Returns the number of tries after which sets of nodes are no longer tried. `None` if that is not known yet.
    fn end_of_round(&self) -> Option<usize> {
        if self.is_whole() {
            Some(usize::MAX)
        } else if self.best.is_some() {
            Some(self.tries + FURTHER)
        } else {
            None
        }
    }

    /// Tries all sets of so many nodes with those of a set, until the round ends.
    fn sets(
        &mut self,
        nodes: &[NodeId],
        lines: usize,
        set: &mut Vec<NodeId>,
        mut round: Round,
    ) -> Result<(), SolveError> {
        if lines == 0 {
            return self.set(set, round.per_octave);
        }
        for (place, &node) in nodes.iter().enumerate() {
            if round.end.is_none() && self.best.is_some() {
                self.end_soon();
                round.end = Some(self.tries + FURTHER);
            }
            if let Some(end) = round.end
                && self.tries > end
            {
                break;
            }
            set.push(node);
            self.sets(&nodes[place + 1..], lines - 1, set, round)?;
            set.pop();
        }
        Ok(())
    }

    /// Tries numbers for all nodes of a set.
    fn set(&mut self, set: &[NodeId], per_octave: u32) -> Result<(), SolveError> {
        if !self.may_do(set) {
            return self.tick();
        }
        let ways = if per_octave == RUNGS[0] { 1 } else { set.len() };
        for place in (0..set.len()).rev().take(ways) {
            let mut others = set.to_vec();
            let last = others.remove(place);
            self.numbers(&others, last, &mut Changes::new(), per_octave)?;
        }
        Ok(())
    }

    /// Returns whether other shares of these nodes may make the goals hold: of each goal about a portion that fails, one of them
    /// is on a level that decides about it.
    fn may_do(&self, set: &[NodeId]) -> bool {
        let policy = self.start.policy();
        let tree = self.start.tree();
        let mut accounts = Vec::with_capacity(set.len());
        for &node in set {
            accounts.push(policy.account_of(tree, node));
        }
        for &aim in &self.aims {
            let decides = match aim {
                Aim::Share { node, .. } => {
                    let line = tree.line(node);
                    line.iter()
                        .any(|&above| accounts.contains(&policy.account_of(tree, above)))
                }
                Aim::Total { account, .. } => accounts.contains(&account),
                _ => true,
            };
            if !decides && !holds(aim, self.start, self.start) {
                return false;
            }
        }
        true
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
        let mut last: Option<Rung> = None;
        for shares in ladder.rungs.into_iter().chain(ladder.further) {
            if shares == now && ladder.is_whole {
                continue;
            }
            let failing = self.with(changes, node, shares)?;
            let rung = Rung { shares, failing };
            if let Some(last) = last
                && !ladder.is_whole
            {
                self.between(changes, node, last, rung)?;
            }
            last = Some(rung);
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

    /// Halves the range between two numbers for a node as long as each goal holds on one of its ends, and not all on both.
    pub(super) fn between(
        &mut self,
        changes: &mut Changes,
        node: NodeId,
        low: Rung,
        high: Rung,
    ) -> Result<(), SolveError> {
        let mut ranges = vec![(low, high)];
        while let Some((low, high)) = ranges.pop() {
            let fails_on_both = low.failing & high.failing != 0;
            let holds_on_both = low.failing | high.failing == 0;
            let length = high.shares - low.shares;
            if length <= 1 || fails_on_both || holds_on_both {
                continue;
            }
            let shares = low.shares + length / 2;
            let failing = self.with(changes, node, shares)?;
            let middle = Rung { shares, failing };
            ranges.push((low, middle));
            ranges.push((middle, high));
        }
        Ok(())
    }
}

/// Returns whether an aim is about a rank or a factor.
fn is_ranked(aim: &Aim) -> bool {
    match aim {
        Aim::Standing { goal, .. } => *goal != Goal::OnTarget,
        _ => false,
    }
}
