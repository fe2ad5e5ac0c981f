//! Numbers shown as the scheduler printed them instead of computed ones.

use super::evaluation::{NumberColumn, Presence};
use super::ranking::{falling, ranks};
use super::{ColumnId, Evaluation, Policy};
use crate::model::{PrintedNumber, PrintedNumbers, Settings, Tree};
use std::sync::Arc;

/// A tree with everything that the numbers shown for it depend on.
#[derive(Clone, Copy, Debug)]
pub struct Basis<'a> {
    /// The tree.
    pub tree: &'a Tree,
    /// The settings of its scheduler.
    pub settings: &'a Settings,
    /// The printed numbers of its source. They apply only while tree and settings are as in the source.
    pub printed: Option<&'a PrintedNumbers>,
}

impl<'a> Basis<'a> {
    /// Returns the basis of numbers of which all are computed.
    pub const fn computed(tree: &'a Tree, settings: &'a Settings) -> Self {
        Self {
            tree,
            settings,
            printed: None,
        }
    }

    /// Returns the printed numbers that are shown under a policy, or `None` if all numbers are computed.
    fn printed_under(self, policy: Policy) -> Option<&'a PrintedNumbers> {
        let printed = self.printed?;
        let applies = printed.apply_to(self.tree, policy.name(), &self.settings.slurm);
        applies.then_some(printed)
    }

    /// Returns whether printed numbers are shown under a policy, where there are any.
    pub(crate) fn shows_printed(self, policy: Policy) -> bool {
        self.printed_under(policy).is_some()
    }

    /// Returns whether only printed numbers are shown under a policy, because its source does not tell
    /// what they are computed from.
    pub(crate) fn shows_only_printed(self, policy: Policy) -> bool {
        self.shows_printed(policy) && self.tree.lacks_column()
    }
}

impl Policy {
    /// Computes every column for every node, and puts printed numbers instead of those that the policy does not reproduce.
    pub fn evaluate_as_printed(self, basis: Basis<'_>) -> Evaluation {
        let evaluation = self.evaluate(basis.tree, basis.settings);
        match basis.printed_under(self) {
            Some(printed) => with_printed_numbers(evaluation, self, basis.tree, printed),
            None => evaluation,
        }
    }
}

/// Replaces computed numbers by printed ones, and ranks users by the printed factors.
fn with_printed_numbers(
    evaluation: Evaluation,
    policy: Policy,
    tree: &Tree,
    printed: &PrintedNumbers,
) -> Evaluation {
    let mut columns: Vec<NumberColumn> = Vec::new();
    let mut impossible: Vec<(ColumnId, Vec<bool>)> = Vec::new();
    for &id in policy.columns().iter().chain(&[ColumnId::Factor]) {
        let numbers = printed_numbers(printed, id);
        // Nothing but the factors tells which rule printed a part of a tree.
        let is_printed_alone = id == ColumnId::Factor && tree.part().is_some();
        // The scheduler's rank follows from the factor.
        if id == ColumnId::SchedulerRank || (numbers.is_empty() && !is_printed_alone) {
            continue;
        }
        let mut shown = ShownColumn::new(tree.node_count());
        if !is_printed_alone {
            shown.take_computed(id, tree, &evaluation);
        }
        shown.take_printed(tree, &numbers);
        if id == ColumnId::Factor {
            columns.extend(ranked(policy, tree, &shown));
        }
        impossible.push((id, shown.is_impossible));
        let presence = Presence::Marked(Arc::new(shown.is_there));
        columns.push(id.doubles(shown.numbers).at(presence));
    }
    evaluation.with(columns).with_printed(impossible)
}

/// Returns the numbers that were printed for a column.
fn printed_numbers(printed: &PrintedNumbers, id: ColumnId) -> Vec<PrintedNumber> {
    let mut found = Vec::new();
    for (&fact, numbers) in printed.columns() {
        if ColumnId::computing(fact) == Some(id) {
            found.extend_from_slice(numbers);
        }
    }
    found
}

