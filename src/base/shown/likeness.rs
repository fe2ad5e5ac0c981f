//! Names that a reader would take for each other.

use super::is_safe;
use super::plain::{has_plain_blanks, is_ascii};
use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};
use unicode_security::skeleton;

/// How two different names come to look the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the clause of each variant says what it is")]
pub enum Likeness {
    Blanks,
    NormalForm,
    Invisible,
    CompatibilityForm,
    Letters,
}

impl Likeness {
    pub(crate) const fn clause(self) -> &'static str {
        match self {
            Self::Blanks => "other blanks",
            Self::NormalForm => "the same letters in another normal form",
            Self::Invisible => "an invisible character",
            Self::CompatibilityForm => "other forms of the same characters",
            Self::Letters => "letters that look alike",
        }
    }

    /// Returns how two names that look the same differ.
    pub(crate) fn of(one: &[u8], other: &[u8]) -> Self {
        let texts = [one, other].map(String::from_utf8_lossy);
        let are_equal = |form: fn(&str) -> String| form(&texts[0]) == form(&texts[1]);
        if are_equal(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")) {
            Self::Blanks
        } else if are_equal(|text| text.nfc().collect()) {
            Self::NormalForm
        } else if are_equal(|text| text.chars().filter(|&char| is_safe(char)).collect()) {
            Self::Invisible
        } else if are_equal(|text| text.nfkc().collect()) {
            Self::CompatibilityForm
        } else {
            Self::Letters
        }
    }
}

/// Returns whether a name is printable ASCII without a blank that could be overlooked, as nearly all names are.
pub fn is_ordinary(name: &[u8]) -> bool {
    is_ascii(name) && has_plain_blanks(name)
}

/// Returns a name in ASCII alone, so that two that look the same can be told apart.
pub fn spelled_out(name: &[u8]) -> String {
    let mut text = String::new();
    for char in super::shown(name).chars() {
        if char.is_ascii() {
            text.push(char);
        } else {
            text.extend(char.escape_unicode());
        }
    }
    text
}

/// What every name looks like, as text by which equal looks are found.
#[derive(Debug)]
pub struct Looks {
    ascii: [String; 128],
}

impl Default for Looks {
    fn default() -> Self {
        let char = |code: usize| u8::try_from(code).map_or(' ', char::from);
        Self {
            ascii: std::array::from_fn(|code| look_of(char(code))),
        }
    }
}

impl Looks {
    /// Writes the look of a name, which different names share if a reader could take one for the other.
    pub(crate) fn write(&self, name: &[u8], look: &mut Vec<u8>) {
        look.clear();
        for chunk in name.utf8_chunks() {
            for char in chunk.valid().chars() {
                if char == ' ' || char.general_category() == GeneralCategory::SpaceSeparator {
                    // Blanks at the beginning and second ones are overlooked.
                    if look.last().is_some_and(|&last| last != b' ') {
                        look.push(b' ');
                    }
                } else if let Some(ascii) = self.ascii.get(char as usize) {
                    look.extend_from_slice(ascii.as_bytes());
                } else {
                    look.extend_from_slice(look_of(char).as_bytes());
                }
            }
            look.extend_from_slice(chunk.invalid());
        }
        if look.last() == Some(&b' ') {
            look.pop();
        }
    }
}

/// Returns what a character looks like; nothing for one that cannot be seen.
fn look_of(char: char) -> String {
    if !is_safe(char) {
        return String::new();
    }
    skeleton(&char.nfkc().collect::<String>()).collect()
}
