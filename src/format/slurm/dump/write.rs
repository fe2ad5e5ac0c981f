//! A tree as a file for `sacctmgr load`, and what such a file cannot hold.

use super::line::{account_name, begin_line, count_name, is_writable, nearest, quote, stored_name};
use super::patch::patched;
use crate::base::shown::shown;
use crate::format::loss::{Conversion, Fault, Loss, Losses};
use crate::model::{
    Fact, Kind, LINEAGE_SINCE, NameId, NameInterner, NodeId, Recorded, Scheduler, Snapshot, Tree,
};
use std::collections::HashSet;

const FILE: &str = "sacctmgr_load.cfg";

/// The cluster of a tree that names none.
const CLUSTER: &[u8] = b"cluster";

/// Writes a tree as a file for `sacctmgr load`. If the tree was read from a dump, that is the dump with only the edits
/// changed. Otherwise it is a new one, accounts depth first, each with the block of its members.
pub fn convert(snapshot: &Snapshot, tree: &Tree) -> Conversion {
    let (file, mut lost) = match &snapshot.source.dump {
        Some(dump) => {
            let mut losses = Losses::default();
            let (file, stranded) = patched(dump, snapshot, tree, &mut losses);
            count_usage(&mut losses, tree);
            let mut lost = losses.list(tree);
            if !stranded.is_empty() {
                lost.push(Loss::DefaultAccounts(stranded.into_iter().collect()));
            }
            (file, lost)
        }
        None => written(snapshot, tree),
    };
    // Older versions of Slurm were not seen to lose anything.
    let release = snapshot.slurm_release();
    if release.is_none_or(|release| release >= LINEAGE_SINCE) {
        lost.push(Loss::CleanLoad);
    }
    Conversion {
        files: vec![(FILE.to_owned(), file)],
        losses: lost,
    }
}

fn written(snapshot: &Snapshot, tree: &Tree) -> (Vec<u8>, Vec<Loss>) {
    let mut writer = DumpWriter {
        tree,
        file: header(snapshot),
        losses: Losses::default(),
        names: NameInterner::default(),
        is_account: Vec::new(),
    };
    let root = writer.stored_name(b"root");
    writer.is_account[root.index()] = true;
    let mut pending = vec![NodeId::ROOT];
    while let Some(parent) = pending.pop() {
        let written = pending.len();
        writer.block(parent, &mut pending);
        pending[written..].reverse();
    }
    let mut losses = writer.losses;
    count_facts(&mut losses, tree, &snapshot.recorded);
    let mut lost = losses.list(tree);
    if snapshot.settings.scheduler == Some(Scheduler::Slurm) {
        lost.push(Loss::Untold);
    }
    if !is_writable(snapshot.source.cluster.as_bytes()) {
        lost.push(Loss::Cluster);
    }
    (writer.file, lost)
}

fn count_usage(losses: &mut Losses, tree: &Tree) {
    let has_used = |node: NodeId| tree.usage(node).amount().is_some_and(|used| used != 0.0);
    for &node in tree.nodes().iter().filter(|&&node| has_used(node)) {
        losses.add(Fault::SlurmUsage, node);
    }
}

fn count_facts(losses: &mut Losses, tree: &Tree, recorded: &Recorded) {
    count_usage(losses, tree);
    for &node in tree.nodes() {
        if recorded.text(Fact::GrpTresMins, node).is_some() {
            losses.add(Fault::SlurmLimits, node);
        }
        if tree.active(node).is_some() {
            losses.add(Fault::SlurmActive, node);
        }
        if tree.group(node) != 0 && node != NodeId::ROOT && Some(node) != tree.unknown() {
            losses.add(Fault::Groups, node);
        }
    }
    if let Some(unknown) = tree.unknown() {
        losses.add(Fault::SlurmUnknown, unknown);
    }
}

fn header(snapshot: &Snapshot) -> Vec<u8> {
    let cluster = snapshot.source.cluster.as_bytes();
    let is_named = is_writable(cluster);
    let cluster = if is_named { cluster } else { CLUSTER };
    let path = shown(snapshot.source.path.as_bytes());
    let head = format!(
        "# Accounts and users with their shares, written by fairscope from {path}\n\
         # for: sacctmgr load file={FILE}\n\
         # That adds missing users and changes shares; it removes nobody. With clean it would remove the\n\
         # cluster's associations first, and with them their usage, their ids and all their limits.\n\
         Cluster - "
    );
    [head.as_bytes(), &quote(cluster), b":Fairshare=1\n"].concat()
}

struct DumpWriter<'a> {
    tree: &'a Tree,
    file: Vec<u8>,
    losses: Losses,
    /// The names as Slurm stores them: without quotes and in lower case.
    names: NameInterner,
    /// By [`DumpWriter::names`]: whether there is an account of that name.
    is_account: Vec<bool>,
}

impl DumpWriter<'_> {
    fn stored_name(&mut self, name: &[u8]) -> NameId {
        let id = self.names.intern(&stored_name(name));
        self.is_account.resize(self.names.names().len(), false);
        id
    }

    /// Writes the members of an account, and adds the accounts with members among them to the list.
    fn block(&mut self, parent: NodeId, pending: &mut Vec<NodeId>) {
        let tree = self.tree;
        let start = self.file.len();
        let name = quote(account_name(tree, parent));
        self.file.extend([b"Parent - ", &name[..], b"\n"].concat());
        let empty = self.file.len();
        let mut users = HashSet::new();
        for child in tree.children(parent) {
            let name = tree.name(child);
            let partition = tree.partition(child);
            if !is_writable(name) || partition.is_some_and(|partition| !is_writable(partition)) {
                self.losses.add(Fault::SlurmName, child);
                continue;
            }
            let stored_name = self.stored_name(name);
            let is_user = tree.kind(child) == Kind::User && !tree.has_children(child);
            if is_user {
                let partition = partition.map(|name| self.stored_name(name).index());
                if !users.insert((stored_name.index(), partition)) {
                    self.losses.add(Fault::SlurmUserTwice, child);
                    continue;
                }
                begin_line("User", name, tree.partition(child), &mut self.file);
            } else {
                if std::mem::replace(&mut self.is_account[stored_name.index()], true) {
                    self.losses.add(Fault::SlurmAccountTaken, child);
                    continue;
                }
                self.account(child);
                if tree.has_children(child) {
                    pending.push(child);
                }
            }
            let shares = nearest(tree.shares(child));
            if shares != tree.shares(child) {
                self.losses.add(Fault::SlurmShares, child);
            }
            let shares = format!(":Fairshare={shares}\n");
            self.file.extend_from_slice(shares.as_bytes());
            count_name(&mut self.losses, tree, child);
        }
        if self.file.len() == empty {
            self.file.truncate(start);
        }
    }

    fn account(&mut self, node: NodeId) {
        begin_line("Account", self.tree.name(node), None, &mut self.file);
        if self.tree.partition(node).is_some() {
            self.losses.add(Fault::SlurmPartition, node);
        }
        if self.tree.kind(node) == Kind::User {
            self.losses.add(Fault::SlurmCrowded, node);
        }
    }
}
