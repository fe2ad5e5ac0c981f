//! Slurm's `TICKET_BASED`: tickets are handed down from the root, at each level to the active nodes.
//!
//! Follows `src/plugins/priority/multifactor/priority_multifactor.c` of Slurm 14.11.11
//! (`_ticket_based_set_usage_efctv`, `_distribute_tickets`, `_mark_assoc_active`, `_get_fairshare_priority`,
//! `priority_p_calc_fs_factor`) and `assoc_mgr_normalize_assoc_shares`. 15.08 removed it.
//!
//! A user with a pending job is active. Here every user is active unless the source says that it has none. An account
//! is active if a user below it is.
//!
//! Quirks, all imitated:
//! - A user with shares `parent` gets tickets, but its jobs use those of its fair-share parent, so its factor can be
//!   above 1. Below the root it has all tickets of the tree.
//! - Usage below 1 % of the shares counts as 1 %: once by shares of the level, once by shares of the tree.
//! - If the active nodes of a level have no shares between them Slurm divides 0 by 0 and converts the result to a whole
//!   number, which C leaves undefined; on x86-64, and here, it is 0. Numbers that are too large are cut to 32 bits.
//!
//! A level is summed in the order of Slurm's list, users by name and then accounts, whatever the order of the tree.
//! Another order can change the last bit of the sum and with it a ticket, and each level below one more.

use super::classic::{is_unknown, targets};
use super::column::column_ids;
use super::evaluation::{NumberColumn, Presence};
use super::ranking::{falling, ranks};
use super::slurm::{Associations, list_order};
use super::target::Portions;
use super::{ColumnId, Evaluation, PolicyTraits, Precedence};
use crate::base::extended::Extended;
use crate::model::{Settings, Tree};
use std::sync::Arc;

pub(super) const TRAITS: PolicyTraits = PolicyTraits {
    columns: column_ids![NormShares EffectvUsage Tickets],
    extra: &[],
    usual: column_ids![Shares NormShares Usage EffectvUsage Tickets Factor Rank],
    settings: &[],
    factor: ColumnId::Factor,
    factor_help: "The user's tickets / the most that any user has",
    portions: Portions::OfTree(ColumnId::NormShares),
    precedence: Precedence::Factor(ColumnId::Tickets),
    evaluate,
};

/// The tickets of the root: all of them.
pub const ALL_TICKETS: u32 = u32::MAX;

/// Usage counts as at least this part of the shares.
const LEAST_USAGE: f64 = 0.01;

fn least_usage() -> Extended {
    Extended::from_f64(LEAST_USAGE).expect("a hundredth is a number")
}

/// Returns effective usage: the part of all usage, at least a hundredth of the part of the level's shares.
fn effective_usage(associations: &Associations) -> Vec<Extended> {
    let least = least_usage();
    let mut effective = Vec::with_capacity(associations.len());
    effective.push(Extended::ONE);
    for position in 1..associations.len() {
        let parent = associations.fair_share_parent[position] as usize;
        effective.push(if parent == 0 {
            associations.norm_usage(position)
        } else {
            // A `parent` node counts as its fair-share parent.
            let is_parent = associations.is_parent(position);
            let counted = if is_parent { parent } else { position };
            let own = associations.norm_usage(counted);
            let shares = u64::from(associations.shares[counted]);
            let level = associations.level_shares(counted);
            let least = least.times(Extended::from_u64(shares));
            let floor = least.over(Extended::from_u64(level.into()));
            floor.map_or(own, |floor| floor.max(own))
        });
    }
    effective
}

/// Returns the factor of a node's target when tickets are handed out: target / effective usage, at most 100.
fn weight(least: Extended, effective: Extended, target: f64) -> f64 {
    if is_unknown(effective.to_f64()) || target <= 0.0 {
        return 0.0;
    }
    let Some(target) = Extended::from_f64(target) else {
        return 0.0;
    };
    let used = effective.max(least.times(target));
    target.over(used).map_or(0.0, Extended::to_f64)
}

/// Returns, by position, whether a user is active, or a user below an account.
fn active(tree: &Tree, associations: &Associations) -> Vec<bool> {
    let nodes = tree.nodes().iter().zip(associations.is_user.iter());
    let is_active = nodes.map(|(&node, &is_user)| is_user && tree.active(node).unwrap_or(true));
    let mut active: Vec<bool> = is_active.collect();
    tree.order()
        .sum_up(&mut active, |above, below| above || below);
    // The root holds its tickets even if no user is active.
    active[0] = true;
    active
}

/// Converts a number of tickets as C does on x86-64: cut to 64 bits, then to 32; 0 if it fits neither.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "that is what happens to the number in Slurm"
)]
fn cut(number: f64) -> u32 {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if (-LIMIT..LIMIT).contains(&number) {
        number as i64 as u32
    } else {
        0
    }
}

fn tickets(
    tree: &Tree,
    associations: &Associations,
    active: &[bool],
    targets: &[f64],
    effective: &[Extended],
) -> Vec<u32> {
    let least = least_usage();
    let both = effective.iter().zip(targets);
    let weights = both.map(|(&effective, &target)| weight(least, effective, target));
    let weights: Vec<f64> = weights.collect();
    let mut sums = vec![0.0; targets.len()];
    let list_order = list_order(tree).into_iter().map(|at| at as usize);
    for position in list_order.filter(|&position| active[position]) {
        let parent = associations.fair_share_parent[position] as usize;
        sums[parent] += targets[position] * weights[position];
    }
    let mut tickets = vec![0; targets.len()];
    tickets[0] = ALL_TICKETS;
    for position in (1..targets.len()).filter(|&position| active[position]) {
        let parent = associations.fair_share_parent[position] as usize;
        let wanted = f64::from(tickets[parent]) * targets[position] * weights[position];
        tickets[position] = cut(wanted / sums[parent]);
    }
    tickets
}

/// Returns, by position, the tickets that a user's job counts with, as a part of the most that any user has.
fn factors(associations: &Associations, active: &[bool], tickets: &[u32]) -> Vec<f64> {
    let users = || (0..tickets.len()).filter(|&position| associations.is_user[position]);
    let most = users().map(|position| tickets[position]).max().unwrap_or(0);
    let mut factors = vec![0.0; tickets.len()];
    for position in users() {
        let counted = if associations.is_parent(position) {
            associations.fair_share_parent[position] as usize
        } else {
            position
        };
        if active[counted] && most > 0 {
            factors[position] = f64::from(tickets[counted]) / f64::from(most);
        }
    }
    factors
}

fn evaluate(tree: &Tree, _settings: &Settings) -> Evaluation {
    let associations = Associations::of(tree);
    let targets = targets(&associations, &associations.levels());
    let effective = effective_usage(&associations);
    let active = active(tree, &associations);
    let tickets = tickets(tree, &associations, &active, &targets, &effective);
    let factors = factors(&associations, &active, &tickets);
    let ranks = ranks(&associations.is_user, |position| falling(factors[position]));
    let effective = effective.iter().map(|number| number.to_f64()).collect();
    let columns = vec![
        NumberColumn::doubles(ColumnId::Usage, associations.usage.shown(tree)),
        NumberColumn::doubles(ColumnId::NormShares, targets),
        NumberColumn::doubles(ColumnId::EffectvUsage, effective),
        NumberColumn::counts(ColumnId::Tickets, tickets),
        NumberColumn::doubles(ColumnId::Factor, factors)
            .at(Presence::Marked(Arc::clone(&associations.is_user))),
        NumberColumn::ranks(ColumnId::Rank, ranks),
    ];
    Evaluation::new(tree, columns, None)
}
