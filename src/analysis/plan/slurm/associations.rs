//! What the source tells about the associations and default accounts of users.

use super::name_fault;
use crate::model::{Fact, Kind, NodeId, Snapshot};
use hashbrown::{HashMap, HashSet};

/// The account that any user can be added to.
const ROOT: &[u8] = b"root";

/// The text that `sacctmgr dump` of 22.05 writes for a user without a default account.
const NO_ACCOUNT: &str = "(null)";

/// An association of a user before the plan.
pub(super) struct UserAssociation<'a> {
    pub(super) account: &'a [u8],
    pub(super) partition: Option<&'a [u8]>,
    /// Whether it is the user's default. `None` if the source does not tell.
    pub(super) is_default: Option<bool>,
}

/// What the source tells about a user's default account.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordedDefault<'a> {
    /// The account. `None` if the user has no default account.
    Account(Option<&'a [u8]>),
    /// The source does not tell.
    Unknown,
}

/// The most accounts that are tried as a user's temporary default.
const MOST_SPARE: usize = 20;

/// Returns accounts that may become a user's temporary default, the root first.
pub(super) fn spare_accounts(snapshot: &Snapshot) -> Vec<&[u8]> {
    let tree = &snapshot.tree;
    let accounts = tree.nodes().iter().copied();
    let accounts =
        accounts.filter(|&node| node != NodeId::ROOT && tree.kind(node) == Kind::Account);
    let names = accounts.map(|account| tree.name(account));
    let names = names.filter(|name| name_fault(name).is_none());
    std::iter::once(ROOT)
        .chain(names)
        .take(MOST_SPARE)
        .collect()
}

/// An association and its node.
pub(super) type AssociationNode<'a> = (UserAssociation<'a>, NodeId);

/// Returns the associations of some users before the plan, by the names that the users have in the plan.
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
        let text = snapshot.recorded.text(Fact::DefAssoc, node);
        let association = UserAssociation {
            account: tree.name(account),
            partition: tree.partition(node),
            is_default: text.map(|text| text == "Yes"),
        };
        associations
            .entry(name)
            .or_default()
            .push((association, node));
    }
    associations
}

/// Returns what the source tells about a user's default account. `associations` are those of the user.
pub(super) fn recorded_default<'a>(
    snapshot: &'a Snapshot,
    associations: &[AssociationNode<'a>],
) -> RecordedDefault<'a> {
    let is_default = |(association, _): &&AssociationNode<'a>| association.is_default == Some(true);
    if let Some((association, _)) = associations.iter().find(is_default) {
        return RecordedDefault::Account(Some(association.account));
    }
    let text = associations
        .iter()
        .find_map(|&(_, node)| snapshot.recorded.text(Fact::DefaultAccount, node));
    match text {
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
