//! The search for the shares with which goals hold: level by level where goals are about portions, by the search for one
//! node's shares where they are about ranks, and then by trying numbers for one node, for two, and so on.
//!
//! First everybody keeps a share. Only if no such shares are found, nodes may be given none; and only then a portion may reach
//! its bound by the rounding of what is read.

use super::goal::Aim;
use super::outcome::{holds, largest_loss, share_before, sum_before, sum_of};
use crate::analysis::solve::{SolveError, share_in};
use crate::base::number::readable;
use crate::model::{NodeId, Shares, Tree};
use crate::scenario::{Edit, Scenario};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// New shares, by node.
pub(super) type Changes = BTreeMap<NodeId, i64>;

/// The most shares that are searched for: more are of no use, and Flux's may have 63 bits.
pub(super) const MOST_SHARES: i64 = 1 << 32;

/// The part of the time that the search for something cheaper may take, or as much as shares took to be found.
const EXTRA: f64 = 0.5;

/// The answer of a search.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found {
    /// The new shares. `None` if no shares were found with which the goals hold.
    pub(super) changes: Option<Changes>,
    /// Whether no fewer lines do; without changes, whether there are none.
    pub(super) is_proven: bool,
    /// Whether it is proven that somebody has to be given no shares.
    pub(super) needs_none: bool,
}

impl Found {
    fn new(changes: Option<Changes>, is_proven: bool) -> Self {
        Self {
            changes,
            is_proven,
            needs_none: false,
        }
    }
}

/// What changes cost: lines, nodes that are given no shares, lines of nodes that no goal names, the largest loss of such a
/// node as the bits of a number from 0 up, shares by which they change, and the sum of the new ones.
pub(super) type Cost = (usize, usize, usize, u64, u64, i64);

