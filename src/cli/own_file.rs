//! Files that people write for fairscope: settings, lessons and recordings.

use crate::base::shown::Shown;
use crate::format::{LoadError, input};
use std::io::Read as _;
use std::path::Path;

/// Returns the bytes of a file, or `None` if it has more than `largest`, of which no more are read.
///
/// # Errors
/// If it cannot be opened or read.
pub(super) fn read(path: &Path, largest: u64) -> Result<Option<Vec<u8>>, LoadError> {
    let file = input::open(path)?;
    let mut bytes = Vec::new();
    let read = file.take(largest + 1).read_to_end(&mut bytes);
    read.map_err(|error| LoadError::Read {
        path: input::name(path),
        error: Shown::error(&error),
    })?;
    Ok((bytes.len() as u64 <= largest).then_some(bytes))
}
