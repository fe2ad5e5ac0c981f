//! A tree as a file for `sacctmgr load`, and what such a file cannot hold.

use crate::format::convert::Conversion;
use crate::format::slurm::assoc::MOST_SHARES;
use crate::format::text::Tally;
use crate::model::{Fact, Kind, NameId, NameInterner, NodeId, Recorded, Shares, Snapshot, Tree};
use std::collections::HashSet;

/// The file that is written.
const FILE: &str = "sacctmgr_load.cfg";

/// How many bytes of a name Slurm's database keeps.
const LONGEST_NAME: usize = 255;

/// The cluster of a tree that names none.
const CLUSTER: &[u8] = b"cluster";

/// Writes a tree as a file for `sacctmgr load`: accounts depth first, each with the block of those below it.
#[must_use]
pub fn convert(snapshot: &Snapshot, tree: &Tree) -> Conversion {
    let mut writer = Writer::new(tree);
    writer.header(snapshot);
    let mut pending = vec![NodeId::ROOT];
    while let Some(parent) = pending.pop() {
        let written = pending.len();
        writer.block(parent, &mut pending);
        pending[written..].reverse();
    }
    let mut losses = writer.losses;
    losses.count_facts(tree, &snapshot.recorded);
    Conversion {
        files: vec![(FILE.to_owned(), writer.file)],
        losses: losses.sentences(tree),
    }
}

/// A file on its way.
struct Writer<'a> {
    tree: &'a Tree,
    file: Vec<u8>,
    losses: Losses,
    /// The names as Slurm will hold them: without quotes and upper case.
    names: NameInterner,
    /// By [`Writer::names`]: whether there is an account of that name.
    is_account: Vec<bool>,
    /// By [`Writer::names`]: the account that a user's jobs are charged to by default, the first it is in.
    default_account: Vec<Option<NodeId>>,
}

impl<'a> Writer<'a> {
    fn new(tree: &'a Tree) -> Self {
        let mut writer = Self {
            tree,
            file: Vec::new(),
            losses: Losses::default(),
            names: NameInterner::default(),
            is_account: Vec::new(),
            default_account: Vec::new(),
        };
        let root = writer.held(b"root");
        writer.is_account[root.index()] = true;
        writer
    }

    fn header(&mut self, snapshot: &Snapshot) {
        let cluster = snapshot.source.cluster.as_bytes();
        let cluster = if is_writable(cluster) {
            cluster
        } else {
            CLUSTER
        };
        let path = crate::shown::shown(snapshot.source.path.as_bytes());
        self.file.extend_from_slice(
            format!(
                "# Accounts and users with their shares, written by fairscope from {path}\n\
                 # for: sacctmgr load file={FILE}\n\
                 # That adds who is missing and changes shares; it removes nobody. With clean it would remove the\n\
                 # cluster's associations first, and with them their usage, their ids and all their limits.\n"
            )
            .as_bytes(),
        );
        self.file.extend_from_slice(b"Cluster - ");
        quote(cluster, &mut self.file);
        self.file.extend_from_slice(b":Fairshare=1\n");
    }

    /// The name as Slurm will hold it.
    fn held(&mut self, name: &[u8]) -> NameId {
        let is_held = |byte: &u8| !byte.is_ascii_uppercase() && !is_quote(*byte);
        let id = if name.iter().all(is_held) {
            self.names.intern(name)
        } else {
            let lower = name.to_ascii_lowercase();
            let held: Vec<u8> = lower.into_iter().map(without_quote).collect();
            self.names.intern(&held)
        };
        let count = self.names.names().len();
        self.is_account.resize(count, false);
        self.default_account.resize(count, None);
        id
    }

    /// Writes those below an account, and adds the accounts among them that have somebody below to the list.
    fn block(&mut self, parent: NodeId, pending: &mut Vec<NodeId>) {
        let tree = self.tree;
        let start = self.file.len();
        self.file.extend_from_slice(b"Parent - ");
        quote(account_name(tree, parent), &mut self.file);
        self.file.push(b'\n');
        let empty = self.file.len();
        let mut users = HashSet::new();
        for child in tree.children(parent) {
            let name = tree.name(child);
            let partition = tree.partition(child);
            if !is_writable(name) || partition.is_some_and(|partition| !is_writable(partition)) {
                self.losses.broken_names.add(child);
                continue;
            }
            let held = self.held(name);
            let is_user = tree.kind(child) == Kind::User && !tree.has_children(child);
            if is_user {
                let partition = partition.map(|name| self.held(name).index());
                if !users.insert((held.index(), partition)) {
                    self.losses.taken_users.add(child);
                    continue;
                }
                self.user(child, parent, held);
            } else {
                if std::mem::replace(&mut self.is_account[held.index()], true) {
                    self.losses.taken_accounts.add(child);
                    continue;
                }
                self.account(child);
                if tree.has_children(child) {
                    pending.push(child);
                }
            }
            self.losses.count_name(tree, child);
        }
        if self.file.len() == empty {
            self.file.truncate(start);
        }
    }

    fn account(&mut self, node: NodeId) {
        let name = self.tree.name(node);
        for (key, end) in [
            ("Account - ", ":"),
            ("Description=", ":"),
            ("Organization=", ":"),
        ] {
            self.file.extend_from_slice(key.as_bytes());
            quote(name, &mut self.file);
            self.file.extend_from_slice(end.as_bytes());
        }
        if self.tree.partition(node).is_some() {
            self.losses.partitions.add(node);
        }
        if self.tree.kind(node) == Kind::User {
            self.losses.crowded_users.add(node);
        }
        self.shares(node);
    }

