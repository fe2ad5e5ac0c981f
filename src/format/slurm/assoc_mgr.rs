//! `scontrol show assoc_mgr flags=assoc`: the controller's own associations, in every version of Slurm.
//!
//! Each association is a block of `Key=value` fields. Values may contain blanks, brackets and equals signs. So a value
//! ends only where the next key begins that Slurm prints.

use super::rows::{Row, Rows, note_missing_users, settle_policy, stored_shares, stored_usage};
use crate::base::number::counted;
use crate::base::shown::{sentence, shown_text};
use crate::format::input::{Input, Meter};
use crate::format::problem::Place;
use crate::format::text::parsed;
use crate::format::{Format, LoadResult, OnProgress, Refusal};
use crate::model::{Fact, Figure, Incomplete, TieOrder, Usage, UsagePrecision};
use memchr::memmem::{self, Finder};

const TITLE: &[u8] = b"Current Association Manager state";

/// The beginning of every association, at the start of a line.
const FIRST: &[u8] = b"ClusterName=";

/// Titles of sections that may follow the associations.
const OTHERS: [&[u8]; 2] = [b"\nUser Records", b"\nQOS Records"];

const DECIMALS: u8 = 2;

/// Slurm's mark of "no value" in place of a number.
const NO_VALUE: f64 = 4_294_967_294.0;

const AGAIN: &str = "print it again: scontrol show assoc_mgr flags=assoc > FILE";

const UNFILTERED: &str = "run scontrol show assoc_mgr flags=assoc, without users= and accounts=";

/// The keys that are read and those that end them, in the order in which Slurm prints them.
const KEYS: [&[u8]; 15] = [
    FIRST,
    b" Account=",
    b" UserName=",
    b" Partition=",
    b" Priority=",
    b" ID=",
    b" SharesRaw/Norm/Level/Factor=",
    b" UsageRaw/Norm/Efctv=",
    b" ParentAccount=",
    b" Lft=",
    b" Lineage=",
    b" DefAssoc=",
    b" GrpJobs=",
    b" GrpTRESMins=",
    b" GrpTRESRunMins=",
];

/// The place of the usage among the keys.
const USAGE: usize = 7;

/// Returns whether the text looks like this output.
pub(crate) fn is(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let start = &text[..text.len().min(1 << 16)];
    let is_block = || memmem::find(start, b"SharesRaw/Norm").is_some();
    text.starts_with(TITLE) || (text.starts_with(FIRST) && is_block())
}

pub(super) fn read(input: &Input, report: OnProgress<'_>) -> LoadResult<Rows> {
    let mut meter = Meter::new(input.name(), Some(input.bytes.len() as u64), report);
    let mut rows = Rows::new(Format::AssocMgr, input);
    rows.usage_precision = UsagePrecision::Decimals(DECIMALS);
    let keys = KEYS.map(Finder::new);
    // The blocks that are not understood.
    let mut broken = Vec::new();
    let text = records(&input.bytes);
    let mut starts = starts(text).peekable();
    if starts.peek().is_none() {
        let what = "contains no associations of the controller";
        return Err(Refusal::does(&rows.file, what, AGAIN).into());
    }
    let before = input.bytes.len() - unread(&input.bytes).len();
    let mut line = 1 + line_ends(&input.bytes[..before]);
    while let Some(start) = starts.next() {
        let end = starts.peek().copied().unwrap_or(text.len());
        meter.at(end as u64, rows.rows.len())?;
        let block = &text[start..end];
        if add(&mut rows, &keys, block, line).is_none() {
            broken.push(block);
        }
        line += line_ends(block);
    }
    note_missing_users(&mut rows, Incomplete::AssocMgrUsers, UNFILTERED);
    settle_policy(&mut rows);
    if let [first, ..] = &broken[..] {
        let line = first.split(|&byte| byte == b'\n').next();
        let message = sentence!(
            "{} not understood and left out, the first beginning {}; expected ClusterName=, Account=, UserName=, \
                 SharesRaw/Norm/Level/Factor= and UsageRaw/Norm/Efctv=",
            counted(broken.len(), "association was", "associations were"),
            shown_text(line.unwrap_or_default())
        );
        rows.problems
            .refuse(Place::WHOLE, "slurm-bad-block", message, AGAIN);
    }
    Ok(rows)
}

fn line_ends(text: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', text).count() as u64
}

