//! Characters, control bytes and control sequences to keys and uses of the mouse, in the forms of xterm, rxvt, the Linux
//! console and terminals that encode keys as numbers.

use super::DecoderState;
use super::paste::Paste;
use crate::tui::input::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use vte::{Params, Perform};

/// What the state machine of control sequences tells its events to.
#[derive(Default)]
pub(super) struct Sink {
    /// The events so far.
    pub(super) events: Vec<Event>,
    /// Whether the next key is pressed with Alt.
    pub(super) has_alt: bool,
    /// Whether a sequence or a string has ended.
    pub(super) is_ended: bool,
    /// What a control sequence began: the bytes that follow are not for the state machine.
    pub(super) begun: Option<DecoderState>,
}

impl Sink {
    /// Gives a key, if there is one.
    pub(super) fn key(&mut self, key: Option<KeyEvent>) {
        let has_alt = std::mem::take(&mut self.has_alt);
        if let Some(mut key) = key {
            if has_alt {
                key.modifiers |= KeyModifiers::ALT;
            }
            self.events.push(Event::Key(key));
        }
    }

    /// Gives what a control sequence tells, or notes what it begins.
    fn sequence(&mut self, parameters: &Params, intermediates: &[u8], last: char) {
        let sequence = ControlSequence::new(parameters, last);
        self.begun = None;
        let event = match intermediates {
            b"<" => sequence.mouse(),
            b"" => {
                self.begun = sequence.begins();
                if self.begun.is_some() {
                    return;
                }
                sequence.event()
            }
            _ => None,
        };
        self.events.extend(event);
    }

    /// Gives pasted text, unless it is empty.
    pub(super) fn paste(&mut self, text: String) {
        if !text.is_empty() {
            self.events.push(Event::Paste(text));
        }
    }
}

/// A control sequence: its numbers, 0 where one is missing, and its letter. Parts of a number follow it after a colon.
struct ControlSequence {
    /// How many numbers there are.
    count: usize,
    first: u16,
    /// The second part of the first number.
    first_part: u16,
    second: u16,
    /// The second part of the second number.
    second_part: u16,
    third: u16,
    letter: u8,
}

impl ControlSequence {
    /// Reads the numbers of a sequence. Further ones tell nothing.
    fn new(parameters: &Params, last: char) -> Self {
        let mut sequence = Self {
            count: 0,
            first: 0,
            first_part: 0,
            second: 0,
            second_part: 0,
            third: 0,
            letter: u8::try_from(last).unwrap_or(0),
        };
        for parts in parameters {
            let number = parts.first().copied().unwrap_or(0);
            let part = parts.get(1).copied().unwrap_or(0);
            sequence.count += 1;
            match sequence.count {
                1 => {
                    sequence.first = number;
                    sequence.first_part = part;
                }
                2 => {
                    sequence.second = number;
                    sequence.second_part = part;
                }
                3 => sequence.third = number,
                _ => {}
            }
        }
        sequence
    }

    /// Returns whether it has no number but 0.
    const fn is_bare(&self) -> bool {
        self.count <= 1 && self.first == 0
    }

    /// Returns what it begins; `None` if it is complete.
    fn begins(&self) -> Option<DecoderState> {
        match self.letter {
            b'M' if self.is_bare() => Some(DecoderState::Mouse(Vec::new())),
            b'[' if self.is_bare() => Some(DecoderState::ConsoleKey),
            b'~' if self.first == 200 => Some(DecoderState::Paste(Paste::default())),
            _ => None,
        }
    }

    /// Returns the key or the use of the mouse that it reports without a sign before its numbers.
    fn event(&self) -> Option<Event> {
        if self.letter == b'M' {
            return of_mouse_numbers(self.first, self.second, self.third);
        }
        let key = self.key()?;
        Some(Event::Key(key))
    }

    /// Returns the use of the mouse that it reports. These reports tell which button was released.
    fn mouse(&self) -> Option<Event> {
        let is_release = match self.letter {
            b'M' => false,
            b'm' => true,
            _ => return None,
        };
        let button = u8::try_from(self.first).ok()?;
        mouse_event(button, self.second, self.third, is_release)
    }

