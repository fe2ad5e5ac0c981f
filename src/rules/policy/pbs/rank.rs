//! The two orders of PBS's users: without a formula (`compare_path`) and by `fairshare_factor`.

use crate::base::sort::ordered;
use crate::model::{Kind, Tree};
use crate::rules::policy::levels::visit_levels;
use crate::rules::policy::ranking::{Ranking, rank_in_order};

/// Returns the number that `compare_path` compares at one level, as an integer of the same order: usage/perc, and for a
/// node at or below 0 % more than any other number, infinity included.
pub(super) fn key(percentage: f32, usage_over_perc: f64) -> u64 {
    // A negative percentage has a negative ratio, but PBS looks at the percentage first.
    if percentage > 0.0 {
        // -0 and 0 are equal to PBS, too.
        ordered(usage_over_perc)
    } else {
        u64::MAX
    }
}

/// Returns the place of every user in PBS's order without a formula, by position; 0 for accounts and blank nodes.
///
/// `compare_path` walks two paths in step and takes the first level at which usage/perc differs. Members of tied groups
/// are compared with each other. Its relation is not transitive between nodes of different depths, so this is the total
/// order that reproduces the real `sort_jobs`: the vectors of ratios from depth 1 down, compared lexicographically, a
/// prefix first. A node at or below 0 % comes after all others and ends the vector.
pub(super) fn walk_ranks(
    tree: &Tree,
    blank: Option<&[bool]>,
    percentages: &[f32],
    ratios: &[f64],
) -> Vec<u32> {
    let ends = tree.order().ends();
    let is_counted = |position: usize| !blank.is_some_and(|blank| blank[position]);
    let nodes = tree.nodes().iter().enumerate();
    let is_user = nodes.map(|(at, &node)| is_counted(at) && tree.kind(node) == Kind::User);
    let is_user: Vec<bool> = is_user.collect();
    let users_within = tree.order().count_within(&is_user);
    let mut ranks = vec![0; is_user.len()];
    let mut family: Vec<(u64, u32)> = Vec::new();
    let mut groups = Vec::new();
    visit_levels(tree, is_counted, |children, first_rank, next| {
        let keyed = children.iter().map(|&child| {
            let at = child as usize;
            (key(percentages[at], ratios[at]), child)
        });
        family.clear();
        family.extend(keyed);
        family.sort_unstable();
        let mut rank = first_rank;
        for tied in family.chunk_by(|(a, _), (b, _)| a == b) {
            groups.clear();
            // Users whose own path ends here come before those with more levels to compare.
            let mut ending = 0;
            for &(_, position) in tied {
                let at = position as usize;
                let ends_here = if percentages[at] > 0.0 {
                    if ends[at] as usize > at + 1 {
                        groups.push(position);
                    }
                    at..at + 1
                } else {
                    at..ends[at] as usize
                };
                for user in ends_here.filter(|&at| is_user[at]) {
                    ranks[user] = rank;
                    ending += 1;
                }
            }
            if !groups.is_empty() {
                next.push(&groups, rank + ending);
            }
            let users = tied.iter().map(|&(_, at)| users_within[at as usize]);
            rank += users.sum::<u32>();
        }
    });
    ranks
}

/// Returns a number as a formula sees it: printed with six decimals and read back (`formula_evaluate`).
pub(crate) fn printed(number: f64) -> f64 {
    const MILLION: f64 = 1e6;
    let scaled = number * MILLION;
    let below = scaled.floor();
    let rest = scaled - below;
    // The product is off by less than 1e-9 in this range, so the digits matter only near a half.
    let is_clear = (0.0..=1.0).contains(&number) && (rest - 0.5).abs() > 1e-6;
    if is_clear {
        let millionths = if rest > 0.5 { below + 1.0 } else { below };
        millionths / MILLION
    } else if number.is_finite() {
        format!("{number:.6}").parse().unwrap_or(f64::NAN)
    } else {
        number
    }
}

/// Returns the factor in a job's sort key: printed for the formula, and stored in a 32-bit float.
#[expect(
    clippy::cast_possible_truncation,
    reason = "PBS stores a job's formula value in a 32-bit float"
)]
pub(super) fn sort_key(factor: f64) -> f32 {
    printed(factor) as f32
}

/// Returns, by position, the rank of every user by descending sort key, ties by the walk; 0 for accounts and blank
/// nodes. And the users in this order.
pub(crate) fn ranks(sort_key: impl Fn(usize) -> f32, walk_ranks: &[u32]) -> (Vec<u32>, Ranking) {
    let by_walk = Ranking::of(walk_ranks);
    let key = |&position: &u32| (falling(sort_key(position as usize)), position);
    let mut users: Vec<(u32, u32)> = by_walk.positions().iter().map(key).collect();
    // A stable sort keeps the walk's order where the keys tie.
    users.sort_by_key(|&(key, _)| key);
    let mut ranks = vec![0; walk_ranks.len()];
    let places = users.iter().map(|&(key, position)| {
        let walk_rank = walk_ranks[position as usize];
        ((key, walk_rank), position)
    });
    rank_in_order(places, &mut ranks);
    let positions = users.into_iter().map(|(_, position)| position);
    (ranks, Ranking::in_order(positions.collect()))
}

/// Returns a float as an integer of the opposite order: the largest first, NaN last.
fn falling(number: f32) -> u32 {
    if number.is_nan() {
        return u32::MAX;
    }
    let bits = (number + 0.0).to_bits();
    let rising = if bits >> 31 == 0 {
        bits | 1 << 31
    } else {
        !bits
    };
    !rising
}
