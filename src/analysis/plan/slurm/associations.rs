//! What the source tells about the associations and default accounts of users, and the steps that change a default.

use super::name_fault;
use crate::analysis::plan::steps::{Address, Change, DeletionScope, Step};
use crate::model::{Fact, Kind, NodeId, Shares, Snapshot};
use hashbrown::{HashMap, HashSet};
use std::iter::once;

/// The account that any user can be added to.
const ROOT: &[u8] = b"root";

/// The text that `sacctmgr dump` of 22.05 writes for a user without a default account.
const NO_ACCOUNT: &str = "(null)";

pub(super) struct UserAssociation<'a> {
    node: NodeId,
    pub(super) account: &'a [u8],
    pub(super) partition: Option<&'a [u8]>,
    /// Whether it is the user's default. `None` if the source does not tell.
    pub(super) is_default: Option<bool>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordedDefault<'a> {
    /// The account. `None` if the user has no default account.
    Account(Option<&'a [u8]>),
    Unknown,
}

/// The most accounts that are tried as a user's temporary default.
const MOST_SPARE: usize = 20;

/// Returns accounts that may become a user's temporary default, the root first.
pub(super) fn spare_accounts(snapshot: &Snapshot) -> Vec<&[u8]> {
    let tree = &snapshot.tree;
    let accounts = tree.nodes().iter().skip(1);
    let accounts = accounts.filter(|node| tree.kind(**node) == Kind::Account);
    let names = accounts.map(|&account| tree.name(account));
    let names = names.filter(|name| name_fault(name).is_none());
    once(ROOT).chain(names).take(MOST_SPARE).collect()
}

/// Returns the associations of some users before the plan, by the names that the users have in the plan.
pub(super) fn associations<'a>(
    snapshot: &'a Snapshot,
    renamed: &HashMap<&'a [u8], &'a [u8]>,
    is_asked: impl Fn(&[u8]) -> bool,
) -> HashMap<&'a [u8], Vec<UserAssociation<'a>>> {
    let tree = &snapshot.tree;
    let mut associations: HashMap<&[u8], Vec<UserAssociation<'a>>> = HashMap::new();
    for &node in tree.nodes() {
        let own = tree.name(node);
        let name = renamed.get(own).copied().unwrap_or(own);
        if tree.kind(node) != Kind::User || !is_asked(name) {
            continue;
        }
        let account = tree.parent(node).unwrap_or(NodeId::ROOT);
        let text = snapshot.recorded.text(Fact::DefAssoc, node);
        associations.entry(name).or_default().push(UserAssociation {
            node,
            account: tree.name(account),
            partition: tree.partition(node),
            is_default: text.map(|text| text == "Yes"),
        });
    }
    associations
}

/// Returns what the source tells about the default account of a user with these associations.
pub(super) fn recorded_default<'a>(
    snapshot: &'a Snapshot,
    associations: &[UserAssociation<'a>],
) -> RecordedDefault<'a> {
    let mut defaults = associations.iter();
    if let Some(default) = defaults.find(|own| own.is_default == Some(true)) {
        return RecordedDefault::Account(Some(default.account));
    }
    let mut texts = associations.iter();
    let text = texts.find_map(|own| snapshot.recorded.text(Fact::DefaultAccount, own.node));
    match text {
        Some(NO_ACCOUNT | "") => return RecordedDefault::Account(None),
        Some(account) => return RecordedDefault::Account(Some(account.as_bytes())),
        None => {}
    }
    let is_none = |own: &UserAssociation<'_>| own.is_default == Some(false);
    if !associations.is_empty() && associations.iter().all(is_none) {
        return RecordedDefault::Account(None);
    }
    let accounts: HashSet<&[u8]> = associations.iter().map(|own| own.account).collect();
    match accounts.into_iter().collect::<Vec<_>>()[..] {
        [only] => RecordedDefault::Account(Some(only)),
        _ => RecordedDefault::Unknown,
    }
}

pub(super) fn set_default<'a>(user: &'a [u8], [from, to]: [Option<&'a [u8]>; 2]) -> Step<'a> {
    Step {
        at: Address::of_user(user, b""),
        change: Change::Default { from, to },
    }
}

/// Returns the steps that make a spare account a user's default for a while, and the one that ends this.
pub(super) fn detour<'a>(user: &'a [u8], spare: &'a [u8]) -> ([Step<'a>; 2], Step<'a>) {
    let at = Address::of_user(user, spare);
    let (parent, shares, scope) = (spare, Shares::new(1), DeletionScope::Detour);
    let step = |change| Step { at, change };
    let begin = [
        step(Change::Add { parent, shares }),
        set_default(user, [None, Some(spare)]),
    ];
    let change = Change::Delete {
        parent,
        shares,
        scope,
    };
    (begin, step(change))
}
