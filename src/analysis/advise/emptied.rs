//! Proposals that leave siblings without shares, so that the others on their level divide all of it.

use super::goal::Aim;
use super::portions::Portion;
use super::search::{Changes, Search, count, with_shares};
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

    fn empty_in_time(&mut self, portions: &[Portion]) -> Result<(), SolveError> {
        let mut ways = vec![Changes::new()];
        for siblings in self.siblings_of_lines(portions) {
            let mut further = Vec::new();
            for way in &ways {
                let few = 0..=siblings.len().min(MOST_OF_LEVEL);
                let is_whole = !few.contains(&siblings.len()) && siblings.len() <= MOST_OF_WHOLE;
                for emptied in few.chain(is_whole.then_some(siblings.len())) {
                    let mut way = way.clone();
                    way.extend(siblings[..emptied].iter().map(|&node| (node, 0)));
                    further.push(way);
                }
            }
            further.sort_by_key(Changes::len);
            further.truncate(MOST_WAYS);
            ways = further;
        }
        for emptied in ways.iter().filter(|way| !way.is_empty()) {
            let best = self.best.as_ref().map_or(usize::MAX, |best| best.0.0);
            if emptied.len() > best.min(self.most_lines()) {
                break;
            }
            let changed = with_shares(self.start, emptied)?;
            self.fit(emptied, changed.tree(), portions)?;
        }
        Ok(())
    }

    /// Returns, for each level above a goal about a portion, the nodes that no such goal is about or below of, from the most
    /// shares to the least.
    fn siblings_of_lines(&self, portions: &[Portion]) -> Vec<Vec<NodeId>> {
        let (policy, tree) = (self.start.policy(), self.start.tree());
        let carrying: BTreeSet<NodeId> = portions
            .iter()
            .flat_map(|(_, line)| line)
            .copied()
            .collect();
        let accounts: BTreeSet<NodeId> = carrying
            .iter()
            .map(|&node| policy.account_of(tree, node))
            .collect();
        let siblings = accounts.into_iter().map(|account| {
            let mut level = policy.level(tree, account);
            level.retain(|&node| {
                !carrying.contains(&node) && count(tree, node) > 0 && Some(node) != tree.unknown()
            });
            level.sort_by_key(|&node| Reverse(count(tree, node)));
            level
        });
        siblings.collect()
    }

    /// Tries changes with those by which portions come into their bounds then, by the shares of a node of each line.
    fn fit(
        &mut self,
        emptied: &Changes,
        changed: &Tree,
        portions: &[Portion],
    ) -> Result<(), SolveError> {
        let choices = portions.iter().map(|(_, line)| line.len());
        let fits = choices.fold(1, usize::saturating_mul);
        for fit in 0..fits.min(MOST_FITS) {
            let (mut left, mut carried) = (fit, Vec::new());
            for portion in portions {
                let line = &portion.1;
                carried.push((line[left % line.len()], portion.clone()));
                left /= line.len();
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
        let (policy, tree) = (self.start.policy(), self.start.tree());
        let order = tree.order();
        let has_children_only = |&node: &NodeId| {
            node == NodeId::ROOT
                || policy.account_of(tree, node) == tree.parent(node).unwrap_or(NodeId::ROOT)
                    && tree.shares(node).count().is_some()
        };
        // What was used is rounded to 32 bits by PBS.
        let is_rounded = |aim: &Aim| matches!(aim, Aim::Standing { .. }) && policy.digits() < 9;
        if !tree.nodes().iter().all(has_children_only) || self.aims.iter().any(is_rounded) {
            return false;
        }
        let mut own = vec![0.0_f64; tree.node_count()];
        for ([least, _], line) in self.portions() {
            let Some(&node) = line.last() else {
                continue;
            };
            // Others are portions of a level.
            let is_of_tree = line.len() == tree.line(node).len();
            if let Some(place) = order.position(node).filter(|_| is_of_tree) {
                own[place] = own[place].max(least);
            }
        }
        let above = order.above();
        // By position, of the members of an account together.
        let mut together = vec![Need::default(); tree.node_count()];
        let mut has_other = vec![false; tree.node_count()];
        for (place, &node) in tree.nodes().iter().enumerate().rev() {
            let members = together[place];
            let is_more = members.is_more || members.portion > 0.0 && has_other[place];
            let need = if members.portion + NOISE < own[place] {
                Need {
                    portion: own[place],
                    is_more: false,
                }
            } else {
                Need { is_more, ..members }
            };
            if node == NodeId::ROOT {
                return need.is_more && need.portion + NOISE >= 1.0;
            }
            let above = above[place] as usize;
            together[above].portion += need.portion;
            together[above].is_more |= need.is_more;
            has_other[above] |= need.portion <= 0.0 && count(tree, node) > 0;
        }
        false
    }
}
