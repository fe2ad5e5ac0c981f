//! Makes untrusted names visible: every byte of input passes through here on its way to a terminal.
//!
//! Nothing in a name can move the cursor, change a colour, reorder its neighbours or hide. Letters are shown as they
//! are, also those that look like others. A backslash is doubled, so a single one begins one of our escapes.

mod plain;
mod writer;

pub use plain::{Backslash, read_back, unescape};
pub use writer::TextWriter;

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::ops::{Add, AddAssign, Deref};
use unicode_width::UnicodeWidthChar;

/// Text that is safe to print: a name as [`shown`] wrote it, words of ours, or a sentence of both by [`sentence!`].
/// There is no other way to make one, so whatever asks for it cannot be given a raw name.
///
/// [`sentence!`]: crate::base::shown::sentence
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct Shown(Cow<'static, str>);

impl Shown {
    /// Returns a text with everything written out that would not be drawn as itself. Backslashes stay, for they begin
    /// what is written out already, and so a text that is safe stays the same.
    pub fn again(text: String) -> Self {
        if plain::is_ascii(text.as_bytes()) {
            return Self(text.into());
        }
        let mut safe = Self::with_capacity(text.len());
        // Writing to a text cannot fail.
        let _ = fmt::Write::write_str(&mut safe, &text);
        safe
    }

    /// Returns an empty text with room for so many bytes.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self(String::with_capacity(bytes).into())
    }

    /// Returns the text of an error of a library or the system, which may repeat what was read.
    pub fn error(error: &dyn std::error::Error) -> Self {
        Self::again(error.to_string())
    }

    /// Returns texts as one, with words of ours between them.
    pub fn joined<T: Borrow<Self>>(texts: impl IntoIterator<Item = T>, by: &'static str) -> Self {
        let mut joined = String::new();
        for (place, text) in texts.into_iter().enumerate() {
            if place > 0 {
                joined.push_str(by);
            }
            joined.push_str(text.borrow());
        }
        Self(joined.into())
    }

    /// Adds blanks.
    pub fn pad(&mut self, mut count: usize) {
        const BLANKS: &str = "                                ";
        let text = self.0.to_mut();
        while count > 0 {
            let part = count.min(BLANKS.len());
            text.push_str(&BLANKS[..part]);
            count -= part;
        }
    }

    /// Adds a name as [`shown`] writes it.
    pub(crate) fn push_name(&mut self, name: &[u8]) {
        let text = self.0.to_mut();
        match plain::as_it_is(name) {
            Some(name) => text.push_str(name),
            None => plain::write_name(text, name),
        }
    }

    /// Removes the text; its memory is kept for the next one.
    pub(crate) fn clear(&mut self) {
        self.0.to_mut().clear();
    }

    /// Returns the text cut to at most `width` cells; one that was cut ends in `…`.
    pub(crate) fn cut(self, width: usize) -> Self {
        match cut(&self, width) {
            Cow::Borrowed(_) => self,
            Cow::Owned(cut) => Self::again(cut),
        }
    }

    /// Returns the text cut to its last `width` cells at most; one that was cut begins with `…`.
    pub(crate) fn cut_start(self, width: usize) -> Self {
        if self.len() <= width || cells(&self) <= width {
            return self;
        }
        let behind = end(&self, width.saturating_sub(1));
        // A mark at the beginning of the end has lost what carried it.
        Self::from("…") + &Self::again(behind.to_owned())
    }

    /// Returns the text without the blanks at its end.
    pub fn trimmed(mut self) -> Self {
        let length = self.trim_end().len();
        if length < self.len() {
            self.0.to_mut().truncate(length);
        }
        self
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// No text that is safe begins with a mark, and so two of them stay safe beside each other.
impl AddAssign<&Self> for Shown {
    fn add_assign(&mut self, more: &Self) {
        self.0.to_mut().push_str(&more.0);
    }
}

impl Add<&Self> for Shown {
    type Output = Self;

    fn add(mut self, more: &Self) -> Self {
        self += more;
        self
    }
}

/// What is written passes the same door as [`Shown::again`], piece by piece.
impl fmt::Write for Shown {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        let text = self.0.to_mut();
        if plain::is_ascii(piece.as_bytes()) {
            text.push_str(piece);
        } else {
            plain::write_chars(text, piece.as_bytes(), |char| char == '\\');
        }
        Ok(())
    }
}

impl<T: Borrow<Self>> FromIterator<T> for Shown {
    fn from_iter<I: IntoIterator<Item = T>>(texts: I) -> Self {
        /// The bytes that most pieces of a line have room in.
        const PIECE: usize = 8;
        let pieces = texts.into_iter();
        let (fewest, _) = pieces.size_hint();
        let mut line = String::with_capacity(fewest * PIECE);
        for text in pieces {
            line.push_str(text.borrow());
        }
        Self(line.into())
    }
}

impl From<&'static str> for Shown {
    fn from(words: &'static str) -> Self {
        Self(words.into())
    }
}

impl From<&Self> for Shown {
    fn from(text: &Self) -> Self {
        text.clone()
    }
}

impl From<Shown> for String {
    fn from(text: Shown) -> Self {
        text.0.into_owned()
    }
}

