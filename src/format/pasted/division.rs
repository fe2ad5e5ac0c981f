//! The ways in which the rows of a pasted table may be divided into cells.

use super::headings::{Header, Mark, Span, split};
use super::printer::{PrintedLayout, Printer};
use super::words::places;
use crate::format::sheet::kind::CellKind;
use crate::format::slurm::table::{LineForm, TableLayout, is_ruler, widths};

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
    Below(Vec<Span>),
    /// Words, told apart by what the columns hold.
    Words,
}

/// Returns the ways that are possible below a line of headings, the most certain first.
pub(super) fn divisions(header: &Header, line: &[u8], below: Option<&[u8]>) -> Vec<Division> {
    match header.mark {
        Mark::Byte(b'\t') => return vec![Division::Marked(header.mark), Division::Words],
        Mark::Byte(_) | Mark::FramedBars { .. } => return vec![Division::Marked(header.mark)],
        Mark::Blanks => {}
    }
    let mut divisions = Vec::new();
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
            let names: Vec<&[u8]> = header.names.iter().map(Vec::as_slice).collect();
            let layout = TableLayout::named(command, &names, LineForm::Fixed(widths));
            divisions.push(Division::Ruled(PrintedLayout::Slurm(layout)));
        }
    }
    divisions.push(Division::Below(header.spans.clone()));
    divisions.push(Division::Words);
    divisions
}

impl Division {
    /// Returns whether it is that of the command itself.
    pub(super) fn is_as_printed(&self) -> bool {
        matches!(self, Self::Printed { .. } | Self::Marked(Mark::Byte(b'|')))
    }

    /// Returns whether the command's own reader reads each row. `fitting` is how many fit what the columns hold: words that
    /// lost their places may be read, too.
    pub(super) fn is_certain(&self, rows: &[&[u8]], fitting: usize) -> bool {
        let Self::Printed { layout, .. } = self else {
            return false;
        };
        let is_likely = match layout {
            PrintedLayout::Slurm(_) => fitting * 2 >= rows.len(),
            PrintedLayout::ViewBank(_) => true,
        };
        is_likely && layout.reads_all(rows)
    }

    /// Returns whether a ruler shows where cells end.
    pub(super) fn is_by_ruler(&self) -> bool {
        matches!(
            self,
            Self::Printed {
                is_by_ruler: true,
                ..
            }
        )
    }

    /// Returns the cells of a row if each can be of its column.
    pub(super) fn fitting_cells(&self, line: &[u8], header: &Header) -> Option<Vec<Vec<u8>>> {
        let cells = self.cells(line, header)?;
        if cells.iter().filter(|cell| !cell.is_empty()).count() < 2 {
            return None;
        }
        for (cell, column) in cells.iter().zip(&header.columns) {
            let cell = cell.trim_ascii();
            let is_torn =
                column.kind == CellKind::Name && memchr::memmem::find(cell, b"  ").is_some();
            if is_torn || !column.kind.fits(cell) || (column.is_account && cell.is_empty()) {
                return None;
            }
        }
        Some(cells)
    }

    /// Returns the cells of a row, or `None` if there are more or fewer than columns.
    pub(super) fn cells(&self, line: &[u8], header: &Header) -> Option<Vec<Vec<u8>>> {
        let count = header.columns.len();
        let mut cells: Vec<Vec<u8>> = match self {
            Self::Printed { layout, .. } | Self::Ruled(layout) => {
                let cells = layout.cells(line)?;
                cells.iter().map(|cell| cell.to_vec()).collect()
            }
            Self::Marked(mark) => {
                let mut cells = split(line, *mark);
                if cells.len() == count + 1 && cells[count].trim_ascii().is_empty() {
                    cells.pop();
                }
                cells
            }
            Self::Below(spans) => below(line, spans)?,
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

/// Returns the cells that begin where the headings do, or `None` if one reaches below the next heading.
fn below(line: &[u8], spans: &[Span]) -> Option<Vec<Vec<u8>>> {
    let text = std::str::from_utf8(line).ok()?;
    let places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
    let at = |column: usize| places.get(column).copied().unwrap_or(line.len());
    let mut cells = Vec::with_capacity(spans.len());
    for (place, span) in spans.iter().enumerate() {
        let start = if place == 0 { 0 } else { at(span.start) };
        let end = spans
            .get(place + 1)
            .map_or(line.len(), |next| at(next.start));
        if end < line.len() && line[end - 1] != b' ' {
            return None;
        }
        cells.push(line[start..end].to_vec());
    }
    Some(cells)
}

/// Returns the cells of a line of words, by what the columns hold.
fn by_kind(line: &[u8], header: &Header) -> Option<Vec<Vec<u8>>> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let words: Vec<&[u8]> = line
        .split(is_blank)
        .filter(|word| !word.is_empty())
        .collect();
    let mut cells = vec![Vec::new(); header.columns.len()];
    for (word, place) in words.iter().zip(places(&words, &header.columns)?) {
        cells[place] = word.to_vec();
    }
    if header.account() == Some(0) {
        let indent = line.iter().take_while(|byte| **byte == b' ').count();
        cells[0].splice(0..0, std::iter::repeat_n(b' ', indent));
    }
    Some(cells)
}
