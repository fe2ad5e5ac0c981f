//! The screens, each with a tab: where one is, and the next one.

use crate::tui::input::action::Action;
use crate::tui::state::app::App;
use crate::tui::state::screens::{SCREENS, screen};

impl App {
    /// Goes to a screen, from a page as well.
    pub(crate) fn go_to_screen(&mut self, screen: Action) {
        self.ui.page = None;
        self.act(screen);
    }

    /// Goes to the screen of the next tab; after the last comes the first.
    pub(crate) fn next_screen(&mut self) {
        let Some(session) = self.session() else {
            return;
        };
        let now = screen(session, self.ui.page.as_ref());
        let place = SCREENS.iter().position(|&(screen, _)| screen == now);
        let next = place.map_or(0, |place| (place + 1) % SCREENS.len());
        self.go_to_screen(SCREENS[next].0);
    }
}
