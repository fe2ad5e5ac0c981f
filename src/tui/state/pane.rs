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
        let node = self.outline.rows().get(self.cursor);
        node.copied().unwrap_or(NodeId::ROOT)
    }

    pub(crate) fn last(&self) -> usize {
        self.outline.rows().len().saturating_sub(1)
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Lists {
    /// The tree, the ranking, the users under all policies.
    panes: [Pane; 3],
    /// The list as it was before a name is typed to be found.
    pub(crate) before_search: Option<Box<Pane>>,
    /// The account that was selected before a list of users was shown, and the row that the cursor got there.
    pub(crate) left_account: Option<(NodeId, usize)>,
}

impl Lists {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let mut lists = Self::default();
        lists.of_mut(Listing::Tree).outline = Outline::new(scenario, Listing::Tree);
        lists
    }

    pub(crate) const fn of(&self, listing: Listing) -> &Pane {
        &self.panes[listing as usize]
    }

    pub(crate) const fn of_mut(&mut self, listing: Listing) -> &mut Pane {
        &mut self.panes[listing as usize]
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
        for pane in &mut self.panes {
            let column = pane
                .outline
                .sort()
                .and_then(|sort| sort.column?.of_current());
            if column.is_some_and(|column| !available.contains(&column)) {
                pane.outline.set_sort(scenario, None);
            }
        }
    }
}

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
    /// The letters of the longest name with its indentation, and of the longest path.
    pub(crate) longest: (usize, usize),
}

impl ShownColumns {
    pub(crate) fn show_every_rule(&self) -> bool {
        self.chosen.as_deref() == Some(&RuleColumn::EVERY_RULE)
    }

    /// Shows the preferred columns, as far as this tree has them, or else those that fit. Those of every rule stay.
    pub(crate) fn fit(&mut self, scenario: &Scenario) {
        let fitting = named_here(&self.preferred, scenario);
        if !self.show_every_rule() {
            self.chosen = Some(fitting.clone()).filter(|columns| !columns.is_empty());
        }
        if !fitting.is_empty() {
            self.own = fitting;
        }
        self.offset = 0;
        self.longest = longest(scenario.tree());
    }
}

/// Returns the letters of the longest name with its indentation, and of the longest path.
fn longest(tree: &Tree) -> (usize, usize) {
    let order = tree.order();
    let mut paths = vec![0; order.nodes().len()];
    let mut longest = (0, 0);
    for (position, &node) in order.nodes().iter().enumerate().skip(1) {
        let name = if tree.is_others(node) {
            label_cells(tree, node)
        } else {
            tree.name(node).len()
        };
        let indented = name + 2 * tree.depth(node) as usize;
        paths[position] = paths[order.above()[position] as usize] + name + 1;
        longest = (longest.0.max(indented), longest.1.max(paths[position]));
    }
    longest
}

pub(crate) fn available(scenario: &Scenario) -> Vec<ColumnId> {
    let policy = scenario.policy();
    let always = [
        ColumnId::Shares,
        ColumnId::Usage,
        ColumnId::Served,
        ColumnId::Balance,
        ColumnId::Rank,
        ColumnId::Before,
        ColumnId::Change,
    ];
    let has_groups = scenario.tree().kinds_follow_shape();
    let fits = |column: &ColumnId| match column {
        ColumnId::GroupId if !has_groups => false,
        ColumnId::PriorityPoints => policy.has_priority_points(scenario.settings()),
        // Both are the same number, which stands under the one name that the policy uses.
        ColumnId::Factor | ColumnId::FairshareFactor => policy.usual_columns().contains(column),
        column => {
            let own = [policy.columns(), policy.extra_columns(), &always];
            own.iter().any(|own| own.contains(column))
        }
    };
    let recorded = &scenario.base().recorded;
    let recorded = recorded.facts().map(ColumnId::Recorded);
    let computed = COLUMN_WIDTHS.iter().map(|shape| shape.column);
    computed.filter(fits).chain(recorded).collect()
}

/// Inserts a column behind those that usually come before it.
pub(crate) fn insert(columns: &mut Vec<RuleColumn>, column: RuleColumn) {
    let before = |&other: &RuleColumn| place(other.column) <= place(column.column);
    let at = columns.iter().rposition(before).map_or(0, |last| last + 1);
    columns.insert(at, column);
}

pub(crate) fn place(column: ColumnId) -> usize {
    let mut columns = COLUMN_WIDTHS.iter().map(|shape| shape.column);
    let place = columns.position(|other| other == column);
    place.unwrap_or(COLUMN_WIDTHS.len())
}

/// A set of nodes by their numbers, so that edits, undo and redo lose none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NodeSet {
    /// Whether a node is in the set, by its number; nodes beyond the end are not.
    holds: Vec<bool>,
}

impl NodeSet {
    pub(crate) fn contains(&self, node: NodeId) -> bool {
        self.holds.get(node.index()).copied().unwrap_or(false)
    }

    pub(crate) fn set(&mut self, node: NodeId, is_in: bool) {
        let needed = self.holds.len().max(node.index() + 1);
        self.holds.resize(needed, false);
        self.holds[node.index()] = is_in;
    }

    pub(crate) fn clear(&mut self) {
        self.holds.clear();
    }

    /// Returns the nodes that are in the tree at the moment, in tree order.
    pub(crate) fn nodes(&self, tree: &Tree) -> Vec<NodeId> {
        let nodes = tree.nodes().iter().copied();
        nodes.filter(|&node| self.contains(node)).collect()
    }

    /// Returns how many nodes of the set are in the tree at the moment.
    pub(crate) fn count(&self, tree: &Tree) -> usize {
        let held = (0..self.holds.len()).filter(|&index| self.holds[index]);
        let nodes = held.map(NodeId::from_index);
        nodes.filter(|&node| tree.contains(node)).count()
    }

    pub(crate) fn follow(&mut self, counterparts: &[Option<NodeId>]) {
        let before = std::mem::take(&mut self.holds);
        for (is_in, counterpart) in before.into_iter().zip(counterparts) {
            if let (true, Some(node)) = (is_in, *counterpart) {
                self.set(node, true);
            }
        }
    }
}

const NAMED: usize = 3;

/// Returns `alice`, `alice and bob` or `alice, bob and 3 more`; paths, if two have the same name.
pub(crate) fn names(tree: &Tree, nodes: &[NodeId]) -> Shown {
    let (shown, rest) = match nodes.len() {
        ..=NAMED => (nodes, 0),
        count => (&nodes[..NAMED - 1], count - (NAMED - 1)),
    };
    let mut named = told_apart(tree, shown);
    named.extend((rest > 0).then(|| sentence!("{} more", grouped(rest))));
    listed(&named)
}

/// Returns the names of nodes; paths, if two have the same name.
pub(crate) fn told_apart(tree: &Tree, nodes: &[NodeId]) -> Vec<Shown> {
    let named: Vec<Shown> = nodes.iter().map(|&node| label(tree, node)).collect();
    let is_same = |at: usize| named[..at].contains(&named[at]);
    if (1..named.len()).any(is_same) {
        return nodes.iter().map(|&node| path(tree, node)).collect();
    }
    named
}

pub(crate) fn users_in(tree: &Tree, node: NodeId) -> usize {
    let users = tree.within(node).iter();
    users.filter(|&&node| tree.kind(node) == Kind::User).count()
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
