//! Rollbacks that replace a user's association with an account by another one with the same account.
//!
//! The rollback makes that account the default again, but Slurm does not delete an association with the default account
//! while the user has others. So the old association is deleted while another account is the default.

use super::associations::{RecordedDefault, associations, recorded_default, spare_accounts};
use super::defaults::deleted_address;
use crate::analysis::plan::steps::{Address, DeletionScope, Step};
use crate::model::{Shares, Snapshot};
use hashbrown::{HashMap, HashSet};

/// The extra steps of a rollback.
#[derive(Default)]
struct Detours<'a> {
    /// Steps before the associations of users are deleted.
    before: Vec<Step<'a>>,
    /// Steps after that.
    after: Vec<Step<'a>>,
    /// Users with an account whose associations are deleted before that account is the default again.
    early: HashMap<&'a [u8], &'a [u8]>,
}

/// Puts the steps of a rollback in an order that Slurm accepts, with another default account in between.
pub(super) fn with_detours<'a>(steps: Vec<Step<'a>>, snapshot: &'a Snapshot) -> Vec<Step<'a>> {
    let coming: HashSet<_> = steps.iter().filter_map(added_association).collect();
    let mut swapped: Vec<_> = steps.iter().filter_map(deleted_association).collect();
    swapped.retain(|pair| coming.contains(pair));
    if swapped.is_empty() {
        return steps;
    }
    let users = swapped.iter().map(|&(user, _)| (user, 0)).collect();
    // In a rollback users have their old names already.
    let listed = associations(snapshot, &HashMap::new(), &users);
    let mut detours = Detours::default();
    let mut seen = HashSet::new();
    for (user, account) in swapped {
        let own = listed.get(user).map_or(&[][..], Vec::as_slice);
        let is_default = match recorded_default(snapshot, own) {
            RecordedDefault::Account(Some(default)) => default == account,
            RecordedDefault::Account(None) | RecordedDefault::Unknown => true,
        };
        // An association with another account than the default can simply be deleted.
        if is_default && seen.insert(user) {
            let own = own.iter().map(|(association, _)| association.account);
            detours.find(&steps, snapshot, (user, account), &own.collect::<Vec<_>>());
        }
    }
    detours.insert_into(&steps)
}

/// Returns the user and the account of an association that a step adds.
fn added_association<'a>(step: &Step<'a>) -> Option<(&'a [u8], &'a [u8])> {
    match step {
        Step::Add { at, .. } => at.user.map(|user| (user, at.account)),
        _ => None,
    }
}

/// Returns the user and the account of an association that a step deletes.
fn deleted_association<'a>(step: &Step<'a>) -> Option<(&'a [u8], &'a [u8])> {
    deleted_address(step).and_then(|at| Some((at.user?, at.account)))
}

impl<'a> Detours<'a> {
    /// Adds the detour of a user with associations with the accounts `own`, one of which is replaced by another one
    /// with the default account.
    fn find(
        &mut self,
        steps: &[Step<'a>],
        snapshot: &'a Snapshot,
        (user, account): (&'a [u8], &'a [u8]),
        own: &[&'a [u8]],
    ) {
        let default = |account| Step::Default {
            user,
            from: None,
            to: Some(account),
        };
        let all_gone = steps.iter().filter_map(deleted_association);
        let all_gone = all_gone.filter(|(other, _)| *other == user);
        let gone: HashSet<&[u8]> = all_gone.map(|(_, account)| account).collect();
        if let Some(&kept) = own.iter().find(|own| !gone.contains(*own)) {
            self.before.push(default(kept));
            self.after.push(default(account));
            return;
        }
        let is_other = |spare: &&[u8]| !own.contains(spare) && !gone.contains(spare);
        if let Some(spare) = spare_accounts(snapshot).into_iter().find(is_other) {
            let at = Address {
                account: spare,
                user: Some(user),
                partition: None,
                needs_partition: false,
            };
            let (parent, shares) = (spare, Shares::new(1));
            self.before
                .extend([Step::Add { at, parent, shares }, default(spare)]);
            self.after.push(default(account));
            self.after.push(Step::Delete {
                at,
                parent,
                shares,
                scope: DeletionScope::Detour,
            });
            return;
        }
        // The commands made another account the default, and it still is when this association is deleted.
        self.early.insert(user, account);
    }

    /// Returns the steps with the detours.
    fn insert_into(self, steps: &[Step<'a>]) -> Vec<Step<'a>> {
        let begin = steps
            .iter()
            .position(|step| step.is_harmful())
            .unwrap_or(steps.len());
        let is_user = |step: &&Step<'a>| deleted_address(step).is_some_and(|at| at.user.is_some());
        let end = begin + steps[begin..].iter().take_while(is_user).count();
        let is_late = |step: &Step<'a>| matches!(step, Step::Default { user, .. } if self.early.contains_key(user));
        let is_early = |step: &Step<'a>| {
            deleted_association(step)
                .is_some_and(|(user, account)| self.early.get(user) == Some(&account))
        };
        let (late, harmless): (Vec<_>, Vec<_>) =
            steps[..begin].iter().partition(|step| is_late(step));
        let (early, users): (Vec<_>, Vec<_>) =
            steps[begin..end].iter().partition(|step| is_early(step));
        let parts = [harmless, self.before, early, late, users, self.after];
        parts
            .into_iter()
            .flatten()
            .chain(steps[end..].iter().copied())
            .collect()
    }
}
