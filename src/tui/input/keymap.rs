//! Keys to actions, as `assets/keymap.toml` says.

use crate::base::shown::{Shown, shown};
use crate::tui::input::action::Action;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::collections::{BTreeMap, HashMap};

/// The shipped keymap.
pub(crate) const SHIPPED: &str = include_str!("../../../assets/keymap.toml");

/// A key with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    code: KeyCode,
    modifiers: KeyModifiers,
}

/// A fault of a keymap.
#[derive(Debug, thiserror::Error)]
pub enum KeymapError {
    /// Not TOML, or not a table of lists.
    #[error("{0}")]
    Form(Shown),
    /// An action that does not exist.
    #[error("there is no action {0}")]
    Action(Shown),
    /// A key that does not exist.
    #[error("{action}: there is no key {key}")]
    Key {
        /// The action it was meant for.
        action: Shown,
        /// The key as written.
        key: Shown,
    },
    /// A key with two actions.
    #[error("the key {0} is given to two actions")]
    Twice(Shown),
}

/// Which key does what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keymap {
    actions: HashMap<Key, Action>,
    keys: Vec<(Action, Vec<Key>)>,
}

/// The names of keys that are not characters.
const NAMED: &[(&str, KeyCode)] = &[
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("page-up", KeyCode::PageUp),
    ("page-down", KeyCode::PageDown),
    ("enter", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("space", KeyCode::Char(' ')),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
];

impl Key {
    /// Returns the key of an event. Shift is left out for characters, because only some terminals report it with a
    /// capital letter.
    #[must_use]
    pub fn of(event: KeyEvent) -> Self {
        let mut modifiers = event.modifiers & (KeyModifiers::CONTROL | KeyModifiers::SHIFT);
        if matches!(event.code, KeyCode::Char(_) | KeyCode::BackTab) {
            modifiers.remove(KeyModifiers::SHIFT);
        }
        Self {
            code: event.code,
            modifiers,
        }
    }

    /// Returns the names of the keys that are not characters.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        NAMED.iter().map(|&(name, _)| name)
    }

    /// Returns the key of that name, modifiers included, or `None` if there is none.
    pub(crate) fn named(text: &str) -> Option<Self> {
        let mut modifiers = KeyModifiers::NONE;
        let mut rest = text;
        loop {
            if let Some(after) = rest.strip_prefix("ctrl-") {
                modifiers |= KeyModifiers::CONTROL;
                rest = after;
            } else if let Some(after) = rest.strip_prefix("shift-") {
                modifiers |= KeyModifiers::SHIFT;
                rest = after;
            } else {
                break;
            }
        }
        let mut chars = rest.chars();
        let code = match (chars.next()?, chars.next()) {
            (char, None) => KeyCode::Char(char),
            ('f', Some('0'..='9')) => KeyCode::F(
                rest[1..]
                    .parse()
                    .ok()
                    .filter(|number| (1..=12).contains(number))?,
            ),
            _ => NAMED.iter().find(|(name, _)| *name == rest)?.1,
        };
        Some(Self { code, modifiers })
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.modifiers.contains(KeyModifiers::CONTROL) {
            f.write_str("^")?;
        }
        if self.modifiers.contains(KeyModifiers::SHIFT) {
            f.write_str("shift-")?;
        }
        match self.code {
            KeyCode::PageUp => f.write_str("PgUp"),
            KeyCode::PageDown => f.write_str("PgDn"),
            KeyCode::F(number) => write!(f, "F{number}"),
            KeyCode::Char(char) if char != ' ' => {
                let is_control = self.modifiers.contains(KeyModifiers::CONTROL);
                let char = if is_control {
                    char.to_ascii_uppercase()
                } else {
                    char
                };
                write!(f, "{char}")
            }
            code => {
                let name = NAMED
                    .iter()
                    .find(|(_, named)| *named == code)
                    .map_or("?", |(name, _)| name);
                f.write_str(name)
            }
        }
    }
}

impl Default for Keymap {
    fn default() -> Self {
        Self::shipped()
    }
}

impl Keymap {
    /// Returns the keymap that comes with fairscope.
    ///
    /// # Panics
    /// Never: a test reads the shipped keymap.
    #[must_use]
    pub fn shipped() -> Self {
        Self::parse(SHIPPED).expect("the shipped keymap is read by a test")
    }

    /// Reads a keymap: a table of actions, each with its list of keys.
    ///
    /// # Errors
    /// If an action or a key does not exist, or a key has two actions.
    pub fn parse(text: &str) -> Result<Self, KeymapError> {
        let table: BTreeMap<String, Vec<String>> = toml::from_str(text)
            .map_err(|error| KeymapError::Form(shown(error.message().as_bytes())))?;
        let mut actions = HashMap::new();
        let mut keys = Vec::new();
        for (name, texts) in table {
            let action =
                Action::named(&name).ok_or_else(|| KeymapError::Action(shown(name.as_bytes())))?;
            let mut own = Vec::new();
            for text in texts {
                let key = Key::named(&text).ok_or_else(|| KeymapError::Key {
                    action: shown(name.as_bytes()),
                    key: shown(text.as_bytes()),
                })?;
                if actions.insert(key, action).is_some() {
                    return Err(KeymapError::Twice(shown(text.as_bytes())));
                }
                own.push(key);
            }
            keys.push((action, own));
        }
        Ok(Self { actions, keys })
    }

    /// Gives an action these keys in place of its own. A key of another action is taken from it.
    pub(crate) fn rebind(&mut self, action: Action, keys: Vec<Key>) {
        self.actions.retain(|_, bound| *bound != action);
        for (_, own) in &mut self.keys {
            own.retain(|key| !keys.contains(key));
        }
        self.actions.extend(keys.iter().map(|&key| (key, action)));
        if let Some((_, own)) = self.keys.iter_mut().find(|(bound, _)| *bound == action) {
            *own = keys;
        }
    }

    /// Returns the action of a key, or `None` if it has none.
    #[must_use]
    pub fn action(&self, key: Key) -> Option<Action> {
        self.actions.get(&key).copied()
    }

    /// Returns the keys of an action, the first one first.
    #[must_use]
    pub fn keys(&self, action: Action) -> &[Key] {
        self.keys
            .iter()
            .find(|(known, _)| *known == action)
            .map_or(&[], |(_, keys)| keys)
    }

    /// Returns the first key of an action as text; empty if it has none.
    #[must_use]
    pub fn hint(&self, action: Action) -> String {
        self.keys(action)
            .first()
            .map(ToString::to_string)
            .unwrap_or_default()
    }
}