/// Adds the association of a block that begins in a line, or returns `None` if the block lacks a required field.
fn add(rows: &mut Rows, keys: &[Finder<'_>; KEYS.len()], text: &[u8], line: u64) -> Option<()> {
    let [
        cluster,
        account,
        user,
        partition,
        _priority,
        id,
        shares,
        usage,
        parent,
        left,
        lineage,
        default,
        _jobs,
        minutes,
        _run_minutes,
    ] = values(keys, text);
    let account = rows.name(account?)?;
    let user = rows.name(without_number(user?));
    let [shares, norm_shares, _level, factor] = parts(shares?)?;
    let [usage, norm_usage, effective] = parts(usage?)?;
    let amount = number(usage)?;
    let usage = stored_usage(amount).unwrap_or_else(|| {
        let key = keys[USAGE].find(text).unwrap_or(0);
        let place = line + line_ends(&text[..key]);
        let whose = rows.names.names().bytes(user.unwrap_or(account)).to_vec();
        rows.refuse_usage(place, &whose, amount);
        Usage::NONE
    });
    let row = Row {
        cluster: cluster.and_then(|name| rows.name(name)),
        partition: partition.and_then(|name| rows.name(name)),
        parent: parent.and_then(|name| rows.name(without_number(name))),
        id: id.and_then(number).unwrap_or(0),
        left: left.and_then(number).unwrap_or(0),
        shares: Some(stored_shares(number(shares)?)),
        usage,
        ..Row::new(account, user)
    };
    rows.rows.push(row);
    // The version is not printed, but the field that determines its order is.
    rows.tie_order = match (lineage, left) {
        (Some(_), _) => Some(TieOrder::Lineage),
        (None, Some(_)) => Some(TieOrder::Newest),
        (None, None) => rows.tie_order,
    };
    let figures = [
        (Fact::NormShares, norm_shares),
        (Fact::FairShare, factor),
        (Fact::NormUsage, norm_usage),
        (Fact::EffectvUsage, effective),
    ];
    for (fact, figure) in figures {
        if let Some(value) = number(figure).filter(|&figure: &f64| figure != NO_VALUE) {
            let decimals = DECIMALS.cast_signed();
            rows.figure(fact, Figure { value, decimals });
        }
    }
    // Accounts have a value too, which has no meaning.
    let default = default.map(<[u8]>::trim_ascii).filter(|_| user.is_some());
    let mut words = ["Yes", "No"].into_iter();
    if let Some(word) = words.find(|word| default == Some(word.as_bytes())) {
        rows.text(Fact::DefAssoc, word);
    }
    rows.text(Fact::GrpTresMins, &minutes.map(limits).unwrap_or_default());
    Some(())
}

/// Returns the values of a block as printed, whose keys are found in their order; `None` for fields it lacks.
fn values<'a>(keys: &[Finder<'_>; KEYS.len()], text: &'a [u8]) -> [Option<&'a [u8]>; KEYS.len()] {
    let mut found = [None; KEYS.len()];
    let mut place = 0;
    for (key, found) in keys.iter().zip(&mut found) {
        if let Some(start) = key.find(&text[place..]) {
            let after = place + start + key.needle().len();
            *found = Some((place + start, after));
            place = after;
        }
    }
    let mut end = text.len();
    let mut values = [None; KEYS.len()];
    for (found, value) in found.iter().zip(&mut values).rev() {
        if let Some((start, after)) = *found {
            *value = Some(trim_break(&text[after..end]));
            end = start;
        }
    }
    values
}

/// Returns the text from the first association on.
fn unread(text: &[u8]) -> &[u8] {
    &text[starts(text).next().unwrap_or(text.len())..]
}

fn records(text: &[u8]) -> &[u8] {
    let text = unread(text);
    let end = OTHERS.iter().filter_map(|title| memmem::find(text, title));
    &text[..end.min().unwrap_or(text.len())]
}

fn starts(text: &[u8]) -> impl Iterator<Item = usize> {
    let finds = memmem::find_iter(text, FIRST);
    finds.filter(|&place| place == 0 || text[place - 1] == b'\n')
}

/// Returns a name without the number in brackets after it: `carol(1002)`. The name may contain brackets itself.
fn without_number(text: &[u8]) -> &[u8] {
    let open = memchr::memrchr(b'(', text);
    match open {
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

fn parts<const COUNT: usize>(text: &[u8]) -> Option<[&[u8]; COUNT]> {
    let parts: Vec<&[u8]> = text.split(|&byte| byte == b'/').take(COUNT).collect();
    parts.try_into().ok()
}

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
