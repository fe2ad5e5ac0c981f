//! Comma-separated values: the same names, order and full numbers as JSON.

use std::fmt::Write as _;
use std::io::{self, Write};

/// Writes a header and rows; `cell` fills an empty buffer with the text of one cell.
///
/// # Errors
/// If writing fails.
pub fn write(
    out: &mut dyn Write,
    header: &[&str],
    rows: usize,
    mut cell: impl FnMut(usize, usize, &mut String),
) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(header)?;
    let mut text = String::new();
    for row in 0..rows {
        for column in 0..header.len() {
            text.clear();
            cell(row, column, &mut text);
            writer.write_field(&text)?;
        }
        writer.write_record(None::<&[u8]>)?;
    }
    writer.flush()
}

/// Adds what something displays as to a cell.
pub(super) fn put(cell: &mut String, value: impl std::fmt::Display) {
    // Writing to a String cannot fail.
    let _ = write!(cell, "{value}");
}

/// Adds a text from outside to a cell: control characters, which a terminal would obey, as it is shown.
pub(super) fn put_text(cell: &mut String, text: &str) {
    if text.chars().any(char::is_control) {
        cell.push_str(&crate::shown::shown(text.as_bytes()));
    } else {
        cell.push_str(text);
    }
}