/// The numbers of one column as they are shown, by position in the tree.
struct ShownColumn {
    /// The numbers; 0 where there is none.
    numbers: Vec<f64>,
    /// Whether a node has a number.
    is_there: Vec<bool>,
    /// Whether it is a printed number that no usage gives.
    is_impossible: Vec<bool>,
}

impl ShownColumn {
    /// Returns a column without numbers.
    fn new(nodes: usize) -> Self {
        Self {
            numbers: vec![0.0; nodes],
            is_there: vec![false; nodes],
            is_impossible: vec![false; nodes],
        }
    }

    /// Takes the computed numbers of all nodes.
    fn take_computed(&mut self, id: ColumnId, tree: &Tree, evaluation: &Evaluation) {
        for (position, node) in tree.positions() {
            if let Some(number) = evaluation.number(id, node) {
                self.numbers[position] = number;
                self.is_there[position] = true;
            }
        }
    }

    /// Returns whether the numbers of these nodes are parts of their count, as Fair Tree's factors are of all users.
    fn count(&self, nodes: &[bool]) -> bool {
        /// How far a number with six decimals can be from a part that it was printed for.
        const HALF_UNIT: f64 = 1e-6;
        let mut count = 0.0;
        for &is_counted in nodes {
            if is_counted {
                count += 1.0;
            }
        }
        for (&is_counted, &number) in nodes.iter().zip(&self.numbers) {
            let rank = number * count;
            if is_counted && (rank - rank.round()).abs() > HALF_UNIT * count {
                return false;
            }
        }
        true
    }

    /// Takes printed numbers instead of others.
    fn take_printed(&mut self, tree: &Tree, printed: &[PrintedNumber]) {
        for number in printed {
            if let Some(position) = tree.order().position(number.node) {
                self.numbers[position] = number.value;
                self.is_there[position] = true;
                self.is_impossible[position] = number.is_impossible;
            }
        }
    }
}

/// Returns the ranks by factors, and the scheduler's own counter if it follows from them.
fn ranked(policy: Policy, tree: &Tree, factors: &ShownColumn) -> Vec<NumberColumn> {
    let users = f64::from(u32::try_from(tree.user_count()).unwrap_or(u32::MAX));
    let mut is_user = Vec::with_capacity(tree.node_count());
    let mut counters = Vec::with_capacity(tree.node_count());
    for (position, node) in tree.positions() {
        is_user.push(factors.is_there[position] && tree.is_user(node));
        counters.push(counter(factors.numbers[position], users));
    }
    let has_counter = policy.columns().contains(&ColumnId::SchedulerRank);
    let is_part = tree.part().is_some();
    // Printed and computed factors of one counter differ in their digits.
    let lists_all = !tree.lacks_column() && !is_part;
    let is_by_counter = has_counter && lists_all;
    // The factors of a list without some of the users count those, too, so that no rank in the list is one among all.
    let is_ranked = if is_part && has_counter {
        // The counter of the last user is 1: nothing tells the place of a factor of 0.
        let mut is_ranked = is_user.clone();
        for (position, is_ranked) in is_ranked.iter_mut().enumerate() {
            *is_ranked &= factors.numbers[position] > 0.0;
        }
        is_ranked
    } else if tree.lacks_column() && !(has_counter && factors.count(&is_user)) {
        vec![false; is_user.len()]
    } else {
        is_user.clone()
    };
    let ranks = ranks(&is_ranked, |position| {
        falling(if is_by_counter {
            counters[position].into()
        } else {
            factors.numbers[position]
        })
    });
    let mut columns = vec![ColumnId::Rank.ranks(ranks)];
    if has_counter {
        // If some users are not listed, the number of users that the factors refer to is unknown.
        let has_own = if lists_all {
            is_user
        } else {
            vec![false; is_user.len()]
        };
        let column = ColumnId::SchedulerRank.counts(counters);
        columns.push(column.at(Presence::Marked(Arc::new(has_own))));
    }
    columns
}

/// Returns Slurm's counter of a user, from the factor that was printed for it: how many users rank like it or below.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a factor from 0 to 1 times a number of users fits, and what does not is cut"
)]
pub(crate) fn counter(factor: f64, users: f64) -> u32 {
    (factor * users).round() as u32
}
