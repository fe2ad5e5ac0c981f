//! Users in the order of one number.

use crate::base::sort::rising;
use crate::rules::policy::ranking::rank_in_order;

/// Returns a number as an integer of the opposite order: the largest first, a NaN last.
pub(in crate::rules::policy) fn key(number: f64) -> u64 {
    !rising(number)
}

/// Returns, by position, the rank of every user, the largest number first. Equal numbers share a rank, a NaN ranks
/// last, and accounts have 0.
pub(in crate::rules::policy) fn ranks(is_user: &[bool], numbers: &[f64]) -> Vec<u32> {
    let mut users: Vec<(u64, u32)> = (0..)
        .zip(is_user.iter().zip(numbers))
        .filter(|(_, (is_user, _))| **is_user)
        .map(|(position, (_, &number))| (key(number), position))
        .collect();
    users.sort_unstable();
    let mut ranks = vec![0; numbers.len()];
    rank_in_order(users.into_iter(), &mut ranks);
    ranks
}
