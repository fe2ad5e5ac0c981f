//! The rules of what is drawn as itself, how the rest is written, and how it is read back.
//!
//! A plain character can be seen and touches nothing beside it. Outer blanks of a name and marks that would be lost are
//! written out too.

use std::fmt::Write as _;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};
use unicode_width::UnicodeWidthChar;

/// The bytes that are tested at once.
const BLOCK: usize = 32;

/// How many combining marks may follow a character before they are written out.
const MARKS: usize = 4;

/// Returns whether a character is drawn as itself.
pub(super) fn is_plain(char: char) -> bool {
    match char {
        ' '..='~' => char != '\\',
        // Lines of drawings, of which a large tree has a million: symbols, all of them.
        '\u{2500}'..='\u{257f}' => true,
        // Fillers, variation selectors and other marks without a shape; the braille blank; the sign that stands for an
        // object.
        '\u{34f}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{2800}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{ffa0}'
        | '\u{fffc}'
        | '\u{1d159}'
        | '\u{e0000}'..='\u{e0fff}' => false,
        char => !matches!(
            char.general_category(),
            GeneralCategory::Control
                | GeneralCategory::Format
                | GeneralCategory::LineSeparator
                | GeneralCategory::ParagraphSeparator
                | GeneralCategory::PrivateUse
                | GeneralCategory::SpaceSeparator
                | GeneralCategory::Surrogate
                | GeneralCategory::Unassigned
        ),
    }
}

/// Returns whether a text is printable ASCII alone.
pub(super) fn is_ascii(bytes: &[u8]) -> bool {
    are_all(bytes, |byte| (b' '..=b'~').contains(&byte))
}

/// Returns whether all bytes are of a kind. Blocks of them are tested at once.
fn are_all(bytes: &[u8], is_of_kind: impl Fn(u8) -> bool) -> bool {
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    for block in blocks {
        let mut are_of_kind = true;
        for &byte in block {
            are_of_kind &= is_of_kind(byte);
        }
        if !are_of_kind {
            return false;
        }
    }
    rest.iter().all(|&byte| is_of_kind(byte))
}

/// Returns whether a byte is a character of text that needs no further look: printable ASCII, a line end or a tab.
fn is_text(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\n' | b'\t')
}

/// Returns a name that is shown as it is: ASCII without backslashes, whose blanks are plain. `None` for others.
pub(super) fn as_it_is(name: &[u8]) -> Option<&str> {
    if !is_ascii(name) || name.contains(&b'\\') || !has_plain_blanks(name) {
        return None;
    }
    std::str::from_utf8(name).ok()
}

/// Returns whether all of a text may reach a terminal. Line ends, tabs and backslashes may.
pub(super) fn is_safe(text: &str) -> bool {
    let mut rest = text;
    loop {
        // Nearly all of a report is ASCII.
        let (blocks, _) = rest.as_bytes().as_chunks::<BLOCK>();
        let mut at = 0;
        for block in blocks {
            if !are_all(block, is_text) {
                break;
            }
            at += BLOCK;
        }
        rest = &rest[at..];
        let Some(at) = rest.bytes().position(|byte| !is_text(byte)) else {
            return true;
        };
        let mut chars = rest[at..].chars();
        if !chars.next().is_some_and(is_plain) {
            return false;
        }
        rest = chars.as_str();
    }
}

/// Returns whether every blank of a name stands alone between two other characters.
pub(super) fn has_plain_blanks(bytes: &[u8]) -> bool {
    if bytes.starts_with(b" ") || bytes.ends_with(b" ") {
        return false;
    }
    !bytes.windows(2).any(|pair| pair == b"  ")
}

/// Writes a name: untrusted bytes, every backslash of which is doubled.
pub(super) fn write_name(text: &mut String, bytes: &[u8]) {
    EscapeWriter::new(text).part(bytes, Backslash::Doubled);
}

/// Writes a path of names, in which a backslash begins an escape of its own and so stays.
pub(super) fn write_path(text: &mut String, path: &str) {
    let mut start = 0;
    let mut is_escaped = false;
    for (position, char) in path.char_indices() {
        match char {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '/' | '@' | '#' => {
                let name = &path.as_bytes()[start..position];
                EscapeWriter::new(text).part(name, Backslash::Kept);
                text.push(char);
                start = position + 1;
            }
            _ => {}
        }
    }
    let last = &path.as_bytes()[start..];
    EscapeWriter::new(text).part(last, Backslash::Kept);
}

/// Writes characters that are plain or kept as they are.
pub(super) fn write_chars(text: &mut String, bytes: &[u8], is_kept: impl Fn(char) -> bool) {
    let mut writer = EscapeWriter::new(text);
    for chunk in bytes.utf8_chunks() {
        for char in chunk.valid().chars() {
            if is_kept(char) {
                writer.keep(char);
            } else if !is_plain(char) || (writer.marks >= MARKS && is_mark(char)) {
                writer.escape(char);
            } else {
                writer.push(char);
            }
        }
        for &byte in chunk.invalid() {
            writer.escape_byte(byte);
        }
    }
}

/// What becomes of a backslash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backslash {
    /// It is a character of a name, and two are written.
    Doubled,
    /// It begins an escape.
    Kept,
}

/// Returns whether a character is drawn on the one before.
fn is_mark(char: char) -> bool {
    char.width().unwrap_or(0) == 0
}

