//! Makes untrusted names visible: every byte of input passes through here on its way to a terminal.
//!
//! Two different names never look the same, and nothing in a name can move the cursor, change a colour, reorder its
//! neighbours or hide. A backslash is doubled, so a single one begins one of our escapes.

use std::fmt::Write as _;
use unicode_width::UnicodeWidthChar;

/// How many combining marks may follow a character before they are written out.
const MARKS: usize = 4;

/// Returns whether a character is drawn as itself.
fn is_plain(char: char) -> bool {
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

/// Returns a name as safe text for a terminal.
///
/// ```
/// use fairscope::base::shown::shown;
/// assert_eq!(shown(b"alice"), "alice");
/// assert_eq!(shown(b"\x1b[31mred"), "\\e[31mred");
/// assert_eq!(shown(b"a\\b"), "a\\\\b");
/// assert_eq!(shown(b"caf\xe9"), "caf\\xE9");
/// assert_eq!(shown("a\u{202e}b".as_bytes()), "a\\u{202e}b");
/// ```
#[must_use]
pub fn shown(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    if bytes
        .iter()
        .all(|&byte| (b' '..=b'~').contains(&byte) && byte != b'\\')
    {
        text.extend(bytes.iter().map(|&byte| char::from(byte)));
        return text;
    }
    let mut marks = MARKS;
    for chunk in bytes.utf8_chunks() {
        for char in chunk.valid().chars() {
            let width = char.width().unwrap_or(0);
            // A mark at the beginning of the name would be drawn on the text before it.
            let is_mark = width == 0;
            if is_mark && is_plain(char) && marks < MARKS {
                marks += 1;
                text.push(char);
                continue;
            }
            if is_plain(char) && !is_mark {
                marks = 0;
                text.push(char);
                continue;
            }
            marks = MARKS;
            // Writing to a String cannot fail.
            let _ = match char {
                '\\' => write!(text, "\\\\"),
                '\x1b' => write!(text, "\\e"),
                '\n' => write!(text, "\\n"),
                '\r' => write!(text, "\\r"),
                '\t' => write!(text, "\\t"),
                char if (char as u32) < 0x80 => write!(text, "\\x{:02X}", char as u32),
                char => write!(text, "\\u{{{:x}}}", char as u32),
            };
        }
        for byte in chunk.invalid() {
            marks = MARKS;
            let _ = write!(text, "\\x{byte:02X}");
        }
    }
    text
}

/// Returns a path for people: characters that its own escapes leave invisible are written out, and its backslashes
/// stay.
#[must_use]
pub fn visible(path: &str) -> String {
    path.split('\\')
        .map(|part| shown(part.as_bytes()))
        .collect::<Vec<_>>()
        .join("\\")
}

/// Returns how many terminal cells a text covers, after [`shown`].
#[must_use]
pub fn cells(text: &str) -> usize {
    text.chars().map(|char| char.width().unwrap_or(0)).sum()
}

/// Cuts a text to at most `width` cells. A text that was cut ends in `…`.
#[must_use]
pub fn cut(text: &str, width: usize) -> std::borrow::Cow<'_, str> {
    if text.len() <= width || cells(text) <= width {
        return text.into();
    }
    let mut kept = String::new();
    let mut used = 0;
    for char in text.chars() {
        let cells = char.width().unwrap_or(0);
        if used + cells + 1 > width {
            break;
        }
        used += cells;
        kept.push(char);
    }
    if width > 0 {
        kept.push('…');
    }
    kept.into()
}
