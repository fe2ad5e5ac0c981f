//! Usage that halves smoothly: U × 2^(-t / half-life).

use super::Progress;
use crate::model::{NodeId, Settings, Tree, Usage};
use std::ops::ControlFlow;

/// Usage by node id.
#[derive(Clone, Debug)]
pub(super) struct Plain {
    usage: Vec<Usage>,
}

impl Plain {
    pub(super) fn of(tree: &Tree) -> Self {
        let ids = 0..tree.id_count();
        Self {
            usage: ids
                .map(|index| tree.usage(NodeId::from_index(index)))
                .collect(),
        }
    }

    pub(super) fn usage(&self, node: NodeId) -> Usage {
        self.usage[node.index()]
    }

    pub(super) fn charge(&mut self, tree: &Tree, node: NodeId, amount: f64) {
        let mut here = Some(node);
        while let Some(node) = here {
            let before = self.usage[node.index()].amount();
            if let Some(before) = before.or((here == Some(node)).then_some(0.0)) {
                self.usage[node.index()] = Usage::new(before + amount);
            }
            here = tree.parent(node);
        }
    }

    pub(super) fn advance(
        &mut self,
        tree: &Tree,
        settings: &mut Settings,
        seconds: u64,
        _progress: Progress<'_>,
    ) -> ControlFlow<()> {
        let half_life = f64::from(settings.slurm.decay_half_life);
        let factor = (-(seconds as f64) / half_life).exp2();
        for usage in &mut self.usage {
            if let Some(amount) = usage.amount() {
                *usage = Usage::new(amount * factor);
            }
        }
        let pace = std::sync::Arc::clone(&settings.time.pace);
        for (node, rate) in pace.rates() {
            self.charge(tree, node, rate * seconds as f64);
        }
        settings.time.passed += seconds;
        ControlFlow::Continue(())
    }
}
