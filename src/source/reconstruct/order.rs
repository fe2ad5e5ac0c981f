//! The order in which Fair Tree visited siblings, derived from the printed factors.

use crate::model::{Fact, Figure, NodeId, Snapshot};
use crate::rules::policy::slurm::Associations;
use std::collections::HashSet;

/// The ranks below a node: those of the first and of the last user visited there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RankSpan {
    /// The number of the user visited first; numbers descend from the number of users.
    pub(super) first: u32,
    /// The number of the user visited last.
    pub(super) last: u32,
}

/// The printed ranks of a whole tree.
pub(super) struct Visits {
    /// By position: the ranks in the node's subtree, itself included; `None` without ranked users.
    blocks: Vec<Option<RankSpan>>,
    /// Whether equal numbers are equal ranks: the printed digits distinguish all ranks.
    pub(super) are_ranks: bool,
}

impl Visits {
    /// Returns the printed ranks, or `None` if there are none, or they are not ranks of these users.
    pub(super) fn of(
        snapshot: &Snapshot,
        associations: &Associations,
        impossible: &HashSet<(Fact, NodeId)>,
    ) -> Option<Self> {
        let figures = snapshot.recorded.figures(Fact::FairShare)?;
        let nodes = snapshot.tree.nodes();
        let user_count = u32::try_from(snapshot.tree.user_count()).ok()?;
        let count = f64::from(user_count);
        let figure = |position: usize| {
            let node = nodes[position];
            let figure = figures.get(node)?;
            let is_possible =
                impossible.is_empty() || !impossible.contains(&(Fact::FairShare, node));
            (is_possible && associations.is_user[position]).then_some(figure)
        };
        let coarsest = (0..nodes.len()).filter_map(figure).map(Figure::half_unit);
        let coarsest = coarsest.fold(0.0, f64::max);
        // There are too few digits if another rank would be printed in the same way.
        let are_ranks = coarsest * count < 0.5;
        let mut blocks = vec![None; nodes.len()];
        for (position, block) in blocks.iter_mut().enumerate() {
            let Some(figure) = figure(position) else {
                continue;
            };
            let unit = if are_ranks {
                1.0 / count
            } else {
                2.0 * coarsest
            };
            let number = whole(figure.value / unit)?;
            if are_ranks && (number == 0 || number > user_count) {
                return None;
            }
            *block = Some(RankSpan {
                first: number,
                last: number,
            });
        }
        for position in (1..blocks.len()).rev() {
            let parent = associations.fair_share_parent[position] as usize;
            if let Some(own) = blocks[position] {
                let all: &mut RankSpan = blocks[parent].get_or_insert(own);
                all.first = all.first.max(own.first);
                all.last = all.last.min(own.last);
            }
        }
        Some(Self { blocks, are_ranks })
    }

    /// Returns the ranks below a node, or `None` if there are none.
    pub(super) fn below(&self, position: u32) -> Option<RankSpan> {
        self.blocks[position as usize]
    }
}

/// Returns a number from 0 up as a whole one, or `None` if it does not fit.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number is asked first whether it fits"
)]
fn whole(number: f64) -> Option<u32> {
    let number = number.round();
    (0.0..=f64::from(u32::MAX))
        .contains(&number)
        .then_some(number as u32)
}
