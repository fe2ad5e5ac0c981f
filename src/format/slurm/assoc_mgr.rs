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
use crate::model::{Fact, Figure, Incomplete, NameId, TieOrder, Usage, UsagePrecision};
use memchr::memmem::{self, Finder};

/// The first line.
const TITLE: &[u8] = b"Current Association Manager state";

/// The beginning of every association, at the start of a line.
const FIRST: &[u8] = b"ClusterName=";

/// Titles of sections that may follow the associations.
const OTHERS: [&[u8]; 2] = [b"\nUser Records", b"\nQOS Records"];

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
    let start = &text[..text.len().min(1 << 16)];
    if text.starts_with(TITLE) {
        return true;
    }
    text.starts_with(FIRST) && memmem::find(start, b"SharesRaw/Norm").is_some()
}

/// Reads the associations. Fails if there are none, or if the user cancelled.
pub(super) fn read(input: &Input, report: OnProgress<'_>) -> LoadResult<Rows> {
    let mut meter = Meter::new(input.name(), Some(input.bytes.len() as u64), report);
    let mut reader = BlockReader {
        finders: Key::ALL.iter().map(|key| Finder::new(key.name())).collect(),
        rows: Rows::new(Format::AssocMgr, input),
    };
    let text = records(&input.bytes);
    let mut starts = starts(text).peekable();
    if starts.peek().is_none() {
        let what = "contains no associations of the controller";
        return Err(Refusal::does(&reader.rows.file, what, AGAIN).into());
    }
    // The blocks that are not understood.
    let mut broken = Vec::new();
    let before = input.bytes.len() - unread(&input.bytes).len();
    let mut line = 1 + line_ends(&input.bytes[..before]);
    while let Some(start) = starts.next() {
        let end = starts.peek().copied().unwrap_or(text.len());
        meter.at(end as u64, reader.rows.rows.len())?;
        let block = &text[start..end];
        if reader.add(block, line).is_none() {
            broken.push(block);
        }
        line += line_ends(block);
    }
    let mut rows = reader.rows;
    rows.usage_precision = UsagePrecision::Decimals(DECIMALS);
    note_missing_users(&mut rows, Incomplete::AssocMgrUsers, UNFILTERED);
    settle_policy(&mut rows);
    if let Some(first) = broken.first() {
        let end = memchr::memchr(b'\n', first).unwrap_or(first.len());
        let problem = ControllerProblem::BadBlock {
            were: counted(broken.len(), "association was", "associations were"),
            first: shown_text(&first[..end]),
        };
        rows.problems.report(Place::WHOLE, problem);
    }
    Ok(rows)
}

/// Returns how many lines end in a text.
fn line_ends(text: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', text).count() as u64
}

/// The rows of an output as they are read.
struct BlockReader {
    /// In the order of the keys.
    finders: Vec<Finder<'static>>,
    /// What was read.
    rows: Rows,
}

impl BlockReader {
    /// Adds the association of a block that begins in a line, or returns `None` if the block lacks a required field.
    fn add(&mut self, text: &[u8], line: u64) -> Option<()> {
        let block = self.divide(text);
        let account = self.rows.name(block.get(Key::Account)?)?;
        let user = self.rows.name(without_number(block.get(Key::User)?));
        let mut shares = block.get(Key::Shares)?.split(|&byte| byte == b'/');
        let raw_shares = shares.next()?;
        let norm_shares = shares.next()?;
        let _level = shares.next()?;
        let factor = shares.next()?;
        let mut usages = block.get(Key::Usage)?.split(|&byte| byte == b'/');
        let amount = number(usages.next()?)?;
        let norm_usage = usages.next()?;
        let effective_usage = usages.next()?;
        let usage = stored_usage(amount);
        if usage.is_none() {
            self.refuse_usage(amount, user.unwrap_or(account), text, line);
        }
        let mut row = Row::new(account, user);
        row.usage = usage.unwrap_or(Usage::NONE);
        let rows = &mut self.rows;
        row.cluster = rows.name(block.text(Key::Cluster));
        row.partition = rows.name(block.text(Key::Partition));
        row.parent = rows.name(without_number(block.text(Key::Parent)));
        row.id = number(block.text(Key::Id)).unwrap_or(0);
        row.left = number(block.text(Key::Left)).unwrap_or(0);
        row.shares = Some(stored_shares(number(raw_shares)?));
        rows.rows.push(row);
        // The version is not printed, but the field that determines its order is.
        if block.get(Key::Lineage).is_some() {
            rows.tie_order = Some(TieOrder::Lineage);
        } else if block.get(Key::Left).is_some() {
            rows.tie_order = Some(TieOrder::Newest);
        }
        for (fact, figure) in [
            (Fact::NormShares, norm_shares),
            (Fact::FairShare, factor),
            (Fact::NormUsage, norm_usage),
            (Fact::EffectvUsage, effective_usage),
        ] {
            if let Some(value) = number(figure)
                && value != NO_VALUE
            {
                let decimals = DECIMALS.cast_signed();
                rows.figure(fact, Figure { value, decimals });
            }
        }
        // Accounts have a value too, which has no meaning.
        if user.is_some() {
            match block.text(Key::DefaultAssociation).trim_ascii() {
                b"Yes" => rows.text(Fact::DefAssoc, "Yes"),
                b"No" => rows.text(Fact::DefAssoc, "No"),
                _ => {}
            }
        }
        rows.text(Fact::GrpTresMins, &limits(block.text(Key::Minutes)));
        Some(())
    }

    /// Reports usage at the line of its key.
    fn refuse_usage(&mut self, amount: f64, owner: NameId, text: &[u8], line: u64) {
        let finder = &self.finders[Key::Usage as usize];
        let key = finder.find(text).unwrap_or(0);
        let name = self.rows.names.names().bytes(owner).to_vec();
        self.rows
            .refuse_usage(line + line_ends(&text[..key]), &name, amount);
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

/// Returns the text from the first association on.
fn unread(text: &[u8]) -> &[u8] {
    &text[starts(text).next().unwrap_or(text.len())..]
}

/// Returns the text of the associations alone.
fn records(text: &[u8]) -> &[u8] {
    let text = unread(text);
    let mut end = text.len();
    for title in OTHERS {
        if let Some(place) = memmem::find(text, title) {
            end = end.min(place);
        }
    }
    &text[..end]
}

/// Returns where the associations begin.
fn starts(text: &[u8]) -> impl Iterator<Item = usize> {
    let finds = memmem::find_iter(text, FIRST);
    finds.filter(|&place| place == 0 || text[place - 1] == b'\n')
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
