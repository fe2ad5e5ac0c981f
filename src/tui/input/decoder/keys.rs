//! Characters, control bytes and control sequences to keys.
//!
//! The forms are those of xterm, rxvt, the Linux console and terminals that encode keys as numbers.

use super::mouse;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use vte::Params;

pub(super) const ESCAPE: u8 = 0x1b;

/// The byte of `^C`.
pub(super) const INTERRUPT: u8 = 0x03;

/// What a control sequence asks for.
pub(super) enum EscapeCommand {
    /// An event, or `None` for a sequence without meaning here.
    Event(Option<Event>),
    Paste,
    ConsoleKey,
    Mouse,
}

/// The first numbers of a control sequence, 0 where one is missing.
pub(super) struct Numbers {
    count: usize,
    first: u16,
    /// The key with Shift, which follows the first number after a colon.
    shifted: u16,
    second: u16,
    /// Whether the key is pressed, repeated or released, which follows the second number after a colon.
    kind: u16,
    third: u16,
}

impl Numbers {
    pub(super) fn of(parameters: &Params) -> Self {
        let number = |place, part| {
            let found = parameters.iter().nth(place);
            found
                .and_then(|parts| parts.get(part))
                .copied()
                .unwrap_or(0)
        };
        Self {
            count: parameters.iter().count(),
            first: number(0, 0),
            shifted: number(0, 1),
            second: number(1, 0),
            kind: number(1, 1),
            third: number(2, 0),
        }
    }

    fn key(&self, code: KeyCode) -> KeyEvent {
        let kind = match self.kind {
            2 => KeyEventKind::Repeat,
            3 => KeyEventKind::Release,
            _ => KeyEventKind::Press,
        };
        KeyEvent::new_with_kind(code, modifiers(self.second), kind)
    }
}

fn modifiers(parameter: u16) -> KeyModifiers {
    let bits = u8::try_from(parameter.saturating_sub(1)).unwrap_or(0);
    let mut modifiers = KeyModifiers::NONE;
    modifiers.set(KeyModifiers::SHIFT, bits & 1 != 0);
    modifiers.set(KeyModifiers::ALT, bits & 2 != 0);
    modifiers.set(KeyModifiers::CONTROL, bits & 4 != 0);
    modifiers.set(KeyModifiers::SUPER, bits & 8 != 0);
    modifiers.set(KeyModifiers::HYPER, bits & 16 != 0);
    modifiers.set(KeyModifiers::META, bits & 32 != 0);
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

/// Returns the key of a control byte, or `None` if it is not below the blank. A line feed is Enter, as some terminals
/// send it for that key.
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
    matches!(letter, b'a'..=b'd')
        .then(|| lettered(letter.to_ascii_uppercase()))
        .flatten()
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

pub(super) fn of_sequence(numbers: &Numbers, intermediates: &[u8], last: char) -> EscapeCommand {
    let &Numbers {
        first,
        second,
        third,
        ..
    } = numbers;
    let key = |code: Option<KeyCode>| code.map(|code| numbers.key(code));
    let with = |code: Option<KeyCode>, modifiers| code.map(|code| KeyEvent::new(code, modifiers));
    let letter = u8::try_from(last).unwrap_or(0);
    let is_bare = numbers.count <= 1 && first == 0;
    let key = match (intermediates, letter) {
        (b"<", b'M' | b'm') => {
            return EscapeCommand::Event(mouse::of_sgr(first, second, third, letter == b'm'));
        }
        (b"", b'M') if is_bare => return EscapeCommand::Mouse,
        (b"", b'M') => return EscapeCommand::Event(mouse::of_numbers(first, second, third)),
        (b"", b'[') if is_bare => return EscapeCommand::ConsoleKey,
        (b"", b'~') if first == 200 => return EscapeCommand::Paste,
        // xterm with modifyOtherKeys: the number of the key comes third.
        (b"", b'~') if first == 27 => with(numbered(third, 0, second), modifiers(second)),
        (b"", b'~') => key(editing(first)),
        (b"", b'^') => with(editing(first), KeyModifiers::CONTROL),
        (b"", b'@') => with(editing(first), KeyModifiers::CONTROL | KeyModifiers::SHIFT),
        (b"", b'u') => key(numbered(first, numbers.shifted, second)),
        (b"", b'Z') => with(Some(KeyCode::BackTab), KeyModifiers::SHIFT),
        (b"", b'a'..=b'd') => with(small_arrow(letter), KeyModifiers::SHIFT),
        // A report of where the cursor is.
        (b"", b'R') if first > 1 => None,
        // The modifiers of some older terminals are the only parameter.
        (b"", _) if numbers.count == 1 && first > 1 => with(lettered(letter), modifiers(first)),
        (b"", _) => key(lettered(letter)),
        _ => None,
    };
    EscapeCommand::Event(key.map(Event::Key))
}

fn editing(number: u16) -> Option<KeyCode> {
    let function = |from: u16, first: u8| {
        u8::try_from(number - from)
            .ok()
            .map(|offset| KeyCode::F(first + offset))
    };
    match number {
        1 | 7 => Some(KeyCode::Home),
        2 => Some(KeyCode::Insert),
        3 => Some(KeyCode::Delete),
        4 | 8 => Some(KeyCode::End),
        5 => Some(KeyCode::PageUp),
        6 => Some(KeyCode::PageDown),
        11..=15 => function(11, 1),
        17..=21 => function(17, 6),
        23..=26 => function(23, 11),
        28..=29 => function(28, 15),
        31..=34 => function(31, 17),
        _ => None,
    }
}

/// Keys of the number pad, from [`FIRST_OF_PAD`] on.
const PAD: &[KeyCode] = &[
    KeyCode::Char('0'),
    KeyCode::Char('1'),
    KeyCode::Char('2'),
    KeyCode::Char('3'),
    KeyCode::Char('4'),
    KeyCode::Char('5'),
    KeyCode::Char('6'),
    KeyCode::Char('7'),
    KeyCode::Char('8'),
    KeyCode::Char('9'),
    KeyCode::Char('.'),
    KeyCode::Char('/'),
    KeyCode::Char('*'),
    KeyCode::Char('-'),
    KeyCode::Char('+'),
    KeyCode::Enter,
    KeyCode::Char('='),
    KeyCode::Char(','),
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

const FIRST_OF_PAD: u16 = 57_399;

/// Returns the key of a code point, or `None` for codes of keys that no keyboard map uses, such as Caps Lock.
fn numbered(number: u16, shifted: u16, parameter: u16) -> Option<KeyCode> {
    if let Some(place) = number.checked_sub(FIRST_OF_PAD)
        && let Some(&code) = PAD.get(usize::from(place))
    {
        return Some(code);
    }
    let has_shift = modifiers(parameter).contains(KeyModifiers::SHIFT);
    let typed = if has_shift && shifted != 0 {
        shifted
    } else {
        number
    };
    match char::from_u32(typed.into())? {
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
