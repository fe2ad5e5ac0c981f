//! Verifies the factors that Flux stored.

use super::given_tree::Interval;
use super::tally::{Judgement, Tally};
use super::{Detected, Evidence, Fit, Stale, Verification};
use crate::model::{Fact, Figure, NameId, Snapshot, Tree};
use crate::rules::policy::{ColumnId, Evaluation, Policy};
use std::cell::OnceCell;
use std::collections::HashMap;

/// The precision of a stored factor: flux-accounting keeps six decimals.
const HALF_UNIT: f64 = 0.5e-6;

/// Verifies stored factors of active associations.
///
/// Flux writes all of them at once and nothing else ever does, so those that differ are of an earlier tree.
pub(super) fn verify(snapshot: &Snapshot) -> Verification {
    let tree = &snapshot.tree;
    let evaluation = Policy::Flux.evaluate(tree, &snapshot.settings);
    let mut tally = Tally::new(tree.node_count());
    let elsewhere = OnceCell::new();
    let judge = |position: usize, figure: Figure| {
        let computed = evaluation.number(ColumnId::Factor, tree.nodes()[position])?;
        let half = figure.half_unit().max(HALF_UNIT);
        let stored = Interval::between((figure.value - half).max(0.0), figure.value + half);
        let is_equal = stored.meets(Interval::exactly(computed)) || {
            // The name of a bank can occur more than once. Its users then have a factor in each place, and Flux stores the
            // last one it computes.
            let factors = elsewhere.get_or_init(|| factors(tree, &evaluation));
            let own = factors.get(&association(tree, position));
            let mut own = own.into_iter().flatten();
            own.any(|&factor| stored.meets(Interval::exactly(factor)))
        };
        Some(Judgement::equal_if(is_equal))
    };
    tally.compare(snapshot, &evaluation, Fact::FluxFairshare, judge);
    let (rows, misfits) = (tally.rows(), tally.misfits());
    let (older, fits) = (misfits, rows - misfits);
    Verification {
        columns: tally.columns,
        stale: (misfits > 0).then_some(Stale::Flux { older, rows }),
        detected: (rows > 0)
            .then(|| Detected::certain(Policy::Flux, Evidence::FluxAlone(Fit { fits, rows }))),
        policy: Some(Policy::Flux),
        ..Verification::default()
    }
}

/// Returns the names of the bank and of the user, which identify Flux's associations.
fn association(tree: &Tree, position: usize) -> [NameId; 2] {
    let above = tree.order().above()[position] as usize;
    [above, position].map(|position| tree.name_id(tree.nodes()[position]))
}

/// Returns our factors of each association, one for each of its places in the tree.
fn factors(tree: &Tree, evaluation: &Evaluation) -> HashMap<[NameId; 2], Vec<f64>> {
    let mut factors: HashMap<_, Vec<f64>> = HashMap::new();
    for (position, &node) in tree.nodes().iter().enumerate() {
        let own = factors.entry(association(tree, position)).or_default();
        own.extend(evaluation.number(ColumnId::Factor, node));
    }
    factors
}
