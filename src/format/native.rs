//! Our own files: a tree to write by hand, and a scenario, both TOML. `assets/manual/formats.md` and the scenarios of
//! `assets/manual/edits.md` say what they hold.
//!
//! In a scenario, `state` below `[source]` is a number for the tree on which its edits were made, and detects another tree;
//! without it `size` and `modified` detect another file.

mod document;
mod problem;
mod read;
mod rows;
mod scenario;
mod settings;
mod write;

pub(crate) use document::not_read;
pub use scenario::{EditSummary, FileState, Reference, write_scenarios};
pub use write::write_tree;

use super::{LoadError, LoadResult, Loaded, OnProgress, OpenSource, Request};
use crate::base::places::Places;
use crate::base::shown::sentence;
use document::Document;

/// Reads one of our files: a tree, or a scenario with the source it refers to, which `open_source` opens.
/// Fails if it is not TOML, of a newer version, neither of the two, or a scenario without `open_source`.
pub fn parse(
    bytes: &[u8],
    request: &Request,
    report: OnProgress,
    open_source: Option<OpenSource>,
) -> LoadResult<Loaded> {
    let file = request.file_name();
    let text = match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let (line, column) = Places::new(bytes).of(error.valid_up_to());
            return Err(LoadError::Refused(sentence!(
                "{file}:{line}:{column}: a byte is not UTF-8, which TOML requires; write such a byte of a name as \\xNN \
                 in quotes"
            )));
        }
    };
    let (document, top) = Document::parse(text, &file)?;
    if !top.contains_key("source") {
        return read::parse(document, &top, request, report);
    }
    // The source of a scenario is no scenario: opening it could lead from file to file without end.
    let open_source = open_source.ok_or(LoadError::Nested)?;
    scenario::parse(document, &top, request, report, open_source)
}
