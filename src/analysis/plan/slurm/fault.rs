//! Faults of Slurm 24.11 that the commands of a plan can meet: it ignores the deletion of some names, and it does not
//! store the lineages of everything below an account that moves.

use crate::analysis::plan::note::Statement;
use crate::analysis::plan::steps::{Change, Step};
use crate::analysis::plan::{NameFault, Note, Plan, Tested};
use crate::base::shown::shown;
use crate::model::{Kind, LINEAGE_SINCE, Snapshot, Tree};
use hashbrown::{HashMap, HashSet};
use std::collections::BTreeSet;

/// The release in which the faults were seen.
const SEEN_IN: (u32, u32) = (24, 11);

/// Returns whether the source of a snapshot is of the release in which the faults were seen.
pub(super) fn has_seen_faults(base: &Snapshot) -> bool {
    base.slurm_release() == Some(SEEN_IN)
}

/// Returns whether the Slurm of a snapshot may have lineages. It may if the source does not state its version.
pub(super) fn may_have_lineages(base: &Snapshot) -> bool {
    match base.slurm_release() {
        Some(release) => release >= LINEAGE_SINCE,
        None => true,
    }
}

/// Returns whether the faults of lineages were seen in the release of a snapshot.
fn tested(base: &Snapshot) -> Tested {
    match base.slurm_release() {
        Some(SEEN_IN) => Tested::Seen,
        Some(_) => Tested::Untried(shown(base.source.version.as_bytes())),
        None => Tested::Unstated,
    }
}

/// Returns why Slurm 24.11 does not delete a name. `None` if it does.
pub(super) fn deletion_fault(name: &[u8]) -> Option<NameFault> {
    if name.contains(&b'\\') {
        Some(NameFault::Backslash)
    } else {
        None
    }
}

/// Adds notes about the faults that Slurm 24.11 has, where the steps or their rollback meet them: later versions and those
/// before it that have lineages may have them too.
pub(super) fn note_faults(
    plan: &mut Plan,
    steps: &[Step<'_>],
    rollback: &[Step<'_>],
    base: &Snapshot,
) {
    let mut ignored = BTreeSet::new();
    for step in steps.iter().chain(rollback) {
        let name = step.at.name();
        if step.is_deletion() && deletion_fault(name).is_some() {
            ignored.insert(name);
        }
    }
    let moved = MovedFamilies::of(steps, &base.tree);
    let records = remaining_records(rollback, &base.tree);
    note(plan, Note::IgnoredDeletion(tested(base)), &ignored);
    note(plan, Note::LostAtRestart(tested(base)), &moved.later);
    note(plan, Note::OmittedInDump(tested(base)), &moved.all);
    note(plan, Note::RecordStays, &records);
}

/// Adds a note about some names, if there are any.
fn note(plan: &mut Plan, what: Note, names: &BTreeSet<&[u8]>) {
    if !names.is_empty() {
        plan.notes.push(Statement::about_names(what, names));
    }
}

/// Returns the accounts that a rollback deletes and that were not there before, so that their records are new.
fn remaining_records<'a>(rollback: &[Step<'a>], before: &Tree) -> BTreeSet<&'a [u8]> {
    let mut known = HashSet::new();
    for &node in before.nodes() {
        if before.kind(node) == Kind::Account {
            known.insert(before.name(node));
        }
    }
    let mut records = BTreeSet::new();
    for step in rollback {
        let account = step.at.account;
        let is_of_account = step.at.user.is_none();
        if step.is_deletion() && is_of_account && !known.contains(account) {
            records.insert(account);
        }
    }
    records
}

/// Accounts that move with accounts below them. Slurm keeps the lineages of what is two levels below.
#[derive(Default)]
struct MovedFamilies<'a> {
    /// Those whose lineage then sorts later.
    later: BTreeSet<&'a [u8]>,
    all: BTreeSet<&'a [u8]>,
}

impl<'a> MovedFamilies<'a> {
    /// Looks for accounts that steps move together with what is below them.
    fn of(steps: &[Step<'a>], before: &'a Tree) -> Self {
        let mut moved = Self::default();
        if !steps.iter().any(Step::is_move) {
            return moved;
        }
        let mut places = AccountPlaces::of(before);
        for step in steps {
            let account = step.at.account;
            let parent = match step.change {
                Change::Add { parent, .. } if step.at.user.is_none() => parent,
                Change::Move { to, .. } => to,
                _ => continue,
            };
            let old = places.lineage(account);
            if !places.put(account, parent) {
                continue;
            }
            moved.all.insert(account);
            if places.lineage(account) > old {
                moved.later.insert(account);
            }
        }
        moved
    }
}

/// The places of accounts while steps are taken, by name.
#[derive(Default)]
struct AccountPlaces<'a> {
    /// The account above each one.
    parents: HashMap<&'a [u8], &'a [u8]>,
    /// The number of accounts directly below each one.
    counts: HashMap<&'a [u8], usize>,
}

impl<'a> AccountPlaces<'a> {
    /// Returns the places of the accounts of a tree.
    fn of(tree: &'a Tree) -> Self {
        let mut places = Self::default();
        for &node in tree.nodes() {
            if tree.kind(node) == Kind::Account
                && let Some(parent) = tree.parent(node)
            {
                let account = tree.name(node);
                let above = tree.name(parent);
                places.parents.insert(account, above);
                *places.counts.entry(above).or_default() += 1;
            }
        }
        places
    }

    /// Puts an account below another one. Returns whether it was elsewhere, and has accounts below it.
    fn put(&mut self, account: &'a [u8], parent: &'a [u8]) -> bool {
        *self.counts.entry(parent).or_default() += 1;
        let Some(old) = self.parents.insert(account, parent) else {
            return false;
        };
        *self.counts.entry(old).or_default() -= 1;
        match self.counts.get(account) {
            Some(&count) => count > 0,
            None => false,
        }
    }

    /// Returns the lineage of an account, `/physics/astro`, as Slurm's database sorts it: regardless of case.
    fn lineage(&self, account: &'a [u8]) -> Vec<u8> {
        let mut path = vec![account];
        let mut name = account;
        while path.len() <= self.parents.len()
            && let Some(&parent) = self.parents.get(name)
        {
            path.push(parent);
            name = parent;
        }
        path.reverse();
        path.join(&b'/').to_ascii_uppercase()
    }
}
