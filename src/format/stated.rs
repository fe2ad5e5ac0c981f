//! Usage that a source states for an account, beside the usage of its users: a sum, so the two should agree.

use super::problem::{Place, Problems, Severity};
use crate::base::number::amount;
use crate::base::shown::{sentence, shown};
use crate::model::{NodeId, Tree, path_for_people};

/// The part by which a sum may differ because its numbers were rounded.
const ROUNDING: f64 = 1e-6;

/// The usage that a row states for an account with members.
pub(super) struct StatedSum {
    pub(super) account: NodeId,
    pub(super) usage: f64,
    /// The line of the row; 0 if it has none.
    pub(super) line: u64,
}

/// Which of the two is computed with where they differ.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SumSource {
    /// What the row states: more than the users have may have been used by users that were removed.
    Stated,
    /// The usage of the users, which PBS adds up.
    Users,
}

/// The usage of the members below a position, and how many of them have any.
#[derive(Clone, Copy, Default)]
struct MemberUsage {
    /// The sum of their usage.
    total: f64,
    /// How many of them have any.
    members: f64,
    /// Whether each amount is a whole number.
    is_whole: bool,
}

impl MemberUsage {
    /// Returns the usage of one node, as far as it counts in the accounts above.
    fn of_node(tree: &Tree, node: NodeId) -> Self {
        match tree.usage(node).amount() {
            Some(own) if tree.counts_above(node) => Self {
                total: own,
                members: 1.0,
                is_whole: own.fract() == 0.0,
            },
            _ => Self {
                total: 0.0,
                members: 0.0,
                is_whole: true,
            },
        }
    }

    /// Adds what is below to what is above.
    fn plus(above: Self, below: Self) -> Self {
        Self {
            total: above.total + below.total,
            members: above.members + below.members,
            is_whole: above.is_whole && below.is_whole,
        }
    }
}

/// Reports the accounts whose stated usage is not that of their users. Whole numbers may be cut, and PBS starts an
/// account at 1, so these may differ by 1 for each member and the account.
pub(super) fn check(
    tree: &Tree,
    stated: &[StatedSum],
    counted: SumSource,
    problems: &mut Problems,
) {
    if stated.is_empty() {
        return;
    }
    let mut usage = Vec::with_capacity(tree.node_count());
    for &node in tree.nodes() {
        usage.push(MemberUsage::of_node(tree, node));
    }
    tree.order().sum_up(&mut usage, MemberUsage::plus);
    for row in stated {
        let Some(position) = tree.order().position(row.account) else {
            continue;
        };
        let below = usage[position];
        let mut allowed = row.usage.max(below.total) * ROUNDING;
        if below.is_whole && row.usage.fract() == 0.0 {
            allowed = allowed.max(below.members + 1.0);
        }
        if (row.usage - below.total).abs() <= allowed {
            continue;
        }
        let name = match row.account {
            NodeId::ROOT => shown(tree.name(NodeId::ROOT)),
            account => path_for_people(tree, account),
        };
        let [given, total] = [row.usage, below.total].map(amount);
        let clause = match counted {
            SumSource::Stated => "the usage of the account is used as given",
            SumSource::Users => "PBS adds up the users",
        };
        let message = sentence!(
            "the usage of {name} is {given}, but that of its users is {total} in total; {clause}"
        );
        let is_more = counted == SumSource::Stated && row.usage > below.total;
        let (severity, advice) = if is_more {
            let advice = "nothing needs to be done if users that were removed used the rest";
            (Severity::Note, advice)
        } else {
            let advice = "correct one of them, or leave out the usage of the account";
            (Severity::Warning, advice)
        };
        let place = match row.line {
            0 => Place::WHOLE,
            line => line.into(),
        };
        problems.add(severity, place, "usage-sum-differs", message, advice);
    }
}
