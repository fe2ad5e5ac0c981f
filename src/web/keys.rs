//! Keys, by the names that a browser gives them.

use crate::tui::event::{KeyCode, KeyEvent, KeyModifiers};

/// Returns the key of that name with modifiers, or `None` if the explorer knows no such key.
pub(super) fn key_of(name: &str, modifiers: u8) -> Option<KeyEvent> {
    let code = code_of(name)?;
    let held = modifiers_of(modifiers);
    Some(match code {
        // A character is typed with its shift.
        KeyCode::Char(_) => KeyEvent::new(code, held - KeyModifiers::SHIFT),
        KeyCode::Tab if held.contains(KeyModifiers::SHIFT) => KeyEvent::new(KeyCode::BackTab, held),
        _ => KeyEvent::new(code, held),
    })
}

/// Returns modifiers by their bits: 1 is shift, 2 control, 4 alt.
pub(super) fn modifiers_of(bits: u8) -> KeyModifiers {
    let mut modifiers = KeyModifiers::NONE;
    for (bit, modifier) in [
        (1, KeyModifiers::SHIFT),
        (2, KeyModifiers::CONTROL),
        (4, KeyModifiers::ALT),
    ] {
        if bits & bit != 0 {
            modifiers.insert(modifier);
        }
    }
    modifiers
}

/// Returns the key of the name that a browser gives it: a character, or a word such as `ArrowUp`.
fn code_of(name: &str) -> Option<KeyCode> {
    let mut characters = name.chars();
    if let (Some(character), None) = (characters.next(), characters.next()) {
        return Some(KeyCode::Char(character));
    }
    Some(match name {
        "ArrowUp" => KeyCode::Up,
        "ArrowDown" => KeyCode::Down,
        "ArrowLeft" => KeyCode::Left,
        "ArrowRight" => KeyCode::Right,
        "PageUp" => KeyCode::PageUp,
        "PageDown" => KeyCode::PageDown,
        "Home" => KeyCode::Home,
        "End" => KeyCode::End,
        "Delete" => KeyCode::Delete,
        "Backspace" => KeyCode::Backspace,
        "Enter" => KeyCode::Enter,
        "Tab" => KeyCode::Tab,
        "Escape" => KeyCode::Esc,
        _ => KeyCode::F(name.strip_prefix('F')?.parse().ok()?),
    })
}
