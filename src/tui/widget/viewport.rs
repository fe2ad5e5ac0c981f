//! The visible part of a list of rows, which is the only state that drawing may change.

use crate::rules::policy::{ColumnId, Policy};
use ratatui::layout::Rect;

/// Returns the rows on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Viewport {
    /// The first row shown.
    pub offset: usize,
    /// The number of rows that fit.
    pub height: usize,
}

impl Viewport {
    /// Sets the height and scrolls so that the cursor stays visible.
    pub fn fit(&mut self, height: u16, cursor: usize, rows: usize) {
        self.height = usize::from(height);
        if cursor < self.offset {
            self.offset = cursor;
        } else if cursor >= self.offset + self.height {
            self.offset = (cursor + 1).saturating_sub(self.height);
        }
        self.offset = self.offset.min(rows.saturating_sub(self.height));
    }

    /// Returns the rows on the screen.
    #[must_use]
    pub fn range(&self, rows: usize) -> std::ops::Range<usize> {
        self.offset.min(rows)..(self.offset + self.height).min(rows)
    }
}

/// The areas of what was drawn, for the mouse.
#[derive(Clone, Debug, Default)]
pub(crate) struct Regions {
    /// The rows of the table.
    pub rows: Rect,
    /// The heading of each column on the screen; `None` is the column of names.
    pub headings: Vec<(Option<ColumnId>, Rect)>,
    /// The heading of each policy where policies are shown side by side.
    pub policies: Vec<(Policy, Rect)>,
    /// The why pane.
    pub why: Rect,
    /// The tabs of the screens, left to right.
    pub tabs: Vec<Rect>,
    /// The rows of an open menu.
    pub menu: Rect,
}
