//! What the source tells about the associations and default accounts of users, and the steps that change a default.

use super::name_fault;
use crate::analysis::plan::steps::{Address, Change, DeletionScope, Step};
use crate::model::{Fact, Kind, NodeId, Shares, Snapshot};
use hashbrown::{HashMap, HashSet};

/// The account that any user can be added to.
const ROOT: &[u8] = b"root";

/// The text that `sacctmgr dump` of 22.05 writes for a user without a default account.
const NO_ACCOUNT: &str = "(null)";

/// An association of a user before the plan.
pub(super) struct UserAssociation<'a> {
    node: NodeId,
    pub(super) account: &'a [u8],
    pub(super) partition: Option<&'a [u8]>,
    /// Whether it is the user's default. `None` if the source does not tell.
    pub(super) is_default: Option<bool>,
}

impl UserAssociation<'_> {
    /// Returns whether an address of the same user is that of the association.
    pub(super) fn is_at(&self, at: Address<'_>) -> bool {
        self.account == at.account && self.partition == at.partition
    }
}

/// What a source tells about the default account of a user.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum RecordedDefault<'a> {
    /// The account. `None` if the user has no default account.
    Account(Option<&'a [u8]>),
    #[default]
    Unknown,
}

/// The most accounts that are tried as a user's temporary default.
const MOST_SPARE: usize = 20;

/// Returns accounts that may become a user's temporary default, the root first.
pub(super) fn spare_accounts(snapshot: &Snapshot) -> Vec<&[u8]> {
    let tree = &snapshot.tree;
    let mut accounts = vec![ROOT];
    for &node in &tree.nodes()[1..] {
        if accounts.len() == MOST_SPARE {
            break;
        }
        let name = tree.name(node);
        if tree.kind(node) == Kind::Account && name_fault(name).is_none() {
            accounts.push(name);
        }
    }
    accounts
}

/// Returns the associations of some users before the plan, by the names that the users have in the plan.
pub(super) fn associations<'a>(
    snapshot: &'a Snapshot,
    renamed: &HashMap<&'a [u8], &'a [u8]>,
    users: &HashSet<&[u8]>,
) -> HashMap<&'a [u8], Vec<UserAssociation<'a>>> {
    let mut associations: HashMap<&[u8], Vec<UserAssociation<'a>>> = HashMap::new();
    if users.is_empty() {
        return associations;
    }
    let tree = &snapshot.tree;
    for node in tree.users() {
        let old_name = tree.name(node);
        let name = *renamed.get(old_name).unwrap_or(&old_name);
        if !users.contains(name) {
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
    for own in associations {
        if own.is_default == Some(true) {
            return RecordedDefault::Account(Some(own.account));
        }
    }
    for own in associations {
        let text = snapshot.recorded.text(Fact::DefaultAccount, own.node);
        match text {
            Some(NO_ACCOUNT | "") => return RecordedDefault::Account(None),
            Some(account) => return RecordedDefault::Account(Some(account.as_bytes())),
            None => {}
        }
    }
    let Some(first) = associations.first() else {
        return RecordedDefault::Unknown;
    };
    let mut has_none = true;
    let mut has_one_account = true;
    for own in associations {
        has_none &= own.is_default == Some(false);
        has_one_account &= own.account == first.account;
    }
    if has_none {
        RecordedDefault::Account(None)
    } else if has_one_account {
        RecordedDefault::Account(Some(first.account))
    } else {
        RecordedDefault::Unknown
    }
}

/// Returns the step that makes an account the default of a user. The rollback leaves it.
pub(super) fn set_default<'a>(user: &'a [u8], account: &'a [u8]) -> Step<'a> {
    change_default(user, None, Some(account))
}

/// Returns the step that changes the default account of a user. `None` if there is no command in that direction.
pub(super) fn change_default<'a>(
    user: &'a [u8],
    from: Option<&'a [u8]>,
    to: Option<&'a [u8]>,
) -> Step<'a> {
    Step {
        at: Address::of_user(user, b""),
        change: Change::Default { from, to },
    }
}

/// The steps that make a spare account a user's default for a while.
pub(super) struct Detour<'a> {
    /// The steps that add the user to the account and make it the default.
    pub(super) begin: Vec<Step<'a>>,
    /// The step that removes the user from it.
    pub(super) end: Step<'a>,
}

impl<'a> Detour<'a> {
    /// Returns the detour of a user by a spare account.
    pub(super) fn new(user: &'a [u8], spare: &'a [u8]) -> Self {
        let at = Address::of_user(user, spare);
        let parent = spare;
        let shares = Shares::new(1);
        let addition = Step {
            at,
            change: Change::Add { parent, shares },
        };
        let end = Step {
            at,
            change: Change::Delete {
                parent,
                shares,
                scope: DeletionScope::Detour,
            },
        };
        Self {
            begin: vec![addition, set_default(user, spare)],
            end,
        }
    }
}
