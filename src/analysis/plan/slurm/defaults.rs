//! Default accounts, which Slurm does not let go while their user has others.
//!
//! Slurm from 23.02 on refuses a command that deletes the default association of a user and leaves others of the user
//! (`_check_is_def_acct_before_remove` in `accounting_storage_mysql.c`). Up to 22.05 it refuses a command that deletes
//! a default association together with any that is none, be it another user's, and deletes a default alone. So there is
//! one command for each deletion, another default is set first, and what goes altogether ends with its default.

use super::name_fault;
use crate::analysis::plan::steps::{Address, DeletionScope, Step};
use crate::analysis::plan::{DefaultAccount, Note};
use crate::model::{Fact, Kind, NodeId, Shares, Snapshot};
use std::collections::{HashMap, HashSet};

/// The account that every user can be put into.
const ROOT: &[u8] = b"root";

/// What `sacctmgr dump` of 22.05 writes for a user who has lost the default account.
const NO_ACCOUNT: &str = "(null)";

/// An association of a user before the plan.
pub(super) struct UserAssociation<'a> {
    pub(super) account: &'a [u8],
    partition: Option<&'a [u8]>,
    /// Whether it is the user's default, where the source tells that.
    is_default: Option<bool>,
}

/// What is known of a user's default account.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordedDefault<'a> {
    /// The account, if there is one.
    Account(Option<&'a [u8]>),
    /// The source does not tell.
    Unknown,
}

/// Puts steps in an order that Slurm accepts: default accounts are set before anything is deleted, and all that is
/// deleted goes last. Gives notes about what the source does not tell.
pub(super) fn arranged<'a>(
    steps: Vec<Step<'a>>,
    snapshot: &'a Snapshot,
    renamed: &HashMap<&'a [u8], &'a [u8]>,
) -> (Vec<Step<'a>>, Vec<Note>) {
    let mut arrangement = StepOrder {
        ways: ways(snapshot),
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
            let known = known(snapshot, before);
            let before: Vec<_> = before.iter().map(|(association, _)| association).collect();
            arrangement.user(user, deletions, &before, added, known);
        }
    }
    arrangement.end()
}

/// How many accounts are tried for a user to be put into.
const WAYS: usize = 20;

/// Accounts that a command can name, from the root on.
pub(super) fn ways(snapshot: &Snapshot) -> Vec<&[u8]> {
    let tree = &snapshot.tree;
    let accounts = tree.nodes().iter().copied();
    let accounts =
        accounts.filter(|&node| node != NodeId::ROOT && tree.kind(node) == Kind::Account);
    let names = accounts.map(|account| tree.name(account));
    let names = names.filter(|name| name_fault(name).is_none());
    std::iter::once(ROOT).chain(names).take(WAYS).collect()
}

pub(super) type AssociationNode<'a> = (UserAssociation<'a>, NodeId);

/// The associations of some users before the plan, by the names that the users have in it.
pub(super) fn associations<'a>(
    snapshot: &'a Snapshot,
    renamed: &HashMap<&'a [u8], &'a [u8]>,
    users: &HashMap<&[u8], usize>,
) -> HashMap<&'a [u8], Vec<AssociationNode<'a>>> {
    let tree = &snapshot.tree;
    let mut associations: HashMap<&[u8], Vec<AssociationNode<'a>>> = HashMap::new();
    for &node in tree.nodes() {
        let own = tree.name(node);
        let name = renamed.get(own).copied().unwrap_or(own);
        if tree.kind(node) != Kind::User || !users.contains_key(name) {
            continue;
        }
        let account = tree.parent(node).unwrap_or(NodeId::ROOT);
        let told = snapshot.recorded.text(Fact::DefAssoc, node);
        let association = UserAssociation {
            account: tree.name(account),
            partition: tree.partition(node),
            is_default: told.map(|told| told == "Yes"),
        };
        associations
            .entry(name)
            .or_default()
            .push((association, node));
    }
    associations
}

