//! `scontrol show assoc_mgr flags=assoc`: the controller's own associations, in every version of Slurm.
//!
//! Each association is a block of `Key=value` fields. Values may contain blanks, brackets and equals signs. So a value
//! ends only where the next key begins that Slurm prints.

use super::rows::{Row, Rows, note_missing_users, settle_policy, stored_shares, stored_usage};
use crate::base::number::counted;
use crate::base::shown::{Shown, shown_text};
use crate::format::input::{Input, Meter};
use crate::format::problem::{Place, problems};
use crate::format::sheet::{SheetColumn as _, sheet_columns};
use crate::format::text::parsed;
use crate::format::{Format, LoadResult, OnProgress, Refusal};
use crate::model::{Fact, Figure, Incomplete, TieOrder, Usage, UsagePrecision};
use memchr::memmem::{self, Finder};

/// The first line.
const TITLE: &[u8] = b"Current Association Manager state";

/// The beginning of every association, at the start of a line.
const FIRST: &[u8] = b"ClusterName=";

/// The titles of sections that may follow the associations.
const OTHERS: &[&[u8]] = &[b"\nUser Records", b"\nQOS Records"];

/// How much of a text without a title is searched for a key of an association.
const START: usize = 1 << 16;

/// How many decimals are printed.
const DECIMALS: u8 = 2;

/// Slurm's mark of "no value" in place of a number.
const NO_VALUE: f64 = 4_294_967_294.0;

/// What to do about a file that cannot be read.
const AGAIN: &str = "print it again: scontrol show assoc_mgr flags=assoc > FILE";

/// What to do about missing users.
const UNFILTERED: &str = "run scontrol show assoc_mgr flags=assoc, without users= and accounts=";

sheet_columns! {
    /// The keys that are read and those that end them, in the order in which Slurm prints them.
    enum Key {
        Cluster, "ClusterName=";
        Account, " Account=";
        User, " UserName=";
        Partition, " Partition=";
        Priority, " Priority=";
        Id, " ID=";
        Shares, " SharesRaw/Norm/Level/Factor=";
        Usage, " UsageRaw/Norm/Efctv=";
        Parent, " ParentAccount=";
        Left, " Lft=";
        Lineage, " Lineage=";
        DefaultAssociation, " DefAssoc=";
        Jobs, " GrpJobs=";
        Minutes, " GrpTRESMins=";
        RunMinutes, " GrpTRESRunMins=";
    }
}

problems! {
    /// What is wrong with associations.
    enum ControllerProblem {
        BadBlock { were: Shown, first: Shown }, Error "slurm-bad-block",
            "{were} not understood and left out, the first beginning {first}; expected ClusterName=, Account=, UserName=, SharesRaw/Norm/Level/Factor= and UsageRaw/Norm/Efctv=",
            "print it again: scontrol show assoc_mgr flags=assoc > FILE";
    }
}

/// Returns whether the text looks like this output.
pub(crate) fn is(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    if !text.starts_with(FIRST) {
        return text.starts_with(TITLE);
    }
    let start = &text[..text.len().min(START)];
    memmem::find(start, b"SharesRaw/Norm").is_some()
}

/// Reads the associations. Fails if there are none, or if the user cancelled.
pub(super) fn read(input: &Input, report: OnProgress<'_>) -> LoadResult<Rows> {
    let file = input.name();
    let text = &input.bytes;
    let mut blocks = Blocks::new(text);
    if blocks.rest.is_empty() {
        let what = "contains no associations of the controller";
        return Err(Refusal::does(&file, what, AGAIN).into());
    }
    let mut meter = Meter::new(file, Some(text.len() as u64), report);
    let mut reader = BlockReader {
        finders: Key::ALL.iter().map(|key| Finder::new(key.name())).collect(),
        rows: Rows::new(Format::AssocMgr, input),
        line: 1 + line_ends(blocks.above),
    };
    // The blocks that are not understood.
    let mut broken = Vec::new();
    while let Some(block) = blocks.next() {
        let read = text.len() - blocks.rest.len();
        meter.at(read as u64, reader.rows.rows.len())?;
        if reader.add(block).is_none() {
            broken.push(block);
        }
        reader.line += line_ends(block);
    }
    let mut rows = reader.rows;
    rows.usage_precision = UsagePrecision::Decimals(DECIMALS);
    note_missing_users(&mut rows, Incomplete::AssocMgrUsers, UNFILTERED);
    settle_policy(&mut rows);
    if let Some(first) = broken.first() {
        let problem = ControllerProblem::BadBlock {
            were: counted(broken.len(), "association was", "associations were"),
            first: shown_text(first_line(first)),
        };
        rows.problems.report(Place::WHOLE, problem);
    }
    Ok(rows)
}

