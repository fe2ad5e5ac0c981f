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
use crate::base::shown::{Shown, shown, shown_text};
use crate::format::input::{Input, Meter, is_rows_left_out, without_mark};
use crate::format::loss::{Conversion, Fault, Loss, Losses, Named};
use crate::format::problem::problems;
use crate::format::{EditedDump, Format, LoadResult, OnProgress};
use crate::model::{
    Fact, Incomplete, Kind, LINEAGE_SINCE, NameId, NameInterner, NodeId, Recorded, Scheduler,
    Shares, Snapshot, Tree,
};
use line::{
    Attribute, DumpLines, Object, Statement, account_name, begin_line, count_name,
    has_writable_names, is_writable, nearest, object, quote, stored_name, value,
};
use std::collections::HashSet;

/// The prefix of each line that sacctmgr writes on its standard error.
const PREFIX: &[u8] = b"sacctmgr: ";

problems! {
    /// What is wrong with a line.
    enum DumpProblem {
        NoObject { line: Shown }, Error "slurm-dump-object",
            "the line does not begin with Cluster, Parent, Account, User or QOS: {line}; it is left out",
            "write it like this: User - 'alice':Fairshare=10";
        NoName, Error "slurm-dump-name",
            "there is no name after the dash, so the line is left out",
            "write it like this: User - 'alice':Fairshare=10";
        BareHash { name: Shown }, Note "slurm-dump-comment",
            "the name {name} contains a #, where sacctmgr load would see a comment; it is read as part of the name",
            "write \\# instead before loading the file";
        OpenQuote, Warning "slurm-dump-quote",
            "a quote is not closed, so the rest of the line was read as its text",
            "close it, or put a name with an apostrophe between double quotes";
        Shares { text: Shown }, Error "slurm-shares",
            "Fairshare is {text}, which sacctmgr load refuses; 1 share is assumed",
            "write a whole number from 0 to 2147483646, or parent";
        CutOff { text: Shown }, Error "slurm-dump-cut",
            "the line ends in {text} without a value, as a line does that was cut off; what stood behind it, such as Fairshare, is not read",
            "open the file that sacctmgr wrote, or print it with whole lines";
        RowsLeftOut { line: Shown }, Warning "slurm-rows-left-out",
            "rows were left out here: {line}; sums and ranks count only the listed ones",
            "open the file that sacctmgr wrote";
        Again { cluster: Shown }, Warning "slurm-dump-again",
            "the dump of {cluster} begins here again; only the first one is read",
            "check whether two dumps were written into one file";
    }
}

/// How a dump begins.
const FIRST_COMMENT: &[u8] = b"# To edit this file start with";

/// The most ends of wrapped comments before the first statement.
const LINES: usize = 64;

/// Returns whether the text looks like a dump: its first line does, apart from comments, messages of the command, and
/// dots where lines were left out. Below the comment that sacctmgr writes first, its lines may be wrapped.
pub fn is(text: &[u8]) -> bool {
    let has_comment = text.trim_ascii_start().starts_with(FIRST_COMMENT);
    let mut others = 0;
    for line in text.split(|&byte| byte == b'\n') {
        let line = line.trim_ascii();
        if line.is_empty() || line[0] == b'#' || is_rows_left_out(line) {
            continue;
        }
        if begins_statement(line::without_prefix(line)) {
            return true;
        }
        if !line.starts_with(PREFIX) {
            others += 1;
            if !has_comment || others > LINES {
                return false;
            }
        }
    }
    false
}

/// Returns whether a line begins with an object and a dash between blanks. A name such as user-1 begins a line of other
/// files.
fn begins_statement(line: &[u8]) -> bool {
    let Some((_, rest)) = object(line) else {
        return false;
    };
    let length = line.len() - rest.len();
    line[..length].ends_with(b" -") && rest.starts_with(b" ")
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
        seen: Vec::new(),
        is_again: false,
    };
    for line in DumpLines::new(text) {
        meter.at(line.end as u64, reader.rows.rows.len())?;
        reader.read(&line.text, line.number);
    }
    Ok(reader.rows)
}

