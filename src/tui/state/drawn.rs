//! Where things are on the screen. Drawing fills this in, frame by frame, and what the mouse and the keys that scroll
//! refer to is read from it.

use crate::rules::policy::{Policy, RuleColumn};
use crate::tui::input::action::Action;
use crate::tui::input::event::KeyCode;
use crate::tui::widget::{RowOnScreen, Viewport, first_shown};
use ratatui::layout::{Position, Rect};

/// Where the last frame drew things. What was not on the screen has an empty area.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drawn {
    /// The rows of the list, without the headings.
    pub(crate) list: Rect,
    /// The rows that are on the screen, from the top.
    pub(crate) rows: Vec<RowOnScreen>,
    /// The signs that fold and unfold.
    pub(crate) triangles: Vec<Position>,
    /// Which part of the list is on the screen; `None` once the list has taken it over.
    pub(crate) viewport: Option<Viewport>,
    /// The heading of each column on the screen; `None` is that of the names, the first one.
    pub(crate) headings: Vec<Placed<Option<RuleColumn>>>,
    /// The heading of each policy where policies are shown side by side.
    pub(crate) policies: Vec<Placed<Policy>>,
    /// The strip of the lesson.
    pub(crate) lesson: Rect,
    /// The why pane.
    pub(crate) why: Rect,
    /// The tabs, in the order of the screens.
    pub(crate) tabs: Vec<Rect>,
    /// The page in front, without its title.
    pub(crate) page: Rect,
    /// The items of the open menu, or the lines of the list that is open.
    pub(crate) menu: Rect,
    /// The open dialog or list of keys, with its border.
    pub(crate) dialog: Rect,
    /// The open help.
    pub(crate) help: DrawnHelp,
    /// The hints, buttons and keys on the screen.
    pub(crate) targets: Vec<Placed<Click>>,
    /// The plot of the chart; `None` without a chart.
    pub(crate) plot: Option<Plot>,
}

/// Something on the screen, with the cells that it takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed<T> {
    /// What is there.
    pub(crate) what: T,
    /// Its cells.
    pub(crate) area: Rect,
}

/// Returns what is at a position; `None` if nothing is.
pub(crate) fn find<T: Copy>(placed: &[Placed<T>], at: Position) -> Option<T> {
    for one in placed {
        if one.area.contains(at) {
            return Some(one.what);
        }
    }
    None
}

impl Drawn {
    /// Returns what a click at a position presses; `None` if nothing there looks like a key.
    pub(crate) fn target(&self, at: Position) -> Option<Click> {
        find(&self.targets, at)
    }

    /// Returns the row of the open list at a position; `None` outside the list. The row under the cursor is in sight.
    pub(crate) fn row_of_list(&self, cursor: usize, at: Position) -> Option<usize> {
        if !self.menu.contains(at) {
            return None;
        }
        let line = usize::from(at.y - self.menu.y);
        Some(first_shown(cursor, self.menu.height) + line)
    }

    /// Returns the row of the list that is on a line, by its place; `None` between two rows and below the last one.
    pub(crate) fn row_at(&self, y: u16) -> Option<usize> {
        let mut rows = self.rows.iter();
        let row = rows.find(|row| row.y == y)?;
        Some(row.place)
    }

    /// Returns whether a sign that folds or unfolds is at a position or beside it.
    pub(crate) fn has_triangle_at(&self, at: Position) -> bool {
        let mut triangles = self.triangles.iter();
        triangles.any(|triangle| triangle.y == at.y && triangle.x.abs_diff(at.x) <= 1)
    }

    /// Returns the column in which a cell of a row is; `None` for that of the names and between two columns.
    pub(crate) fn column_at(&self, x: u16) -> Option<RuleColumn> {
        let y = self.headings.first()?.area.y;
        find(&self.headings, Position { x, y })?
    }
}

/// How much of the help is on the screen.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DrawnHelp {
    /// The lines on the screen.
    pub(crate) height: usize,
    /// The lines of the whole help.
    pub(crate) lines: usize,
}

/// What a click on a target does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Click {
    /// It does an action, as its key does.
    Action(Action),
    /// It presses a key.
    Key(KeyCode),
}

/// The plot of the Time screen, whose columns are moments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plot {
    /// The cells of the plot, without its axes.
    pub(crate) area: Rect,
    /// The moment at its left edge, in seconds since the snapshot.
    pub(crate) from: u64,
    /// The moment at its right edge, in seconds since the snapshot.
    pub(crate) until: u64,
}

impl Plot {
    /// Returns the moment at a column, in seconds since the snapshot. Columns beside the plot count as its edges.
    pub(crate) fn moment(&self, x: u16) -> u64 {
        let last = self.area.width.saturating_sub(1).max(1);
        let at = x.saturating_sub(self.area.x).min(last);
        let span = self.until.saturating_sub(self.from);
        // Products of long spans need more bits.
        let product = u128::from(span) * u128::from(at);
        let passed = product / u128::from(last);
        // No longer than the span.
        self.from + u64::try_from(passed).unwrap_or(span)
    }
}
