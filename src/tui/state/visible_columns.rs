//! Columns side by side, as far as there is room for them.

use ratatui::layout::Rect;

/// A column and how wide it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SizedColumn<C> {
    /// The column.
    pub(crate) column: C,
    /// Its cells, without the gap before it.
    pub(crate) cells: u16,
}

/// The columns that are on the screen beside the names.
pub(crate) struct VisibleColumns<C> {
    /// The columns, from left to right.
    pub(crate) columns: Vec<SizedColumn<C>>,
    /// Whether columns are scrolled out on the left.
    pub(crate) more_left: bool,
    /// Whether scrolling shows more columns on the right.
    pub(crate) more_right: bool,
    /// The blanks before each column.
    gap: u16,
    /// The cells of the names.
    pub(crate) name_cells: u16,
}

impl<C: Copy> VisibleColumns<C> {
    /// Returns the columns that fit into so many cells, from the first one after scrolling. Without scrolling only the first
    /// `most` are shown.
    pub(crate) fn fit(
        all: &[SizedColumn<C>],
        most: usize,
        offset: usize,
        gap: u16,
        cells: u16,
    ) -> Self {
        let first = offset.min(all.len().saturating_sub(1));
        let end = if first == 0 { most } else { all.len() };
        let mut left = cells;
        let mut columns = Vec::new();
        for &next in &all[first..end] {
            let Some(rest) = left.checked_sub(next.cells + gap) else {
                break;
            };
            left = rest;
            columns.push(next);
        }
        Self {
            more_left: first > 0,
            more_right: first + columns.len() < all.len(),
            gap,
            name_cells: left,
            columns,
        }
    }

    /// Returns the cells of the name in a row.
    pub(crate) fn name(&self, row: Rect) -> Rect {
        let width = self.name_cells;
        Rect { width, ..row }
    }

    /// Returns the columns with their cells in a row.
    pub(crate) fn cells(&self, row: Rect) -> impl Iterator<Item = (C, Rect)> {
        let mut end = row.x + self.name_cells;
        self.columns.iter().map(move |sized| {
            let x = end + self.gap;
            let width = sized.cells;
            end = x + width;
            (sized.column, Rect { x, width, ..row })
        })
    }
}
