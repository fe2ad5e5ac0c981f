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

use super::blank::BlankNodes;
use super::classic::{is_unknown, targets};
use super::column::column_ids;
use super::evaluation::Presence;
use super::ranking::{falling, ranks};
use super::slurm::{Associations, list_order};
use super::target::Portions;
use super::{ColumnId, Evaluation, PolicyTraits, Precedence};
use crate::base::cores;
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

/// Effective usage, and how tickets depend on it.
struct EffectiveUsage {
    /// By position, the part of all usage, at least a hundredth of the part of the level's shares.
    used: Vec<Extended>,
    /// [`LEAST_USAGE`].
    least: Extended,
}

impl EffectiveUsage {
    fn new(associations: &Associations) -> Self {
        let least = Extended::from_f64(LEAST_USAGE).expect("a hundredth is a number");
        let mut used = Vec::with_capacity(associations.len());
        used.push(Extended::ONE);
        for position in cores::in_turn(1..associations.len()) {
            let parent = associations.parent(position);
            if parent == 0 {
                used.push(associations.norm_usage(position));
                continue;
            }
            let counted = counted(associations, position);
            let own = associations.norm_usage(counted);
            let shares = Extended::from_u64(associations.shares[counted].into());
            let level_shares = Extended::from_u64(associations.level_shares(counted).into());
            let floor = least.times(shares).over(level_shares);
            used.push(floor.map_or(own, |floor| floor.max(own)));
        }
        Self { used, least }
    }

    /// Returns the factor of a node's target when tickets are handed out: target / effective usage, at most 100.
    fn weight(&self, position: usize, target: f64) -> f64 {
        let used = self.used[position];
        if is_unknown(used.to_f64()) || target <= 0.0 {
            return 0.0;
        }
        let Some(target) = Extended::from_f64(target) else {
            return 0.0;
        };
        let used = used.max(self.least.times(target));
        target.over(used).map_or(0.0, Extended::to_f64)
    }
}

/// Returns the node whose numbers count for a node: the fair-share parent of one with shares `parent`.
fn counted(associations: &Associations, position: usize) -> usize {
    if associations.is_parent(position) {
        associations.parent(position)
    } else {
        position
    }
}

/// Returns, by position, whether a user is active, or a user below an account.
fn active(tree: &Tree, associations: &Associations) -> Vec<bool> {
    let mut active = Vec::with_capacity(associations.len());
    for (position, node) in tree.positions() {
        active.push(associations.is_user[position] && tree.active(node).unwrap_or(true));
    }
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

/// Returns, by position, the tickets that each node gets from its fair-share parent; 0 if it is not active.
fn tickets(
    tree: &Tree,
    associations: &Associations,
    active: &[bool],
    targets: &[f64],
    effective: &EffectiveUsage,
) -> Vec<u32> {
    let mut weights = Vec::with_capacity(targets.len());
    for (position, &target) in cores::in_turn(targets.iter().enumerate()) {
        weights.push(effective.weight(position, target));
    }
    let mut sums = vec![0.0; targets.len()];
    for position in list_order(tree) {
        let position = position as usize;
        if active[position] {
            let parent = associations.parent(position);
            sums[parent] += targets[position] * weights[position];
        }
    }
    let mut tickets = vec![0; targets.len()];
    tickets[0] = ALL_TICKETS;
    for position in 1..targets.len() {
        if active[position] {
            let parent = associations.parent(position);
            let wanted = f64::from(tickets[parent]) * targets[position] * weights[position];
            tickets[position] = cut(wanted / sums[parent]);
        }
    }
    tickets
}

/// Returns, by position, the tickets that a user's job counts with, as a part of the most that any user has.
fn factors(associations: &Associations, active: &[bool], tickets: &[u32]) -> Vec<f64> {
    let mut most = 0;
    for (&tickets, &is_user) in tickets.iter().zip(associations.is_user.iter()) {
        if is_user {
            most = most.max(tickets);
        }
    }
    let mut factors = vec![0.0; tickets.len()];
    for (position, factor) in factors.iter_mut().enumerate() {
        let counted = counted(associations, position);
        if associations.is_user[position] && active[counted] && most > 0 {
            *factor = f64::from(tickets[counted]) / f64::from(most);
        }
    }
    factors
}

fn evaluate(tree: &Tree, _settings: &Settings) -> Evaluation {
    let associations = Associations::new(tree);
    let targets = targets(&associations, &associations.levels());
    let effective = EffectiveUsage::new(&associations);
    let active = active(tree, &associations);
    let tickets = tickets(tree, &associations, &active, &targets, &effective);
    let factors = factors(&associations, &active, &tickets);
    let ranks = ranks(&associations.is_user, |position| falling(factors[position]));
    let mut effective_usages = Vec::with_capacity(effective.used.len());
    for used in &effective.used {
        effective_usages.push(used.to_f64());
    }
    let users = Presence::Marked(Arc::clone(&associations.is_user));
    let columns = vec![
        ColumnId::Usage.doubles(associations.usage.shown(tree)),
        ColumnId::NormShares.doubles(targets),
        ColumnId::EffectvUsage.doubles(effective_usages),
        ColumnId::Tickets.counts(tickets),
        ColumnId::Factor.doubles(factors).at(users),
        ColumnId::Rank.ranks(ranks),
    ];
    Evaluation::new(tree, columns, BlankNodes::default())
}
