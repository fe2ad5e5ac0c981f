//! The mouse: a click selects a row, folds at a triangle, sorts at a heading, opens a tab and presses what looks like a
//! key; two clicks edit; the wheel scrolls; on the chart the pointer moves the clock.

use crate::report::outline::Sort;
use crate::rules::policy::{ColumnId, RuleColumn};
use crate::tui::input::action::Action;
use crate::tui::screen::tree_table::triangle_column;
use crate::tui::state::{App, Dialog, TABS};
use crate::tui::update::settings::choose_policy;
use crate::tui::update::{page, scenarios, time};
use crate::tui::widget::{Click, Regions, first_shown};
use crossterm::event::{KeyCode, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

const WHEEL: usize = 3;

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

    fn turn_wheel(&mut self, at: Position, is_down: bool) {
        self.ui.prefix = None;
        let over_why = self.ui.regions.borrow().why.contains(at);
        let has_dialog = self.ui.dialog.is_some();
        let action = match (over_why && !has_dialog, is_down) {
            (true, true) => Action::WhyDown,
            (true, false) => Action::WhyUp,
            (false, true) => Action::Down,
            (false, false) => Action::Up,
        };
        let by = if is_down { 1 } else { -1 };
        let arrow = if is_down { KeyCode::Down } else { KeyCode::Up };
        for _ in 0..WHEEL {
            match &self.ui.dialog {
                None => match self.ui.front_page_mut() {
                    Some(open) => open.scroll(by),
                    None => self.act(action),
                },
                Some(Dialog::Prompt(_)) => self.move_in_picker(by),
                Some(Dialog::Confirm(_)) => {}
                Some(_) => self.press_in_dialog(arrow.into(), Some(action)),
            }
        }
    }

    fn click(&mut self, at: Position) {
        let regions = self.ui.regions.borrow().clone();
        let is_at = |area: &Rect| area.contains(at);
        let prefix = self.ui.prefix.take();
        match regions.targets.iter().find(|(area, _)| is_at(area)) {
            Some(&(_, Click::Key(code))) => return self.press(code.into()),
            Some(&(_, Click::Action(action))) => {
                self.ui.notice = None;
                return self.act_in_front(action);
            }
            None => {}
        }
        if prefix.is_some() {
            return;
        }
        if self.ui.picker.is_some() {
            return self.click_in_picker(regions.menu, at);
        }
        if self.ui.dialog.is_some() {
            return self.click_in_dialog(&regions, at);
        }
        self.ui.notice = None;
        if let Some(tab) = regions.tabs.iter().position(is_at) {
            return self.go_to_screen(TABS[tab.min(TABS.len() - 1)].0);
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

    /// Chooses the line of a menu or list that was clicked. A click outside a dialog closes it.
    fn click_in_dialog(&mut self, regions: &Regions, at: Position) {
        let line = usize::from(at.y.saturating_sub(regions.menu.y));
        let is_line = regions.menu.contains(at);
        match &mut self.ui.dialog {
            Some(Dialog::Menu(menu)) if is_line => {
                let row = first_shown(menu.cursor, regions.menu.height) + line;
                if row < menu.passing().len() {
                    menu.cursor = row;
                    self.choose();
                }
            }
            Some(Dialog::History(cursor)) if is_line => {
                let row = first_shown(*cursor, regions.menu.height) + line;
                self.in_tree(|session, ui| scenarios::choose_state(session, ui, row));
            }
            Some(Dialog::Prompt(_) | Dialog::Confirm(_)) | None => {}
            Some(_) if regions.dialog.contains(at) => {}
            Some(_) => self.ui.dialog = None,
        }
    }

    /// Edits the cell that was clicked twice: shares, or usage in its column. On a page, applies the choice.
    pub(crate) fn double_click(&mut self, at: Position) {
        let regions = self.ui.regions.borrow().clone();
        let is_target = regions.targets.iter().any(|(area, _)| area.contains(at));
        if is_target || self.ui.dialog.is_some() || self.ui.prefix.is_some() {
            return self.click(at);
        }
        if let Some(open) = self.ui.front_page_mut() {
            if page::click(open, at) {
                self.act_in_front(Action::Toggle);
            }
            return;
        }
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
        let (node, tree) = (session.selected(), session.scenario.tree());
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
        let plot = self.ui.regions.borrow().plot;
        let is_covered = self.ui.dialog.is_some() || self.ui.front_page().is_some();
        let Some(plot) = plot.filter(|plot| plot.area.contains(at) && !is_covered) else {
            return;
        };
        self.in_tree(|session, ui| time::go_to(session, ui, plot.moment(at.x)));
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowPart {
    Triangle,
    /// A cell of this column; `None` is the column of names.
    Cell(Option<RuleColumn>),
}