    /// Returns the key that it reports; `None` if it reports something else.
    fn key(&self) -> Option<KeyEvent> {
        let key = match self.letter {
            // xterm with modifyOtherKeys: the number of the key comes third.
            b'~' if self.first == 27 => {
                let code = numbered(self.third, 0, self.second)?;
                KeyEvent::new(code, modifiers(self.second))
            }
            b'~' => {
                let code = editing(self.first)?;
                self.with_second(code)
            }
            b'^' => {
                let code = editing(self.first)?;
                KeyEvent::new(code, KeyModifiers::CONTROL)
            }
            b'@' => {
                let code = editing(self.first)?;
                let both = KeyModifiers::CONTROL | KeyModifiers::SHIFT;
                KeyEvent::new(code, both)
            }
            b'u' => {
                let code = numbered(self.first, self.first_part, self.second)?;
                self.with_second(code)
            }
            b'Z' => KeyEvent::new(KeyCode::BackTab, KeyModifiers::SHIFT),
            b'a'..=b'd' => {
                let arrow = small_arrow(self.letter)?;
                KeyEvent::new(arrow, KeyModifiers::SHIFT)
            }
            // A report of where the cursor is.
            b'R' if self.first > 1 => return None,
            // The modifiers of some older terminals are the only parameter.
            letter if self.count == 1 && self.first > 1 => {
                let code = lettered(letter)?;
                KeyEvent::new(code, modifiers(self.first))
            }
            letter => {
                let code = lettered(letter)?;
                self.with_second(code)
            }
        };
        Some(key)
    }

    /// Returns a key with what the second number tells: its modifiers, and whether it is pressed, held or released.
    fn with_second(&self, code: KeyCode) -> KeyEvent {
        let kind = match self.second_part {
            2 => KeyEventKind::Repeat,
            3 => KeyEventKind::Release,
            _ => KeyEventKind::Press,
        };
        KeyEvent::new_with_kind(code, modifiers(self.second), kind)
    }
}

impl Perform for Sink {
    fn print(&mut self, char: char) {
        self.is_ended = true;
        self.key(of_char(char));
    }

    fn execute(&mut self, byte: u8) {
        // These two end any sequence.
        self.is_ended |= matches!(byte, 0x18 | 0x1a);
        self.key(of_control(byte));
    }

    fn csi_dispatch(&mut self, parameters: &Params, middle: &[u8], is_cut: bool, last: char) {
        self.is_ended = true;
        if !is_cut {
            self.sequence(parameters, middle, last);
        }
    }

    fn osc_dispatch(&mut self, _: &[&[u8]], _: bool) {
        self.is_ended = true;
    }

    fn unhook(&mut self) {
        self.is_ended = true;
    }

    fn terminated(&self) -> bool {
        self.begun.is_some()
    }
}

/// Returns the modifiers that a number tells, 1 being none.
fn modifiers(parameter: u16) -> KeyModifiers {
    modifiers_of(u8::try_from(parameter.saturating_sub(1)).unwrap_or(0))
}

/// Returns the modifiers of these bits, the lowest one first.
fn modifiers_of(bits: u8) -> KeyModifiers {
    let mut modifiers = KeyModifiers::NONE;
    let mut left = bits;
    for modifier in [
        KeyModifiers::SHIFT,
        KeyModifiers::ALT,
        KeyModifiers::CONTROL,
        KeyModifiers::SUPER,
        KeyModifiers::HYPER,
        KeyModifiers::META,
    ] {
        if left & 1 == 1 {
            modifiers |= modifier;
        }
        left >>= 1;
    }
    modifiers
}

/// Returns the key of a character, or `None` for what stands for invalid bytes and for control characters above DEL.
pub(super) fn of_char(char: char) -> Option<KeyEvent> {
    match char {
        char::REPLACEMENT_CHARACTER | '\u{80}'..='\u{9f}' => None,
        '\x7f' => Some(KeyCode::Backspace.into()),
        char if char.is_uppercase() => {
            Some(KeyEvent::new(KeyCode::Char(char), KeyModifiers::SHIFT))
        }
        char => Some(KeyCode::Char(char).into()),
    }
}

/// Returns the key of a control byte; `None` from the blank on. Some terminals send a line feed for Enter.
pub(super) fn of_control(byte: u8) -> Option<KeyEvent> {
    let letter = match byte {
        b'\t' => return Some(KeyCode::Tab.into()),
        b'\r' | b'\n' => return Some(KeyCode::Enter.into()),
        0 => b' ',
        1..=0x1a => b'a' + byte - 1,
        0x1c..=0x1f => b'4' + byte - 0x1c,
        _ => return None,
    };
    let code = KeyCode::Char(letter.into());
    Some(KeyEvent::new(code, KeyModifiers::CONTROL))
}

/// Returns the key that a letter names at the end of a sequence.
fn lettered(letter: u8) -> Option<KeyCode> {
    Some(match letter {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        b'P'..=b'S' => KeyCode::F(letter - b'P' + 1),
        _ => return None,
    })
}

/// Returns the arrow that a small letter names, as rxvt sends arrows with modifiers.
fn small_arrow(letter: u8) -> Option<KeyCode> {
    match letter {
        b'a'..=b'd' => lettered(letter.to_ascii_uppercase()),
        _ => None,
    }
}

/// Returns the key after SS3, with its modifiers as a parameter.
pub(super) fn of_single_shift(letter: u8, parameter: u16) -> Option<KeyEvent> {
    if let Some(arrow) = small_arrow(letter) {
        return Some(KeyEvent::new(arrow, KeyModifiers::CONTROL));
    }
    let code = match letter {
        b'M' => KeyCode::Enter,
        letter => lettered(letter)?,
    };
    Some(KeyEvent::new(code, modifiers(parameter)))
}

