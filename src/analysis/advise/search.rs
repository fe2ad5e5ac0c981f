//! The search for the shares with which goals hold: level by level where goals are about portions, by the search for one
//! node's shares where they are about ranks, and then by trying numbers for one node, for two, and so on.
//!
//! First everybody keeps a share. Only if no such shares are found, nodes may be given none; and only then a portion may reach
//! its bound by the rounding of what is read.

use super::bounds::ShareRange;
use super::changes::{Changes, Draft, count, with_shares};
use super::goal::Aim;
use super::outcome::{holds, largest_loss, share_before, sum_before, sum_of};
use crate::analysis::solve::{SolveError, share_in};
use crate::base::number::readable;
use crate::model::NodeId;
use crate::scenario::Scenario;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

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
    /// Returns an answer that leaves everybody shares, as far as that is known.
    fn new(changes: Option<Changes>, is_proven: bool) -> Self {
        Self {
            changes,
            is_proven,
            needs_none: false,
        }
    }
}

/// How many lines changes have. Of two such numbers the first that differs decides which changes are cheaper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Lines {
    pub(super) all: usize,
    /// Those of nodes that are given no shares.
    emptied: usize,
    /// Those of nodes that no goal names.
    unnamed: usize,
}

/// What changes cost: first their lines, then the other numbers in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cost {
    pub(super) lines: Lines,
    /// The largest loss of a node that no goal names, as the bits of a number from 0 up.
    loss: u64,
    /// By how many shares they change.
    change: u64,
    /// The sum of the new shares.
    sum: i64,
}

/// Changes with which the goals hold, and what they cost.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Proposal {
    pub(super) cost: Cost,
    pub(super) changes: Changes,
}

/// A search for the fewest changes of the shares that a scenario starts with.
pub(super) struct Search<'a> {
    pub(super) start: &'a Scenario,
    /// How many shares a node can be given.
    pub(super) range: ShareRange,
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
    pub(super) best: Option<Proposal>,
    /// The cheapest with which a portion reaches its bound only because it is rounded to be read. They are the last choice.
    rounded: Option<Proposal>,
    /// The cheapest for each set of nodes, of as many lines as the best, and as many of nodes that no goal names.
    pub(super) by_set: BTreeMap<Vec<NodeId>, Proposal>,
}

