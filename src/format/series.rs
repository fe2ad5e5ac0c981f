//! Dumps of one tree at different times, and when each was made.
//!
//! A date in a name gives the time, in UTC: `2025-04-22`, `20250422`, `2025-04-22T03:00`, `20250422-0300`. If no name
//! has one, the time of the file is used.

mod date;

use super::Request;
use crate::base::shown::Shown;
use date::written;
use std::path::PathBuf;
use std::sync::Arc;

pub use date::Dated;
pub(crate) use date::date_in;

/// One dump of a series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dump {
    /// The file or directory.
    pub path: PathBuf,
    /// When it was made, in Unix seconds.
    pub at: i64,
    /// The origin of that time.
    pub dated: Dated,
}

impl Dump {
    /// Returns when it was made, in UTC, as people write it: without a time of day if only the day is known.
    pub fn when(&self) -> Shown {
        written(self.at, self.dated)
    }
}

/// Dumps in order of time, of which one is open. Clones are cheap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    dumps: Arc<[Dump]>,
    place: usize,
}

impl Series {
    /// Creates a series from dumps in any order, with the newest open. `None` if there are none.
    pub fn of(mut dumps: Vec<Dump>) -> Option<Self> {
        dumps.sort_by(|a, b| a.at.cmp(&b.at).then_with(|| a.path.cmp(&b.path)));
        let place = dumps.len().checked_sub(1)?;
        Some(Self {
            dumps: dumps.into(),
            place,
        })
    }

    /// Returns the dumps, the oldest first.
    pub fn dumps(&self) -> &[Dump] {
        &self.dumps
    }

    /// Returns the place of the open one.
    pub fn place(&self) -> usize {
        self.place
    }

    /// Returns the open one.
    pub fn current(&self) -> &Dump {
        &self.dumps[self.place]
    }

    /// Returns the series with another dump open, so many places later or earlier. `None` if there is none.
    pub fn stepped(&self, step: isize) -> Option<Self> {
        let place = self.place.checked_add_signed(step)?;
        (place < self.dumps.len()).then(|| Self {
            dumps: Arc::clone(&self.dumps),
            place,
        })
    }

    /// Returns the request that opens the current dump, with the options of the given one.
    pub fn request(&self, request: &Request) -> Request {
        Request {
            path: self.current().path.clone(),
            series: Vec::new(),
            ..request.clone()
        }
    }
}
