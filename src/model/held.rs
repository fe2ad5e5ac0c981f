//! What a scheduler holds of usage beside the number it shows, so that time goes on exactly where it stopped.

use super::{Bins, NodeId, Order, Tree, Usage};
use std::sync::Arc;

/// A scheduler's memory of usage at a moment: it counts only as long as the tree is the one of that moment.
#[derive(Clone, Debug)]
pub struct Held {
    order: Arc<Order>,
    usage: Arc<Vec<Usage>>,
    amounts: Vec<f64>,
    rests: Vec<f64>,
    bins: Option<Arc<Bins>>,
}

impl Held {
    /// The memory of a tree: by id, the amounts, and what each leaves of a longer number; none where a double holds it.
    #[must_use]
    pub fn of(tree: &Tree, amounts: Vec<f64>, rests: Vec<f64>) -> Self {
        Self {
            order: tree.shared_order(),
            usage: tree.shared_usage(),
            amounts,
            rests,
            bins: None,
        }
    }

    /// The same memory, with the usage bins of flux-accounting.
    #[must_use]
    pub fn with_bins(mut self, bins: Arc<Bins>) -> Self {
        self.bins = Some(bins);
        self
    }

    /// The usage bins, which say more of a node's usage only as long as that is [`Held::usage`].
    #[must_use]
    pub fn bins(&self) -> Option<&Bins> {
        self.bins.as_deref()
    }

    /// The usage that the tree had for a node at the moment of this memory.
    #[must_use]
    pub fn usage(&self, node: NodeId) -> Usage {
        self.usage.get(node.index()).copied().unwrap_or(Usage::NONE)
    }

    /// Whether it is of this tree: no node came, went or moved since, and no usage was changed.
    #[must_use]
    pub fn is_of(&self, tree: &Tree) -> bool {
        Arc::ptr_eq(&self.order, &tree.shared_order())
            && (Arc::ptr_eq(&self.usage, &tree.shared_usage()) || self.usage == tree.shared_usage())
    }

    /// The amount that is held for a node, rounded to a double, and the rest that this leaves.
    #[must_use]
    pub fn amount(&self, node: NodeId) -> (f64, f64) {
        let rest = self.rests.get(node.index()).copied().unwrap_or(0.0);
        (self.amounts[node.index()], rest)
    }
}
