//! Errors for an unknown word, with the most similar known one.

use crate::base::shown::{Shown, sentence, shown};

/// Returns the sentence for an unknown word, with all known ones:
/// `unknown column 'fator'; did you mean 'factor'? (path, rank, factor)`.
pub(crate) fn unknown<'a>(
    what: &str,
    word: impl AsRef<[u8]>,
    known: impl Iterator<Item = &'a str>,
) -> Shown {
    let words: Vec<&str> = known.collect();
    let given = words.join(", ");
    unknown_of(what, word, &words, &given)
}

/// Returns the sentence for an unknown word, with what is accepted instead of the list of all known words.
pub(crate) fn unknown_of(what: &str, word: impl AsRef<[u8]>, known: &[&str], given: &str) -> Shown {
    let bytes = word.as_ref();
    let name = shown(bytes);
    let text = String::from_utf8_lossy(bytes);
    match nearest(&text, known) {
        Some(nearest) => {
            sentence!("unknown {what} '{name}'; did you mean '{nearest}'? ({given})")
        }
        None => sentence!("unknown {what} '{name}' ({given})"),
    }
}

/// Returns the known word that differs in the fewest letters, or `None` if none is similar.
pub(crate) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    /// Longer words are no typing errors, and comparing them is slow.
    const LONGEST: usize = 64;
    if word.len() > LONGEST {
        return None;
    }
    let mut nearest = None;
    let mut fewest = usize::MAX;
    for &known in known {
        let changes = changes(word.as_bytes(), known.as_bytes());
        if changes < fewest {
            nearest = Some(known);
            fewest = changes;
        }
    }
    let nearest = nearest?;
    if fewest <= 1 + nearest.len() / 4 {
        Some(nearest)
    } else {
        None
    }
}

/// Returns how many letters must be inserted, removed or replaced to make one word of another.
pub(crate) fn changes(from: &[u8], to: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (index, &letter) in from.iter().enumerate() {
        let mut diagonal = row[0];
        let mut left = index + 1;
        row[0] = left;
        for (place, &other) in row[1..].iter_mut().zip(to) {
            let above = *place;
            let mut fewest = diagonal;
            if letter != other {
                fewest += 1;
            }
            fewest = fewest.min(above + 1);
            fewest = fewest.min(left + 1);
            *place = fewest;
            diagonal = above;
            left = fewest;
        }
    }
    row[to.len()]
}
