//! Numbers shown as the scheduler printed them instead of computed ones.

use super::evaluation::{NumberColumn, Presence};
use super::ranking::{falling, ranks};
use super::{ColumnId, Evaluation, Policy};
use crate::model::{Kind, PrintedNumbers, Tree};
use std::sync::Arc;

/// Replaces computed numbers by printed ones, and ranks users by the printed factors.
pub(super) fn with_printed_numbers(
    evaluation: Evaluation,
    policy: Policy,
    tree: &Tree,
    printed: &PrintedNumbers,
) -> Evaluation {
    let count = tree.node_count();
    let mut columns: Vec<NumberColumn> = Vec::new();
    let mut marked: Vec<(ColumnId, Vec<bool>)> = Vec::new();
    let computed = policy.columns().iter().copied();
    let computed = computed.filter(|&id| id != ColumnId::SchedulerRank);
    for id in computed.chain([ColumnId::Factor]) {
        let own = printed.columns();
        let own = own.filter(|&(fact, _)| ColumnId::computing(fact) == Some(id));
        let own = own.flat_map(|(fact, numbers)| {
            numbers.iter().filter_map(move |&(node, number)| {
                let position = tree.order().position(node)?;
                Some((position, number, printed.is_impossible(fact, node)))
            })
        });
        let own: Vec<(usize, f64, bool)> = own.collect();
        if own.is_empty() && !printed.is_all() {
            continue;
        }
        let (mut numbers, mut is_there) = (vec![0.0; count], vec![false; count]);
        if !printed.is_all() {
            for (position, &node) in tree.nodes().iter().enumerate() {
                if let Some(number) = evaluation.number(id, node) {
                    (numbers[position], is_there[position]) = (number, true);
                }
            }
        }
        let mut is_printed = vec![false; count];
        for (position, number, is_impossible) in own {
            (numbers[position], is_there[position]) = (number, true);
            is_printed[position] = is_impossible;
        }
        if id == ColumnId::Factor {
            columns.extend(ranked(policy, tree, printed, &numbers, &is_there));
        }
        columns.push(NumberColumn::doubles(id, numbers).at(Presence::Marked(Arc::new(is_there))));
        if !printed.is_all() {
            marked.push((id, is_printed));
        }
    }
    evaluation.with(columns).with_printed(marked)
}

/// Returns the ranks by factors, and the scheduler's own counter if it follows from them.
fn ranked(
    policy: Policy,
    tree: &Tree,
    printed: &PrintedNumbers,
    factors: &[f64],
    is_there: &[bool],
) -> Vec<NumberColumn> {
    let nodes = tree.nodes().iter().zip(is_there);
    let is_user = nodes.map(|(&node, &is_there)| is_there && tree.kind(node) == Kind::User);
    let is_user: Vec<bool> = is_user.collect();
    let count = f64::from(u32::try_from(tree.user_count()).unwrap_or(u32::MAX));
    let counters = factors.iter().map(|&factor| counter(factor, count));
    let counters: Vec<u32> = counters.collect();
    let has_counter = policy.columns().contains(&ColumnId::SchedulerRank);
    // Printed and computed factors of one counter differ in their digits.
    let is_by_counter = has_counter && !printed.is_all();
    let ranks = ranks(&is_user, |position| {
        falling(if is_by_counter {
            counters[position].into()
        } else {
            factors[position]
        })
    });
    let mut columns = vec![NumberColumn::ranks(ColumnId::Rank, ranks)];
    if has_counter {
        // If some users are not listed, the number of users that the factors refer to is unknown.
        let is_known = is_user.iter().map(|&is_user| is_user && !printed.is_all());
        let column = NumberColumn::counts(ColumnId::SchedulerRank, counters);
        columns.push(column.at(Presence::marked(is_known)));
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
