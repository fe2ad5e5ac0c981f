//! Shares far above those of the siblings: a digit too many, or another unit.

use super::{NAMED, View, shares};
use crate::base::number::{counted, grouped};
use crate::base::shown::{Shown, sentence};
use crate::format::Problem;
use crate::model::{Kind, NodeId};
use std::collections::HashMap;

/// The factor by which an outlier exceeds the next of its siblings.
///
/// A digit too many makes ten times as much. Shares of real sites are spread wide, but without such gaps: of 93 versions
/// of the shares of 250 to 300 labs (from 1 to 387,000, in the middle 220 to 720) and 64 of those of 35 to 53 projects
/// (from 1 to 5,506) none has one. Five times the middle, on the other hand, is what up to 65 labs had.
const GAP: i64 = 10;

/// The fewest siblings among which there can be an outlier.
const FAMILY: usize = 4;

/// An outlier, and the shares of the next of its siblings.
struct Outlier {
    node: NodeId,
    shares: i64,
    next: i64,
}

/// Returns one finding for the whole tree, or `None` without outliers.
///
/// A node stands out if it and all above it in a family of at least [`FAMILY`] siblings with shares have [`GAP`] times
/// the next of them, which stands in the upper half, and if no other node of the tree of its kind has as many: what
/// several have is a class, not a slip.
pub(super) fn finding(view: &View<'_>) -> Option<Problem> {
    let tree = view.tree;
    let mut common: HashMap<(Kind, i64), usize> = HashMap::new();
    for &node in tree.nodes() {
        *common
            .entry((tree.kind(node), shares(view, node)))
            .or_insert(0) += 1;
    }
    let mut found = Vec::new();
    let mut family = Vec::new();
    for &parent in tree.nodes() {
        if tree.has_children(parent) {
            outliers(view, parent, &mut family, &mut found);
        }
    }
    found.retain(|it| common[&(tree.kind(it.node), it.shares)] == 1);
    let advice = "if this is not intended, look for an extra digit or for shares in another unit";
    let message = match &found[..] {
        [] => return None,
        [one] => sentence!(
            "{} has {} shares, {} times the {} of its next sibling: each of its siblings gets little",
            view.path(one.node),
            grouped(one.shares),
            grouped(one.shares / one.next),
            grouped(one.next),
        ),
        _ => {
            // The farthest out first.
            found.sort_by_key(|it| std::cmp::Reverse(it.shares / it.next));
            let named = found.iter().take(NAMED).map(|it| {
                let (shares, next) = (grouped(it.shares), grouped(it.next));
                sentence!("{} ({shares}, next {next})", view.path(it.node))
            });
            let mut named: Vec<Shown> = named.collect();
            if found.len() > NAMED {
                named.push(sentence!("{} more", found.len() - NAMED));
            }
            sentence!(
                "{} have at least {GAP} times the shares of their next sibling: {}; each of the others gets little",
                counted(found.len(), "node", "nodes"),
                named.join(", "),
            )
        }
    };
    Some(super::finding(view, "share-outlier", message, advice))
}

/// Adds the children whose shares are outliers.
fn outliers(
    view: &View<'_>,
    parent: NodeId,
    family: &mut Vec<(i64, NodeId)>,
    found: &mut Vec<Outlier>,
) {
    family.clear();
    let children = view.tree.children(parent);
    let with_shares = children
        .filter(|&child| Some(child) != view.tree.unknown())
        .map(|child| (shares(view, child), child))
        .filter(|&(count, _)| count > 0);
    family.extend(with_shares);
    if family.len() < FAMILY {
        return;
    }
    family.sort_unstable();
    let upper = family.len() / 2;
    let is_gap = |place: &usize| family[*place].0 / GAP >= family[*place - 1].0;
    if let Some(first) = (upper + 1..family.len()).find(is_gap) {
        let next = family[first - 1].0;
        let outliers = family[first..].iter();
        found.extend(outliers.map(|&(shares, node)| Outlier { node, shares, next }));
    }
}
