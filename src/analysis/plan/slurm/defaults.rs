//! Default accounts: Slurm does not delete the association with a user's default account while the user has others.
//!
//! From 23.02 on Slurm refuses a command that deletes the default association of a user and leaves others of the user
//! (`_check_is_def_acct_before_remove` in `accounting_storage_mysql.c`). Up to 22.05 it refuses a command that deletes
//! a default association together with any other one, even of another user. So each deletion is a command of its own,
//! another default is set first, and the associations of a deleted user end with the default one. A rollback that
//! replaces an association by another one with the same account deletes the old one while another account is the
//! default.

use super::associations::{
    Detour, RecordedDefault, UserAssociation, associations, change_default, recorded_default,
    set_default, spare_accounts,
};
use crate::analysis::plan::steps::{Address, Change, DeletionScope, Step, first_harmful};
use crate::analysis::plan::{DefaultAccount, Note};
use crate::model::Snapshot;
use hashbrown::{HashMap, HashSet};

/// Steps in an order that Slurm accepts.
pub(super) struct Arrangement<'a> {
    pub(super) steps: Vec<Step<'a>>,
    /// The notes on default accounts.
    pub(super) notes: Vec<Note>,
}

/// Puts steps in an order that Slurm accepts, default accounts first and deletions last, with notes on the defaults.
pub(super) fn arrange<'a>(
    steps: Vec<Step<'a>>,
    snapshot: &'a Snapshot,
    renamed: &HashMap<&'a [u8], &'a [u8]>,
) -> Arrangement<'a> {
    let mut order = StepOrder {
        spare_accounts: spare_accounts(snapshot),
        ..StepOrder::default()
    };
    let mut users: Vec<LeavingUser<'a>> = Vec::new();
    let mut places: HashMap<&[u8], usize> = HashMap::new();
    let mut added: HashMap<&[u8], Vec<&'a [u8]>> = HashMap::new();
    for step in steps {
        match (step.change, step.at.user) {
            (Change::Delete { .. }, None) => order.accounts.push(step),
            (Change::Delete { .. }, Some(name)) => {
                let place = *places.entry(name).or_insert(users.len());
                if place == users.len() {
                    users.push(LeavingUser {
                        name,
                        ..LeavingUser::default()
                    });
                }
                users[place].deletions.push(step);
            }
            (Change::Reset, _) => order.resets.push(step),
            (Change::Add { .. }, Some(name)) => {
                added.entry(name).or_default().push(step.at.account);
                order.harmless.push(step);
            }
            _ => order.harmless.push(step),
        }
    }
    let names = places.into_keys().collect();
    let mut associations = associations(snapshot, renamed, &names);
    for mut user in users {
        if let Some(before) = associations.remove(user.name) {
            user.before = before;
        }
        if let Some(accounts) = added.remove(user.name) {
            user.added = accounts;
        }
        user.recorded = recorded_default(snapshot, &user.before);
        order.delete_associations(&user);
    }
    order.arrangement()
}

/// A user who loses associations.
#[derive(Default)]
struct LeavingUser<'a> {
    /// The name in the plan.
    name: &'a [u8],
    /// The steps that delete associations of the user.
    deletions: Vec<Step<'a>>,
    /// The associations before the plan.
    before: Vec<UserAssociation<'a>>,
    /// The accounts that the user is added to.
    added: Vec<&'a [u8]>,
    recorded: RecordedDefault<'a>,
}

