//! Batches of steps that are one command: `sacctmgr` accepts a list of names that change in the same way.

use super::text;
use crate::analysis::plan::steps::{Address, Step};
use crate::model::Shares;
use hashbrown::HashMap;
use std::mem::{Discriminant, discriminant};

/// The most bytes of names in one list. Terminals truncate pasted lines of more than 4095 bytes.
const LONGEST_LIST: usize = 1000;

/// One step, or several steps that differ only in the name.
pub(super) struct CommandBatch<'a> {
    /// The first of them.
    pub(super) step: Step<'a>,
    /// The names, in the order of the steps.
    pub(super) names: Vec<&'a str>,
    /// The bytes of the names, with a comma after each.
    length: usize,
}

/// What the steps of one batch have in common.
#[derive(Default, PartialEq, Eq, Hash)]
struct BatchKey<'a> {
    /// The account of a user. `None` for an account.
    account: Option<&'a [u8]>,
    partition: Option<&'a [u8]>,
    needs_partition: bool,
    /// The new shares.
    shares: Option<Shares>,
    /// The new default account.
    default_account: Option<&'a [u8]>,
}

/// Batches steps that differ only in the name.
///
/// Only successive steps of the same kind are batched, because these may be taken in any order.
pub(super) fn batches<'a>(steps: impl Iterator<Item = Step<'a>>) -> Vec<CommandBatch<'a>> {
    let mut batches: Vec<CommandBatch<'_>> = Vec::new();
    let mut open: HashMap<BatchKey<'_>, usize> = HashMap::new();
    let mut sort: Option<Discriminant<Step<'_>>> = None;
    for step in steps {
        let name = name(step);
        if sort.replace(discriminant(&step)) != Some(discriminant(&step)) {
            open.clear();
        }
        let key = batch_key(step).filter(|_| is_list_safe(name));
        if let Some(key) = key {
            if let Some(batch) = open.get(&key).and_then(|&place| batches.get_mut(place))
                && batch.length + name.len() < LONGEST_LIST
            {
                batch.names.push(name);
                batch.length += name.len() + 1;
                continue;
            }
            open.insert(key, batches.len());
        }
        batches.push(CommandBatch {
            step,
            names: vec![name],
            length: name.len() + 1,
        });
    }
    batches
}

/// Returns the address that a step is about. `None` for steps without one.
fn subject(step: Step<'_>) -> Option<Address<'_>> {
    match step {
        Step::Add { at, .. }
        | Step::Shares { at, .. }
        | Step::Reset { at }
        | Step::Delete { at, .. } => Some(at),
        Step::Move { .. } | Step::Rename { .. } | Step::Default { .. } => None,
    }
}

/// Returns the name by which a step differs from others of its batch.
fn name(step: Step<'_>) -> &str {
    match (step, subject(step)) {
        (Step::Move { account, .. }, _) => text(account),
        (Step::Rename { from, .. }, _) => text(from),
        (Step::Default { user, .. }, _) => text(user),
        (_, Some(at)) => text(at.name()),
        (_, None) => "",
    }
}

/// Returns what a step has in common with its batch. `None` if it must be alone.
///
/// Accounts are added and deleted one by one, because one may be below another. Users are deleted one by one, because
/// Slurm up to 22.05 refuses to delete a default association together with one of another user.
fn batch_key(step: Step<'_>) -> Option<BatchKey<'_>> {
    let shares = match step {
        Step::Add { at, shares, .. } if at.user.is_some() => Some(shares),
        Step::Shares { to, .. } => Some(to),
        Step::Default { to, .. } => {
            return Some(BatchKey {
                default_account: to,
                ..BatchKey::default()
            });
        }
        Step::Reset { .. } => None,
        Step::Add { .. } | Step::Delete { .. } | Step::Move { .. } | Step::Rename { .. } => {
            return None;
        }
    };
    let at = subject(step)?;
    Some(BatchKey {
        account: at.user.map(|_| at.account),
        partition: at.partition,
        needs_partition: at.needs_partition,
        shares,
        default_account: None,
    })
}

/// Returns whether every version of Slurm reads a name in a list as it is.
fn is_list_safe(name: &str) -> bool {
    name.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
}