/// The rows of a dump as they are read.
struct DumpReader {
    /// What was read.
    rows: Rows,
    /// The name of the account at the top.
    root: NameId,
    /// The cluster, if its line was read.
    cluster: Option<NameId>,
    /// Whether the cluster has the row of its account root.
    has_root: bool,
    /// The account of the current block.
    parent: NameId,
    /// The clusters whose lines were read.
    seen: Vec<NameId>,
    /// Whether the dump of one of them is here a second time.
    is_again: bool,
}

impl DumpReader {
    /// Reads a line that begins in the line of that number.
    fn read(&mut self, line: &[u8], number: u32) {
        if line.is_empty() || line[0] == b'#' {
            return;
        }
        let Some(statement) = Statement::parse(line) else {
            return self.no_statement(line, number);
        };
        let object = statement.object;
        let is_read_already = self.is_again && object != Object::Cluster;
        if object == Object::Qos || is_read_already {
            return;
        }
        let field = &line[statement.name.clone()];
        let name = value(field);
        if name.is_empty() {
            return self.problem(number, DumpProblem::NoName);
        }
        if line::has_bare_hash(field) {
            let name = shown(&name);
            self.problem(number, DumpProblem::BareHash { name });
        }
        let mut shares = Some(Shares::new(1));
        for field in &statement.fields {
            if field.attribute == Attribute::Shares {
                let text = value(&line[field.value.clone()]);
                shares = self.shares(&text, number);
            }
        }
        if statement.is_open {
            self.problem(number, DumpProblem::OpenQuote);
        }
        if let Some(cut) = &statement.cut {
            let text = shown_text(&line[cut.clone()]).cut(30);
            self.problem(number, DumpProblem::CutOff { text });
        }
        let name = self.rows.names.intern(&name);
        let Some(mut row) = self.row(object, name, number) else {
            return;
        };
        let rows = &mut self.rows;
        if !self.has_root {
            self.has_root = true;
            rows.rows.push(Row::new(self.root, None));
        }
        let is_user = row.user.is_some();
        if is_user && let Some(partition) = statement.value(line, Attribute::Partition) {
            row.partition = rows.name(&partition);
        }
        row.cluster = self.cluster;
        row.shares = shares;
        row.line = number;
        rows.rows.push(row);
        if let Some(minutes) = statement.value(line, Attribute::GrpTresMins) {
            let text = String::from_utf8_lossy(&minutes);
            rows.text(Fact::GrpTresMins, &text);
        }
        if is_user && let Some(account) = statement.value(line, Attribute::DefaultAccount) {
            let text = String::from_utf8_lossy(&account);
            rows.text(Fact::DefaultAccount, &text);
        }
    }

    /// Returns the row of an object with its names; `None` for an object without a row.
    fn row(&mut self, object: Object, name: NameId, number: u32) -> Option<Row> {
        match object {
            Object::Cluster => {
                self.is_again = self.seen.contains(&name);
                if self.is_again {
                    let cluster = shown(self.rows.names.names().bytes(name));
                    self.problem(number, DumpProblem::Again { cluster });
                    return None;
                }
                self.seen.push(name);
                self.cluster = Some(name);
                self.parent = self.root;
                self.has_root = true;
                Some(Row::new(self.root, None))
            }
            Object::Account => {
                let mut row = Row::new(name, None);
                row.parent = Some(self.parent);
                Some(row)
            }
            Object::User => Some(Row::new(self.parent, Some(name))),
            Object::Parent | Object::Qos => {
                self.parent = name;
                None
            }
        }
    }

    /// Reports a line that is about no object.
    fn no_statement(&mut self, line: &[u8], number: u32) {
        let is_left_out = is_rows_left_out(line);
        let line = shown_text(line).cut(60);
        if is_left_out {
            self.rows.incomplete = Some(Incomplete::RowsLeftOut);
            self.problem(number, DumpProblem::RowsLeftOut { line });
        } else {
            self.problem(number, DumpProblem::NoObject { line });
        }
    }

    /// Reports what is wrong with a line.
    fn problem(&mut self, line: u32, problem: DumpProblem) {
        self.rows.problems.report(line, problem);
    }