impl<'a> LeavingUser<'a> {
    /// Returns the accounts of the associations that are not deleted.
    fn staying_accounts(&self) -> Vec<&'a [u8]> {
        let mut accounts = Vec::new();
        for own in &self.before {
            if !self.deletions.iter().any(|step| own.is_at(step.at)) {
                accounts.push(own.account);
            }
        }
        accounts
    }

    /// Returns whether an association with an account is deleted.
    fn leaves(&self, account: &[u8]) -> bool {
        let mut deletions = self.deletions.iter();
        deletions.any(|step| step.at.account == account)
    }

    /// Returns whether the user had an association with an account, or is added to it.
    fn knows(&self, account: &[u8]) -> bool {
        let mut before = self.before.iter();
        self.added.contains(&account) || before.any(|own| own.account == account)
    }

    /// Returns the account of the first deleted association that may be the default one. `None` if none of them may.
    fn deleted_default(&self) -> Option<&'a [u8]> {
        for step in &self.deletions {
            if self.may_be_default(step.at) {
                return Some(step.at.account);
            }
        }
        None
    }

    /// Returns whether the association at an address may be the default one.
    fn may_be_default(&self, at: Address<'a>) -> bool {
        for own in &self.before {
            if own.is_at(at)
                && let Some(is_default) = own.is_default
            {
                return is_default;
            }
        }
        match self.recorded {
            RecordedDefault::Account(account) => account == Some(at.account),
            RecordedDefault::Unknown => true,
        }
    }
}

/// Steps in groups, in the order in which they are taken.
#[derive(Default)]
struct StepOrder<'a> {
    harmless: Vec<Step<'a>>,
    defaults: Vec<Step<'a>>,
    resets: Vec<Step<'a>>,
    users: Vec<Step<'a>>,
    /// Deletions of the last associations of users, which are the default ones.
    last: Vec<Step<'a>>,
    restored_defaults: Vec<Step<'a>>,
    detours: Vec<Step<'a>>,
    accounts: Vec<Step<'a>>,
    notes: Vec<Note>,
    spare_accounts: Vec<&'a [u8]>,
}

