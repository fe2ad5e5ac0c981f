//! The ways in which the rows of a pasted table may be divided into cells.

use super::headings::{Cells, Header, Mark, cells_between};
use super::printer::{PrintedLayout, Printer};
use super::words::places;
use crate::format::sheet::kind::{CellKind, ColumnRule};
use crate::format::slurm::table::{LineForm, TableLayout, is_ruler, widths};
use memchr::memmem;
use std::ops::Range;

/// A way to divide rows into cells.
#[derive(Clone, Debug)]
pub(super) enum Division {
    /// As the command prints them.
    Printed {
        layout: PrintedLayout,
        /// Whether a ruler shows where cells end.
        is_by_ruler: bool,
    },
    /// Below the groups of a ruler, whose headings were moved.
    Ruled(PrintedLayout),
    /// Between marks.
    Marked(Mark),
    /// From where a heading begins to where the next does.
    Below(Vec<Range<usize>>),
    /// Words, told apart by what the columns hold.
    Words,
}

/// Returns the ways that are possible below a line of headings, the most certain first.
pub(super) fn divisions(header: &Header, line: &[u8], below: Option<&[u8]>) -> Vec<Division> {
    let mut divisions = Vec::new();
    if header.mark != Mark::Blanks {
        divisions.push(Division::Marked(header.mark));
        if header.mark == Mark::Byte(b'\t') {
            divisions.push(Division::Words);
        }
        return divisions;
    }
    let ruler = below.filter(|below| is_ruler(below));
    if let Some(layout) = header.printer.layout(line, below) {
        let is_by_ruler = ruler.is_some() && layout.has_headings(&header.names);
        divisions.push(Division::Printed {
            layout,
            is_by_ruler,
        });
    }
    if let Some(ruler) = ruler
        && let Printer::Slurm(command) = header.printer
    {
        let widths = widths(ruler);
        if widths.len() == header.names.len() {
            let form = LineForm::Fixed(widths);
            let layout = TableLayout::named(command, &header.names, form);
            divisions.push(Division::Ruled(PrintedLayout::Slurm(layout)));
        }
    }
    divisions.push(Division::Below(header.places.clone()));
    divisions.push(Division::Words);
    divisions
}

impl Division {
    /// Returns whether it is that of the command itself.
    pub(super) fn is_as_printed(&self) -> bool {
        match self {
            Self::Printed { .. } => true,
            Self::Marked(mark) => *mark == Mark::Byte(b'|'),
            _ => false,
        }
    }

    /// Returns whether the command's own reader reads each row. `fitting` is how many fit what the columns hold: words that
    /// lost their places may be read, too.
    pub(super) fn is_certain(&self, rows: &[&[u8]], fitting: usize) -> bool {
        match self {
            Self::Printed { layout, .. } => layout.reads_all(rows, fitting),
            _ => false,
        }
    }

    /// Returns whether a ruler shows where cells end.
    pub(super) fn is_by_ruler(&self) -> bool {
        match self {
            Self::Printed { is_by_ruler, .. } => *is_by_ruler,
            _ => false,
        }
    }

    /// Returns the cells of a row if each can be of its column.
    pub(super) fn fitting_cells(&self, line: &[u8], header: &Header) -> Option<Cells> {
        let cells = self.cells(line, header)?;
        let mut filled = 0;
        for (text, column) in cells.iter().zip(&header.columns) {
            let cell = text.trim_ascii();
            if !fits(*column, cell) {
                return None;
            }
            if !cell.is_empty() {
                filled += 1;
            }
        }
        if filled < 2 {
            return None;
        }
        Some(cells)
    }

    /// Returns the cells of a row, or `None` if there are more or fewer than columns.
    pub(super) fn cells(&self, line: &[u8], header: &Header) -> Option<Cells> {
        let count = header.columns.len();
        let mut cells: Cells = match self {
            Self::Printed { layout, .. } | Self::Ruled(layout) => printed_cells(layout, line)?,
            Self::Marked(mark) => {
                let mut cells = cells_between(line, *mark);
                // A mark may end the row, too.
                if cells.len() == count + 1 {
                    cells.pop_if(|last| last.trim_ascii().is_empty());
                }
                cells
            }
            Self::Below(headings) => below(line, headings)?,
            Self::Words => by_kind(line, header)?,
        };
        if cells.len() != count {
            return None;
        }
        for (cell, column) in cells.iter_mut().zip(&header.columns) {
            let kept = if column.is_account {
                cell.trim_ascii_end()
            } else {
                cell.trim_ascii()
            };
            if kept.contains(&b'|') {
                return None;
            }
            *cell = kept.to_vec();
        }
        Some(cells)
    }
}

/// Returns the cells of a row as the command prints them, or `None` if it is none.
fn printed_cells(layout: &PrintedLayout, line: &[u8]) -> Option<Cells> {
    let mut cells = Cells::new();
    for cell in layout.cells(line)? {
        cells.push(cell.to_vec());
    }
    Some(cells)
}

/// Returns whether a cell can be of a column. No name has two blanks in it, and each row names an account.
fn fits(column: ColumnRule, cell: &[u8]) -> bool {
    if column.is_account && cell.is_empty() {
        return false;
    }
    if column.kind == CellKind::Name && memmem::find(cell, b"  ").is_some() {
        return false;
    }
    column.kind.fits(cell)
}

/// Returns the cells that begin where the headings do, or `None` if one reaches below the next heading.
fn below(line: &[u8], headings: &[Range<usize>]) -> Option<Cells> {
    let text = std::str::from_utf8(line).ok()?;
    let mut starts = vec![0];
    let length = line.len();
    for heading in headings.iter().skip(1) {
        match text.char_indices().nth(heading.start) {
            Some((start, _)) => starts.push(start),
            None => starts.push(length),
        }
    }
    starts.push(length);
    let mut cells = Vec::with_capacity(headings.len());
    for cell in starts.windows(2) {
        let range = cell[0]..cell[1];
        if range.end < length && line[range.end - 1] != b' ' {
            return None;
        }
        cells.push(line[range].to_vec());
    }
    Some(cells)
}

/// Returns the cells of a line of words, by what the columns hold.
fn by_kind(line: &[u8], header: &Header) -> Option<Cells> {
    let mut words = Vec::new();
    for word in line.split(|byte| matches!(byte, b' ' | b'\t')) {
        if !word.is_empty() {
            words.push(word);
        }
    }
    let columns = &header.columns;
    let places = places(&words, columns)?;
    let mut cells = vec![Vec::new(); columns.len()];
    for (word, place) in words.iter().zip(places) {
        cells[place] = word.to_vec();
    }
    if header.account() == Some(0) {
        // The blanks before the account show what is above it.
        let indent = line.iter().position(|&byte| byte != b' ')?;
        let blanks = &line[..indent];
        cells[0] = [blanks, &cells[0]].concat();
    }
    Some(cells)
}
