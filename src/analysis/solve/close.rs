//! Near ties: users so close that rounding decides which of them comes first. They may change places more than once as
//! shares grow.

use super::goal::best_user;
use crate::model::NodeId;
use crate::rules::policy::{ColumnId, Evaluation, Policy};
use crate::scenario::Scenario;

/// Returns, by position, whether rounding decides a user's order relative to a node's best user. Empty if it cannot.
pub(super) fn users_close(scenario: &Scenario, node: NodeId) -> Vec<bool> {
    let (tree, evaluation) = (scenario.tree(), scenario.evaluation());
    let Some(own) = best_user(tree, evaluation, node) else {
        return Vec::new();
    };
    let users = |is_close: &dyn Fn(NodeId) -> bool| {
        let nodes = tree.nodes().iter().zip(evaluation.ranks());
        nodes
            .map(|(&node, &rank)| rank > 0 && is_close(node))
            .collect()
    };
    match scenario.policy() {
        Policy::Pbs => {
            let own = PbsOrder::of(evaluation, own);
            users(&|node| PbsOrder::of(evaluation, node).is_close(own))
        }
        Policy::Tickets => {
            let tickets = |node| evaluation.number(ColumnId::Tickets, node).unwrap_or(0.0);
            let own = tickets(own);
            users(&|node| (tickets(node) - own).abs() <= TRUNCATION)
        }
        _ => Vec::new(),
    }
}

/// The largest difference that truncation makes: the tickets of the user and those of the account are whole numbers.
const TRUNCATION: f64 = 2.0;

/// The numbers by which PBS orders a user: the factor with six decimals, then the rank in the walk of the tree.
#[derive(Clone, Copy)]
struct PbsOrder {
    factor: f64,
    walk_rank: f64,
}

impl PbsOrder {
    /// Factors this far apart never print the same six decimals, even with rounding errors.
    const APART: f64 = 1.5e-6;

    /// The largest error of a factor from 32-bit floats: a few times 2^-24, as r 2^-r is at most 0.53.
    const NOISE: f64 = 3e-7;

    /// Factors this close to 0 or to 1 all print the same six decimals.
    const END: f64 = 5e-7 - Self::NOISE;

    fn of(evaluation: &Evaluation, user: NodeId) -> Self {
        let number = |column| evaluation.number(column, user).unwrap_or(0.0);
        Self {
            factor: number(ColumnId::FairshareFactor),
            walk_rank: number(ColumnId::WalkRank),
        }
    }

    /// Returns whether the decimals or the walk may decide the order of the two, with different results.
    fn is_close(self, own: Self) -> bool {
        let further = self.factor - own.factor;
        if further.abs() >= Self::APART {
            return false;
        }
        // If both orders agree, rounding changes nothing: a larger factor never prints as a smaller one.
        let walk = self.walk_rank - own.walk_rank;
        let is_alike = further == 0.0;
        let is_agreed = is_alike || (further > 0.0) == (walk < 0.0) && walk != 0.0;
        let is_at_an_end = [self.factor, own.factor]
            .iter()
            .all(|&factor| factor < Self::END || 1.0 - factor < Self::END);
        !(is_agreed && (is_alike || is_at_an_end || further.abs() >= Self::NOISE))
    }
}
