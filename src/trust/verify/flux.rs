//! Verifies the factors that Flux stored.

use super::interval::Interval;
use super::tally::{Judgement, Tally};
use super::{Detected, Evidence, Fit, Stale, Verification};
use crate::model::{Fact, Incomplete, NameId, Snapshot, Tree};
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
    let factors = OnceCell::new();
    let fact = Fact::FluxFairshare;
    tally.compare(snapshot, &evaluation, fact, |position, figure| {
        let computed = evaluation.number(ColumnId::Factor, tree.nodes()[position])?;
        let half = figure.half_unit().max(HALF_UNIT);
        let stored = Interval::between((figure.value - half).max(0.0), figure.value + half);
        if stored.contains(computed) {
            return Some(Judgement::Equal);
        }
        // The name of a bank can occur more than once. Its users then have a factor in each place, and Flux stores the
        // last one it computes.
        let everywhere = factors.get_or_init(|| all_factors(tree, &evaluation));
        let mut own = everywhere[&Association::at(tree, position)].iter();
        let is_equal = own.any(|&factor| stored.contains(factor));
        Some(Judgement::equal_if(is_equal))
    });
    let rows = tally.rows();
    let older = tally.misfits();
    let mut verification = Verification {
        columns: tally.columns,
        policy: Some(Policy::Flux),
        ..Verification::default()
    };
    if older > 0 && is_of_larger_tree(snapshot, &evaluation) {
        verification.columns.clear();
        verification.unverified = Some(Incomplete::OneBank);
        return verification;
    }
    if older > 0 {
        verification.stale = Some(Stale::Flux { older, rows });
    }
    if rows > 0 {
        let fits = rows - older;
        let evidence = Evidence::FluxAlone(Fit { fits, rows });
        verification.detected = Some(Detected::certain(Policy::Flux, evidence));
    }
    verification
}

/// Returns whether the stored factors are those of a larger tree, of which this is one bank: nobody has 1, which the user
/// visited first has, and the users are in the order of these factors.
fn is_of_larger_tree(snapshot: &Snapshot, evaluation: &Evaluation) -> bool {
    let ranks = evaluation.ranks();
    let mut stored = Vec::new();
    for (position, node) in snapshot.tree.positions() {
        let figure = snapshot.recorded.figure(Fact::FluxFairshare, node);
        if let Some(figure) = figure
            && ranks[position] > 0
        {
            stored.push((ranks[position], figure.value));
        }
    }
    // Of one user any factor is in order.
    if stored.len() < 2 {
        return false;
    }
    stored.sort_unstable_by_key(|&(rank, _)| rank);
    for pair in stored.windows(2) {
        let falls = pair[0].1 > pair[1].1;
        let is_tie = pair[0].0 == pair[1].0;
        if is_tie == falls {
            return false;
        }
    }
    stored[0].1 < 1.0 - HALF_UNIT
}

/// What identifies an association in Flux.
#[derive(PartialEq, Eq, Hash)]
struct Association {
    bank: NameId,
    user: NameId,
}

impl Association {
    /// Names the association of a position in the tree.
    fn at(tree: &Tree, position: usize) -> Self {
        let above = tree.above()[position] as usize;
        Self {
            bank: tree.name_id(tree.nodes()[above]),
            user: tree.name_id(tree.nodes()[position]),
        }
    }
}

/// Returns our factors of each association, one for each of its places in the tree.
fn all_factors(tree: &Tree, evaluation: &Evaluation) -> HashMap<Association, Vec<f64>> {
    let mut factors: HashMap<_, Vec<f64>> = HashMap::new();
    for (position, node) in tree.positions() {
        let own = factors.entry(Association::at(tree, position)).or_default();
        own.extend(evaluation.number(ColumnId::Factor, node));
    }
    factors
}
