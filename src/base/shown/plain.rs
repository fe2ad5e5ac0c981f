//! The rules of what is drawn as itself, and how the rest is written.

use std::fmt::Write as _;
use unicode_width::UnicodeWidthChar;

/// How many combining marks may follow a character before they are written out.
const MARKS: usize = 4;

/// Returns whether a character is drawn as itself.
pub(super) fn is_plain(char: char) -> bool {
    match char {
        ' '..='~' => char != '\\',
        // Spaces that are not the space, zero-width and bidirectional controls, soft hyphen, fillers,
        // invisible operators, variation selectors, annotation marks, private use and tags.
        '\u{80}'..='\u{a0}'
        | '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{1680}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{2000}'..='\u{200f}'
        | '\u{2028}'..='\u{202f}'
        | '\u{205f}'..='\u{206f}'
        | '\u{2800}'
        | '\u{3000}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{e000}'..='\u{f8ff}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{10ffff}' => false,
        // Noncharacters.
        char if (char as u32) & 0xfffe == 0xfffe || ('\u{fdd0}'..='\u{fdef}').contains(&char) => {
            false
        }
        char => !char.is_control(),
    }
}

/// Returns whether a text is printable ASCII alone.
pub(super) fn is_ascii(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| (b' '..=b'~').contains(byte))
}

/// Returns the first character, with its place, that must not reach a terminal even in a text that is ready. Line
/// ends, tabs and backslashes may.
pub(super) fn first_unsafe(text: &str) -> Option<(usize, char)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        // Nearly all of a report is ASCII.
        let is_text = |byte: &&u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
        at += bytes[at..].iter().take_while(is_text).count();
        let char = text[at..].chars().next()?;
        if !is_plain(char) {
            return Some((at, char));
        }
        at += char.len_utf8();
    }
}

/// Writes a name: untrusted bytes, every backslash of which is doubled.
pub(super) fn write_name(text: &mut String, bytes: &[u8]) {
    let mut writer = Writer::new(text);
    for chunk in bytes.utf8_chunks() {
        for char in chunk.valid().chars() {
            writer.push(char);
        }
        for &byte in chunk.invalid() {
            writer.escape_byte(byte);
        }
    }
}

/// Writes a text that may hold our own escapes: what [`write_name`] would escape, but for backslashes. What
/// [`write_name`] wrote stays as it is.
pub(super) fn write_again(text: &mut String, line: &str) {
    let mut writer = Writer::new(text);
    for char in line.chars() {
        if char == '\\' {
            writer.keep_backslash();
        } else {
            writer.push(char);
        }
    }
}

/// Writes characters as themselves or as escapes, and knows what stands before them.
struct Writer<'a> {
    text: &'a mut String,
    /// How many marks follow the character before; as many as may follow where nothing carries one.
    marks: usize,
}

impl<'a> Writer<'a> {
    /// A mark at the beginning of the name would be drawn on the text before it.
    fn new(text: &'a mut String) -> Self {
        Self { text, marks: MARKS }
    }

    fn push(&mut self, char: char) {
        let is_mark = char.width().unwrap_or(0) == 0;
        if !is_plain(char) || (is_mark && self.marks >= MARKS) {
            self.escape(char);
            return;
        }
        self.marks = if is_mark { self.marks + 1 } else { 0 };
        self.text.push(char);
    }

    fn keep_backslash(&mut self) {
        self.marks = MARKS;
        self.text.push('\\');
    }

    fn escape(&mut self, char: char) {
        self.marks = MARKS;
        // Writing to a String cannot fail.
        let _ = match char {
            '\\' => write!(self.text, "\\\\"),
            '\x1b' => write!(self.text, "\\e"),
            '\n' => write!(self.text, "\\n"),
            '\r' => write!(self.text, "\\r"),
            '\t' => write!(self.text, "\\t"),
            char if (char as u32) < 0x80 => write!(self.text, "\\x{:02X}", char as u32),
            char => write!(self.text, "\\u{{{:x}}}", char as u32),
        };
    }

    fn escape_byte(&mut self, byte: u8) {
        self.marks = MARKS;
        let _ = write!(self.text, "\\x{byte:02X}");
    }
}
