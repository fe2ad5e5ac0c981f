//! `sacctmgr dump CLUSTER`: the associations of a cluster, in the file that `sacctmgr load` reads. A tree of another
//! format is written as such a file here, too.
//!
//! A line is an object, a dash, its name, and attributes separated by colons. `Parent - 'physics'` opens the block of
//! the accounts and users below physics. There are no usage and no ids.

mod line;

pub use line::unescaped;

use super::ROOT;
use super::assoc::shares_of;
use super::rows::{Row, Rows};
use crate::base::shown::{cut, sentence, shown, shown_text};
use crate::format::input::{Input, Meter, without_mark};
use crate::format::loss::{Conversion, Fault, Loss, Losses, Named};
use crate::format::{EditedDump, Format, LoadResult, OnProgress};
use crate::model::{
    Fact, Kind, LINEAGE_SINCE, NameId, NameInterner, NodeId, Recorded, Scheduler, Shares, Snapshot,
    Tree,
};
use line::{
    Attribute, Object, Statement, account_name, begin_line, count_name, is_writable, lines,
    nearest, object, quote, stored_name, value,
};
use std::collections::HashSet;

/// The prefix of each line that sacctmgr writes on its standard error.
const PREFIX: &[u8] = b"sacctmgr: ";

const EXAMPLE: &str = "write it like this: User - 'alice':Fairshare=10";

/// Returns whether the text looks like a dump: its first line does, apart from comments and messages of the command.
pub fn is(text: &[u8]) -> bool {
    let texts = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let mut meaningful = texts.filter(|line| !line.is_empty() && line[0] != b'#');
    let is_begun = |line: &[u8]| {
        let line = line::without_prefix(line);
        // A name such as user-1 begins a line of other files.
        let begins = object(line).map(|(_, rest)| &line[..line.len() - rest.len()]);
        begins
            .is_some_and(|begins| begins.ends_with(b" -") && line.get(begins.len()) == Some(&b' '))
    };
    let first = meaningful.find(|line| is_begun(line) || !line.starts_with(PREFIX));
    first.is_some_and(is_begun)
}

/// Reads a dump, or the messages of the command on standard error while it wrote one.
pub fn read(input: &Input, report: OnProgress<'_>) -> LoadResult<Rows> {
    let text = without_mark(&input.bytes);
    let mut meter = Meter::new(input.name(), Some(text.len() as u64), report);
    let mut rows = Rows::new(Format::SacctmgrDump, input);
    let root = rows.names.intern(ROOT);
    let mut reader = DumpReader {
        rows,
        root,
        cluster: None,
        has_root: false,
        parent: root,
    };
    for line in lines(text) {
        meter.at(line.end as u64, reader.rows.rows.len())?;
        reader.read(&line.text, line.number);
    }
    Ok(reader.rows)
}

struct DumpReader {
    rows: Rows,
    root: NameId,
    cluster: Option<NameId>,
    /// Whether the cluster has the row of its account root.
    has_root: bool,
    /// The account of the current block.
    parent: NameId,
}

impl DumpReader {
    fn read(&mut self, line: &[u8], number: u32) {
        if line.is_empty() || line[0] == b'#' {
            return;
        }
        let Some(statement) = Statement::of(line) else {
            let message = sentence!(
                "the line does not begin with Cluster, Parent, Account, User or QOS: {}; it is left out",
                cut(&shown_text(line), 60)
            );
            let code = "slurm-dump-object";
            return self.rows.problems.refuse(number, code, message, EXAMPLE);
        };
        if statement.object == Object::Qos {
            return;
        }
        let field = &line[statement.name.clone()];
        let name = value(field);
        if name.is_empty() {
            let message = "there is no name after the dash, so the line is left out";
            let code = "slurm-dump-name";
            return self.rows.problems.refuse(number, code, message, EXAMPLE);
        }
        if line::has_bare_hash(field) {
            let message = sentence!(
                "the name {} contains a #, where sacctmgr load would see a comment; it is read as part of the name",
                shown(&name)
            );
            let advice = "write \\# instead before loading the file";
            let problems = &mut self.rows.problems;
            problems.note(number, "slurm-dump-comment", message, advice);
        }
        let mut shares = Some(Shares::new(1));
        let attributes = statement.attributes.iter();
        for (_, place) in attributes.filter(|(own, _)| *own == Attribute::Shares) {
            shares = self.shares(&value(&line[place.clone()]), number);
        }
        if statement.is_open {
            let message = "a quote is not closed, so the rest of the line was read as its text";
            let advice = "close it, or put a name with an apostrophe between double quotes";
            let problems = &mut self.rows.problems;
            problems.warn(number, "slurm-dump-quote", message, advice);
        }
        let name = self.rows.names.intern(&name);
        let row = match statement.object {
            Object::Cluster => {
                self.cluster = Some(name);
                self.parent = self.root;
                self.has_root = true;
                Row::new(self.root, None)
            }
            Object::Account => Row {
                parent: Some(self.parent),
                ..Row::new(name, None)
            },
            Object::User => Row::new(self.parent, Some(name)),
            Object::Parent | Object::Qos => {
                self.parent = name;
                return;
            }
        };
        if !std::mem::replace(&mut self.has_root, true) {
            self.rows.rows.push(Row::new(self.root, None));
        }
        let partition = statement.value(line, Attribute::Partition);
        let partition = partition.filter(|name| row.user.is_some() && !name.is_empty());
        self.rows.rows.push(Row {
            cluster: self.cluster,
            partition: partition.map(|name| self.rows.names.intern(&name)),
            shares,
            line: number,
            ..row
        });
        let minutes = statement.value(line, Attribute::GrpTresMins);
        if let Some(minutes) = minutes {
            let minutes = String::from_utf8_lossy(&minutes);
            self.rows.text(Fact::GrpTresMins, &minutes);
        }
        let account = statement.value(line, Attribute::DefaultAccount);
        if let Some(account) = account.filter(|_| row.user.is_some()) {
            let account = String::from_utf8_lossy(&account);
            self.rows.text(Fact::DefaultAccount, &account);
        }
    }

