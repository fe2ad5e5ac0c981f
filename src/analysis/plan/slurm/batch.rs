//! Batches of steps that are one command: `sacctmgr` accepts a list of names that change in the same way.

use crate::analysis::plan::steps::{Address, Change, Step, text};
use hashbrown::HashMap;
use std::mem::discriminant;

/// The most bytes of names in one list. Terminals truncate pasted lines of more than 4095 bytes.
const LONGEST_LIST: usize = 1000;

/// One step, or several steps that differ only in the name.
pub(super) struct CommandBatch<'a> {
    /// The first of the steps.
    pub(super) step: Step<'a>,
    /// The names of all, in order.
    pub(super) names: Vec<&'a str>,
    /// The bytes of the names, with a comma after each.
    length: usize,
}

impl<'a> CommandBatch<'a> {
    /// Adds a name, if the list does not become too long. Returns whether it did.
    fn take(&mut self, name: &'a str) -> bool {
        if self.length + name.len() >= LONGEST_LIST {
            return false;
        }
        self.names.push(name);
        self.length += name.len() + 1;
        true
    }
}

/// Batches successive steps that differ only in the name; steps of the same kind may be taken in any order. Steps without
/// a command are left out.
pub(super) fn batches<'a>(steps: &[Step<'a>]) -> Vec<CommandBatch<'a>> {
    let mut batches: Vec<CommandBatch<'_>> = Vec::new();
    let mut open: HashMap<Step<'_>, usize> = HashMap::new();
    let mut sort = None;
    for &step in steps {
        if !step.has_command() {
            continue;
        }
        let own_sort = Some(discriminant(&step.change));
        if sort != own_sort {
            open.clear();
            sort = own_sort;
        }
        let name = text(step.at.name());
        if let Some(nameless) = nameless(step) {
            if let Some(&place) = open.get(&nameless)
                && batches[place].take(name)
            {
                continue;
            }
            open.insert(nameless, batches.len());
        }
        batches.push(CommandBatch {
            step,
            names: vec![name],
            length: name.len() + 1,
        });
    }
    batches
}

/// Returns what a step has in common with its batch: all but its name and what was before. `None` if it is alone.
///
/// Accounts are added and deleted one by one, because one may be below another. Users are deleted one by one, because
/// Slurm up to 22.05 refuses to delete a default association together with one of another user.
fn nameless(step: Step<'_>) -> Option<Step<'_>> {
    let at = step.at;
    if !at.name().iter().copied().all(is_safe_in_list) {
        return None;
    }
    let change = match step.change {
        Change::Add { .. } if at.user.is_some() => step.change,
        Change::Shares { to, .. } => Change::Shares { from: None, to },
        Change::Default { to, .. } => Change::Default { from: None, to },
        Change::Reset => Change::Reset,
        Change::Add { .. }
        | Change::Delete { .. }
        | Change::Move { .. }
        | Change::Rename { .. } => return None,
    };
    let at = match at.user {
        Some(_) => Address {
            user: Some(b""),
            ..at
        },
        None => Address::of_account(b""),
    };
    Some(Step { at, change })
}

/// Returns whether every version of Slurm reads a byte in a list of names as it is.
fn is_safe_in_list(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.".contains(&byte)
}
