//! A file is the old one or the new one.

use std::io;
use std::path::Path;

/// Writes a file.
///
/// # Errors
/// When it cannot be written.
pub fn save(path: &Path, contents: &[u8], replace: bool) -> io::Result<()> {
    if !replace && path.exists() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    std::fs::write(path, contents)
}
