//! Whom the next edit is about.

use crate::model::NodeId;
use crate::tui::state::session::Session;

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
    pub(crate) fn selected_account(&self) -> NodeId {
        let (tree, node) = (self.scenario.tree(), self.selected());
        if tree.kind(node) == crate::model::Kind::Account {
            node
        } else {
            tree.parent(node).unwrap_or(NodeId::ROOT)
        }
    }
}
