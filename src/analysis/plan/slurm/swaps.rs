//! Rollbacks in which a user gets one association with an account for another one with it.
//!
//! The rollback makes the account the default again, and Slurm does not delete an association with the default account
//! while the user keeps others. So the other association goes while the default is another account.

use super::defaults::{RecordedDefault, associations, known, subject, ways};
use crate::analysis::plan::steps::{Address, DeletionScope, Step};
use crate::model::{Shares, Snapshot};
use std::collections::{HashMap, HashSet};

/// What a rollback takes beside its own steps.
#[derive(Default)]
struct Detours<'a> {
    /// What comes before users' associations are deleted.
    before: Vec<Step<'a>>,
    /// What comes after that.
    after: Vec<Step<'a>>,
    /// Users whose associations with an account go before it is the default again.
    early: HashMap<&'a [u8], &'a [u8]>,
}

/// Puts the steps of a rollback in an order that Slurm accepts, with detours over another default account.
pub(super) fn with_detours<'a>(steps: Vec<Step<'a>>, snapshot: &'a Snapshot) -> Vec<Step<'a>> {
    let coming: HashSet<_> = steps.iter().filter_map(comes).collect();
    let mut swapped: Vec<_> = steps.iter().filter_map(goes).collect();
    swapped.retain(|pair| coming.contains(pair));
    if swapped.is_empty() {
        return steps;
    }
    let users = swapped.iter().map(|&(user, _)| (user, 0)).collect();
    // A rollback has the old names.
    let listed = associations(snapshot, &HashMap::new(), &users);
    let mut detours = Detours::default();
    let mut seen = HashSet::new();
    for (user, account) in swapped {
        let own = listed.get(user).map_or(&[][..], Vec::as_slice);
        let is_default = match known(snapshot, own) {
            RecordedDefault::Account(Some(default)) => default == account,
            RecordedDefault::Account(None) | RecordedDefault::Unknown => true,
        };
        // An association that is not with the default account goes without more ado.
        if is_default && seen.insert(user) {
            let own = own.iter().map(|(association, _)| association.account);
            detours.find(&steps, snapshot, (user, account), &own.collect::<Vec<_>>());
        }
    }
    detours.around(&steps)
}

/// The user and the account of an association that a step adds.
fn comes<'a>(step: &Step<'a>) -> Option<(&'a [u8], &'a [u8])> {
    match step {
        Step::Add { at, .. } => at.user.map(|user| (user, at.account)),
        _ => None,
    }
}

/// The user and the account of an association that a step deletes.
fn goes<'a>(step: &Step<'a>) -> Option<(&'a [u8], &'a [u8])> {
    subject(step).and_then(|at| Some((at.user?, at.account)))
}

impl<'a> Detours<'a> {
    /// Finds a way for a user who swaps associations with the default account and had associations with these accounts.
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
        let all_gone = steps.iter().filter_map(goes);
        let all_gone = all_gone.filter(|(other, _)| *other == user);
        let gone: HashSet<&[u8]> = all_gone.map(|(_, account)| account).collect();
        if let Some(&kept) = own.iter().find(|own| !gone.contains(*own)) {
            self.before.push(default(kept));
            self.after.push(default(account));
            return;
        }
        let is_other = |way: &&[u8]| !own.contains(way) && !gone.contains(way);
        if let Some(way) = ways(snapshot).into_iter().find(is_other) {
            let at = Address {
                account: way,
                user: Some(user),
                partition: None,
                needs_partition: false,
            };
            let (parent, shares) = (way, Shares::new(1));
            self.before
                .extend([Step::Add { at, parent, shares }, default(way)]);
            self.after.push(default(account));
            self.after.push(Step::Delete {
                at,
                parent,
                shares,
                scope: DeletionScope::Detour,
            });
            return;
        }
        // The commands made another account the default, which it is until the rollback has come to that.
        self.early.insert(user, account);
    }

    /// The steps with the detours.
    fn around(self, steps: &[Step<'a>]) -> Vec<Step<'a>> {
        let begin = steps
            .iter()
            .position(|step| step.is_harmful())
            .unwrap_or(steps.len());
        let is_user = |step: &&Step<'a>| subject(step).is_some_and(|at| at.user.is_some());
        let end = begin + steps[begin..].iter().take_while(is_user).count();
        let is_late = |step: &Step<'a>| matches!(step, Step::Default { user, .. } if self.early.contains_key(user));
        let is_early = |step: &Step<'a>| {
            goes(step).is_some_and(|(user, account)| self.early.get(user) == Some(&account))
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
