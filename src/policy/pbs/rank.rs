//! The two orders of PBS's users: without a formula (`compare_path`) and by `fairshare_factor`.

use crate::model::{Kind, NodeId, Tree};

/// The number `compare_path` compares at one level, as an integer of the same order: usage/perc, and for a
/// node at or below 0 % more than any other.
pub(super) fn key(percentage: f32, usage_over_perc: f64) -> u64 {
    // A negative percentage has a negative ratio, but PBS looks at the percentage first.
    let ratio = if percentage > 0.0 {
        usage_over_perc
    } else {
        f64::INFINITY
    };
    // -0 and 0 are equal to PBS.
    let bits = (ratio + 0.0).to_bits();
    if bits >> 63 == 0 {
        bits | 1 << 63
    } else {
        !bits
    }
}

/// A set of nodes that `compare_path` cannot tell apart: same depth, equal ratios all the way down.
struct Class {
    parent: usize,
    /// Users whose own path ends here.
    users: u32,
    /// Users here and in the classes below.
    total: u32,
}

/// The place of every user in PBS's order without a formula; 0 for accounts and blank nodes.
///
/// `compare_path` walks two paths in step and takes the first level at which usage/perc differs; members of
/// tied groups are compared with each other. Its relation is not transitive where depths differ, so this is
/// the total order that reproduces the real `sort_jobs`: the vectors of ratios from depth 1 down, compared
/// lexicographically, a prefix first; a node at or below 0 % counts as infinite and ends the vector.
pub(super) fn walk_ranks(
    tree: &Tree,
    blank: Option<&[bool]>,
    percentages: &[f32],
    ratios: &[f64],
) -> Vec<u32> {
    let mut class_of = vec![0_u32; tree.id_count()];
    let mut classes = vec![Class {
        parent: 0,
        users: 0,
        total: 0,
    }];
    // Nodes of the level above in the order of their classes, then those of this level.
    let mut above = vec![NodeId::ROOT];
    let mut level: Vec<(u64, NodeId)> = Vec::new();
    let mut next = Vec::new();
    while !above.is_empty() {
        let mut start = 0;
        while start < above.len() {
            let parent = class_of[above[start].index()];
            let end = start
                + above[start..]
                    .iter()
                    .take_while(|node| class_of[node.index()] == parent)
                    .count();
            level.clear();
            for &node in &above[start..end] {
                let children = tree
                    .children(node)
                    .filter(|child| !blank.is_some_and(|blank| blank[child.index()]));
                level.extend(children.map(|child| {
                    (
                        key(percentages[child.index()], ratios[child.index()]),
                        child,
                    )
                }));
            }
            if !level.is_sorted_by_key(|&(key, _)| key) {
                level.sort_unstable();
            }
            let mut last_key = None;
            for &(key, node) in &level {
                if last_key.replace(key) != Some(key) {
                    classes.push(Class {
                        parent: parent as usize,
                        users: 0,
                        total: 0,
                    });
                }
                let class = classes.len() - 1;
                let ends_here = percentages[node.index()] <= 0.0;
                let members = if ends_here {
                    tree.order().span(node)
                } else {
                    0..0
                };
                let id = u32::try_from(class).expect("there are no more classes than nodes");
                class_of[node.index()] = id;
                for &member in &tree.nodes()[members] {
                    class_of[member.index()] = id;
                    classes[class].users += u32::from(tree.kind(member) == Kind::User);
                }
                if !ends_here {
                    classes[class].users += u32::from(tree.kind(node) == Kind::User);
                    if tree.has_children(node) {
                        next.push(node);
                    }
                }
            }
            start = end;
        }
        above.clear();
        std::mem::swap(&mut above, &mut next);
    }
    places(tree, blank, &class_of, &mut classes)
}

/// Counts through the classes: a class's own users come first, then the classes below it in their order.
fn places(
    tree: &Tree,
    blank: Option<&[bool]>,
    class_of: &[u32],
    classes: &mut [Class],
) -> Vec<u32> {
    for class in (1..classes.len()).rev() {
        classes[class].total += classes[class].users;
        let (total, parent) = (classes[class].total, classes[class].parent);
        classes[parent].total += total;
    }
    let mut first = vec![1_u32; classes.len()];
    let mut free: Vec<u32> = vec![1; classes.len()];
    for class in 1..classes.len() {
        let parent = classes[class].parent;
        first[class] = free[parent];
        free[parent] += classes[class].total;
        free[class] = first[class] + classes[class].users;
    }
    let mut ranks = vec![0; tree.id_count()];
    for &node in tree.nodes() {
        if tree.kind(node) == Kind::User && !blank.is_some_and(|blank| blank[node.index()]) {
            ranks[node.index()] = first[class_of[node.index()] as usize];
        }
    }
    ranks
}

/// The factor as it reaches a job's sort key: printed with six decimals for the formula, read back, and
/// stored in a 32-bit float (`formula_evaluate`).
#[expect(
    clippy::cast_possible_truncation,
    reason = "PBS stores a job's formula value in a 32-bit float"
)]
pub(super) fn sort_key(factor: f64) -> f32 {
    const MILLION: f64 = 1e6;
    let scaled = factor * MILLION;
    let below = scaled.floor();
    let rest = scaled - below;
    // The product is off by less than 1e-9 in this range, so only near a half the digits must be looked at.
    let is_clear = (0.0..=1.0).contains(&factor) && (rest - 0.5).abs() > 1e-6;
    if is_clear {
        let millionths = if rest > 0.5 { below + 1.0 } else { below };
        (millionths / MILLION) as f32
    } else if factor.is_finite() {
        format!("{factor:.6}")
            .parse::<f64>()
            .map_or(f32::NAN, |printed| printed as f32)
    } else {
        factor as f32
    }
}

/// The rank of every user by falling sort key, ties by the walk; 0 for accounts and blank nodes.
pub(super) fn ranks(tree: &Tree, factors: &[f64], walk_ranks: &[u32]) -> Vec<u32> {
    let mut users: Vec<(u64, NodeId)> = tree
        .nodes()
        .iter()
        .filter(|node| walk_ranks[node.index()] > 0)
        .map(|&node| {
            let walk = u64::from(walk_ranks[node.index()]);
            (
                u64::from(falling(sort_key(factors[node.index()]))) << 32 | walk,
                node,
            )
        })
        .collect();
    users.sort_unstable();
    let mut ranks = vec![0; tree.id_count()];
    let mut rank = 0;
    let mut last_key = None;
    for (place, &(key, node)) in (1..).zip(&users) {
        if last_key.replace(key) != Some(key) {
            rank = place;
        }
        ranks[node.index()] = rank;
    }
    ranks
}

/// A float as an integer of the opposite order: the largest first, NaN last.
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
