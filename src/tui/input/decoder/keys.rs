//! Characters, control bytes and control sequences to keys and uses of the mouse, in the forms of xterm, rxvt, the Linux
//! console and terminals that encode keys as numbers.

use super::DecoderState;
use super::paste::Paste;
use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use vte::{Params, Perform};

#[derive(Default)]
pub(super) struct Sink {
    pub(super) events: Vec<Event>,
    pub(super) has_alt: bool,
    /// Whether a sequence or a string has ended.
    pub(super) is_ended: bool,
    /// What a control sequence began: the bytes that follow are not for the state machine.
    pub(super) begun: Option<DecoderState>,
}

impl Sink {
    pub(super) fn key(&mut self, key: Option<KeyEvent>) {
        let has_alt = std::mem::take(&mut self.has_alt);
        self.events.extend(key.map(|mut key| {
            if has_alt {
                key.modifiers |= KeyModifiers::ALT;
            }
            Event::Key(key)
        }));
    }

    fn sequence(&mut self, parameters: &Params, intermediates: &[u8], last: char) {
        // 0 where one is missing. Parts of a number follow it after a colon.
        let number = |place, part| {
            let parts: &[u16] = parameters.iter().nth(place).unwrap_or_default();
            parts.get(part).copied().unwrap_or(0)
        };
        let [first, second, third] = [0, 1, 2].map(|place| number(place, 0));
        let kind = match number(1, 1) {
            2 => KeyEventKind::Repeat,
            3 => KeyEventKind::Release,
            _ => KeyEventKind::Press,
        };
        let key = |code: Option<KeyCode>| {
            code.map(|code| KeyEvent::new_with_kind(code, modifiers(second), kind))
        };
        let with =
            |code: Option<KeyCode>, modifiers| code.map(|code| KeyEvent::new(code, modifiers));
        let count = parameters.iter().count();
        let letter = u8::try_from(last).unwrap_or(0);
        let is_bare = count <= 1 && first == 0;
        self.begun = match (intermediates, letter) {
            (b"", b'M') if is_bare => Some(DecoderState::Mouse(Vec::new())),
            (b"", b'[') if is_bare => Some(DecoderState::ConsoleKey),
            (b"", b'~') if first == 200 => Some(DecoderState::Paste(Paste::default())),
            _ => None,
        };
        if self.begun.is_some() {
            return;
        }
        let key = match (intermediates, letter) {
            (b"<", b'M' | b'm') => {
                // These reports tell which button was released.
                let button = u8::try_from(first).ok();
                let event = |button| mouse_event(button, second, third, letter == b'm');
                return self.events.extend(button.and_then(event));
            }
            (b"", b'M') => return self.events.extend(of_mouse_numbers(first, second, third)),
            // xterm with modifyOtherKeys: the number of the key comes third.
            (b"", b'~') if first == 27 => with(numbered(third, 0, second), modifiers(second)),
            (b"", b'~') => key(editing(first)),
            (b"", b'^') => with(editing(first), KeyModifiers::CONTROL),
            (b"", b'@') => with(editing(first), KeyModifiers::CONTROL | KeyModifiers::SHIFT),
            (b"", b'u') => key(numbered(first, number(0, 1), second)),
            (b"", b'Z') => with(Some(KeyCode::BackTab), KeyModifiers::SHIFT),
            (b"", b'a'..=b'd') => with(small_arrow(letter), KeyModifiers::SHIFT),
            // A report of where the cursor is.
            (b"", b'R') if first > 1 => None,
            // The modifiers of some older terminals are the only parameter.
            (b"", _) if count == 1 && first > 1 => with(lettered(letter), modifiers(first)),
            (b"", _) => key(lettered(letter)),
            _ => None,
        };
        self.events.extend(key.map(Event::Key));
    }

