//! The mouse: a click selects a row, folds at a triangle, sorts at a heading and opens a tab; the wheel scrolls.

use crate::report::outline::Sort;
use crate::tui::input::action::Action;
use crate::tui::screen::tree_table::triangle_column;
use crate::tui::state::app::App;
use crate::tui::state::dialog::Dialog;
use crate::tui::state::screen::TABS;
use crate::tui::state::session::Session;
use crate::tui::update::page_keys;
use crate::tui::update::settings::choose_policy;
use crate::tui::widget::viewport::Regions;
use crate::tui::widget::wrap::first_shown;
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

/// The rows that one step of the wheel scrolls.
const WHEEL: usize = 3;

impl App {
    /// Handles an event of the mouse.
    pub(crate) fn point(&mut self, event: MouseEvent) {
        let at = Position {
            x: event.column,
            y: event.row,
        };
        match event.kind {
            MouseEventKind::Down(MouseButton::Left) => self.click(at),
            MouseEventKind::ScrollDown => self.turn_wheel(at, true),
            MouseEventKind::ScrollUp => self.turn_wheel(at, false),
            _ => {}
        }
    }

    fn turn_wheel(&mut self, at: Position, is_down: bool) {
        let over_why = self.ui.regions.borrow().why.contains(at);
        let has_dialog = self.ui.dialog.is_some();
        let action = match (over_why && !has_dialog, is_down) {
            (true, true) => Action::WhyDown,
            (true, false) => Action::WhyUp,
            (false, true) => Action::Down,
            (false, false) => Action::Up,
        };
        for _ in 0..WHEEL {
            match &mut self.ui.dialog {
                None => match self.ui.front_page_mut() {
                    Some(open) => open.scroll(if is_down { 1 } else { -1 }),
                    None => self.act(action),
                },
                Some(Dialog::Help { .. } | Dialog::Source { .. }) => {
                    self.scroll_dialog(Some(action));
                }
                Some(Dialog::Menu(menu)) => {
                    let last = menu.passing().len().saturating_sub(1);
                    menu.cursor = if is_down {
                        (menu.cursor + 1).min(last)
                    } else {
                        menu.cursor.saturating_sub(1)
                    };
                }
                Some(Dialog::Curves) => self.act(action),
                Some(Dialog::Prompt(_)) => self.move_in_picker(if is_down { 1 } else { -1 }),
                Some(Dialog::Confirm(_) | Dialog::History { .. }) => {}
            }
        }
    }

    fn click(&mut self, at: Position) {
        let regions = self.ui.regions.borrow().clone();
        if let Some(Dialog::Menu(menu)) = &mut self.ui.dialog {
            if regions.menu.contains(at) {
                let first = first_shown(menu.cursor, regions.menu.height);
                let row = first + usize::from(at.y - regions.menu.y);
                if row < menu.passing().len() {
                    menu.cursor = row;
                    self.choose();
                }
            } else {
                self.ui.dialog = None;
            }
            return;
        }
        if self.ui.picker.is_some() {
            return self.click_in_picker(regions.menu, at);
        }
        if self.ui.dialog.is_some() {
            return;
        }
        self.ui.notice = None;
        if let Some(tab) = regions.tabs.iter().position(|tab| tab.contains(at)) {
            return self.go_to_screen(TABS[tab.min(TABS.len() - 1)].0);
        }
        if let Some(open) = self.ui.front_page_mut() {
            return page_keys::click(open, at);
        }
        let is_at = |area: &Rect| area.contains(at);
        if let Some(&(column, _)) = regions.headings.iter().find(|(_, area)| is_at(area)) {
            self.in_tree(|session, _| session.sort_by(Some(Sort::by(column))));
        } else if let Some(&(policy, _)) = regions.policies.iter().find(|(_, area)| is_at(area)) {
            self.in_tree(|session, ui| choose_policy(session, ui, policy));
        } else if regions.rows.contains(at) {
            let mut is_triangle = false;
            self.in_tree(|session, _| is_triangle = click_row(session, &regions, at));
            if is_triangle {
                self.act(Action::Toggle);
            }
        }
    }
}

/// Selects the row at a position. Returns whether the position is at the triangle of an account.
fn click_row(session: &mut Session, regions: &Regions, at: Position) -> bool {
    let line = usize::from(at.y - regions.rows.y);
    let row = session.pane().viewport.get().offset + line;
    if row >= session.pane().outline.rows().len() {
        return false;
    }
    session.go_to(row);
    let (node, tree) = (session.selected(), session.scenario.tree());
    let name_width = regions.headings.first().map_or(0, |(_, name)| name.width);
    let triangle = regions.rows.x + triangle_column(tree, node, name_width);
    at.x.abs_diff(triangle) <= 1 && tree.has_children(node)
}
