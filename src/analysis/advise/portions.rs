//! Goals about portions: level by level, in the ways in which the levels above a node can carry them; and how few lines can
//! do at all.

use super::goal::Aim;
use super::level::{Level, Sibling, UNREAD};
use super::outcome::{share_before, sum_before, sum_of};
use super::search::{Changes, MOST_SHARES, Search, count, until_then};
use crate::analysis::solve::{Goal, SolveError};
use crate::model::{Kind, NodeId, Shares, Tree};
use crate::rules::policy::Policy;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The most ways in which goals that depend on several levels are spread over these.
const MOST_WAYS: usize = 512;

/// The parts of the way to a goal that the accounts above a node make, where several levels change.
const PARTS: [f64; 4] = [0.0, 0.5, 0.25, 0.75];

/// The bounds of a portion of the tree or of a level, and the nodes whose shares decide it, from the top level down.
pub(super) type Portion = ([f64; 2], Vec<NodeId>);

/// The bounds of nodes' portions of a level.
type Limits = BTreeMap<NodeId, [f64; 2]>;

/// A level, and its nodes in the order of its shares.
struct Siblings {
    nodes: Vec<NodeId>,
    level: Level,
}

impl Search<'_> {
    /// Tries the goals about portions in all ways in which the levels above a node can carry them, and returns the changes
    /// with which other goals do not hold, no change among them.
    pub(super) fn by_ways(&mut self, portions: &[Portion]) -> Result<Vec<Changes>, SolveError> {
        let choices = portions.iter().map(|(_, line)| match line.len() {
            1 => 1,
            levels => levels * PARTS.len(),
        });
        let choices: Vec<usize> = choices.collect();
        let count = choices.iter().copied().fold(1, usize::saturating_mul);
        let most_lines = self.most_lines();
        let mut seeds = vec![Changes::new()];
        for way in 0..count.min(MOST_WAYS) {
            let (mut left, mut carried) = (way, Vec::new());
            for (portion, choices) in portions.iter().zip(&choices) {
                let (levels, choice) = (portion.1.len(), left % choices);
                left /= choices;
                let part = PARTS[choice / levels];
                let place = levels - 1 - choice % levels;
                carried.extend(self.parts_above(portion, place, part));
                carried.push((portion.1[place], portion.clone()));
            }
            // With more lines than a goal allows, the fewest are too many.
            if let Some(changes) = self.by_levels(self.start.tree(), &carried)?
                && !self.try_changes(&changes)?
                && changes.len() <= most_lines
                && !seeds.contains(&changes)
            {
                seeds.push(changes);
            }
        }
        Ok(seeds)
    }

    /// Returns the bounds of the levels above a node that make a part of the way to a goal about its portion.
    fn parts_above(&self, portion: &Portion, place: usize, part: f64) -> Vec<(NodeId, Portion)> {
        let none = Changes::new();
        let ([least, _], line) = portion;
        let (policy, tree) = (self.start.policy(), self.start.tree());
        let present = |node| portion_with(policy, tree, &none, &mut BTreeMap::new(), node);
        let is_less = line.iter().map(|&node| present(node)).product::<f64>() < *least;
        let bounds = |node| {
            let portion = present(node);
            let bounds = if is_less {
                [portion.powf(1.0 - part), f64::INFINITY]
            } else {
                [0.0, portion * (1.0 - part)]
            };
            (node, (bounds, vec![node]))
        };
        let above = line[..place].iter().filter(|_| part > 0.0);
        above.map(|&node| bounds(node)).collect()
    }

    /// Returns the portions that the goals are about.
    pub(super) fn portions(&self) -> Vec<Portion> {
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
            (!line.is_empty()).then_some((bounds, line))
        };
        self.aims.iter().filter_map(portion).collect()
    }

    /// Returns the fewest changes if each portion is brought into its bounds by the shares of one node. `None` if a level
    /// has no such shares.
    pub(super) fn by_levels(
        &mut self,
        tree: &Tree,
        carried: &[(NodeId, Portion)],
    ) -> Result<Option<Changes>, SolveError> {
        let start = self.start;
        let policy = start.policy();
        let accounts = carried
            .iter()
            .map(|&(node, _)| policy.account_of(tree, node));
        let mut accounts: Vec<NodeId> = accounts.chain(self.accounts()).collect();
        accounts.sort_by_key(|&account| tree.order().position(account));
        accounts.dedup();
        let mut members: BTreeMap<NodeId, Vec<(NodeId, &Portion)>> = BTreeMap::new();
        for (node, portion) in carried {
            let account = policy.account_of(tree, *node);
            members.entry(account).or_default().push((*node, portion));
        }
        let mut changes = Changes::new();
        let mut level_sums = BTreeMap::new();
        for account in accounts {
            let mut named = Limits::new();
            for (node, (bounds, line)) in members.remove(&account).unwrap_or_default() {
                let others = line.iter().filter(|&&it| it != node);
                let others: f64 = others
                    .map(|&it| portion_with(policy, tree, &changes, &mut level_sums, it))
                    .product();
                limit(&mut named, node, bounds.map(|bound| bound / others));
            }
            let Some(Siblings { nodes, level }) = self.siblings(tree, account, named) else {
                return Ok(None);
            };
            let (tries, spent, until) = (&mut self.tries, &mut self.spent, self.until);
            let found = level.best(&mut || {
                *tries += 1;
                until_then(spent(*tries), until)
            });
            let Some(found) = found? else {
                return Ok(None);
            };
            let found = nodes.into_iter().zip(found);
            let found = found.filter(|&(node, new)| new != count(tree, node));
            let found: Vec<(NodeId, i64)> = found.collect();
            // Levels below ask for the sum of this one.
            let more = found.iter().map(|&(node, new)| new - count(tree, node));
            let more: i64 = more.sum();
            level_sums.insert(account, sum_of(policy, tree, account) + more);
            changes.extend(found);
        }
        Ok(Some(changes))
    }

    /// Returns an account's level, where some nodes have limits. `None` if it has more shares than can be searched.
    fn siblings(&self, tree: &Tree, account: NodeId, named: Limits) -> Option<Siblings> {
        let policy = self.start.policy();
        let unknown = tree
            .unknown()
            .filter(|&unknown| policy.account_of(tree, unknown) == account);
        let all = policy.level(tree, account);
        let is_other = |node: &&NodeId| !named.contains_key(node) && Some(**node) != unknown;
        let mut rest: Vec<NodeId> = all.iter().filter(is_other).copied().collect();
        rest.sort_by_key(|&node| Reverse(count(tree, node)));
        let fixed = unknown.map_or(0, |unknown| count(tree, unknown));
        // A total is of the account's children, and the level has those below a sibling with `parent` too.
        let below = all
            .iter()
            .filter(|&&node| tree.parent(node) != Some(account));
        let below: i64 = below.map(|&node| count(tree, node)).sum();
        let sum = self.aims.iter().find_map(|aim| match *aim {
            Aim::Total { account: of, sum } if of == account => Some(sum + fixed + below),
            _ => None,
        });
        let kept = self.aims.iter().find_map(|aim| match *aim {
            Aim::Keep { node: None, kept } => Some(kept),
            _ => None,
        });
        let kept = kept.zip(sum_before(self.start, account));
        let goals = self.named();
        let siblings = named.iter().map(|(&node, &bounds)| Sibling {
            shares: count(tree, node),
            bounds,
            is_named: goals.contains(&node),
        });
        let level = Level {
            named: siblings.collect(),
            rest: rest.iter().map(|&node| count(tree, node)).collect(),
            fixed,
            sum,
            most_sum: kept.map(|(kept, sum)| (sum as f64 / (kept - UNREAD)) as i64),
            range: [self.least(&all), self.range[1]],
        };
        let nodes: Vec<NodeId> = named.into_keys().chain(rest).collect();
        let most = nodes.iter().map(|&node| count(tree, node)).max();
        (most <= Some(MOST_SHARES)).then_some(Siblings { nodes, level })
    }

    /// Returns whether the cheapest changes level by level are the cheapest of all: each goal is about the sum of a level, or
    /// about portions of one.
    pub(super) fn is_by_level(&self, portions: &[Portion]) -> bool {
        let tree = self.start.tree();
        let is_of_one = |(_, line): &Portion| line.len() == 1;
        let accounts = self.levels(portions);
        let is_simple = |aim: &Aim| match aim {
            Aim::Standing { goal, .. } => *goal == Goal::OnTarget,
            // Below another account, what that gains makes up for what its members lose.
            Aim::Keep { node: None, .. } => accounts.iter().all(|&it| self.keeps_top(it)),
            _ => true,
        };
        accounts
            .iter()
            .all(|&account| has_only_children(self.start.policy(), tree, account))
            && portions.iter().all(is_of_one)
            && self.aims.iter().all(is_simple)
    }

    /// Returns the accounts whose levels decide about goals.
    fn levels(&self, portions: &[Portion]) -> BTreeSet<NodeId> {
        let (policy, tree) = (self.start.policy(), self.start.tree());
        let mut accounts = self.accounts();
        let decisive = portions.iter().flat_map(|(_, line)| line);
        accounts.extend(decisive.map(|&node| policy.account_of(tree, node)));
        accounts
    }

    /// Returns whether an account is the root, and nobody on its level was edited yet.
    fn keeps_top(&self, account: NodeId) -> bool {
        let (tree, base) = (self.start.tree(), &self.start.base().tree);
        let is_kept =
            |&node: &NodeId| base.contains(node) && base.shares(node) == tree.shares(node);
        let level = self.start.policy().level(tree, account);
        account == NodeId::ROOT && level.iter().all(is_kept)
    }

    /// Returns a number of lines with fewer of which the goals do not hold, at least 1. `None` if it is proven that no shares
    /// keep them: portions that are needed are more than the whole, or a level cannot have what it needs.
    ///
    /// Goals about ranks, and what goals about several levels ask beyond each of these, are left out: they only need more.
    pub(super) fn fewest_lines(&self) -> Option<usize> {
        if self.is_impossible() {
            return None;
        }
        let (policy, tree) = (self.start.policy(), self.start.tree());
        let portions = self.portions();
        let mut limits: BTreeMap<NodeId, Limits> = BTreeMap::new();
        for ([least, most], line) in &portions {
            for &node in line {
                // A portion of the whole tree is at most that of each level.
                let most = if line.len() == 1 {
                    *most
                } else {
                    f64::INFINITY
                };
                let account = policy.account_of(tree, node);
                limit(limits.entry(account).or_default(), node, [*least, most]);
            }
        }
        // PBS computes with 32 bits.
        let slack = if policy.digits() < 9 { 1e-6 } else { 1e-13 };
        let mut lines = 0;
        for account in self.levels(&portions) {
            let named = limits.remove(&account).unwrap_or_default();
            if !has_only_children(policy, tree, account) {
                continue;
            }
            let Some(Siblings { mut level, .. }) = self.siblings(tree, account, named) else {
                continue;
            };
            if !self.keeps_top(account) {
                level.most_sum = None;
            }
            level.range[1] = Shares::most(self.start.settings().scheduler);
            lines += level.fewest_lines(slack)?;
        }
        (lines <= self.most_lines()).then_some(lines.max(1))
    }

    /// Returns the fewest shares that each of some nodes can be given: Flux has no banks without shares.
    fn least(&self, nodes: &[NodeId]) -> i64 {
        let (tree, policy) = (self.start.tree(), self.start.policy());
        let is_bank = |node: &NodeId| tree.kind(*node) == Kind::Account;
        let has_banks = policy == Policy::Flux && nodes.iter().any(is_bank);
        self.range[0].max(i64::from(has_banks))
    }
}

/// Narrows the limits of a node.
fn limit(limits: &mut Limits, node: NodeId, [least, most]: [f64; 2]) {
    let both = limits.entry(node).or_insert([0.0, f64::INFINITY]);
    *both = [both[0].max(least), both[1].min(most)];
}

/// Returns whether an account's level is its children, and all of them have shares of their own.
fn has_only_children(policy: Policy, tree: &Tree, account: NodeId) -> bool {
    let children: Vec<NodeId> = tree.children(account).collect();
    policy.level(tree, account) == children
}

/// Returns the portion of its level that a node has with other shares. `level_sums` holds the sums of levels with these, and
/// gets those of levels without changes.
fn portion_with(
    policy: Policy,
    tree: &Tree,
    changes: &Changes,
    level_sums: &mut BTreeMap<NodeId, i64>,
    node: NodeId,
) -> f64 {
    let account = policy.account_of(tree, node);
    let sum = level_sums.entry(account);
    let sum = *sum.or_insert_with(|| sum_of(policy, tree, account));
    let after = changes.get(&node).copied();
    let after = after.unwrap_or_else(|| count(tree, node));
    after as f64 / sum as f64
}
