//! Repeated lookup of nodes by path or by a unique name.

use crate::model::{DEEPEST_PATH, NodeId, Paths, Tree, escape_name, resolve};
use std::collections::HashMap;

/// The nodes of a tree by path and name, with an index because a table may name a hundred thousand siblings.
pub(super) struct Nodes<'a> {
    tree: &'a Tree,
    by_path: HashMap<String, NodeId>,
    /// Built when a table first names something that is no path; `None` for a name that occurs twice.
    by_name: Option<HashMap<String, Option<NodeId>>>,
}

impl<'a> Nodes<'a> {
    pub(super) fn new(tree: &'a Tree) -> Self {
        let mut paths = Paths::new(tree);
        let mut by_path = HashMap::with_capacity(tree.node_count());
        for &node in tree.nodes() {
            if let Some(path) = paths.next(node) {
                by_path.insert(path.to_owned(), node);
            }
        }
        Self {
            tree,
            by_path,
            by_name: None,
        }
    }

    /// Returns the node of that path or unique name, or `None`.
    pub(super) fn find(&mut self, text: &[u8]) -> Option<NodeId> {
        let text_of_path = std::str::from_utf8(text).ok();
        let known = text_of_path.and_then(|text| self.by_path.get(text));
        if let Some(&node) = known {
            return Some(node);
        }
        // Escapes may be written in more than one way, and what lies very deep is not in the table.
        let is_plain = |text: &&str| {
            let steps = text.bytes().filter(|&byte| byte == b'/').count();
            !text.contains(['\\', '@', '#']) && steps < DEEPEST_PATH as usize
        };
        let Some(plain) = text_of_path.filter(is_plain) else {
            return resolve(self.tree, text).ok();
        };
        if plain.contains('/') {
            return None;
        }
        let by_name = self.by_name.get_or_insert_with(|| by_name(self.tree));
        by_name.get(plain).copied().flatten()
    }
}

fn by_name(tree: &Tree) -> HashMap<String, Option<NodeId>> {
    let mut by_name = HashMap::with_capacity(tree.node_count());
    for &node in tree.nodes() {
        by_name
            .entry(escape_name(tree.name(node)))
            .and_modify(|known| *known = None)
            .or_insert(Some(node));
    }
    by_name
}
