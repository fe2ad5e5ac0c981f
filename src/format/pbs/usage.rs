//! `usage`: the binary file of recorded usage, read as PBS reads it on x86-64.
//!
//! Follows `read_usage`, `read_usage_v1`, `read_usage_v2` and `rec_write_usage` of OpenPBS 23.06.

use super::complaint::{Complaint, Fault, File};
use super::resource_group::{ROOM, find};
use crate::format::input::{Input, Meter};
use crate::format::{LoadError, OnProgress};
use crate::model::{Kind, NodeId, Position, Shares, TreeBuilder};
use crate::rules::policy::pbs::is_recordable;

/// The first bytes of a file of version 2, including the NUL.
const MAGIC: &[u8] = b"PBS_MAG!\0";

/// The header of version 2, and the size of a record of version 1.
const HEADER: usize = 24;

/// Where the records of version 2 begin. The time of the last decay is before them.
const RECORDS: usize = 32;

/// The known version.
const VERSION: f64 = 2.0;

/// The earliest last decay that PBS accepts: 2000-01-01, midnight Pacific time.
const EARLIEST_DECAY: i64 = 946_713_600;

/// How many of the entities that `resource_group` does not name are reported by name.
const NAMED: usize = 3;

/// How far from the last record's node the next one's is expected.
const NEAR: usize = 4;

/// The length of a record and the position of its amount.
#[derive(Clone, Copy)]
struct Layout {
    size: usize,
    /// The number of bytes for the name, including its NUL.
    name: usize,
    amount_at: usize,
}

/// The name has nine bytes, but PBS does not check where it ends and reads on.
const VERSION_1: Layout = Layout {
    size: 24,
    name: 24,
    amount_at: 16,
};

const VERSION_2: Layout = Layout {
    size: 64,
    name: 50,
    amount_at: 56,
};

fn eight(bytes: &[u8], at: usize) -> Option<[u8; 8]> {
    bytes.get(at..at + 8)?.try_into().ok()
}

/// Returns the bytes before the first NUL, or all of them.
fn c_string(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|&byte| byte == 0);
    &bytes[..end.unwrap_or(bytes.len())]
}

/// Reads the file into a tree that has all nodes of `resource_group`. Returns the time of the last decay, in Unix
/// seconds; 0 if there was none or nothing was read.
///
/// # Errors
/// If the user cancelled.
pub(super) fn parse(
    input: &Input,
    builder: &mut TreeBuilder,
    unknown: NodeId,
    complaints: &mut Vec<Complaint>,
    report: OnProgress<'_>,
) -> Result<i64, LoadError> {
    let bytes = &input.bytes;
    let (start, layout, last_decay) = match beginning(bytes) {
        Ok(beginning) => beginning,
        Err(fault) => {
            complaints.push(Complaint::of_file(File::Usage, fault));
            return Ok(0);
        }
    };
    let mut meter = Meter::new(input.name(), Some(bytes.len() as u64), report);
    let first_complaint = complaints.len();
    let records = bytes[start..].chunks_exact(layout.size);
    let rest = records.remainder().len();
    builder.reserve_records(records.len().min(ROOM));
    let mut reader = UsageReader {
        builder,
        complaints,
        layout,
        record_count: 0,
        unknown,
        last: NodeId::ROOT,
        recorded: Vec::new(),
        unknown_names: Vec::new(),
        stranger_count: 0,
        are_of_version_1: true,
    };
    for (place, record) in records.enumerate() {
        meter.at((start + place * layout.size) as u64, reader.builder.len())?;
        reader.record(record);
    }
    reader.finish(rest);
    if layout.size == VERSION_1.size {
        let fault = if reader.are_of_version_1 {
            Fault::OldUsage
        } else {
            Fault::BadMagic
        };
        complaints.insert(first_complaint, Complaint::of_file(File::Usage, fault));
    }
    Ok(last_decay)
}

/// Returns where the records begin, how they are laid out, and the time of the last decay; or why nothing is read.
fn beginning(bytes: &[u8]) -> Result<(usize, Layout, i64), Fault> {
    let length = bytes.len();
    if length < HEADER {
        return Err(Fault::NoHeader { length });
    }
    if !bytes.starts_with(MAGIC) {
        return Ok((0, VERSION_1, 0));
    }
    let version = eight(bytes, 16).map_or(0.0, f64::from_le_bytes);
    if version.to_bits() != VERSION.to_bits() {
        return Err(foreign_version(bytes, version));
    }
    let last_decay = eight(bytes, HEADER).map(i64::from_le_bytes);
    let last_decay = last_decay.ok_or(Fault::NoHeader { length })?;
    if last_decay != 0 && last_decay <= EARLIEST_DECAY {
        return Err(Fault::BadLastDecay { last_decay });
    }
    Ok((RECORDS, VERSION_2, last_decay))
}

