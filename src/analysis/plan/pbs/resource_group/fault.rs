//! Why PBS cannot store a tree, node by node.

use super::{ROOT, ROOT_WORD, Rewriter, UNKNOWN};
use crate::analysis::plan::{Omission, OmissionReason, SharesFault};
use crate::format::pbs::write::LONGEST_LINE;
use crate::model::NodeId;
use hashbrown::HashMap;

/// A part of a node that PBS cannot store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeFault {
    pub(crate) node: NodeId,
    /// The part to omit.
    pub part: Omission,
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
    pub(super) fn check(&self, order: &[NodeId]) -> Result<(), Refusal> {
        let mut faults = Vec::new();
        let mut named: HashMap<&[u8], NodeId> = HashMap::with_capacity(order.len());
        for &node in order {
            let fault = self.fault(node);
            faults.extend(fault.map(|(part, reason)| NodeFault { node, part, reason }));
            if let Some(other) = named.insert(self.after.name(node), node) {
                let node = if self.has_new_name(node) { node } else { other };
                faults.push(NodeFault {
                    node,
                    part: self.new_name(node),
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

    fn has_new_name(&self, node: NodeId) -> bool {
        !self.before.contains(node) || self.before.name(node) != self.after.name(node)
    }

    /// Returns the part of a node that its new name belongs to.
    fn new_name(&self, node: NodeId) -> Omission {
        if self.before.contains(node) && self.has_new_name(node) {
            Omission::Name(node)
        } else {
            Omission::Place(node)
        }
    }

    /// Returns the changed part of a node that no line can express, and why. `None` if a line can.
    fn fault(&self, node: NodeId) -> Option<(Omission, OmissionReason)> {
        let (name, parent) = (self.after.name(node), self.parent_word(node));
        let old = self.line_of[node.index()];
        let is_old = self.before.contains(node);
        let has_old_name = old.is_some() && self.before.name(node) == name;
        if !has_old_name && let Some(reason) = name_fault(name) {
            return Some((self.new_name(node), reason));
        }
        if parent == ROOT_WORD && self.after.parent(node) != Some(NodeId::ROOT) {
            return Some((self.new_place(node), OmissionReason::BelowRootWord));
        }
        let shares_part = if is_old {
            Omission::Shares(node)
        } else {
            Omission::Place(node)
        };
        let has_old_shares = old.is_some() && self.before.shares(node) == self.after.shares(node);
        let count = self.after.shares(node).count();
        let is_held = count.is_some_and(|count| i32::try_from(count).is_ok());
        if !is_held && !has_old_shares {
            return Some((shares_part, OmissionReason::Shares(SharesFault::NotHeld)));
        }
        let mut line = Vec::new();
        match old {
            Some(place) if !self.is_changed(node) && self.lines[place].is_whole => return None,
            Some(place) => self.rewrite(place, node, &mut line),
            None => self.write(node, i32::MAX, &mut line),
        }
        if line.trim_ascii_end().len() <= LONGEST_LINE || !self.is_changed(node) {
            return None;
        }
        let part = if self.has_new_name(node) {
            self.new_name(node)
        } else if self.has_new_parent(node) {
            self.new_place(node)
        } else {
            shares_part
        };
        Some((part, OmissionReason::LongLine))
    }

    /// Returns the changed part behind a new parent word: the place of the node, or the name of its account.
    fn new_place(&self, node: NodeId) -> Omission {
        let above = self.after.parent(node).unwrap_or(NodeId::ROOT);
        let is_moved = self.before.contains(node) && self.before.parent(node) != Some(above);
        if is_moved || !self.before.contains(node) {
            Omission::Place(node)
        } else {
            self.new_name(above)
        }
    }
}

fn name_fault(name: &[u8]) -> Option<OmissionReason> {
    let first = name.first().copied().unwrap_or(b'#');
    if matches!(first, b'#' | b'*' | b'\t'..=b'\r' | b' ')
        || name.iter().any(|byte| b" \t\n\0".contains(byte))
    {
        return Some(OmissionReason::NotInLine);
    }
    matches!(name, ROOT_WORD | ROOT | UNKNOWN).then_some(OmissionReason::NameTaken)
}
