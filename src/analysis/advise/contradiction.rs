//! Goals that contradict each other: when that is proven, the smallest set of them, and how near each of them comes.

use super::goal::Aim;
use super::outcome::{GoalValue, share_before, value};
use super::search::{Search, with_shares};
use crate::analysis::solve::{Goal, SolveError};
use crate::model::NodeId;
use std::collections::BTreeMap;

/// The most sets of goals of one size that are tried.
const MOST_SETS: usize = 400;

/// The steps of the search for how near a goal comes.
const STEPS: usize = 16;

/// How much more than all portions have to be together to be too much beyond all rounding.
const ROUNDING: f64 = 1e-6;

/// The parts of the time after which the search for all goals ends, that for the smallest set, and that for how near they come.
pub(super) const ENDS: [f64; 3] = [0.7, 0.9, 1.0];

/// Goals that do not hold together, by place.
pub(super) struct Conflict {
    pub(super) set: Vec<usize>,
    /// Whether no shares keep them.
    pub(super) is_proven: bool,
}

impl Search<'_> {
    /// Returns the fewest goals that do not hold together, of goals for which nothing was found, or as few as are found in time.
    pub(super) fn conflict(
        &mut self,
        aims: &[Aim],
        is_proven: bool,
    ) -> Result<Conflict, SolveError> {
        let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
        for _ in 0..aims.len() {
            let larger = |set: &Vec<usize>| {
                let (set, first) = (set.clone(), set.last().map_or(0, |last| last + 1));
                (first..aims.len()).map(move |next| [&set[..], &[next]].concat())
            };
            sets = sets.iter().flat_map(larger).collect();
            if sets.len() > MOST_SETS {
                break;
            }
            let count = sets.len() * aims.len();
            for set in &sets {
                let aims: Vec<Aim> = set.iter().map(|&it| aims[it]).collect();
                let until = self.slice(ENDS[1], count);
                let found = self.propose(&aims, until)?;
                if found.changes.is_none() && found.is_proven {
                    let (set, is_proven) = (set.clone(), true);
                    return Ok(Conflict { set, is_proven });
                }
            }
        }
        // Each goal is left out without which nothing is found either.
        let mut conflict = Conflict {
            set: (0..aims.len()).collect(),
            is_proven,
        };
        for place in (0..aims.len()).rev() {
            let until = self.slice(ENDS[1], place + 1);
            let found = self.propose(&others(aims, &conflict.set, place), until)?;
            if found.changes.is_none() && (found.is_proven || !conflict.is_proven) {
                conflict.set.retain(|&it| it != place);
                conflict.is_proven |= found.is_proven;
            }
        }
        Ok(conflict)
    }

    /// Returns the end of a search that is one of so many until a part of the time is over.
    fn slice(&mut self, until: f64, count: usize) -> f64 {
        let now = self.now();
        now + (until - now).max(0.0) / count.max(1) as f64
    }

    /// Returns how near one goal of a set comes to holding, while the others of it hold. `None` if nothing is known.
    pub(super) fn nearest(
        &mut self,
        aims: &[Aim],
        set: &[usize],
        place: usize,
    ) -> Result<Option<GoalValue>, SolveError> {
        let (aim, mut others) = (aims[place], others(aims, set, place));
        let until = self.slice(ENDS[2], STEPS * set.len());
        let mut possible = self.propose(&others, until)?.changes;
        let (mut least, mut most) = (0.0, 1.0);
        for _ in 0..STEPS {
            let part = f64::midpoint(least, most);
            let Some(eased) = aim.eased(part) else {
                break;
            };
            others.push(eased);
            let until = self.slice(ENDS[2], STEPS * set.len());
            match self.propose(&others, until)?.changes {
                Some(changes) => (most, possible) = (part, Some(changes)),
                None => least = part,
            }
            others.pop();
        }
        let value = |changes| Ok(value(aim, self.start, &with_shares(self.start, &changes)?));
        possible.map(value).transpose()
    }

    /// Returns whether it is proven that no shares keep the goals: portions that are needed are more than the whole together, a
    /// level needs two sums, or two nodes have to be ahead of each other.
    pub(super) fn is_impossible(&self) -> bool {
        let (start, tree) = (self.start, self.start.tree());
        let policy = start.policy();
        // By position, what a node needs of the tree at least, and of its level.
        let mut of_tree = vec![0.0_f64; tree.node_count()];
        let mut of_level = of_tree.clone();
        let mut most = vec![f64::INFINITY; tree.node_count()];
        let (mut sums, mut has_two_sums) = (BTreeMap::<NodeId, i64>::new(), false);
        for aim in &self.aims {
            let node = aim.named().first().copied();
            let place = node
                .and_then(|node| tree.order().position(node))
                .unwrap_or(0);
            match *aim {
                Aim::Share { bounds, .. } => {
                    of_tree[place] = of_tree[place].max(bounds[0]);
                    most[place] = most[place].min(bounds[1]);
                }
                Aim::Keep {
                    node: Some(node),
                    kept,
                } => {
                    of_tree[place] = of_tree[place].max(share_before(start, node) * kept);
                }
                Aim::Standing {
                    node,
                    goal: Goal::OnTarget,
                } => {
                    let used = start.target(node).map_or(0.0, |target| target.used);
                    let needed = if policy.counts_by_level() {
                        &mut of_level
                    } else {
                        &mut of_tree
                    };
                    needed[place] = needed[place].max(used);
                }
                Aim::Standing {
                    node,
                    goal: Goal::AheadOf(other),
                } => {
                    let goal = Goal::AheadOf(node);
                    if self.aims.contains(&Aim::Standing { node: other, goal }) {
                        return true;
                    }
                }
                Aim::Total { account, sum } => {
                    let other = sums.insert(account, sum);
                    has_two_sums |= other.is_some_and(|other| other != sum);
                }
                _ => {}
            }
        }
        if has_two_sums {
            return true;
        }
        // By position, what those on an account's level need together, of the tree and of the level.
        let mut together = vec![[0.0_f64; 2]; tree.node_count()];
        for (place, &node) in tree.nodes().iter().enumerate().rev() {
            let needed = of_tree[place].max(together[place][0]);
            let portion = needed.max(of_level[place]);
            if needed > most[place] + ROUNDING || together[place][1] > 1.0 + ROUNDING {
                return true;
            }
            let account = policy.account_of(tree, node);
            let is_top = account == NodeId::ROOT && node != NodeId::ROOT;
            if is_top && portion > most[place] + ROUNDING {
                return true;
            }
            let above = tree
                .order()
                .position(account)
                .filter(|_| node != NodeId::ROOT);
            if let Some(above) = above.filter(|_| tree.shares(node).count().is_some()) {
                together[above][0] += needed;
                together[above][1] += portion;
            }
        }
        false
    }
}

/// Returns the goals of a set without one of them.
fn others(aims: &[Aim], set: &[usize], place: usize) -> Vec<Aim> {
    let others = set.iter().filter(|&&it| it != place);
    others.map(|&it| aims[it]).collect()
}
