//! `usage`: the binary file of recorded usage, read as PBS reads it on x86-64.
//!
//! Follows `read_usage`, `read_usage_v1`, `read_usage_v2` and `rec_write_usage` of OpenPBS 23.06.

use super::line::c_string;
use super::resource_group::{ROOM, find};
use crate::base::number::counted;
use crate::base::shown::{Shown, shown};
use crate::format::input::{Input, Meter};
use crate::format::problem::{Place, Problems, problems};
use crate::format::{LoadResult, OnProgress};
use crate::model::{Kind, NodeId, Position, Shares, TreeBuilder};
use crate::rules::policy::pbs::is_recordable;

/// The first bytes of a file of version 2, including the NUL.
const MAGIC: &[u8] = b"PBS_MAG!\0";

/// Where the version is in a file of version 2, in bytes.
const VERSION_AT: usize = 16;

/// Where the version is in a file of version 2 that a 32-bit machine wrote.
const VERSION_AT_32_BIT: usize = 12;

/// Where the time of the last decay is in a file of version 2.
const LAST_DECAY_AT: usize = 24;

/// Where the records of version 2 begin.
pub(super) const RECORDS_AT: usize = 32;

/// The number of version 2 as the bits of a double.
const TWO: u64 = 2.0_f64.to_bits();

/// The earliest last decay that PBS accepts: 2000-01-01, midnight Pacific time.
const EARLIEST_DECAY: i64 = 946_713_600;

/// How many of the entities that `resource_group` does not name are reported by name.
const NAMED: usize = 3;

/// How far from the last record's node the next one's is expected.
const NEAR: usize = 4;

problems! {
    /// What is wrong or odd in a `usage` file.
    enum UsageProblem {
        TooShort { size: Shown }, Warning "pbs-short-usage",
            "the file has {size}, too short for a header and the time of the last decay; PBS reads no usage from it",
            "an interrupted write leaves such a file: look for usage.bak next to it";
        BadMagic, Error "pbs-bad-magic",
            "the file does not begin with PBS_MAG! and is not version 1 either; PBS still reads it as version 1, with meaningless entities",
            "restore the file from usage.bak or a backup";
        Of32Bits, Error "pbs-32-bit",
            "the file was written by a 32-bit PBS, whose records have another size; PBS on this machine reads no usage from it",
            "read it where it was written, and enter the usage here with pbsfs -s";
        OtherVersion { version: f64 }, Error "pbs-bad-version",
            "the header says version {version}, and PBS reads version 2; no usage is read",
            "restore the file from usage.bak or a backup";
        BadLastDecay { decay: i64 }, Error "pbs-bad-last-decay",
            "the last decay at {decay} Unix seconds is before the year 2000; PBS treats the header as damaged and reads no usage",
            "restore the file from usage.bak or a backup";
        OtherByteOrder { reading: &'static str }, Warning "pbs-big-endian",
            "the file was written on a machine with the other byte order; it is read as PBS reads it there, but PBS on this \
             machine reads {reading} from it",
            "enter the usage here with pbsfs -s";
        Version1, Note "pbs-old-usage",
            "the file is of version 1, with names of at most 8 bytes; PBS reads it and writes version 2 from then on",
            "nothing needs to be done";
        CutRecord { number: usize, length: usize, size: usize }, Warning "pbs-cut-record",
            "record {number}, the last, has {length} of {size} bytes; PBS drops it silently",
            "an interrupted write leaves such a file: compare it with usage.bak";
        BadName { number: usize, who: Shown }, Error "pbs-invalid-record",
            "record {number}, of {who}: the name has other bytes than letters, digits, blanks and . - _ : or no end; PBS leaves it out",
            "rename the entity, or set its usage again with pbsfs -s";
        BadUsage { number: usize, who: Shown, amount: f64 }, Error "pbs-invalid-record",
            "record {number}, of {who}: the usage {amount} is not 0 or more; PBS leaves it out",
            "rename the entity, or set its usage again with pbsfs -s";
        OfGroup { number: usize, who: Shown }, Warning "pbs-group-record",
            "record {number} is of {who}, which is a group; it overwrites what the group's entities added so far",
            "let PBS rewrite the file: pbsfs -s for any entity drops the record";
        Repeated { number: usize, who: Shown }, Warning "pbs-repeated-record",
            "record {number} is of {who}, which has one already; the last one counts for itself, but all of them count for the groups above",
            "let PBS rewrite the file: pbsfs -s for any entity drops the repetition";
        Infinite { number: usize, who: Shown }, Warning "pbs-infinite-usage",
            "record {number}, of {who}, is infinite; so is the usage of every group above it",
            "set the usage again with pbsfs -s";
        UnknownEntities { are: String }, Note "pbs-unknown-entity",
            "{are} not in resource_group; PBS puts such entities under unknown with 1 share each",
            "add them to resource_group, or give unknown shares with unknown_shares in sched_config";
    }
}

/// How a version lays out its records.
#[derive(Clone, Copy)]
pub(super) struct RecordLayout {
    /// The length of a record, in bytes.
    pub(super) size: usize,
    /// The number of bytes for the name, including its NUL.
    pub(super) name: usize,
    /// Where the amount is in a record.
    pub(super) amount_at: usize,
}

/// The name has nine bytes, but PBS does not check where it ends and reads on.
const VERSION_1: RecordLayout = RecordLayout {
    size: 24,
    name: 24,
    amount_at: 16,
};

pub(super) const VERSION_2: RecordLayout = RecordLayout {
    size: 64,
    name: 50,
    amount_at: 56,
};

/// The records of a file, and when it was decayed.
struct RecordedUsage<'a> {
    /// The bytes behind the header.
    records: &'a [u8],
    /// How they are laid out.
    layout: RecordLayout,
    /// Whether the file was written on a machine with the other byte order.
    is_swapped: bool,
    /// In Unix seconds, 0 if never.
    last_decay: i64,
}

