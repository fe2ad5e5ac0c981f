//! Who loses a part of a target without being edited, and on which level each loss began.

use crate::model::{Kind, NodeId};
use crate::rules::policy::ColumnId;
use crate::scenario::Scenario;

/// How far two losses may differ and still be one that was handed down. PBS's portions have 32 bits.
const ROUNDING: f64 = 1e-6;

/// One level on which targets fell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DilutedLevel {
    /// The account whose children these are.
    pub level: NodeId,
    /// Children that are accounts, were not touched and lost.
    pub accounts: usize,
    /// Children that are users, were not touched and lost.
    pub users: usize,
    /// Whether members that are not listed lost too.
    pub has_unlisted: bool,
    /// Users further down who lost as much as the account above them that is counted here: of their own target, or,
    /// where targets are of the level, of what their level comes to.
    pub users_below: usize,
    /// The smallest loss on the level, as a part of what the node's target was.
    pub least: f64,
    /// The largest loss on the level, likewise.
    pub most: f64,
}

impl DilutedLevel {
    /// Returns how many children lost without being edited.
    pub fn untouched(&self) -> usize {
        self.accounts + self.users
    }
}

/// All losses of targets of unedited nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dilution {
    /// The levels, in tree order.
    pub levels: Vec<DilutedLevel>,
    /// Users that were not edited and lost with their account, which was.
    pub users_with_account: usize,
    /// All users that were not edited and whose target fell.
    pub users: usize,
    /// What is left of the targets of nodes that were not edited.
    left: TargetsLeft,
}

/// What is left of targets, 1 for all of one. What an edited account lost or gained is not counted against its members.
#[derive(Clone, Copy, Debug, PartialEq)]
struct TargetsLeft {
    /// The least; at most 1.
    least: f64,
    /// The most; at least 1.
    most: f64,
}

impl TargetsLeft {
    /// Takes in what is left of one target.
    fn add(&mut self, left: f64) {
        self.least = self.least.min(left);
        self.most = self.most.max(left);
    }
}

impl Default for TargetsLeft {
    /// Returns what is left of the targets of an untouched tree.
    fn default() -> Self {
        Self {
            least: 1.0,
            most: 1.0,
        }
    }
}

/// Why the target of a node is what it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cause {
    /// Neither an edit nor a loss on a level.
    Nothing,
    /// An edit of the node or of an account above it.
    Edit,
    /// What happened on a level, by its place in the list.
    Level(u32),
}

/// Goes through a tree from the root down, and finds on which level each loss began.
struct DilutionSearch<'a> {
    /// The tree with its edits.
    scenario: &'a Scenario,
    /// The column of targets.
    target: ColumnId,
    /// Whether targets are portions of the whole tree, not of a level.
    of_tree: bool,
    /// By position: what is left of the target; 1 where that is unknown.
    left: Vec<f64>,
    /// By position: why.
    cause: Vec<Cause>,
    /// By position: the place of the node's level in the list.
    level_of: Vec<Option<u32>>,
    /// By position: what is left of the target of the nearest edited node, from the node itself up.
    left_above: Vec<f64>,
    /// The losses so far.
    found: Dilution,
}

