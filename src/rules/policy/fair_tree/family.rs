//! The members of each account's list, which compete with each other. The members of `parent` accounts are in the list
//! of the account above.

use super::super::slurm::Associations;
use crate::model::{Order, Tree};

/// The members of every account's list, by position in the tree's order.
pub(super) enum Families<'a> {
    /// No account passes its members on, so they are the children.
    Children(&'a Order),
    /// Lists that were put together.
    Lists(Lists),
}

impl<'a> Families<'a> {
    pub(super) fn of(tree: &'a Tree, associations: &Associations) -> Self {
        if associations.has_parents() {
            Self::Lists(Lists::of(associations))
        } else {
            Self::Children(tree.order())
        }
    }

    /// Calls for every member of an account's list, in tree order. Users and `parent` accounts have no members.
    pub(super) fn for_each_member(&self, account: u32, call: impl FnMut(u32)) {
        match self {
            Self::Children(order) => order.children(account).for_each(call),
            Self::Lists(lists) => lists.members(account).iter().copied().for_each(call),
        }
    }
}

/// The members of every account's list, one list after the other.
pub(super) struct Lists {
    /// Where each node's list begins; one entry more than there are nodes.
    starts: Vec<u32>,
    /// The lists one after the other, each in tree order.
    members: Vec<u32>,
}

impl Lists {
    fn of(associations: &Associations) -> Self {
        let (starts, members) = associations.families();
        Self { starts, members }
    }

    /// Returns the list of an account; empty for users and for `parent` accounts.
    fn members(&self, account: u32) -> &[u32] {
        let account = account as usize;
        &self.members[self.starts[account] as usize..self.starts[account + 1] as usize]
    }
}
