//! The lists of a tree with their columns, and sets of its nodes.

use crate::base::number::grouped;
use crate::base::shown::{Shown, sentence};
use crate::model::{Kind, NodeId, Tree};
use crate::report::column_widths::COLUMN_WIDTHS;
use crate::report::outline::{Listing, Outline};
use crate::report::words::listed;
use crate::report::{label, label_cells, path};
use crate::rules::policy::{ColumnId, RuleColumn};
use crate::scenario::Scenario;
use crate::tui::widget::Viewport;

/// A list with its cursor.
#[derive(Clone, Debug, Default)]
pub struct Pane {
    pub outline: Outline,
    pub cursor: usize,
    /// The part that is on the screen, as the last frame drew it.
    pub viewport: Viewport,
}

impl Pane {
    /// Returns the selected node, or the root of an empty list.
    pub fn selected(&self) -> NodeId {
        match self.outline.rows().get(self.cursor) {
            Some(&node) => node,
            None => NodeId::ROOT,
        }
    }

    /// Returns the last row, 0 in an empty list.
    pub(crate) fn last(&self) -> usize {
        self.outline.rows().len().saturating_sub(1)
    }
}

/// The lists of a tree, one for each kind of screen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists {
    tree: Pane,
    ranking: Pane,
    /// The users under all policies.
    users: Pane,
    /// The list as it was before a name is typed to be found.
    pub(crate) before_search: Option<Box<Pane>>,
    /// The account that was selected before a list of users was shown, and the row that the cursor got there.
    pub(crate) left_account: Option<(NodeId, usize)>,
}

impl Lists {
    /// Returns the lists of a tree that was just opened. Only that of the tree is made, the others are at their first
    /// use.
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let mut lists = Self::default();
        lists.of_mut(Listing::Tree).outline = Outline::new(scenario, Listing::Tree);
        lists
    }

    /// Returns a list.
    pub(crate) const fn of(&self, listing: Listing) -> &Pane {
        match listing {
            Listing::Tree => &self.tree,
            Listing::Ranking => &self.ranking,
            Listing::Users => &self.users,
        }
    }

    /// Returns a list, to change it.
    pub(crate) const fn of_mut(&mut self, listing: Listing) -> &mut Pane {
        match listing {
            Listing::Tree => &mut self.tree,
            Listing::Ranking => &mut self.ranking,
            Listing::Users => &mut self.users,
        }
    }

    /// Brings a list up to date, or makes it at its first use, with the users in the order of the tree.
    pub(crate) fn renew(&mut self, scenario: &Scenario, listing: Listing) {
        let outline = &mut self.of_mut(listing).outline;
        if outline.listing() == listing {
            return outline.rebuild(scenario);
        }
        *outline = Outline::new(scenario, listing);
        if listing == Listing::Users {
            outline.set_users(scenario, scenario.tree().users().collect());
        }
    }

    /// Fits the lists to another tree, in which nodes have these counterparts.
    pub(crate) fn follow(&mut self, scenario: &Scenario, counterparts: &[Option<NodeId>]) {
        for listing in [Listing::Tree, Listing::Ranking, Listing::Users] {
            let outline = &mut self.of_mut(listing).outline;
            if outline.listing() == listing {
                outline.follow(scenario, counterparts);
            }
        }
    }

    /// Drops orders by a column that the current policy lacks.
    pub(crate) fn fit_to_policy(&mut self, scenario: &Scenario) {
        let available = available(scenario);
        for pane in [&mut self.tree, &mut self.ranking, &mut self.users] {
            if let Some(sort) = pane.outline.sort()
                && let Some(sorted) = sort.column
                && let Some(column) = sorted.of_current()
                && !available.contains(&column)
            {
                pane.outline.set_sort(scenario, None);
            }
        }
    }
}

