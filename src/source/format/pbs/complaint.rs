//! What is wrong in PBS's files, as data: `pbsfs` makes its messages of it and we make our [`Problem`]s.

mod words;

use crate::source::format::Problem;
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

/// Something wrong or odd at one place of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Complaint {
    /// The file.
    pub file: File,
    /// The line as an editor counts it, from 1; a binary file has none.
    pub line: Option<u64>,
    /// The byte in the line, from 1, where one can be named.
    pub column: Option<u64>,
    /// What is wrong.
    pub fault: Fault,
}

/// What is wrong or odd. Names and texts are the bytes of the file; `line` is PBS's own count, which is higher
/// than an editor's behind a line longer than 255 bytes.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "each variant's text says what its fields are")]
pub enum Fault {
    /// A line of `resource_group` with fewer than four fields: left out.
    TooFewFields { fields: usize, line: u64 },
    /// A name the tree holds already: the line is left out.
    DuplicateName { name: Vec<u8>, line: u64 },
    /// A parent that no earlier line defines: the line is left out.
    MissingParent {
        name: Vec<u8>,
        parent: Vec<u8>,
        line: u64,
    },
    /// Shares that are not a whole number: the line is left out.
    BadShares {
        name: Vec<u8>,
        text: Vec<u8>,
        line: u64,
    },
    /// A group number that is not a whole number: the line is left out.
    BadGroup {
        name: Vec<u8>,
        text: Vec<u8>,
        line: u64,
    },
    /// Shares beyond 32 bits: other ones are held.
    SharesWrap { name: Vec<u8>, held: i32 },
    /// Negative shares: taken as they are.
    NegativeShares { name: Vec<u8>, held: i32 },
    /// A node called `root`: nothing can be put below it.
    RootName,
    /// A NUL in a line: the rest of the line is hidden.
    NulByte,
    /// A line of more than 255 bytes: read as several.
    LineSplit,
    /// An entity whose usage PBS writes but refuses to read.
    UnrecordableName { name: Vec<u8> },
    /// A `resource_group` without a node.
    NoNodes,
    /// No usage file, or none was named.
    NoUsage,
    /// A usage file too short for a header.
    NoHeader { length: usize },
    /// A usage file of a version PBS does not read.
    BadVersion { version: f64 },
    /// A usage file from a machine with the other byte order.
    BigEndian,
    /// A usage file from a 32-bit machine.
    ThirtyTwoBit,
    /// A last decay before the year 2000: nothing is read.
    BadLastDecay { last_decay: i64 },
    /// A file that does not begin as usage files do: read as version 1, which it is not.
    BadMagic,
    /// A file of version 1.
    OldUsage,
    /// Bytes at the end that are no whole record.
    CutRecord {
        record: u64,
        length: usize,
        expected: usize,
    },
    /// A record with a name or an amount PBS refuses.
    InvalidRecord {
        record: u64,
        name: Vec<u8>,
        amount: f64,
        is_valid_name: bool,
    },
    /// A record for a node that groups others.
    GroupRecord { record: u64, name: Vec<u8> },
    /// A record for a node that an earlier record named.
    RepeatedRecord { record: u64, name: Vec<u8> },
    /// A record of infinite usage.
    InfiniteUsage { record: u64, name: Vec<u8> },
    /// Entities that `resource_group` does not name, the first of them by name.
    UnknownEntities { count: usize, first: Vec<Vec<u8>> },
    /// A line of `sched_config` that is no name and value.
    ConfigLine,
    /// An option the scheduler does not know.
    ConfigUnknown { name: Vec<u8> },
    /// An option the scheduler takes and calls obsolete.
    ConfigObsolete {
        name: Vec<u8>,
        instead: &'static str,
    },
    /// A third word that is not about prime time.
    ConfigPrime { word: Vec<u8> },
    /// A truth that is neither `true` nor `false`.
    ConfigBoolean {
        name: Vec<u8>,
        text: Vec<u8>,
        is_true: bool,
    },
    /// A time without a colon.
    ConfigTime { name: Vec<u8>, text: Vec<u8> },
    /// A decay time at which nothing ever decays, or everything at once.
    ConfigNoDecay { text: Vec<u8>, seconds: i64 },
    /// Shares of `unknown` that are not a whole number from 0 up.
    ConfigShares { text: Vec<u8>, held: i32 },
    /// A decay factor that is no number, or none between 0 and 1.
    ConfigDecayFactor { text: Vec<u8>, factor: Option<f32> },
    /// An entity no job has.
    ConfigEntity { text: Vec<u8> },
}

impl Complaint {
    /// Returns a complaint about a file as a whole.
    pub(super) fn of_file(file: File, fault: Fault) -> Self {
        Self {
            file,
            line: None,
            column: None,
            fault,
        }
    }

    /// Returns the lines `pbsfs` writes about it on standard error; nothing for what PBS passes over in silence.
    #[must_use]
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

    /// Returns the problem to show, in the file of this name.
    #[must_use]
    pub fn problem(&self, file: &str) -> Problem {
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
            advice: advice.to_owned(),
        }
    }
}
