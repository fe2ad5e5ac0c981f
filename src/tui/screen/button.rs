//! A key with what it does, which a click presses.

use crate::tui::input::key::Key;
use crate::tui::widget::theme::Theme;
use crate::tui::widget::viewport::{Click, Regions};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Returns the name of a key.
pub(crate) fn key_name(code: KeyCode) -> String {
    Key::of(KeyEvent::new(code, KeyModifiers::NONE)).to_string()
}

/// Draws a key and what it does at the left of an area. Returns the column behind both.
pub(crate) fn draw(
    theme: &Theme,
    (code, text): (KeyCode, &str),
    area: Rect,
    buffer: &mut Buffer,
    regions: &mut Regions,
) -> u16 {
    let room = |x: u16| usize::from(area.right().saturating_sub(x));
    let (x, _) = buffer.set_stringn(area.x, area.y, key_name(code), room(area.x), theme.key);
    let (x, _) = buffer.set_stringn(x + 1, area.y, text, room(x + 1), theme.text);
    let place = Rect {
        width: x.saturating_sub(area.x),
        height: 1,
        ..area
    };
    regions.targets.push((place, Click::Key(code)));
    x
}
