//! Keys while curves are on the screen.

use crate::tui::input::action::Action;
use crate::tui::state::app::App;

impl App {
    /// The rows of the table can be walked while their curves are on the screen; any other key closes.
    pub(crate) fn walk_along_curves(&mut self, action: Option<Action>) {
        match action {
            Some(
                action @ (Action::Down
                | Action::Up
                | Action::PageDown
                | Action::PageUp
                | Action::First
                | Action::Last),
            ) => self.move_about(action),
            Some(action @ (Action::NextPolicy | Action::LowerSetting | Action::RaiseSetting)) => {
                self.act(action);
            }
            _ => self.ui.dialog = None,
        }
    }
}
