//! The memory that a source needs, estimated before it is taken.
//!
//! The figures are what the program took at most for trees of 200,000 and of 800,000 users in accounts of 100, with the
//! shortest names and rows that each format allows, without the file itself: `/usr/bin/time -f %M fairscope convert
//! --to csv SOURCE`, the difference by the difference of the rows. They are the least of any command. What needs less
//! than such a figure by a quarter is still tried, so that nothing is refused that would have fitted.

use super::{Format, LoadError, Refusal};
use crate::base::memory::{Limit, Room};
use crate::base::number::grouped;
use crate::base::shown::Shown;
use memchr::{memchr_iter, memmem};

/// Needs below this are not compared, because asking for what is left takes longer.
const SMALL: u64 = 16 << 20;

/// How one row of a tree is recognized in a file, and what it needs.
struct Row {
    /// The bytes of memory for each, beside the file.
    bytes: u64,
    /// What every row has once; empty for a line.
    mark: &'static str,
}

impl Row {
    const fn line(bytes: u64) -> Self {
        Self { bytes, mark: "" }
    }

    const fn of(format: Format) -> Self {
        match format {
            Format::Pbs => Self::line(82),
            Format::Csv => Self::line(127),
            Format::Toml => Self::line(95),
            Format::Sshare => Self::line(280),
            Format::SacctmgrAssoc => Self::line(143),
            Format::SacctmgrDump => Self::line(163),
            Format::ViewBank => Self::line(229),
            Format::AssocMgr => Self {
                bytes: 183,
                mark: "\nClusterName=",
            },
            Format::SlurmJson => Self {
                bytes: 197,
                mark: "shares_normalized",
            },
            // A row of a database is counted by the database.
            Format::FluxDb => Self::line(328),
            // Several lines of these are one node, or none.
            Format::FluxJson | Format::Sreport => Self::line(0),
        }
    }

    fn count(&self, text: &[u8]) -> usize {
        if self.bytes == 0 {
            0
        } else if self.mark.is_empty() {
            let is_row = |&end: &usize| !matches!(text.get(end + 1), None | Some(b'#' | b'\n'));
            memchr_iter(b'\n', text).filter(is_row).count()
        } else {
            memmem::find_iter(text, self.mark).count()
        }
    }
}

/// Why there is no memory for something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortage {
    /// What it does, verb first: `needs about 380 MiB of memory, and 256 MiB are left (ulimit -v)`.
    pub reason: String,
    /// What can be done about the limit.
    pub remedy: &'static str,
}

impl Shortage {
    /// Returns why there is no room for so many bytes, or `None` if there may be.
    #[must_use]
    pub fn of(need: u64) -> Option<Self> {
        if need < SMALL {
            return None;
        }
        let room = Room::now().filter(|room| room.bytes < need - need / 4)?;
        Some(Self::in_room(need, room))
    }

    fn in_room(need: u64, room: Room) -> Self {
        let (limit, remedy) = match room.limit {
            Limit::AddressSpace => ("ulimit -v", "raise the limit"),
            Limit::Data => ("ulimit -d", "raise the limit"),
            Limit::Group => (
                "the limit of the control group",
                "raise the limit, or ask for more memory for the job",
            ),
            Limit::Machine => ("on this machine", "end other programs"),
        };
        Self {
            reason: format!(
                "needs about {} MiB of memory, and {} MiB are left ({limit})",
                mebibytes(need),
                grouped(usize::try_from(room.bytes >> 20).unwrap_or(usize::MAX)),
            ),
            remedy,
        }
    }
}

fn mebibytes(bytes: u64) -> Shown {
    grouped(usize::try_from(bytes.div_ceil(1 << 20)).unwrap_or(usize::MAX))
}

/// Checks that there is room for the tree of a file that is read.
///
/// # Errors
/// If its rows clearly need more memory than the process may still take.
pub(super) fn check(format: Format, name: &str, text: &[u8]) -> Result<(), LoadError> {
    let row = Row::of(format);
    // A shorter file has fewer rows than count.
    let most = (text.len() as u64).saturating_mul(row.bytes);
    if most < SMALL {
        return Ok(());
    }
    check_rows(format, name, row.count(text))
}

/// Checks that there is room for the tree of a file of this length, of which the beginning is known.
///
/// # Errors
/// If it has as many rows everywhere, and they clearly need more memory than the process may still take.
pub(super) fn check_by_start(
    format: Format,
    name: &str,
    start: &[u8],
    length: u64,
) -> Result<(), LoadError> {
    let rows = Row::of(format).count(start) as u64 * (length / (start.len() as u64).max(1) + 1);
    check_rows(format, name, usize::try_from(rows).unwrap_or(usize::MAX))
}

/// Checks that there is room for the tree of so many rows.
///
/// # Errors
/// If they clearly need more memory than the process may still take.
pub(super) fn check_rows(format: Format, name: &str, rows: usize) -> Result<(), LoadError> {
    check_bytes(name, Row::of(format).bytes.saturating_mul(rows as u64))
}

/// Checks that there is room for so many bytes.
///
/// # Errors
/// If they are clearly more than the process may still take.
pub(super) fn check_bytes(name: &str, need: u64) -> Result<(), LoadError> {
    match Shortage::of(need) {
        None => Ok(()),
        Some(Shortage { reason, remedy }) => {
            let advice = format!("{remedy}, or open a smaller tree");
            Err(Refusal::does(name, &reason, &advice).into())
        }
    }
}

/// Explains that the system gave no memory for a file of this length in bytes.
pub(super) fn without_room(name: &Shown, length: u64) -> LoadError {
    let need = format!(
        "needs {} MiB of memory, which are not available",
        mebibytes(length)
    );
    let advice = "end other programs, raise the limit (ulimit -v), or open a smaller tree";
    Refusal::does(name, &need, advice).into()
}