    /// Reads shares; `None` for those that Slurm refuses.
    fn shares(&mut self, text: &[u8], number: u32) -> Option<Shares> {
        let shares = shares_of(text);
        if shares.is_some() {
            return shares;
        }
        // Slurm reads -1 as the default.
        if text.is_empty() || text == b"-1" {
            return Some(Shares::new(1));
        }
        let text = shown_text(text).cut(30);
        self.problem(number, DumpProblem::Shares { text });
        None
    }
}

/// The name of the file that is written.
const FILE: &str = "sacctmgr_load.cfg";

/// The cluster of a tree that names none.
const CLUSTER: &[u8] = b"cluster";

/// The first release whose `sacctmgr load` fails at the WCKeys of a user.
const NO_WCKEYS_SINCE: (u32, u32) = (25, 11);

/// Writes a tree as a file for `sacctmgr load`: the dump that it was read from, byte for byte, or else a new one, accounts
/// depth first, each with the block of its members.
pub fn convert(snapshot: &Snapshot, tree: &Tree) -> Result<Conversion, EditedDump> {
    let release = snapshot.slurm_release();
    let file;
    let mut lost;
    if let Some(dump) = &snapshot.source.dump {
        if is_edited(&snapshot.tree, tree) {
            return Err(EditedDump);
        }
        let mut losses = Losses::default();
        count_usage(&mut losses, tree);
        lost = losses.list(tree);
        if may_be_since(release, NO_WCKEYS_SINCE) {
            lost.extend(wckeys(dump));
        }
        file = dump.to_vec();
    } else {
        (file, lost) = written(snapshot, tree);
    }
    // Older versions of Slurm were not seen to lose anything.
    if may_be_since(release, LINEAGE_SINCE) {
        lost.push(Loss::CleanLoad);
    }
    Ok(Conversion::of(FILE, file, lost))
}

/// Returns whether a release, if it is known, is not before another one.
fn may_be_since(release: Option<(u32, u32)>, first: (u32, u32)) -> bool {
    match release {
        Some(release) => release >= first,
        None => true,
    }
}

/// Returns whether anything that a dump holds is not as it was read.
fn is_edited(base: &Tree, tree: &Tree) -> bool {
    if base.nodes().len() != tree.nodes().len() {
        return true;
    }
    for &node in base.nodes() {
        let is_as_read = tree.contains(node)
            && tree.parent(node) == base.parent(node)
            && tree.name(node) == base.name(node)
            && tree.shares(node) == base.shares(node);
        if !is_as_read {
            return true;
        }
    }
    false
}

/// Returns the loss of the users of a dump whose lines have WCKeys, or `None` if there are none.
fn wckeys(dump: &[u8]) -> Option<Loss> {
    let mut users = Vec::new();
    for line in DumpLines::new(without_mark(dump)) {
        let text = &line.text;
        let Some(statement) = Statement::parse(text) else {
            continue;
        };
        let wckeys = statement.value(text, Attribute::WcKeys);
        if statement.object == Object::User && wckeys.is_some() {
            let name = value(&text[statement.name]);
            users.push(shown(&name));
        }
    }
    let more = users.len().checked_sub(1)?;
    let first = users.swap_remove(0);
    let named = Named { first, more };
    Some(Loss::OfNodes(Fault::SlurmWcKeys, named))
}

/// Writes a new file, and says what it loses.
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

/// Counts nodes with usage, which a dump cannot hold.
fn count_usage(losses: &mut Losses, tree: &Tree) {
    for &node in tree.nodes() {
        if let Some(used) = tree.usage(node).amount()
            && used != 0.0
        {
            losses.add(Fault::SlurmUsage, node);
        }
    }
}

/// Counts what else of nodes a dump cannot hold.
fn count_facts(losses: &mut Losses, tree: &Tree, recorded: &Recorded) {
    count_usage(losses, tree);
    for &node in tree.nodes() {
        if recorded.text(Fact::GrpTresMins, node).is_some() {
            losses.add(Fault::SlurmLimits, node);
        }
        if tree.active(node).is_some() {
            losses.add(Fault::SlurmActive, node);
        }
        let is_below = node != NodeId::ROOT && Some(node) != tree.unknown();
        if is_below && tree.group(node) != 0 {
            losses.add(Fault::Groups, node);
        }
    }
    if let Some(unknown) = tree.unknown() {
        losses.add(Fault::SlurmUnknown, unknown);
    }
}

