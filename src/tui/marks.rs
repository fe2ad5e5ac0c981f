//! Nodes that the user picked: marked to be edited as one, or locked so that family edits leave their shares alone.

use super::dialog::{Choice, Dialog, Item};
use super::session::Session;
use super::{Action, App, Effect, menus};
use crate::base::number::counted;
use crate::model::{NodeId, Tree};
use crate::report::{label, path};

/// Some of a tree's nodes. They are known by their numbers, so edits, undo and redo lose none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeSet {
    /// By the number of a node; what lies beyond the end is not in the set.
    holds: Vec<bool>,
}

impl NodeSet {
    /// Whether the node is one of them.
    #[must_use]
    pub fn contains(&self, node: NodeId) -> bool {
        self.holds.get(node.index()).copied().unwrap_or(false)
    }

    /// Takes a node in or out.
    pub fn set(&mut self, node: NodeId, is_in: bool) {
        if node.index() >= self.holds.len() {
            if !is_in {
                return;
            }
            self.holds.resize(node.index() + 1, false);
        }
        self.holds[node.index()] = is_in;
    }

    /// Leaves none in.
    pub fn clear(&mut self) {
        self.holds.clear();
    }

    /// Those that are in the tree at the moment, in tree order.
    #[must_use]
    pub fn nodes(&self, tree: &Tree) -> Vec<NodeId> {
        if self.holds.is_empty() {
            return Vec::new();
        }
        let nodes = tree.nodes().iter().copied();
        nodes.filter(|&node| self.contains(node)).collect()
    }

    /// How many of them are in the tree at the moment.
    #[must_use]
    pub fn count(&self, tree: &Tree) -> usize {
        let held = self.holds.iter().enumerate().filter(|(_, is)| **is);
        held.filter(|(index, _)| tree.contains(NodeId::from_index(*index)))
            .count()
    }

    /// The same nodes in another tree, in which they have those counterparts.
    pub(super) fn follow(&mut self, counterparts: &[Option<NodeId>]) {
        let before = std::mem::take(self);
        for (is_in, counterpart) in before.holds.into_iter().zip(counterparts) {
            if let (true, Some(node)) = (is_in, *counterpart) {
                self.set(node, true);
            }
        }
    }
}

/// Which marks are set or taken away together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marking {
    /// What lies directly below the account, but for PBS's group `unknown`.
    Children,
    /// Every row on the list, as it is filtered and folded.
    Rows,
    /// Every row that is not marked, and no other.
    Others,
    /// None.
    Nothing,
}

/// How many nodes are named one by one.
const NAMED: usize = 3;

/// Nodes by name, for people: `alice`, `alice and bob`, `alice, bob and 3 more`. Where two of them have one name, all go
/// by their paths.
pub(super) fn names(tree: &Tree, nodes: &[NodeId]) -> String {
    let shown = if nodes.len() > NAMED {
        NAMED - 1
    } else {
        nodes.len()
    };
    let mut named: Vec<String> = nodes[..shown]
        .iter()
        .map(|&node| label(tree, node))
        .collect();
    let is_same = |at: usize| named[..at].contains(&named[at]);
    if (1..named.len()).any(is_same) {
        named = nodes[..shown]
            .iter()
            .map(|&node| path(tree, node))
            .collect();
    }
    let last = match nodes.len() - shown {
        0 => named.pop().unwrap_or_default(),
        rest => format!(
            "{} more",
            crate::base::number::grouped(i64::try_from(rest).unwrap_or(i64::MAX))
        ),
    };
    if named.is_empty() {
        last
    } else {
        format!("{} and {last}", named.join(", "))
    }
}

impl Session {
    /// The nodes that the next edit is about: those marked, or else the one under the cursor.
    #[must_use]
    pub fn targets(&self) -> Vec<NodeId> {
        let marked = self.marks.nodes(self.scenario.tree());
        if marked.is_empty() {
            vec![self.selected()]
        } else {
            marked
        }
    }

    /// How many nodes are marked.
    #[must_use]
    pub fn marked_count(&self) -> usize {
        self.marks.count(self.scenario.tree())
    }

