//! Reading CSV.

use super::header::{Column, Layout, no_header};
use super::notes::Notes;
use super::rows::{CsvRows, ROOT_NAME};
use crate::format::origin::file_name;
use crate::format::{LoadError, Loaded, OnProgress, Problems, Progress, Request, Severity};
use csv::ByteRecord;

/// How many rows are read between two reports of progress.
const ROWS_PER_REPORT: usize = 1 << 15;

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
    let mut problems = Notes {
        file: file_name(request),
        text,
        list: Problems::default(),
        scan: None,
    };
    // Reading from memory into bytes cannot fail. It can only reach the end of the rows.
    if !reader.read_byte_record(&mut record).unwrap_or(false) {
        return Err(no_header(&problems.file, "it is empty"));
    }
    let layout = Layout::parse(&record, &mut problems)?;
    let mut is_row = reader.read_byte_record(&mut record).unwrap_or(false);
    let first_name = if is_row {
        layout.field(&record, Column::Name)
    } else {
        ROOT_NAME
    };
    let mut rows = CsvRows::new(first_name, text.len() / 24);
    let mut count = 0;
    while is_row {
        count += 1;
        if count % ROWS_PER_REPORT == 0 {
            let progress = Progress {
                file: problems.file.clone(),
                bytes: reader.position().byte(),
                total: u64::try_from(bytes.len()).ok(),
                nodes: rows.list.len(),
            };
            if report(&progress).is_break() {
                return Err(LoadError::Cancelled);
            }
        }
        rows.read(&record, &layout, &mut problems);
        is_row = reader.read_byte_record(&mut record).unwrap_or(false);
    }
    if rows.list.is_empty() {
        problems.at_file(
            Severity::Warning,
            "csv-no-rows",
            "there is a header but no usable row, so the tree has only a root".into(),
            "add rows such as: ,physics,40,,account",
        );
    }
    Ok(rows.into_loaded(request, problems))
}
