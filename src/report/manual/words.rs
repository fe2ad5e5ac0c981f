//! The words of a text as a search compares them: in small letters, without their endings.

/// A word as it is written: `half-life` and `LevelFS` have two parts.
#[derive(Debug)]
pub(super) struct Compound {
    /// The parts, in small letters. There is at least one.
    pub(super) parts: Vec<String>,
    /// All parts without what is between them: `halflife`.
    pub(super) joined: String,
}

impl Compound {
    /// Returns all words that find it: its parts, each pair of neighbours as one, and the whole as one. `halflife` finds
    /// `PriorityDecayHalfLife`.
    pub(super) fn words(&self) -> Vec<String> {
        let mut words = self.parts.clone();
        for pair in self.parts.windows(2) {
            words.push(pair.concat());
        }
        if self.parts.len() > 2 {
            words.push(self.joined.clone());
        }
        words
    }
}

/// Words that are in every text, or in every question, and tell nothing of what it is about.
const COMMON: &[&str] = &[
    "a", "about", "after", "all", "am", "an", "and", "any", "are", "as", "at", "be", "but", "by",
    "can", "did", "do", "does", "for", "from", "get", "give", "has", "have", "how", "i", "if",
    "in", "into", "is", "it", "its", "me", "mean", "means", "my", "no", "not", "of", "on", "one",
    "or", "our", "s", "so", "than", "that", "the", "their", "them", "then", "there", "they",
    "this", "to", "too", "up", "was", "we", "what", "when", "where", "which", "who", "why", "will",
    "with", "work", "works", "you", "your",
];

/// Returns whether a word tells nothing of what a text is about.
pub(super) fn is_common(word: &str) -> bool {
    COMMON.binary_search(&word).is_ok()
}

/// Returns the words of a text.
pub(super) fn compounds(text: &str) -> Vec<Compound> {
    let mut found = Vec::new();
    for written in text.split(is_between_words) {
        let mut parts = Vec::new();
        for piece in written.split(['-', '_']) {
            push_parts(piece, &mut parts);
        }
        if !parts.is_empty() {
            let joined = parts.concat();
            found.push(Compound { parts, joined });
        }
    }
    found
}

/// Returns whether a sign ends a word.
fn is_between_words(sign: char) -> bool {
    !sign.is_alphanumeric() && sign != '-' && sign != '_'
}

/// Adds the parts of a piece, of which each but the first begins with a capital letter: those of `LevelFS`.
fn push_parts(piece: &str, parts: &mut Vec<String>) {
    let mut part = String::new();
    let mut is_after_small = false;
    for letter in piece.chars() {
        if letter.is_uppercase() && is_after_small {
            parts.push(std::mem::take(&mut part));
        }
        is_after_small = letter.is_lowercase();
        part.extend(letter.to_lowercase());
    }
    if !part.is_empty() {
        parts.push(part);
    }
}

/// Returns a word in small letters without its ending, so that `decays`, `decayed` and `decay` are one, and so are
/// `anonymise` and `anonymize`.
pub(super) fn stem(word: &str) -> String {
    let singular = without_plural(word);
    let mut root = without_participle(&singular);
    if let Some(short) = shortened(&root, "e") {
        root = short;
    }
    // `recovery` and `recover`, `priority` and `priorities`; but a key is no `ke`.
    if let Some(short) = shortened(&root, "y")
        && !short.ends_with(['a', 'e', 'i', 'o', 'u'])
    {
        root = short;
    }
    if let Some(short) = shortened(&root, "iz") {
        root = short + "is";
    }
    root
}

/// Returns a word without the ending of the plural.
fn without_plural(word: &str) -> String {
    if let Some(short) = shortened(word, "ies") {
        return short + "y";
    }
    for ending in ["ches", "shes", "xes", "sses"] {
        if word.ends_with(ending)
            && let Some(short) = shortened(word, "es")
        {
            return short;
        }
    }
    match shortened(word, "s") {
        Some(short) if !short.ends_with(['s', 'u', 'i']) => short,
        _ => word.to_owned(),
    }
}

/// Returns a word without the ending of a participle: `sharing` and `shared` are `shar`, `planned` is `plan`.
fn without_participle(word: &str) -> String {
    for ending in ["ing", "ed"] {
        let Some(mut short) = shortened(word, ending) else {
            continue;
        };
        let last = short.pop();
        if let Some(last) = last
            && (!short.ends_with(last) || matches!(last, 'l' | 's'))
        {
            short.push(last);
        }
        return short;
    }
    word.to_owned()
}

/// The fewest letters of a word without its ending.
const FEWEST_LETTERS: usize = 3;

/// Returns a word without an ending; `None` if it has another one, or if too little would be left of it.
fn shortened(word: &str, ending: &str) -> Option<String> {
    let short = word.strip_suffix(ending)?;
    if short.chars().count() < FEWEST_LETTERS {
        return None;
    }
    Some(short.to_owned())
}
