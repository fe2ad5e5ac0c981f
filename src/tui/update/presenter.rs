//! The large layout for a projector: its switch, and the keys that it shows.

use crate::base::shown::sentence;
use crate::tui::input::action::Action;
use crate::tui::input::key::Key;
use crate::tui::state::app::App;
use crate::tui::state::presenter::Presenter;
use crate::tui::state::ui::Ui;
use crate::tui::update::handler::{help_on, works};

/// Switches the large layout on or off.
pub(crate) fn switch(ui: &mut Ui) {
    if ui.presenter.take().is_some() {
        return;
    }
    // The other themes leave the background to a terminal with few colours.
    let has_all_colors = ui.theme.background.bg.is_some();
    ui.presenter = Some(Presenter::new(ui.chosen_theme, has_all_colors));
    let key = ui.hint(Action::Presenter);
    ui.say(sentence!("large layout; {key} leaves it"));
}

impl App {
    /// Shows a pressed key in the large layout, with what it does on what is in front.
    pub(crate) fn show_key(&mut self, key: Key) {
        if !self.ui.is_presenting() {
            return;
        }
        let prefix = self.ui.prefix.as_ref().map(|prefix| prefix.key);
        let front = self.front();
        let action = self.ui.options.keymap.action(prefix, key);
        let action = action.filter(|&action| self.ui.dialog.is_none() && works(front, action));
        let help = action.map_or("", |action| help_on(front, action));
        if let Some(presenter) = &mut self.ui.presenter {
            presenter.note(prefix, key, help);
        }
    }

    /// Shows a pressed key that has a meaning of its own, in a lesson, with what it does.
    pub(crate) fn show_key_as(&mut self, key: Key, help: &'static str) {
        if let Some(presenter) = &mut self.ui.presenter {
            presenter.note(None, key, help);
        }
    }
}
