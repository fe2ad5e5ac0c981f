//! Rollbacks that replace a user's association with an account by another one with the same account.
//!
//! The rollback makes that account the default again, but Slurm does not delete an association with the default account
//! while the user has others. So the old association is deleted while another account is the default.

use super::associations::{
    RecordedDefault, associations, detour, recorded_default, set_default, spare_accounts,
};
use crate::analysis::plan::steps::{Change, Step};
use crate::model::Snapshot;
use hashbrown::{HashMap, HashSet};

/// The extra steps of a rollback.
#[derive(Default)]
struct Detours<'a> {
    /// Steps before the associations of users are deleted.
    before: Vec<Step<'a>>,
    after: Vec<Step<'a>>,
    /// Users with an account whose associations are deleted before that account is the default again.
    early: HashMap<&'a [u8], &'a [u8]>,
}

/// Puts the steps of a rollback in an order that Slurm accepts, with another default account in between.
pub(super) fn with_detours<'a>(steps: Vec<Step<'a>>, snapshot: &'a Snapshot) -> Vec<Step<'a>> {
    let added = steps
        .iter()
        .filter(|step| matches!(step.change, Change::Add { .. }));
    let coming: HashSet<_> = added.filter_map(association).collect();
    let mut swapped: Vec<_> = steps.iter().filter_map(deleted_association).collect();
    swapped.retain(|pair| coming.contains(pair));
    if swapped.is_empty() {
        return steps;
    }
    let users: HashSet<&[u8]> = swapped.iter().map(|&(user, _)| user).collect();
    // In a rollback users have their old names already.
    let listed = associations(snapshot, &HashMap::new(), |user| users.contains(user));
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
            let own: Vec<&[u8]> = own.iter().map(|own| own.account).collect();
            detours.find(&steps, snapshot, (user, account), &own);
        }
    }
    detours.insert_into(&steps)
}

/// Returns the user and the account of a step's association. `None` for an account.
fn association<'a>(step: &Step<'a>) -> Option<(&'a [u8], &'a [u8])> {
    step.at.user.map(|user| (user, step.at.account))
}

/// Returns the user and the account of an association that a step deletes.
fn deleted_association<'a>(step: &Step<'a>) -> Option<(&'a [u8], &'a [u8])> {
    step.deleted().and_then(|_| association(step))
}

impl<'a> Detours<'a> {
    /// Adds the detour of a user, one of whose associations with `own` is replaced by another with the default account.
    fn find(
        &mut self,
        steps: &[Step<'a>],
        snapshot: &'a Snapshot,
        (user, account): (&'a [u8], &'a [u8]),
        own: &[&'a [u8]],
    ) {
        let default = |account| set_default(user, None, Some(account));
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
            let (begin, end) = detour(user, spare);
            self.before.extend(begin);
            self.after.extend([default(account), end]);
            return;
        }
        // The commands made another account the default, and it still is when this association is deleted.
        self.early.insert(user, account);
    }

    fn insert_into(self, steps: &[Step<'a>]) -> Vec<Step<'a>> {
        let begin = steps.iter().position(Step::is_harmful);
        let begin = begin.unwrap_or(steps.len());
        let is_user = |step: &&Step<'a>| deleted_association(step).is_some();
        let end = begin + steps[begin..].iter().take_while(is_user).count();
        let is_late = |step: &Step<'a>| {
            let is_default = matches!(step.change, Change::Default { .. });
            is_default && self.early.contains_key(step.at.name())
        };
        let is_early = |step: &Step<'a>| {
            deleted_association(step)
                .is_some_and(|(user, account)| self.early.get(user) == Some(&account))
        };
        let (late, harmless): (Vec<_>, Vec<_>) =
            steps[..begin].iter().partition(|step| is_late(step));
        let (early, users): (Vec<_>, Vec<_>) =
            steps[begin..end].iter().partition(|step| is_early(step));
        let parts = [harmless, self.before, early, late, users, self.after];
        let rest = steps[end..].iter().copied();
        parts.into_iter().flatten().chain(rest).collect()
    }
}
