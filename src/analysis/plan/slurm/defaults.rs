//! Default accounts: Slurm does not delete the association with a user's default account while the user has others.
//!
//! From 23.02 on Slurm refuses a command that deletes the default association of a user and leaves others of the user
//! (`_check_is_def_acct_before_remove` in `accounting_storage_mysql.c`). Up to 22.05 it refuses a command that deletes
//! a default association together with any other one, even of another user. So each deletion is a command of its own,
//! another default is set first, and the associations of a deleted user end with the default one.

use super::associations::{
    RecordedDefault, UserAssociation, associations, recorded_default, spare_accounts,
};
use crate::analysis::plan::steps::{Address, DeletionScope, Step};
use crate::analysis::plan::{DefaultAccount, Note};
use crate::model::{Shares, Snapshot};
use hashbrown::{HashMap, HashSet};

/// Puts steps in an order that Slurm accepts: default accounts are set first, and deletions come last. Returns the
/// steps and notes about changed default accounts.
pub(super) fn arrange<'a>(
    steps: Vec<Step<'a>>,
    snapshot: &'a Snapshot,
    renamed: &HashMap<&'a [u8], &'a [u8]>,
) -> (Vec<Step<'a>>, Vec<Note>) {
    let mut arrangement = StepOrder {
        spare_accounts: spare_accounts(snapshot),
        ..StepOrder::default()
    };
    let mut gone: Vec<(&[u8], Vec<Step<'a>>)> = Vec::new();
    let mut added: HashMap<&[u8], Vec<&'a [u8]>> = HashMap::new();
    let mut place_of: HashMap<&[u8], usize> = HashMap::new();
    for step in steps {
        match step {
            Step::Delete { at, .. } => match at.user {
                None => arrangement.accounts.push(step),
                Some(user) => {
                    let place = *place_of.entry(user).or_insert_with(|| {
                        gone.push((user, Vec::new()));
                        gone.len() - 1
                    });
                    gone[place].1.push(step);
                }
            },
            Step::Reset { .. } => arrangement.resets.push(step),
            Step::Add { at, .. } => {
                if let Some(user) = at.user {
                    added.entry(user).or_default().push(at.account);
                }
                arrangement.harmless.push(step);
            }
            step => arrangement.harmless.push(step),
        }
    }
    if !gone.is_empty() {
        let associations = associations(snapshot, renamed, &place_of);
        for (user, deletions) in gone {
            let before = associations.get(user).map_or(&[][..], Vec::as_slice);
            let added = added.get(user).map_or(&[][..], Vec::as_slice);
            let recorded = recorded_default(snapshot, before);
            let before: Vec<_> = before.iter().map(|(association, _)| association).collect();
            arrangement.delete_associations(user, deletions, &before, added, recorded);
        }
    }
    arrangement.finish()
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
    /// Steps that set a default account back.
    restored_defaults: Vec<Step<'a>>,
    /// Deletions of temporary associations.
    detours: Vec<Step<'a>>,
    accounts: Vec<Step<'a>>,
    notes: Vec<Note>,
    /// Accounts that may become a user's temporary default.
    spare_accounts: Vec<&'a [u8]>,
}

/// Returns the address that a step deletes. `None` for other steps.
pub(super) fn deleted_address<'a>(step: &Step<'a>) -> Option<Address<'a>> {
    match step {
        Step::Delete { at, .. } => Some(*at),
        _ => None,
    }
}

