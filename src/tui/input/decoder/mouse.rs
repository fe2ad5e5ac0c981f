//! Reports of the mouse, in the three encodings that terminals use.

use crossterm::event::{Event, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

/// What is added to each number of a report so that it is a printable byte.
const OFFSET: u8 = 32;

/// Bits of the first number: modifiers, motion and the higher bits of the button.
const SHIFT: u8 = 4;
const ALT: u8 = 8;
const CONTROL: u8 = 16;
const MOTION: u8 = 32;
const HIGH: u8 = 0b1100_0000;

/// Returns the event of a report as three bytes, or `None` if it is none. The upper left cell is 1, 1 in all reports.
pub(super) fn of_bytes(button: u8, column: u8, row: u8) -> Option<Event> {
    let number = |byte: u8| byte.checked_sub(OFFSET).map(u16::from);
    of_numbers(button.into(), number(column)?, number(row)?)
}

/// Returns the event of a report as numbers with the offset of the oldest encoding, or `None` if it is none.
pub(super) fn of_numbers(button: u16, column: u16, row: u16) -> Option<Event> {
    let button = u8::try_from(button).ok()?.checked_sub(OFFSET)?;
    event(button, column, row, false)
}

/// Returns the event of a report that tells which button was released, or `None` if it is none.
pub(super) fn of_sgr(button: u16, column: u16, row: u16, is_release: bool) -> Option<Event> {
    event(u8::try_from(button).ok()?, column, row, is_release)
}

fn event(button: u8, column: u16, row: u16, is_release: bool) -> Option<Event> {
    let mut modifiers = KeyModifiers::NONE;
    modifiers.set(KeyModifiers::SHIFT, button & SHIFT != 0);
    modifiers.set(KeyModifiers::ALT, button & ALT != 0);
    modifiers.set(KeyModifiers::CONTROL, button & CONTROL != 0);
    Some(Event::Mouse(MouseEvent {
        kind: kind(button, is_release)?,
        column: column.checked_sub(1)?,
        row: row.checked_sub(1)?,
        modifiers,
    }))
}

fn kind(button: u8, is_release: bool) -> Option<MouseEventKind> {
    let number = button & 0b11 | (button & HIGH) >> 4;
    let named = match number {
        1 => MouseButton::Middle,
        2 => MouseButton::Right,
        _ => MouseButton::Left,
    };
    Some(match (number, button & MOTION != 0) {
        (0..=2, false) if is_release => MouseEventKind::Up(named),
        (0..=2, false) => MouseEventKind::Down(named),
        (0..=2, true) => MouseEventKind::Drag(named),
        // The older encodings do not tell which button was released.
        (3, false) => MouseEventKind::Up(MouseButton::Left),
        (3..=5, true) => MouseEventKind::Moved,
        (4, false) => MouseEventKind::ScrollUp,
        (5, false) => MouseEventKind::ScrollDown,
        (6, false) => MouseEventKind::ScrollLeft,
        (7, false) => MouseEventKind::ScrollRight,
        _ => return None,
    })
}
