//! Keys by their names, bindings, and which of them asks for which action, as `assets/keymap.toml` says.

use crate::tui::input::action::Action;
use crate::tui::input::event::{KeyCode, KeyEvent, KeyModifiers};
use std::collections::BTreeMap;

/// The keymap that comes with fairscope.
pub(crate) const SHIPPED: &str = include_str!("../../../assets/keymap.toml");

/// Which key does what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keymap {
    /// The bindings of each action. No two of them exclude each other.
    bindings: Vec<Bound>,
}

/// An action with its bindings, the first ones first.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Bound {
    action: Action,
    keys: Vec<Binding>,
}

impl Default for Keymap {
    /// Returns the keymap that comes with fairscope.
    fn default() -> Self {
        Self::parse(SHIPPED).expect("the shipped keymap is read by a test")
    }
}

impl Keymap {
    /// Reads a table of actions, each with its keys. `None` if an action or a key is unknown, or a key has two meanings.
    pub fn parse(text: &str) -> Option<Self> {
        let table: BTreeMap<String, Vec<String>> = toml::from_str(text).ok()?;
        let mut given: Vec<Binding> = Vec::new();
        let mut bindings = Vec::new();
        for (name, texts) in table {
            let action = Action::named(&name)?;
            let mut keys = Vec::new();
            for text in texts {
                let key = Binding::named(&text)?;
                if given.iter().any(|other| other.excludes(key)) {
                    return None;
                }
                given.push(key);
                keys.push(key);
            }
            bindings.push(Bound { action, keys });
        }
        Some(Self { bindings })
    }

    /// Gives an action these bindings instead of its own. They are taken from other actions, with all that cannot be
    /// pressed beside them: a key loses what followed it as a prefix.
    pub(crate) fn rebind(&mut self, action: Action, keys: Vec<Binding>) {
        for bound in &mut self.bindings {
            for &new in &keys {
                bound.keys.retain(|&old| !new.excludes(old));
            }
        }
        for bound in &mut self.bindings {
            if bound.action == action {
                bound.keys = keys;
                return;
            }
        }
    }

    /// Returns the action of a key behind a prefix or alone, or `None` if it has none.
    pub fn action(&self, prefix: Option<Key>, key: Key) -> Option<Action> {
        let wanted = Binding { prefix, key };
        for bound in &self.bindings {
            if bound.keys.contains(&wanted) {
                return Some(bound.action);
            }
        }
        None
    }

    /// Returns the actions behind a prefix with the last key of each, in the order of help.
    pub(crate) fn behind(&self, prefix: Key) -> Vec<(Key, Action)> {
        let mut behind = Vec::new();
        for &action in Action::ALL {
            for binding in self.keys(action) {
                if binding.prefix == Some(prefix) {
                    behind.push((binding.key, action));
                }
            }
        }
        behind
    }

    /// Returns the keys of an action, the first ones first.
    pub fn keys(&self, action: Action) -> &[Binding] {
        for bound in &self.bindings {
            if bound.action == action {
                return &bound.keys;
            }
        }
        &[]
    }

    /// Returns the first binding of an action as text; empty if it has none.
    pub fn hint(&self, action: Action) -> String {
        match self.keys(action).first() {
            Some(first) => first.to_string(),
            None => String::new(),
        }
    }
}

/// A key with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    code: KeyCode,
    modifiers: KeyModifiers,
}

/// The keys that have names.
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

/// The modifiers, and what stands before the name of a key that is pressed with one.
const MODIFIERS: &[(KeyModifiers, &str)] = &[
    (KeyModifiers::CONTROL, "ctrl-"),
    (KeyModifiers::SHIFT, "shift-"),
];

/// Returns the name of a key; `None` for a key that has none.
fn name_of(code: KeyCode) -> Option<&'static str> {
    for &(name, named) in NAMED {
        if named == code {
            return Some(name);
        }
    }
    None
}

/// Returns the modifier that stands first in the name of a key, and the rest; `None` if none does.
fn split_modifier(name: &str) -> Option<(KeyModifiers, &str)> {
    for &(modifier, before) in MODIFIERS {
        if let Some(rest) = name.strip_prefix(before) {
            return Some((modifier, rest));
        }
    }
    None
}