/// Returns the same deletion with another scope.
fn with_scope(step: Step<'_>, new: DeletionScope) -> Step<'_> {
    match step {
        Step::Delete {
            at, parent, shares, ..
        } => Step::Delete {
            at,
            parent,
            shares,
            scope: new,
        },
        step => step,
    }
}

impl<'a> StepOrder<'a> {
    /// Arranges the deletions of one user. `before` are the user's associations before the plan, `added` the accounts
    /// of those that the plan adds.
    fn delete_associations(
        &mut self,
        user: &'a [u8],
        deletions: Vec<Step<'a>>,
        before: &[&UserAssociation<'a>],
        added: &[&'a [u8]],
        recorded: RecordedDefault<'a>,
    ) {
        let is_gone = |account: &[u8], partition: Option<&[u8]>| {
            let mut gone = deletions.iter().filter_map(deleted_address);
            gone.any(|at| at.account == account && at.partition == partition)
        };
        let stays = before
            .iter()
            .filter(|association| !is_gone(association.account, association.partition));
        let stays: Vec<&[u8]> = stays.map(|association| association.account).collect();
        if stays.is_empty() && added.is_empty() {
            self.delete_user(user, deletions, before, recorded);
            return;
        }
        let is_flagged = |at: Address<'a>| {
            let mut same = before.iter().filter(|association| {
                association.account == at.account && association.partition == at.partition
            });
            same.find_map(|association| association.is_default)
        };
        let may_be_default = |at: Address<'a>| match (is_flagged(at), recorded) {
            (Some(is_default), _) => is_default,
            (None, RecordedDefault::Account(account)) => account == Some(at.account),
            (None, RecordedDefault::Unknown) => true,
        };
        let possible_default = deletions
            .iter()
            .filter_map(deleted_address)
            .find(|&at| may_be_default(at));
        if let Some(at) = possible_default {
            let loses = |account: &&&[u8]| {
                !deletions
                    .iter()
                    .filter_map(deleted_address)
                    .any(|at| at.account == **account)
            };
            let successor = added.iter().chain(&stays).find(loses).copied();
            if let Some(successor) = successor {
                self.make_default(user, at, successor, &stays, added, recorded);
            } else {
                let own = before.iter().map(|association| association.account);
                let own: HashSet<&[u8]> = own.chain(added.iter().copied()).collect();
                let is_other = |account: &&&[u8]| !own.contains(**account);
                let spare = self.spare_accounts.iter().find(is_other).copied();
                let last = added.iter().chain(&stays).copied();
                let last = last
                    .clone()
                    .find(|&account| account == at.account)
                    .or_else(|| last.clone().next());
                self.make_detour(user, at, spare, last, recorded);
            }
        }
        self.users.extend(deletions);
    }

    /// Makes `successor` the default account of a user who stays, before the possible default is deleted.
    fn make_default(
        &mut self,
        user: &'a [u8],
        gone: Address<'a>,
        successor: &'a [u8],
        stays: &[&'a [u8]],
        added: &[&'a [u8]],
        recorded: RecordedDefault<'a>,
    ) {
        let is_new = added.contains(&successor);
        let from = match recorded {
            RecordedDefault::Account(account) => account,
            RecordedDefault::Unknown => is_new.then_some(gone.account),
        };
        if stays.contains(&gone.account) {
            // The user keeps another association with the account, so that becomes the default again in the end.
            self.defaults.push(Step::Default {
                user,
                from: None,
                to: Some(successor),
            });
            self.restored_defaults.push(Step::Default {
                user,
                from: None,
                to: Some(gone.account),
            });
            return;
        }
        self.defaults.push(Step::Default {
            user,
            from,
            to: Some(successor),
        });
        let [old, new] = [gone.account, successor].map(<[u8]>::to_vec);
        let account = match recorded {
            RecordedDefault::Account(_) => DefaultAccount::Replaced { old, new },
            RecordedDefault::Unknown => DefaultAccount::Guessed {
                old,
                new,
                comes_back: from.is_some(),
            },
        };
        self.note(user, account);
    }

    /// Makes a spare account the temporary default of a user who loses one of several associations with every account.
    /// In the end the default is the account `last`.
    fn make_detour(
        &mut self,
        user: &'a [u8],
        gone: Address<'a>,
        spare: Option<&'a [u8]>,
        last: Option<&'a [u8]>,
        recorded: RecordedDefault<'a>,
    ) {
        let Some(account) = spare else {
            self.note(user, DefaultAccount::NoOther);
            return;
        };
        let at = Address {
            account,
            user: Some(user),
            partition: None,
            needs_partition: false,
        };
        let default = |account| Step::Default {
            user,
            from: None,
            to: Some(account),
        };
        let (parent, shares) = (account, Shares::new(1));
        self.defaults.push(Step::Add { at, parent, shares });
        self.defaults.push(default(account));
        self.restored_defaults.extend(last.map(default));
        if let RecordedDefault::Account(from) = recorded
            && last != Some(gone.account)
        {
            // This step has a command only in the rollback.
            self.defaults.push(Step::Default {
                user,
                from,
                to: None,
            });
        }
        self.detours.push(Step::Delete {
            at,
            parent,
            shares,
            scope: DeletionScope::Detour,
        });
        self.note(user, DefaultAccount::Meanwhile(account.to_vec()));
    }

    /// Arranges the deletions of a user who is deleted: the association with the default account comes last.
    fn delete_user(
        &mut self,
        user: &'a [u8],
        deletions: Vec<Step<'a>>,
        before: &[&UserAssociation<'a>],
        recorded: RecordedDefault<'a>,
    ) {
        let account_of = |step: &Step<'a>| deleted_address(step).map(|at| at.account);
        let last = match recorded {
            RecordedDefault::Account(account) => account,
            RecordedDefault::Unknown => deletions.last().and_then(account_of),
        };
        let (of_default, others): (Vec<_>, Vec<_>) = deletions
            .into_iter()
            .partition(|step| last.is_some() && account_of(step) == last);
        let flagged = before
            .iter()
            .filter(|association| association.is_default == Some(true));
        let flagged: Vec<_> = flagged
            .map(|association| (association.account, association.partition))
            .collect();
        let is_unsure = of_default.len() > 1 && flagged.len() != 1;
        let mut from = last.filter(|_| matches!(recorded, RecordedDefault::Account(_)));
        if others.is_empty() && !is_unsure {
            // When the rollback adds the user, its only account becomes the default by itself.
            from = None;
        }
        let to = last.filter(|_| is_unsure || recorded == RecordedDefault::Unknown);
        if from.is_some() || to.is_some() {
            self.defaults.push(Step::Default { user, from, to });
        }
        if recorded == RecordedDefault::Unknown {
            let account = last.unwrap_or_default().to_vec();
            self.note(user, DefaultAccount::Last(account));
        }
        self.users.extend(others);
        if is_unsure {
            let mut of_default = of_default.into_iter();
            self.last.extend(
                of_default
                    .next()
                    .map(|step| with_scope(step, DeletionScope::Whole)),
            );
            self.last
                .extend(of_default.map(|step| with_scope(step, DeletionScope::Along)));
            return;
        }
        let is_flagged = |step: &Step<'a>| {
            deleted_address(step).is_some_and(|at| flagged.contains(&(at.account, at.partition)))
        };
        let (ends, begins): (Vec<_>, Vec<_>) = of_default.into_iter().partition(is_flagged);
        self.last.extend(begins);
        self.last.extend(ends);
    }

    /// Adds a note about a user's default account.
    fn note(&mut self, user: &[u8], account: DefaultAccount) {
        let user = user.to_vec();
        self.notes.push(Note::Default { user, account });
    }

    /// Returns all steps in order, and the notes.
    fn finish(self) -> (Vec<Step<'a>>, Vec<Note>) {
        let steps = [
            self.harmless,
            self.defaults,
            self.resets,
            self.users,
            self.last,
            self.restored_defaults,
            self.detours,
            self.accounts,
        ];
        (steps.concat(), self.notes)
    }
}
