//! Usage that halves smoothly, for trees that no scheduler made: U × 2^(-t / half-life).
//!
//! What is used at a steady rate meanwhile decays as well: rate × half-life / ln 2 × (1 - 2^(-t / half-life)).

use super::charges::Charges;
use crate::model::{Kind, NodeId, Settings, Tree, Usage};
use std::f64::consts::LN_2;

/// Usage by node id.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    usage: Vec<Usage>,
}

/// The half-life in seconds; nothing where usage never decays.
fn half_life(settings: &Settings) -> Option<f64> {
    let seconds = settings.slurm.decay_half_life;
    (seconds > 0).then(|| f64::from(seconds))
}

/// The part of usage that is lost in a second.
pub(super) fn lost_per_second(settings: &Settings) -> f64 {
    half_life(settings).map_or(0.0, |half_life| LN_2 / half_life)
}

impl Memory {
    pub(super) fn of(tree: &Tree) -> Self {
        Self {
            usage: tree.shared_usage().as_ref().clone(),
        }
    }

    pub(super) fn usage(&self, node: NodeId) -> Usage {
        self.usage[node.index()]
    }

    /// Adds usage to a user, and to those accounts above it whose usage is stated.
    pub(super) fn charge(&mut self, tree: &Tree, node: NodeId, amount: f64) {
        let mut here = Some(node);
        while let Some(node) = here {
            let usage = &mut self.usage[node.index()];
            let stated = usage.amount();
            if let Some(before) = stated.or((tree.kind(node) == Kind::User).then_some(0.0)) {
                *usage = Usage::new(before + amount);
            }
            here = tree.parent(node);
        }
    }

    /// Lets time pass in which the same users use something.
    pub(super) fn pass(
        &mut self,
        tree: &Tree,
        settings: &Settings,
        charges: &Charges,
        from: u64,
        until: u64,
    ) {
        let seconds = (until - from) as f64;
        let left = half_life(settings).map_or(1.0, |half_life| (-seconds / half_life).exp2());
        let kept = half_life(settings).map_or(seconds, |half_life| half_life / LN_2 * (1.0 - left));
        for usage in &mut self.usage {
            // None stays none, for it is no number.
            if let Some(amount) = usage.amount() {
                *usage = Usage::new(amount * left);
            }
        }
        for (node, rate, _) in charges.between(from, until) {
            self.charge(tree, node, rate * kept);
        }
    }
}