impl<'a> StepOrder<'a> {
    /// Returns the steps of all groups in order.
    fn arrangement(self) -> Arrangement<'a> {
        let groups = [
            self.harmless,
            self.defaults,
            self.resets,
            self.users,
            self.last,
            self.restored_defaults,
            self.detours,
            self.accounts,
        ];
        Arrangement {
            steps: groups.concat(),
            notes: self.notes,
        }
    }

    /// Arranges the deletions of associations of a user.
    fn delete_associations(&mut self, user: &LeavingUser<'a>) {
        let stays = user.staying_accounts();
        // The accounts that the user has in the end.
        let mut left = user.added.clone();
        left.extend(&stays);
        if left.is_empty() {
            self.delete_user(user);
            return;
        }
        if let Some(gone) = user.deleted_default() {
            if let Some(&successor) = left.iter().find(|account| !user.leaves(account)) {
                self.make_default(user, gone, successor, &stays);
            } else if left.contains(&gone) {
                self.make_detour(user, gone, gone);
            } else {
                self.make_detour(user, gone, left[0]);
            }
        }
        self.users.extend(&user.deletions);
    }

    /// Makes `successor` the default account of a user who stays, before the possible default is deleted.
    fn make_default(
        &mut self,
        user: &LeavingUser<'a>,
        gone: &'a [u8],
        successor: &'a [u8],
        stays: &[&'a [u8]],
    ) {
        if stays.contains(&gone) {
            // The user keeps another association with the account, so that becomes the default again in the end.
            self.defaults.push(set_default(user.name, successor));
            self.restored_defaults.push(set_default(user.name, gone));
            return;
        }
        let old = gone.to_vec();
        let new = successor.to_vec();
        let mut from = None;
        let account = match user.recorded {
            RecordedDefault::Account(account) => {
                from = account;
                DefaultAccount::Replaced { old, new }
            }
            RecordedDefault::Unknown => {
                let comes_back = user.added.contains(&successor);
                if comes_back {
                    from = Some(gone);
                }
                DefaultAccount::Guessed {
                    old,
                    new,
                    comes_back,
                }
            }
        };
        let step = change_default(user.name, from, Some(successor));
        self.defaults.push(step);
        self.note(user, account);
    }

    /// Makes a spare account the temporary default of a user who loses one of several associations with every account.
    /// In the end the default is the account `last`.
    fn make_detour(&mut self, user: &LeavingUser<'a>, gone: &'a [u8], last: &'a [u8]) {
        let mut spare_accounts = self.spare_accounts.iter();
        let Some(&spare) = spare_accounts.find(|account| !user.knows(account)) else {
            self.note(user, DefaultAccount::NoOther);
            return;
        };
        let detour = Detour::new(user.name, spare);
        self.defaults.extend(detour.begin);
        let end = set_default(user.name, last);
        self.restored_defaults.push(end);
        if let RecordedDefault::Account(from) = user.recorded
            && last != gone
        {
            // This step has a command only in the rollback.
            self.defaults.push(change_default(user.name, from, None));
        }
        self.detours.push(detour.end);
        self.note(user, DefaultAccount::Meanwhile(spare.to_vec()));
    }

    /// Arranges the deletions of a user who is deleted: the association with the default account comes last.
    fn delete_user(&mut self, user: &LeavingUser<'a>) {
        let is_recorded = user.recorded != RecordedDefault::Unknown;
        let default = match user.recorded {
            RecordedDefault::Account(account) => account,
            RecordedDefault::Unknown => user.deletions.last().map(|step| step.at.account),
        };
        let mut of_default = Vec::new();
        let mut others = Vec::new();
        for &step in &user.deletions {
            if Some(step.at.account) == default {
                of_default.push(step);
            } else {
                others.push(step);
            }
        }
        let mut flagged = Vec::new();
        for own in &user.before {
            if own.is_default == Some(true) {
                flagged.push(own);
            }
        }
        let is_unsure = of_default.len() > 1 && flagged.len() != 1;
        // When the rollback adds the user with one account, that becomes the default by itself.
        let is_set_back = is_recorded && (is_unsure || !others.is_empty());
        let from = if is_set_back { default } else { None };
        let is_set = is_unsure || !is_recorded;
        let to = if is_set { default } else { None };
        if from.is_some() || to.is_some() {
            self.defaults.push(change_default(user.name, from, to));
        }
        if !is_recorded {
            let account = default.unwrap_or_default().to_vec();
            self.note(user, DefaultAccount::Last(account));
        }
        self.users.append(&mut others);
        if is_unsure {
            self.delete_together(of_default);
            return;
        }
        let mut ends = Vec::new();
        for step in of_default {
            if flagged.iter().any(|own| own.is_at(step.at)) {
                ends.push(step);
            } else {
                self.last.push(step);
            }
        }
        self.last.append(&mut ends);
    }

    /// Deletes all associations of a user with an account by one command.
    fn delete_together(&mut self, deletions: Vec<Step<'a>>) {
        let mut own_scope = DeletionScope::Whole;
        for mut step in deletions {
            if let Change::Delete { scope, .. } = &mut step.change {
                *scope = own_scope;
            }
            self.last.push(step);
            own_scope = DeletionScope::Along;
        }
    }

    /// Adds a note on the default account of a user.
    fn note(&mut self, user: &LeavingUser<'a>, account: DefaultAccount) {
        self.notes.push(Note::Default {
            user: user.name.to_vec(),
            account,
        });
    }
}

/// A user and an account that it has an association with.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Membership<'a> {
    user: &'a [u8],
    account: &'a [u8],
}

impl<'a> Membership<'a> {
    /// Returns what a step deletes. `None` if that is no association.
    fn deleted(step: &Step<'a>) -> Option<Self> {
        if step.is_deletion() {
            Self::of(step)
        } else {
            None
        }
    }

    /// Returns what a step is about. `None` if that is an account.
    fn of(step: &Step<'a>) -> Option<Self> {
        let user = step.at.user?;
        let account = step.at.account;
        Some(Self { user, account })
    }
}

