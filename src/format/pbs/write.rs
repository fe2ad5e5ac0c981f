//! Writing PBS's files from a tree: `resource_group`, `usage` and the fairshare lines of `sched_config`.

use super::line::is_skipped;
use super::usage::{RECORDS_AT, VERSION_2};
use crate::format::loss::{Fault, Loss, Losses};
use crate::model::{Kind, NodeId, Pbs, Settings, Tree};
use crate::rules::policy::pbs::{is_recordable, write_order};

/// The longest line that PBS reads as one, without its line end.
pub(crate) const LONGEST_LINE: usize = 254;

/// Writes `resource_group`, and returns what it cannot hold of the tree.
///
/// PBS puts each new child before its siblings, so families are written from the last member to the first, and PBS
/// loads the tree in the present order. An entity that PBS would create from its usage record (below `unknown`, with
/// one share and no group number) is not written.
pub(crate) fn resource_group(tree: &Tree) -> (Vec<u8>, Vec<Loss>) {
    let mut taken = vec![false; tree.names().len()];
    for (name, bytes) in tree.names().iter() {
        let is_own = matches!(bytes, b"TREEROOT" | b"unknown" | b"root");
        taken[name.index()] = is_own;
    }
    let mut last_group = 1;
    for &node in tree.nodes() {
        last_group = tree.group(node).max(last_group);
    }
    let mut writer = GroupWriter {
        tree,
        file: b"# name\tgroup number\tparent\tshares\n".to_vec(),
        losses: Losses::default(),
        taken,
        last_group,
    };
    let mut pending = vec![NodeId::ROOT];
    while let Some(parent) = pending.pop() {
        let children: Vec<NodeId> = tree.children(parent).collect();
        for child in children.into_iter().rev() {
            let is_unknown = Some(child) == tree.unknown();
            if !is_unknown && is_made_by_its_record(tree, child) {
                continue;
            }
            let is_written = is_unknown || writer.line(child);
            if is_written && tree.has_children(child) {
                pending.push(child);
            }
        }
    }
    count_usage(tree, &mut writer.losses);
    (writer.file, writer.losses.list(tree))
}

/// Returns whether PBS creates a node by itself when it reads the usage of the node.
fn is_made_by_its_record(tree: &Tree, node: NodeId) -> bool {
    let has_record = match tree.usage(node).amount() {
        Some(amount) => !is_initial(amount) && is_recordable(tree.name(node)),
        None => false,
    };
    has_record
        && tree.unknown().is_some()
        && tree.parent(node) == tree.unknown()
        && tree.shares(node).count() == Some(1)
        && tree.group(node) == -1
        && !tree.has_children(node)
}

/// Returns whether PBS reads a name as one field at the beginning of a line.
fn is_writable(name: &[u8]) -> bool {
    for byte in name {
        if matches!(byte, b' ' | b'\t' | b'\n' | 0) {
            return false;
        }
    }
    let start = &name[..name.len().min(1)];
    !is_skipped(start)
}

/// A `resource_group` as it is written.
struct GroupWriter<'a> {
    /// The tree that is written.
    tree: &'a Tree,
    /// The lines so far.
    file: Vec<u8>,
    /// What they cannot hold.
    losses: Losses,
    /// By name: whether PBS already has a node of it.
    taken: Vec<bool>,
    /// The highest group number so far.
    last_group: i32,
}

impl GroupWriter<'_> {
    /// Writes one line. Returns false if PBS would refuse it, so that its subtree is left out as well.
    fn line(&mut self, node: NodeId) -> bool {
        let tree = self.tree;
        let name = tree.name(node);
        if !is_writable(name) {
            self.losses.add(Fault::PbsName, node);
            return false;
        }
        let taken = &mut self.taken[tree.name_id(node).index()];
        // A node called root is possible, but it cannot have children.
        if *taken && (name != b"root" || tree.has_children(node)) {
            self.losses.add(Fault::PbsNameTaken, node);
            return false;
        }
        *taken = true;
        let shares = self.shares(node).to_string();
        let group = self.group(node).to_string();
        let parent = match tree.parent(node) {
            None | Some(NodeId::ROOT) => b"root",
            Some(parent) => tree.name(parent),
        };
        let line = [name, group.as_bytes(), parent, shares.as_bytes()].join(&b'\t');
        if line.len() > LONGEST_LINE {
            self.losses.add(Fault::PbsLine, node);
            return false;
        }
        self.file.extend_from_slice(&line);
        self.file.push(b'\n');
        true
    }

    /// Returns the shares of a node as PBS can hold them.
    fn shares(&mut self, node: NodeId) -> i32 {
        let Some(count) = self.tree.shares(node).count() else {
            self.losses.add(Fault::PbsParent, node);
            return 0;
        };
        if let Ok(shares) = i32::try_from(count) {
            return shares;
        }
        self.losses.add(Fault::PbsShares, node);
        if count < 0 { i32::MIN } else { i32::MAX }
    }

    /// Returns the group number of a node, or else a new one.
    fn group(&mut self, node: NodeId) -> i32 {
        let group = self.tree.group(node);
        if group != 0 && self.tree.kinds_follow_shape() {
            return group;
        }
        self.last_group = self.last_group.saturating_add(1);
        self.last_group
    }
}

