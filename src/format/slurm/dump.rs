//! `sacctmgr dump CLUSTER`: the associations of a cluster, in the file that `sacctmgr load` reads.
//!
//! A line is an object, a dash, its name, and attributes separated by colons. `Parent - 'physics'` opens the block of
//! the accounts and users below physics. There are no usage and no ids.

mod blocks;
mod line;
mod losses;
mod patch;
mod place;
mod spelling;
mod write;

pub use spelling::unescaped;
pub use write::convert;

use super::assoc::shares_of;
use super::rows::{Row, Rows};
use crate::base::shown::{sentence, shown, shown_text};
use crate::format::input::{Input, Meter};
use crate::format::{Format, LoadError, OnProgress, Severity};
use crate::model::{Fact, NameId, Shares};
use line::{Fields, Lines, Object, object, value};

/// The account at the top of every Slurm tree.
const ROOT: &[u8] = b"root";

/// The prefix of each line that sacctmgr writes on its standard error.
const PREFIX: &[u8] = b"sacctmgr: ";

/// Returns whether the text looks like a dump: its first line does, apart from comments and messages of the command.
pub fn is(text: &[u8]) -> bool {
    let lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let mut meaningful = lines.filter(|line| !line.is_empty() && line[0] != b'#');
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
///
/// # Errors
/// If the user cancelled.
pub fn read(input: &Input, report: OnProgress<'_>) -> Result<Rows, LoadError> {
    let bytes = &input.bytes;
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut meter = Meter::new(input.name(), Some(text.len() as u64), report);
    let mut reader = DumpReader::new(input);
    for line in Lines::new(text) {
        meter.at(line.end as u64, reader.rows.rows.len())?;
        reader.read(&line.text, line.number);
    }
    Ok(reader.rows)
}

/// The state of reading a dump.
struct DumpReader {
    rows: Rows,
    root: NameId,
    cluster: Option<NameId>,
    /// Whether the cluster has the row of its account root.
    has_root: bool,
    /// The account of the current block.
    parent: NameId,
}

/// The attributes of a line that a tree has.
#[derive(Default)]
struct Attributes<'a> {
    shares: Option<Shares>,
    partition: Option<&'a [u8]>,
    minutes: Option<&'a [u8]>,
    default_account: Option<&'a [u8]>,
}

impl DumpReader {
    fn new(input: &Input) -> Self {
        let mut rows = Rows::new(Format::SacctmgrDump, input.name());
        rows.taken = input.modified;
        let root = rows.names.intern(ROOT);
        Self {
            rows,
            root,
            cluster: None,
            has_root: false,
            parent: root,
        }
    }

    fn read(&mut self, line: &[u8], number: u32) {
        if line.is_empty() || line[0] == b'#' {
            return;
        }
        let Some((object, rest)) = object(line) else {
            self.rows.note(
                Severity::Error,
                "slurm-dump-object",
                number.into(),
                sentence!(
                    "the line does not begin with Cluster, Parent, Account, User or QOS: {}; it is left out",
                    crate::base::shown::cut(&shown_text(line), 60)
                ),
                "write it like this: User - 'alice':Fairshare=10",
            );
            return;
        };
        if object == Object::Qos {
            return;
        }
        let mut fields = Fields::new(rest);
        let field = fields.next().unwrap_or_default();
        let name = value(field);
        if name.is_empty() {
            self.rows.note(
                Severity::Error,
                "slurm-dump-name",
                number.into(),
                "there is no name after the dash, so the line is left out",
                "write it like this: User - 'alice':Fairshare=10",
            );
            return;
        }
        if line::has_bare_hash(field) {
            self.rows.note(
                Severity::Note,
                "slurm-dump-comment",
                number.into(),
                sentence!(
                    "the name {} contains a #, where sacctmgr load would see a comment; it is read as part of the name",
                    shown(&name)
                ),
                "write \\# instead before loading the file",
            );
        }
        let name = self.rows.names.intern(&name);
        let attributes = self.attributes(&mut fields, number);
        match object {
            Object::Cluster => {
                self.cluster = Some(name);
                self.parent = self.root;
                self.has_root = true;
                self.push(Row::new(self.root, None), &attributes, number);
            }
            Object::Parent => self.parent = name,
            Object::Account => {
                self.add_root();
                let row = Row {
                    parent: Some(self.parent),
                    ..Row::new(name, None)
                };
                self.push(row, &attributes, number);
            }
            Object::User => {
                self.add_root();
                let row = Row::new(self.parent, Some(name));
                self.push(row, &attributes, number);
            }
            Object::Qos => {}
        }
    }

