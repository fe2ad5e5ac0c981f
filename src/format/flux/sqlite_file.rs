//! How a file of SQLite begins, and why one cannot be read: what is known without SQLite.

use crate::base::disk::File;
use crate::format::input;
use crate::format::{LoadError, Refusal};
use std::io::Read as _;
use std::path::Path;

/// The first bytes of an SQLite database.
pub(crate) const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Returns whether a file can be read and begins with these bytes.
pub(super) fn begins_with(file: File, magic: &[u8]) -> bool {
    let mut start = Vec::new();
    let length = magic.len() as u64;
    let read = file.take(length).read_to_end(&mut start);
    read.is_ok() && start == magic
}

/// Returns the error of a file that the user may not read, with another way to the same tree.
pub(super) fn not_readable(path: &Path) -> LoadError {
    let what = "cannot be read: permission denied";
    let advice = "flux-accounting keeps its database for the user flux: use sudo -u flux, or open the output of flux \
                  account view-bank ROOT -t -P, which every user may run";
    let file = input::name(path);
    Refusal::does(&file, what, advice).into()
}
