//! A prefix key that was pressed, and what can follow it.

use crate::tui::input::action::Action;
use crate::tui::input::key::Key;

/// A prefix key, and the keys that have an effect behind it.
#[derive(Clone, Debug)]
pub(crate) struct Prefix {
    pub(crate) key: Key,
    /// The keys, their actions, and what these do in a few words.
    pub(crate) keys: Vec<(Key, Action, &'static str)>,
}
