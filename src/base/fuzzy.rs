//! Fuzzy matching of what is typed: all its letters in this order, with others between them.

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// What was typed, to be matched with many texts: lower-case letters match both cases, and each word must match.
pub(crate) struct Fuzzy {
    pattern: Pattern,
    matcher: Matcher,
    buffer: Vec<char>,
}

impl Fuzzy {
    pub(crate) fn new(query: &str) -> Self {
        let (case, form) = (CaseMatching::Smart, Normalization::Smart);
        Self {
            pattern: Pattern::new(query, case, form, AtomKind::Fuzzy),
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
    let mut matches: Vec<_> = items
        .filter_map(|item| {
            let texts = texts(&item);
            let scores = texts.iter().filter_map(|text| fuzzy.score(text));
            let score = scores.max()?;
            let lower = texts.map(|text| text.to_lowercase());
            let places = || lower.iter().flat_map(|text| places(text, &small));
            let rank = if lower[0].starts_with(&small) {
                0
            } else if places().any(|is_word| is_word) {
                1
            } else if places().next().is_some() {
                2
            } else {
                3
            };
            // Where the letters are together, the order of the list is the better one.
            let score = if rank < 3 { 0 } else { score };
            Some(((rank, std::cmp::Reverse(score)), item))
        })
        .collect();
    matches.sort_by_key(|&(key, _)| key);
    matches.into_iter().map(|(_, item)| item).collect()
}

/// Returns for each place where a text contains another whether a word begins there.
fn places(text: &str, part: &str) -> impl Iterator<Item = bool> {
    let is_letter = |char: char| char.is_alphanumeric();
    let places = text.match_indices(part);
    places.map(move |(at, _)| !text[..at].ends_with(is_letter))
}
