//! Keys by their names, and bindings: a key, or a prefix key and the one after it.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

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

    /// Returns the name that [`Key::named`] reads back, or `None` for a key without a name.
    pub(crate) fn name(self) -> Option<String> {
        let mut name = String::new();
        for (modifier, before) in MODIFIERS {
            if self.modifiers.contains(modifier) {
                name.push_str(before);
            }
        }
        match self.code {
            KeyCode::Char(char) if char != ' ' => name.push(char),
            KeyCode::F(number) => name = format!("{name}f{number}"),
            code => name.push_str(name_of(code)?),
        }
        Self::named(&name).map(|_| name)
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

    /// Returns the name that [`Binding::named`] reads back, or `None` for a key without a name.
    pub(crate) fn name(self) -> Option<String> {
        let key = self.key.name()?;
        Some(match self.prefix {
            Some(prefix) => format!("{} {key}", prefix.name()?),
            None => key,
        })
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
