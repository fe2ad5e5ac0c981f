//! Goals about portions: level by level, in the ways in which the levels above a node can carry them; and how few lines can
//! do at all.

use super::bounds::{Bounds, ShareRange};
use super::changes::{Changes, Draft, count};
use super::goal::Aim;
use super::level::{Level, Sibling, UNREAD};
use super::outcome::{share_before, sum_before};
use super::search::{MOST_SHARES, Search};
use crate::analysis::solve::{Goal, SolveError};
use crate::model::{Kind, NodeId, Shares, Tree};
use crate::rules::policy::Policy;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The most ways in which goals that depend on several levels are spread over these.
const MOST_WAYS: usize = 512;

/// The parts of the way to a goal that the accounts above a node make, where several levels change.
const PARTS: [f64; 4] = [0.0, 0.5, 0.25, 0.75];

/// The bounds of a portion of the tree or of a level.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Portion {
    pub(super) bounds: Bounds,
    /// The nodes whose shares decide it, from the top level down.
    pub(super) line: Vec<NodeId>,
}

impl Portion {
    /// Returns in how many ways the levels of its line can carry it.
    fn ways(&self) -> usize {
        match self.line.len() {
            1 => 1,
            levels => levels * PARTS.len(),
        }
    }
}

/// A portion, and the node of its line whose shares bring it into its bounds.
pub(super) struct CarriedPortion {
    pub(super) node: NodeId,
    pub(super) portion: Portion,
}

/// The bounds of nodes' portions of a level.
type Limits = BTreeMap<NodeId, Bounds>;

/// A level, and its nodes by place.
struct Siblings {
    nodes: Vec<NodeId>,
    level: Level,
}

