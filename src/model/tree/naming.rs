//! What an order of siblings by name follows from.

use super::Tree;
use crate::model::{Kind, Listing, NameId, Names, NodeId, Order};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The names, kinds and places of a tree's nodes, to tell whether a later tree has the same ones.
#[derive(Clone, Debug)]
pub struct Naming {
    order: Arc<Order>,
    names: Arc<Names>,
    name: Arc<Vec<NameId>>,
    kind: Arc<Vec<Kind>>,
    partition: Arc<BTreeMap<NodeId, NameId>>,
    listing: Option<Arc<Listing>>,
}

impl Naming {
    /// Returns whether a tree has these names, kinds and places. `false` may only mean that they are not the same ones
    /// in memory.
    #[must_use]
    pub fn is_of(&self, tree: &Tree) -> bool {
        let is_same_listing = match (&self.listing, &tree.listing) {
            (None, None) => true,
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            _ => false,
        };
        is_same_listing
            && Arc::ptr_eq(&self.order, &tree.shared_order())
            && Arc::ptr_eq(&self.names, &tree.names)
            && Arc::ptr_eq(&self.name, &tree.name)
            && Arc::ptr_eq(&self.kind, &tree.kind)
            && Arc::ptr_eq(&self.partition, &tree.partition)
    }
}

impl Tree {
    /// Returns the names, kinds and places of all nodes, for use after the tree's next change.
    #[must_use]
    pub fn naming(&self) -> Naming {
        Naming {
            order: self.shared_order(),
            names: Arc::clone(&self.names),
            name: Arc::clone(&self.name),
            kind: Arc::clone(&self.kind),
            partition: Arc::clone(&self.partition),
            listing: self.listing.clone(),
        }
    }
}