/// A search for the fewest changes of the shares that a scenario starts with.
pub(super) struct Search<'a> {
    pub(super) start: &'a Scenario,
    /// The fewest and the most shares that a node can be given.
    pub(super) range: [i64; 2],
    pub(super) tries: usize,
    /// Gives the part of the time that is over after so many tries.
    pub(super) spent: &'a mut dyn FnMut(usize) -> f64,
    /// The part of the time after which the present search ends.
    pub(super) until: f64,
    /// What is searched for now.
    pub(super) aims: Vec<Aim>,
    /// A number of lines with fewer of which it is proven not to be reached.
    pub(super) fewest: usize,
    /// The cheapest changes so far with which the goals hold.
    pub(super) best: Option<(Cost, Changes)>,
    /// The cheapest with which a portion reaches its bound only because it is rounded to be read. They are the last choice.
    rounded: Option<(Cost, Changes)>,
    /// The cheapest for each set of nodes, of as many lines as the best, and as many of nodes that no goal names.
    pub(super) by_set: BTreeMap<Vec<NodeId>, (Cost, Changes)>,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        start: &'a Scenario,
        most: i64,
        spent: &'a mut dyn FnMut(usize) -> f64,
    ) -> Self {
        Self {
            start,
            range: [1, most],
            tries: 0,
            spent,
            until: 1.0,
            aims: Vec::new(),
            fewest: 1,
            best: None,
            rounded: None,
            by_set: BTreeMap::new(),
        }
    }

    /// Returns the part of the time that is over.
    pub(super) fn now(&mut self) -> f64 {
        (self.spent)(self.tries)
    }

    /// Returns the fewest changes with which all goals hold, at the least cost, until a part of the time is over.
    pub(super) fn propose(&mut self, aims: &[Aim], until: f64) -> Result<Found, SolveError> {
        self.aims = aims.to_vec();
        (self.best, self.rounded, self.until) = (None, None, f64::INFINITY);
        let nothing = Changes::new();
        if self.try_changes(&nothing)? || self.rounded.is_some() {
            return Ok(Found::new(Some(nothing), true));
        }
        self.range[0] = 0;
        let Some(fewest) = self.fewest_lines() else {
            return Ok(Found::new(None, true));
        };
        // First everybody keeps a share.
        self.range[0] = 1;
        let mut is_all_tried = true;
        if !self.leaves_nothing()
            && let Some(with_shares) = self.fewest_lines()
        {
            self.fewest = with_shares;
            self.until = f64::midpoint(self.now(), until);
            is_all_tried = self.search_in_time()?;
        }
        let given = self.best.take();
        let lines = given.as_ref().map(|(cost, _)| cost.0);
        if let Some(lines) = lines
            && (lines <= fewest || !is_all_tried)
        {
            let changes = given.map(|(_, changes)| changes);
            return Ok(Found::new(changes, lines <= fewest));
        }
        (self.range[0], self.until, self.fewest) = (0, until, fewest);
        let is_every_number = self.search_in_time()?;
        let with_none = self.best.take();
        let fewer = with_none.as_ref().map(|(cost, _)| cost.0);
        let mut found = Found::new(given.map(|(_, changes)| changes), is_every_number);
        if let Some(lines) = lines {
            found.is_proven &= fewer.is_none_or(|fewer| fewer >= lines);
        } else if let Some((cost, changes)) = with_none {
            found.changes = Some(changes);
            found.is_proven |= cost.0 <= fewest;
            found.needs_none = is_all_tried;
        } else if let Some((cost, changes)) = self.rounded.take() {
            found.changes = Some(changes);
            found.is_proven = cost.0 <= fewest;
        }
        Ok(found)
    }

    /// Searches until the time is over, and returns whether every number was tried.
    fn search_in_time(&mut self) -> Result<bool, SolveError> {
        self.by_set.clear();
        match self.search() {
            Err(SolveError::Cancelled) => Ok(false),
            ended => ended,
        }
    }

    /// Searches in all ways, and returns whether every number was tried.
    fn search(&mut self) -> Result<bool, SolveError> {
        let nodes = self.nodes();
        let goals = self.named();
        let first = nodes.iter().position(|node| !goals.contains(node));
        let (named, others) = nodes.split_at(first.unwrap_or(nodes.len()));
        if self.by_one(named)? {
            return Ok(false);
        }
        let portions = self.portions();
        let seeds = self.by_ways(&portions)?;
        let is_found = self.best.is_some() && seeds.len() == 1 && self.is_by_level(&portions);
        let is_whole = self.is_whole();
        if is_found && !is_whole || self.by_one(others)? {
            return Ok(false);
        }
        if !is_whole {
            if self.range[0] == 0 {
                self.by_emptying(&portions)?;
            }
            self.reach_in_time(&seeds)?;
        }
        let is_all_tried = self.by_several(&nodes)?;
        if !is_all_tried {
            self.refine()?;
        }
        Ok(is_all_tried)
    }

    /// Ends the search soon if shares were found. Tries end it first where trees are small, and so its answer is the same each
    /// time.
    pub(super) fn end_soon(&mut self) {
        if self.best.is_some() {
            let now = self.now();
            self.until = self.until.min(now + now.max(EXTRA));
        }
    }

    /// Returns the accounts whose level has to have a sum, or has another one than in the snapshot where nobody else may be
    /// diluted.
    pub(super) fn accounts(&self) -> BTreeSet<NodeId> {
        let (start, tree) = (self.start, self.start.tree());
        let is_other = |&account: &NodeId| {
            let before = sum_before(start, account);
            before.is_some_and(|before| before != sum_of(start.policy(), tree, account))
        };
        let mut accounts = BTreeSet::new();
        for aim in &self.aims {
            match *aim {
                Aim::Total { account, .. } => {
                    accounts.insert(account);
                }
                Aim::Keep { node: None, .. } => {
                    accounts.extend(tree.nodes().iter().copied().filter(is_other));
                }
                _ => {}
            }
        }
        accounts
    }

    /// Returns the most lines that goals allow.
    pub(super) fn most_lines(&self) -> usize {
        let limits = self.aims.iter().filter_map(|aim| match aim {
            Aim::Lines(most) => Some(*most),
            _ => None,
        });
        limits.min().unwrap_or(usize::MAX)
    }

    /// Returns the nodes that the goals name.
    pub(super) fn named(&self) -> BTreeSet<NodeId> {
        self.aims.iter().flat_map(Aim::named).collect()
    }

    /// Returns whether the goals hold with some changes, which are kept if they are the cheapest so far.
    pub(super) fn try_changes(&mut self, changes: &Changes) -> Result<bool, SolveError> {
        Ok(self.failing(changes)? == 0)
    }

    /// Returns which goals do not hold with some changes, or only by rounding, a bit for each; the last bit is for all beyond it.
    /// If all hold, the changes are kept if they are the cheapest so far.
    pub(super) fn failing(&mut self, changes: &Changes) -> Result<u64, SolveError> {
        self.tick()?;
        let scenario = with_shares(self.start, changes)?;
        let (mut failing, mut rounded) = (0, 0);
        let mut level_sums = BTreeMap::new();
        for (place, &aim) in self.aims.iter().enumerate() {
            let bit = 1 << place.min(63);
            if !holds(aim, self.start, &scenario) {
                failing |= bit;
            } else if !holds_unrounded(aim, self.start, &scenario, &mut level_sums) {
                rounded |= bit;
            }
        }
        if failing == 0 {
            let cost = self.cost(changes, &scenario);
            if rounded == 0 {
                self.keep(cost, changes);
            } else if self.rounded.as_ref().is_none_or(|other| cost < other.0) {
                self.rounded = Some((cost, changes.clone()));
            }
        }
        Ok(failing | rounded)
    }

    /// Keeps changes with which the goals hold if they are the cheapest, or the cheapest of their nodes.
    fn keep(&mut self, cost: Cost, changes: &Changes) {
        let lines = |cost: Cost| (cost.0, cost.1, cost.2);
        let best = self.best.as_ref().map(|best| best.0);
        if best.is_none_or(|best| lines(cost) < lines(best)) {
            self.by_set.clear();
        } else if best.is_some_and(|best| lines(best) < lines(cost)) {
            return;
        }
        if best.is_none_or(|best| cost < best) {
            self.best = Some((cost, changes.clone()));
        }
        let nodes = changes.keys().copied().collect();
        let of_set = self.by_set.entry(nodes);
        let of_set = of_set.or_insert_with(|| (cost, changes.clone()));
        if cost < of_set.0 {
            *of_set = (cost, changes.clone());
        }
    }

    /// Counts a try. It is an error if the time is over.
    pub(super) fn tick(&mut self) -> Result<(), SolveError> {
        self.tries += 1;
        if until_then(self.now(), self.until).is_break() {
            return Err(SolveError::Cancelled);
        }
        Ok(())
    }

    fn cost(&self, changes: &Changes, after: &Scenario) -> Cost {
        let named = self.named();
        let before = |node| count(self.start.tree(), node);
        let nobody = changes
            .iter()
            .filter(|&(&node, &new)| new <= 0 && before(node) > 0);
        let unnamed = changes.keys().filter(|node| !named.contains(node));
        let change = changes
            .iter()
            .map(|(&node, &new)| before(node).abs_diff(new));
        let [old, new] = [self.start, after].map(portions_of_tree);
        let mut loss = 0.0_f64;
        for (place, node) in after.tree().nodes().iter().enumerate() {
            if old[place] > 0.0 && !named.contains(node) {
                loss = loss.max(1.0 - new[place] / old[place]);
            }
        }
        (
            changes.len(),
            nobody.count(),
            unnamed.count(),
            readable(loss, 9).to_bits(),
            change.sum(),
            changes.values().sum(),
        )
    }
}

