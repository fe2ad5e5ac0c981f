//! Verifies the factors that Flux stored.

use super::given_tree::Interval;
use super::tally::{Judgement, Tally};
use super::{Detected, Evidence, Fit, Stale, Verification};
use crate::model::{Fact, Figure, Snapshot, Tree};
use crate::rules::policy::{ColumnId, Evaluation, Policy};

/// The precision of a stored factor: flux-accounting keeps six decimals.
const HALF_UNIT: f64 = 0.5e-6;

/// Verifies stored factors of active associations.
///
/// Flux writes all of them at once and nothing else ever does, so those that differ are of an earlier tree.
pub(super) fn verify(snapshot: &Snapshot) -> Verification {
    let tree = &snapshot.tree;
    let evaluation = Policy::Flux.evaluate(tree, &snapshot.settings);
    let mut tally = Tally::new(tree.node_count());
    let mut found = None;
    let judge = |position: usize, figure: Figure| {
        let computed = evaluation.number(ColumnId::Factor, tree.nodes()[position])?;
        let half = figure.half_unit().max(HALF_UNIT);
        let stored = Interval::between((figure.value - half).max(0.0), figure.value + half);
        let is_equal = stored.meets(Interval::exactly(computed)) || {
            let repeated = found.get_or_insert_with(|| repeated(tree, &evaluation));
            has_elsewhere(repeated, association(tree, position), stored)
        };
        Some(Judgement::equal_if(is_equal))
    };
    tally.compare(snapshot, &evaluation, Fact::Fairshare, judge);
    let (rows, misfits) = (tally.rows(), tally.misfits());
    let (older, fits) = (misfits, rows - misfits);
    Verification {
        columns: tally.columns,
        stale: (misfits > 0).then_some(Stale::Flux { older, rows }),
        detected: (rows > 0).then(|| Detected {
            policy: Policy::Flux,
            settings: Vec::new(),
            evidence: Evidence::FluxAlone(Fit { fits, rows }),
            certain: true,
        }),
        policy: Some(Policy::Flux),
        ..Verification::default()
    }
}

/// Returns the names of the bank and of the user, which identify Flux's associations, as numbers.
fn association(tree: &Tree, position: usize) -> (u32, u32) {
    let above = tree.order().above()[position] as usize;
    let name = |position: usize| {
        let name = tree.name_id(tree.nodes()[position]).index();
        u32::try_from(name).expect("a tree has fewer than 2^32 nodes, so fewer names")
    };
    (name(above), name(position))
}

/// Returns our factors of the associations that occur in several places of the tree, in the order of associations and
/// factors. The name of a bank can occur more than once. Its users then have a factor in each place, and Flux stores the last one it
/// computes.
fn repeated(tree: &Tree, evaluation: &Evaluation) -> Vec<((u32, u32), f64)> {
    let nodes = tree.nodes().iter().enumerate();
    let mut factors: Vec<_> = nodes
        .filter_map(|(position, &node)| {
            let factor = evaluation.number(ColumnId::Factor, node)?;
            Some((association(tree, position), factor))
        })
        .collect();
    factors.sort_unstable_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
    let places = factors.chunk_by(|(one, _), (other, _)| one == other);
    let repeated = places.filter(|places| places.len() > 1);
    repeated.flatten().copied().collect()
}

/// Returns whether an association that occurs in several places has the stored factor in one of them.
fn has_elsewhere(repeated: &[((u32, u32), f64)], own: (u32, u32), stored: Interval) -> bool {
    let is_before =
        |&(other, factor): &((u32, u32), f64)| other < own || (other == own && factor < stored.low);
    let next = repeated.get(repeated.partition_point(is_before));
    next.is_some_and(|&(other, factor)| other == own && factor <= stored.high)
}
