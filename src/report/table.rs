//! Aligned text: a heading, then one line a row, every column as wide as its widest cell.

use crate::base::number::Alignment;
use crate::base::shown::cells;
use std::io::{self, Write};

/// One column of a table for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// What stands above it.
    pub heading: String,
    /// On which side its cells stand.
    pub alignment: Alignment,
}

impl Column {
    /// A column of text.
    #[must_use]
    pub fn left(heading: &str) -> Self {
        Self {
            heading: heading.to_owned(),
            alignment: Alignment::Left,
        }
    }

    /// A column of numbers.
    #[must_use]
    pub fn right(heading: &str) -> Self {
        Self {
            heading: heading.to_owned(),
            alignment: Alignment::Right,
        }
    }
}

/// What lies between two columns.
const GAP: &str = "  ";

/// Writes a table. `cell` is asked twice for every cell, row by row: once for its width, once for its text;
/// so a table of a million rows is never held in memory.
///
/// # Errors
/// If writing fails.
pub fn write(
    out: &mut dyn Write,
    columns: &[Column],
    rows: usize,
    mut cell: impl FnMut(usize, usize) -> String,
) -> io::Result<()> {
    let mut widths: Vec<usize> = columns
        .iter()
        .map(|column| cells(&column.heading))
        .collect();
    for row in 0..rows {
        for (index, width) in widths.iter_mut().enumerate() {
            *width = (*width).max(cells(&cell(row, index)));
        }
    }
    let mut line = String::new();
    for column in 0..columns.len() {
        push(
            &mut line,
            columns,
            &widths,
            column,
            &columns[column].heading,
        );
    }
    writeln!(out, "{}", line.trim_end())?;
    for row in 0..rows {
        line.clear();
        for column in 0..columns.len() {
            push(&mut line, columns, &widths, column, &cell(row, column));
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// Adds a cell to a line, on its side of its column.
fn push(line: &mut String, columns: &[Column], widths: &[usize], column: usize, text: &str) {
    if column > 0 {
        line.push_str(GAP);
    }
    let blanks = widths[column].saturating_sub(cells(text));
    let padding = std::iter::repeat_n(' ', blanks);
    match columns[column].alignment {
        Alignment::Left => {
            line.push_str(text);
            line.extend(padding);
        }
        Alignment::Right => {
            line.extend(padding);
            line.push_str(text);
        }
    }
}