impl DilutionSearch<'_> {
    /// Takes in a node whose account was taken in before.
    fn visit(&mut self, position: usize, parent: usize, node: NodeId) {
        let scenario = self.scenario;
        let tree = scenario.tree();
        if scenario.is_new(node) {
            self.cause[position] = Cause::Edit;
            return;
        }
        let before = scenario.baseline().number(self.target, node);
        let after = scenario.evaluation().number(self.target, node);
        let mut fell = false;
        if let Some(before) = before
            && let Some(after) = after
        {
            fell = after < before;
            if before > 0.0 {
                self.left[position] = after / before;
            }
        }
        if is_touched(scenario, node) {
            self.cause[position] = Cause::Edit;
            self.left_above[position] = self.left[position];
            return;
        }
        let follows = self.of_tree || tree.shares(node).is_parent();
        if follows {
            self.left_above[position] = self.left_above[parent];
        }
        let own = self.left[position] / self.left_above[position];
        if own.is_finite() {
            self.found.left.add(own);
        }
        let difference = (self.left[position] - self.left[parent]).abs();
        let is_as_above = follows && difference <= ROUNDING * self.left[parent];
        if self.left[position] > 1.0 {
            if is_as_above && self.cause[parent] == Cause::Edit {
                self.cause[position] = Cause::Edit;
            }
        } else if fell {
            self.take_loss(position, parent, node, is_as_above);
        } else if !self.of_tree
            && before.is_some()
            && before == after
            && let Cause::Level(level) = self.cause[parent]
        {
            // The target of its level is what it was, and that level is a smaller part of the tree.
            self.cause[position] = self.cause[parent];
            if tree.kind(node) == Kind::User {
                self.found.levels[level as usize].users_below += 1;
            }
        }
    }

    /// Takes in a node that lost, either as much as its account or on its own level.
    fn take_loss(&mut self, position: usize, parent: usize, node: NodeId, is_as_above: bool) {
        let kind = self.scenario.tree().kind(node);
        let is_user = kind == Kind::User;
        self.found.users += usize::from(is_user);
        let above = self.cause[parent];
        if is_as_above && self.left[parent] < 1.0 && above != Cause::Nothing {
            self.cause[position] = above;
            if is_user {
                match above {
                    Cause::Level(level) => self.found.levels[level as usize].users_below += 1,
                    _ => self.found.users_with_account += 1,
                }
            }
            return;
        }
        let place = self.level_below(parent);
        self.cause[position] = Cause::Level(place);
        let level = &mut self.found.levels[place as usize];
        match kind {
            Kind::Account => level.accounts += 1,
            Kind::User => level.users += 1,
            Kind::Others => level.has_unlisted = true,
        }
        let loss = 1.0 - self.left[position];
        level.least = level.least.min(loss);
        level.most = level.most.max(loss);
    }

    /// Returns the place of the level below an account in the list.
    fn level_below(&mut self, account: usize) -> u32 {
        if let Some(place) = self.level_of[account] {
            return place;
        }
        let levels = &mut self.found.levels;
        let place =
            u32::try_from(levels.len()).expect("a tree has fewer than 2^32 nodes, so fewer levels");
        levels.push(DilutedLevel {
            level: self.scenario.tree().nodes()[account],
            least: f64::INFINITY,
            ..DilutedLevel::default()
        });
        self.level_of[account] = Some(place);
        place
    }
}

impl Dilution {
    /// Returns the losses under the edits of a scenario.
    pub(super) fn of(scenario: &Scenario) -> Self {
        let tree = scenario.tree();
        let policy = scenario.policy();
        let count = tree.node_count();
        let mut search = DilutionSearch {
            scenario,
            target: policy.target_column(),
            of_tree: !policy.counts_by_level(),
            left: vec![1.0; count],
            cause: vec![Cause::Nothing; count],
            level_of: vec![None; count],
            left_above: vec![1.0; count],
            found: Self::default(),
        };
        let above = tree.order().above();
        for (position, &node) in tree.nodes().iter().enumerate().skip(1) {
            search.visit(position, above[position] as usize, node);
        }
        search.found
    }

    /// Returns the largest loss of the target of an unedited node, as a part of it; 0 without any. What its edited account
    /// lost is not counted.
    pub fn largest_loss(&self) -> f64 {
        1.0 - self.left.least
    }

    /// Returns the largest gain of the target of an unedited node, as a part of it; 0 without any. What its edited account
    /// gained is not counted.
    pub fn largest_gain(&self) -> f64 {
        self.left.most - 1.0
    }
}

/// Returns whether an edit was about the node itself. The usage of an account follows from that of its users.
fn is_touched(scenario: &Scenario, node: NodeId) -> bool {
    let tree = scenario.tree();
    let base = &scenario.base().tree;
    if tree.kind(node) == Kind::User {
        return scenario.is_edited(node);
    }
    scenario.has_new_shares(node)
        || tree.parent(node) != base.parent(node)
        || tree.name(node) != base.name(node)
}
