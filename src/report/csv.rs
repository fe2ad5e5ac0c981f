//! Comma-separated values: the same names, order and full numbers as JSON.

use super::table::Column;
use std::io::{self, Write};

/// Writes a header and rows.
///
/// # Errors
/// If writing fails.
pub fn write<R>(
    out: &mut dyn Write,
    columns: &[Column<'_, R>],
    rows: impl Iterator<Item = R>,
) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(columns.iter().map(Column::name))?;
    let mut text = String::new();
    for row in rows {
        for column in columns {
            text.clear();
            column.cell(&row).put(&mut text);
            writer.write_field(&text)?;
        }
        writer.write_record(None::<&[u8]>)?;
    }
    writer.flush()
}