/// Returns the eight bytes at a place as a number; `None` if there are fewer.
fn eight(bytes: &[u8], at: usize, is_swapped: bool) -> Option<u64> {
    let eight = bytes.get(at..at + 8)?.try_into().ok()?;
    Some(if is_swapped {
        u64::from_be_bytes(eight)
    } else {
        u64::from_le_bytes(eight)
    })
}

/// Returns the amount of a record of version 1 or 2, which has one.
fn amount(record: &[u8], at: usize, is_swapped: bool) -> f64 {
    match eight(record, at, is_swapped) {
        Some(bits) => f64::from_bits(bits),
        None => f64::NAN,
    }
}

/// Reads the file into a tree that has all nodes of `resource_group`. Returns the time of the last decay, in Unix
/// seconds, 0 if there was none or nothing was read; and what is wrong or odd.
pub(super) fn parse(
    input: &Input,
    builder: &mut TreeBuilder,
    unknown: NodeId,
    report: OnProgress,
) -> LoadResult<(i64, Problems)> {
    let mut problems = Problems::of(input.name());
    let recorded = match divide(&input.bytes, &mut problems) {
        Ok(recorded) => recorded,
        Err(problem) => {
            problems.report(Place::WHOLE, problem);
            return Ok((0, problems));
        }
    };
    let size = recorded.layout.size;
    let start = input.bytes.len() - recorded.records.len();
    let records = recorded.records.chunks_exact(size);
    let length = records.remainder().len();
    let count = records.len();
    builder.reserve_records(count.min(ROOM));
    let mut meter = Meter::of_text(input.name(), &input.bytes, report);
    let mut reader = UsageReader {
        builder,
        problems,
        layout: recorded.layout,
        is_swapped: recorded.is_swapped,
        unknown,
        last: NodeId::ROOT,
        has_record: Vec::new(),
        strangers: Vec::new(),
        stranger_count: 0,
    };
    for (index, record) in records.enumerate() {
        meter.at((start + index * size) as u64, reader.builder.len())?;
        reader.record(index + 1, record);
    }
    if length > 0 {
        let number = count + 1;
        reader.report(UsageProblem::CutRecord {
            number,
            length,
            size,
        });
    }
    reader.note_strangers();
    Ok((recorded.last_decay, reader.problems))
}

