//! Verifies the factors that Flux stored.

use super::interval::Interval;
use super::tally::{Judgement, Tally};
use super::{Detected, Evidence, Fit, Stale, Verification};
use crate::model::{Fact, Figure, NameId, Settings, Snapshot, Tree};
use crate::rules::policy::{ColumnId, Evaluation, Policy};
use std::collections::HashMap;

/// The precision of a stored factor: flux-accounting keeps six decimals.
const HALF_UNIT: f64 = 0.5e-6;

/// Verifies stored factors of active associations.
///
/// Flux writes all of them at once and nothing else ever does, so those that differ are of an earlier tree.
pub(super) fn verify(snapshot: &Snapshot, policy: Policy, settings: &Settings) -> Verification {
    if policy != Policy::Flux {
        return Verification::default();
    }
    let tree = &snapshot.tree;
    let evaluation = policy.evaluate(tree, settings);
    let mut tally = Tally::new(tree.node_count());
    let mut places = None;
    let judge = |position: usize, figure: Figure| {
        let computed = evaluation.number(ColumnId::Factor, tree.nodes()[position])?;
        let half = figure.half_unit().max(HALF_UNIT);
        let stored = Interval::between((figure.value - half).max(0.0), figure.value + half);
        let is_stored = |computed: f64| stored.meets(Interval::exactly(computed));
        if is_stored(computed) {
            return Some(Judgement::Equal);
        }
        let places = places.get_or_insert_with(|| factors(tree, &evaluation));
        let elsewhere = places.get(&association(tree, position));
        let is_of_another = elsewhere.is_some_and(|all| all.iter().copied().any(is_stored));
        Some(if is_of_another {
            Judgement::Equal
        } else {
            Judgement::Differs
        })
    };
    tally.compare(snapshot, Fact::Fairshare, judge, |node| {
        evaluation.number(ColumnId::Factor, node)
    });
    let (rows, misfits) = (tally.rows(), tally.misfits());
    if rows == 0 {
        return Verification::default();
    }
    let stale = (misfits > 0).then_some(Stale::Flux {
        older: misfits,
        rows,
    });
    let fits = rows - misfits;
    let detected = Detected {
        policy,
        settings: Vec::new(),
        evidence: Evidence::FluxAlone(Fit { fits, rows }),
        certain: true,
    };
    Verification {
        columns: tally.columns,
        stale,
        detected: Some(detected),
        ..Verification::default()
    }
}

/// Returns the names of the bank and of the user, which identify Flux's associations.
fn association(tree: &Tree, position: usize) -> (NameId, NameId) {
    let above = tree.order().above()[position] as usize;
    let name = |position: usize| tree.name_id(tree.nodes()[position]);
    (name(above), name(position))
}

/// Returns our factors by association. A bank's name can occur in several places of the tree. Its users then have a
/// factor in each, and Flux stores the last one it computes.
fn factors(tree: &Tree, evaluation: &Evaluation) -> HashMap<(NameId, NameId), Vec<f64>> {
    let mut factors: HashMap<_, Vec<f64>> = HashMap::new();
    for (position, &node) in tree.nodes().iter().enumerate() {
        if let Some(factor) = evaluation.number(ColumnId::Factor, node) {
            let all = factors.entry(association(tree, position)).or_default();
            all.push(factor);
        }
    }
    factors
}