/// Returns how many lines end in a text.
fn line_ends(text: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', text).count() as u64
}

/// Returns a text up to the end of its first line.
fn first_line(text: &[u8]) -> &[u8] {
    let end = memchr::memchr(b'\n', text);
    &text[..end.unwrap_or(text.len())]
}

/// The texts of the associations, one after the other.
struct Blocks<'a> {
    /// The text before the first.
    above: &'a [u8],
    /// Those that are still to be read.
    rest: &'a [u8],
}

impl<'a> Blocks<'a> {
    /// Finds the associations of an output.
    fn new(text: &'a [u8]) -> Self {
        let start = find_start(text, 0).unwrap_or(text.len());
        let (above, mut rest) = text.split_at(start);
        for title in OTHERS {
            if let Some(end) = memmem::find(rest, title) {
                rest = &rest[..end];
            }
        }
        Self { above, rest }
    }
}

impl<'a> Iterator for Blocks<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let end = find_start(self.rest, FIRST.len()).unwrap_or(self.rest.len());
        let (block, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(block)
    }
}

/// Returns where an association begins, from a place on.
fn find_start(text: &[u8], from: usize) -> Option<usize> {
    for found in memmem::find_iter(&text[from..], FIRST) {
        let start = from + found;
        if start == 0 || text[start - 1] == b'\n' {
            return Some(start);
        }
    }
    None
}

/// The rows of an output as they are read.
struct BlockReader {
    /// In the order of the keys.
    finders: Vec<Finder<'static>>,
    /// What was read.
    rows: Rows,
    /// The line in which the next block begins, from 1.
    line: u64,
}

impl BlockReader {
    /// Adds the association of a block, or returns `None` if the block lacks a required field.
    fn add(&mut self, text: &[u8]) -> Option<()> {
        let block = self.divide(text);
        let rows = &mut self.rows;
        let account = rows.name(block.get(Key::Account)?)?;
        let user = rows.name(without_number(block.get(Key::User)?));
        let mut shares = parts(block.get(Key::Shares)?);
        let raw_shares = shares.next()?;
        let norm_shares = shares.next()?;
        let _level = shares.next()?;
        let factor = shares.next()?;
        let mut usages = parts(block.get(Key::Usage)?);
        let amount = number(usages.next()?)?;
        let norm_usage = usages.next()?;
        let effective_usage = usages.next()?;
        let usage = stored_usage(amount);
        if usage.is_none() {
            let owner = user.unwrap_or(account);
            let name = rows.names.names().bytes(owner).to_vec();
            let before = self.finders[Key::Usage as usize].find(text).unwrap_or(0);
            let line = self.line + line_ends(&text[..before]);
            rows.refuse_usage(line, &name, amount);
        }
        let mut row = Row::new(account, user);
        row.usage = usage.unwrap_or(Usage::NONE);
        row.cluster = rows.name(block.text(Key::Cluster));
        row.partition = rows.name(block.text(Key::Partition));
        row.parent = rows.name(without_number(block.text(Key::Parent)));
        row.id = number(block.text(Key::Id)).unwrap_or(0);
        row.left = number(block.text(Key::Left)).unwrap_or(0);
        let count = number(raw_shares)?;
        row.shares = Some(stored_shares(count));
        rows.rows.push(row);
        // The version is not printed, but the field that determines its order is.
        if block.get(Key::Lineage).is_some() {
            rows.tie_order = Some(TieOrder::Lineage);
        } else if block.get(Key::Left).is_some() {
            rows.tie_order = Some(TieOrder::Newest);
        }
        self.figure(Fact::NormShares, norm_shares);
        self.figure(Fact::FairShare, factor);
        self.figure(Fact::NormUsage, norm_usage);
        self.figure(Fact::EffectvUsage, effective_usage);
        // Accounts have a value too, which has no meaning.
        let default = block.text(Key::DefaultAssociation).trim_ascii();
        if user.is_some() && default == b"Yes" {
            self.rows.text(Fact::DefAssoc, "Yes");
        } else if user.is_some() && default == b"No" {
            self.rows.text(Fact::DefAssoc, "No");
        }
        let minutes = limits(block.text(Key::Minutes));
        self.rows.text(Fact::GrpTresMins, &minutes);
        Some(())
    }

