//! Makes untrusted names visible: every byte of input passes through here on its way to a terminal.
//!
//! Two different names never look the same, and nothing in a name can move the cursor, change a colour, reorder its
//! neighbours or hide. A backslash is doubled, so a single one begins one of our escapes.

mod letters;
mod likeness;
mod plain;
mod read;
mod writer;

pub use likeness::{Likeness, Looks, is_ordinary, spelled_out};
pub use plain::Backslash;
pub use read::unescape;
pub use writer::TextWriter;

use unicode_width::UnicodeWidthChar;

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
    if plain::is_ascii(bytes) && !bytes.contains(&b'\\') && plain::has_plain_blanks(bytes) {
        text.extend(bytes.iter().map(|&byte| char::from(byte)));
        return text;
    }
    plain::write_name(&mut text, bytes);
    text
}

/// Returns a path for people: characters that its own escapes leave invisible are written out, and its backslashes
/// stay.
#[must_use]
pub fn visible(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    if plain::is_ascii(path.as_bytes()) {
        text.push_str(path);
        return text;
    }
    plain::write_again(&mut text, path);
    text
}

/// Returns a text that is no name, such as a line of a file or a reason, as safe text: its blanks stay, and so do
/// letters that look like others.
#[must_use]
pub fn shown_text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    plain::write_text(&mut text, bytes);
    text
}

/// Returns bytes of a format for other programs as safe text: line ends, tabs and blanks stay.
#[must_use]
pub fn shown_format(bytes: &[u8], backslash: Backslash) -> String {
    let mut text = String::with_capacity(bytes.len());
    plain::write_format(&mut text, bytes, backslash);
    text
}

/// Returns a path as safe text: its names as [`shown`] writes them, but with the backslashes that it has.
#[must_use]
pub fn shown_path(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    if plain::is_ascii(path.as_bytes()) && !path.contains(' ') {
        text.push_str(path);
        return text;
    }
    plain::write_path(&mut text, path);
    text
}

/// Returns whether a character is safe on a terminal and leaves something on it: no control, no blank but the usual
/// one, nothing invisible.
#[must_use]
pub fn is_safe(char: char) -> bool {
    char == '\\' || plain::is_plain(char)
}

/// Returns whether a character can be seen where it stands alone, and is safe on a terminal.
#[must_use]
pub fn is_plain(char: char) -> bool {
    is_safe(char) && char.width() != Some(0)
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
