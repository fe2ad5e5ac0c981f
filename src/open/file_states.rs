//! What the system tells of a source's files, so that a source that did not change need not be read again.

use crate::base::save::Fingerprint;
use crate::format::Request;
use std::fs::Metadata;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// For how many seconds a file must not have changed, so that a later change shows in its times: some file systems note
/// them only every two seconds.
const REST: i64 = 2;

/// The states of all files of a source, none of which has just changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStates(Vec<(PathBuf, FileState)>);

/// The state of one file, following links.
#[derive(Clone, Debug, PartialEq, Eq)]
enum FileState {
    /// There is no such file.
    Missing,
    /// There is one.
    There {
        fingerprint: Fingerprint,
        device: u64,
        /// When anything about it changed, its name included, in seconds and nanoseconds.
        changed: (i64, i64),
    },
}

impl FileStates {
    /// Returns the states of a source's files at a time in Unix seconds. `None` if they do not show whether the source
    /// changed: it is no file, one of them cannot be looked at, or one changed within the last two seconds.
    pub fn of(request: &Request, now: i64) -> Option<Self> {
        let is_file = request.live.is_none() && request.path.as_os_str() != "-";
        let files = if is_file { request.files() } else { Vec::new() };
        let states = files.into_iter().map(|path| {
            let state = FileState::of(&path, now)?;
            Some((path, state))
        });
        let states: Vec<_> = states.collect::<Option<_>>()?;
        let is_any = states.iter().any(|(_, state)| *state != FileState::Missing);
        is_any.then_some(Self(states))
    }
}

impl FileState {
    /// Returns the state of a file, or `None` if that would not show a change.
    fn of(path: &Path, now: i64) -> Option<Self> {
        match path.metadata() {
            Ok(metadata) => {
                let newest = metadata.mtime().max(metadata.ctime());
                (newest < now.saturating_sub(REST)).then(|| Self::from(&metadata))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Some(Self::Missing),
            Err(_) => None,
        }
    }
}

impl From<&Metadata> for FileState {
    fn from(metadata: &Metadata) -> Self {
        Self::There {
            fingerprint: Fingerprint::from(metadata),
            device: metadata.dev(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}