    /// Reads shares; `None` for those that Slurm refuses.
    fn shares(&mut self, text: &[u8], number: u32) -> Option<Shares> {
        let shares = shares_of(text);
        // Slurm reads -1 as the default.
        let is_default = text.is_empty() || text == b"-1";
        if shares.is_none() && !is_default {
            let message = sentence!(
                "Fairshare is {}, which sacctmgr load refuses; 1 share is assumed",
                cut(&shown_text(text), 30)
            );
            let advice = "write a whole number from 0 to 2147483646, or parent";
            let problems = &mut self.rows.problems;
            problems.refuse(number, "slurm-shares", message, advice);
        }
        let default = is_default.then_some(Shares::new(1));
        shares.or(default)
    }
}

const FILE: &str = "sacctmgr_load.cfg";

/// The cluster of a tree that names none.
const CLUSTER: &[u8] = b"cluster";

/// The first release whose `sacctmgr load` fails at the WCKeys of a user.
const NO_WCKEYS_SINCE: (u32, u32) = (25, 11);

/// Writes a tree as a file for `sacctmgr load`: the dump that it was read from, byte for byte, or else a new one, accounts
/// depth first, each with the block of its members.
pub fn convert(snapshot: &Snapshot, tree: &Tree) -> Result<Conversion, EditedDump> {
    let release = snapshot.slurm_release();
    let (file, mut lost) = match &snapshot.source.dump {
        Some(_) if is_edited(&snapshot.tree, tree) => return Err(EditedDump),
        Some(dump) => {
            let mut losses = Losses::default();
            count_usage(&mut losses, tree);
            let mut lost = losses.list(tree);
            if release.is_none_or(|release| release >= NO_WCKEYS_SINCE) {
                lost.extend(wckeys(dump));
            }
            (dump.to_vec(), lost)
        }
        None => written(snapshot, tree),
    };
    // Older versions of Slurm were not seen to lose anything.
    if release.is_none_or(|release| release >= LINEAGE_SINCE) {
        lost.push(Loss::CleanLoad);
    }
    Ok(Conversion::of(FILE, file, lost))
}

/// Returns whether anything that a dump holds is not as it was read.
fn is_edited(base: &Tree, tree: &Tree) -> bool {
    let is_as_read = |&node: &NodeId| {
        tree.contains(node)
            && tree.parent(node) == base.parent(node)
            && tree.name(node) == base.name(node)
            && tree.shares(node) == base.shares(node)
    };
    base.nodes().len() != tree.nodes().len() || !base.nodes().iter().all(is_as_read)
}

/// Returns the loss of the users of a dump whose lines have WCKeys, or `None` if there are none.
fn wckeys(dump: &[u8]) -> Option<Loss> {
    let mut users = Vec::new();
    for line in lines(without_mark(dump)) {
        let Some(statement) = Statement::of(&line.text) else {
            continue;
        };
        let wckeys = statement.value(&line.text, Attribute::WcKeys);
        if statement.object == Object::User && wckeys.is_some() {
            users.push(shown(&value(&line.text[statement.name])));
        }
    }
    let more = users.len().checked_sub(1)?;
    let first = users.swap_remove(0);
    Some(Loss::OfNodes(Fault::SlurmWcKeys, Named { first, more }))
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
        let limits = recorded.text(Fact::GrpTresMins, node);
        losses.add_if(limits.is_some(), Fault::SlurmLimits, node);
        losses.add_if(tree.active(node).is_some(), Fault::SlurmActive, node);
        let is_below = node != NodeId::ROOT && Some(node) != tree.unknown();
        losses.add_if(is_below && tree.group(node) != 0, Fault::Groups, node);
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
            self.losses
                .add_if(shares != tree.shares(child), Fault::SlurmShares, child);
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
        let has_partition = self.tree.partition(node).is_some();
        self.losses
            .add_if(has_partition, Fault::SlurmPartition, node);
        let is_user = self.tree.kind(node) == Kind::User;
        self.losses.add_if(is_user, Fault::SlurmCrowded, node);
    }
}
