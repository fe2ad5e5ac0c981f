//! The columns of a table of desired shares, by their headings, and whose shares a line tells.

use super::DesiredProblem;
use crate::base::shown::{Shown, shown};
use crate::format::problem::Problems;
use crate::format::sheet::{Headings, SheetProblem, sheet_columns};
use crate::model::{Kind, escape_name};
use csv::ByteRecord;

sheet_columns! {
    /// What a heading says of the cells below it.
    pub(super) enum DesiredColumn {
        Shares, "shares" "rawshares" "raw_shares" "fairshare";
        Parent, "parent" "parentname" "parent_account" "parent_bank";
        Account, "account" "bank";
        /// An account, but beside a parent the group number of a `resource_group`.
        Group, "group";
        User, "user" "username" "login" "entity";
        Path, "path";
        Name, "name";
        Type, "type";
        Partition, "partition";
        /// Columns of a tree that say nothing about shares.
        OfTree, "usage" "active";
    }
}

/// The headings for people.
const KNOWN: &str = "path or name, account, user, parent, type, partition and shares";

/// The places of the columns that are read, from 0; `None` for one that the table does not have.
#[derive(Clone, Copy)]
pub(super) struct DesiredColumns {
    /// The account above the account, or above the node if there is no other.
    parent: Option<usize>,
    /// The account of the node.
    account: Option<usize>,
    /// The name of the node, or its path.
    name: usize,
    /// Whether the names are those of users. A line without one is about the account.
    is_of_users: bool,
    /// Whether a node is an account or a user.
    kind: Option<usize>,
    /// The partition, which is a part of the name.
    partition: Option<usize>,
    /// The shares.
    pub(super) shares: usize,
}

/// Whose shares a line tells.
pub(super) struct DesiredPlace {
    /// The path of the account; empty for the top, and `None` if it is not told.
    pub(super) above: Option<Vec<u8>>,
    /// The name of the node, or its path.
    pub(super) name: Vec<u8>,
    /// Whether it is an account or a user; `None` if the file does not say.
    pub(super) kind: Option<Kind>,
}

impl DesiredColumns {
    /// The columns of a table without headings.
    pub(super) const USUAL: Self = Self {
        parent: None,
        account: None,
        name: 0,
        is_of_users: false,
        kind: None,
        partition: None,
        shares: 1,
    };

    /// The columns of `account:parent:fairshare`.
    pub(super) const OF_ACCOUNTS: Self = Self {
        parent: Some(1),
        shares: 2,
        ..Self::USUAL
    };

    /// Finds the columns by their headings, of which one is of shares. Fails if they contradict each other.
    pub(super) fn new(
        headings: &Headings<DesiredColumn>,
        shares: usize,
    ) -> Result<Self, DesiredProblem> {
        let parent = headings.place(DesiredColumn::Parent);
        let user = headings.place(DesiredColumn::User);
        let path = headings.place(DesiredColumn::Path);
        let name = headings.place(DesiredColumn::Name);
        if user.is_none() && path.is_some() && name.is_some() {
            return Err(DesiredProblem::PathAndName);
        }
        let mut account = headings.place(DesiredColumn::Account);
        if account.is_none() && parent.is_none() {
            account = headings.place(DesiredColumn::Group);
        }
        if account.is_none() && user.is_some() {
            // Beside a user, a path is that of the account.
            account = path;
        }
        let named = user.or(path).or(name).or(account);
        let unknown = headings.unknown_place();
        let own = named.or(unknown).or(parent).unwrap_or(0);
        Ok(Self {
            parent: parent.filter(|&column| column != own),
            account: account.filter(|&column| column != own),
            name: own,
            is_of_users: user.is_some(),
            kind: headings.place(DesiredColumn::Type),
            partition: headings.place(DesiredColumn::Partition),
            shares,
        })
    }

    /// Returns the places of the columns that are read.
    fn read(self) -> impl Iterator<Item = usize> {
        let name = Some(self.name);
        let shares = Some(self.shares);
        [
            self.parent,
            self.account,
            name,
            self.kind,
            self.partition,
            shares,
        ]
        .into_iter()
        .flatten()
    }

    /// Notes the columns that are not read.
    pub(super) fn note_others(
        self,
        headings: &Headings<DesiredColumn>,
        header: &ByteRecord,
        line: u64,
        notes: &mut Problems,
    ) {
        for (place, text) in header.iter().enumerate() {
            if text.is_empty() || self.read().any(|read| read == place) {
                continue;
            }
            let heading = shown(text);
            match headings.column_at(place) {
                Some(DesiredColumn::OfTree) => {}
                None => {
                    let known = KNOWN.to_owned();
                    notes.report(line, SheetProblem::UnknownColumn { heading, known });
                }
                Some(_) => {
                    let others = Shown::joined(self.read().map(|read| shown(&header[read])), ", ");
                    notes.report(line, DesiredProblem::UnreadColumn { heading, others });
                }
            }
        }
    }

    /// Returns whose shares a line tells. `None` if the name is missing.
    pub(super) fn place(self, row: &ByteRecord) -> Option<DesiredPlace> {
        // An empty parent is the top.
        let parent = self.parent.map(|place| row.get(place).unwrap_or_default());
        let account = cell(row, self.account);
        let Some(name) = cell(row, Some(self.name)) else {
            if !self.is_of_users {
                return None;
            }
            return Some(DesiredPlace {
                above: parent.map(<[u8]>::to_vec),
                name: account?.to_vec(),
                kind: Some(Kind::Account),
            });
        };
        let above = match (parent, account) {
            (None | Some(b""), Some(account)) => Some(account.to_vec()),
            (Some(parent), Some(account)) => Some([parent, b"/", account].concat()),
            (Some(parent), None) => Some(parent.to_vec()),
            (None, None) => None,
        };
        let mut name = name.to_vec();
        if let Some(partition) = cell(row, self.partition) {
            name.push(b'@');
            name.extend_from_slice(escape_name(partition).as_bytes());
        }
        let kind = self.kind(row);
        Some(DesiredPlace { above, name, kind })
    }

    /// Returns the kind of the node of a row; `None` if nothing tells it.
    fn kind(self, row: &ByteRecord) -> Option<Kind> {
        if self.is_of_users {
            return Some(Kind::User);
        }
        let word = cell(row, self.kind)?;
        if word.eq_ignore_ascii_case(b"account") {
            Some(Kind::Account)
        } else if word.eq_ignore_ascii_case(b"user") {
            Some(Kind::User)
        } else {
            None
        }
    }
}

/// Returns the cell at a place; `None` if it is empty, or the row or the table does not have it.
fn cell(row: &ByteRecord, place: Option<usize>) -> Option<&[u8]> {
    match row.get(place?) {
        None | Some(b"") => None,
        cell => cell,
    }
}
