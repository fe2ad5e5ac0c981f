//! Why PBS cannot store a tree, node by node.

use super::{ROOT, ROOT_WORD, Rewriter, UNKNOWN};
use crate::analysis::plan::{Omission, OmissionReason, SharesFault};
use crate::format::pbs::write::LONGEST_LINE;
use crate::model::NodeId;
use hashbrown::HashMap;

/// A part of a node that PBS cannot store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeFault {
    /// The node, of the tree after.
    pub(crate) node: NodeId,
    /// The part to omit.
    pub part: Omission,
    /// Why PBS cannot store it.
    pub(crate) reason: OmissionReason,
}

/// Why no new file can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A reason that is about the whole file.
    Whole(OmissionReason),
    /// Some nodes; without their new parts the file could be made.
    Parts(Vec<NodeFault>),
}

impl Rewriter<'_> {
    /// Refuses what no line can express, and names that several nodes have.
    pub(super) fn check(&self, order: &[NodeId]) -> Result<(), Refusal> {
        let mut faults = Vec::new();
        let mut named: HashMap<&[u8], NodeId> = HashMap::with_capacity(order.len());
        for &node in order {
            faults.extend(self.fault(node));
            if let Some(other) = named.insert(self.after.name(node), node) {
                let renamed = if self.has_new_name(node) { node } else { other };
                faults.push(NodeFault {
                    node: renamed,
                    part: self.new_name(renamed),
                    reason: OmissionReason::NameTaken,
                });
            }
        }
        if faults.is_empty() {
            Ok(())
        } else {
            Err(Refusal::Parts(faults))
        }
    }

    /// Returns the part of a node that its new name belongs to.
    fn new_name(&self, node: NodeId) -> Omission {
        if self.before.contains(node) && self.has_new_name(node) {
            Omission::Name(node)
        } else {
            Omission::Place(node)
        }
    }

    /// Returns the part of a node that its new shares belong to.
    fn new_shares(&self, node: NodeId) -> Omission {
        if self.before.contains(node) {
            Omission::Shares(node)
        } else {
            Omission::Place(node)
        }
    }

    /// Returns the changed part behind a new parent word: the place of the node, or the name of its account.
    fn new_place(&self, node: NodeId) -> Omission {
        let above = self.after.parent(node).unwrap_or(NodeId::ROOT);
        if self.before.contains(node) && self.before.parent(node) == Some(above) {
            self.new_name(above)
        } else {
            Omission::Place(node)
        }
    }

    /// Returns the changed part of a node that no line can express, and why. `None` if a line can.
    fn fault(&self, node: NodeId) -> Option<NodeFault> {
        let name = self.after.name(node);
        let is_in_file = self.line_of[node.index()].is_some();
        let is_new_name = !is_in_file || self.has_new_name(node);
        if is_new_name && let Some(reason) = name_fault(name) {
            let part = self.new_name(node);
            return Some(NodeFault { node, part, reason });
        }
        let is_below_root = self.after.parent(node) == Some(NodeId::ROOT);
        if self.parent_word(node) == ROOT_WORD && !is_below_root {
            return Some(NodeFault {
                node,
                part: self.new_place(node),
                reason: OmissionReason::BelowRootWord,
            });
        }
        let is_new_count = !is_in_file || self.has_new_shares(node);
        if is_new_count && !self.holds_shares(node) {
            return Some(NodeFault {
                node,
                part: self.new_shares(node),
                reason: SharesFault::NotHeld.into(),
            });
        }
        self.length_fault(node)
    }

    /// Returns whether the shares of a node are a number of 32 bits.
    fn holds_shares(&self, node: NodeId) -> bool {
        match self.after.shares(node).count() {
            Some(count) => i32::try_from(count).is_ok(),
            None => false,
        }
    }

    /// Returns the changed part of a node that makes its line too long. `None` if PBS reads the line.
    fn length_fault(&self, node: NodeId) -> Option<NodeFault> {
        if !self.is_changed(node) {
            return None;
        }
        let mut line = Vec::new();
        match self.line_of[node.index()] {
            Some(place) => self.rewrite(place, node, &mut line),
            None => self.write(node, i32::MAX, &mut line),
        }
        if line.trim_ascii_end().len() <= LONGEST_LINE {
            return None;
        }
        let part = if self.has_new_name(node) {
            self.new_name(node)
        } else if self.has_new_parent(node) {
            self.new_place(node)
        } else {
            self.new_shares(node)
        };
        Some(NodeFault {
            node,
            part,
            reason: OmissionReason::LongLine,
        })
    }
}

/// Returns why a name cannot be in a line. `None` if it can.
fn name_fault(name: &[u8]) -> Option<OmissionReason> {
    let is_comment = matches!(name.first(), None | Some(b'#' | b'*'));
    let is_blank = matches!(name.first(), Some(b'\t'..=b'\r' | b' '));
    let is_cut = name.iter().any(|byte| b" \t\n\0".contains(byte));
    if is_comment || is_blank || is_cut {
        Some(OmissionReason::NotInLine)
    } else if matches!(name, ROOT_WORD | ROOT | UNKNOWN) {
        Some(OmissionReason::NameTaken)
    } else {
        None
    }
}
