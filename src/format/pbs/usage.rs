//! `usage`: the binary file of recorded usage, read as PBS reads it on x86-64.
//!
//! Follows `read_usage`, `read_usage_v1`, `read_usage_v2` and `rec_write_usage` of OpenPBS 23.06.

use super::resource_group::{ROOM, find};
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::input::{Input, Meter};
use crate::format::problem::{Place, Problems};
use crate::format::{LoadResult, OnProgress};
use crate::model::{Kind, NodeId, Position, Shares, TreeBuilder};
use crate::rules::policy::pbs::is_recordable;

/// The first bytes of a file of version 2, including the NUL.
const MAGIC: &[u8] = b"PBS_MAG!\0";

/// The header of version 2, and the size of a record of version 1.
const HEADER: usize = 24;

/// Where the records of version 2 begin. The time of the last decay is before them.
const RECORDS: usize = 32;

const VERSION: f64 = 2.0;

/// The earliest last decay that PBS accepts: 2000-01-01, midnight Pacific time.
const EARLIEST_DECAY: i64 = 946_713_600;

/// How many of the entities that `resource_group` does not name are reported by name.
const NAMED: usize = 3;

/// How far from the last record's node the next one's is expected.
const NEAR: usize = 4;

/// The length of a record and the position of its amount.
#[derive(Clone, Copy)]
pub(super) struct RecordLayout {
    pub(super) size: usize,
    /// The number of bytes for the name, including its NUL.
    pub(super) name: usize,
    pub(super) amount_at: usize,
    /// Whether it was written on a machine with the other byte order.
    is_swapped: bool,
}

impl RecordLayout {
    fn number(self, bytes: [u8; 8]) -> f64 {
        let order = [f64::from_le_bytes, f64::from_be_bytes][usize::from(self.is_swapped)];
        order(bytes)
    }
}

/// The name has nine bytes, but PBS does not check where it ends and reads on.
const VERSION_1: RecordLayout = RecordLayout {
    size: 24,
    name: 24,
    amount_at: 16,
    is_swapped: false,
};

pub(super) const VERSION_2: RecordLayout = RecordLayout {
    size: 64,
    name: 50,
    amount_at: 56,
    is_swapped: false,
};

fn eight(bytes: &[u8], at: usize) -> Option<[u8; 8]> {
    bytes.get(at..at + 8)?.try_into().ok()
}

/// Returns the bytes before the first NUL, or all of them.
fn c_string(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|&byte| byte == 0);
    &bytes[..end.unwrap_or(bytes.len())]
}

const RESTORE: &str = "restore the file from usage.bak or a backup";

/// Reads the file into a tree that has all nodes of `resource_group`. Returns the time of the last decay, in Unix
/// seconds, 0 if there was none or nothing was read; and what is wrong or odd.
pub(super) fn parse(
    input: &Input,
    builder: &mut TreeBuilder,
    unknown: NodeId,
    report: OnProgress<'_>,
) -> LoadResult<(i64, Problems)> {
    let bytes = &input.bytes;
    let mut problems = Problems::of(input.name());
    let Some((start, mut layout, last_decay)) = beginning(bytes, &mut problems) else {
        return Ok((0, problems));
    };
    let mut meter = Meter::new(input.name(), Some(bytes.len() as u64), report);
    let records = bytes[start..].chunks_exact(layout.size);
    if layout.size == VERSION_2.size {
        // It says its version itself.
        if layout.is_swapped {
            warn_of_other_order(&mut problems, "no usage");
        }
    } else if !records.clone().all(looks_like_version_1) {
        let message = "the file does not begin with PBS_MAG! and is not version 1 either; PBS still reads it as \
                       version 1, with meaningless entities";
        problems.refuse(Place::WHOLE, "pbs-bad-magic", message, RESTORE);
    } else if is_of_other_order(records.clone()) {
        layout.is_swapped = true;
        warn_of_other_order(&mut problems, "other numbers");
    } else {
        let message = "the file is of version 1, with names of at most 8 bytes; PBS reads it and writes version 2 \
                       from then on";
        let advice = "nothing needs to be done";
        problems.note(Place::WHOLE, "pbs-old-usage", message, advice);
    }
    let (rest, last) = (records.remainder().len(), records.len() + 1);
    builder.reserve_records(records.len().min(ROOM));
    let mut reader = UsageReader {
        builder,
        problems,
        layout,
        unknown,
        last: NodeId::ROOT,
        recorded: Vec::new(),
        unknown_names: Vec::new(),
        stranger_count: 0,
    };
    for (number, record) in (1..).zip(records) {
        let at = start + (number - 1) * layout.size;
        meter.at(at as u64, reader.builder.len())?;
        reader.record(number, record);
    }
    if rest > 0 {
        let message = sentence!(
            "record {last}, the last, has {rest} of {} bytes; PBS drops it silently",
            layout.size
        );
        let advice = "an interrupted write leaves such a file: compare it with usage.bak";
        reader.warn("pbs-cut-record", message, advice);
    }
    reader.note_strangers();
    Ok((last_decay, reader.problems))
}

