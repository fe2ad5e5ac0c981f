//! Comma-separated values: the same names, order and full numbers as JSON.

use crate::base::shown::shown;
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

/// A column: its name, and what fills an empty buffer with the text of a row.
pub(super) type Column<R> = (&'static str, fn(&R, &mut String));

/// Writes a header and rows, by columns that know their cells.
pub(super) fn emit<R>(
    out: &mut dyn Write,
    columns: &[Column<R>],
    rows: usize,
    row: impl Fn(usize) -> R,
) -> io::Result<()> {
    let header: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    write(out, &header, rows, |place, column, text| {
        columns[column].1(&row(place), text);
    })
}

/// Adds what something displays as to a cell.
pub(super) fn put(cell: &mut String, value: impl std::fmt::Display) {
    // Writing to a String cannot fail.
    let _ = write!(cell, "{value}");
}

/// Adds a name or path from outside to a cell. What a terminal must not see is written byte by byte as
/// `\xNN`, which a path on the command line may hold too.
pub(super) fn put_text(cell: &mut String, text: &str) {
    for char in text.chars() {
        let mut bytes = [0; 4];
        let bytes: &str = char.encode_utf8(&mut bytes);
        let is_plain = char == '\\' || char.is_ascii_graphic() || shown(bytes.as_bytes()) == bytes;
        if is_plain {
            cell.push(char);
        } else {
            for byte in bytes.bytes() {
                put(cell, format_args!("\\x{byte:02X}"));
            }
        }
    }
}