    /// Records a number of the row that was added last, unless Slurm has none.
    fn figure(&mut self, fact: Fact, text: &[u8]) {
        let decimals = DECIMALS.cast_signed();
        if let Some(value) = number(text)
            && value != NO_VALUE
        {
            self.rows.figure(fact, Figure { value, decimals });
        }
    }

    /// Divides a block at its keys, which are found in their order.
    fn divide<'a>(&self, text: &'a [u8]) -> Block<'a> {
        let mut block = Block::default();
        let mut last = None;
        let mut place = 0;
        for (key, finder) in self.finders.iter().enumerate() {
            let Some(start) = finder.find(&text[place..]) else {
                continue;
            };
            let end = place + start;
            if let Some(last) = last {
                block.values[last] = Some(trim_break(&text[place..end]));
            }
            last = Some(key);
            place = end + finder.needle().len();
        }
        if let Some(last) = last {
            block.values[last] = Some(trim_break(&text[place..]));
        }
        block
    }
}

/// The values of a block as printed.
#[derive(Default)]
struct Block<'a> {
    /// By key; `None` for fields that the block lacks.
    values: [Option<&'a [u8]>; Key::ALL.len()],
}

impl<'a> Block<'a> {
    /// Returns a value; `None` if the block lacks it.
    fn get(&self, key: Key) -> Option<&'a [u8]> {
        self.values[key as usize]
    }

    /// Returns a value; empty if the block lacks it.
    fn text(&self, key: Key) -> &'a [u8] {
        self.get(key).unwrap_or_default()
    }
}

/// Returns the numbers of a field, which are joined by slashes.
fn parts(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| byte == b'/')
}

/// Returns a name without the number in brackets after it: `carol(1002)`. The name may contain brackets itself.
fn without_number(text: &[u8]) -> &[u8] {
    match memchr::memrchr(b'(', text) {
        Some(open) if text.ends_with(b")") => &text[..open],
        _ => text,
    }
}

/// Returns a value without the line break and the indentation before the next key. Blanks of a name remain.
fn trim_break(text: &[u8]) -> &[u8] {
    match memchr::memrchr(b'\n', text) {
        Some(end) if text[end..].trim_ascii().is_empty() => {
            text[..end].strip_suffix(b"\r").unwrap_or(&text[..end])
        }
        _ => text,
    }
}

/// Returns a number, with blanks around it or none.
fn number<T: std::str::FromStr>(text: &[u8]) -> Option<T> {
    parsed(text.trim_ascii())
}

/// Returns the limits of `cpu=1000000(58333),mem=N(0)` as `sshare` prints them: `cpu=1000000`.
fn limits(text: &[u8]) -> String {
    let mut limits = String::new();
    for entry in text.trim_ascii().split(|&byte| byte == b',') {
        let entry = without_number(entry);
        let Some(equals) = memchr::memrchr(b'=', entry) else {
            continue;
        };
        if number::<u64>(&entry[equals + 1..]).is_some() {
            let comma = if limits.is_empty() { "" } else { "," };
            limits.extend([comma, &*String::from_utf8_lossy(entry)]);
        }
    }
    limits
}