/// The columns of the tables of a tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShownColumns {
    /// `None` shows those of the policy that fit.
    pub(crate) chosen: Option<Vec<RuleColumn>>,
    /// The columns that the user chose one by one; empty if they did not.
    pub(crate) own: Vec<RuleColumn>,
    /// The columns that the user prefers under every policy.
    pub(crate) preferred: Vec<RuleColumn>,
    /// The number of columns that are scrolled out on the left.
    pub(crate) offset: usize,
    /// How long the names of the tree are.
    pub(crate) longest: LongestNames,
}

/// How many letters the names of a tree take.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LongestNames {
    /// Those of the longest name, with its indentation.
    pub(crate) indented: usize,
    /// Those of the longest path.
    pub(crate) path: usize,
}

impl ShownColumns {
    /// Returns whether the columns are those of every rule.
    pub(crate) fn show_every_rule(&self) -> bool {
        self.chosen.as_deref() == Some(&RuleColumn::EVERY_RULE)
    }

    /// Shows the preferred columns, as far as this tree has them, or else those that fit. Those of every rule stay.
    pub(crate) fn fit(&mut self, scenario: &Scenario) {
        let fitting = named_here(&self.preferred, scenario);
        let has_preferred = !fitting.is_empty();
        if !self.show_every_rule() {
            self.chosen = None;
            if has_preferred {
                self.chosen = Some(fitting.clone());
            }
        }
        if has_preferred {
            self.own = fitting;
        }
        self.offset = 0;
        self.longest = LongestNames::of(scenario.tree());
    }
}

impl LongestNames {
    fn of(tree: &Tree) -> Self {
        let order = tree.order();
        let mut paths = vec![0; order.nodes().len()];
        let mut longest = Self::default();
        for (position, &node) in order.nodes().iter().enumerate().skip(1) {
            let name = if tree.is_others(node) {
                label_cells(tree, node)
            } else {
                tree.name(node).len()
            };
            let indented = name + 2 * tree.depth(node) as usize;
            let above = order.above()[position] as usize;
            let path = paths[above] + name + 1;
            paths[position] = path;
            longest.indented = longest.indented.max(indented);
            longest.path = longest.path.max(path);
        }
        longest
    }
}

/// The columns that every policy has.
const ALWAYS: &[ColumnId] = &[
    ColumnId::Shares,
    ColumnId::Usage,
    ColumnId::Served,
    ColumnId::Balance,
    ColumnId::Rank,
    ColumnId::Before,
    ColumnId::Change,
];

/// Returns the columns that can be shown of a tree under its policy, in their usual order.
pub(crate) fn available(scenario: &Scenario) -> Vec<ColumnId> {
    let mut columns = Vec::new();
    for shape in COLUMN_WIDTHS {
        if has_column(scenario, shape.column) {
            columns.push(shape.column);
        }
    }
    let recorded = &scenario.base().recorded;
    columns.extend(recorded.facts().map(ColumnId::Recorded));
    columns
}

/// Returns whether the policy of a scenario, or every policy, has a column.
fn has_column(scenario: &Scenario, column: ColumnId) -> bool {
    let policy = scenario.policy();
    match column {
        ColumnId::GroupId if !scenario.tree().kinds_follow_shape() => false,
        ColumnId::PriorityPoints => policy.has_priority_points(scenario.settings()),
        // Both are the same number, which stands under the one name that the policy uses.
        ColumnId::Factor | ColumnId::FairshareFactor => policy.usual_columns().contains(&column),
        column => {
            policy.columns().contains(&column)
                || policy.extra_columns().contains(&column)
                || ALWAYS.contains(&column)
        }
    }
}

/// Inserts a column behind those that usually come before it.
pub(crate) fn insert(columns: &mut Vec<RuleColumn>, column: RuleColumn) {
    let own = place(column.column);
    let mut at = 0;
    for (other_at, other) in columns.iter().enumerate() {
        if place(other.column) <= own {
            at = other_at + 1;
        }
    }
    columns.insert(at, column);
}

