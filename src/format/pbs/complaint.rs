//! What is wrong in PBS's files, as data: the messages of `pbsfs` and our [`Problem`]s are built from it.

mod words;

use crate::base::shown::Shown;
use crate::format::Problem;
use words::FaultText;

/// One of the three files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum File {
    /// The tree.
    ResourceGroup,
    /// The usage.
    Usage,
    /// The settings.
    SchedConfig,
}

/// Something wrong or odd in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Complaint {
    /// The file.
    pub file: File,
    /// The line as an editor counts it, from 1; `None` in a binary file.
    pub line: Option<u64>,
    /// The byte in the line, from 1, if it is known.
    pub column: Option<u64>,
    /// What is wrong.
    pub fault: Fault,
}

/// What is wrong or odd. Names and texts are the bytes of the file. `line` is PBS's own count, which is higher than an
/// editor's after a line longer than 255 bytes.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "each variant's text says what its fields are")]
pub enum Fault {
    /// A line of `resource_group` with fewer than four fields, which is left out.
    TooFewFields { fields: usize, line: u64 },
    /// A name that is already in the tree. The line is left out.
    DuplicateName { name: Vec<u8>, line: u64 },
    /// A parent that no earlier line defines. The line is left out.
    MissingParent {
        name: Vec<u8>,
        parent: Vec<u8>,
        line: u64,
    },
    /// Shares that are not a whole number. The line is left out.
    BadShares {
        name: Vec<u8>,
        text: Vec<u8>,
        line: u64,
    },
    /// A group number that is not a whole number. The line is left out.
    BadGroup {
        name: Vec<u8>,
        text: Vec<u8>,
        line: u64,
    },
    /// Shares beyond 32 bits, which wrap.
    SharesWrap { name: Vec<u8>, held: i32 },
    /// Negative shares, which are used as they are.
    NegativeShares { name: Vec<u8>, held: i32 },
    /// A node called `root`, which cannot have children.
    RootName,
    /// A NUL in a line, which hides the rest of the line.
    NulByte,
    /// A line of more than 255 bytes, which is read as several.
    LineSplit,
    /// An entity whose usage PBS writes but refuses to read.
    UnrecordableName { name: Vec<u8> },
    /// A `resource_group` without a node.
    NoNodes,
    /// No usage file, or none was given.
    NoUsage,
    /// A usage file too short for a header.
    NoHeader { length: usize },
    /// A usage file of a version that PBS does not read.
    BadVersion { version: f64 },
    /// A usage file from a machine with the other byte order.
    BigEndian,
    /// A usage file from a 32-bit machine.
    ThirtyTwoBit,
    /// A last decay before the year 2000, with which nothing is read.
    BadLastDecay { last_decay: i64 },
    /// A file that does not begin as usage files do. It is read as version 1, which it is not.
    BadMagic,
    /// A file of version 1.
    OldUsage,
    /// Bytes at the end that are no complete record.
    CutRecord {
        record: u64,
        length: usize,
        expected: usize,
    },
    /// A record with a name or an amount that PBS refuses.
    InvalidRecord {
        record: u64,
        name: Vec<u8>,
        amount: f64,
        is_valid_name: bool,
    },
    /// A record for a node with children.
    GroupRecord { record: u64, name: Vec<u8> },
    /// A record for a node of an earlier record.
    RepeatedRecord { record: u64, name: Vec<u8> },
    /// A record of infinite usage.
    InfiniteUsage { record: u64, name: Vec<u8> },
    /// Entities that `resource_group` does not name, and the names of the first of them.
    UnknownEntities { count: usize, first: Vec<Vec<u8>> },
    /// A line of `sched_config` without a name and a value.
    ConfigLine,
    /// An option that the scheduler does not know.
    ConfigUnknown { name: Vec<u8> },
    /// An option that the scheduler accepts and calls obsolete.
    ConfigObsolete {
        name: Vec<u8>,
        instead: &'static str,
    },
    /// A third word that is not about prime time.
    ConfigPrime { word: Vec<u8> },
    /// A truth value that is neither `true` nor `false`.
    ConfigBoolean {
        name: Vec<u8>,
        text: Vec<u8>,
        is_true: bool,
    },
    /// A time without a colon.
    ConfigTime { name: Vec<u8>, text: Vec<u8> },
    /// A decay time with which usage never decays, or all of it at once.
    ConfigNoDecay { text: Vec<u8>, seconds: i64 },
    /// Shares of `unknown` that are not a whole number from 0 up.
    ConfigShares { text: Vec<u8>, held: i32 },
    /// A decay factor that is no number, or not between 0 and 1.
    ConfigDecayFactor { text: Vec<u8>, factor: Option<f32> },
    /// An entity that no job has.
    ConfigEntity { text: Vec<u8> },
}

impl Complaint {
    /// Creates a complaint about a file as a whole.
    pub(super) fn of_file(file: File, fault: Fault) -> Self {
        Self {
            file,
            line: None,
            column: None,
            fault,
        }
    }

    /// Returns the lines that `pbsfs` writes about it on standard error; empty if PBS ignores it silently.
    pub fn pbsfs(&self) -> Vec<u8> {
        let mut text = Vec::new();
        let line = match &self.fault {
            Fault::DuplicateName { name, line } => {
                text.extend_from_slice(b"entity ");
                text.extend_from_slice(name);
                text.extend_from_slice(b" is not unique\n");
                line
            }
            Fault::MissingParent { name, line, .. } => {
                text.extend_from_slice(b"Parent ginfo of ");
                text.extend_from_slice(name);
                text.extend_from_slice(b" doesnt exist.\n");
                line
            }
            Fault::TooFewFields { line, .. }
            | Fault::BadShares { line, .. }
            | Fault::BadGroup { line, .. } => line,
            Fault::NoUsage => return b"Creating usage database for fairshare.\n".to_vec(),
            _ => return text,
        };
        text.extend_from_slice(format!("resgroup: error on line {line}.\n").as_bytes());
        text
    }

    /// Returns the problem to show, about the file of this name.
    pub fn problem(&self, file: &Shown) -> Problem {
        let FaultText {
            severity,
            code,
            message,
            advice,
        } = self.fault.text();
        Problem {
            severity,
            code,
            file: file.to_owned(),
            line: self.line,
            column: self.column,
            message,
            advice: advice.into(),
        }
    }
}
