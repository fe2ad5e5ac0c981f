//! Drawing primitives for every part of the screen. They depend on neither trees nor sessions.

pub(super) mod theme;

pub(crate) use crate::base::shown::wrap;
use crate::rules::policy::{Policy, RuleColumn};
use crate::tui::input::action::Action;
use crate::tui::widget::theme::Theme;
use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    Usual,
    /// Fewer columns with wider gaps, and blank lines between the rows.
    Large,
}

/// The width from which the gaps of the large layout are wide.
const WIDE: u16 = 100;

impl Layout {
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

    pub(crate) const fn pointer(self) -> &'static str {
        match self {
            Self::Usual => "❯",
            Self::Large => "▶",
        }
    }

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

#[derive(Clone, Debug, Default)]
pub(crate) struct Regions {
    pub rows: Rect,
    /// The heading of each column on the screen; `None` is the column of names.
    pub headings: Vec<(Option<RuleColumn>, Rect)>,
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
    pub plot: Option<Plot>,
}

impl Regions {
    /// Returns what a click at a position presses; `None` if nothing there looks like a key.
    pub(crate) fn target(&self, at: Position) -> Option<Click> {
        for (area, click) in &self.targets {
            if area.contains(at) {
                return Some(*click);
            }
        }
        None
    }

    /// Returns the row of the open list at a position; `None` outside the list. The row under the cursor is in sight.
    pub(crate) fn row_of_list(&self, cursor: usize, at: Position) -> Option<usize> {
        if !self.menu.contains(at) {
            return None;
        }
        let line = usize::from(at.y - self.menu.y);
        Some(first_shown(cursor, self.menu.height) + line)
    }
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

/// Returns the column and the row of each of several texts of these widths, side by side in rows of so many cells.
pub(crate) fn places(widths: impl Iterator<Item = u16>, room: u16) -> Vec<(u16, u16)> {
    let (mut x, mut y) = (0_u16, 0);
    let places = widths.map(|width| {
        if x > 0 && x.saturating_add(width) > room {
            (x, y) = (0, y + 1);
        }
        let place = (x, y);
        x = x.saturating_add(width).saturating_add(2);
        place
    });
    places.collect()
}

/// Returns the first visible line of a menu such that its cursor is visible.
pub(crate) fn first_shown(cursor: usize, height: u16) -> usize {
    (cursor + 1).saturating_sub(usize::from(height))
}