    /// Adds the account root to a file without a Cluster line.
    fn add_root(&mut self) {
        if !self.has_root {
            self.has_root = true;
            self.rows.rows.push(Row::new(self.root, None));
        }
    }

    fn push(&mut self, row: Row, attributes: &Attributes<'_>, number: u32) {
        let partition = attributes.partition.map(value);
        let partition = partition.filter(|partition| row.user.is_some() && !partition.is_empty());
        let row = Row {
            cluster: self.cluster,
            partition: partition.map(|name| self.rows.names.intern(&name)),
            shares: Some(attributes.shares.unwrap_or(Shares::new(1))),
            line: number,
            ..row
        };
        let is_user = row.user.is_some();
        self.rows.rows.push(row);
        if let Some(minutes) = attributes.minutes {
            let minutes = value(minutes);
            self.rows
                .text(Fact::GrpTresMins, &String::from_utf8_lossy(&minutes));
        }
        if let Some(account) = attributes.default_account.filter(|_| is_user) {
            let account = value(account);
            self.rows
                .text(Fact::DefaultAccount, &String::from_utf8_lossy(&account));
        }
    }

    fn attributes<'a>(&mut self, fields: &mut Fields<'a>, number: u32) -> Attributes<'a> {
        let mut attributes = Attributes::default();
        for field in fields.by_ref() {
            let Some(at) = memchr::memchr(b'=', field) else {
                continue;
            };
            let (key, text) = (field[..at].trim_ascii(), &field[at + 1..]);
            if is_shares_key(key) {
                attributes.shares = self.shares(&value(text), number);
            } else if is_key(key, b"Partition", 1) {
                attributes.partition = Some(text);
            } else if is_key(key, b"GrpTRESMins", 8) {
                attributes.minutes = Some(text);
            } else if is_key(key, b"DefaultAccount", 8) {
                attributes.default_account = Some(text);
            }
        }
        if fields.is_open() {
            self.rows.note(
                Severity::Warning,
                "slurm-dump-quote",
                number.into(),
                "a quote is not closed, so the rest of the line was read as its text",
                "close it, or put a name with an apostrophe between double quotes",
            );
        }
        attributes
    }

    fn shares(&mut self, text: &[u8], number: u32) -> Option<Shares> {
        if text.is_empty() {
            return None;
        }
        // Slurm reads -1 as the default.
        let shares = shares_of(text);
        if shares.is_none() && text != b"-1" {
            self.rows.note(
                Severity::Error,
                "slurm-shares",
                number.into(),
                sentence!(
                    "Fairshare is {}, which sacctmgr load refuses; 1 share is assumed",
                    crate::base::shown::cut(&shown_text(text), 30)
                ),
                "write a whole number from 0 to 2147483646, or parent",
            );
        }
        shares
    }
}

/// Returns whether a key is that of the shares.
fn is_shares_key(key: &[u8]) -> bool {
    is_key(key, b"FairShare", 1) || is_key(key, b"Shares", 1)
}

/// Returns whether a key is the name of an attribute or its beginning, with at least so many letters.
fn is_key(key: &[u8], name: &[u8], least: usize) -> bool {
    key.len() >= least
        && name
            .get(..key.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(key))
}
