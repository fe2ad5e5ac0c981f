//! The keys of read-only dialogs (the source, the curves) and of questions.

use crate::base::shown::Shown;
use crate::tui::input::action::Action;
use crate::tui::screen::source_dialog;
use crate::tui::state::{App, Confirm, Dialog, Effect, Overwrite, Session, Ui};
use crate::tui::update::{saving, scenarios, structure};
use crossterm::event::{KeyCode, KeyEvent};

/// The rows that a page key moves by in a dialog.
pub(crate) const PAGE: usize = 10;

/// Returns where an action moves a cursor between the first place and the last, or `None` if it moves none.
pub(crate) fn moved(
    action: Option<Action>,
    cursor: usize,
    last: usize,
    page: usize,
) -> Option<usize> {
    let place = match action? {
        Action::Down => cursor + 1,
        Action::Up => cursor.saturating_sub(1),
        Action::PageDown => cursor + page,
        Action::PageUp => cursor.saturating_sub(page),
        Action::First => 0,
        Action::Last => last,
        _ => return None,
    };
    Some(place.min(last))
}

pub(crate) fn open_source(session: &mut Session, ui: &mut Ui) {
    ui.dialog = Some(source_dialog::open(session));
}

pub(crate) fn open_curves(_: &mut Session, ui: &mut Ui) {
    ui.dialog = Some(Dialog::Curves);
}

pub(crate) fn open_surface(_: &mut Session, ui: &mut Ui) {
    ui.dialog = Some(Dialog::Surface);
}

/// Returns whether an action works while the plot of the factor is open. The key of any other action closes it.
const fn is_for_plot(action: Action) -> bool {
    matches!(
        action,
        Action::Down
            | Action::Up
            | Action::PageDown
            | Action::PageUp
            | Action::First
            | Action::Last
            | Action::NextPolicy
            | Action::LowerSetting
            | Action::RaiseSetting
    )
}

impl App {
    /// Handles a key while the plot of the factor is open: its own key switches between the curves and the map.
    pub(crate) fn press_in_plot(&mut self, action: Option<Action>) {
        match (&self.ui.dialog, action) {
            (Some(Dialog::Curves), Some(Action::Curves)) => self.act(Action::Surface),
            (_, Some(action)) if action == Action::Curves || is_for_plot(action) => {
                self.act(action);
            }
            _ => self.ui.dialog = None,
        }
    }

    /// Scrolls the dialog about the source. Any other key closes it.
    pub(crate) fn scroll_source(&mut self, action: Option<Action>) {
        let Some(Dialog::Source(open)) = &mut self.ui.dialog else {
            return;
        };
        // The first entry is the verification.
        match moved(action, open.cursor, open.kinds.len(), PAGE) {
            Some(cursor) => open.cursor = cursor,
            None => self.ui.dialog = None,
        }
    }

    pub(crate) fn answer(&mut self, event: KeyEvent) {
        let Some(Dialog::Confirm(question)) = self.ui.dialog.take() else {
            return;
        };
        match (question, event.code) {
            (Confirm::Quit, KeyCode::Char('y' | 'Y')) => self.ui.queue(Effect::Quit),
            (
                Confirm::Replace { path, contents } | Confirm::Changed { path, contents },
                KeyCode::Char('y' | 'Y'),
            ) => {
                let sources = self.sources();
                self.ui.queue(Effect::Save {
                    path,
                    contents,
                    overwrite: Overwrite::Always,
                    sources,
                });
            }
            (Confirm::Unread { path, .. }, KeyCode::Char('y' | 'Y')) => {
                self.in_tree(|session, _| session.file.unread = Shown::default());
                self.save(path);
            }
            (
                Confirm::Quit
                | Confirm::Replace { .. }
                | Confirm::Changed { .. }
                | Confirm::Unread { .. },
                KeyCode::Char('w'),
            ) => self.in_tree(saving::ask_where_to_save),
            (Confirm::RemoveNodes(nodes), KeyCode::Char('y' | 'Y')) => {
                self.in_tree(|session, ui| structure::remove(session, ui, &nodes));
            }
            (Confirm::RemoveScenario, KeyCode::Char('y' | 'Y')) => {
                self.in_tree(scenarios::remove);
            }
            _ => {}
        }
    }
}
