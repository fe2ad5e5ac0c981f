//! What a scheduler holds of usage beside the number it shows, so that time goes on exactly where it stopped.

use super::{Bins, NodeId, Order, Pace, Usage};
use crate::base::extended::Extended;
use std::sync::Arc;

/// A scheduler's memory of usage at a moment: it counts only as long as the tree is the one of that moment.
#[derive(Clone, Debug)]
pub struct UsageState {
    pub(super) order: Arc<Order>,
    pub(super) usage: Arc<Vec<Usage>>,
    pub(super) amounts: Amounts,
    pub(super) bins: Option<Arc<Bins>>,
    pub(super) period: Option<SteadyPeriod>,
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
pub struct SteadyPeriod {
    /// When it began, in seconds since the snapshot.
    pub since: u64,
    /// The half-life in it, in seconds; 0 never decays.
    pub half_life: u32,
    /// Who used how much in it.
    pub pace: Arc<Pace>,
}

impl UsageState {
    /// The same memory, with the usage bins of flux-accounting.
    #[must_use]
    pub fn with_bins(mut self, bins: Arc<Bins>) -> Self {
        self.bins = Some(bins);
        self
    }

    /// Returns the usage bins, which say more of a node's usage only as long as that is [`UsageState::usage`].
    #[must_use]
    pub fn bins(&self) -> Option<&Bins> {
        self.bins.as_deref()
    }

    /// Returns the usage that the tree had for a node at the moment of this memory.
    #[must_use]
    pub fn usage(&self, node: NodeId) -> Usage {
        self.usage.get(node.index()).copied().unwrap_or(Usage::NONE)
    }

    /// The same, where the amounts are those at the beginning of a stretch of time.
    #[must_use]
    pub fn at_begin_of(self, period: SteadyPeriod) -> Self {
        Self {
            period: Some(period),
            ..self
        }
    }

    /// Returns the amount that is held for a node, rounded to a double; 0 for nodes that came later.
    #[must_use]
    pub fn amount(&self, node: NodeId) -> f64 {
        match &self.amounts {
            Amounts::Doubles(amounts) => amounts.get(node.index()).copied().unwrap_or(0.0),
            Amounts::Long(amounts) => amounts.get(node.index()).map_or(0.0, |long| long.to_f64()),
        }
    }

    /// Returns the amounts by node id, where they are longer than doubles.
    #[must_use]
    pub fn long(&self) -> Option<&[Extended]> {
        match &self.amounts {
            Amounts::Doubles(_) => None,
            Amounts::Long(amounts) => Some(amounts),
        }
    }

    /// Returns the stretch of time at whose beginning the amounts were held, or `None` where they are those of the
    /// moment.
    #[must_use]
    pub fn period(&self) -> Option<&SteadyPeriod> {
        self.period.as_ref()
    }
}
