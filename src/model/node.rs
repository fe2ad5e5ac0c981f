//! Identifiers and kinds of nodes.

use crate::base::table::table;
use std::sync::Arc;

/// A node, for the life of a snapshot and of all its scenarios. Ids are never reused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    /// No node: the parent of the root, the sibling after the last.
    pub(super) const NONE: Self = Self(u32::MAX);

    /// The root of every tree.
    pub const ROOT: Self = Self(0);

    /// Returns the node's place in a column.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the node at a place of a column.
    pub fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).expect("a tree has fewer than 2^32 nodes"))
    }
}

/// What the ids of a tree mean: equal for the clones of a tree, until one of them adds a node.
#[derive(Clone, Debug, Default)]
pub struct Ids(Arc<()>);

impl PartialEq for Ids {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Ids {}

table! {
    /// Whether a node groups others, can own jobs, or stands for what is not listed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Kind {
        Account, "account", "An inner node: PBS group, Slurm account, Flux bank. The root is one";
        User, "user", "A leaf that can own jobs: PBS entity, Slurm user association, Flux association";
        Others, "others", "All that a level has and the source does not list: shares and usage, without a rank";
    }
}
