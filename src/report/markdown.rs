//! Markdown tables, for tickets and wikis.

use super::table::Column;
use crate::base::number::Alignment;
use std::io::{self, Write};

/// Writes a Markdown table of the same cells as a text table's.
///
/// # Errors
/// If writing fails.
pub fn write(
    out: &mut dyn Write,
    columns: &[Column],
    rows: usize,
    mut cell: impl FnMut(usize, usize) -> String,
) -> io::Result<()> {
    for column in columns {
        write!(out, "| {} ", escape(&column.heading))?;
    }
    writeln!(out, "|")?;
    for column in columns {
        let rule = match column.alignment {
            Alignment::Left => "| --- ",
            Alignment::Right => "| ---: ",
        };
        write!(out, "{rule}")?;
    }
    writeln!(out, "|")?;
    for row in 0..rows {
        for column in 0..columns.len() {
            write!(out, "| {} ", escape(&cell(row, column)))?;
        }
        writeln!(out, "|")?;
    }
    Ok(())
}

/// Writes a text such that Markdown shows it as it is.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        if matches!(
            char,
            '\\' | '`' | '*' | '_' | '~' | '|' | '<' | '>' | '[' | ']' | '&' | '#' | '!'
        ) {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}
