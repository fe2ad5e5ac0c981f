//! Quoting for a POSIX shell.

use crate::base::shown::{Shown, visible};
use std::borrow::Cow;
use std::ffi::OsStr;

/// Returns a text as one word of a POSIX shell: unchanged if nothing in it is special, otherwise in single quotes.
///
/// ```
/// use fairscope::base::shell::quoted;
/// assert_eq!(quoted("name=alice"), "name=alice");
/// assert_eq!(quoted("name=with space"), "'name=with space'");
/// assert_eq!(quoted("it's"), r"'it'\''s'");
/// assert_eq!(quoted(""), "''");
/// ```
pub fn quoted(text: &str) -> Cow<'_, str> {
    let is_word = text.bytes().all(is_plain);
    if is_word && !text.is_empty() {
        return Cow::Borrowed(text);
    }
    // Inside single quotes only the single quote itself is special.
    let inner = text.replace('\'', r"'\''");
    Cow::Owned(format!("'{inner}'"))
}

/// Returns whether a byte means nothing special to a shell.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-./:=,@%+".contains(&byte)
}

/// Returns a name or path as one word of a command for people, or a placeholder if it cannot be copied.
pub fn word(text: impl AsRef<OsStr>, placeholder: &'static str) -> Shown {
    match text.as_ref().to_str() {
        Some(text) if is_visible(text) => {
            let word = quoted(text).into_owned();
            Shown::again(word)
        }
        _ => placeholder.into(),
    }
}

/// Returns several texts as the words of one command.
pub fn command<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let mut command = String::new();
    for word in words {
        if !command.is_empty() {
            command.push(' ');
        }
        command.push_str(&quoted(word));
    }
    command
}

/// Returns whether a terminal shows all of a text: no character is invisible or affects its neighbours.
pub(crate) fn is_visible(text: &str) -> bool {
    visible(text) == text
}
