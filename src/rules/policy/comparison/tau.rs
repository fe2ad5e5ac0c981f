//! Kendall's tau-b of two rankings.
//!
//! Uses the method of W. R. Knight, "A computer method for calculating Kendall's tau with ungrouped data", Journal of
//! the American Statistical Association 61, 1966. With the users in the order of one ranking, the pairs on which the
//! other disagrees are the exchanges that a sort by the other makes.

/// A ranking of users, who are numbered from 0 up.
pub(super) struct Ranking {
    /// By user: the rank; 0 where there is none.
    ranks: Vec<u32>,
    /// The users that have a rank, the smallest first.
    users: Vec<u32>,
}

impl Ranking {
    pub(super) fn of(ranks: Vec<u32>) -> Self {
        // No rank is larger than the number of users, so a counting sort works.
        let largest = ranks.iter().copied().max().unwrap_or(0) as usize;
        let mut places = vec![0; largest + 1];
        for &rank in ranks.iter().filter(|&&rank| rank > 0) {
            places[rank as usize] += 1;
        }
        let mut ranked = 0;
        for count in &mut places {
            ranked += std::mem::replace(count, ranked);
        }
        let mut users = vec![0; ranked];
        for (user, &rank) in (0..).zip(&ranks).filter(|&(_, &rank)| rank > 0) {
            let place: &mut usize = &mut places[rank as usize];
            users[*place] = user;
            *place += 1;
        }
        Self { ranks, users }
    }
}

/// Returns the number of pairs among `count` items.
fn pairs(count: usize) -> u64 {
    let count = count as u64;
    count * count.saturating_sub(1) / 2
}

/// Returns how many pairs in a sorted list are equal.
fn tied_pairs(sorted: &[u32]) -> u64 {
    sorted
        .chunk_by(PartialEq::eq)
        .map(|tied| pairs(tied.len()))
        .sum()
}

/// Returns Kendall's tau-b over the users that have a rank in both, or `None` if there are fewer than two, or if all of
/// them tie in one of the rankings.
pub(super) fn tau_b(first: &Ranking, second: &Ranking) -> Option<f64> {
    let mut ranks = Vec::with_capacity(first.users.len());
    let (mut tied_first, mut tied_both) = (0, 0);
    let rank = |user: u32| first.ranks[user as usize];
    for tied in first.users.chunk_by(|&a, &b| rank(a) == rank(b)) {
        let start = ranks.len();
        let others = tied.iter().map(|&user| second.ranks[user as usize]);
        ranks.extend(others.filter(|&other| other > 0));
        let tied = &mut ranks[start..];
        if tied.len() > 1 {
            tied.sort_unstable();
            tied_first += pairs(tied.len());
            tied_both += tied_pairs(tied);
        }
    }
    let all = pairs(ranks.len());
    let against = sort_counting(&mut ranks);
    let tied_second = tied_pairs(&ranks);
    let (told_first, told_second) = (all - tied_first, all - tied_second);
    if told_first == 0 || told_second == 0 {
        return None;
    }
    // The pairs that both rankings distinguish, whether they agree or not.
    let both = told_first + tied_both - tied_second;
    let surplus = (both - against) as f64 - against as f64;
    Some(surplus / (told_first as f64 * told_second as f64).sqrt())
}

/// Up to this length an insertion sort is faster than merging.
const SHORT: usize = 24;

/// Sorts, and returns how many pairs were in the wrong order.
fn sort_counting(numbers: &mut Vec<u32>) -> u64 {
    let mut exchanges = 0;
    for short in numbers.chunks_mut(SHORT) {
        exchanges += insert_counting(short);
    }
    let mut width = SHORT;
    let mut spare = vec![0; numbers.len()];
    while width < numbers.len() {
        for (from, to) in numbers.chunks(2 * width).zip(spare.chunks_mut(2 * width)) {
            let (left, right) = from.split_at(width.min(from.len()));
            exchanges += merge_counting(left, right, to);
        }
        std::mem::swap(numbers, &mut spare);
        width *= 2;
    }
    exchanges
}

fn insert_counting(numbers: &mut [u32]) -> u64 {
    let mut exchanges = 0;
    for end in 1..numbers.len() {
        let number = numbers[end];
        let mut place = end;
        while place > 0 && numbers[place - 1] > number {
            numbers[place] = numbers[place - 1];
            place -= 1;
        }
        numbers[place] = number;
        exchanges += (end - place) as u64;
    }
    exchanges
}

/// Merges two sorted halves. Each number of the right half passes what is left of the left one.
fn merge_counting(left: &[u32], right: &[u32], to: &mut [u32]) -> u64 {
    if right.is_empty() || left.last() <= right.first() {
        to[..left.len()].copy_from_slice(left);
        to[left.len()..].copy_from_slice(right);
        return 0;
    }
    let mut exchanges = 0;
    let (mut l, mut r) = (0, 0);
    for slot in to.iter_mut() {
        let takes_right = r < right.len() && (l == left.len() || right[r] < left[l]);
        if takes_right {
            *slot = right[r];
            exchanges += (left.len() - l) as u64;
            r += 1;
        } else {
            *slot = left[l];
            l += 1;
        }
    }
    exchanges
}

#[cfg(test)]
mod tests {
    use super::{Ranking, tau_b};
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn tau(first: &[u32], second: &[u32]) -> Option<f64> {
        tau_b(&Ranking::of(first.to_vec()), &Ranking::of(second.to_vec()))
    }

    /// Computes Kendall's tau-b as it is defined: pair by pair.
    fn by_definition(first: &[u32], second: &[u32]) -> Option<f64> {
        let both: Vec<_> = first
            .iter()
            .zip(second)
            .filter(|(a, b)| **a > 0 && **b > 0)
            .collect();
        let (mut surplus, mut told_first, mut told_second) = (0_i64, 0_i64, 0_i64);
        for (place, (a, b)) in both.iter().enumerate() {
            for (c, d) in &both[..place] {
                let [x, y] = [a.cmp(c) as i64, b.cmp(d) as i64];
                surplus += x * y;
                told_first += x * x;
                told_second += y * y;
            }
        }
        let scale = (told_first as f64 * told_second as f64).sqrt();
        (scale > 0.0).then(|| surplus as f64 / scale)
    }

    #[test]
    fn the_same_order_is_1_and_the_reverse_is_minus_1() {
        assert_eq!(tau(&[1, 2, 3], &[1, 2, 3]), Some(1.0));
        assert_eq!(tau(&[1, 2, 3], &[3, 2, 1]), Some(-1.0));
        assert_eq!(tau(&[1, 1, 3], &[2, 2, 9]), Some(1.0));
    }

    #[test]
    fn tau_is_none_if_all_ranks_tie() {
        assert_eq!(tau(&[], &[]), None);
        assert_eq!(tau(&[1], &[1]), None);
        assert_eq!(tau(&[1, 1], &[1, 2]), None);
        assert_eq!(tau(&[1, 2], &[1, 1]), None);
    }

    #[test]
    fn only_users_ranked_by_both_policies_count() {
        assert_eq!(tau(&[1, 2, 0, 3], &[1, 2, 3, 0]), Some(1.0));
        assert_eq!(tau(&[1, 0], &[0, 1]), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn the_fast_tau_equals_the_defined_tau(
            ranks in vec((0_u32..40, 0_u32..40), 0..120)
        ) {
            let (first, second): (Vec<u32>, Vec<u32>) = ranks.into_iter().unzip();
            let (quick, slow) = (tau(&first, &second), by_definition(&first, &second));
            prop_assert_eq!(quick.map(f64::to_bits), slow.map(f64::to_bits));
        }
    }
}
