//! The factors that Flux stored.

use super::interval::Interval;
use super::tally::{Judgement, Tally};
use crate::model::{Fact, Snapshot};
use crate::policy::{ColumnId, Evaluation};

/// How many decimals flux-accounting stores.
const DECIMALS: f64 = 0.5e-6;

/// Holds stored factors of active associations against ours.
pub(super) fn check(snapshot: &Snapshot, evaluation: &Evaluation) -> Tally {
    let tree = &snapshot.tree;
    let mut tally = Tally::new(tree.node_count());
    let judge = |position: usize, figure: crate::model::Figure| {
        let computed = evaluation.number(ColumnId::Factor, tree.nodes()[position])?;
        let half = figure.half_unit().max(DECIMALS);
        let stored = Interval::between((figure.value - half).max(0.0), figure.value + half);
        Some(Judgement::of(stored, Interval::exactly(computed)))
    };
    tally.compare(snapshot, Fact::Fairshare, judge, |node| {
        evaluation.number(ColumnId::Factor, node)
    });
    tally
}
