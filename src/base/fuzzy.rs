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

/// What an item is found by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findable {
    /// What it is called, in one sentence.
    pub name: String,
    /// What stands beside it: its keys, or what it does.
    pub beside: String,
    /// Other words for it.
    pub synonyms: String,
}

/// How an item is found by what was typed, the best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    /// What was typed is its key, or the whole of a text.
    ByAll,
    ByItsBeginning,
    ByTheBeginningOfAWord,
    BySynonym,
    InsideAWord,
    /// The letters are not together.
    Scattered,
}

/// Returns the items that match what was typed: the one whose key it is, those whose name begins with it, those in which a
/// word does, those of which a synonym does, those that contain it, then the fuzzy matches, the best first. Equal matches keep
/// their order.
pub fn ranked<T>(
    query: &str,
    items: impl Iterator<Item = T>,
    findable: impl Fn(&T) -> Findable,
) -> Vec<T> {
    if query.is_empty() {
        return items.collect();
    }
    let small = query.to_lowercase();
    let mut fuzzy = Fuzzy::new(query);
    let mut matches = Vec::new();
    for item in items {
        let texts = findable(&item);
        let mut score = None;
        for text in [&texts.name, &texts.beside, &texts.synonyms] {
            score = score.max(fuzzy.score(text));
        }
        let Some(score) = score else {
            continue;
        };
        let found = texts.found(query, &small);
        // Where the letters are together, the order of the list is the better one.
        let is_scattered = found == Found::Scattered;
        let score = if is_scattered { score } else { 0 };
        matches.push(Match {
            item,
            found,
            score: Reverse(score),
        });
    }
    matches.sort_by_key(|matching| (matching.found, matching.score));
    let mut items = Vec::with_capacity(matches.len());
    for matching in matches {
        items.push(matching.item);
    }
    items
}

/// An item that matches what was typed.
struct Match<T> {
    item: T,
    found: Found,
    /// The highest comes first; 0 where the letters are together.
    score: Reverse<u32>,
}

impl Findable {
    /// Returns how what was typed finds it, which is `small` in small letters. Keys tell capital letters apart.
    fn found(&self, query: &str, small: &str) -> Found {
        let name = self.name.to_lowercase();
        let beside = self.beside.to_lowercase();
        let synonyms = self.synonyms.to_lowercase();
        if self.beside == query || name == small {
            Found::ByAll
        } else if name.starts_with(small) {
            Found::ByItsBeginning
        } else if has_word(&name, small) || has_word(&beside, small) {
            Found::ByTheBeginningOfAWord
        } else if has_word(&synonyms, small) {
            Found::BySynonym
        } else if [name, beside, synonyms]
            .iter()
            .any(|text| text.contains(small))
        {
            Found::InsideAWord
        } else {
            Found::Scattered
        }
    }
}

/// Returns whether a word of a text begins with what was typed.
fn has_word(text: &str, typed: &str) -> bool {
    for (at, _) in text.match_indices(typed) {
        if !text[..at].ends_with(char::is_alphanumeric) {
            return true;
        }
    }
    false
}
