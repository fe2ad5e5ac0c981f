//! Which nodes have a row, and in which order: folding, sorting, filtering, searching.
//!
//! An outline depends on no terminal. It holds the fold of every account and the list of rows that follows from it; a
//! screen draws the visible part of that list.

mod filter;
mod search;
mod sort;

pub use filter::Filter;
pub use search::Search;
pub use sort::{Sort, points, recorded, served};

use crate::model::{Kind, NodeId, Tree};
use crate::scenario::Scenario;

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

/// The rows of a scenario.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    listing: Listing,
    unfolded: Vec<bool>,
    sort: Option<Sort>,
    filter: Filter,
    /// The users in the order given to [`Self::set_users`].
    users: Vec<NodeId>,
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
        let mut level: Vec<NodeId> = tree
            .children(NodeId::ROOT)
            .filter(|&node| tree.has_children(node))
            .collect();
        while !level.is_empty() {
            rows += level
                .iter()
                .map(|&node| tree.children(node).count())
                .sum::<usize>();
            if rows > ROWS_AT_FIRST {
                break;
            }
            for &node in &level {
                outline.unfolded[node.index()] = true;
            }
            level = level
                .iter()
                .flat_map(|&node| tree.children(node))
                .filter(|&node| tree.has_children(node))
                .collect();
        }
        outline.rebuild(scenario);
        outline
    }

    /// Returns the nodes that have a row, in the order in which they are shown.
    pub fn rows(&self) -> &[NodeId] {
        &self.rows
    }

    /// Returns which list the outline shows.
    pub fn listing(&self) -> Listing {
        self.listing
    }

    /// Returns the order among siblings, or `None` for that of the source.
    pub fn sort(&self) -> Option<Sort> {
        self.sort
    }

    /// Returns which nodes are shown.
    pub fn filter(&self) -> Filter {
        self.filter
    }

    /// Whether the children of the node are shown.
    pub fn is_unfolded(&self, node: NodeId) -> bool {
        // A filter shows its matches in folded accounts too.
        self.filter != Filter::All || self.unfolded.get(node.index()).copied().unwrap_or(false)
    }

    /// Returns the row of a node, or `None` if it is folded away or filtered.
    pub fn row_of(&self, tree: &Tree, node: NodeId) -> Option<usize> {
        if self.listing == Listing::Tree && self.sort.is_none() {
            let position = tree.order().position(node)?;
            let found = self
                .rows
                .binary_search_by_key(&Some(position), |&row| tree.order().position(row));
            return found.ok();
        }
        self.rows.iter().position(|&row| row == node)
    }

    /// Rebuilds the list after an edit or a change of listing, sort or filter.
    pub fn rebuild(&mut self, scenario: &Scenario) {
        let tree = scenario.tree();
        self.unfolded.resize(tree.id_count(), false);
        self.rows.clear();
        match self.listing {
            Listing::Users if self.sort.is_none() => self.list(scenario),
            Listing::Ranking | Listing::Users => self.rank(scenario),
            Listing::Tree => {
                let passing = self.filter.passing(scenario);
                match self.sort {
                    None => self.walk(tree, passing.as_deref()),
                    Some(sort) => self.walk_sorted(scenario, sort, passing.as_deref()),
                }
            }
        }
    }

    fn walk(&mut self, tree: &Tree, passing: Option<&[bool]>) {
        let nodes = tree.nodes();
        if let Some(passing) = passing {
            self.rows
                .extend(nodes.iter().filter(|node| passing[node.index()]));
            return;
        }
        let mut position = 0;
        while let Some(&node) = nodes.get(position) {
            self.rows.push(node);
            position = if self.unfolded[node.index()] {
                position + 1
            } else {
                tree.order().span(node).end
            };
        }
    }

    fn walk_sorted(&mut self, scenario: &Scenario, sort: Sort, passing: Option<&[bool]>) {
        let tree = scenario.tree();
        let nodes = tree.nodes();
        let mut sorting = sort.sorting(scenario);
        // The next position last.
        let mut pending = vec![0_u32];
        while let Some(position) = pending.pop() {
            let node = nodes[position as usize];
            self.rows.push(node);
            if !(self.unfolded[node.index()] || passing.is_some()) {
                continue;
            }
            let start = pending.len();
            let children = tree.order().children(position);
            pending.extend(children.filter(|&child| {
                let index = nodes[child as usize].index();
                passing.is_none_or(|passing| passing[index])
            }));
            let family = &mut pending[start..];
            sorting.sort(family);
            family.reverse();
        }
    }

    /// Lists the users by rank, or in another order.
    fn rank(&mut self, scenario: &Scenario) {
        let tree = scenario.tree();
        let nodes = tree.nodes();
        let places = 0..u32::try_from(nodes.len()).expect("positions are 32 bits wide");
        let is_shown = |&position: &u32| {
            let node = nodes[position as usize];
            tree.kind(node) == Kind::User && self.filter.matches(scenario, node)
        };
        let positions: Vec<u32> = match self.sort.unwrap_or(Sort::RANK) {
            Sort::RANK => {
                let evaluation = scenario.evaluation();
                let ranks = evaluation.ranks();
                let is_unranked =
                    |&position: &u32| ranks.get(position as usize).is_none_or(|&rank| rank == 0);
                let ranked = evaluation.ranking().positions().iter().copied();
                let users = ranked.chain(places.filter(is_unranked));
                users.filter(is_shown).collect()
            }
            sort => {
                let mut users: Vec<u32> = places.filter(is_shown).collect();
                sort.sorting(scenario).sort(&mut users);
                users
            }
        };
        let positions = positions.into_iter();
        self.rows
            .extend(positions.map(|position| nodes[position as usize]));
    }

    /// Lists the given users without removed and filtered ones.
    fn list(&mut self, scenario: &Scenario) {
        let Self {
            rows,
            users,
            filter,
            ..
        } = self;
        let tree = scenario.tree();
        let is_shown = |&user: &NodeId| tree.contains(user) && filter.matches(scenario, user);
        rows.extend(users.iter().copied().filter(is_shown));
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

    /// Chooses which nodes are shown.
    pub fn set_filter(&mut self, scenario: &Scenario, filter: Filter) {
        self.filter = filter;
        self.rebuild(scenario);
    }

    /// Folds or unfolds an account. Returns whether anything changed.
    pub fn set_unfolded(&mut self, scenario: &Scenario, node: NodeId, unfolded: bool) -> bool {
        let tree = scenario.tree();
        if !tree.has_children(node)
            || self.unfolded[node.index()] == unfolded
            || self.listing != Listing::Tree
        {
            return false;
        }
        self.unfolded[node.index()] = unfolded;
        let row = self
            .row_of(tree, node)
            .filter(|_| self.filter == Filter::All && self.sort.is_none());
        match row {
            Some(row) => self.splice(tree, node, row, unfolded),
            None => self.rebuild(scenario),
        }
        true
    }

    /// Rebuilds the list for another tree. Folds move to the counterparts of the nodes; sort and filter stay.
    pub fn follow(&mut self, scenario: &Scenario, counterparts: &[Option<NodeId>]) {
        let known = scenario.tree().id_count();
        let counterpart = |index: usize| {
            let node = counterparts.get(index).copied().flatten();
            node.filter(|node| node.index() < known)
        };
        let mut unfolded = vec![false; known];
        for (index, _) in self.unfolded.iter().enumerate().filter(|(_, is)| **is) {
            if let Some(node) = counterpart(index) {
                unfolded[node.index()] = true;
            }
        }
        self.unfolded = unfolded;
        let users = self.users.iter();
        self.users = users.filter_map(|user| counterpart(user.index())).collect();
        self.rebuild(scenario);
    }

    /// Inserts or removes only the rows below one account.
    fn splice(&mut self, tree: &Tree, node: NodeId, row: usize, unfolded: bool) {
        if unfolded {
            let mut inner = Self {
                unfolded: std::mem::take(&mut self.unfolded),
                ..Self::default()
            };
            let span = tree.order().span(node);
            let mut position = span.start + 1;
            while position < span.end {
                let child = tree.nodes()[position];
                inner.rows.push(child);
                let is_open = inner.unfolded[child.index()];
                position = if is_open {
                    position + 1
                } else {
                    tree.order().span(child).end
                };
            }
            self.unfolded = inner.unfolded;
            self.rows.splice(row + 1..=row, inner.rows);
        } else {
            let span = tree.order().span(node);
            let below = |&&row: &&NodeId| {
                tree.order()
                    .position(row)
                    .is_some_and(|position| span.contains(&position))
            };
            let count = self.rows[row + 1..].iter().take_while(below).count();
            self.rows.drain(row + 1..=row + count);
        }
    }

    /// Unfolds every account, or folds all but the root.
    pub fn set_all_unfolded(&mut self, scenario: &Scenario, unfolded: bool) {
        self.unfolded.fill(unfolded);
        self.unfolded[NodeId::ROOT.index()] = true;
        self.rebuild(scenario);
    }

    /// Unfolds the accounts above a node, and removes a filter that hides it.
    pub fn reveal(&mut self, scenario: &Scenario, node: NodeId) {
        let tree = scenario.tree();
        if self.row_of(tree, node).is_some() {
            return;
        }
        if self.filter != Filter::All {
            self.filter = Filter::All;
        }
        let mut above = tree.parent(node);
        while let Some(account) = above {
            self.unfolded[account.index()] = true;
            above = tree.parent(account);
        }
        self.rebuild(scenario);
    }
}
