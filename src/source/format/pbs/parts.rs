//! What a file of PBS holds, in memory or, if it is long, read in parts while it is parsed.

use crate::base::shown::Shown;
use crate::source::format::input::{self, HEAD, Input, LONG, Meter, Windows};
use crate::source::format::{Format, LoadError, OnProgress, memory};
use std::borrow::Cow;
use std::path::Path;

/// One of PBS's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PbsInput {
    /// All of it.
    Whole(Input),
    /// A long file, which is opened again to be parsed.
    Long {
        /// Its beginning.
        start: Input,
        /// Its length in bytes.
        length: u64,
    },
}

impl From<Input> for PbsInput {
    fn from(input: Input) -> Self {
        Self::Whole(input)
    }
}

impl Default for PbsInput {
    fn default() -> Self {
        Self::Whole(Input::default())
    }
}

impl PbsInput {
    /// Reads a file, or the beginning of a long one.
    ///
    /// # Errors
    /// If it cannot be read, or the user cancelled.
    pub(super) fn read(path: &Path, report: OnProgress<'_>) -> Result<Self, LoadError> {
        if let Some(mut windows) = Windows::open(path, LONG, HEAD, &mut *report)? {
            windows.fill(0)?;
            return Ok(Self::Long {
                start: windows.start(),
                length: windows.length(),
            });
        }
        Self::read_whole(path, report)
    }

    /// Reads a file, whatever its length.
    ///
    /// # Errors
    /// If it cannot be read, or the user cancelled.
    pub(super) fn read_whole(path: &Path, report: OnProgress<'_>) -> Result<Self, LoadError> {
        input::read_as_is(path, report).map(Self::Whole)
    }

    /// Returns what is in memory: all, or the beginning of a long file.
    pub(super) fn start(&self) -> &Input {
        match self {
            Self::Whole(input) | Self::Long { start: input, .. } => input,
        }
    }

    /// Returns the path as safe text.
    pub(super) fn name(&self) -> Shown {
        self.start().name()
    }

    /// Checks that there is room for the tree of a `resource_group`. A long one whose beginning needs too much is read
    /// whole, which tells for certain.
    ///
    /// # Errors
    /// If its rows clearly need more memory than the process may still take, it cannot be read, or the user cancelled.
    pub(super) fn check_room(&mut self, report: OnProgress<'_>) -> Result<(), LoadError> {
        if let Self::Long { start, length } = self {
            let room = memory::check_by_start(Format::Pbs, &start.name(), &start.bytes, *length);
            if room.is_ok() {
                return Ok(());
            }
            *self = Self::read_whole(&start.path, report)?;
        }
        memory::check(Format::Pbs, &self.name(), &self.start().bytes)
    }

    /// Returns the bytes in parts, or `None` if a long file has changed since its beginning was read.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub(super) fn parts<'a>(
        &'a self,
        report: OnProgress<'a>,
    ) -> Result<Option<Parts<'a>>, LoadError> {
        match self {
            Self::Whole(input) => Ok(Some(Parts::of(input, HEAD, report))),
            Self::Long { start, .. } => {
                let windows = Windows::open(&start.path, LONG, HEAD, report)?;
                let windows = windows.filter(|windows| windows.modified() == start.modified);
                Ok(windows.map(Box::new).map(Parts::Windows))
            }
        }
    }
}

/// The bytes of a file, a part after the other.
pub(super) enum Parts<'a> {
    /// Of a file in memory.
    Whole(WholeParts<'a>),
    /// Of a long file.
    Windows(Box<Windows<'a>>),
}

/// The parts of a file in memory.
pub(super) struct WholeParts<'a> {
    bytes: &'a [u8],
    /// How much is parsed.
    parsed: usize,
    /// Where the part ends.
    end: usize,
    /// How much more the next part has.
    step: usize,
    meter: Meter<'a>,
}

impl<'a> Parts<'a> {
    /// Returns the parts of a file in memory, each so much longer than what is not parsed.
    fn of(input: &'a Input, step: usize, report: OnProgress<'a>) -> Self {
        let length = u64::try_from(input.bytes.len()).ok();
        Self::Whole(WholeParts {
            bytes: &input.bytes,
            parsed: 0,
            end: 0,
            step,
            meter: Meter::new(input.name(), length, report),
        })
    }

    /// Returns the length of the file.
    pub(super) fn length(&self) -> usize {
        match self {
            Self::Whole(whole) => whole.bytes.len(),
            Self::Windows(windows) => usize::try_from(windows.length()).unwrap_or(usize::MAX),
        }
    }

    /// Takes note of how much of the last part is parsed, and of the number of nodes. Returns what is not parsed, with
    /// more of the file, and whether more may follow.
    ///
    /// # Errors
    /// If the file cannot be read, or the user cancelled.
    pub(super) fn next(&mut self, read: usize, nodes: usize) -> Result<(&[u8], bool), LoadError> {
        match self {
            Self::Whole(whole) => {
                whole.parsed += read;
                whole.end = (whole.end + whole.step).min(whole.bytes.len());
                whole.meter.at(whole.parsed as u64, nodes)?;
                let part = &whole.bytes[whole.parsed..whole.end];
                Ok((part, whole.end < whole.bytes.len()))
            }
            Self::Windows(windows) => {
                windows.drop_parsed(read);
                let has_more = windows.fill(nodes)?;
                Ok((windows.rest(), has_more))
            }
        }
    }

