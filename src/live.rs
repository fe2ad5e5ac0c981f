//! The schedulers themselves: their own read-only commands, run once, never through a shell, with a time limit.

use crate::format::{LoadError, Loaded, Report, Request, load as load_files};

/// Opens what a request asks for: files, or a scheduler.
///
/// # Errors
/// If it cannot be opened.
pub fn load(request: &Request, report: Report<'_>) -> Result<Loaded, LoadError> {
    load_files(request, report)
}
