//! Names that look the same, in words.

use crate::base::shown::{Likeness, Shown, sentence, spelled_out};

/// Returns two names spelled out, and how they differ: `admin and \u{430}dmin (letters that look alike)`.
pub fn pair(one: &[u8], other: &[u8], likeness: Likeness) -> Shown {
    let [one, other] = [one, other].map(spelled_out);
    sentence!("{one} and {other} ({})", difference(likeness))
}

/// Returns how two names differ that look the same.
#[must_use]
pub const fn difference(likeness: Likeness) -> &'static str {
    match likeness {
        Likeness::Blanks => "other blanks",
        Likeness::NormalForm => "the same letters in another normal form",
        Likeness::Invisible => "an invisible character",
        Likeness::CompatibilityForm => "other forms of the same characters",
        Likeness::Letters => "letters that look alike",
    }
}

/// Returns the first pairs of names that look the same, and how many more there are.
pub fn look_alikes(pairs: &[Shown], count: usize) -> Shown {
    let named = pairs.join(", ");
    match count - pairs.len() {
        0 if count == 1 => sentence!("two names look the same: {named}"),
        0 => sentence!("{count} pairs of names look the same: {named}"),
        more => sentence!("{count} pairs of names look the same: {named} and {more} more"),
    }
}
