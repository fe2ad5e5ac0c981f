//! Prefix keys: a first key lists what can follow, and a second one does it.

use crate::base::shown::sentence;
use crate::tui::input::action::Action;
use crate::tui::input::key::Key;
use crate::tui::state::app::App;
use crate::tui::state::presenter::Prefix;
use crate::tui::update::handler::{help_on, works};
use crate::tui::update::is_control;
use crossterm::event::{KeyCode, KeyEvent};

impl App {
    /// Lists what can follow a prefix key, or says that the key has no action.
    pub(crate) fn open_prefix(&mut self, key: Key) {
        let behind = self.ui.options.keymap.behind(key);
        if behind.is_empty() {
            let help = self.ui.hint(Action::Help);
            return self
                .ui
                .say(sentence!("{key} has no action; {help} lists the keys"));
        }
        let front = self.front();
        // Where none of them works, each key says so.
        let has_any = behind.iter().any(|&(_, action)| works(front, action));
        let keys = behind
            .iter()
            .filter(|&&(_, action)| works(front, action) || !has_any)
            .map(|&(key, action)| (key, action, help_on(front, action)))
            .collect();
        self.ui.prefix = Some(Prefix { key, keys });
    }

    /// Performs the action of the key behind a prefix. Esc and `^C` only close the list.
    pub(crate) fn press_behind(&mut self, prefix: &Prefix, event: KeyEvent) {
        let key = Key::of(event);
        match self.ui.options.keymap.action(Some(prefix.key), key) {
            Some(action) => self.act_in_front(action),
            None if event.code == KeyCode::Esc || is_control(event, 'c') => {}
            None if self.ui.options.keymap.action(None, key) == Some(Action::Suspend) => {
                self.act(Action::Suspend);
            }
            None => {
                let prefix = prefix.key;
                self.ui.say(sentence!(
                    "{prefix} {key} has no action; {prefix} lists what can follow it"
                ));
            }
        }
    }
}
