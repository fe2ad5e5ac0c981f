//! The mouse: a click selects a row, folds at a triangle, sorts at a heading, opens a tab and presses what looks like a
//! key; two clicks edit; the wheel scrolls; on the chart the pointer moves the clock.

use crate::report::outline::Sort;
use crate::rules::policy::{ColumnId, RuleColumn};
use crate::tui::input::action::Action;
use crate::tui::screen::tree_table::triangle_column;
use crate::tui::state::{App, Dialog, TABS};
use crate::tui::update::settings::choose_policy;
use crate::tui::update::{page, scenarios, time};
use crate::tui::widget::Regions;
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

impl App {
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
        let regions = self.ui.regions.borrow().clone();
        let is_at = |area: &Rect| area.contains(at);
        for (tab, &(screen, _)) in regions.tabs.iter().zip(&TABS) {
            if is_at(tab) {
                return self.go_to_screen(screen);
            }
        }
        if let Some(open) = self.ui.front_page_mut() {
            page::click(open, at);
        } else if let Some(&(column, _)) = regions.headings.iter().find(|(_, area)| is_at(area)) {
            self.in_tree(|session, _| session.sort_by(Some(Sort::by(column))));
        } else if let Some(&(policy, _)) = regions.policies.iter().find(|(_, area)| is_at(area)) {
            self.in_tree(|session, ui| choose_policy(session, ui, policy));
        } else if !regions.rows.contains(at) {
            self.drag(at);
        } else if self.row_part(&regions, at) == Some(RowPart::Triangle) {
            self.act(Action::Toggle);
        }
    }

    /// Chooses the item of a menu at a position.
    pub(crate) fn click_in_menu(&mut self, at: Position) {
        let Some(Dialog::Menu(menu)) = &mut self.ui.dialog else {
            return;
        };
        let Some(row) = self.ui.regions.borrow().row_of_list(menu.list.cursor, at) else {
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
        let row = self.ui.regions.borrow().row_of_list(list.cursor, at);
        match row {
            Some(row) => {
                self.in_tree(|session, ui| scenarios::choose_state(session, ui, row));
            }
            None => self.click_beside(at),
        }
    }

    /// Closes the dialog, unless the click was inside it.
    pub(crate) fn click_beside(&mut self, at: Position) {
        let area = self.ui.regions.borrow().dialog;
        if !area.contains(at) {
            self.ui.dialog = None;
        }
    }

    pub(crate) fn scroll_page(&mut self, by: isize) {
        if let Some(open) = self.ui.front_page_mut() {
            open.scroll(by);
        }
    }

    /// Applies the choice of the page at a position.
    pub(crate) fn choose_on_page(&mut self, at: Position) {
        let open = self.ui.front_page_mut();
        if open.is_some_and(|open| page::click(open, at)) {
            self.act_in_front(Action::Toggle);
        }
    }

    /// Edits the cell at a position: shares, or usage in its column.
    pub(crate) fn edit_at(&mut self, at: Position) {
        let regions = self.ui.regions.borrow().clone();
        if !regions.rows.contains(at) {
            return self.click(at);
        }
        match self.row_part(&regions, at) {
            Some(RowPart::Triangle) => self.act(Action::Toggle),
            Some(RowPart::Cell(Some(RuleColumn {
                column: ColumnId::Usage,
                ..
            }))) => self.act(Action::EditUsage),
            Some(RowPart::Cell(_)) => self.act(Action::EditShares),
            None => {}
        }
    }

    /// Selects the row at a position. Returns the part of it there, or `None` without a row.
    fn row_part(&mut self, regions: &Regions, at: Position) -> Option<RowPart> {
        let (session, _) = self.open_tree()?;
        let viewport = session.pane().viewport.get();
        let row = viewport.row_at(at.y - regions.rows.y)?;
        if row >= session.pane().outline.rows().len() {
            return None;
        }
        session.go_to(row);
        let node = session.selected();
        let tree = session.scenario.tree();
        let name_width = regions.headings.first().map_or(0, |(_, name)| name.width);
        let triangle = regions.rows.x + triangle_column(tree, node, name_width);
        if at.x.abs_diff(triangle) <= 1 && tree.has_children(node) {
            return Some(RowPart::Triangle);
        }
        let mut headings = regions.headings.iter();
        let column = headings.find(|(_, area)| (area.left()..area.right()).contains(&at.x));
        Some(RowPart::Cell(column.and_then(|&(column, _)| column)))
    }

    fn drag(&mut self, at: Position) {
        if !self.top().is_screen() {
            return;
        }
        let Some(plot) = self.ui.regions.borrow().plot else {
            return;
        };
        if plot.area.contains(at) {
            self.in_tree(|session, ui| time::go_to(session, ui, plot.moment(at.x)));
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowPart {
    Triangle,
    /// A cell of this column; `None` is the column of names.
    Cell(Option<RuleColumn>),
}