/// Distinguishes files of other machines from files of other versions.
fn foreign_version(bytes: &[u8], version: f64) -> Fault {
    let swapped = eight(bytes, 16).map_or(0.0, f64::from_be_bytes);
    let packed = eight(bytes, 12).map_or(0.0, f64::from_le_bytes);
    if swapped.to_bits() == VERSION.to_bits() {
        Fault::BigEndian
    } else if packed.to_bits() == VERSION.to_bits() {
        Fault::ThirtyTwoBit
    } else {
        Fault::BadVersion { version }
    }
}

/// Returns whether a record has a NUL after its name and zeros after that, as PBS writes those of version 1.
fn looks_like_version_1(record: &[u8]) -> bool {
    let name = c_string(&record[..VERSION_1.amount_at]);
    let mut after = record[name.len()..VERSION_1.amount_at].iter();
    !name.is_empty() && is_recordable(name) && after.all(|&byte| byte == 0)
}

struct UsageReader<'a> {
    builder: &'a mut TreeBuilder,
    complaints: &'a mut Vec<Complaint>,
    layout: Layout,
    record_count: u64,
    unknown: NodeId,
    /// The node of the previous record.
    last: NodeId,
    /// By node: whether it has a record.
    recorded: Vec<bool>,
    /// The first entities that `resource_group` does not name.
    unknown_names: Vec<Vec<u8>>,
    stranger_count: usize,
    /// Whether all records look like those of version 1.
    are_of_version_1: bool,
}

impl UsageReader<'_> {
    fn complain(&mut self, fault: Fault) {
        self.complaints.push(Complaint::of_file(File::Usage, fault));
    }

    /// Reports what only the end of the file shows: so many bytes of a cut record, and all names without a node.
    fn finish(&mut self, rest: usize) {
        if rest > 0 {
            self.complain(Fault::CutRecord {
                record: self.record_count + 1,
                length: rest,
                expected: self.layout.size,
            });
        }
        if self.stranger_count > 0 {
            let first = std::mem::take(&mut self.unknown_names);
            self.complain(Fault::UnknownEntities {
                count: self.stranger_count,
                first,
            });
        }
    }

    fn record(&mut self, record: &[u8]) {
        self.record_count += 1;
        if self.layout.size == VERSION_1.size {
            self.are_of_version_1 &= looks_like_version_1(record);
        }
        let number = self.record_count;
        let field = &record[..self.layout.name];
        let name = c_string(field);
        let amount = eight(record, self.layout.amount_at).map_or(f64::NAN, f64::from_le_bytes);
        let is_valid_name = name.len() < field.len() && is_recordable(name);
        if !is_valid_name || amount.is_nan() || amount < 0.0 {
            return self.complain(Fault::InvalidRecord {
                record: number,
                name: name.to_vec(),
                amount,
                is_valid_name,
            });
        }
        let node = self.entity(name);
        self.last = node;
        let is_entity = !self.builder.has_children(node);
        if !is_entity || node == NodeId::ROOT || node == self.unknown {
            let name = name.to_vec();
            self.complain(Fault::GroupRecord {
                record: number,
                name,
            });
        }
        if self.is_repeated(node) {
            self.complain(Fault::RepeatedRecord {
                record: number,
                name: name.to_vec(),
            });
        }
        if amount.is_infinite() {
            self.complain(Fault::InfiniteUsage {
                record: number,
                name: name.to_vec(),
            });
        }
        self.builder.record(node, amount, is_entity);
    }

    /// Returns the node of a name, adding it under `unknown` if there is none.
    fn entity(&mut self, name: &[u8]) -> NodeId {
        if let Some(node) = self.neighbour(name).or_else(|| find(self.builder, name)) {
            return node;
        }
        let id = self.builder.intern(name);
        let node = self
            .builder
            .push(self.unknown, id, Kind::User, Position::First);
        self.builder.set_shares(node, Shares::new(1));
        self.builder.set_group(node, -1);
        self.stranger_count += 1;
        if self.unknown_names.len() < NAMED {
            self.unknown_names.push(name.to_vec());
        }
        node
    }

    /// Returns the node near that of the last record that has the name, if any. PBS writes siblings one after the other
    /// and leaves out those without usage, so this is much faster than a full search.
    fn neighbour(&self, name: &[u8]) -> Option<NodeId> {
        let last = self.last.index();
        let before = last.saturating_sub(NEAR)..last;
        let after = last + 1..(last + 1 + NEAR).min(self.builder.len());
        before
            .rev()
            .chain(after)
            .map(NodeId::from_index)
            .find(|&node| self.builder.name(node) == name)
    }

    fn is_repeated(&mut self, node: NodeId) -> bool {
        if self.recorded.len() < self.builder.len() {
            self.recorded.resize(self.builder.len(), false);
        }
        std::mem::replace(&mut self.recorded[node.index()], true)
    }
}
