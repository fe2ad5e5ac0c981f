//! Tables: columns that know their cells, and the same rows as aligned text, Markdown or CSV.

mod cell;
mod column;

pub use cell::Cell;
pub use column::{Column, Heading};

use crate::base::number::Alignment;
use crate::base::shown::{Shown, cells};

/// The blanks between two columns of text.
const GAP: usize = 2;

/// Returns a table as aligned lines: the headings, then one line a row, every column as wide as its widest cell. Each
/// cell is made twice, once for its width and once for its text, so that a table of a million rows is never held in
/// memory.
pub fn lines<'c, R>(
    columns: &'c [Column<'_, R>],
    rows: impl Iterator<Item = R> + Clone + 'c,
) -> impl Iterator<Item = Shown> + 'c {
    let headings = columns.iter().map(Column::heading);
    let mut widths: Vec<usize> = headings.clone().map(|it| cells(&it.text)).collect();
    for row in rows.clone() {
        for (column, width) in columns.iter().zip(&mut widths) {
            *width = (*width).max(cells(&column.cell(&row).shown()));
        }
    }
    let sides: Vec<Alignment> = headings.clone().map(|it| it.alignment).collect();
    let head = line(&sides, &widths, headings.map(|it| it.text.clone()));
    let body = rows.map(move |row| {
        let texts = columns.iter().map(|column| column.cell(&row).shown());
        line(&sides, &widths, texts)
    });
    std::iter::once(head).chain(body)
}

/// The cells of one line, each on its side of its column.
fn line(sides: &[Alignment], widths: &[usize], texts: impl Iterator<Item = Shown>) -> Shown {
    let mut line = Shown::default();
    for (place, text) in texts.enumerate() {
        if place > 0 {
            line.pad(GAP);
        }
        let padding = widths[place].saturating_sub(cells(&text));
        match sides[place] {
            Alignment::Left => {
                line += &text;
                line.pad(padding);
            }
            Alignment::Right => {
                line.pad(padding);
                line += &text;
            }
        }
    }
    line.trimmed()
}
