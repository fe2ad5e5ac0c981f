//! Keys that were pressed: a prefix that waits for the next one, and the last ones in the large layout for a projector.

use crate::base::shown::{Shown, sentence};
use crate::tui::input::action::Action;
use crate::tui::input::key::Key;

/// The most keys that are remembered.
const MOST_KEYS: usize = 4;

/// The theme that a projector needs.
const THEME: &str = "high-contrast";

/// A prefix key, and the keys that have an effect behind it.
#[derive(Clone, Debug)]
pub(crate) struct Prefix {
    pub(crate) key: Key,
    /// The keys, their actions, and what these do in a few words.
    pub(crate) keys: Vec<(Key, Action, &'static str)>,
}

/// A key that was pressed, as often as it was pressed in a row.
#[derive(Clone, Debug)]
pub(crate) struct PressedKey {
    /// The key, with the prefix before it.
    pub(crate) name: Shown,
    pub(crate) count: usize,
    /// What it does, in a few words; empty where another word stands for it, as in a dialog.
    pub(crate) help: &'static str,
}

/// The state of the large layout, as long as it is on.
#[derive(Clone, Debug)]
pub(crate) struct Presenter {
    pub(crate) theme: &'static str,
    keys: Vec<PressedKey>,
}

impl Presenter {
    /// Returns the state when the layout is switched on. `theme` is the one on the screen, which stays if the terminal
    /// shows too few colours for another.
    pub(crate) fn new(theme: &'static str, has_all_colors: bool) -> Self {
        Self {
            theme: if has_all_colors { THEME } else { theme },
            keys: Vec::new(),
        }
    }

    pub(crate) fn keys(&self) -> &[PressedKey] {
        &self.keys
    }

    /// Remembers a key. One behind a prefix takes the place of that prefix.
    pub(crate) fn note(&mut self, prefix: Option<Key>, key: Key, help: &'static str) {
        let name = match prefix {
            Some(prefix) => {
                self.keys.pop();
                sentence!("{prefix} {key}")
            }
            None => sentence!("{key}"),
        };
        match self.keys.last_mut() {
            Some(last) if last.name == name => {
                last.count += 1;
                last.help = help;
            }
            _ => self.keys.push(PressedKey {
                name,
                count: 1,
                help,
            }),
        }
        let surplus = self.keys.len().saturating_sub(MOST_KEYS);
        self.keys.drain(..surplus);
    }
}
