//! The mouse: a click selects a row, folds at a triangle, sorts at a heading, opens a tab and presses what looks like a
//! key; two clicks edit; the wheel scrolls; on the chart the pointer moves the clock.

use super::settings::choose_policy;
use super::{page, scenarios, time, walking};
use crate::report::outline::Sort;
use crate::rules::policy::{ColumnId, RuleColumn};
use crate::tui::input::action::Action;
use crate::tui::input::event::{MouseButton, MouseEvent, MouseEventKind};
use crate::tui::state::drawn::find;
use crate::tui::state::{App, Dialog, Drawn, TABS};
use ratatui::layout::Position;

impl App {
    /// Handles the mouse: a click, a drag or a turn of the wheel.
    pub(crate) fn point(&mut self, event: MouseEvent) {
        let at = Position::new(event.column, event.row);
        match event.kind {
            MouseEventKind::Down(MouseButton::Left) => self.click(at),
            MouseEventKind::Drag(MouseButton::Left) => self.drag(at),
            MouseEventKind::ScrollDown => self.turn_wheel(at, true),
            MouseEventKind::ScrollUp => self.turn_wheel(at, false),
            _ => {}
        }
    }

    /// Clicks on the page or the screen.
    pub(crate) fn click_in_front(&mut self, at: Position) {
        self.ui.notice = None;
        let drawn = self.ui.drawn.borrow().clone();
        for (tab, &(screen, _)) in drawn.tabs.iter().zip(&TABS) {
            if tab.contains(at) {
                return self.go_to_screen(screen);
            }
        }
        if let Some(open) = self.ui.front_page_mut() {
            page::click(open, drawn.page, at);
            return;
        }
        if let Some(column) = find(&drawn.headings, at) {
            let sort = Sort::by(column);
            return self.in_tree(|session, ui| walking::sort(session, ui, Some(sort)));
        }
        if let Some(policy) = find(&drawn.policies, at) {
            return self.in_tree(|session, ui| choose_policy(session, ui, policy));
        }
        if !drawn.list.contains(at) {
            return self.drag(at);
        }
        if self.row_part(&drawn, at) == Some(RowPart::Triangle) {
            self.act(Action::Toggle);
        }
    }

    /// Chooses the item of a menu at a position.
    pub(crate) fn click_in_menu(&mut self, at: Position) {
        let Some(Dialog::Menu(menu)) = &mut self.ui.dialog else {
            return;
        };
        let Some(row) = self.ui.drawn.borrow().row_of_list(menu.list.cursor, at) else {
            return self.click_beside(at);
        };
        if row < menu.passing().len() {
            menu.list.cursor = row;
            self.choose();
        }
    }

    /// Goes to the state of the edit history at a position.
    pub(crate) fn click_in_history(&mut self, at: Position) {
        let Some(Dialog::History(list)) = &self.ui.dialog else {
            return;
        };
        let row = self.ui.drawn.borrow().row_of_list(list.cursor, at);
        match row {
            Some(row) => {
                self.in_tree(|session, ui| scenarios::choose_state(session, ui, row));
            }
            None => self.click_beside(at),
        }
    }

    /// Closes the dialog, unless the click was inside it.
    pub(crate) fn click_beside(&mut self, at: Position) {
        let area = self.ui.drawn.borrow().dialog;
        if !area.contains(at) {
            self.ui.dialog = None;
        }
    }

    /// Scrolls the page in front by so many lines, up if negative.
    pub(crate) fn scroll_page(&mut self, by: isize) {
        if let Some(open) = self.ui.front_page_mut() {
            open.scroll(by);
        }
    }

    /// Applies the choice of the page at a position.
    pub(crate) fn choose_on_page(&mut self, at: Position) {
        let area = self.ui.drawn.borrow().page;
        if let Some(open) = self.ui.front_page_mut()
            && page::click(open, area, at)
        {
            self.act_in_front(Action::Toggle);
        }
    }

    /// Edits the cell at a position: shares, or usage in its column.
    pub(crate) fn edit_at(&mut self, at: Position) {
        let drawn = self.ui.drawn.borrow().clone();
        if !drawn.list.contains(at) {
            return self.click(at);
        }
        match self.row_part(&drawn, at) {
            Some(RowPart::Triangle) => self.act(Action::Toggle),
            Some(RowPart::Cell(Some(cell))) if cell.column == ColumnId::Usage => {
                self.act(Action::EditUsage);
            }
            Some(RowPart::Cell(_)) => self.act(Action::EditShares),
            None => {}
        }
    }

    /// Selects the row at a position. Returns the part of it there, or `None` without a row.
    fn row_part(&mut self, drawn: &Drawn, at: Position) -> Option<RowPart> {
        let (session, _) = self.open_tree()?;
        let row = drawn.row_at(at.y)?;
        if row >= session.pane().outline.rows().len() {
            return None;
        }
        session.go_to(row);
        if drawn.has_triangle_at(at) {
            return Some(RowPart::Triangle);
        }
        Some(RowPart::Cell(drawn.column_at(at.x)))
    }

    /// Moves the clock to the moment at a position of the chart.
    fn drag(&mut self, at: Position) {
        if !self.top().is_screen() {
            return;
        }
        let Some(plot) = self.ui.drawn.borrow().plot else {
            return;
        };
        if plot.area.contains(at) {
            self.in_tree(|session, ui| time::go_to(session, ui, plot.moment(at.x)));
        }
    }
}

/// What of a row is at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowPart {
    Triangle,
    /// A cell of this column; `None` is the column of names.
    Cell(Option<RuleColumn>),
}
