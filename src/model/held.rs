//! What a scheduler holds of usage beside the number it shows, so that time goes on exactly where it stopped.

use super::{NodeId, Order, Pace, Tree, Usage};
use std::sync::Arc;

/// A scheduler's memory of usage at a moment: it counts only as long as the tree is the one of that moment.
#[derive(Clone, Debug)]
pub struct Held {
    order: Arc<Order>,
    usage: Arc<Vec<Usage>>,
    amounts: Vec<f64>,
    rests: Vec<f64>,
    stretch: Option<Stretch>,
}

/// A stretch of time in which the same rule went on, where usage follows from what it was at the beginning.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    /// When it began, in seconds since the snapshot.
    pub since: u64,
    /// The half-life in it, in seconds; 0 never decays.
    pub half_life: u32,
    /// Who used how much in it.
    pub pace: Arc<Pace>,
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
            stretch: None,
        }
    }

    /// The same, where the amounts are those at the beginning of a stretch of time.
    #[must_use]
    pub fn at_begin_of(self, stretch: Stretch) -> Self {
        Self {
            stretch: Some(stretch),
            ..self
        }
    }

    /// Whether it is of this tree: no node came, went or moved since, and no usage was changed; or all of that was
    /// taken back.
    #[must_use]
    pub fn is_of(&self, tree: &Tree) -> bool {
        let (order, usage) = (tree.shared_order(), tree.shared_usage());
        let has_order = Arc::ptr_eq(&self.order, &order)
            || (self.order.nodes() == order.nodes() && self.order.above() == order.above());
        // Nodes that were added and taken out again have later ids.
        has_order
            && (Arc::ptr_eq(&self.usage, &usage)
                || usage.get(..self.usage.len()) == Some(&self.usage))
    }

    /// The amount that is held for a node, rounded to a double, and the rest that this leaves.
    #[must_use]
    pub fn amount(&self, node: NodeId) -> (f64, f64) {
        let at = |column: &[f64]| column.get(node.index()).copied().unwrap_or(0.0);
        (at(&self.amounts), at(&self.rests))
    }

    /// Whether amounts are longer than doubles, as Slurm holds them.
    #[must_use]
    pub fn is_long(&self) -> bool {
        !self.rests.is_empty()
    }

    /// The stretch of time at whose beginning the amounts were held; nothing where they are those of the moment.
    #[must_use]
    pub fn stretch(&self) -> Option<&Stretch> {
        self.stretch.as_ref()
    }
}