impl<'a> Search<'a> {
    /// Returns a search in which nodes get at most so many shares.
    pub(super) fn new(
        start: &'a Scenario,
        most: i64,
        spent: &'a mut dyn FnMut(usize) -> f64,
    ) -> Self {
        Self {
            start,
            range: ShareRange { least: 1, most },
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

    /// Returns the number of lines of the best changes so far; the largest number if there are none.
    pub(super) fn best_lines(&self) -> usize {
        match &self.best {
            Some(best) => best.cost.lines.all,
            None => usize::MAX,
        }
    }

    /// Returns the fewest changes with which all goals hold, at the least cost, until a part of the time is over.
    pub(super) fn propose(&mut self, aims: &[Aim], until: f64) -> Result<Found, SolveError> {
        self.aims = aims.to_vec();
        self.best = None;
        self.rounded = None;
        self.until = f64::INFINITY;
        let nothing = Changes::new();
        if self.try_changes(&nothing)? || self.rounded.is_some() {
            return Ok(Found::new(Some(nothing), true));
        }
        self.range.least = 0;
        let Some(fewest) = self.fewest_lines() else {
            return Ok(Found::new(None, true));
        };
        // First everybody keeps a share.
        self.range.least = 1;
        let mut is_all_tried = true;
        if !self.leaves_nothing()
            && let Some(fewest_with_shares) = self.fewest_lines()
        {
            self.fewest = fewest_with_shares;
            self.until = f64::midpoint(self.now(), until);
            is_all_tried = self.search_in_time()?;
        }
        let lines = self.best_lines();
        let with_shares = self.best.take();
        if let Some(proposal) = &with_shares
            && (lines <= fewest || !is_all_tried)
        {
            let changes = proposal.changes.clone();
            return Ok(Found::new(Some(changes), lines <= fewest));
        }
        self.range.least = 0;
        self.until = until;
        self.fewest = fewest;
        let is_every_number = self.search_in_time()?;
        let fewer = self.best_lines();
        let mut found = Found::new(None, is_every_number);
        if let Some(proposal) = with_shares {
            found.changes = Some(proposal.changes);
            found.is_proven &= fewer >= lines;
        } else if let Some(proposal) = self.best.take() {
            found.changes = Some(proposal.changes);
            found.is_proven |= fewer <= fewest;
            found.needs_none = is_all_tried;
        } else if let Some(proposal) = self.rounded.take() {
            found.changes = Some(proposal.changes);
            found.is_proven = proposal.cost.lines.all <= fewest;
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
            if self.range.least == 0 {
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
        let mut accounts = BTreeSet::new();
        for aim in &self.aims {
            match *aim {
                Aim::Total { account, .. } => {
                    accounts.insert(account);
                }
                Aim::Keep { node: None, .. } => {
                    accounts.extend(self.accounts_with_other_sums());
                }
                _ => {}
            }
        }
        accounts
    }

    /// Returns the accounts whose level has another sum at the start than in the snapshot.
    fn accounts_with_other_sums(&self) -> Vec<NodeId> {
        let tree = self.start.tree();
        let mut accounts = Vec::new();
        for &account in tree.nodes() {
            if let Some(before) = sum_before(self.start, account)
                && before != sum_of(self.start.policy(), tree, account)
            {
                accounts.push(account);
            }
        }
        accounts
    }

    /// Returns the most lines that goals allow.
    pub(super) fn most_lines(&self) -> usize {
        let mut limit = usize::MAX;
        for aim in &self.aims {
            if let Aim::Lines(most) = *aim {
                limit = limit.min(most);
            }
        }
        limit
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
        let mut failing = 0;
        let mut rounded = 0;
        let mut draft = Draft::of(scenario.policy(), scenario.tree());
        for (place, &aim) in self.aims.iter().enumerate() {
            let bit = 1 << place.min(63);
            if !holds(aim, self.start, &scenario) {
                failing |= bit;
            } else if !holds_unrounded(aim, self.start, &scenario, &mut draft) {
                rounded |= bit;
            }
        }
        if failing == 0 {
            let cost = self.cost(changes, &scenario);
            if rounded == 0 {
                self.keep(cost, changes);
            } else {
                keep_cheaper(&mut self.rounded, cost, changes);
            }
        }
        Ok(failing | rounded)
    }

    /// Keeps changes with which the goals hold if they are the cheapest, or the cheapest of their nodes.
    fn keep(&mut self, cost: Cost, changes: &Changes) {
        match &self.best {
            Some(best) if best.cost.lines < cost.lines => return,
            Some(best) if best.cost.lines == cost.lines => {}
            _ => self.by_set.clear(),
        }
        keep_cheaper(&mut self.best, cost, changes);
        let proposal = Proposal {
            cost,
            changes: changes.clone(),
        };
        let nodes = changes.keys().copied().collect();
        match self.by_set.entry(nodes) {
            Entry::Vacant(vacant) => {
                vacant.insert(proposal);
            }
            Entry::Occupied(mut known) if cost < known.get().cost => {
                known.insert(proposal);
            }
            Entry::Occupied(_) => {}
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

    /// Returns what changes cost that lead to another scenario.
    fn cost(&self, changes: &Changes, after: &Scenario) -> Cost {
        let named = self.named();
        let mut lines = Lines {
            all: changes.len(),
            emptied: 0,
            unnamed: 0,
        };
        let mut change = 0;
        for (&node, &new) in changes {
            let before = count(self.start.tree(), node);
            lines.emptied += usize::from(new <= 0 && before > 0);
            lines.unnamed += usize::from(!named.contains(&node));
            change += before.abs_diff(new);
        }
        let old = portions_of_tree(self.start);
        let new = portions_of_tree(after);
        let mut loss = 0.0_f64;
        for (place, node) in after.tree().nodes().iter().enumerate() {
            if old[place] > 0.0 && !named.contains(node) {
                loss = loss.max(1.0 - new[place] / old[place]);
            }
        }
        Cost {
            lines,
            loss: readable(loss, 9).to_bits(),
            change,
            sum: changes.values().sum(),
        }
    }
}

/// Keeps changes if they are cheaper than the best so far.
fn keep_cheaper(best: &mut Option<Proposal>, cost: Cost, changes: &Changes) {
    match best {
        Some(best) if best.cost <= cost => {}
        _ => {
            *best = Some(Proposal {
                cost,
                changes: changes.clone(),
            });
        }
    }
}

/// Returns whether an aim about a portion that holds as it can be read does so without that rounding. Of a portion that has to
/// be the whole, a share of billions falls short by less than can be read. `draft` is the tree with the shares of now.
fn holds_unrounded(aim: Aim, start: &Scenario, now: &Scenario, draft: &mut Draft) -> bool {
    match aim {
        Aim::Share { node, bounds, .. } => {
            let tree = now.tree();
            let mut share = 1.0;
            for node in tree.line(node) {
                if tree.shares(node).count().is_some() {
                    share *= draft.portion(node);
                }
            }
            // In a level without shares a portion is no number.
            share = f64::max(share, 0.0);
            is_at_least(share, bounds.least) && is_at_least(bounds.most, share)
        }
        Aim::Keep { node: None, kept } => is_at_least(1.0 - largest_loss(now), kept),
        // PBS computes portions with 32 bits.
        Aim::Keep {
            node: Some(node),
            kept,
        } if now.policy().digits() >= 9 => {
            let share = share_in(now, node).unwrap_or(0.0);
            is_at_least(share, share_before(start, node) * kept)
        }
        _ => true,
    }
}

/// Returns whether a portion reaches a bound, but for the rounding of doubles.
fn is_at_least(portion: f64, least: f64) -> bool {
    /// The part of a portion that the rounding of doubles may make up.
    const NOISE: f64 = 1e-11;
    portion >= least * (1.0 - NOISE)
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
    let policy = scenario.policy();
    let tree = scenario.tree();
    let targets = scenario.evaluation().view(policy.target_column());
    let mut portions = Vec::with_capacity(tree.node_count());
    for place in 0..tree.node_count() {
        portions.push(targets.value(place).as_f64().unwrap_or(0.0));
    }
    if !policy.counts_by_level() {
        return portions;
    }
    portions[0] = 1.0;
    let above = tree.order().above();
    for (place, &node) in tree.nodes().iter().enumerate().skip(1) {
        if tree.shares(node).is_parent() {
            portions[place] = 1.0;
        }
        portions[place] *= portions[above[place] as usize];
    }
    portions
}