impl Search<'_> {
    /// Tries the goals about portions in all ways in which the levels above a node can carry them, and returns the changes
    /// with which other goals do not hold, no change among them.
    pub(super) fn by_ways(&mut self, portions: &[Portion]) -> Result<Vec<Changes>, SolveError> {
        let mut ways: usize = 1;
        for portion in portions {
            ways = ways.saturating_mul(portion.ways());
        }
        let most_lines = self.most_lines();
        let mut seeds = vec![Changes::new()];
        for way in 0..ways.min(MOST_WAYS) {
            let carried = self.carried(portions, way);
            let Some(changes) = self.by_levels(self.start.tree(), &carried)? else {
                continue;
            };
            // With more lines than a goal allows, the fewest are too many.
            if !self.try_changes(&changes)?
                && changes.len() <= most_lines
                && !seeds.contains(&changes)
            {
                seeds.push(changes);
            }
        }
        Ok(seeds)
    }

    /// Returns which nodes carry portions in one of the ways.
    fn carried(&self, portions: &[Portion], way: usize) -> Vec<CarriedPortion> {
        let mut left = way;
        let mut carried = Vec::new();
        for portion in portions {
            let choice = left % portion.ways();
            left /= portion.ways();
            let levels = portion.line.len();
            let part = PARTS[choice / levels];
            let place = levels - 1 - choice % levels;
            if part > 0.0 {
                carried.extend(self.parts_above(portion, place, part));
            }
            carried.push(CarriedPortion {
                node: portion.line[place],
                portion: portion.clone(),
            });
        }
        carried
    }

    /// Returns the portions of the levels above a place of a line that make a part of the way to a goal.
    fn parts_above(&self, portion: &Portion, place: usize, part: f64) -> Vec<CarriedPortion> {
        let mut draft = Draft::of(self.start.policy(), self.start.tree());
        let mut of_tree = 1.0;
        for &node in &portion.line {
            of_tree *= draft.portion(node);
        }
        let mut parts = Vec::new();
        for &node in &portion.line[..place] {
            let present = draft.portion(node);
            let bounds = if of_tree < portion.bounds.least {
                Bounds::at_least(present.powf(1.0 - part))
            } else {
                Bounds {
                    least: 0.0,
                    most: present * (1.0 - part),
                }
            };
            let line = vec![node];
            let portion = Portion { bounds, line };
            parts.push(CarriedPortion { node, portion });
        }
        parts
    }

    /// Returns the portions that the goals are about.
    pub(super) fn portions(&self) -> Vec<Portion> {
        let mut portions = Vec::new();
        for &aim in &self.aims {
            portions.extend(self.portion_of(aim));
        }
        portions
    }

    /// Returns the portion that a goal is about. `None` if it is about something else, or no shares decide it.
    fn portion_of(&self, aim: Aim) -> Option<Portion> {
        let start = self.start;
        let tree = start.tree();
        let (node, bounds) = match aim {
            Aim::Share { node, bounds, .. } => (node, bounds),
            Aim::Keep { node, kept } => {
                let node = node?;
                let least = share_before(start, node) * kept;
                (node, Bounds::at_least(least))
            }
            Aim::Standing {
                node,
                goal: Goal::OnTarget,
            } => {
                let used = start.target(node)?.used;
                (node, Bounds::at_least(used))
            }
            _ => return None,
        };
        let is_of_level = matches!(aim, Aim::Standing { .. }) && start.policy().counts_by_level();
        let mut line = if is_of_level {
            vec![node]
        } else {
            tree.line(node)
        };
        line.retain(|&node| tree.shares(node).count().is_some());
        (!line.is_empty()).then_some(Portion { bounds, line })
    }

    /// Returns the fewest changes if each portion is brought into its bounds by the shares of one node. `None` if a level
    /// has no such shares.
    pub(super) fn by_levels(
        &mut self,
        tree: &Tree,
        carried: &[CarriedPortion],
    ) -> Result<Option<Changes>, SolveError> {
        let policy = self.start.policy();
        let mut accounts = Vec::from_iter(self.accounts());
        let mut members: BTreeMap<NodeId, Vec<&CarriedPortion>> = BTreeMap::new();
        for carried in carried {
            let account = policy.account_of(tree, carried.node);
            accounts.push(account);
            members.entry(account).or_default().push(carried);
        }
        accounts.sort_by_key(|&account| tree.order().position(account));
        accounts.dedup();
        let mut draft = Draft::of(policy, tree);
        for account in accounts {
            let mut limits = Limits::new();
            for member in members.remove(&account).unwrap_or_default() {
                let bounds = bounds_of_level(&mut draft, member);
                narrow(&mut limits, member.node, bounds);
            }
            let Some(Siblings { nodes, level }) = self.siblings(tree, account, limits) else {
                return Ok(None);
            };
            let Some(shares) = level.best(&mut || self.tick())? else {
                return Ok(None);
            };
            draft.set_level(account, &nodes, &shares);
        }
        Ok(Some(draft.into_changes()))
    }

    /// Returns an account's level, where some nodes have limits. `None` if it has more shares than can be searched.
    fn siblings(&self, tree: &Tree, account: NodeId, limits: Limits) -> Option<Siblings> {
        let policy = self.start.policy();
        let members = policy.level(tree, account);
        let mut fixed = 0;
        let mut rest = Vec::new();
        // A total is of the account's children, and the level has those below a sibling with `parent` too.
        let mut below = 0;
        for &node in &members {
            if Some(node) != tree.unknown() && !limits.contains_key(&node) {
                rest.push(node);
            }
            if tree.parent(node) != Some(account) {
                below += count(tree, node);
            }
        }
        rest.sort_by_key(|&node| Reverse(count(tree, node)));
        if let Some(unknown) = tree.unknown()
            && policy.account_of(tree, unknown) == account
        {
            fixed = count(tree, unknown);
        }
        let goals = self.named();
        let mut level = Level {
            fixed,
            sum: self.total_of(account).map(|sum| sum + fixed + below),
            most_sum: self.most_sum(account),
            range: ShareRange {
                least: self.least(&members),
                most: self.range.most,
            },
            ..Level::default()
        };
        let mut nodes = Vec::with_capacity(limits.len() + rest.len());
        for (node, bounds) in limits {
            nodes.push(node);
            level.named.push(Sibling {
                shares: count(tree, node),
                bounds,
                is_named: goals.contains(&node),
            });
        }
        for node in rest {
            nodes.push(node);
            level.rest.push(count(tree, node));
        }
        let most = level.before().into_iter().max();
        (most <= Some(MOST_SHARES)).then_some(Siblings { nodes, level })
    }

    /// Returns what the shares of an account's children have to add up to. `None` if no goal says it.
    fn total_of(&self, account: NodeId) -> Option<i64> {
        for aim in &self.aims {
            if let Aim::Total { account: of, sum } = *aim
                && of == account
            {
                return Some(sum);
            }
        }
        None
    }

    /// Returns the largest sum of an account's level with which all that are not edited keep their shares of it. `None` if no
    /// goal asks for that, or the account is new.
    fn most_sum(&self, account: NodeId) -> Option<i64> {
        for aim in &self.aims {
            if let Aim::Keep { node: None, kept } = *aim {
                let sum = sum_before(self.start, account)?;
                return Some((sum as f64 / (kept - UNREAD)) as i64);
            }
        }
        None
    }

    /// Returns whether the cheapest changes level by level are the cheapest of all: each goal is about the sum of a level, or
    /// about portions of one.
    pub(super) fn is_by_level(&self, portions: &[Portion]) -> bool {
        let accounts = self.levels(portions);
        let keeps_tops = accounts.iter().all(|&account| self.keeps_top(account));
        for aim in &self.aims {
            let is_simple = match aim {
                Aim::Standing { goal, .. } => *goal == Goal::OnTarget,
                // Below another account, what that gains makes up for what its members lose.
                Aim::Keep { node: None, .. } => keeps_tops,
                _ => true,
            };
            if !is_simple {
                return false;
            }
        }
        for account in accounts {
            if !has_only_children(self.start.policy(), self.start.tree(), account) {
                return false;
            }
        }
        portions.iter().all(|portion| portion.line.len() == 1)
    }

    /// Returns the accounts whose levels decide about goals.
    fn levels(&self, portions: &[Portion]) -> BTreeSet<NodeId> {
        let policy = self.start.policy();
        let mut accounts = self.accounts();
        for portion in portions {
            for &node in &portion.line {
                accounts.insert(policy.account_of(self.start.tree(), node));
            }
        }
        accounts
    }

    /// Returns whether an account is the root, and nobody on its level was edited yet.
    fn keeps_top(&self, account: NodeId) -> bool {
        if account != NodeId::ROOT {
            return false;
        }
        let tree = self.start.tree();
        let base = &self.start.base().tree;
        for node in self.start.policy().level(tree, account) {
            if !base.contains(node) || base.shares(node) != tree.shares(node) {
                return false;
            }
        }
        true
    }

    /// Returns a number of lines with fewer of which the goals do not hold, at least 1. `None` if it is proven that no shares
    /// keep them: portions that are needed are more than the whole, or a level cannot have what it needs.
    ///
    /// Goals about ranks, and what goals about several levels ask beyond each of these, are left out: they only need more.
    pub(super) fn fewest_lines(&self) -> Option<usize> {
        if self.is_impossible() {
            return None;
        }
        let policy = self.start.policy();
        let tree = self.start.tree();
        let portions = self.portions();
        let mut limits = self.limits(&portions);
        // PBS computes with 32 bits.
        let slack = if policy.digits() < 9 { 1e-6 } else { 1e-13 };
        let mut lines = 0;
        for account in self.levels(&portions) {
            if !has_only_children(policy, tree, account) {
                continue;
            }
            let of_level = limits.remove(&account).unwrap_or_default();
            let Some(Siblings { mut level, .. }) = self.siblings(tree, account, of_level) else {
                continue;
            };
            if !self.keeps_top(account) {
                level.most_sum = None;
            }
            level.range.most = Shares::most(self.start.settings().scheduler);
            lines += level.fewest_lines(slack)?;
        }
        (lines <= self.most_lines()).then_some(lines.max(1))
    }

    /// Returns what portions ask of each node of their lines, by account.
    fn limits(&self, portions: &[Portion]) -> BTreeMap<NodeId, Limits> {
        let policy = self.start.policy();
        let mut limits: BTreeMap<NodeId, Limits> = BTreeMap::new();
        for Portion { bounds, line } in portions {
            for &node in line {
                let mut of_level = *bounds;
                if line.len() > 1 {
                    // A portion of the whole tree is at most that of each level.
                    of_level.most = f64::INFINITY;
                }
                let account = policy.account_of(self.start.tree(), node);
                narrow(limits.entry(account).or_default(), node, of_level);
            }
        }
        limits
    }

    /// Returns the fewest shares that each of some nodes can be given: Flux has no banks without shares.
    fn least(&self, nodes: &[NodeId]) -> i64 {
        let tree = self.start.tree();
        let has_banks = self.start.policy() == Policy::Flux
            && nodes.iter().any(|&node| tree.kind(node) == Kind::Account);
        self.range.least.max(i64::from(has_banks))
    }
}

/// Narrows the limits of a node.
fn narrow(limits: &mut Limits, node: NodeId, bounds: Bounds) {
    limits.entry(node).or_insert(Bounds::ALL).narrow(bounds);
}

/// Returns whether an account's level is its children, and all of them have shares of their own.
fn has_only_children(policy: Policy, tree: &Tree, account: NodeId) -> bool {
    let children: Vec<NodeId> = tree.children(account).collect();
    policy.level(tree, account) == children
}

/// Returns the bounds of its level that a portion leaves to the node that carries it.
fn bounds_of_level(draft: &mut Draft, carried: &CarriedPortion) -> Bounds {
    let mut others = 1.0;
    for &node in &carried.portion.line {
        if node != carried.node {
            others *= draft.portion(node);
        }
    }
    let Bounds { least, most } = carried.portion.bounds;
    Bounds {
        least: least / others,
        most: most / others,
    }
}
