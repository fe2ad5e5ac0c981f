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
use crate::format::text::{parsed, split};
use crate::format::{Format, LoadResult, OnProgress, Refusal};
use crate::model::{Fact, Figure, Incomplete, TieOrder, UsagePrecision};
use memchr::memmem::{self, Finder};
use memchr::{memchr, memchr_iter, memrchr};

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

/// Slurm's mark of "no value" instead of a number.
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
    let length = text.len().min(START);
    let start = &text[..length];
    memmem::find(start, b"SharesRaw/Norm").is_some()
}

/// Reads the associations. Fails if there are none, or if the user cancelled.
pub(super) fn read(input: &Input, report: OnProgress<'_>) -> LoadResult<Rows> {
    let file = input.name();
    let text = &input.bytes;
    let length = text.len();
    let mut blocks = Blocks::new(text);
    if blocks.rest.is_empty() {
        let what = "contains no associations of the controller";
        return Err(Refusal::does(&file, what, AGAIN).into());
    }
    let mut meter = Meter::new(file, Some(length as u64), report);
    let mut reader = BlockReader::new(input);
    reader.line += line_ends(blocks.above);
    // The blocks that are not understood.
    let mut broken = Vec::new();
    while let Some(block) = blocks.next() {
        let read = length - blocks.rest.len();
        let rows = reader.rows.rows.len();
        meter.at(read as u64, rows)?;
        if reader.add(block).is_none() {
            broken.push(block);
        }
        reader.line += line_ends(block);
    }
    let mut rows = reader.rows;
    rows.usage_precision = UsagePrecision::Decimals(DECIMALS);
    note_missing_users(&mut rows, Incomplete::AssocMgrUsers, UNFILTERED);
    settle_policy(&mut rows);
    if let Some(block) = broken.first() {
        let first = shown_text(first_line(block));
        let were = counted(broken.len(), "association was", "associations were");
        let problem = ControllerProblem::BadBlock { were, first };
        rows.problems.report(Place::WHOLE, problem);
    }
    Ok(rows)
}

/// Returns how many lines end in a text.
fn line_ends(text: &[u8]) -> u64 {
    let ends = memchr_iter(b'\n', text);
    ends.count() as u64
}

/// Returns a text up to the end of its first line.
fn first_line(text: &[u8]) -> &[u8] {
    match memchr(b'\n', text) {
        Some(end) => &text[..end],
        None => text,
    }
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
    /// Creates a reader that has read nothing yet.
    fn new(input: &Input) -> Self {
        let mut finders = Vec::new();
        for key in Key::ALL {
            let name = key.name();
            finders.push(Finder::new(name));
        }
        Self {
            finders,
            rows: Rows::new(Format::AssocMgr, input),
            line: 1,
        }
    }

    /// Adds the association of a block, or returns `None` if the block lacks a required field.
    fn add(&mut self, text: &[u8]) -> Option<()> {
        let block = self.divide(text);
        let mut row = self.named_row(&block)?;
        let shares = PrintedShares::of_block(&block)?;
        let usage = PrintedUsage::of_block(&block)?;
        match stored_usage(usage.amount) {
            Some(stored) => row.usage = stored,
            None => self.refuse_usage(text, &row, usage.amount),
        }
        self.fill(&mut row, &block);
        let count = number(shares.raw)?;
        row.shares = Some(stored_shares(count));
        let rows = &mut self.rows;
        rows.rows.push(row);
        // The version is not printed, but the field that determines its order is.
        if block.get(Key::Lineage).is_some() {
            rows.tie_order = Some(TieOrder::Lineage);
        } else if block.get(Key::Left).is_some() {
            rows.tie_order = Some(TieOrder::Newest);
        }
        // Accounts have a value too, which has no meaning.
        if row.user.is_some() {
            let default = block.text(Key::DefaultAssociation);
            let word = match default.trim_ascii() {
                b"Yes" => "Yes",
                b"No" => "No",
                _ => "",
            };
            rows.text(Fact::DefAssoc, word);
        }
        let minutes = limits(block.text(Key::Minutes));
        rows.text(Fact::GrpTresMins, &minutes);
        self.figure(Fact::NormShares, shares.norm);
        self.figure(Fact::FairShare, shares.factor);
        self.figure(Fact::NormUsage, usage.norm);
        self.figure(Fact::EffectvUsage, usage.effective);
        Some(())
    }

    /// Returns the row of a block with its account and user; `None` without an account.
    fn named_row(&mut self, block: &Block<'_>) -> Option<Row> {
        let account = block.get(Key::Account)?;
        let user = block.get(Key::User)?;
        let rows = &mut self.rows;
        let account = rows.name(account)?;
        let user = rows.name(without_number(user));
        Some(Row::new(account, user))
    }

    /// Takes over the fields of a block that not every association has.
    fn fill(&mut self, row: &mut Row, block: &Block<'_>) {
        let rows = &mut self.rows;
        let cluster = block.text(Key::Cluster);
        row.cluster = rows.name(cluster);
        let partition = block.text(Key::Partition);
        row.partition = rows.name(partition);
        let parent = block.text(Key::Parent);
        row.parent = rows.name(without_number(parent));
        row.id = block.number(Key::Id);
        row.left = block.number(Key::Left);
    }

    /// Reports usage that Slurm never stores, in the line of a block that has it.
    fn refuse_usage(&mut self, text: &[u8], row: &Row, amount: f64) {
        let owner = row.user.unwrap_or(row.account);
        let names = self.rows.names.names();
        let name = names.bytes(owner).to_vec();
        let finder = &self.finders[Key::Usage as usize];
        let start = finder.find(text).unwrap_or(0);
        let line = self.line + line_ends(&text[..start]);
        self.rows.refuse_usage(line, &name, amount);
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
            let Some(length) = finder.find(&text[place..]) else {
                continue;
            };
            let end = place + length;
            if let Some(last) = last {
                let value = trim_break(&text[place..end]);
                block.values[last] = Some(value);
            }
            last = Some(key);
            place = end + finder.needle().len();
        }
        if let Some(last) = last {
            let value = trim_break(&text[place..]);
            block.values[last] = Some(value);
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

    /// Returns a whole number; 0 if the block lacks it.
    fn number(&self, key: Key) -> u32 {
        let text = self.text(key);
        number(text).unwrap_or(0)
    }
}

/// The numbers of a field of shares, as printed.
struct PrintedShares<'a> {
    /// The raw shares.
    raw: &'a [u8],
    /// `NormShares`.
    norm: &'a [u8],
    /// `FairShare`.
    factor: &'a [u8],
}

