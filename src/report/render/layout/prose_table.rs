//! A table of prose, whose cells are wrapped to fit.

use super::{words, wrapped};
use crate::report::line::Line;

/// The blanks between two columns.
const GAP: usize = 2;

/// The cells of the narrowest column.
const NARROWEST: usize = 8;

/// The length up to which words are kept whole, if there is room.
const LONGEST_KEPT: usize = 28;

/// A table of prose, the row of headings first.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProseTable {
    pub(crate) rows: Vec<Vec<Line>>,
}

impl ProseTable {
    /// Returns the table as lines, of so many cells if that can be.
    pub(super) fn lines(&self, room: Option<usize>) -> Vec<Line> {
        let widths = self.widths(room);
        let mut lines = Vec::new();
        for row in &self.rows {
            let mut cells = Vec::with_capacity(row.len());
            let mut height = 0;
            for (cell, &width) in row.iter().zip(&widths) {
                let parts = wrapped(cell, Some(width), 0);
                height = height.max(parts.len());
                cells.push(parts);
            }
            for place in 0..height {
                lines.push(line_of_row(&cells, &widths, place));
            }
        }
        lines
    }

    /// Returns the cells of each column: as many as its widest cell has, or fewer where all are too wide.
    fn widths(&self, room: Option<usize>) -> Vec<usize> {
        let mut widths = Vec::new();
        let mut longest_words = Vec::new();
        for row in &self.rows {
            for (column, cell) in row.iter().enumerate() {
                if column == widths.len() {
                    widths.push(1);
                    longest_words.push(NARROWEST);
                }
                widths[column] = widths[column].max(cell.cells());
                for word in words(cell) {
                    let length = word.cells();
                    if length <= LONGEST_KEPT {
                        longest_words[column] = longest_words[column].max(length);
                    }
                }
            }
        }
        if let Some(room) = room {
            let gaps = GAP * widths.len().saturating_sub(1);
            let room = room.saturating_sub(gaps);
            narrow(&mut widths, &longest_words, room);
            let least = vec![NARROWEST; widths.len()];
            narrow(&mut widths, &least, room);
        }
        widths
    }
}

/// Returns one line of a row of wrapped cells.
fn line_of_row(cells: &[Vec<Line>], widths: &[usize], place: usize) -> Line {
    let mut line = Line::default();
    let mut start = 0;
    for (cell, width) in cells.iter().zip(widths) {
        if let Some(part) = cell.get(place) {
            line.push_blanks(start - line.cells());
            for span in &part.spans {
                line.push(span.clone());
            }
        }
        start += width + GAP;
    }
    line
}

/// Makes the widest columns narrower until all fit, but none narrower than its least width.
fn narrow(widths: &mut [usize], least: &[usize], room: usize) {
    while widths.iter().sum::<usize>() > room {
        let mut widest: Option<usize> = None;
        for (column, &width) in widths.iter().enumerate() {
            let is_wider = match widest {
                Some(before) => width >= widths[before],
                None => true,
            };
            if width > least[column] && is_wider {
                widest = Some(column);
            }
        }
        match widest {
            Some(column) => widths[column] -= 1,
            None => return,
        }
    }
}