/// Returns the key of that name; `None` if there is none.
fn code_of(name: &str) -> Option<KeyCode> {
    for &(known, code) in NAMED {
        if known == name {
            return Some(code);
        }
    }
    None
}

impl Key {
    /// Returns the key of an event. Only some terminals report Shift with a capital letter, so it is left out there.
    pub fn of(event: KeyEvent) -> Self {
        let mut modifiers = event.modifiers & (KeyModifiers::CONTROL | KeyModifiers::SHIFT);
        let code = match event.code {
            KeyCode::Char(_) => {
                modifiers.remove(KeyModifiers::SHIFT);
                event.code
            }
            KeyCode::BackTab => {
                modifiers.insert(KeyModifiers::SHIFT);
                KeyCode::Tab
            }
            code => code,
        };
        Self { code, modifiers }
    }

    /// Returns the event of the key, as a terminal reports it.
    pub(crate) fn event(self) -> KeyEvent {
        let code = match self.code {
            KeyCode::Tab if self.modifiers.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
            code => code,
        };
        KeyEvent::new(code, self.modifiers)
    }

    /// Returns the names of the keys that have one.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        NAMED.iter().map(|&(name, _)| name)
    }

    /// Returns the key of that name, modifiers included, or `None` if there is none.
    pub(crate) fn named(text: &str) -> Option<Self> {
        let mut modifiers = KeyModifiers::NONE;
        let mut name = text;
        while let Some((modifier, rest)) = split_modifier(name) {
            modifiers |= modifier;
            name = rest;
        }
        let mut chars = name.chars();
        let code = match (chars.next()?, chars.next()) {
            (char, None) => KeyCode::Char(char),
            ('f', Some('0'..='9')) => match name[1..].parse() {
                Ok(number @ 1..=12) => KeyCode::F(number),
                _ => return None,
            },
            _ => code_of(name)?,
        };
        Some(Self { code, modifiers })
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let is_control = self.modifiers.contains(KeyModifiers::CONTROL);
        if is_control {
            f.write_str("^")?;
        }
        if self.modifiers.contains(KeyModifiers::SHIFT) {
            f.write_str("shift-")?;
        }
        match self.code {
            KeyCode::PageUp => f.write_str("PgUp"),
            KeyCode::PageDown => f.write_str("PgDn"),
            KeyCode::F(number) => write!(f, "F{number}"),
            KeyCode::Char(char) if char != ' ' && is_control => {
                write!(f, "{}", char.to_ascii_uppercase())
            }
            KeyCode::Char(char) if char != ' ' => write!(f, "{char}"),
            code => f.write_str(name_of(code).unwrap_or("?")),
        }
    }
}

/// What is pressed for an action: a key, or a prefix key and the one after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Binding {
    /// The key that is pressed first, if two are.
    pub prefix: Option<Key>,
    /// The last key.
    pub key: Key,
}

impl Binding {
    /// Returns the binding of that name: a key, or two with a blank between them. `None` if there is no such key.
    pub(crate) fn named(text: &str) -> Option<Self> {
        let Some((prefix, key)) = text.split_once(' ') else {
            return Some(Self {
                prefix: None,
                key: Key::named(text)?,
            });
        };
        Some(Self {
            prefix: Some(Key::named(prefix)?),
            key: Key::named(key)?,
        })
    }

    /// Returns the key that is pressed first.
    pub(crate) fn first(self) -> Key {
        self.prefix.unwrap_or(self.key)
    }

    /// Returns whether only one of the two can be pressed: they are the same, or one is the prefix of the other.
    pub(crate) fn excludes(self, other: Self) -> bool {
        let is_prefix = self.prefix.is_none() || other.prefix.is_none();
        self == other || is_prefix && self.first() == other.first()
    }
}

impl std::fmt::Display for Binding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(prefix) = self.prefix {
            write!(f, "{prefix} ")?;
        }
        write!(f, "{}", self.key)
    }
}
