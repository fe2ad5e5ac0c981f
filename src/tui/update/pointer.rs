//! The mouse: click selects, wheel scrolls, a click on a triangle folds, on a heading sorts, on a tab opens.

use crate::report::outline::Sort;
use crate::tui::input::action::Action;
use crate::tui::screen::tree_table::triangle_column;
use crate::tui::state::app::App;
use crate::tui::state::dialog::Dialog;
use crate::tui::state::screens::SCREENS;
use crate::tui::widget::wrap::first_shown;
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

/// How many rows one step of the wheel moves.
const WHEEL: usize = 3;

impl App {
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
        let over_why = self.ui.regions.why.contains(at);
        let has_dialog = self.ui.dialog.is_some();
        let action = match (over_why && !has_dialog, is_down) {
            (true, true) => Action::WhyDown,
            (true, false) => Action::WhyUp,
            (false, true) => Action::Down,
            (false, false) => Action::Up,
        };
        for _ in 0..WHEEL {
            match &mut self.ui.dialog {
                None if self.ui.page.is_some() => {
                    self.scroll_page(if is_down { 1 } else { -1 });
                }
                None => {
                    self.act(action);
                }
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
                Some(Dialog::Curves) => self.move_about(action),
                Some(Dialog::Prompt(_) | Dialog::Confirm(_) | Dialog::History { .. }) => {}
            }
        }
    }

    fn click(&mut self, at: Position) {
        if let Some(Dialog::Menu(menu)) = &mut self.ui.dialog {
            if self.ui.regions.menu.contains(at) {
                let first = first_shown(menu.cursor, self.ui.regions.menu.height);
                let row = first + usize::from(at.y - self.ui.regions.menu.y);
                if row < menu.passing().len() {
                    menu.cursor = row;
                    return self.choose();
                }
            } else {
                self.ui.dialog = None;
            }
            return;
        }
        if self.ui.dialog.is_some() {
            return;
        }
        self.ui.notice = None;
        let is_on_tab = self.ui.regions.tabs.iter().any(|tab| tab.contains(at));
        if self.ui.page.is_some() && !is_on_tab {
            return self.click_on_page(at);
        }
        if let Some(tab) = self.ui.regions.tabs.iter().position(|tab| tab.contains(at)) {
            return self.go_to_screen(SCREENS[tab.min(SCREENS.len() - 1)].0);
        }
        if let Some(&(column, _)) = self
            .ui
            .regions
            .headings
            .iter()
            .find(|(_, heading)| heading.contains(at))
        {
            if let Some(session) = self.session_mut() {
                session.sort_by(Some(Sort::by(column)));
            }
            return;
        }
        let policies = &self.ui.regions.policies;
        if let Some(&(policy, _)) = policies.iter().find(|(_, heading)| heading.contains(at)) {
            return self.choose_policy(policy);
        }
        if self.ui.regions.rows.contains(at) {
            self.click_row(at);
        }
    }

    fn click_row(&mut self, at: Position) {
        let line = usize::from(at.y - self.ui.regions.rows.y);
        let left = self.ui.regions.rows.x;
        let name_width = self
            .ui
            .regions
            .headings
            .first()
            .map_or(0, |(_, name)| name.width);
        let Some(session) = self.session_mut() else {
            return;
        };
        let row = session.pane().viewport.offset + line;
        if row >= session.pane().outline.rows().len() {
            return;
        }
        session.go_to(row);
        let node = session.selected();
        let triangle = left + triangle_column(session.scenario.tree(), node, name_width);
        if at.x.abs_diff(triangle) <= 1 && session.scenario.tree().has_children(node) {
            self.act(Action::Toggle);
        }
    }
}
