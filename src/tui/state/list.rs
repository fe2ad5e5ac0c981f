//! Lists from which a row is chosen: where the cursor is, and what was typed to filter the rows. All of them have the
//! same keys.

use crate::tui::input::action::Action;
use crate::tui::input::event::{KeyCode, KeyEvent};

/// The cursor and the filter of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListState {
    /// What was typed to narrow the list; empty if nothing was, or if the list cannot be narrowed.
    pub query: String,
    /// The row under the cursor, among those that pass the filter. In a list that is only read, the first row shown.
    pub cursor: usize,
}

/// How many rows pass the filter, and by how many a page key moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListSize {
    pub(crate) rows: usize,
    pub(crate) page: usize,
}

/// The rows that a page key moves by where nothing tells how many are seen.
pub(crate) const PAGE: usize = 10;

/// What a key asks of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListKey {
    /// Nothing more: it moved the cursor or changed the filter.
    Taken,
    /// The row under the cursor is chosen.
    Choose,
    /// The list is left.
    Leave,
    /// The key is none of a list.
    Other,
}

impl ListState {
    /// Returns a list with the cursor on a row.
    pub(crate) const fn at(cursor: usize) -> Self {
        Self {
            query: String::new(),
            cursor,
        }
    }

    /// Handles a key. `is_text` says whether it is typed into the filter; only other keys have actions.
    pub(crate) fn press(
        &mut self,
        event: KeyEvent,
        action: Option<Action>,
        is_text: bool,
        size: ListSize,
    ) -> ListKey {
        match (event.code, action) {
            (KeyCode::Char(char), _) if is_text => {
                self.query.push(char);
                self.cursor = 0;
                ListKey::Taken
            }
            (KeyCode::Enter | KeyCode::Char(' '), _) => ListKey::Choose,
            // Some terminals send ^H for the backspace key.
            (KeyCode::Backspace, _) | (KeyCode::Char('h'), None) => {
                self.query.pop();
                self.cursor = 0;
                ListKey::Taken
            }
            (_, Some(Action::Quit)) => ListKey::Leave,
            (_, Some(action)) => self.step(action, size),
            (_, None) => ListKey::Other,
        }
    }

    /// Moves the cursor, if the action moves one.
    fn step(&mut self, action: Action, size: ListSize) -> ListKey {
        let last = size.rows.saturating_sub(1);
        let place = match action {
            Action::Down => self.cursor + 1,
            Action::Up => self.cursor.saturating_sub(1),
            Action::PageDown => self.cursor + size.page,
            Action::PageUp => self.cursor.saturating_sub(size.page),
            Action::First => 0,
            Action::Last => last,
            _ => return ListKey::Other,
        };
        self.cursor = place.min(last);
        ListKey::Taken
    }
}