impl Deref for Shown {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Shown {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Shown {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl PartialEq<str> for Shown {
    fn eq(&self, other: &str) -> bool {
        *self.0 == *other
    }
}

impl PartialEq<&str> for Shown {
    fn eq(&self, other: &&str) -> bool {
        *self.0 == **other
    }
}

/// Makes a [`Shown`] as `format!` makes a `String`: what is put in passes the door of [`Shown::again`].
#[macro_export]
macro_rules! sentence {
    ($($format:tt)*) => {
        $crate::base::shown::Shown::again(::std::format!($($format)*))
    };
}
pub use sentence;

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
pub fn shown(bytes: &[u8]) -> Shown {
    let mut name = Shown::with_capacity(bytes.len());
    name.push_name(bytes);
    name
}

/// Returns how many cells a name covers as [`shown`] writes it.
pub(crate) fn name_cells(bytes: &[u8]) -> usize {
    match plain::as_it_is(bytes) {
        Some(name) => name.len(),
        None => cells(&shown(bytes)),
    }
}

/// Returns a line for people, such as a command: invisible characters are written out, and its backslashes stay.
pub fn visible(path: &str) -> Shown {
    Shown::again(path.to_owned())
}

/// Returns whether nothing in a text would be written out: what a cell of the screen may hold.
pub fn is_shown(symbol: &str) -> bool {
    match symbol.as_bytes() {
        [byte] => (b' '..=b'~').contains(byte),
        _ => !symbol.contains(['\n', '\t']) && plain::is_safe(symbol),
    }
}

/// Returns a text that is no name, such as a reason, as safe text: its blanks stay.
pub fn shown_text(bytes: &[u8]) -> Shown {
    let mut text = String::with_capacity(bytes.len());
    plain::write_chars(&mut text, bytes, |_| false);
    Shown(text.into())
}

/// Returns bytes of a format for other programs as safe text: line ends, tabs and blanks stay.
pub(crate) fn shown_format(bytes: &[u8], backslash: Backslash) -> String {
    let mut text = String::with_capacity(bytes.len());
    plain::write_chars(&mut text, bytes, |char| match char {
        '\n' | '\t' => true,
        '\\' => backslash == Backslash::Kept,
        _ => false,
    });
    text
}

/// Returns a path as safe text: its names as [`shown`] writes them, but with the backslashes that it has.
pub fn shown_path(path: &str) -> Shown {
    let mut text = String::with_capacity(path.len());
    if plain::is_ascii(path.as_bytes()) && !path.contains(' ') {
        text.push_str(path);
    } else {
        plain::write_path(&mut text, path);
    }
    Shown(text.into())
}

/// Returns whether a character is safe on a terminal: no control, no blank but the usual one, nothing invisible.
pub fn is_safe(char: char) -> bool {
    char == '\\' || plain::is_plain(char)
}

/// Returns whether a character can be seen where it stands alone, and is safe on a terminal.
pub fn is_plain(char: char) -> bool {
    is_safe(char) && char.width() != Some(0)
}

/// Returns how many terminal cells a text covers, after [`shown`].
pub fn cells(text: &str) -> usize {
    if plain::is_ascii(text.as_bytes()) {
        return text.len();
    }
    text.chars().map(|char| char.width().unwrap_or(0)).sum()
}

/// Cuts a text to at most `width` cells. A text that was cut ends in `…`.
pub fn cut(text: &str, width: usize) -> Cow<'_, str> {
    if text.len() <= width || cells(text) <= width {
        return text.into();
    }
    match width.checked_sub(1) {
        Some(width) => {
            let beginning = &text[..fitting(text, width)];
            format!("{beginning}…").into()
        }
        None => Cow::Owned(String::new()),
    }
}

/// Returns the length in bytes of the beginning of a text that fits into `width` cells.
fn fitting(text: &str, width: usize) -> usize {
    let mut used = 0;
    for (at, char) in text.char_indices() {
        used += char.width().unwrap_or(0);
        if used > width {
            return at;
        }
    }
    text.len()
}

/// Returns the end of a text that fits into `width` cells.
fn end(text: &str, width: usize) -> &str {
    let mut used = 0;
    let mut start = text.len();
    for (at, char) in text.char_indices().rev() {
        used += char.width().unwrap_or(0);
        if used > width {
            break;
        }
        start = at;
    }
    &text[start..]
}

/// Cuts a name in its middle to at most `width` cells, because long names often differ only at their ends.
pub fn cut_name(name: &str, width: usize) -> Cow<'_, str> {
    if name.len() <= width || cells(name) <= width {
        return name.into();
    }
    let behind = width.saturating_sub(1) / 2;
    let beginning = cut(name, width - behind);
    let end = end(name, behind);
    format!("{beginning}{end}").into()
}

/// Splits a text behind the last character that fits into `width` cells, or behind the first one.
pub fn split_at_width(text: &str, width: usize) -> (&str, &str) {
    let first = match text.chars().next() {
        Some(first) => first.len_utf8(),
        None => 0,
    };
    let fitting = fitting(text, width);
    text.split_at(fitting.max(first))
}

/// Wraps a sentence at blanks; a word longer than a line is split at the end of the line.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    /// Lines end at no other white space.
    const BLANK: char = ' ';
    let most = width.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(BLANK) {
        let used = cells(&line);
        if used == 0 {
            line.push_str(word);
        } else if used + 1 + cells(word) <= most {
            line.push(BLANK);
            line.push_str(word);
        } else {
            lines.push(std::mem::replace(&mut line, word.to_owned()));
        }
        while cells(&line) > most {
            let (first, _) = split_at_width(&line, most);
            if first.len() == line.len() {
                break;
            }
            let rest = line.split_off(first.len());
            lines.push(std::mem::replace(&mut line, rest));
        }
    }
    lines.push(line);
    lines
}
