//! Proposals that leave siblings without shares, so that the others on their level divide all of it.

use super::changes::{Changes, count, with_shares};
use super::goal::Aim;
use super::portions::{CarriedPortion, Portion};
use super::search::Search;
use crate::analysis::solve::SolveError;
use crate::model::{NodeId, Tree};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The most siblings of one level that are left without shares where not all of them are.
const MOST_OF_LEVEL: usize = 4;

/// The most siblings of one level that are all left without shares.
const MOST_OF_WHOLE: usize = 64;

/// The most ways in which siblings are left without shares.
const MOST_WAYS: usize = 512;

/// The most ways in which the levels above the nodes of goals carry these then.
const MOST_FITS: usize = 64;

/// How far the rounding of doubles may take what goals need together from the whole.
const NOISE: f64 = 1e-12;

/// What goals need of the tree for a node and all nodes below it.
#[derive(Clone, Copy, Default)]
struct Need {
    portion: f64,
    /// Whether it takes more than that, because somebody else below the node keeps shares.
    is_more: bool,
}

impl Search<'_> {
    /// Leaves siblings of the nodes above goals about portions without shares, the largest first, on all levels at a time, and
    /// brings the portions into their bounds by the shares of the others, in half of the time that is left.
    pub(super) fn by_emptying(&mut self, portions: &[Portion]) -> Result<(), SolveError> {
        let until = self.until;
        self.until = f64::midpoint(self.now(), until);
        let ended = self.empty_in_time(portions);
        self.until = until;
        match ended {
            Err(SolveError::Cancelled) => Ok(()),
            ended => ended,
        }
    }

    /// Tries the ways in which siblings are left without shares until the time is over.
    fn empty_in_time(&mut self, portions: &[Portion]) -> Result<(), SolveError> {
        let mut ways = vec![Changes::new()];
        for siblings in self.siblings_of_lines(portions) {
            ways = with_emptied(&ways, &siblings);
        }
        for emptied in ways {
            if emptied.is_empty() {
                continue;
            }
            if emptied.len() > self.best_lines().min(self.most_lines()) {
                break;
            }
            let changed = with_shares(self.start, &emptied)?;
            self.fit(&emptied, changed.tree(), portions)?;
        }
        Ok(())
    }

    /// Returns, for each level above a goal about a portion, the nodes that no such goal is about or below of, from the most
    /// shares to the least.
    fn siblings_of_lines(&self, portions: &[Portion]) -> Vec<Vec<NodeId>> {
        let policy = self.start.policy();
        let tree = self.start.tree();
        let mut carrying = BTreeSet::new();
        let mut accounts = BTreeSet::new();
        for portion in portions {
            for &node in &portion.line {
                carrying.insert(node);
                accounts.insert(policy.account_of(tree, node));
            }
        }
        let mut siblings = Vec::with_capacity(accounts.len());
        for account in accounts {
            let mut level = policy.level(tree, account);
            level.retain(|&node| {
                !carrying.contains(&node) && count(tree, node) > 0 && Some(node) != tree.unknown()
            });
            level.sort_by_key(|&node| Reverse(count(tree, node)));
            siblings.push(level);
        }
        siblings
    }

    /// Tries changes with those by which portions come into their bounds then, by the shares of a node of each line.
    fn fit(
        &mut self,
        emptied: &Changes,
        changed: &Tree,
        portions: &[Portion],
    ) -> Result<(), SolveError> {
        let mut fits: usize = 1;
        for portion in portions {
            fits = fits.saturating_mul(portion.line.len());
        }
        for fit in 0..fits.min(MOST_FITS) {
            let mut left = fit;
            let mut carried = Vec::with_capacity(portions.len());
            for portion in portions {
                let levels = portion.line.len();
                carried.push(CarriedPortion {
                    node: portion.line[left % levels],
                    portion: portion.clone(),
                });
                left /= levels;
            }
            if let Some(further) = self.by_levels(changed, &carried)? {
                let mut changes = emptied.clone();
                changes.extend(further);
                changes.retain(|&node, new| *new != count(self.start.tree(), node));
                self.try_changes(&changes)?;
            }
        }
        Ok(())
    }

    /// Returns whether the goals leave nothing for somebody that has shares: portions that they need are the whole tree
    /// together, with nothing for others on a level.
    pub(super) fn leaves_nothing(&self) -> bool {
        if !self.has_exact_portions() {
            return false;
        }
        let tree = self.start.tree();
        let own = self.portions_of_tree();
        let above = tree.order().above();
        // By position, of the members of an account together.
        let mut together = vec![Need::default(); tree.node_count()];
        let mut has_other = vec![false; tree.node_count()];
        for (place, &node) in tree.nodes().iter().enumerate().rev() {
            let mut need = together[place];
            need.is_more |= need.portion > 0.0 && has_other[place];
            if need.portion + NOISE < own[place] {
                need.portion = own[place];
                need.is_more = false;
            }
            if node == NodeId::ROOT {
                return need.is_more && need.portion + NOISE >= 1.0;
            }
            let account = above[place] as usize;
            together[account].portion += need.portion;
            together[account].is_more |= need.is_more;
            has_other[account] |= need.portion <= 0.0 && count(tree, node) > 0;
        }
        false
    }

    /// Returns whether each level is the children of its account, all with shares, and portions have all digits.
    fn has_exact_portions(&self) -> bool {
        let policy = self.start.policy();
        let tree = self.start.tree();
        for aim in &self.aims {
            // What was used is rounded to 32 bits by PBS.
            if matches!(aim, Aim::Standing { .. }) && policy.digits() < 9 {
                return false;
            }
        }
        for &node in &tree.nodes()[1..] {
            let parent = tree.parent(node).unwrap_or(NodeId::ROOT);
            if policy.account_of(tree, node) != parent || tree.shares(node).count().is_none() {
                return false;
            }
        }
        true
    }

    /// Returns what goals need of the whole tree for each node, by position.
    fn portions_of_tree(&self) -> Vec<f64> {
        let tree = self.start.tree();
        let mut own = vec![0.0_f64; tree.node_count()];
        for Portion { bounds, line } in self.portions() {
            let Some(&node) = line.last() else {
                continue;
            };
            // Others are portions of a level.
            if line.len() == tree.line(node).len()
                && let Some(place) = tree.order().position(node)
            {
                own[place] = own[place].max(bounds.least);
            }
        }
        own
    }
}

/// Returns ways in which the largest siblings of a level are left without shares too, few of them or all, and those with the
/// fewest of all first.
fn with_emptied(ways: &[Changes], siblings: &[NodeId]) -> Vec<Changes> {
    let few = siblings.len().min(MOST_OF_LEVEL);
    let mut counts: Vec<usize> = (0..=few).collect();
    if siblings.len() > few && siblings.len() <= MOST_OF_WHOLE {
        counts.push(siblings.len());
    }
    let mut further = Vec::with_capacity(ways.len() * counts.len());
    for way in ways {
        for &count in &counts {
            let mut emptied = way.clone();
            for &node in &siblings[..count] {
                emptied.insert(node, 0);
            }
            further.push(emptied);
        }
    }
    further.sort_by_key(Changes::len);
    further.truncate(MOST_WAYS);
    further
}
