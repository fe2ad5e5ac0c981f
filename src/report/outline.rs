//! Which nodes have a row, and in which order: folding, sorting, filtering, searching.
//!
//! An outline depends on no terminal: it holds the folds and the list of rows, of which a screen draws a part.

mod search;
mod sort;

pub(crate) use search::Search;
pub use sort::Sort;

pub(super) use sort::{ColumnNumbers, key};

use crate::base::table::table;
use crate::model::{Kind, NodeId, Shares, Tree};
use crate::scenario::Scenario;
use hashbrown::HashSet;
use std::cmp::Ordering;

/// How many rows an outline unfolds to at first.
pub(super) const ROWS_AT_FIRST: usize = 400;

/// Which nodes the list shows, and in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Listing {
    /// The tree, folded as the user folded it.
    #[default]
    Tree,
    /// Only the users, by rank.
    Ranking,
    /// Only the users, in the order of [`Outline::set_users`].
    Users,
}

table! {
    /// Which nodes are shown; their accounts stay visible.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub enum Filter {
        #[default]
        All, "none", "Everything";
        OverServed, "over-served", "Nodes that used more than their target share";
        UnderServed, "under-served", "Nodes that used less than their target share";
        ZeroShares, "zero shares", "Nodes with 0 shares, and their subtrees";
        Parent, "parent", "Nodes with shares parent, which compete on the level above";
        Idle, "idle", "Users that have used nothing";
        Orphan, "orphan", "Nodes whose own account is missing in the source";
        Marked, "marked", "Nodes that are marked now";
        Edited, "edited", "Nodes that differ from the source";
        Unknown, "unknown", "Entities missing from resource_group, in the group unknown";
    }
}

impl Filter {
    /// Returns the filters that can find anything in such a tree: PBS has unnamed entities, and no shares of a parent.
    pub(crate) fn offered(scenario: &Scenario) -> impl Iterator<Item = Self> {
        let is_of_pbs = scenario.tree().unknown().is_some();
        let filters = Self::ALL.iter().copied();
        filters.filter(move |filter| match filter {
            Self::Unknown => is_of_pbs,
            Self::Parent | Self::Orphan => !is_of_pbs,
            _ => true,
        })
    }

    /// Returns whether a node passes. `marked` are the nodes that are marked.
    fn matches(self, scenario: &Scenario, node: NodeId, marked: &HashSet<NodeId>) -> bool {
        let tree = scenario.tree();
        match self {
            Self::All => true,
            Self::Marked => marked.contains(&node),
            Self::OverServed => {
                let beyond = beyond_target(scenario, node);
                beyond == Some(Ordering::Greater)
            }
            Self::UnderServed => {
                let beyond = beyond_target(scenario, node);
                beyond == Some(Ordering::Less)
            }
            Self::ZeroShares => node != NodeId::ROOT && tree.shares(node) == Shares::new(0),
            Self::Parent => tree.shares(node).is_parent(),
            Self::Idle => is_idle(tree, node),
            Self::Orphan => {
                let recorded = &scenario.base().recorded;
                recorded.orphans.contains(&node)
            }
            Self::Edited => scenario.is_edited(node),
            Self::Unknown => match tree.unknown() {
                Some(unknown) => tree.order().is_within(node, unknown),
                None => false,
            },
        }
    }

    /// Returns the nodes that pass, with the accounts above them; `None` if all pass.
    fn passing(self, scenario: &Scenario, marked: &HashSet<NodeId>) -> Option<Vec<bool>> {
        if self == Self::All {
            return None;
        }
        let tree = scenario.tree();
        let mut passing = vec![false; tree.id_count()];
        passing[NodeId::ROOT.index()] = true;
        for &node in tree.nodes().iter().rev() {
            let place = node.index();
            if node != NodeId::ROOT && self.matches(scenario, node, marked) {
                passing[place] = true;
            }
            if passing[place]
                && let Some(parent) = tree.parent(node)
            {
                passing[parent.index()] = true;
            }
        }
        Some(passing)
    }
}

/// Returns whether a node is a user that has used nothing.
fn is_idle(tree: &Tree, node: NodeId) -> bool {
    if tree.kind(node) != Kind::User {
        return false;
    }
    match tree.usage(node).amount() {
        Some(used) => used <= 0.0,
        None => true,
    }
}

/// Returns how the usage of a node compares with its target. `None` if the policy has no numbers for it.
fn beyond_target(scenario: &Scenario, node: NodeId) -> Option<Ordering> {
    let (target, used) = scenario.policy().portions(scenario.evaluation(), node)?;
    used.partial_cmp(&target)
}

/// Returns the members of some accounts that have members themselves.
fn accounts_of(tree: &Tree, nodes: &[NodeId]) -> Vec<NodeId> {
    let mut accounts = Vec::new();
    for &node in nodes {
        for child in tree.children(node) {
            if tree.has_children(child) {
                accounts.push(child);
            }
        }
    }
    accounts
}