/// Returns the function key of a letter on the Linux console.
pub(super) fn of_console(letter: u8) -> Option<KeyEvent> {
    match letter {
        b'A'..=b'E' => Some(KeyCode::F(letter - b'A' + 1).into()),
        _ => None,
    }
}

/// Returns the editing or function key of a number.
fn editing(number: u16) -> Option<KeyCode> {
    let function = match number {
        1 | 7 => return Some(KeyCode::Home),
        2 => return Some(KeyCode::Insert),
        3 => return Some(KeyCode::Delete),
        4 | 8 => return Some(KeyCode::End),
        5 => return Some(KeyCode::PageUp),
        6 => return Some(KeyCode::PageDown),
        11..=15 => number - 10,
        17..=21 => number - 11,
        23..=26 => number - 12,
        28..=29 => number - 13,
        31..=34 => number - 14,
        _ => return None,
    };
    Some(KeyCode::F(u8::try_from(function).ok()?))
}

/// The number of the first key of the number pad.
const FIRST_OF_PAD: u16 = 57_399;

/// The keys of the number pad that have a character, from the first one on.
const PAD_CHARS: &[u8] = b"0123456789./*-+\r=,";

/// The keys of the number pad behind those.
const PAD_KEYS: &[KeyCode] = &[
    KeyCode::Left,
    KeyCode::Right,
    KeyCode::Up,
    KeyCode::Down,
    KeyCode::PageUp,
    KeyCode::PageDown,
    KeyCode::Home,
    KeyCode::End,
    KeyCode::Insert,
    KeyCode::Delete,
];

/// Returns the key of the number pad with a number; `None` if it is none.
fn of_pad(number: u16) -> Option<KeyCode> {
    let place = usize::from(number.checked_sub(FIRST_OF_PAD)?);
    match PAD_CHARS.get(place) {
        Some(b'\r') => Some(KeyCode::Enter),
        Some(&char) => Some(KeyCode::Char(char.into())),
        None => PAD_KEYS.get(place - PAD_CHARS.len()).copied(),
    }
}

/// Returns the key of a code point and of the one with Shift, 0 if there is none; or `None` for codes of keys that no
/// keyboard map uses, such as Caps Lock.
fn numbered(number: u16, shifted: u16, parameter: u16) -> Option<KeyCode> {
    if let Some(code) = of_pad(number) {
        return Some(code);
    }
    let has_shift = modifiers(parameter).contains(KeyModifiers::SHIFT);
    let mut typed = number;
    if has_shift && shifted != 0 {
        typed = shifted;
    }
    let char = char::from_u32(typed.into())?;
    match char {
        '\x1b' => Some(KeyCode::Esc),
        '\r' | '\n' => Some(KeyCode::Enter),
        '\t' if has_shift => Some(KeyCode::BackTab),
        '\t' => Some(KeyCode::Tab),
        '\x08' | '\x7f' => Some(KeyCode::Backspace),
        // Larger code points are cut to the last of these.
        '\0'..' ' | '\u{80}'..='\u{9f}' | '\u{e000}'..='\u{f8ff}' | '\u{ffff}' => None,
        _ if has_shift => Some(KeyCode::Char(capital(char))),
        _ => Some(KeyCode::Char(char)),
    }
}

/// Returns the capital of a letter, or the letter itself if its capital is several characters.
fn capital(letter: char) -> char {
    let mut upper = letter.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(capital), None) => capital,
        _ => letter,
    }
}

/// What is added to each number of a report so that it is a printable byte.
pub(super) const OFFSET: u8 = 32;

/// The bits of the modifiers in the first number of a report.
const MODIFIERS: u8 = 0b1_1100;

/// The bit of motion in it.
const MOTION: u8 = 32;

/// The higher bits of the button in it.
const HIGH: u8 = 0b1100_0000;

/// Returns the event of a report whose button has the offset of the oldest encoding, or `None` if it is none. The upper
/// left cell is 1, 1 in all reports.
pub(super) fn of_mouse_numbers(button: u16, column: u16, row: u16) -> Option<Event> {
    let button = u8::try_from(button).ok()?.checked_sub(OFFSET)?;
    mouse_event(button, column, row, false)
}

/// Returns the use of the mouse that the numbers of a report tell, without the offset of the oldest encoding.
fn mouse_event(button: u8, column: u16, row: u16, is_release: bool) -> Option<Event> {
    Some(Event::Mouse(MouseEvent {
        kind: mouse_kind(button, is_release)?,
        column: column.checked_sub(1)?,
        row: row.checked_sub(1)?,
        modifiers: modifiers_of((button & MODIFIERS) >> 2),
    }))
}

/// Returns what is done with which button; `None` for a button that has no name.
fn mouse_kind(button: u8, is_release: bool) -> Option<MouseEventKind> {
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