/// Puts the steps of a rollback in an order that Slurm accepts, with another default account in between.
pub(super) fn with_detours<'a>(steps: Vec<Step<'a>>, snapshot: &'a Snapshot) -> Vec<Step<'a>> {
    let mut coming = HashSet::new();
    for step in &steps {
        if step.is_addition() {
            coming.extend(Membership::of(step));
        }
    }
    let mut users = HashSet::new();
    let mut swapped = Vec::new();
    for step in &steps {
        if let Some(membership) = Membership::deleted(step)
            && coming.contains(&membership)
        {
            users.insert(membership.user);
            swapped.push(membership);
        }
    }
    if swapped.is_empty() {
        return steps;
    }
    // In a rollback users have their old names already.
    let listed = associations(snapshot, &HashMap::new(), &users);
    let mut detours = Detours::default();
    let mut seen = HashSet::new();
    for membership in swapped {
        let own = match listed.get(membership.user) {
            Some(own) => own.as_slice(),
            None => &[],
        };
        let is_default = match recorded_default(snapshot, own) {
            RecordedDefault::Account(Some(default)) => default == membership.account,
            RecordedDefault::Account(None) | RecordedDefault::Unknown => true,
        };
        // An association with another account than the default can simply be deleted.
        if is_default && seen.insert(membership.user) {
            detours.find(&steps, snapshot, membership, own);
        }
    }
    detours.insert_into(&steps)
}

/// The extra steps of a rollback.
#[derive(Default)]
struct Detours<'a> {
    /// Steps before the associations of users are deleted.
    before: Vec<Step<'a>>,
    /// Steps after that.
    after: Vec<Step<'a>>,
    /// Users with the account whose association is deleted before that account is the default again.
    early: HashMap<&'a [u8], &'a [u8]>,
}

impl<'a> Detours<'a> {
    /// Adds the detour of a user whose association with the default account is replaced by another one.
    fn find(
        &mut self,
        steps: &[Step<'a>],
        snapshot: &'a Snapshot,
        replaced: Membership<'a>,
        own: &[UserAssociation<'a>],
    ) {
        let user = replaced.user;
        let back = set_default(user, replaced.account);
        let mut gone: HashSet<&[u8]> = HashSet::new();
        for deleted in steps.iter().filter_map(Membership::deleted) {
            if deleted.user == user {
                gone.insert(deleted.account);
            }
        }
        for association in own {
            if !gone.contains(association.account) {
                self.before.push(set_default(user, association.account));
                self.after.push(back);
                return;
            }
        }
        for spare in spare_accounts(snapshot) {
            if !gone.contains(spare) {
                let detour = Detour::new(user, spare);
                self.before.extend(detour.begin);
                self.after.push(back);
                self.after.push(detour.end);
                return;
            }
        }
        // The commands made another account the default, and it still is when this association is deleted.
        self.early.insert(user, replaced.account);
    }

    /// Returns whether a step makes an account the default whose former association is to be deleted before.
    fn is_late(&self, step: &Step<'a>) -> bool {
        step.is_default() && self.early.contains_key(step.at.name())
    }

    /// Returns whether a step deletes an association that is to be deleted early.
    fn is_early(&self, step: &Step<'a>) -> bool {
        match Membership::deleted(step) {
            Some(deleted) => self.early.get(deleted.user) == Some(&deleted.account),
            None => false,
        }
    }

    /// Returns the steps of a rollback with the extra ones.
    fn insert_into(mut self, steps: &[Step<'a>]) -> Vec<Step<'a>> {
        let begin = first_harmful(steps);
        let mut end = begin;
        while end < steps.len() && Membership::deleted(&steps[end]).is_some() {
            end += 1;
        }
        let mut arranged = Vec::with_capacity(steps.len());
        let mut late = Vec::new();
        for &step in &steps[..begin] {
            if self.is_late(&step) {
                late.push(step);
            } else {
                arranged.push(step);
            }
        }
        arranged.append(&mut self.before);
        let mut others = Vec::new();
        for &step in &steps[begin..end] {
            if self.is_early(&step) {
                arranged.push(step);
            } else {
                others.push(step);
            }
        }
        arranged.append(&mut late);
        arranged.append(&mut others);
        arranged.append(&mut self.after);
        arranged.extend_from_slice(&steps[end..]);
        arranged
    }
}