/// Returns the counterpart of a node, by its index, in a tree of so many ids; `None` if it has none.
fn counterpart(counterparts: &[Option<NodeId>], index: usize, known: usize) -> Option<NodeId> {
    let node = (*counterparts.get(index)?)?;
    if node.index() >= known {
        return None;
    }
    Some(node)
}

/// Returns the number of positions of a tree with these nodes.
fn position_count(nodes: &[NodeId]) -> u32 {
    u32::try_from(nodes.len()).expect("positions are 32 bits wide")
}

/// The rows of a scenario.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// Which nodes the list shows, and in which order.
    listing: Listing,
    /// By the index of a node: whether its members have rows.
    unfolded: Vec<bool>,
    /// The order among siblings; `None` for that of the source.
    sort: Option<Sort>,
    /// Whether that order goes over the whole tree, which is then listed without its levels.
    is_flat: bool,
    /// Which nodes are shown.
    filter: Filter,
    /// The marked nodes when that filter was chosen.
    marked: HashSet<NodeId>,
    /// The users of [`Listing::Users`], in their order.
    users: Vec<NodeId>,
    /// The nodes that have a row, in the order in which they are shown.
    rows: Vec<NodeId>,
}

impl Outline {
    /// Returns the rows of a tree, unfolded level by level up to `ROWS_AT_FIRST` rows.
    pub fn new(scenario: &Scenario, listing: Listing) -> Self {
        let tree = scenario.tree();
        let mut outline = Self {
            listing,
            unfolded: vec![false; tree.id_count()],
            ..Self::default()
        };
        outline.unfolded[NodeId::ROOT.index()] = true;
        let mut rows = 1 + tree.children(NodeId::ROOT).count();
        let mut level = accounts_of(tree, &[NodeId::ROOT]);
        while !level.is_empty() {
            for &node in &level {
                rows += tree.children(node).count();
            }
            if rows > ROWS_AT_FIRST {
                break;
            }
            for &node in &level {
                outline.unfolded[node.index()] = true;
            }
            level = accounts_of(tree, &level);
        }
        outline.rebuild(scenario);
        outline
    }

    /// Returns the nodes that have a row, in the order in which they are shown.
    pub fn rows(&self) -> &[NodeId] {
        &self.rows
    }

    /// Returns which nodes the list shows, and in which order.
    pub(crate) fn listing(&self) -> Listing {
        self.listing
    }

    /// Returns the order among siblings, or `None` for that of the source.
    pub(crate) fn sort(&self) -> Option<Sort> {
        self.sort
    }

    /// Returns whether the tree is listed without its levels, in one order.
    pub(crate) fn is_flat(&self) -> bool {
        self.is_flat
    }

    /// Returns whether a row needs the path of its node, for the account above it does not stand above the row.
    pub(crate) fn shows_paths(&self) -> bool {
        self.is_flat || self.listing != Listing::Tree
    }

    /// Returns which nodes are shown.
    pub fn filter(&self) -> Filter {
        self.filter
    }

    /// Returns whether the members of an account have rows.
    pub(crate) fn is_unfolded(&self, node: NodeId) -> bool {
        // A filter shows its matches in folded accounts too.
        self.filter != Filter::All || self.unfolded.get(node.index()) == Some(&true)
    }

    /// Returns the row of a node, or `None` if it is folded away or filtered.
    pub(crate) fn row_of(&self, node: NodeId) -> Option<usize> {
        self.rows.iter().position(|&row| row == node)
    }

    /// Rebuilds the list after an edit or a change of listing, sort or filter.
    pub(crate) fn rebuild(&mut self, scenario: &Scenario) {
        self.unfolded.resize(scenario.tree().id_count(), false);
        self.rows.clear();
        match self.listing {
            Listing::Users if self.sort.is_none() => self.list(scenario),
            Listing::Ranking | Listing::Users => self.rank(scenario),
            Listing::Tree if self.is_flat => self.flatten(scenario),
            Listing::Tree => self.walk(scenario),
        }
    }

    /// Lists the tree.
    fn walk(&mut self, scenario: &Scenario) {
        let passing = self.filter.passing(scenario, &self.marked);
        let nodes = scenario.tree().nodes();
        // The next position last.
        let mut pending = vec![0_u32];
        while let Some(position) = pending.pop() {
            let node = nodes[position as usize];
            self.rows.push(node);
            if !self.unfolded[node.index()] && passing.is_none() {
                continue;
            }
            let start = pending.len();
            let children = scenario.tree().order().children(position);
            for child in children {
                let node = nodes[child as usize];
                let is_shown = match &passing {
                    Some(passing) => passing[node.index()],
                    None => true,
                };
                if is_shown {
                    pending.push(child);
                }
            }
            let family = &mut pending[start..];
            if let Some(sort) = self.sort {
                sort.sort(scenario, family);
            }
            family.reverse();
        }
    }

    /// Lists every node but the root in one order.
    fn flatten(&mut self, scenario: &Scenario) {
        let nodes = scenario.tree().nodes();
        let mut positions = Vec::new();
        for position in 0..position_count(nodes) {
            let node = nodes[position as usize];
            if node != NodeId::ROOT && self.filter.matches(scenario, node, &self.marked) {
                positions.push(position);
            }
        }
        if let Some(sort) = self.sort {
            sort.sort(scenario, &mut positions);
        }
        for position in positions {
            self.rows.push(nodes[position as usize]);
        }
    }

