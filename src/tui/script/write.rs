//! Writing scripts: each event as the words that are read back as that event.

use super::ScriptEvent;
use super::words::{CAPTION, DOUBLE_CLICK, MOUSE, PASTE, RESIZE};
use crate::base::shown::is_shown;
use crate::tui::input::key::Key;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::time::Duration;

/// Writes the events of a recording one after the other.
#[derive(Debug, Default)]
pub struct Writer {
    /// The sum of the pauses so far in hundredths of a second, so that roundings do not add up.
    written: u128,
}

impl Writer {
    /// Returns the line of an event at a time since the start, or `None` for a key without a name.
    pub fn line(&mut self, at: Duration, event: &ScriptEvent) -> Option<String> {
        let words = words(event)?;
        let at = at.as_millis().div_ceil(10).max(self.written);
        let pause = at - std::mem::replace(&mut self.written, at);
        Some(format!("+{}.{:02} {words}\n", pause / 100, pause % 100))
    }
}

/// Returns the words of an event, or `None` for a key without a name and what the explorer takes no notice of.
pub(super) fn words(event: &ScriptEvent) -> Option<String> {
    Some(match event {
        ScriptEvent::Key(key) => key_words(*key)?,
        ScriptEvent::Paste(text) => format!("{PASTE}={}", quoted(text)),
        ScriptEvent::Mouse(event) => {
            let (name, _) = MOUSE.iter().find(|(_, kind)| *kind == event.kind)?;
            format!(
                "{name}={},{}",
                event.column.saturating_add(1),
                event.row.saturating_add(1)
            )
        }
        ScriptEvent::DoubleClick(at) => {
            format!(
                "{DOUBLE_CLICK}={},{}",
                at.x.saturating_add(1),
                at.y.saturating_add(1)
            )
        }
        ScriptEvent::Resize(size) => format!("{RESIZE}={}x{}", size.width, size.height),
        ScriptEvent::Caption(text) => format!("{CAPTION}={}", quoted(text)),
    })
}

/// Returns the words of a key. Alt is written as the explorer reads it: as esc and the key.
fn key_words(key: KeyEvent) -> Option<String> {
    let (before, modifiers) = if key.modifiers.contains(KeyModifiers::ALT) {
        ("esc ", key.modifiers - KeyModifiers::ALT)
    } else {
        ("", key.modifiers)
    };
    let key = KeyEvent::new(key.code, modifiers);
    let mut bytes = [0; 4];
    let word = match key.code {
        KeyCode::Char(char) if char != ' ' && !is_drawn(char) => {
            let is_typed = !modifiers.contains(KeyModifiers::CONTROL);
            is_typed.then(|| quoted(char.encode_utf8(&mut bytes)))?
        }
        _ => Key::of(key).name()?,
    };
    Some(format!("{before}{word}"))
}

/// Returns whether a character is drawn as itself and does not separate words.
fn is_drawn(char: char) -> bool {
    !char.is_whitespace() && is_shown(char.encode_utf8(&mut [0; 4]))
}

/// Returns text in quotes. What a terminal would not draw as itself is written out.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for char in text.chars() {
        match char {
            '"' | '\\' => quoted.extend(['\\', char]),
            char if char == ' ' || is_drawn(char) => quoted.push(char),
            char => quoted.extend(char.escape_unicode()),
        }
    }
    quoted.push('"');
    quoted
}
