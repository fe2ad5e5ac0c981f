//! The window on a list of rows: all that drawing may change.

use crate::rules::policy::{ColumnId, Policy};
use ratatui::layout::Rect;

/// Which rows are on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Viewport {
    /// The first row shown.
    pub offset: usize,
    /// How many rows fit.
    pub height: usize,
}

impl Viewport {
    /// Takes the height there is and keeps the cursor in sight.
    pub fn fit(&mut self, height: u16, cursor: usize, rows: usize) {
        self.height = usize::from(height);
        if cursor < self.offset {
            self.offset = cursor;
        } else if cursor >= self.offset + self.height {
            self.offset = (cursor + 1).saturating_sub(self.height);
        }
        self.offset = self.offset.min(rows.saturating_sub(self.height));
    }

    /// The rows on the screen.
    #[must_use]
    pub fn range(&self, rows: usize) -> std::ops::Range<usize> {
        self.offset.min(rows)..(self.offset + self.height).min(rows)
    }
}

/// Where things were drawn, so that a click finds them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Regions {
    /// The rows of the table.
    pub rows: Rect,
    /// The heading of each column on the screen; nothing is the name's.
    pub headings: Vec<(Option<ColumnId>, Rect)>,
    /// The heading of each policy, where they stand side by side.
    pub policies: Vec<(Policy, Rect)>,
    /// The why pane.
    pub why: Rect,
    /// The tabs of the screens, left to right.
    pub tabs: Vec<Rect>,
    /// The rows of an open menu.
    pub menu: Rect,
}