impl<'a> PrintedShares<'a> {
    /// Reads the field of a block, whose numbers are joined by slashes; `None` if it has fewer.
    fn of_block(block: &Block<'a>) -> Option<Self> {
        let field = block.get(Key::Shares)?;
        let mut parts = split(field, b'/');
        let raw = parts.next()?;
        let norm = parts.next()?;
        let _level = parts.next()?;
        let factor = parts.next()?;
        Some(Self { raw, norm, factor })
    }
}

/// The numbers of a field of usage.
struct PrintedUsage<'a> {
    /// The raw usage.
    amount: f64,
    /// `NormUsage`, as printed.
    norm: &'a [u8],
    /// `EffectvUsage`, as printed.
    effective: &'a [u8],
}

impl<'a> PrintedUsage<'a> {
    /// Reads the field of a block, whose numbers are joined by slashes; `None` if it has fewer.
    fn of_block(block: &Block<'a>) -> Option<Self> {
        let field = block.get(Key::Usage)?;
        let mut parts = split(field, b'/');
        let amount = parts.next()?;
        Some(Self {
            amount: number(amount)?,
            norm: parts.next()?,
            effective: parts.next()?,
        })
    }
}

/// Returns a name without the number in brackets after it: `carol(1002)`. The name may contain brackets itself.
fn without_number(text: &[u8]) -> &[u8] {
    match memrchr(b'(', text) {
        Some(open) if text.ends_with(b")") => &text[..open],
        _ => text,
    }
}

/// Returns a value without the line break and the indentation before the next key. Blanks of a name remain.
fn trim_break(text: &[u8]) -> &[u8] {
    let Some(end) = memrchr(b'\n', text) else {
        return text;
    };
    let (value, behind) = text.split_at(end);
    if !behind.trim_ascii().is_empty() {
        return text;
    }
    value.strip_suffix(b"\r").unwrap_or(value)
}

/// Returns a number, with blanks around it or none.
fn number<T: std::str::FromStr>(text: &[u8]) -> Option<T> {
    parsed(text.trim_ascii())
}

/// Returns the limits of `cpu=1000000(58333),mem=N(0)` as `sshare` prints them: `cpu=1000000`.
fn limits(text: &[u8]) -> String {
    let mut limits = String::new();
    for entry in split(text.trim_ascii(), b',') {
        let limit = without_number(entry);
        let Some(equals) = memrchr(b'=', limit) else {
            continue;
        };
        let amount: Option<u64> = number(&limit[equals + 1..]);
        if amount.is_none() {
            continue;
        }
        if !limits.is_empty() {
            limits.push(',');
        }
        let limit = String::from_utf8_lossy(limit);
        limits.push_str(&limit);
    }
    limits
}