/// Returns where the records begin, how they are laid out, and the time of the last decay; `None` if nothing is read.
fn beginning(bytes: &[u8], problems: &mut Problems) -> Option<(usize, RecordLayout, i64)> {
    let is_swapped = eight(bytes, 16) == Some(VERSION.to_be_bytes());
    let layout = RecordLayout {
        is_swapped,
        ..VERSION_2
    };
    let version = eight(bytes, 16).map(|bytes| layout.number(bytes));
    let moment = [i64::from_le_bytes, i64::from_be_bytes][usize::from(is_swapped)];
    let last_decay = eight(bytes, HEADER).map(moment);
    let is_of_version_2 = version.map(f64::to_bits) == Some(VERSION.to_bits());
    let (code, message, advice) = match (version, last_decay) {
        (Some(_), _) if !bytes.starts_with(MAGIC) => return Some((0, VERSION_1, 0)),
        (Some(version), _) if !is_of_version_2 => foreign_version(bytes, version),
        (Some(_), Some(decay)) if decay != 0 && decay <= EARLIEST_DECAY => {
            let message = sentence!(
                "the last decay at {decay} Unix seconds is before the year 2000; PBS treats the header as damaged and \
                 reads no usage"
            );
            ("pbs-bad-last-decay", message, RESTORE)
        }
        (Some(_), Some(decay)) => return Some((RECORDS, layout, decay)),
        _ => {
            let message = sentence!(
                "the file has {}, too short for a header and the time of the last decay; PBS reads no usage from it",
                counted(bytes.len(), "byte", "bytes")
            );
            let advice = "an interrupted write leaves such a file: look for usage.bak next to it";
            problems.warn(Place::WHOLE, "pbs-short-usage", message, advice);
            return None;
        }
    };
    problems.refuse(Place::WHOLE, code, message, advice);
    None
}

/// What to do about a file of another machine.
const ELSEWHERE: &str = "read it where it was written, and enter the usage here with pbsfs -s";

fn warn_of_other_order(problems: &mut Problems, elsewhere: &str) {
    let message = sentence!(
        "the file was written on a machine with the other byte order; it is read as PBS reads it there, but PBS on this \
         machine reads {elsewhere} from it"
    );
    let advice = "enter the usage here with pbsfs -s";
    problems.warn(Place::WHOLE, "pbs-big-endian", message, advice);
}

/// Returns whether more numbers of version 1 are such as jobs use if their bytes are read from the other end.
fn is_of_other_order<'a>(records: impl Iterator<Item = &'a [u8]> + Clone) -> bool {
    let amounts = records.filter_map(|record| eight(record, VERSION_1.amount_at));
    let count = |read: fn([u8; 8]) -> f64| {
        let amounts = amounts.clone().map(read);
        amounts.filter(|it| (1e-9..1e30).contains(it)).count()
    };
    count(f64::from_be_bytes) > count(f64::from_le_bytes)
}

/// Distinguishes files of other machines from files of other versions.
fn foreign_version(bytes: &[u8], version: f64) -> (&'static str, Shown, &'static str) {
    let packed = eight(bytes, 12).map_or(0.0, f64::from_le_bytes);
    if packed.to_bits() == VERSION.to_bits() {
        let message = "the file was written by a 32-bit PBS, whose records have another size; PBS on this machine \
                       reads no usage from it";
        ("pbs-32-bit", message.into(), ELSEWHERE)
    } else {
        let message = sentence!(
            "the header says version {version}, and PBS reads version 2; no usage is read"
        );
        ("pbs-bad-version", message, RESTORE)
    }
}

/// Returns whether a record has a NUL after its name and zeros after that, as PBS writes those of version 1.
fn looks_like_version_1(record: &[u8]) -> bool {
    let name = c_string(&record[..VERSION_1.amount_at]);
    let mut after = record[name.len()..VERSION_1.amount_at].iter();
    !name.is_empty() && is_recordable(name) && after.all(|&byte| byte == 0)
}

/// Returns a name for a sentence, also for an empty one.
fn entity(name: &[u8]) -> Shown {
    if name.is_empty() {
        "an empty name".into()
    } else {
        shown(name)
    }
}