/// Returns whether PBS treats the amount as never recorded: exactly 1, the initial usage of every node.
fn is_initial(amount: f64) -> bool {
    amount.to_bits() == 1.0_f64.to_bits()
}

/// Counts the childless accounts, partitions and amounts of usage that PBS cannot hold.
fn count_usage(tree: &Tree, losses: &mut Losses) {
    for &node in tree.nodes() {
        let is_account = tree.kind(node) == Kind::Account;
        let is_own = node == NodeId::ROOT || Some(node) == tree.unknown();
        if is_account && !is_own && !tree.has_children(node) {
            losses.add(Fault::PbsChildless, node);
        }
        if tree.partition(node).is_some() {
            losses.add(Fault::PbsPartition, node);
        }
        let Some(amount) = tree.usage(node).amount() else {
            continue;
        };
        if is_account {
            losses.add(Fault::PbsGroupUsage, node);
        } else if !is_recordable(tree.name(node)) || amount < 0.0 {
            losses.add(Fault::PbsUsage, node);
        } else if is_initial(amount) {
            losses.add(Fault::PbsLeastUsage, node);
        }
    }
}

/// Writes the usage file of version 2 as `pbsfs -s` does: in PBS's order, for a little-endian 64-bit machine.
/// `last_decay` is in Unix seconds; 0 is never.
pub(crate) fn usage(tree: &Tree, last_decay: i64) -> Vec<u8> {
    let records = write_order(tree);
    let length = VERSION_2.size * records.len();
    let mut file = Vec::with_capacity(RECORDS_AT + length);
    file.extend_from_slice(b"PBS_MAG!\0\0\0\0\0\0\0\0");
    file.extend_from_slice(&2.0_f64.to_le_bytes());
    file.extend_from_slice(&last_decay.to_le_bytes());
    for (node, amount) in records {
        let is_account = tree.kind(node) == Kind::Account;
        if is_account && !tree.kinds_follow_shape() {
            continue;
        }
        let name = tree.name(node);
        let length = name.len().min(VERSION_2.name - 1);
        let mut record = [0; VERSION_2.size];
        record[..length].copy_from_slice(&name[..length]);
        let bytes = amount.to_le_bytes();
        record[VERSION_2.amount_at..].copy_from_slice(&bytes);
        file.extend_from_slice(&record);
    }
    file
}

/// Writes `sched_formula` as the server does if a `job_sort_formula` is set.
pub(crate) fn sched_formula(formula: &str) -> Vec<u8> {
    format!("### PBS INTERNAL FILE DO NOT MODIFY ###\n{formula}\n").into_bytes()
}

/// Returns seconds as `HH:MM:SS`.
pub(crate) fn clock(seconds: i64) -> String {
    let hours = seconds / 3600;
    let minutes = seconds / 60 % 60;
    let rest = seconds % 60;
    format!("{hours:02}:{minutes:02}:{rest:02}")
}

/// Writes the fairshare lines of `sched_config`.
pub(crate) fn sched_config(settings: &Settings) -> Vec<u8> {
    let Pbs {
        fair_share,
        fairshare_entity,
        fairshare_usage_res,
        fairshare_decay_factor,
        fairshare_decay_time: seconds,
        unknown_shares,
        fairshare_enforce_no_shares,
        last_decay: _,
    } = &settings.pbs;
    // PBS would not read back never (-2) and the time that became minus infinity.
    let decay_time = if *seconds > 0 {
        clock(*seconds)
    } else {
        seconds.to_string()
    };
    let has_quote = fairshare_usage_res.contains('"');
    let quote = if has_quote { '\'' } else { '"' };
    let prime = fair_share.is_on_in_prime();
    let non_prime = fair_share.is_on_in_non_prime();
    format!(
        "fair_share: {prime}\tprime\n\
         fair_share: {non_prime}\tnon_prime\n\
         fairshare_entity: {fairshare_entity}\n\
         fairshare_usage_res: {quote}{fairshare_usage_res}{quote}\n\
         fairshare_decay_factor: {fairshare_decay_factor}\n\
         fairshare_decay_time: {decay_time}\n\
         unknown_shares: {unknown_shares}\n\
         fairshare_enforce_no_shares: {fairshare_enforce_no_shares}\n"
    )
    .into_bytes()
}
