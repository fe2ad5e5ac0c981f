//! Goals that contradict each other: when that is proven, the smallest set of them, and how near each of them comes.

use super::changes::with_shares;
use super::goal::Aim;
use super::outcome::{GoalValue, share_before, value};
use super::search::Search;
use crate::analysis::solve::{Goal, SolveError};
use crate::model::NodeId;
use std::collections::BTreeMap;

/// The most sets of goals of one size that are tried.
const MOST_SETS: usize = 400;

/// The steps of the search for how near a goal comes.
const STEPS: usize = 16;

/// How much more than all portions have to be together to be too much beyond all rounding.
const ROUNDING: f64 = 1e-6;

/// The part of the time after which the search for all goals ends.
pub(super) const END_OF_SEARCH: f64 = 0.7;

/// The part of the time after which the search for the smallest set of goals ends.
const END_OF_SETS: f64 = 0.9;

/// The part of the time after which the search for how near goals come ends.
const END_OF_NEAREST: f64 = 1.0;

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
        for _ in aims {
            sets = larger_sets(&sets, aims.len());
            if sets.len() > MOST_SETS {
                break;
            }
            let count = sets.len() * aims.len();
            for set in &sets {
                let until = self.slice(END_OF_SETS, count);
                let found = self.propose(&of_places(aims, set), until)?;
                if found.changes.is_none() && found.is_proven {
                    return Ok(Conflict {
                        set: set.clone(),
                        is_proven: true,
                    });
                }
            }
        }
        // Each goal is left out without which nothing is found either.
        let mut conflict = Conflict {
            set: (0..aims.len()).collect(),
            is_proven,
        };
        for place in (0..aims.len()).rev() {
            let until = self.slice(END_OF_SETS, place + 1);
            let others = without(&conflict.set, place);
            let found = self.propose(&of_places(aims, &others), until)?;
            if found.changes.is_none() && (found.is_proven || !conflict.is_proven) {
                conflict.set = others;
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
        let aim = aims[place];
        let mut others = of_places(aims, &without(set, place));
        let until = self.slice(END_OF_NEAREST, STEPS * set.len());
        let mut possible = self.propose(&others, until)?.changes;
        let mut least = 0.0;
        let mut most = 1.0;
        for _ in 0..STEPS {
            let part = f64::midpoint(least, most);
            let Some(eased) = aim.eased(part) else {
                break;
            };
            others.push(eased);
            let until = self.slice(END_OF_NEAREST, STEPS * set.len());
            let found = self.propose(&others, until)?;
            if found.changes.is_some() {
                most = part;
                possible = found.changes;
            } else {
                least = part;
            }
            others.pop();
        }
        let Some(changes) = possible else {
            return Ok(None);
        };
        let nearest = with_shares(self.start, &changes)?;
        Ok(Some(value(aim, self.start, &nearest)))
    }

    /// Returns whether it is proven that no shares keep the goals: portions that are needed are more than the whole together, a
    /// level needs two sums, or two nodes have to be ahead of each other.
    pub(super) fn is_impossible(&self) -> bool {
        if self.contradicts_itself() {
            return true;
        }
        let policy = self.start.policy();
        let tree = self.start.tree();
        let needs = self.needs();
        // By position, what those on an account's level need together, of the tree and of the level.
        let mut of_tree = vec![0.0_f64; tree.node_count()];
        let mut of_level = vec![0.0_f64; tree.node_count()];
        for (place, &node) in tree.nodes().iter().enumerate().rev() {
            let need = needs[place];
            let needed = need.of_tree.max(of_tree[place]);
            let portion = needed.max(need.of_level);
            let most = need.most + ROUNDING;
            if needed > most || of_level[place] > 1.0 + ROUNDING {
                return true;
            }
            if node == NodeId::ROOT {
                continue;
            }
            let account = policy.account_of(tree, node);
            if account == NodeId::ROOT && portion > most {
                return true;
            }
            if tree.shares(node).count().is_some()
                && let Some(above) = tree.order().position(account)
            {
                of_tree[above] += needed;
                of_level[above] += portion;
            }
        }
        false
    }

    /// Returns whether two goals ask for different sums of a level, or each for one of two nodes to be ahead of the other.
    fn contradicts_itself(&self) -> bool {
        let mut sums = BTreeMap::new();
        for aim in &self.aims {
            match *aim {
                Aim::Standing {
                    node,
                    goal: Goal::AheadOf(other),
                } => {
                    let reverse = Aim::Standing {
                        node: other,
                        goal: Goal::AheadOf(node),
                    };
                    if self.aims.contains(&reverse) {
                        return true;
                    }
                }
                Aim::Total { account, sum } if *sums.entry(account).or_insert(sum) != sum => {
                    return true;
                }
                _ => {}
            }
        }
        false
    }

    /// Returns what the goals ask for each node, by position.
    fn needs(&self) -> Vec<Need> {
        let start = self.start;
        let mut needs = vec![Need::NOTHING; start.tree().node_count()];
        for aim in &self.aims {
            let Some(&node) = aim.named().first() else {
                continue;
            };
            let place = start.tree().order().position(node).unwrap_or(0);
            let need = &mut needs[place];
            match *aim {
                Aim::Share { bounds, .. } => {
                    need.of_tree = need.of_tree.max(bounds.least);
                    need.most = need.most.min(bounds.most);
                }
                Aim::Keep { kept, .. } => {
                    need.of_tree = need.of_tree.max(share_before(start, node) * kept);
                }
                Aim::Standing {
                    goal: Goal::OnTarget,
                    ..
                } => {
                    let Some(target) = start.target(node) else {
                        continue;
                    };
                    let needed = if start.policy().counts_by_level() {
                        &mut need.of_level
                    } else {
                        &mut need.of_tree
                    };
                    *needed = needed.max(target.used);
                }
                _ => {}
            }
        }
        needs
    }
}

/// What goals ask for a node.
#[derive(Clone, Copy)]
struct Need {
    /// The least portion of the tree.
    of_tree: f64,
    /// The least portion of its level.
    of_level: f64,
    /// The largest portion of the tree.
    most: f64,
}

impl Need {
    /// What is asked for a node that no goal is about.
    const NOTHING: Self = Self {
        of_tree: 0.0,
        of_level: 0.0,
        most: f64::INFINITY,
    };
}

/// Returns sets of places with each larger place added to each.
fn larger_sets(sets: &[Vec<usize>], count: usize) -> Vec<Vec<usize>> {
    let mut larger = Vec::new();
    for set in sets {
        let first = match set.last() {
            Some(last) => last + 1,
            None => 0,
        };
        for next in first..count {
            let mut with_next = set.clone();
            with_next.push(next);
            larger.push(with_next);
        }
    }
    larger
}

/// Returns a set without one place.
fn without(set: &[usize], place: usize) -> Vec<usize> {
    let mut others = set.to_vec();
    others.retain(|&other| other != place);
    others
}

/// Returns the goals at places.
fn of_places(aims: &[Aim], set: &[usize]) -> Vec<Aim> {
    set.iter().map(|&place| aims[place]).collect()
}
