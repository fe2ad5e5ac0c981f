//! Aligned text: a heading, then one line a row, every column as wide as its widest cell.

mod column;

pub use column::Column;

use super::{Form, markdown};
use crate::base::number::Alignment;
use crate::base::shown::cells;
use std::io::{self, Write};

/// A column of a table for people that knows its cells.
pub struct Filled<'a, R> {
    column: Column,
    cell: Box<dyn Fn(&R) -> String + 'a>,
}

impl<'a, R> Filled<'a, R> {
    /// A column of text.
    #[must_use]
    pub fn left(heading: &str, cell: impl Fn(&R) -> String + 'a) -> Self {
        Self {
            column: Column::left(heading),
            cell: Box::new(cell),
        }
    }

    /// A column of numbers.
    #[must_use]
    pub fn right(heading: &str, cell: impl Fn(&R) -> String + 'a) -> Self {
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

/// Returns a table as aligned lines, its headings first.
#[must_use]
pub fn lines<R>(columns: &[Filled<'_, R>], rows: &[R]) -> Vec<String> {
    let cell = |row: usize, column: usize| columns[column].cell(&rows[row]);
    let columns: Vec<Column> = columns.iter().map(|column| column.column.clone()).collect();
    aligned(&columns, rows.len(), cell).collect()
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
    cell: impl FnMut(usize, usize) -> String,
) -> io::Result<()> {
    for line in aligned(columns, rows, cell) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// Yields the lines of a table, its headings first; `cell` is asked as [`write()`] asks it.
pub(super) fn aligned(
    columns: &[Column],
    rows: usize,
    mut cell: impl FnMut(usize, usize) -> String,
) -> impl Iterator<Item = String> {
    let mut widths: Vec<usize> = columns
        .iter()
        .map(|column| cells(&column.heading))
        .collect();
    for row in 0..rows {
        for (index, width) in widths.iter_mut().enumerate() {
            *width = (*width).max(cells(&cell(row, index)));
        }
    }
    let line = move |text: &mut dyn FnMut(usize) -> String| {
        let mut line = String::new();
        for column in 0..columns.len() {
            push(&mut line, columns, &widths, column, &text(column));
        }
        line.truncate(line.trim_end().len());
        line
    };
    let rows = std::iter::once(None).chain((0..rows).map(Some));
    rows.map(move |row| match row {
        None => line(&mut |column| columns[column].heading.clone()),
        Some(row) => line(&mut |column| cell(row, column)),
    })
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