/// Finds the records of a file. Fails if PBS reads none.
fn divide<'a>(bytes: &'a [u8], problems: &mut Problems) -> Result<RecordedUsage<'a>, UsageProblem> {
    let is_swapped = eight(bytes, VERSION_AT, true) == Some(TWO);
    let version = eight(bytes, VERSION_AT, is_swapped);
    if version.is_some() && !bytes.starts_with(MAGIC) {
        return Ok(version_1(bytes, problems));
    }
    match version {
        Some(TWO) | None => {}
        Some(_) if eight(bytes, VERSION_AT_32_BIT, false) == Some(TWO) => {
            return Err(UsageProblem::Of32Bits);
        }
        Some(version) => {
            let version = f64::from_bits(version);
            return Err(UsageProblem::OtherVersion { version });
        }
    }
    let Some(decay) = eight(bytes, LAST_DECAY_AT, is_swapped) else {
        let size = counted(bytes.len(), "byte", "bytes");
        return Err(UsageProblem::TooShort { size });
    };
    let last_decay = decay.cast_signed();
    if last_decay != 0 && last_decay <= EARLIEST_DECAY {
        return Err(UsageProblem::BadLastDecay { decay: last_decay });
    }
    if is_swapped {
        let reading = "no usage";
        problems.report(Place::WHOLE, UsageProblem::OtherByteOrder { reading });
    }
    Ok(RecordedUsage {
        records: &bytes[RECORDS_AT..],
        layout: VERSION_2,
        is_swapped,
        last_decay,
    })
}

/// Takes the whole file as records of version 1, which has no header.
fn version_1<'a>(bytes: &'a [u8], problems: &mut Problems) -> RecordedUsage<'a> {
    let mut usual = 0_usize;
    let mut usual_if_swapped = 0_usize;
    let mut is_version_1 = true;
    for record in bytes.chunks_exact(VERSION_1.size) {
        is_version_1 &= looks_like_version_1(record);
        usual += usize::from(is_usual(record, false));
        usual_if_swapped += usize::from(is_usual(record, true));
    }
    let is_swapped = is_version_1 && usual_if_swapped > usual;
    let problem = if !is_version_1 {
        UsageProblem::BadMagic
    } else if is_swapped {
        let reading = "other numbers";
        UsageProblem::OtherByteOrder { reading }
    } else {
        UsageProblem::Version1
    };
    problems.report(Place::WHOLE, problem);
    RecordedUsage {
        records: bytes,
        layout: VERSION_1,
        is_swapped,
        last_decay: 0,
    }
}

/// Returns whether the amount of a record of version 1 is such as jobs use.
fn is_usual(record: &[u8], is_swapped: bool) -> bool {
    (1e-9..1e30).contains(&amount(record, VERSION_1.amount_at, is_swapped))
}

/// Returns whether a record has a NUL after its name and zeros after that, as PBS writes those of version 1.
fn looks_like_version_1(record: &[u8]) -> bool {
    let field = &record[..VERSION_1.amount_at];
    let name = c_string(field);
    let after = &field[name.len()..];
    !name.is_empty() && is_recordable(name) && after.iter().all(|&byte| byte == 0)
}

/// Returns a name for a sentence, also for an empty one.
fn entity(name: &[u8]) -> Shown {
    if name.is_empty() {
        "an empty name".into()
    } else {
        shown(name)
    }
}