/// Returns the usual place of a column. Those that the source recorded come last.
pub(crate) fn place(column: ColumnId) -> usize {
    let mut shapes = COLUMN_WIDTHS.iter();
    let place = shapes.position(|shape| shape.column == column);
    place.unwrap_or(COLUMN_WIDTHS.len())
}

/// A set of nodes by their numbers, so that edits, undo and redo lose none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NodeSet {
    /// Whether a node is in the set, by its number; nodes beyond the end are not.
    holds: Vec<bool>,
}

impl NodeSet {
    /// Returns whether a node is in the set.
    pub(crate) fn contains(&self, node: NodeId) -> bool {
        self.holds.get(node.index()) == Some(&true)
    }

    /// Puts a node into the set, or takes it out.
    pub(crate) fn set(&mut self, node: NodeId, is_in: bool) {
        let needed = self.holds.len().max(node.index() + 1);
        self.holds.resize(needed, false);
        self.holds[node.index()] = is_in;
    }

    /// Takes all nodes out of the set.
    pub(crate) fn clear(&mut self) {
        self.holds.clear();
    }

    /// Returns the nodes that are in the tree at the moment, in tree order.
    pub(crate) fn nodes(&self, tree: &Tree) -> Vec<NodeId> {
        let mut nodes = Vec::new();
        for &node in tree.nodes() {
            if self.contains(node) {
                nodes.push(node);
            }
        }
        nodes
    }

    /// Returns how many nodes of the set are in the tree at the moment.
    pub(crate) fn count(&self, tree: &Tree) -> usize {
        let mut count = 0;
        for (index, is_in) in self.holds.iter().enumerate() {
            if *is_in && tree.contains(NodeId::from_index(index)) {
                count += 1;
            }
        }
        count
    }

    /// Fits the set to another tree, in which nodes have these counterparts.
    pub(crate) fn follow(&mut self, counterparts: &[Option<NodeId>]) {
        let before = std::mem::take(&mut self.holds);
        for (is_in, counterpart) in before.into_iter().zip(counterparts) {
            if is_in && let Some(node) = *counterpart {
                self.set(node, true);
            }
        }
    }
}

/// The most nodes that are named one by one.
const NAMED: usize = 3;

/// Returns `alice`, `alice and bob` or `alice, bob and 3 more`; paths, if two have the same name.
pub(crate) fn names(tree: &Tree, nodes: &[NodeId]) -> Shown {
    if nodes.len() <= NAMED {
        return listed(&told_apart(tree, nodes));
    }
    let (first, rest) = nodes.split_at(NAMED - 1);
    let mut named = told_apart(tree, first);
    named.push(sentence!("{} more", grouped(rest.len())));
    listed(&named)
}

/// Returns the names of nodes; paths, if two have the same name.
pub(crate) fn told_apart(tree: &Tree, nodes: &[NodeId]) -> Vec<Shown> {
    let mut named = Vec::new();
    for &node in nodes {
        let name = label(tree, node);
        if named.contains(&name) {
            return nodes.iter().map(|&node| path(tree, node)).collect();
        }
        named.push(name);
    }
    named
}

/// Returns how many users are below a node, or that it is one.
pub(crate) fn users_in(tree: &Tree, node: NodeId) -> usize {
    let mut users = 0;
    for &below in tree.within(node) {
        users += usize::from(tree.kind(below) == Kind::User);
    }
    users
}

/// Returns the columns that have these names in a tree. What it lacks is left out, unless one other rule has it.
pub(crate) fn named_here(columns: &[RuleColumn], scenario: &Scenario) -> Vec<RuleColumn> {
    let available = available(scenario);
    let mut fitting = Vec::new();
    for &named in columns {
        let name = named.column.name();
        let is_current = named.rule.is_none();
        match available.iter().find(|column| column.name() == name) {
            Some(&column) if is_current => fitting.push(column.into()),
            _ if is_current => {
                // A number that one other rule has can only be that one.
                if let [only] = RuleColumn::elsewhere(name)[..] {
                    fitting.push(only);
                }
            }
            _ => fitting.push(named),
        }
    }
    fitting
}
