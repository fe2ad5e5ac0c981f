//! Words of a POSIX shell.

use crate::base::shown::shown;
use std::borrow::Cow;

/// Whether a shell takes the byte for itself wherever it stands in a word.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-./:=,@%+".contains(&byte)
}

/// A text as one word of a POSIX shell: as it is where nothing in it means anything to a shell, else in single quotes.
///
/// ```
/// use fairscope::analysis::plan::shell::quoted;
/// assert_eq!(quoted("name=alice"), "name=alice");
/// assert_eq!(quoted("name=with space"), "'name=with space'");
/// assert_eq!(quoted("it's"), r"'it'\''s'");
/// assert_eq!(quoted(""), "''");
/// ```
#[must_use]
pub fn quoted(text: &str) -> Cow<'_, str> {
    if !text.is_empty() && text.bytes().all(is_plain) {
        return Cow::Borrowed(text);
    }
    // Between single quotes a shell takes everything as it is, but the single quote itself.
    Cow::Owned(format!("'{}'", text.replace('\'', r"'\''")))
}

/// Several texts as the words of one command.
#[must_use]
pub fn command<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<Cow<'_, str>> = words.into_iter().map(quoted).collect();
    words.join(" ")
}

/// Whether a person who copies the text from a terminal copies all of it: nothing in it hides or moves its neighbours.
#[must_use]
pub fn is_visible(text: &str) -> bool {
    // A backslash is visible, although what is shown to people doubles it.
    text.split('\\').all(|part| shown(part.as_bytes()) == part)
}
