//! Keys by their names, bindings, and which of them asks for which action, as `assets/keymap.toml` says.

use crate::tui::input::action::Action;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::collections::BTreeMap;

pub(crate) const SHIPPED: &str = include_str!("../../../assets/keymap.toml");

/// Which key does what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keymap {
    /// The bindings of each action, the first ones first. No two of them exclude each other.
    bindings: Vec<(Action, Vec<Binding>)>,
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
        let mut bindings: Vec<(Action, Vec<Binding>)> = Vec::new();
        for (name, texts) in table {
            bindings.push((Action::named(&name)?, Vec::new()));
            for text in texts {
                let binding = Binding::named(&text)?;
                let mut given = bindings.iter().flat_map(|(_, own)| own);
                if given.any(|&other| other.excludes(binding)) {
                    return None;
                }
                bindings.last_mut()?.1.push(binding);
            }
        }
        Some(Self { bindings })
    }

    /// Gives an action these bindings in place of its own. They are taken from other actions, with all that cannot be
    /// pressed beside them: a key loses what followed it as a prefix.
    pub(crate) fn rebind(&mut self, action: Action, bindings: Vec<Binding>) {
        for (_, own) in &mut self.bindings {
            own.retain(|&old| bindings.iter().all(|&new| !new.excludes(old)));
        }
        if let Some((_, own)) = self.bindings.iter_mut().find(|(bound, _)| *bound == action) {
            *own = bindings;
        }
    }

    /// Returns the action of a key behind a prefix or alone, or `None` if it has none.
    pub fn action(&self, prefix: Option<Key>, key: Key) -> Option<Action> {
        let wanted = Binding { prefix, key };
        let mut bound = self.bindings.iter();
        let found = bound.find(|(_, own)| own.contains(&wanted));
        found.map(|&(action, _)| action)
    }

    /// Returns the actions behind a prefix with the last key of each, in the order of help.
    pub(crate) fn behind(&self, prefix: Key) -> Vec<(Key, Action)> {
        let actions = Action::ALL.iter();
        let keys = actions.flat_map(|&action| {
            let own = self.keys(action).iter();
            own.filter(|binding| binding.prefix == Some(prefix))
                .map(move |binding| (binding.key, action))
        });
        keys.collect()
    }

    /// Returns the keys of an action, the first ones first.
    pub fn keys(&self, action: Action) -> &[Binding] {
        let mut bound = self.bindings.iter();
        let own = bound.find(|(known, _)| *known == action);
        own.map_or(&[], |(_, own)| own)
    }

    /// Returns the first binding of an action as text; empty if it has none.
    pub fn hint(&self, action: Action) -> String {
        let first = self.keys(action).first();
        first.map(ToString::to_string).unwrap_or_default()
    }
}

/// A key with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    code: KeyCode,
    modifiers: KeyModifiers,
}

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

const MODIFIERS: [(KeyModifiers, &str); 2] = [
    (KeyModifiers::CONTROL, "ctrl-"),
    (KeyModifiers::SHIFT, "shift-"),
];

fn name_of(code: KeyCode) -> Option<&'static str> {
    let mut named = NAMED.iter().filter(|(_, named)| *named == code);
    named.next().map(|&(name, _)| name)
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

    pub(crate) fn event(self) -> KeyEvent {
        let code = match self.code {
            KeyCode::Tab if self.modifiers.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
            code => code,
        };
        KeyEvent::new(code, self.modifiers)
    }

    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        NAMED.iter().map(|&(name, _)| name)
    }

    /// Returns the key of that name, modifiers included, or `None` if there is none.
    pub(crate) fn named(text: &str) -> Option<Self> {
        let mut modifiers = KeyModifiers::NONE;
        let mut rest = text;
        while let Some((modifier, after)) = MODIFIERS
            .iter()
            .find_map(|(modifier, before)| Some((modifier, rest.strip_prefix(before)?)))
        {
            modifiers |= *modifier;
            rest = after;
        }
        let mut chars = rest.chars();
        let code = match (chars.next()?, chars.next()) {
            (char, None) => KeyCode::Char(char),
            ('f', Some('0'..='9')) => {
                let number = rest[1..].parse().ok();
                KeyCode::F(number.filter(|number| (1..=12).contains(number))?)
            }
            _ => NAMED.iter().find(|(name, _)| *name == rest)?.1,
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
        let (prefix, key) = match text.split_once(' ') {
            Some((prefix, key)) => (Some(Key::named(prefix)?), key),
            None => (None, text),
        };
        let key = Key::named(key)?;
        Some(Self { prefix, key })
    }

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
