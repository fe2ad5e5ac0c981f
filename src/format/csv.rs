//! CSV: one node a row, accounts before their members.
//!
//! ```text
//! parent,name,shares,usage,type
//! ,physics,40,,account
//! physics,alice,2,1200.5,user
//! ```
//!
//! The columns may be in any order; `name`, `parent` and `shares` are required. `parent` names an account of an earlier
//! row and is empty for nodes at the top. If several accounts have the name, the last one before the row is meant, so
//! rows that follow their account are read as a person would read them.
//!
//! Names are bytes. A quoted field may contain commas, quotes (doubled) and line ends.

mod header;
mod notes;
mod rows;
mod tree;
mod write;

pub(super) use write::losses;
pub use write::write;

use super::input::Meter;
use super::origin::file_name;
use super::problem::{Place, Problems};
use super::{LoadError, Loaded, OnProgress, Request};
use csv::ByteRecord;
use header::{CsvColumn, HeaderLayout, no_header};
use notes::Notes;
use rows::{CsvRows, ROOT_NAME};

/// Reads a CSV file.
///
/// # Errors
/// If there is no usable header, or the user cancelled.
#[expect(
    clippy::needless_pass_by_value,
    reason = "every format takes the bytes it was given, so that a large file is not held twice"
)]
pub fn parse(
    bytes: Vec<u8>,
    request: &Request,
    report: OnProgress<'_>,
) -> Result<Loaded, LoadError> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(text);
    let mut record = ByteRecord::new();
    let mut notes = Notes {
        text,
        found: Problems::of(file_name(request)),
        scan: None,
    };
    // Reading from memory into bytes cannot fail. It can only reach the end of the rows.
    if !reader.read_byte_record(&mut record).unwrap_or(false) {
        return Err(no_header(&notes.found.file, "it is empty"));
    }
    let layout = HeaderLayout::parse(&record, &mut notes)?;
    let mut is_row = reader.read_byte_record(&mut record).unwrap_or(false);
    let first = layout.fields(&record).get(CsvColumn::Name);
    let first = if is_row { first } else { ROOT_NAME };
    let mut rows = CsvRows::new(first, text.len() / 24);
    let file = notes.found.file.clone();
    let mut meter = Meter::new(file, u64::try_from(bytes.len()).ok(), report);
    while is_row {
        meter.at(reader.position().byte(), rows.list.len())?;
        rows.read(layout.fields(&record), &mut notes);
        is_row = reader.read_byte_record(&mut record).unwrap_or(false);
    }
    let mut problems = notes.found;
    if rows.list.is_empty() {
        let message = "there is a header but no usable row, so the tree has only a root";
        let advice = "add rows such as: ,physics,40,,account";
        problems.warn(Place::WHOLE, "csv-no-rows", message, advice);
    }
    Ok(rows.into_loaded(request, problems))
}
