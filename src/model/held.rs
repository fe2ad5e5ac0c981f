//! What a scheduler holds of usage beside the number it shows, so that time goes on exactly where it stopped.

mod carried;

use super::{Bins, NodeId, Order, Pace, Tree, Usage};
use crate::base::extended::Extended;
use std::sync::Arc;

/// A scheduler's memory of usage at a moment: it counts only as long as the tree is the one of that moment.
#[derive(Clone, Debug)]
pub struct Held {
    order: Arc<Order>,
    usage: Arc<Vec<Usage>>,
    amounts: Amounts,
    bins: Option<Arc<Bins>>,
    stretch: Option<Stretch>,
}

/// The amounts that a scheduler has in memory, by node id.
#[derive(Clone, Debug)]
pub enum Amounts {
    /// As the doubles of PBS, Flux and our own trees.
    Doubles(Vec<f64>),
    /// As the long doubles of Slurm.
    Long(Arc<Vec<Extended>>),
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
    /// The memory of a tree.
    #[must_use]
    pub fn of(tree: &Tree, amounts: Amounts) -> Self {
        Self {
            order: tree.shared_order(),
            usage: tree.shared_usage(),
            amounts,
            bins: None,
            stretch: None,
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

    /// Returns the amounts of a tree's nodes in its order, each changed by as much as the tree's usage was since; `None`
    /// where they are no longer than doubles.
    pub(super) fn amounts_in(&self, tree: &Tree) -> Option<Vec<Extended>> {
        let amounts = self.long()?;
        if !self.is_of(tree) {
            return Some(carried::carried(self, amounts, tree));
        }
        let amount = |node: &NodeId| amounts.get(node.index()).copied();
        let nodes = tree.nodes().iter();
        Some(
            nodes
                .map(|node| amount(node).unwrap_or(Extended::ZERO))
                .collect(),
        )
    }

    /// The amount that is held for a node, rounded to a double; 0 for nodes that came later.
    #[must_use]
    pub fn amount(&self, node: NodeId) -> f64 {
        match &self.amounts {
            Amounts::Doubles(amounts) => amounts.get(node.index()).copied().unwrap_or(0.0),
            Amounts::Long(amounts) => amounts.get(node.index()).map_or(0.0, |long| long.to_f64()),
        }
    }

    /// The amounts by node id, where they are longer than doubles.
    #[must_use]
    pub fn long(&self) -> Option<&[Extended]> {
        match &self.amounts {
            Amounts::Doubles(_) => None,
            Amounts::Long(amounts) => Some(amounts),
        }
    }

    /// The stretch of time at whose beginning the amounts were held; nothing where they are those of the moment.
    #[must_use]
    pub fn stretch(&self) -> Option<&Stretch> {
        self.stretch.as_ref()
    }
}