    /// Returns the next lines, with their ends, or `None` at the end of the file. A line is never cut; the last one may
    /// have no end. The meter gets the number of nodes.
    ///
    /// # Errors
    /// If the file cannot be read, or the user cancelled.
    pub(super) fn lines(&mut self, nodes: usize) -> Result<Option<Cow<'a, [u8]>>, LoadError> {
        loop {
            let (rest, has_more) = self.next(0, nodes)?;
            let length = match memchr::memrchr(b'\n', rest) {
                Some(end) if has_more => end + 1,
                None if has_more => continue,
                _ => rest.len(),
            };
            if length == 0 {
                return Ok(None);
            }
            return Ok(Some(match self {
                Self::Whole(whole) => {
                    let lines = &whole.bytes[whole.parsed..][..length];
                    whole.parsed += length;
                    Cow::Borrowed(lines)
                }
                Self::Windows(windows) => {
                    let lines = windows.rest()[..length].to_vec();
                    windows.drop_parsed(length);
                    Cow::Owned(lines)
                }
            }));
        }
    }

    /// Returns whether the file is as it was when it was opened.
    ///
    /// # Errors
    /// If it cannot be looked at.
    pub(super) fn is_whole(&self) -> Result<bool, LoadError> {
        match self {
            Self::Whole(_) => Ok(true),
            Self::Windows(windows) => windows.is_whole(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Complaint, resource_group, usage};
    use super::*;
    use crate::model::{Kind, NodeId, Position, TreeBuilder};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::ops::ControlFlow;

    fn input(bytes: &[u8]) -> Input {
        Input {
            bytes: bytes.to_vec(),
            ..Input::default()
        }
    }

    /// Returns the tree and the complaints of two files that are read in steps of so many bytes, on so many threads.
    fn read_by(step: usize, threads: usize, group: &[u8], used: &[u8]) -> String {
        let mut go_on = |_: &_| ControlFlow::Continue(());
        let mut builder = TreeBuilder::new(b"TREEROOT");
        let name = builder.intern(b"unknown");
        let unknown = builder.push(NodeId::ROOT, name, Kind::Account, Position::First);
        builder.follow_pbs(unknown);
        let mut complaints: Vec<Complaint> = Vec::new();
        let group = input(group);
        let mut parts = Parts::of(&group, step, &mut go_on);
        resource_group::parse(&mut parts, &mut builder, &mut complaints, threads)
            .expect("nobody cancels");
        let used = input(used);
        let mut parts = Parts::of(&used, step, &mut go_on);
        let last_decay = usage::parse(&mut parts, &mut builder, unknown, &mut complaints)
            .expect("nobody cancels");
        format!("{:?} {last_decay} {complaints:?}", builder.build())
    }

    /// Lines of all kinds: good, cut by a NUL, longer than PBS reads at once, with any number of blanks.
    fn line() -> impl Strategy<Value = String> {
        let field = prop_oneof![
            4 => "[a-e]{1,2}",
            1 => Just("root".to_owned()),
            1 => "[a-e]{120,140}",
            1 => Just("\0".to_owned()),
        ];
        let end = prop_oneof![8 => Just("\n"), 1 => Just("\r\n"), 1 => Just("")];
        let blank = prop_oneof![6 => Just(" "), 1 => Just(" \t"), 1 => Just("\n#")];
        (
            field.clone(),
            "[0-9]{1,2}",
            field,
            "-?[0-9]{1,2}",
            blank,
            end,
        )
            .prop_map(|(name, group, parent, shares, blank, end)| {
                format!("{name} {group}{blank}{parent} {shares}{end}")
            })
    }

    /// Returns a usage file of a version, cut somewhere.
    fn usage_file(version: u8, records: &[(String, u32)], cut: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        let (name_length, gap) = if version == 2 {
            bytes.extend_from_slice(b"PBS_MAG!\0\0\0\0\0\0\0\0");
            bytes.extend_from_slice(&2.0_f64.to_le_bytes());
            bytes.extend_from_slice(&1_700_000_000_i64.to_le_bytes());
            (50, 6)
        } else {
            (9, 7)
        };
        for (name, used) in records {
            let mut field = name.as_bytes().to_vec();
            field.resize(name_length + gap, 0);
            bytes.extend(field);
            bytes.extend_from_slice(&f64::from(*used).to_le_bytes());
        }
        bytes.truncate(bytes.len().saturating_sub(cut));
        bytes
    }

    proptest! {
        #[test]
        fn files_in_parts_are_files(
            lines in vec(line(), 0..60),
            version in 1_u8..=2,
            records in vec(("[a-f]{1,8}", 0_u32..100), 0..30),
            cut in prop_oneof![3 => Just(0_usize), 1 => 1_usize..80],
            step in 300_usize..900,
        ) {
            let group = lines.concat();
            let used = usage_file(version, &records, cut);
            let plain = read_by(usize::MAX / 2, 1, group.as_bytes(), &used);
            for threads in [1, 2, 8] {
                prop_assert_eq!(&read_by(step, threads, group.as_bytes(), &used), &plain);
            }
        }
    }
}
