//! The two orders of PBS's users: without a formula (`compare_path`) and by `fairshare_factor`.

use crate::base::sort::ordered;
use crate::model::Tree;
use crate::rules::policy::blank::BlankNodes;
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
    blank: &BlankNodes,
    percentages: &[f32],
    ratios: &[f64],
) -> Vec<u32> {
    let ends = tree.order().ends();
    let mut is_user = Vec::with_capacity(ends.len());
    for (position, node) in tree.positions() {
        is_user.push(tree.is_user(node) && !blank.contains(position));
    }
    let users_within = tree.order().count_within(&is_user);
    let mut ranks = vec![0; is_user.len()];
    let mut family: Vec<Member> = Vec::new();
    let mut groups = Vec::new();
    visit_levels(tree, blank, |children, first_rank, next| {
        family.clear();
        for &position in children {
            let at = position as usize;
            family.push(Member {
                key: key(percentages[at], ratios[at]),
                position,
            });
        }
        family.sort_unstable();
        let mut rank = first_rank;
        for tied in family.chunk_by(|one, next| one.key == next.key) {
            groups.clear();
            let mut users_below = 0;
            // Users whose own path ends here come before those with more levels to compare.
            let mut ending = 0;
            for member in tied {
                let at = member.position as usize;
                let end = ends[at] as usize;
                users_below += users_within[at];
                let mut end_of_path = end;
                if percentages[at] > 0.0 {
                    end_of_path = at + 1;
                    if end > end_of_path {
                        groups.push(member.position);
                    }
                }
                for user in at..end_of_path {
                    if is_user[user] {
                        ranks[user] = rank;
                        ending += 1;
                    }
                }
            }
            if !groups.is_empty() {
                next.push(&groups, rank + ending);
            }
            rank += users_below;
        }
    });
    ranks
}

/// A member of a family, in the order of the walk.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Member {
    /// Its [`key`].
    key: u64,
    /// Its position in the tree's order.
    position: u32,
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

/// The users of a tree by a number of each.
pub(crate) struct RankedUsers {
    /// The rank of every user, by position; 0 for accounts and blank nodes.
    pub(crate) ranks: Vec<u32>,
    /// The users in the order of their ranks.
    pub(crate) ranking: Ranking,
}

impl RankedUsers {
    /// Ranks users by descending sort key, ties by the walk.
    pub(crate) fn by_key(sort_key: impl Fn(usize) -> f32, walk_ranks: &[u32]) -> Self {
        let by_walk = Ranking::from_ranks(walk_ranks);
        let mut users = Vec::with_capacity(by_walk.positions().len());
        for &position in by_walk.positions() {
            users.push((falling(sort_key(position as usize)), position));
        }
        // A stable sort keeps the walk's order where the keys tie.
        users.sort_by_key(|&(key, _)| key);
        let mut ranks = vec![0; walk_ranks.len()];
        let places = users.iter().map(|&(key, position)| {
            let walk_rank = walk_ranks[position as usize];
            ((key, walk_rank), position)
        });
        rank_in_order(places, &mut ranks);
        let positions = users.into_iter().map(|(_, position)| position);
        Self {
            ranks,
            ranking: Ranking::in_order(positions.collect()),
        }
    }
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
