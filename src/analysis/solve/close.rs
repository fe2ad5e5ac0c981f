//! Users so close to each other that rounding decides which of them comes first, so that they may change places more
//! than once while shares grow.

use super::goal::best_user;
use super::positions::bits;
use crate::model::NodeId;
use crate::rules::policy::{ColumnId, Evaluation, Policy};
use crate::scenario::Scenario;

/// The users whose order against the best user of a node hangs on rounding, a bit each by position; empty where a
/// policy rounds so little that it does not matter.
pub(super) fn users_close(scenario: &Scenario, node: NodeId) -> Vec<u64> {
    let (tree, evaluation) = (scenario.tree(), scenario.evaluation());
    let Some(own) = best_user(tree, evaluation, node) else {
        return Vec::new();
    };
    let nodes = tree.nodes();
    let is_user = |position: usize| evaluation.ranks()[position] > 0;
    match scenario.policy() {
        Policy::Pbs => {
            let own = PbsOrder::of(evaluation, own);
            bits(nodes.len(), |position| {
                is_user(position) && PbsOrder::of(evaluation, nodes[position]).is_close(own)
            })
        }
        Policy::Tickets => {
            let tickets = |node| evaluation.number(ColumnId::Tickets, node).unwrap_or(0.0);
            let own = tickets(own);
            bits(nodes.len(), |position| {
                is_user(position) && (tickets(nodes[position]) - own).abs() <= CUT
            })
        }
        _ => Vec::new(),
    }
}

/// Tickets are cut to whole ones, those of a user and those of the account.
const CUT: f64 = 2.0;

/// A user as PBS orders it: by the factor with six decimals, and where these are the same by the walk.
#[derive(Clone, Copy)]
struct PbsOrder {
    factor: f64,
    walk_rank: f64,
}

impl PbsOrder {
    /// Factors this far apart never have the same six decimals, whatever the noise.
    const APART: f64 = 1.5e-6;

    /// By so much floats of 32 bits may shift a factor: 2^-24 a few times, and r 2^-r is at most 0.53.
    const NOISE: f64 = 3e-7;

    /// As near to 0 or to 1 as this all six decimals are the same.
    const END: f64 = 5e-7 - Self::NOISE;

    fn of(evaluation: &Evaluation, user: NodeId) -> Self {
        let number = |column| evaluation.number(column, user).unwrap_or(0.0);
        Self {
            factor: number(ColumnId::FairshareFactor),
            walk_rank: number(ColumnId::WalkRank),
        }
    }

    /// Whether the decimals or the walk may decide about the two, and decide differently.
    fn is_close(self, own: Self) -> bool {
        let further = self.factor - own.factor;
        if further.abs() >= Self::APART {
            return false;
        }
        // What both orders agree on stays: a factor that is larger is never printed as less.
        let walk = self.walk_rank - own.walk_rank;
        let is_alike = further == 0.0;
        let is_agreed = is_alike || (further > 0.0) == (walk < 0.0) && walk != 0.0;
        let is_at_an_end = [self.factor, own.factor]
            .iter()
            .all(|&factor| factor < Self::END || 1.0 - factor < Self::END);
        !(is_agreed && (is_alike || is_at_an_end || further.abs() >= Self::NOISE))
    }
}
