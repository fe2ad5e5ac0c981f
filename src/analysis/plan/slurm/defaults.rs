//! Default accounts: Slurm does not delete the association with a user's default account while the user has others.
//!
//! From 23.02 on Slurm refuses a command that deletes the default association of a user and leaves others of the user
//! (`_check_is_def_acct_before_remove` in `accounting_storage_mysql.c`). Up to 22.05 it refuses a command that deletes
//! a default association together with any other one, even of another user. So each deletion is a command of its own,
//! another default is set first, and the associations of a deleted user end with the default one. A rollback that
//! replaces an association by another one with the same account deletes the old one while another account is the
//! default.

use super::associations::{
    RecordedDefault, UserAssociation, associations, detour, recorded_default, set_default,
    spare_accounts,
};
use crate::analysis::plan::steps::{Address, Change, DeletionScope, Step};
use crate::analysis::plan::{DefaultAccount, Note};
use crate::model::Snapshot;
use hashbrown::{HashMap, HashSet};

/// Puts steps in an order that Slurm accepts, default accounts first and deletions last, with notes on the defaults.
pub(super) fn arrange<'a>(
    steps: Vec<Step<'a>>,
    snapshot: &'a Snapshot,
    renamed: &HashMap<&'a [u8], &'a [u8]>,
) -> (Vec<Step<'a>>, Vec<Note>) {
    let mut order = StepOrder {
        spare_accounts: spare_accounts(snapshot),
        ..StepOrder::default()
    };
    let mut gone: Vec<(&[u8], Vec<Step<'a>>)> = Vec::new();
    let mut added: HashMap<&[u8], Vec<&'a [u8]>> = HashMap::new();
    let mut place_of: HashMap<&[u8], usize> = HashMap::new();
    for step in steps {
        match (step.change, step.at.user) {
            (Change::Delete { .. }, None) => order.accounts.push(step),
            (Change::Delete { .. }, Some(user)) => {
                let place = *place_of.entry(user).or_insert_with(|| {
                    gone.push((user, Vec::new()));
                    gone.len() - 1
                });
                gone[place].1.push(step);
            }
            (Change::Reset, _) => order.resets.push(step),
            (change, user) => {
                if let (Change::Add { .. }, Some(user)) = (change, user) {
                    added.entry(user).or_default().push(step.at.account);
                }
                order.harmless.push(step);
            }
        }
    }
    if !gone.is_empty() {
        let associations = associations(snapshot, renamed, |user| place_of.contains_key(user));
        for (name, deletions) in gone {
            let before = associations.get(name).map_or(&[][..], Vec::as_slice);
            let user = LeavingUser {
                name,
                before,
                added: added.get(name).map_or(&[][..], Vec::as_slice),
                recorded: recorded_default(snapshot, before),
            };
            order.delete_associations(&user, deletions);
        }
    }
    let steps = [
        order.harmless,
        order.defaults,
        order.resets,
        order.users,
        order.last,
        order.restored_defaults,
        order.detours,
        order.accounts,
    ];
    (steps.concat(), order.notes)
}

struct LeavingUser<'a, 's> {
    name: &'a [u8],
    before: &'s [UserAssociation<'a>],
    added: &'s [&'a [u8]],
    recorded: RecordedDefault<'a>,
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
    fn delete_associations(&mut self, user: &LeavingUser<'a, '_>, deletions: Vec<Step<'a>>) {
        let is_at = |own: &UserAssociation<'_>, at: Address<'_>| {
            (own.account, own.partition) == (at.account, at.partition)
        };
        let is_gone = |own: &&UserAssociation<'_>| deletions.iter().any(|step| is_at(own, step.at));
        let stays = user.before.iter().filter(|own| !is_gone(own));
        let stays: Vec<&[u8]> = stays.map(|own| own.account).collect();
        if stays.is_empty() && user.added.is_empty() {
            return self.delete_user(user, deletions);
        }
        let may_be_default = |at: &Address<'a>| {
            let mut same = user.before.iter().filter(|own| is_at(own, *at));
            match (same.find_map(|own| own.is_default), user.recorded) {
                (Some(is_default), _) => is_default,
                (None, RecordedDefault::Account(account)) => account == Some(at.account),
                (None, RecordedDefault::Unknown) => true,
            }
        };
        if let Some(at) = deletions.iter().map(|step| step.at).find(may_be_default) {
            let left = || user.added.iter().chain(&stays).copied();
            let is_kept =
                |account: &&[u8]| deletions.iter().all(|step| step.at.account != *account);
            if let Some(successor) = left().find(is_kept) {
                self.make_default(user, at.account, successor, &stays);
            } else {
                let last = left().find(|&account| account == at.account);
                self.make_detour(user, at.account, last.or_else(|| left().next()));
            }
        }
        self.users.extend(deletions);
    }

    /// Makes `successor` the default account of a user who stays, before the possible default is deleted.
    fn make_default(
        &mut self,
        user: &LeavingUser<'a, '_>,
        gone: &'a [u8],
        successor: &'a [u8],
        stays: &[&'a [u8]],
    ) {
        if stays.contains(&gone) {
            // The user keeps another association with the account, so that becomes the default again in the end.
            let default = |account| set_default(user.name, [None, Some(account)]);
            self.defaults.push(default(successor));
            self.restored_defaults.push(default(gone));
            return;
        }
        let [old, new] = [gone, successor].map(<[u8]>::to_vec);
        let (from, account) = match user.recorded {
            RecordedDefault::Account(account) => (account, DefaultAccount::Replaced { old, new }),
            RecordedDefault::Unknown => {
                let comes_back = user.added.contains(&successor);
                let account = DefaultAccount::Guessed {
                    old,
                    new,
                    comes_back,
                };
                (comes_back.then_some(gone), account)
            }
        };
        let step = set_default(user.name, [from, Some(successor)]);
        self.defaults.push(step);
        self.note(user, account);
    }

    /// Makes a spare account the temporary default of a user who loses one of several associations with every account.
    /// In the end the default is the account `last`.
    fn make_detour(&mut self, user: &LeavingUser<'a, '_>, gone: &[u8], last: Option<&'a [u8]>) {
        let is_other = |account: &&[u8]| {
            !user.added.contains(account) && user.before.iter().all(|own| own.account != *account)
        };
        let mut spare = self.spare_accounts.iter().copied();
        let Some(spare) = spare.find(is_other) else {
            return self.note(user, DefaultAccount::NoOther);
        };
        let (begin, end) = detour(user.name, spare);
        self.defaults.extend(begin);
        if last.is_some() {
            let back = set_default(user.name, [None, last]);
            self.restored_defaults.push(back);
        }
        if let RecordedDefault::Account(from) = user.recorded
            && last != Some(gone)
        {
            // This step has a command only in the rollback.
            self.defaults.push(set_default(user.name, [from, None]));
        }
        self.detours.push(end);
        self.note(user, DefaultAccount::Meanwhile(spare.to_vec()));
    }

    /// Arranges the deletions of a user who is deleted: the association with the default account comes last.
    fn delete_user(&mut self, user: &LeavingUser<'a, '_>, deletions: Vec<Step<'a>>) {
        let last = match user.recorded {
            RecordedDefault::Account(account) => account,
            RecordedDefault::Unknown => deletions.last().map(|step| step.at.account),
        };
        let is_last = |step: &Step<'a>| Some(step.at.account) == last;
        let (of_default, others): (Vec<_>, Vec<_>) = deletions.into_iter().partition(is_last);
        let is_flagged = |own: &&UserAssociation<'a>| own.is_default == Some(true);
        let flagged = user.before.iter().filter(is_flagged);
        let flagged: Vec<_> = flagged.map(|own| (own.account, own.partition)).collect();
        let is_unsure = of_default.len() > 1 && flagged.len() != 1;
        let is_recorded = user.recorded != RecordedDefault::Unknown;
        // When the rollback adds the user with one account, that becomes the default by itself.
        let is_set_back = is_recorded && (!others.is_empty() || is_unsure);
        let from = last.filter(|_| is_set_back);
        let to = last.filter(|_| is_unsure || !is_recorded);
        if from.is_some() || to.is_some() {
            self.defaults.push(set_default(user.name, [from, to]));
        }
        if !is_recorded {
            let account = last.unwrap_or_default().to_vec();
            self.note(user, DefaultAccount::Last(account));
        }
        self.users.extend(others);
        if is_unsure {
            let scopes = std::iter::once(DeletionScope::Whole);
            let scopes = scopes.chain(std::iter::repeat(DeletionScope::Along));
            for (mut step, new) in of_default.into_iter().zip(scopes) {
                if let Change::Delete { scope, .. } = &mut step.change {
                    *scope = new;
                }
                self.last.push(step);
            }
            return;
        }
        let is_flagged = |step: &Step<'a>| flagged.contains(&(step.at.account, step.at.partition));
        let (ends, begins): (Vec<_>, Vec<_>) = of_default.into_iter().partition(is_flagged);
        self.last.extend(begins);
        self.last.extend(ends);
    }

    fn note(&mut self, user: &LeavingUser<'a, '_>, account: DefaultAccount) {
        let user = user.name.to_vec();
        self.notes.push(Note::Default { user, account });
    }
}

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
    let adds = |step: &&Step<'a>| matches!(step.change, Change::Add { .. });
    let coming: HashSet<_> = steps.iter().filter(adds).filter_map(association).collect();
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
        let default = |account| set_default(user, [None, Some(account)]);
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
        let harm = steps.iter().position(Step::is_harmful);
        let begin = harm.unwrap_or(steps.len());
        let is_user = |step: &&Step<'a>| deleted_association(step).is_some();
        let end = begin + steps[begin..].iter().take_while(is_user).count();
        let is_late = |step: &&Step<'a>| {
            let is_default = matches!(step.change, Change::Default { .. });
            is_default && self.early.contains_key(step.at.name())
        };
        let is_early = |step: &&Step<'a>| {
            deleted_association(step)
                .is_some_and(|(user, account)| self.early.get(user) == Some(&account))
        };
        let (late, harmless): (Vec<_>, Vec<_>) = steps[..begin].iter().partition(is_late);
        let (early, users): (Vec<_>, Vec<_>) = steps[begin..end].iter().partition(is_early);
        let parts = [harmless, self.before, early, late, users, self.after];
        let rest = steps[end..].iter().copied();
        parts.into_iter().flatten().chain(rest).collect()
    }
}