struct UsageReader<'a> {
    builder: &'a mut TreeBuilder,
    problems: Problems,
    layout: RecordLayout,
    unknown: NodeId,
    /// The node of the previous record.
    last: NodeId,
    /// By node: whether it has a record.
    recorded: Vec<bool>,
    /// The first entities that `resource_group` does not name.
    unknown_names: Vec<Shown>,
    stranger_count: usize,
}

impl UsageReader<'_> {
    fn warn(&mut self, code: &'static str, message: Shown, advice: &'static str) {
        self.problems.warn(Place::WHOLE, code, message, advice);
    }

    /// Reports the names without a node.
    fn note_strangers(&mut self) {
        let names = self.unknown_names.join(", ");
        let more = self.stranger_count - self.unknown_names.len();
        let (who, verb) = match (self.stranger_count, more) {
            (0, _) => return,
            (1, _) => (names, "is"),
            (_, 0) => (names, "are"),
            (_, more) => (format!("{names} and {more} more entities"), "are"),
        };
        let message = sentence!(
            "{who} {verb} not in resource_group; PBS puts such entities under unknown with 1 share each"
        );
        let advice = "add them to resource_group, or give unknown shares with unknown_shares in sched_config";
        let code = "pbs-unknown-entity";
        self.problems.note(Place::WHOLE, code, message, advice);
    }

    fn record(&mut self, number: usize, record: &[u8]) {
        let field = &record[..self.layout.name];
        let name = c_string(field);
        let amount = eight(record, self.layout.amount_at);
        let amount = amount.map_or(f64::NAN, |bytes| self.layout.number(bytes));
        let is_valid_name = name.len() < field.len() && is_recordable(name);
        if !is_valid_name || amount.is_nan() || amount < 0.0 {
            let reason = if is_valid_name {
                sentence!("the usage {amount} is not 0 or more")
            } else {
                "the name has other bytes than letters, digits, blanks and . - _ : or no end".into()
            };
            let who = entity(name);
            let message = sentence!("record {number}, of {who}: {reason}; PBS leaves it out");
            let advice = "rename the entity, or set its usage again with pbsfs -s";
            let code = "pbs-invalid-record";
            return self.problems.refuse(Place::WHOLE, code, message, advice);
        }
        let node = self.entity(name);
        self.last = node;
        let is_entity = !self.builder.has_children(node);
        if !is_entity || node == NodeId::ROOT || node == self.unknown {
            let message = sentence!(
                "record {number} is of {}, which is a group; it overwrites what the group's entities added so far",
                entity(name)
            );
            let advice = "let PBS rewrite the file: pbsfs -s for any entity drops the record";
            self.warn("pbs-group-record", message, advice);
        }
        if self.is_repeated(node) {
            let message = sentence!(
                "record {number} is of {}, which has one already; the last one counts for itself, but all of them \
                 count for the groups above",
                entity(name)
            );
            let advice = "let PBS rewrite the file: pbsfs -s for any entity drops the repetition";
            self.warn("pbs-repeated-record", message, advice);
        }
        if amount.is_infinite() {
            let message = sentence!(
                "record {number}, of {}, is infinite; so is the usage of every group above it",
                entity(name)
            );
            let advice = "set the usage again with pbsfs -s";
            self.warn("pbs-infinite-usage", message, advice);
        }
        self.builder.record(node, amount, is_entity);
    }

    /// Returns the node of a name, adding it under `unknown` if there is none.
    fn entity(&mut self, name: &[u8]) -> NodeId {
        if let Some(node) = self.neighbour(name).or_else(|| find(self.builder, name)) {
            return node;
        }
        let id = self.builder.intern(name);
        let builder = &mut *self.builder;
        let node = builder.push(self.unknown, id, Kind::User, Position::First);
        builder.set_shares(node, Shares::new(1));
        builder.set_group(node, -1);
        self.stranger_count += 1;
        if self.unknown_names.len() < NAMED {
            self.unknown_names.push(entity(name));
        }
        node
    }

    /// Returns the node near that of the last record that has the name, if any. PBS writes siblings one after the other
    /// and leaves out those without usage, so this is much faster than a full search.
    fn neighbour(&self, name: &[u8]) -> Option<NodeId> {
        let last = self.last.index();
        let before = last.saturating_sub(NEAR)..last;
        let after = last + 1..(last + 1 + NEAR).min(self.builder.len());
        let mut near = before.rev().chain(after).map(NodeId::from_index);
        near.find(|&node| self.builder.name(node) == name)
    }

    fn is_repeated(&mut self, node: NodeId) -> bool {
        if self.recorded.len() < self.builder.len() {
            self.recorded.resize(self.builder.len(), false);
        }
        std::mem::replace(&mut self.recorded[node.index()], true)
    }
}