/// Returns the comment at the top, and the line of the cluster.
fn header(snapshot: &Snapshot) -> Vec<u8> {
    let cluster = snapshot.source.cluster.as_bytes();
    let name = if is_writable(cluster) {
        cluster
    } else {
        CLUSTER
    };
    let path = shown(snapshot.source.path.as_bytes());
    let head = format!(
        "# Accounts and users with their shares, written by fairscope from {path}\n\
         # for: sacctmgr load file={FILE}\n\
         # That adds missing users and changes shares; it removes nobody. With clean it would remove the\n\
         # cluster's associations first, and with them their usage, their ids and all their limits.\n\
         Cluster - "
    );
    [head.as_bytes(), &quote(name), b":Fairshare=1\n"].concat()
}

/// A file as it is written.
struct DumpWriter<'a> {
    /// The tree that is written.
    tree: &'a Tree,
    /// What was written.
    file: Vec<u8>,
    /// What was lost.
    losses: Losses,
    /// The names as Slurm stores them: without quotes and in lower case.
    names: NameInterner,
    /// By [`DumpWriter::names`]: whether there is an account of that name.
    is_account: Vec<bool>,
}

impl DumpWriter<'_> {
    /// Returns the name as Slurm stores it.
    fn stored_name(&mut self, name: &[u8]) -> NameId {
        let stored = stored_name(name);
        let id = self.names.intern(&stored);
        let count = self.names.names().len();
        self.is_account.resize(count, false);
        id
    }

    /// Writes the members of an account, and adds the accounts with members among them to the list.
    fn block(&mut self, parent: NodeId, pending: &mut Vec<NodeId>) {
        let tree = self.tree;
        let start = self.file.len();
        let name = quote(account_name(tree, parent));
        self.file.extend_from_slice(b"Parent - ");
        self.file.extend(name);
        self.file.push(b'\n');
        let empty = self.file.len();
        let mut users = HashSet::new();
        for child in tree.children(parent) {
            if !has_writable_names(tree, child) {
                self.losses.add(Fault::SlurmName, child);
                continue;
            }
            let name = tree.name(child);
            let stored_name = self.stored_name(name).index();
            let has_members = tree.has_children(child);
            if tree.kind(child) == Kind::User && !has_members {
                let partition = tree.partition(child);
                let stored_partition = partition.map(|name| self.stored_name(name));
                if !users.insert((stored_name, stored_partition)) {
                    self.losses.add(Fault::SlurmUserTwice, child);
                    continue;
                }
                begin_line("User", name, partition, &mut self.file);
            } else {
                if self.is_account[stored_name] {
                    self.losses.add(Fault::SlurmAccountTaken, child);
                    continue;
                }
                self.is_account[stored_name] = true;
                self.account(child);
                if has_members {
                    pending.push(child);
                }
            }
            self.shares(child);
            count_name(&mut self.losses, tree, child);
        }
        if self.file.len() == empty {
            self.file.truncate(start);
        }
    }

    /// Ends the line of a node with its shares.
    fn shares(&mut self, node: NodeId) {
        let own = self.tree.shares(node);
        let shares = nearest(own);
        if shares != own {
            self.losses.add(Fault::SlurmShares, node);
        }
        let field = format!(":Fairshare={shares}\n");
        self.file.extend_from_slice(field.as_bytes());
    }

    /// Begins the line of an account.
    fn account(&mut self, node: NodeId) {
        let tree = self.tree;
        begin_line("Account", tree.name(node), None, &mut self.file);
        if tree.partition(node).is_some() {
            self.losses.add(Fault::SlurmPartition, node);
        }
        if tree.kind(node) == Kind::User {
            self.losses.add(Fault::SlurmCrowded, node);
        }
    }
}