    fn user(&mut self, node: NodeId, parent: NodeId, held: NameId) {
        let tree = self.tree;
        self.file.extend_from_slice(b"User - ");
        quote(tree.name(node), &mut self.file);
        if let Some(partition) = tree.partition(node) {
            self.file.extend_from_slice(b":Partition=");
            quote(partition, &mut self.file);
        }
        let account = *self.default_account[held.index()].get_or_insert(parent);
        self.file.extend_from_slice(b":DefaultAccount=");
        quote(account_name(tree, account), &mut self.file);
        self.file.push(b':');
        self.shares(node);
    }

    fn shares(&mut self, node: NodeId) {
        let shares = self.tree.shares(node);
        let nearest = match shares.count() {
            None => Shares::PARENT,
            Some(count) => Shares::new(count.clamp(0, MOST_SHARES)),
        };
        if shares != nearest {
            self.losses.wide_shares.add(node);
        }
        self.file
            .extend_from_slice(format!("Fairshare={nearest}\n").as_bytes());
    }
}

/// The name of an account; the root is called root in every Slurm.
fn account_name(tree: &Tree, node: NodeId) -> &[u8] {
    if node == NodeId::ROOT {
        b"root"
    } else {
        tree.name(node)
    }
}

/// Whether `sacctmgr load` would take it for a name.
fn is_writable(name: &[u8]) -> bool {
    let is_broken = |byte: &u8| matches!(byte, b'=' | b'\n' | 0);
    !name.is_empty() && name.len() <= LONGEST_NAME && !name.iter().any(is_broken)
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'\'' | b'"')
}

/// What Slurm puts in the place of a quote.
fn without_quote(byte: u8) -> u8 {
    if is_quote(byte) { b'`' } else { byte }
}

/// Writes a text between quotes.
fn quote(text: &[u8], file: &mut Vec<u8>) {
    file.push(b'\'');
    for &byte in text {
        if matches!(byte, b'\\' | b'#') {
            file.push(b'\\');
        }
        file.push(without_quote(byte));
    }
    file.push(b'\'');
}

/// What Slurm cannot hold.
#[derive(Default)]
struct Losses {
    broken_names: Tally,
    taken_accounts: Tally,
    taken_users: Tally,
    quotes: Tally,
    upper_case: Tally,
    blanks: Tally,
    wide_shares: Tally,
    crowded_users: Tally,
    partitions: Tally,
    unknown: Tally,
    usage: Tally,
    limits: Tally,
    groups: Tally,
    active: Tally,
}

impl Losses {
    /// Counts a name that was written and that Slurm will change.
    fn count_name(&mut self, tree: &Tree, node: NodeId) {
        let name = tree.name(node);
        if name.iter().copied().any(is_quote) {
            self.quotes.add(node);
        }
        if name.iter().any(u8::is_ascii_uppercase) {
            self.upper_case.add(node);
        }
        if name.trim_ascii().len() < name.len() {
            self.blanks.add(node);
        }
    }

    /// Counts what a dump has no place for.
    fn count_facts(&mut self, tree: &Tree, recorded: &Recorded) {
        for &node in tree.nodes() {
            if tree.usage(node).amount().is_some_and(|usage| usage != 0.0) {
                self.usage.add(node);
            }
            if recorded.text(Fact::GrpTresMins, node).is_some() {
                self.limits.add(node);
            }
            if tree.active(node).is_some() {
                self.active.add(node);
            }
            if tree.group(node) != 0 && node != NodeId::ROOT && Some(node) != tree.unknown() {
                self.groups.add(node);
            }
        }
        if let Some(unknown) = tree.unknown() {
            self.unknown.add(unknown);
        }
    }

    fn sentences(&self, tree: &Tree) -> Vec<String> {
        let mut sentences = Vec::new();
        let rows: [(&Tally, &str); 14] = [
            (
                &self.broken_names,
                "sacctmgr load takes no names that are empty, longer than 255 bytes, or hold = or a line end: {} is left out with all below",
            ),
            (
                &self.taken_accounts,
                "Slurm knows accounts by name alone, without upper case, and the name is taken: {} is left out with all below",
            ),
            (
                &self.taken_users,
                "Slurm has one association of a user, an account and a partition: {} stands twice and is written once",
            ),
            (
                &self.quotes,
                "Slurm keeps no quotes in names and puts ` in their place: {} is written so",
            ),
            (
                &self.upper_case,
                "Slurm makes names lower case when it loads them: that of {} will change",
            ),
            (
                &self.blanks,
                "Slurm drops blanks around names since 26.05: that of {} will change there",
            ),
            (
                &self.wide_shares,
                "Slurm holds shares from 0 to 2147483646: those of {} are written as the nearest it holds",
            ),
            (
                &self.crowded_users,
                "nobody stands below a user of Slurm: {} is written as an account",
            ),
            (
                &self.partitions,
                "accounts of Slurm have no partition: that of {} is left out",
            ),
            (
                &self.unknown,
                "Slurm has no group for users that nobody named: PBS's {} is written as an account like any other",
            ),
            (
                &self.usage,
                "sacctmgr load takes no usage: that of {} is left out",
            ),
            (
                &self.limits,
                "limits are left out, and loading without clean keeps them: GrpTRESMins of {}",
            ),
            (
                &self.groups,
                "PBS's group numbers are left out: those of {}",
            ),
            (
                &self.active,
                "Slurm has no inactive users: whether {} is active is left out",
            ),
        ];
        for (tally, sentence) in rows {
            tally.tell(tree, &mut sentences, sentence);
        }
        sentences
    }
}
