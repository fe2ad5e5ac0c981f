//! What the numbers of an output reveal, and which of its columns have no meaning.

use super::rows::{Row, Rows};
use crate::model::{Fact, Figure, Figures};
use crate::rules::policy::Policy;

/// Detects the policy of an output that always prints the same fields, and drops those that its rule does not compute.
pub(super) fn settle(rows: &mut Rows) {
    let has = |fact| {
        let figures = column(rows, fact);
        let mut figures = (0..rows.rows.len()).filter_map(|row| figures?.at(row));
        figures.any(|figure| figure.value != 0.0)
    };
    let (has_levels, has_factors) = (has(Fact::LevelFs), has(Fact::FairShare));
    let is_top = |row: &Row| row.user.is_none() && row.parent.is_none();
    let top = rows.rows.iter().position(is_top);
    let part = top.and_then(|top| column(rows, Fact::NormShares)?.at(top));
    rows.policy = policy(has_levels, part.map(|figure| figure.value));
    let is_fair_tree = rows.policy == Some(Policy::FairTree);
    rows.figures.retain(|(fact, _)| match fact {
        Fact::LevelFs => is_fair_tree,
        // Under classic rules the controller keeps no factors up to 25.05.
        Fact::FairShare => is_fair_tree || has_factors,
        _ => true,
    });
    let factors = rows.figures.iter_mut();
    let factors = factors.filter(|(fact, _)| *fact == Fact::FairShare);
    for (_, factors) in factors {
        for (place, row) in rows.rows.iter().enumerate() {
            // Fair Tree ranks only users. Classic rules also give accounts factors, but not the root.
            if is_top(row) || (is_fair_tree && row.user.is_none()) {
                factors.set_at(place, Figure::exact(f64::NAN));
            }
        }
    }
}

/// Returns a column of numbers, row by row, or `None` if it is missing.
fn column(rows: &Rows, fact: Fact) -> Option<&Figures> {
    let column = rows.figures.iter().find(|(known, _)| *known == fact);
    column.map(|(_, figures)| figures)
}

/// Returns the policy that the numbers reveal. Only Fair Tree has levels, and only under the other rules the root's
/// part of all shares is 1: classic, or DEPTH_OBLIVIOUS, which can be distinguished only by the configuration.
fn policy(has_levels: bool, part_of_root: Option<f64>) -> Option<Policy> {
    match part_of_root {
        _ if has_levels => Some(Policy::FairTree),
        Some(1.0) => Some(Policy::Classic),
        Some(part) if part < 1.0 => Some(Policy::FairTree),
        _ => None,
    }
}
