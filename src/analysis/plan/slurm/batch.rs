//! Steps that are one command: `sacctmgr` takes a list of names to which it does the same.

use super::text;
use crate::analysis::plan::steps::{Address, Step};
use crate::model::Shares;
use std::collections::HashMap;
use std::mem::{Discriminant, discriminant};

/// The most bytes of names in one list. Terminals cut lines of more than 4095 bytes that are pasted into them.
const LONGEST_LIST: usize = 1000;

/// One step, or several that differ in the name alone.
pub(super) struct CommandBatch<'a> {
    /// The first of them.
    pub(super) step: Step<'a>,
    /// The names, in the order of the steps.
    pub(super) names: Vec<&'a str>,
    /// The bytes of the names, with a comma behind each.
    length: usize,
}

/// What steps have in common that go into one command.
#[derive(Default, PartialEq, Eq, Hash)]
struct BatchKey<'a> {
    /// A user's account; nothing for an account.
    account: Option<&'a [u8]>,
    partition: Option<&'a [u8]>,
    needs_partition: bool,
    /// The new shares.
    shares: Option<Shares>,
    /// The new default account.
    default_account: Option<&'a [u8]>,
}

/// Puts steps together that differ in the name alone.
///
/// Only steps of one sort that follow each other are put together: among themselves they may be taken in any order.
pub(super) fn batches<'a>(steps: impl Iterator<Item = Step<'a>>) -> Vec<CommandBatch<'a>> {
    let mut batches: Vec<CommandBatch<'_>> = Vec::new();
    let mut open: HashMap<BatchKey<'_>, usize> = HashMap::new();
    let mut sort: Option<Discriminant<Step<'_>>> = None;
    for step in steps {
        let name = name(step);
        if sort.replace(discriminant(&step)) != Some(discriminant(&step)) {
            open.clear();
        }
        let likeness = likeness(step).filter(|_| is_list_safe(name));
        if let Some(likeness) = likeness {
            if let Some(batch) = open
                .get(&likeness)
                .and_then(|&place| batches.get_mut(place))
                && batch.length + name.len() < LONGEST_LIST
            {
                batch.names.push(name);
                batch.length += name.len() + 1;
                continue;
            }
            open.insert(likeness, batches.len());
        }
        batches.push(CommandBatch {
            step,
            names: vec![name],
            length: name.len() + 1,
        });
    }
    batches
}

/// What a step is about.
fn subject(step: Step<'_>) -> Option<Address<'_>> {
    match step {
        Step::Add { at, .. }
        | Step::Shares { at, .. }
        | Step::Reset { at }
        | Step::Delete { at, .. } => Some(at),
        Step::Move { .. } | Step::Rename { .. } | Step::Default { .. } => None,
    }
}

/// The name that tells a step from others like it.
fn name(step: Step<'_>) -> &str {
    match (step, subject(step)) {
        (Step::Move { account, .. }, _) => text(account),
        (Step::Rename { from, .. }, _) => text(from),
        (Step::Default { user, .. }, _) => text(user),
        (_, Some(at)) => text(at.user.unwrap_or(at.account)),
        (_, None) => "",
    }
}

/// What a step has in common with others; nothing if it must be alone. Accounts come and go one by one, for one may
/// stand under another, and users go one by one, for Slurm up to 22.05 refuses to delete a default association together
/// with one of another user.
fn likeness(step: Step<'_>) -> Option<BatchKey<'_>> {
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

/// Whether a name means itself in a list too, whatever the version makes of blanks and other marks.
fn is_list_safe(name: &str) -> bool {
    name.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
}