    /// The account that things are added to: the selected one, or that of the selected user.
    pub(super) fn selected_account(&self) -> NodeId {
        let (tree, node) = (self.scenario.tree(), self.selected());
        if tree.kind(node) == crate::model::Kind::Account {
            node
        } else {
            tree.parent(node).unwrap_or(NodeId::ROOT)
        }
    }
}

impl App {
    /// Marks the selected node, or takes its mark away, and goes on to the next row.
    pub(super) fn mark(&mut self) -> Vec<Effect> {
        let Some(session) = self.session_mut() else {
            return Vec::new();
        };
        let node = session.selected();
        if node == NodeId::ROOT {
            return self.fail("the root cannot be marked; choose an account or a user below it");
        }
        let is_marked = session.marks.contains(node);
        session.marks.set(node, !is_marked);
        let next = session.pane().cursor + 1;
        session.go_to(next);
        Vec::new()
    }

    /// Marks many rows at once, or none.
    pub(super) fn mark_many(&mut self, marking: Marking) -> Vec<Effect> {
        let Some(session) = self.session_mut() else {
            return Vec::new();
        };
        let account = session.selected_account();
        let Session {
            scenario, marks, ..
        } = &mut *session;
        let tree = scenario.tree();
        match marking {
            Marking::Nothing => marks.clear(),
            Marking::Children => {
                let children = tree.children(account);
                for child in children.filter(|&child| Some(child) != tree.unknown()) {
                    marks.set(child, true);
                }
            }
            Marking::Rows | Marking::Others => {
                let before = marks.clone();
                marks.clear();
                let rows = session.pane().outline.rows().to_vec();
                for node in rows.into_iter().filter(|&node| node != NodeId::ROOT) {
                    let is_marked = marking == Marking::Rows || !before.contains(node);
                    session.marks.set(node, is_marked);
                }
            }
        }
        let count = session.marked_count();
        self.say(match count {
            0 => "nothing is marked".to_owned(),
            count => counted(count, "node is marked", "nodes are marked"),
        })
    }

    /// Locks the shares of the nodes concerned; where all are locked, unlocks them.
    pub(super) fn lock(&mut self) -> Vec<Effect> {
        let Some(session) = self.session_mut() else {
            return Vec::new();
        };
        let mut nodes = session.targets();
        nodes.retain(|&node| node != NodeId::ROOT);
        let is_locked = !nodes.iter().all(|&node| session.locks.contains(node));
        for &node in &nodes {
            session.locks.set(node, is_locked);
        }
        if nodes.is_empty() {
            return self.fail("the root has no shares to lock; choose an account or a user");
        }
        let nodes = names(session.scenario.tree(), &nodes);
        let key = self.keymap.hint(Action::Family);
        self.say(if is_locked {
            format!("locked the shares of {nodes}: family edits ({key}) leave them alone")
        } else {
            format!("unlocked the shares of {nodes}")
        })
    }
}

/// What can be marked at once.
pub(super) fn menu(app: &App, session: &Session) -> Dialog {
    let tree = session.scenario.tree();
    let account = session.selected_account();
    let children = tree.children(account);
    let children = children
        .filter(|&child| Some(child) != tree.unknown())
        .count();
    let rows = session.pane().outline.rows().len();
    let marked = session.marked_count();
    let item = |marking, name: &str, help: String| Item::new(Choice::Mark(marking), name, help);
    let items = vec![
        item(
            Marking::Children,
            "children",
            format!(
                "What lies directly below {}: {}",
                app.spelled(label(tree, account)),
                counted(children, "node", "nodes")
            ),
        ),
        item(
            Marking::Rows,
            "rows",
            format!(
                "Every row of this list as it is filtered and folded: {}",
                counted(rows, "row", "rows")
            ),
        ),
        item(
            Marking::Others,
            "others",
            "Every row that is not marked, and no other".to_owned(),
        ),
        item(
            Marking::Nothing,
            "clear",
            format!("Take every mark away: {}", counted(marked, "mark", "marks")),
        ),
    ];
    menus::menu("Mark", items, 0, false)
}
