//! The policy that the numbers of an output reveal.

use super::{Row, Rows};
use crate::format::slurm::ROOT;
use crate::model::{Fact, Figure, Figures};
use crate::rules::policy::Policy;

/// Half a unit of the last digit of numbers with six decimals.
const DIGIT: f64 = 5e-7;

/// The largest `FairShareDampeningFactor` that is looked for.
const MOST_DAMPENING: f64 = 100.0;

/// Returns classic if users are missing, so that nothing can be computed again, but every printed factor can be a classic
/// one of the two numbers beside it under some dampening. Fair Tree's fit at most by chance.
pub(crate) fn policy_of_factors(rows: &Rows) -> Option<Policy> {
    rows.incomplete?;
    // Only under classic rules all shares are the root's portion.
    if let Some(portion) = portion_of_root(rows)
        && portion < 1.0
    {
        return None;
    }
    let factors = rows.figures(Fact::FairShare)?;
    let effective = rows.figures(Fact::EffectvUsage)?;
    let targets = rows.figures(Fact::NormShares)?;
    let mut policy = None;
    for place in 0..rows.rows.len() {
        if let Some(factor) = number(factors, place)
            && let Some(usage) = number(effective, place)
            && let Some(target) = number(targets, place)
        {
            if !is_classic(factor, usage, target) {
                return None;
            }
            policy = Some(Policy::Classic);
        }
    }
    policy
}

/// Returns whether an output has factors of users but of no account, and the root's portion is not all shares: so it is
/// under Fair Tree only.
pub(crate) fn ranks_only_users(rows: &Rows) -> bool {
    let Some(factors) = rows.figures(Fact::FairShare) else {
        return false;
    };
    let mut has_ranks = false;
    for (place, row) in rows.rows.iter().enumerate() {
        if factors.at(place).is_some() {
            if row.user.is_none() {
                return false;
            }
            has_ranks = true;
        }
    }
    let is_below_all = match portion_of_root(rows) {
        Some(portion) => portion < 1.0,
        None => false,
    };
    has_ranks && is_below_all
}

/// Returns the `NormShares` of the account root; `None` if it is not listed.
fn portion_of_root(rows: &Rows) -> Option<f64> {
    let root = rows.names.find(ROOT)?;
    let mut places = rows.rows.iter();
    let place = places.position(|row| row.is_top() && row.account == root)?;
    Some(rows.figures(Fact::NormShares)?.at(place)?.value)
}

/// Returns a printed number of a row; `None` for an empty cell and one that is 0 but for rounding.
fn number(figures: &Figures, place: usize) -> Option<f64> {
    let value = figures.at(place)?.value;
    if value <= DIGIT {
        return None;
    }
    Some(value)
}

/// Returns whether a printed factor can be 2^(-usage / target / dampening), with a whole dampening.
fn is_classic(factor: f64, usage: f64, target: f64) -> bool {
    let power = (-factor.log2()).max(DIGIT);
    let dampening = usage / target / power;
    let nearest = dampening.round().clamp(1.0, MOST_DAMPENING);
    let mut error = DIGIT / usage;
    error += DIGIT / target;
    error += 2.0 * DIGIT / factor / power;
    let difference = dampening - nearest;
    difference.abs() <= nearest * error
}

/// Detects the policy of an output that always prints the same fields, and drops those that its rule does not compute.
pub(crate) fn settle_policy(rows: &mut Rows) {
    let has_levels = has_numbers(rows, Fact::LevelFs);
    let has_factors = has_numbers(rows, Fact::FairShare);
    // Only Fair Tree has levels, and only under the other rules the root's part of all shares is 1: classic, or
    // DEPTH_OBLIVIOUS, which can be distinguished only by the configuration.
    rows.policy = match part_of_root(rows) {
        _ if has_levels => Some(Policy::FairTree),
        Some(1.0) => Some(Policy::Classic),
        Some(part) if part < 1.0 => Some(Policy::FairTree),
        _ => None,
    };
    let is_fair_tree = rows.policy == Some(Policy::FairTree);
    rows.figures.retain(|(fact, _)| match fact {
        Fact::LevelFs => is_fair_tree,
        // Under classic rules the controller keeps no factors up to 25.05.
        Fact::FairShare => is_fair_tree || has_factors,
        _ => true,
    });
    for (fact, figures) in &mut rows.figures {
        if *fact != Fact::FairShare {
            continue;
        }
        for (place, row) in rows.rows.iter().enumerate() {
            // Fair Tree ranks only users. Classic rules also give accounts factors, but not the root.
            let is_unranked_account = is_fair_tree && row.user.is_none();
            if is_unranked_account || row.is_top() {
                let none = Figure::exact(f64::NAN);
                figures.set_at(place, none);
            }
        }
    }
}

/// Returns whether every `LevelFS` is 0, also that of a row with shares. So `sshare` fills the column under classic rules,
/// which compute none.
pub(crate) fn fills_levels(rows: &Rows) -> bool {
    let Some(portions) = rows.figures(Fact::NormShares) else {
        return false;
    };
    let Some(levels) = rows.figures(Fact::LevelFs) else {
        return false;
    };
    let mut has_zero = false;
    for place in 0..rows.rows.len() {
        if let Some(level) = levels.at(place)
            && level.value != 0.0
        {
            return false;
        }
        has_zero |= levels.at(place).is_some() && number(portions, place).is_some();
    }
    has_zero
}

/// Returns whether a column has a number other than 0.
pub(crate) fn has_numbers(rows: &Rows, fact: Fact) -> bool {
    let Some(figures) = rows.figures(fact) else {
        return false;
    };
    for place in 0..rows.rows.len() {
        if let Some(figure) = figures.at(place)
            && figure.value != 0.0
        {
            return true;
        }
    }
    false
}

/// Returns the `NormShares` of the first account without another above it.
fn part_of_root(rows: &Rows) -> Option<f64> {
    let root = rows.rows.iter().position(Row::is_top)?;
    let figures = rows.figures(Fact::NormShares)?;
    let part = figures.at(root)?;
    Some(part.value)
}
