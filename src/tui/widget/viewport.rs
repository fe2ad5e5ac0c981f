//! The visible part of a list of rows, which is the only state that drawing may change.

use crate::rules::policy::{ColumnId, Policy};
use crate::tui::input::action::Action;
use crossterm::event::KeyCode;
use ratatui::layout::Rect;

/// The rows on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Viewport {
    /// The first row shown.
    pub offset: usize,
    /// The number of rows that fit.
    pub height: usize,
    /// The blank lines below each row.
    blanks: u16,
}

impl Viewport {
    /// Sets the height to that of so many lines, `pitch` for each row, and scrolls so that the cursor stays visible.
    pub(crate) fn fit(&mut self, lines: u16, pitch: u16, cursor: usize, rows: usize) {
        self.blanks = pitch.max(1) - 1;
        self.height = usize::from(lines.div_ceil(pitch.max(1)));
        if cursor < self.offset {
            self.offset = cursor;
        } else if cursor >= self.offset + self.height {
            self.offset = (cursor + 1).saturating_sub(self.height);
        }
        self.offset = self.offset.min(rows.saturating_sub(self.height));
    }

    /// Returns the rows of a list on the screen, each with its line within the area.
    pub(crate) fn rows(self, rows: usize, area: Rect) -> impl Iterator<Item = (usize, u16)> {
        let shown = self.offset.min(rows)..(self.offset + self.height).min(rows);
        let lines = area.y..area.bottom();
        shown.zip(lines.step_by(usize::from(self.blanks) + 1))
    }

    /// Returns the row at a line counted from the first row shown, or `None` between two rows.
    pub(crate) fn row_at(self, line: u16) -> Option<usize> {
        let pitch = self.blanks + 1;
        line.is_multiple_of(pitch)
            .then(|| self.offset + usize::from(line / pitch))
    }
}

/// The areas of what was drawn, for the mouse.
#[derive(Clone, Debug, Default)]
pub(crate) struct Regions {
    pub rows: Rect,
    /// The heading of each column on the screen; `None` is the column of names.
    pub headings: Vec<(Option<ColumnId>, Rect)>,
    /// The heading of each policy where policies are shown side by side.
    pub policies: Vec<(Policy, Rect)>,
    pub why: Rect,
    pub tabs: Vec<Rect>,
    pub menu: Rect,
    /// The open dialog or list of keys, with its border.
    pub dialog: Rect,
    /// The height of the open help, and its number of rows.
    pub help: (usize, usize),
    /// The hints, buttons and keys on the screen, and what a click on each does.
    pub targets: Vec<(Rect, Click)>,
    /// The plot of the chart of time.
    pub plot: Option<Plot>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Click {
    Action(Action),
    Key(KeyCode),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plot {
    pub area: Rect,
    /// The moment at its left edge, in seconds since the snapshot.
    pub from: u64,
    pub until: u64,
}

impl Plot {
    /// Returns the moment at a column, in seconds since the snapshot. Columns beside the plot count as its edges.
    pub(crate) fn moment(&self, x: u16) -> u64 {
        let cells = u64::from(self.area.width.saturating_sub(1).max(1));
        let at = u64::from(x.saturating_sub(self.area.x)).min(cells);
        let span = u128::from(self.until.saturating_sub(self.from));
        let passed = span * u128::from(at) / u128::from(cells);
        // No longer than the span.
        self.from + u64::try_from(passed).unwrap_or(u64::MAX)
    }
}