/// What the source tells of a user's default account.
pub(super) fn known<'a>(
    snapshot: &'a Snapshot,
    associations: &[AssociationNode<'a>],
) -> RecordedDefault<'a> {
    let is_default = |(association, _): &&AssociationNode<'a>| association.is_default == Some(true);
    if let Some((association, _)) = associations.iter().find(is_default) {
        return RecordedDefault::Account(Some(association.account));
    }
    let told = associations
        .iter()
        .find_map(|&(_, node)| snapshot.recorded.text(Fact::DefaultAccount, node));
    match told {
        Some(NO_ACCOUNT | "") => return RecordedDefault::Account(None),
        Some(account) => return RecordedDefault::Account(Some(account.as_bytes())),
        None => {}
    }
    if !associations.is_empty()
        && associations
            .iter()
            .all(|(association, _)| association.is_default == Some(false))
    {
        return RecordedDefault::Account(None);
    }
    let accounts: HashSet<&[u8]> = associations
        .iter()
        .map(|(other, _)| other.account)
        .collect();
    match accounts.into_iter().collect::<Vec<_>>()[..] {
        [only] => RecordedDefault::Account(Some(only)),
        _ => RecordedDefault::Unknown,
    }
}

/// Steps by how much harm they do.
#[derive(Default)]
struct StepOrder<'a> {
    harmless: Vec<Step<'a>>,
    defaults: Vec<Step<'a>>,
    resets: Vec<Step<'a>>,
    users: Vec<Step<'a>>,
    /// Deletions of what was its user's last association, and default.
    last: Vec<Step<'a>>,
    /// Default accounts that are set back.
    again: Vec<Step<'a>>,
    /// Associations that were needed in between.
    detours: Vec<Step<'a>>,
    accounts: Vec<Step<'a>>,
    notes: Vec<Note>,
    /// Accounts that a user can be put into for a while: the root, and another one.
    ways: Vec<&'a [u8]>,
}

/// What a deletion is about.
pub(super) fn subject<'a>(step: &Step<'a>) -> Option<Address<'a>> {
    match step {
        Step::Delete { at, .. } => Some(*at),
        _ => None,
    }
}

