//! Aligned text: a heading, then one line a row, every column as wide as its widest cell.

mod column;

pub use column::Column;

use super::{Form, markdown};
use crate::base::number::Alignment;
use crate::base::shown::cells;
use std::io::{self, Write};

/// A column of a table for people that knows its cells.
pub(super) struct Filled<'a, R> {
    column: Column,
    cell: Box<dyn Fn(&R) -> String + 'a>,
}

impl<'a, R> Filled<'a, R> {
    /// A column of text.
    pub(super) fn left(heading: &str, cell: impl Fn(&R) -> String + 'a) -> Self {
        Self {
            column: Column::left(heading),
            cell: Box::new(cell),
        }
    }

    /// A column of numbers.
    pub(super) fn right(heading: &str, cell: impl Fn(&R) -> String + 'a) -> Self {
        Self {
            column: Column::right(heading),
            cell: Box::new(cell),
        }
    }

    /// The text of a row in this column.
    pub(super) fn cell(&self, row: &R) -> String {
        (self.cell)(row)
    }
}

/// Writes a table for people: Markdown in that form, aligned text in any other.
pub(super) fn emit<R>(
    out: &mut dyn Write,
    form: Form,
    columns: &[Filled<'_, R>],
    rows: &[R],
) -> io::Result<()> {
    let cell = |row: usize, column: usize| columns[column].cell(&rows[row]);
    let columns: Vec<Column> = columns.iter().map(|column| column.column.clone()).collect();
    match form {
        Form::Markdown => markdown::write(out, &columns, rows.len(), cell),
        _ => write(out, &columns, rows.len(), cell),
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
