//! The columns of a table of desired shares, by their headings, and whose shares a line tells.

use super::{SHARES, is_one_of};
use crate::base::shown::{Shown, sentence, shown};
use crate::format::csv::note_unknown;
use crate::format::problem::Problems;
use crate::model::{Kind, escape_name};
use csv::ByteRecord;

/// The headings, in small letters.
const PARENT: [&str; 4] = ["parent", "parentname", "parent_account", "parent_bank"];
const ACCOUNT: [&str; 2] = ["account", "bank"];
/// An account, but beside a parent the group number of a `resource_group`.
const GROUP: [&str; 1] = ["group"];
const USER: [&str; 4] = ["user", "username", "login", "entity"];
const PATH: [&str; 1] = ["path"];
const NAME: [&str; 1] = ["name"];
const TYPE: [&str; 1] = ["type"];
const PARTITION: [&str; 1] = ["partition"];
/// Columns of a tree that say nothing about shares.
const OF_TREES: [&str; 2] = ["usage", "active"];

/// The headings for people.
const KNOWN: &str = "path or name, account, user, parent, type, partition and shares";

/// Where the columns of a table are.
#[derive(Clone, Copy)]
pub(super) struct DesiredColumns {
    parent: Option<usize>,
    account: Option<usize>,
    /// The name of the node, or its path.
    name: usize,
    /// Whether the names are those of users. A line without one is about the account.
    is_of_users: bool,
    kind: Option<usize>,
    partition: Option<usize>,
    pub(super) shares: usize,
}

/// Whose shares a line tells.
pub(super) struct DesiredPlace {
    /// The path of the account; empty for the top, and `None` if it is not told.
    pub(super) above: Option<Vec<u8>>,
    pub(super) name: Vec<u8>,
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

    /// Finds the columns by their headings. `None` if the line has no heading of shares. The error says which columns
    /// contradict each other.
    pub(super) fn of(header: &ByteRecord) -> Option<Result<Self, Shown>> {
        let find = |words: &[&str]| header.iter().position(|it| is_one_of(it, words));
        let shares = find(&SHARES)?;
        let [parent, user, path, name] = [find(&PARENT), find(&USER), find(&PATH), find(&NAME)];
        if let (None, Some(_), Some(_)) = (user, path, name) {
            let why =
                "the columns path and name both say whose shares they are; remove one of them";
            return Some(Err(why.into()));
        }
        let group = find(&GROUP).filter(|_| parent.is_none());
        // Beside a user, a path is that of the account.
        let beside_user = path.filter(|_| user.is_some());
        let account = find(&ACCOUNT).or(group).or(beside_user);
        let unknown = || header.iter().position(|it| !it.is_empty() && !is_known(it));
        let own = user.or(path).or(name).or(account);
        let name = own.or_else(unknown).or(parent).unwrap_or(0);
        let is_above = |column: &usize| *column != name;
        Some(Ok(Self {
            parent: parent.filter(is_above),
            account: account.filter(is_above),
            name,
            is_of_users: user.is_some(),
            kind: find(&TYPE),
            partition: find(&PARTITION),
            shares,
        }))
    }

    /// Notes the columns that are not read.
    pub(super) fn note_others(self, header: &ByteRecord, line: u64, notes: &mut Problems) {
        let read = [
            self.parent,
            self.account,
            Some(self.name),
            self.kind,
            self.partition,
            Some(self.shares),
        ];
        for (column, heading) in header.iter().enumerate() {
            let is_of_trees = is_one_of(heading, &OF_TREES);
            if read.contains(&Some(column)) || is_of_trees || heading.is_empty() {
                continue;
            }
            if !is_known(heading) {
                note_unknown(notes, line, heading, KNOWN);
                continue;
            }
            let others = read.iter().flatten().map(|&column| shown(&header[column]));
            let others = Shown::joined(others, ", ");
            let heading = shown(heading);
            let message = sentence!("the column {heading} is not read beside {others}");
            let advice = "remove the columns that do not say whose shares they are";
            notes.note(line, "desired-unread-column", message, advice);
        }
    }

    /// Returns whose shares a line tells. `None` if the name is missing.
    pub(super) fn place(self, record: &ByteRecord) -> Option<DesiredPlace> {
        let cell = |column: usize| record.get(column).filter(|cell| !cell.is_empty());
        let parent = self.parent.and_then(cell);
        let account = self.account.and_then(cell);
        // An empty parent is the top.
        let top = self.parent.map(|_| &b""[..]);
        let parent = parent.or(top);
        let Some(name) = cell(self.name) else {
            let account = account.filter(|_| self.is_of_users)?;
            return Some(DesiredPlace {
                above: parent.map(<[u8]>::to_vec),
                name: account.to_vec(),
                kind: Some(Kind::Account),
            });
        };
        let above = match (parent, account) {
            (Some(parent), Some(account)) if !parent.is_empty() => {
                Some([parent, b"/", account].concat())
            }
            (_, Some(account)) => Some(account.to_vec()),
            (parent, None) => parent.map(<[u8]>::to_vec),
        };
        let mut name = name.to_vec();
        if let Some(partition) = self.partition.and_then(cell) {
            name.push(b'@');
            name.extend_from_slice(escape_name(partition).as_bytes());
        }
        let word = self.kind.and_then(cell).map(<[u8]>::to_ascii_lowercase);
        let kind = match word.as_deref() {
            _ if self.is_of_users => Some(Kind::User),
            Some(b"account") => Some(Kind::Account),
            Some(b"user") => Some(Kind::User),
            _ => None,
        };
        Some(DesiredPlace { above, name, kind })
    }
}

fn is_known(heading: &[u8]) -> bool {
    let all = [
        &SHARES[..],
        &PARENT,
        &ACCOUNT,
        &GROUP,
        &USER,
        &PATH,
        &NAME,
        &TYPE,
        &PARTITION,
        &OF_TREES,
    ];
    all.iter().any(|words| is_one_of(heading, words))
}