    pub(super) fn paste(&mut self, text: String) {
        if !text.is_empty() {
            self.events.push(Event::Paste(text));
        }
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

fn modifiers(parameter: u16) -> KeyModifiers {
    modifiers_of(u8::try_from(parameter.saturating_sub(1)).unwrap_or(0))
}

/// Returns the modifiers of these bits, the lowest one first.
fn modifiers_of(bits: u8) -> KeyModifiers {
    let modifiers = [
        KeyModifiers::SHIFT,
        KeyModifiers::ALT,
        KeyModifiers::CONTROL,
        KeyModifiers::SUPER,
        KeyModifiers::HYPER,
        KeyModifiers::META,
    ];
    let set = (0..).zip(modifiers).filter(|(bit, _)| bits >> bit & 1 != 0);
    set.map(|(_, modifier)| modifier).collect()
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
    let char = match byte {
        b'\t' => return Some(KeyCode::Tab.into()),
        b'\r' | b'\n' => return Some(KeyCode::Enter.into()),
        0 => ' ',
        1..=0x1a => char::from(b'a' + byte - 1),
        0x1c..=0x1f => char::from(b'4' + byte - 0x1c),
        _ => return None,
    };
    Some(KeyEvent::new(KeyCode::Char(char), KeyModifiers::CONTROL))
}

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
    let small = Some(letter).filter(|letter| matches!(letter, b'a'..=b'd'));
    lettered(small?.to_ascii_uppercase())
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

pub(super) fn of_console(letter: u8) -> Option<KeyEvent> {
    matches!(letter, b'A'..=b'E').then(|| KeyCode::F(letter - b'A' + 1).into())
}

fn editing(number: u16) -> Option<KeyCode> {
    let function = |number: u16| u8::try_from(number).ok().map(KeyCode::F);
    match number {
        1 | 7 => Some(KeyCode::Home),
        2 => Some(KeyCode::Insert),
        3 => Some(KeyCode::Delete),
        4 | 8 => Some(KeyCode::End),
        5 => Some(KeyCode::PageUp),
        6 => Some(KeyCode::PageDown),
        11..=15 => function(number - 10),
        17..=21 => function(number - 11),
        23..=26 => function(number - 12),
        28..=29 => function(number - 13),
        31..=34 => function(number - 14),
        _ => None,
    }
}

/// The keys of the number pad, from [`FIRST_OF_PAD`] on: those with a character, and the others behind them.
const PAD_CHARS: &[u8] = b"0123456789./*-+\r=,";
const PAD_KEYS: [KeyCode; 10] = {
    use KeyCode::{Delete, Down, End, Home, Insert, Left, PageDown, PageUp, Right, Up};
    [
        Left, Right, Up, Down, PageUp, PageDown, Home, End, Insert, Delete,
    ]
};
const FIRST_OF_PAD: u16 = 57_399;

fn of_pad(number: u16) -> Option<KeyCode> {
    let place = usize::from(number.checked_sub(FIRST_OF_PAD)?);
    match PAD_CHARS.get(place) {
        Some(b'\r') => Some(KeyCode::Enter),
        Some(&char) => Some(KeyCode::Char(char.into())),
        None => PAD_KEYS.get(place - PAD_CHARS.len()).copied(),
    }
}

/// Returns the key of a code point and of the one with Shift, 0 if there is none; or `None` for codes of keys that no keyboard map uses, such as Caps Lock.
fn numbered(number: u16, shifted: u16, parameter: u16) -> Option<KeyCode> {
    if let Some(code) = of_pad(number) {
        return Some(code);
    }
    let has_shift = modifiers(parameter).contains(KeyModifiers::SHIFT);
    let shifted = Some(shifted).filter(|&shifted| has_shift && shifted != 0);
    match char::from_u32(shifted.unwrap_or(number).into())? {
        '\x1b' => Some(KeyCode::Esc),
        '\r' | '\n' => Some(KeyCode::Enter),
        '\t' if has_shift => Some(KeyCode::BackTab),
        '\t' => Some(KeyCode::Tab),
        '\x08' | '\x7f' => Some(KeyCode::Backspace),
        // Larger code points are cut to the last of these.
        '\0'..' ' | '\u{80}'..='\u{9f}' | '\u{e000}'..='\u{f8ff}' | '\u{ffff}' => None,
        char if has_shift => {
            let mut upper = char.to_uppercase();
            let only = upper.next().filter(|_| upper.next().is_none());
            Some(KeyCode::Char(only.unwrap_or(char)))
        }
        char => Some(KeyCode::Char(char)),
    }
}

/// What is added to each number of a report so that it is a printable byte.
pub(super) const OFFSET: u8 = 32;

/// Bits of the first number: modifiers, from the third bit on, motion and the higher bits of the button.
const MODIFIERS: u8 = 0b1_1100;
const MOTION: u8 = 32;
const HIGH: u8 = 0b1100_0000;

/// Returns the event of a report whose button has the offset of the oldest encoding, or `None` if it is none. The upper
/// left cell is 1, 1 in all reports.
pub(super) fn of_mouse_numbers(button: u16, column: u16, row: u16) -> Option<Event> {
    let button = u8::try_from(button).ok()?.checked_sub(OFFSET)?;
    mouse_event(button, column, row, false)
}

fn mouse_event(button: u8, column: u16, row: u16, is_release: bool) -> Option<Event> {
    Some(Event::Mouse(MouseEvent {
        kind: mouse_kind(button, is_release)?,
        column: column.checked_sub(1)?,
        row: row.checked_sub(1)?,
        modifiers: modifiers_of((button & MODIFIERS) >> 2),
    }))
}

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
