//! `sacctmgr dump CLUSTER`: the associations of a cluster, in the file that `sacctmgr load` reads.
//!
//! A line is an object, a dash, its name, and attributes separated by colons. `Parent - 'physics'` opens the block of
//! the accounts and users below physics. There are no usage and no ids.

mod blocks;
mod line;
mod patch;
mod write;

pub use line::unescaped;
pub use write::convert;

use super::assoc::shares_of;
use super::rows::{Row, Rows};
use crate::base::shown::{cut, sentence, shown, shown_text};
use crate::format::input::{Input, Meter, without_mark};
use crate::format::{Format, LoadResult, OnProgress};
use crate::model::{Fact, NameId, Shares};
use line::{Attribute, Object, Statement, lines, object, value};

/// The account at the top of every Slurm tree.
const ROOT: &[u8] = b"root";

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
        let mut shares = Shares::new(1);
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
            shares: Some(shares),
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

    fn shares(&mut self, text: &[u8], number: u32) -> Shares {
        let shares = shares_of(text);
        // Slurm reads -1 as the default.
        if shares.is_none() && !text.is_empty() && text != b"-1" {
            let message = sentence!(
                "Fairshare is {}, which sacctmgr load refuses; 1 share is assumed",
                cut(&shown_text(text), 30)
            );
            let advice = "write a whole number from 0 to 2147483646, or parent";
            let problems = &mut self.rows.problems;
            problems.refuse(number, "slurm-shares", message, advice);
        }
        shares.unwrap_or(Shares::new(1))
    }
}
