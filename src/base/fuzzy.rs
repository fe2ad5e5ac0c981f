//! Fuzzy matching of what is typed: all its letters in this order, with others between them.

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use std::cmp::Reverse;

/// What was typed, to be matched with many texts: lower-case letters match both cases, and each word must match.
pub(crate) struct Fuzzy {
    pattern: Pattern,
    matcher: Matcher,
    buffer: Vec<char>,
}

impl Fuzzy {
    /// Takes what was typed.
    pub(crate) fn new(query: &str) -> Self {
        Self {
            pattern: Pattern::new(
                query,
                CaseMatching::Smart,
                Normalization::Smart,
                AtomKind::Fuzzy,
            ),
            matcher: Matcher::new(Config::DEFAULT),
            buffer: Vec::new(),
        }
    }

    /// Returns how well a text matches: the higher the better, `None` if it does not match.
    pub(crate) fn score(&mut self, text: &str) -> Option<u32> {
        let text = Utf32Str::new(text, &mut self.buffer);
        self.pattern.score(text, &mut self.matcher)
    }
}

/// How a text contains what was typed, the best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Containing {
    AtItsBeginning,
    AtTheBeginningOfAWord,
    InsideAWord,
    /// The letters are not together.
    Scattered,
}

/// Returns the items that match what was typed: those whose first text begins with it, those in which a word does,
/// those that contain it, then the fuzzy matches, the best first. Equal matches keep their order.
pub fn ranked<T, const N: usize>(
    query: &str,
    items: impl Iterator<Item = T>,
    texts: impl Fn(&T) -> [String; N],
) -> Vec<T> {
    if query.is_empty() {
        return items.collect();
    }
    let small = query.to_lowercase();
    let mut fuzzy = Fuzzy::new(query);
    let mut matches = Vec::new();
    for item in items {
        let texts = texts(&item);
        let scores = texts.iter().filter_map(|text| fuzzy.score(text));
        let Some(score) = scores.max() else {
            continue;
        };
        let containing = containing(&texts, &small);
        // Where the letters are together, the order of the list is the better one.
        let is_scattered = containing == Containing::Scattered;
        let score = if is_scattered { score } else { 0 };
        matches.push(Match {
            item,
            containing,
            score: Reverse(score),
        });
    }
    matches.sort_by_key(|found| (found.containing, found.score));
    let mut items = Vec::with_capacity(matches.len());
    for found in matches {
        items.push(found.item);
    }
    items
}

/// An item that matches what was typed.
struct Match<T> {
    item: T,
    containing: Containing,
    /// The highest comes first; 0 where the letters are together.
    score: Reverse<u32>,
}

/// Returns how texts contain what was typed in small letters, the best of them.
fn containing(texts: &[String], small: &str) -> Containing {
    let mut best = Containing::Scattered;
    for (place, text) in texts.iter().enumerate() {
        let small_text = text.to_lowercase();
        if place == 0 && small_text.starts_with(small) {
            return Containing::AtItsBeginning;
        }
        for (at, _) in small_text.match_indices(small) {
            let before = &small_text[..at];
            let begins_word = !before.ends_with(char::is_alphanumeric);
            let here = if begins_word {
                Containing::AtTheBeginningOfAWord
            } else {
                Containing::InsideAWord
            };
            best = best.min(here);
        }
    }
    best
}