/// The same deletion with another scope.
fn scoped(step: Step<'_>, new: DeletionScope) -> Step<'_> {
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
    /// Arranges the deletions of one user.
    fn user(
        &mut self,
        user: &'a [u8],
        deletions: Vec<Step<'a>>,
        before: &[&UserAssociation<'a>],
        added: &[&'a [u8]],
        known: RecordedDefault<'a>,
    ) {
        let is_gone = |account: &[u8], partition: Option<&[u8]>| {
            let mut gone = deletions.iter().filter_map(subject);
            gone.any(|at| at.account == account && at.partition == partition)
        };
        let stays = before
            .iter()
            .filter(|association| !is_gone(association.account, association.partition));
        let stays: Vec<&[u8]> = stays.map(|association| association.account).collect();
        if stays.is_empty() && added.is_empty() {
            self.all_of(user, deletions, before, known);
            return;
        }
        let is_flagged = |at: Address<'a>| {
            let mut same = before.iter().filter(|association| {
                association.account == at.account && association.partition == at.partition
            });
            same.find_map(|association| association.is_default)
        };
        let may_be_default = |at: Address<'a>| match (is_flagged(at), known) {
            (Some(is_default), _) => is_default,
            (None, RecordedDefault::Account(account)) => account == Some(at.account),
            (None, RecordedDefault::Unknown) => true,
        };
        let endangered = deletions
            .iter()
            .filter_map(subject)
            .find(|&at| may_be_default(at));
        if let Some(at) = endangered {
            let loses = |account: &&&[u8]| {
                !deletions
                    .iter()
                    .filter_map(subject)
                    .any(|at| at.account == **account)
            };
            let heir = added.iter().chain(&stays).find(loses).copied();
            if let Some(heir) = heir {
                self.make_default(user, at, heir, &stays, added, known);
            } else {
                let own = before.iter().map(|association| association.account);
                let own: HashSet<&[u8]> = own.chain(added.iter().copied()).collect();
                let is_other = |account: &&&[u8]| !own.contains(**account);
                let way = self.ways.iter().find(is_other).copied();
                let last = added.iter().chain(&stays).copied();
                let last = last
                    .clone()
                    .find(|&account| account == at.account)
                    .or_else(|| last.clone().next());
                self.make_detour(user, at, way, last, known);
            }
        }
        self.users.extend(deletions);
    }

    /// Makes another account the default of a user who stays, before the association that may be it goes.
    fn make_default(
        &mut self,
        user: &'a [u8],
        gone: Address<'a>,
        heir: &'a [u8],
        stays: &[&'a [u8]],
        added: &[&'a [u8]],
        known: RecordedDefault<'a>,
    ) {
        let is_new = added.contains(&heir);
        let from = match known {
            RecordedDefault::Account(account) => account,
            RecordedDefault::Unknown => is_new.then_some(gone.account),
        };
        if stays.contains(&gone.account) {
            // The user keeps another association of the account, which is the default again in the end.
            self.defaults.push(Step::Default {
                user,
                from: None,
                to: Some(heir),
            });
            self.again.push(Step::Default {
                user,
                from: None,
                to: Some(gone.account),
            });
            return;
        }
        self.defaults.push(Step::Default {
            user,
            from,
            to: Some(heir),
        });
        let [old, new] = [gone.account, heir].map(<[u8]>::to_vec);
        let account = match known {
            RecordedDefault::Account(_) => DefaultAccount::Replaced { old, new },
            RecordedDefault::Unknown => DefaultAccount::Guessed {
                old,
                new,
                comes_back: from.is_some(),
            },
        };
        self.note(user, account);
    }

    /// Makes an account the default of a user, who is otherwise not in it, for as long as it takes to delete one of
    /// several associations with every account of the user. In the end the default is the account `last`.
    fn make_detour(
        &mut self,
        user: &'a [u8],
        gone: Address<'a>,
        way: Option<&'a [u8]>,
        last: Option<&'a [u8]>,
        known: RecordedDefault<'a>,
    ) {
        let Some(account) = way else {
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
        self.again.extend(last.map(default));
        if let RecordedDefault::Account(from) = known
            && last != Some(gone.account)
        {
            // Only the rollback has a command for this.
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

    /// Arranges the deletions of a user who goes altogether: the default account is the last that goes.
    fn all_of(
        &mut self,
        user: &'a [u8],
        deletions: Vec<Step<'a>>,
        before: &[&UserAssociation<'a>],
        known: RecordedDefault<'a>,
    ) {
        let account_of = |step: &Step<'a>| subject(step).map(|at| at.account);
        let last = match known {
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
        let mut from = last.filter(|_| matches!(known, RecordedDefault::Account(_)));
        if others.is_empty() && !is_unsure {
            // The one account is the default again as soon as the user is back.
            from = None;
        }
        let to = last.filter(|_| is_unsure || known == RecordedDefault::Unknown);
        if from.is_some() || to.is_some() {
            self.defaults.push(Step::Default { user, from, to });
        }
        if known == RecordedDefault::Unknown {
            let account = last.unwrap_or_default().to_vec();
            self.note(user, DefaultAccount::Last(account));
        }
        self.users.extend(others);
        if is_unsure {
            let mut of_default = of_default.into_iter();
            self.last.extend(
                of_default
                    .next()
                    .map(|step| scoped(step, DeletionScope::Whole)),
            );
            self.last
                .extend(of_default.map(|step| scoped(step, DeletionScope::Along)));
            return;
        }
        let is_flagged = |step: &Step<'a>| {
            subject(step).is_some_and(|at| flagged.contains(&(at.account, at.partition)))
        };
        let (ends, begins): (Vec<_>, Vec<_>) = of_default.into_iter().partition(is_flagged);
        self.last.extend(begins);
        self.last.extend(ends);
    }

    fn note(&mut self, user: &[u8], account: DefaultAccount) {
        let user = user.to_vec();
        self.notes.push(Note::Default { user, account });
    }

    /// All steps in their order.
    fn end(self) -> (Vec<Step<'a>>, Vec<Note>) {
        let Self {
            harmless,
            defaults,
            resets,
            users,
            last,
            again,
            detours,
            accounts,
            notes,
            ways: _,
        } = self;
        let steps = [
            harmless, defaults, resets, users, last, again, detours, accounts,
        ];
        (steps.concat(), notes)
    }
}