    /// Lists the users by rank, or in the chosen order.
    fn rank(&mut self, scenario: &Scenario) {
        let nodes = scenario.tree().nodes();
        let count = position_count(nodes);
        let mut users = Vec::new();
        match self.sort {
            None | Some(Sort::RANK) => {
                let ranking = scenario.evaluation().ranking();
                let ranked = ranking.positions().iter().copied();
                self.take_shown(scenario, &mut users, ranked);
                let ranks = scenario.evaluation().ranks();
                let mut unranked = Vec::new();
                for position in 0..count {
                    if let None | Some(0) = ranks.get(position as usize) {
                        unranked.push(position);
                    }
                }
                self.take_shown(scenario, &mut users, unranked.into_iter());
            }
            Some(sort) => {
                self.take_shown(scenario, &mut users, 0..count);
                sort.sort(scenario, &mut users);
            }
        }
        for position in users {
            self.rows.push(nodes[position as usize]);
        }
    }

    /// Takes those positions whose nodes are users that the filter shows.
    fn take_shown(
        &self,
        scenario: &Scenario,
        users: &mut Vec<u32>,
        positions: impl Iterator<Item = u32>,
    ) {
        let tree = scenario.tree();
        for position in positions {
            let node = tree.nodes()[position as usize];
            if tree.kind(node) == Kind::User && self.filter.matches(scenario, node, &self.marked) {
                users.push(position);
            }
        }
    }

    /// Lists the users of [`Listing::Users`].
    fn list(&mut self, scenario: &Scenario) {
        for &user in &self.users {
            let is_there = scenario.tree().contains(user);
            if is_there && self.filter.matches(scenario, user, &self.marked) {
                self.rows.push(user);
            }
        }
    }

    /// Sets the order of [`Listing::Users`].
    pub fn set_users(&mut self, scenario: &Scenario, users: Vec<NodeId>) {
        self.users = users;
        self.rebuild(scenario);
    }

    /// Chooses the order among siblings; `None` is the source's own order.
    pub fn set_sort(&mut self, scenario: &Scenario, sort: Option<Sort>) {
        self.sort = sort;
        self.rebuild(scenario);
    }

    /// Lists the tree without its levels, in an order over all of it, or in its levels again, with siblings in that order.
    pub(crate) fn set_flat(&mut self, scenario: &Scenario, is_flat: bool, sort: Option<Sort>) {
        self.is_flat = is_flat;
        self.set_sort(scenario, sort);
    }

    /// Chooses which nodes are shown. `marked` are the nodes that are marked now.
    pub(crate) fn set_filter(&mut self, scenario: &Scenario, filter: Filter, marked: &[NodeId]) {
        self.filter = filter;
        self.marked = marked.iter().copied().collect();
        self.rebuild(scenario);
    }

    /// Folds or unfolds an account. Returns whether anything changed.
    pub fn set_unfolded(&mut self, scenario: &Scenario, node: NodeId, unfolded: bool) -> bool {
        let tree = scenario.tree();
        if !tree.has_children(node) || self.unfolded[node.index()] == unfolded || self.shows_paths()
        {
            return false;
        }
        self.unfolded[node.index()] = unfolded;
        self.rebuild(scenario);
        true
    }

    /// Rebuilds the list for another tree. Folds move to the counterparts of the nodes; sort and filter stay.
    pub(crate) fn follow(&mut self, scenario: &Scenario, counterparts: &[Option<NodeId>]) {
        let known = scenario.tree().id_count();
        let mut unfolded = vec![false; known];
        for (index, &is_unfolded) in self.unfolded.iter().enumerate() {
            if is_unfolded && let Some(node) = counterpart(counterparts, index, known) {
                unfolded[node.index()] = true;
            }
        }
        let mut marked = HashSet::new();
        for node in &self.marked {
            marked.extend(counterpart(counterparts, node.index(), known));
        }
        let mut users = Vec::new();
        for user in &self.users {
            users.extend(counterpart(counterparts, user.index(), known));
        }
        self.unfolded = unfolded;
        self.marked = marked;
        self.users = users;
        self.rebuild(scenario);
    }

    /// Unfolds every account, or folds all but the root.
    pub fn set_all_unfolded(&mut self, scenario: &Scenario, unfolded: bool) {
        self.unfolded.fill(unfolded);
        self.unfolded[NodeId::ROOT.index()] = true;
        self.rebuild(scenario);
    }

    /// Unfolds the accounts above a node, and removes a filter that hides it.
    pub(crate) fn reveal(&mut self, scenario: &Scenario, node: NodeId) {
        let tree = scenario.tree();
        if self.row_of(node).is_some() {
            return;
        }
        self.filter = Filter::All;
        for account in tree.upwards(node).skip(1) {
            self.unfolded[account.index()] = true;
        }
        self.rebuild(scenario);
    }
}