/// Writes characters as themselves or as escapes, and knows what stands before them.
struct EscapeWriter<'a> {
    text: &'a mut String,
    /// How many marks follow the character before; as many as may follow where nothing carries one.
    marks: usize,
    /// Where the character before, without its marks, begins.
    start: usize,
}

impl<'a> EscapeWriter<'a> {
    /// A mark at the beginning of the name would be drawn on the text before it.
    fn new(text: &'a mut String) -> Self {
        let start = text.len();
        Self {
            text,
            marks: MARKS,
            start,
        }
    }

    /// Writes a name, or a part of a path between two separators.
    fn part(&mut self, bytes: &[u8], backslash: Backslash) {
        let mut position = 0;
        let mut is_escaped = false;
        for chunk in bytes.utf8_chunks() {
            for char in chunk.valid().chars() {
                let follows_blank = position == 0 || bytes[position - 1] == b' ';
                position += char.len_utf8();
                let is_lost = follows_blank || position == bytes.len();
                let begins_escape = char == '\\' && backslash == Backslash::Kept && !is_escaped;
                if begins_escape || (is_escaped && matches!(char, ' '..='~')) {
                    self.keep(char);
                } else if char == ' ' && is_lost {
                    self.escape(char);
                } else {
                    self.character(char);
                }
                is_escaped = begins_escape;
            }
            for &byte in chunk.invalid() {
                position += 1;
                is_escaped = false;
                self.escape_byte(byte);
            }
        }
    }

    /// Writes a character of a name, with no more marks than can be told apart.
    fn character(&mut self, char: char) {
        if is_plain(char) && (!is_mark(char) || self.carries(char)) {
            self.push(char);
        } else {
            self.escape(char);
        }
    }

    /// Returns whether a mark can be seen on the character before.
    fn carries(&self, mark: char) -> bool {
        const DOT_ABOVE: char = '\u{307}';
        let carrier = &self.text[self.start..];
        if carrier.starts_with(' ') || carrier.ends_with(mark) {
            return false;
        }
        let has_dot = carrier.starts_with(['i', 'j']);
        if has_dot && mark == DOT_ABOVE {
            return false;
        }
        self.marks < MARKS
    }

    /// Writes a character as itself.
    fn push(&mut self, char: char) {
        if is_mark(char) {
            self.marks += 1;
        } else {
            self.marks = 0;
            self.start = self.text.len();
        }
        self.text.push(char);
    }

    /// Writes a character that no mark may follow.
    fn keep(&mut self, char: char) {
        self.text.push(char);
        self.end();
    }

    /// Writes a character as an escape.
    fn escape(&mut self, char: char) {
        let escape = match char {
            '\\' => "\\\\",
            '\x1b' => "\\e",
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            _ => return self.escape_number(char),
        };
        self.text.push_str(escape);
        self.end();
    }

    /// Writes the number of a character as an escape.
    fn escape_number(&mut self, char: char) {
        let number = u32::from(char);
        // Writing to a String cannot fail.
        let _ = if char.is_ascii() {
            write!(self.text, "\\x{number:02X}")
        } else {
            write!(self.text, "\\u{{{number:x}}}")
        };
        self.end();
    }

    /// Writes a byte that is no text as an escape.
    fn escape_byte(&mut self, byte: u8) {
        let _ = write!(self.text, "\\x{byte:02X}");
        self.end();
    }

    /// Keeps marks off what was written.
    fn end(&mut self) {
        self.marks = MARKS;
        self.start = self.text.len();
    }
}

/// Returns the bytes of a name from what was written of it: as it is shown, or as it stands in a path.
pub fn read_back(text: &[u8]) -> Vec<u8> {
    let mut name = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'\\' {
            let length = unescape(after, &mut name).unwrap_or(0);
            rest = &after[length..];
        } else {
            name.push(byte);
        }
    }
    name
}

/// Reads what follows a backslash and adds what it stands for to a name. Returns how many bytes were read, or `None` if
/// nothing follows. A character without a meaning after a backslash stands for itself.
pub fn unescape(text: &[u8], name: &mut Vec<u8>) -> Option<usize> {
    let (&first, after) = text.split_first()?;
    let byte = match first {
        b'e' => b'\x1b',
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'x' => {
            if let Some(value) = after.get(..2).and_then(hexadecimal) {
                name.push(u8::try_from(value).ok()?);
                return Some(3);
            }
            first
        }
        b'u' => {
            if let Some((char, length)) = braced(after) {
                let mut bytes = [0; 4];
                name.extend_from_slice(char.encode_utf8(&mut bytes).as_bytes());
                return Some(1 + length);
            }
            first
        }
        _ => first,
    };
    name.push(byte);
    Some(1)
}

/// Reads `{20}`: the character of a number, and the length.
fn braced(text: &[u8]) -> Option<(char, usize)> {
    let digits = text.strip_prefix(b"{")?;
    let length = memchr::memchr(b'}', digits)?;
    let number = hexadecimal(&digits[..length])?;
    let char = char::from_u32(number)?;
    Some((char, length + 2))
}

/// Reads up to six hexadecimal digits, without a sign.
fn hexadecimal(digits: &[u8]) -> Option<u32> {
    const MOST: usize = 6;
    let are_digits = digits.iter().all(u8::is_ascii_hexdigit);
    if digits.len() > MOST || !are_digits {
        return None;
    }
    let text = std::str::from_utf8(digits).ok()?;
    u32::from_str_radix(text, 16).ok()
}