/// Reads records into a tree.
struct UsageReader<'a> {
    /// The tree so far.
    builder: &'a mut TreeBuilder,
    /// What is wrong or odd so far.
    problems: Problems,
    /// How the records are laid out.
    layout: RecordLayout,
    /// Whether they were written on a machine with the other byte order.
    is_swapped: bool,
    /// PBS's group of the entities that `resource_group` does not name.
    unknown: NodeId,
    /// The node of the previous record.
    last: NodeId,
    /// By node: whether it has a record.
    has_record: Vec<bool>,
    /// The first entities that `resource_group` does not name.
    strangers: Vec<Shown>,
    /// How many there are of them in all.
    stranger_count: usize,
}

impl UsageReader<'_> {
    /// Adds a problem.
    fn report(&mut self, problem: UsageProblem) {
        self.problems.report(Place::WHOLE, problem);
    }

    /// Reports the names without a node.
    fn note_strangers(&mut self) {
        let names = self.strangers.join(", ");
        let are = match self.stranger_count {
            0 => return,
            1 => format!("{names} is"),
            count if count <= NAMED => format!("{names} are"),
            count => format!("{names} and {} more entities are", count - NAMED),
        };
        self.report(UsageProblem::UnknownEntities { are });
    }

    /// Reads a record. They are numbered from 1.
    fn record(&mut self, number: usize, record: &[u8]) {
        let field = &record[..self.layout.name];
        let name = c_string(field);
        let amount = amount(record, self.layout.amount_at, self.is_swapped);
        if name.len() == field.len() || !is_recordable(name) {
            let who = entity(name);
            return self.report(UsageProblem::BadName { number, who });
        }
        if amount.is_nan() || amount < 0.0 {
            let who = entity(name);
            return self.report(UsageProblem::BadUsage {
                number,
                who,
                amount,
            });
        }
        let node = self.node(name);
        self.last = node;
        let is_entity = !self.builder.has_children(node);
        if !is_entity || node == NodeId::ROOT || node == self.unknown {
            let who = entity(name);
            self.report(UsageProblem::OfGroup { number, who });
        }
        if self.is_repeated(node) {
            let who = entity(name);
            self.report(UsageProblem::Repeated { number, who });
        }
        if amount.is_infinite() {
            let who = entity(name);
            self.report(UsageProblem::Infinite { number, who });
        }
        self.builder.record(node, amount, is_entity);
    }

    /// Returns the node of a name, adding it under `unknown` if there is none.
    fn node(&mut self, name: &[u8]) -> NodeId {
        if let Some(node) = self.neighbour(name) {
            return node;
        }
        if let Some(node) = find(self.builder, name) {
            return node;
        }
        let id = self.builder.intern(name);
        let node = self
            .builder
            .push(self.unknown, id, Kind::User, Position::First);
        self.builder.set_shares(node, Shares::new(1));
        self.builder.set_group(node, -1);
        self.stranger_count += 1;
        if self.stranger_count <= NAMED {
            self.strangers.push(entity(name));
        }
        node
    }

    /// Returns the node near that of the last record that has the name, if any. PBS writes siblings one after the other
    /// and leaves out those without usage, so this is much faster than a full search.
    fn neighbour(&self, name: &[u8]) -> Option<NodeId> {
        let last = self.last.index();
        let before = last.saturating_sub(NEAR)..last;
        let after = last + 1..(last + 1 + NEAR).min(self.builder.len());
        for index in before.rev().chain(after) {
            let node = NodeId::from_index(index);
            if self.builder.name(node) == name {
                return Some(node);
            }
        }
        None
    }

    /// Notes that a node has a record. Returns whether it had one already.
    fn is_repeated(&mut self, node: NodeId) -> bool {
        if self.has_record.len() < self.builder.len() {
            self.has_record.resize(self.builder.len(), false);
        }
        std::mem::replace(&mut self.has_record[node.index()], true)
    }
}
