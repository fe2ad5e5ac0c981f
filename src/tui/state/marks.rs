//! The nodes that the next edit changes.

use crate::model::NodeId;
use crate::tui::state::session::Session;

impl Session {
    /// Returns the nodes that the next edit changes: the marked ones, or else the selected one.
    pub fn targets(&self) -> Vec<NodeId> {
        let marked = self.marks.nodes(self.scenario.tree());
        if marked.is_empty() {
            vec![self.selected()]
        } else {
            marked
        }
    }

    /// Returns how many nodes are marked.
    pub fn marked_count(&self) -> usize {
        self.marks.count(self.scenario.tree())
    }

    /// Returns the selected account, or the account of the selected user.
    pub(crate) fn selected_account(&self) -> NodeId {
        let (tree, node) = (self.scenario.tree(), self.selected());
        if tree.kind(node) == crate::model::Kind::Account {
            node
        } else {
            tree.parent(node).unwrap_or(NodeId::ROOT)
        }
    }
}
