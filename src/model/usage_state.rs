//! A scheduler's internal usage beyond the numbers it shows, so that simulated time continues exactly where it stopped.

use super::{Bins, NodeId, Order, Pace, Usage};
use crate::base::extended::Extended;
use std::sync::Arc;

/// A scheduler's internal usage at a moment. It applies only while the tree is as it was at that moment.
#[derive(Clone, Debug)]
pub struct UsageState {
    pub(super) order: Arc<Order>,
    pub(super) usage: Arc<Vec<Usage>>,
    pub(super) amounts: Amounts,
    pub(super) bins: Option<Arc<Bins>>,
    pub(super) period: Option<SteadyPeriod>,
}

/// The amounts in a scheduler's memory, by node id.
#[derive(Clone, Debug)]
pub enum Amounts {
    /// As the doubles of PBS, Flux and our own trees.
    Doubles(Vec<f64>),
    /// As the long doubles of Slurm.
    Long(Arc<Vec<Extended>>),
}

/// A period with the same half-life and pace, in which usage follows from its value at the beginning.
#[derive(Clone, Debug, PartialEq)]
pub struct SteadyPeriod {
    /// When it began, in seconds since the snapshot.
    pub since: u64,
    /// The half-life in seconds; 0 never decays.
    pub half_life: u32,
    /// The usage rates and campaigns.
    pub pace: Arc<Pace>,
}

impl UsageState {
    /// Returns the same state with the usage bins of flux-accounting.
    pub fn with_bins(mut self, bins: Arc<Bins>) -> Self {
        self.bins = Some(bins);
        self
    }

    /// Returns the usage bins. They describe a node's usage only while that is [`UsageState::usage`].
    pub fn bins(&self) -> Option<&Bins> {
        self.bins.as_deref()
    }

    /// Returns the usage that the tree had for a node at the moment of this state.
    pub fn usage(&self, node: NodeId) -> Usage {
        self.usage.get(node.index()).copied().unwrap_or(Usage::NONE)
    }

    /// Returns the same state with the amounts taken as those at the beginning of a period.
    pub fn at_begin_of(self, period: SteadyPeriod) -> Self {
        Self {
            period: Some(period),
            ..self
        }
    }

    /// Returns the amount of a node, rounded to a double; 0 for nodes that were added later.
    pub fn amount(&self, node: NodeId) -> f64 {
        match &self.amounts {
            Amounts::Doubles(amounts) => amounts.get(node.index()).copied().unwrap_or(0.0),
            Amounts::Long(amounts) => amounts.get(node.index()).map_or(0.0, |long| long.to_f64()),
        }
    }

    /// Returns the amounts by node id, or `None` if they are doubles.
    pub fn long(&self) -> Option<&[Extended]> {
        match &self.amounts {
            Amounts::Doubles(_) => None,
            Amounts::Long(amounts) => Some(amounts),
        }
    }

    /// Returns the period at whose beginning the amounts were noted, or `None` if they are those of the moment.
    pub fn period(&self) -> Option<&SteadyPeriod> {
        self.period.as_ref()
    }
}
