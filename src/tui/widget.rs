//! Drawing primitives for every part of the screen. They depend on neither trees nor sessions.

pub(super) mod theme;

pub(crate) use crate::base::shown::wrap;
use crate::tui::widget::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};

/// How much room the screen leaves around its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// As much on the screen as fits.
    Usual,
    /// Fewer columns with wider gaps, and blank lines between the rows.
    Large,
}

/// The width from which the gaps of the large layout are wide.
const WIDE: u16 = 100;

impl Layout {
    /// Returns the blanks between two columns of a table of this width.
    pub(crate) const fn gap(self, width: u16) -> u16 {
        match self {
            Self::Usual => 1,
            Self::Large if width < WIDE => 2,
            Self::Large => 3,
        }
    }

    /// Returns the lines from one of so many rows to the next, in a list of this height. There are no blank lines between
    /// them where that would cost more than a third of the rows in sight.
    pub(crate) fn pitch(self, height: u16, rows: usize) -> u16 {
        let apart = usize::from(height.div_ceil(2));
        let together = rows.min(height.into());
        match self {
            Self::Large if 3 * apart >= 2 * together => 2,
            _ => 1,
        }
    }

    /// Returns the sign before the selected row.
    pub(crate) const fn pointer(self) -> &'static str {
        match self {
            Self::Usual => "❯",
            Self::Large => "▶",
        }
    }

    /// Sets off the selected row, over what was drawn in it.
    pub(crate) fn emphasise(self, row: Rect, theme: &Theme, buffer: &mut Buffer) {
        if theme.selected.add_modifier.contains(Modifier::REVERSED) {
            // The colours of reversed cells would be backgrounds, one beside the other.
            let plain = Style::new()
                .fg(theme.ink(theme.text))
                .remove_modifier(Modifier::DIM);
            buffer.set_style(row, plain);
        }
        if self == Self::Large {
            buffer.set_style(row, theme.strong);
        }
    }
}

/// The part of a list that is on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Viewport {
    /// The first row shown.
    pub offset: usize,
    /// The number of rows that fit.
    pub height: usize,
    /// The blank lines below each row.
    blanks: u16,
}

/// A row of a list on the screen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowOnScreen {
    /// Its place in the list.
    pub(crate) place: usize,
    /// Its line on the screen.
    pub(crate) y: u16,
}

impl Viewport {
    /// Sets the height to that of so many lines, `pitch` for each row, and scrolls so that the cursor stays visible.
    pub(crate) fn fit(&mut self, lines: u16, pitch: u16, cursor: usize, rows: usize) {
        let each = pitch.max(1);
        self.blanks = each - 1;
        self.height = lines.div_ceil(each).into();
        let below = self.offset + self.height;
        if cursor < self.offset {
            self.offset = cursor;
        } else if cursor >= below {
            self.offset = (cursor + 1).saturating_sub(self.height);
        }
        let last = rows.saturating_sub(self.height);
        self.offset = self.offset.min(last);
    }

    /// Returns the rows of a list of so many that are in an area.
    pub(crate) fn rows(self, rows: usize, area: Rect) -> Vec<RowOnScreen> {
        let end = rows.min(self.offset + self.height);
        let mut shown = Vec::new();
        let mut place = self.offset;
        let mut y = area.y;
        while place < end && y < area.bottom() {
            shown.push(RowOnScreen { place, y });
            place += 1;
            y += self.blanks + 1;
        }
        shown
    }
}

/// Returns a number of cells as a coordinate: the last one if no screen is that large.
pub(crate) fn narrow(cells: usize) -> u16 {
    u16::try_from(cells).unwrap_or(u16::MAX)
}

/// Returns the column and the row of each of several texts of these widths, side by side in rows of so many cells.
pub(crate) fn places(widths: &[u16], room: u16) -> Vec<Position> {
    let mut places = Vec::new();
    let mut next = Position::ORIGIN;
    for &width in widths {
        if next.x > 0 && next.x.saturating_add(width) > room {
            next = Position::new(0, next.y + 1);
        }
        places.push(next);
        next.x = next.x.saturating_add(width).saturating_add(2);
    }
    places
}

/// Returns the first visible line of a menu such that its cursor is visible.
pub(crate) fn first_shown(cursor: usize, height: u16) -> usize {
    (cursor + 1).saturating_sub(usize::from(height))
}