/// Returns whether an aim about a portion that holds as it can be read does so without that rounding. Of a portion that has to
/// be the whole, a share of billions falls short by less than can be read. `level_sums` gets the sums of levels.
fn holds_unrounded(
    aim: Aim,
    start: &Scenario,
    now: &Scenario,
    level_sums: &mut BTreeMap<NodeId, i64>,
) -> bool {
    /// The part of a portion that the rounding of doubles may make up.
    const NOISE: f64 = 1e-11;
    let (policy, tree) = (now.policy(), now.tree());
    let is_at_least = |portion: f64, least: f64| portion >= least * (1.0 - NOISE);
    match aim {
        Aim::Share { node, bounds, .. } => {
            let mut share = 1.0;
            for node in tree.line(node) {
                if tree.shares(node).count().is_some() {
                    let account = policy.account_of(tree, node);
                    let sum = level_sums.entry(account);
                    let sum = *sum.or_insert_with(|| sum_of(policy, tree, account));
                    share *= count(tree, node) as f64 / sum as f64;
                }
            }
            // In a level without shares a portion is no number.
            let share = f64::max(share, 0.0);
            is_at_least(share, bounds[0]) && is_at_least(bounds[1], share)
        }
        Aim::Keep { node: None, kept } => is_at_least(1.0 - largest_loss(now), kept),
        // PBS computes portions with 32 bits.
        Aim::Keep {
            node: Some(node),
            kept,
        } if policy.digits() >= 9 => {
            let share = share_in(now, node).unwrap_or(0.0);
            is_at_least(share, share_before(start, node) * kept)
        }
        _ => true,
    }
}

/// Returns whether a search goes on when a part of the time is over.
pub(super) fn until_then(spent: f64, until: f64) -> ControlFlow<()> {
    if spent < until {
        ControlFlow::Continue(())
    } else {
        ControlFlow::Break(())
    }
}

/// Returns the portions of the whole tree of all nodes, by position; 0 without one.
fn portions_of_tree(scenario: &Scenario) -> Vec<f64> {
    let (policy, tree) = (scenario.policy(), scenario.tree());
    let target = |node| {
        let target = scenario.evaluation().number(policy.target_column(), node);
        target.unwrap_or(0.0)
    };
    if !policy.counts_by_level() {
        return tree.nodes().iter().map(|&node| target(node)).collect();
    }
    let above = tree.order().above();
    let mut portions = vec![1.0; tree.node_count()];
    for (place, &node) in tree.nodes().iter().enumerate().skip(1) {
        let own = if tree.shares(node).is_parent() {
            1.0
        } else {
            target(node)
        };
        portions[place] = portions[above[place] as usize] * own;
    }
    portions
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

/// Returns the shares of a node; 0 for Slurm's `parent`.
pub(super) fn count(tree: &Tree, node: NodeId) -> i64 {
    tree.shares(node).count().unwrap_or(0)
}
