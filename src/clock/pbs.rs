//! PBS's clock: whole intervals, 32-bit factor, and never below 1.
//!
//! At the start of a cycle the scheduler decays while more than an interval has gone by since the last decay, and then
//! takes the last whole interval for the time of the last decay (`decay_fairshare_tree`, `update_last_running`). What
//! ran since the last cycle is added to the entity and to everything above it. Every node has its own number, the root
//! and `unknown` included, and a number below 1 is 1.

use crate::model::{Kind, NodeId, Pbs, Tree, Usage};
use crate::policy::pbs::{INITIAL_USAGE, usage_in_memory};

/// Seconds between cycles: what `scheduler_iteration` is unless it is set.
pub(super) const CYCLE: u64 = 600;

/// Usage as the scheduler has it in memory, by node id.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    usage: Vec<f64>,
}

impl Memory {
    pub(super) fn of(tree: &Tree) -> Self {
        let held = tree.held();
        let usage = held.map_or_else(
            || usage_in_memory(tree),
            |held| {
                let ids = 0..tree.id_count();
                ids.map(|index| held.amount(NodeId::from_index(index)).0)
                    .collect()
            },
        );
        Self { usage }
    }

    /// The usage in memory.
    pub(super) fn in_memory(&self, node: NodeId) -> f64 {
        self.usage[node.index()]
    }

    /// What PBS would write to its usage file: only what has no children, and not what is 1.
    pub(super) fn usage(&self, tree: &Tree, node: NodeId) -> Usage {
        let amount = self.usage[node.index()];
        if tree.kind(node) == Kind::Account || amount == INITIAL_USAGE {
            return Usage::NONE;
        }
        Usage::new(amount)
    }

    pub(super) fn charge(&mut self, tree: &Tree, node: NodeId, amount: f64) {
        let mut here = Some(node);
        while let Some(node) = here {
            self.usage[node.index()] += amount;
            here = tree.parent(node);
        }
    }

    /// Multiplies all usage once (`decay_fairshare_tree`).
    pub(super) fn decay(&mut self, factor: f32) {
        let factor = f64::from(factor);
        for usage in &mut self.usage {
            let decayed = *usage * factor;
            *usage = if decayed < INITIAL_USAGE {
                INITIAL_USAGE
            } else {
                decayed
            };
        }
    }

    /// The start of a cycle: decays, and notes when PBS believes to have done so.
    pub(super) fn cycle(&mut self, settings: &mut Pbs, now: i64) {
        if settings.last_decay == 0 {
            // PBS takes the present for the last decay where none is noted.
            settings.last_decay = now;
        }
        let Ok(interval @ 1..) = u64::try_from(settings.fairshare_decay_time) else {
            return;
        };
        let elapsed = u64::try_from(now.saturating_sub(settings.last_decay)).unwrap_or(0);
        let times = elapsed.saturating_sub(1) / interval;
        for _ in 0..times {
            // What is 1 stays so: the rest of a long pause needs no counting.
            if self.usage.iter().all(|&usage| usage == INITIAL_USAGE) {
                break;
            }
            self.decay(settings.fairshare_decay_factor);
        }
        if times > 0 {
            settings.last_decay = now.saturating_sub_unsigned(elapsed % interval);
        }
    }
}

/// The part of usage that is lost in a second, as the mean of an interval.
pub(super) fn lost_per_second(settings: &Pbs) -> f64 {
    match u64::try_from(settings.fairshare_decay_time) {
        Ok(interval @ 1..) => (1.0 - f64::from(settings.fairshare_decay_factor)) / interval as f64,
        _ => 0.0,
    }
}
