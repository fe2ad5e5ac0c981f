//! The factors that Flux stored.

use super::interval::Interval;
use super::tally::{Judgement, Tally};
use super::{Detected, Verification};
use crate::model::{Fact, Figure, Settings, Snapshot};
use crate::number::grouped;
use crate::policy::{ColumnId, Policy};

/// How exact a factor is that flux-accounting stored: it keeps six decimals.
const HALF_UNIT: f64 = 0.5e-6;

/// Holds stored factors of active associations against ours.
///
/// Flux writes all of them at once and nothing else ever does, so those that differ are of an earlier tree.
pub(super) fn verify(snapshot: &Snapshot, policy: Policy, settings: &Settings) -> Verification {
    if policy != Policy::Flux {
        return Verification::default();
    }
    let tree = &snapshot.tree;
    let evaluation = policy.evaluate(tree, settings);
    let mut tally = Tally::new(tree.node_count());
    let judge = |position: usize, figure: Figure| {
        let computed = evaluation.number(ColumnId::Factor, tree.nodes()[position])?;
        let half = figure.half_unit().max(HALF_UNIT);
        let stored = Interval::between((figure.value - half).max(0.0), figure.value + half);
        Some(Judgement::of(stored, Interval::exactly(computed)))
    };
    tally.compare(snapshot, Fact::Fairshare, judge, |node| {
        evaluation.number(ColumnId::Factor, node)
    });
    let (rows, misfits) = (tally.rows(), tally.misfits());
    if rows == 0 {
        return Verification::default();
    }
    let count = |number: usize| grouped(i64::try_from(number).unwrap_or(i64::MAX));
    let stale = (misfits > 0).then(|| {
        format!(
            "{} of {} stored fairshare are older than the shares and usage beside them: Flux computes them only \
             when it is told to",
            count(misfits),
            count(rows)
        )
    });
    let detected = Detected {
        policy,
        settings: Vec::new(),
        evidence: format!(
            "Flux has one rule, and {} of {} stored fairshare are what it gives",
            count(rows - misfits),
            count(rows)
        ),
        certain: true,
    };
    Verification {
        columns: tally.columns,
        stale,
        detected: Some(detected),
        ..Verification::default()
    }
}
