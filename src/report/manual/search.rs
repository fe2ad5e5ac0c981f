//! The search of the manual: which sections answer some words, the best first. The command `help`, the list of topics of
//! the explorer and the search of a page ask here.

use super::Topic;
use super::index::{Index, PassageKind, Place, Posting, Section, as_one_word, index};
use super::synonyms::SYNONYMS;
use super::words::{Compound, compounds, is_common, stem};
use crate::base::shown::Shown;
use std::collections::{BTreeMap, BTreeSet};

/// The topic whose rows define words.
const GLOSSARY: &str = "glossary";

/// How many words of a question count. More of them ask nothing.
const MOST_WORDS: usize = 16;

/// The fewest letters of a word that finds those that begin with it.
const FEWEST_OF_BEGINNING: usize = 3;

/// How much a synonym counts of the word itself.
const OF_SYNONYM: f64 = 0.5;

/// How much a word counts that begins with what was asked for.
const OF_BEGINNING: f64 = 0.4;

/// What a question of [`super::synonyms::ASKED`] adds for each of its words.
const OF_ASKED: f64 = 10.0;

/// What a passage adds that is about just what was asked for.
const OF_SUBJECT: f64 = 6.0;

/// What it adds if it is a definition of the glossary.
const OF_DEFINITION: f64 = 12.0;

/// How much the words of a passage count once more, because they are together.
const TOGETHER: f64 = 1.5;

/// How much a word counts in a passage that is about it.
const WITH_SUBJECT: f64 = 1.3;

/// How much a line of code counts of a sentence.
const OF_CODE: f64 = 0.5;

/// The passages of a section in which a word counts as in one of the usual length.
const USUAL_LENGTH: f64 = 20.0;

/// The least score that a section needs, as a fraction of the best.
const LEAST: f64 = 0.1;

/// What a search of the manual found.
#[derive(Debug, Default)]
pub struct Found {
    /// The best section of each topic that has any, the best first.
    pub hits: Vec<Hit>,
    /// The words that are nowhere in the manual.
    pub unknown: Vec<String>,
}

/// A section of the manual that answers a question.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The topic.
    pub topic: Topic,
    /// The heading of the section; empty for what is above the first one.
    pub heading: Shown,
    /// A word of the passage as it is written there, by which it is found again; empty if only a title has one.
    pub word: String,
    /// Whether the section has all words that were asked for.
    pub has_all: bool,
    /// The passage, by its place in the index.
    pub(super) passage: usize,
    /// How well it answers: the higher, the better.
    score: f64,
}

/// A word that is searched for.
struct Term {
    /// What it finds: words without endings, each with how much it counts.
    roots: BTreeMap<String, f64>,
    /// How much the word tells: rare words more than frequent ones.
    weight: f64,
}

/// What a section has of a question.
#[derive(Clone, Copy, Default)]
struct Tally {
    /// The sum over the words that it has.
    score: f64,
    /// The weights of these words.
    covered: f64,
}

/// The question of [`super::synonyms::ASKED`] that was asked, of those that a section answers.
#[derive(Clone, Copy, Default)]
struct AskedHere {
    /// How many words it has; 0 if none was asked.
    words: usize,
    /// Whether nothing else was asked.
    is_whole: bool,
}

/// What a section has of one word.
#[derive(Clone, Copy, Default)]
struct Mentions {
    /// How much the best place of it counts.
    place: f64,
    /// How often it is in the text, synonyms in part.
    count: f64,
}

/// Searches the manual for the sections that answer a question.
pub fn search(question: &str) -> Found {
    let index = index();
    let mut found = Found::default();
    let mut terms = Vec::new();
    for word in asked_words(index, question) {
        let term = Term::of(index, &word);
        if term.roots.is_empty() {
            found.unknown.push(word);
        } else {
            terms.push(term);
        }
    }
    let ranking = Ranking::of(index, question, &terms);
    let mut topics = BTreeSet::new();
    let mut best = 0.0_f64;
    for mut hit in ranking.hits(found.unknown.is_empty()) {
        best = best.max(hit.score);
        if hit.score >= LEAST * best && topics.insert(hit.topic.name) {
            hit.word = ranking.word_of(hit.passage);
            found.hits.push(hit);
        }
    }
    found
}

/// Returns the words of a question that tell what it is about, each once. A compound is one word if the manual has it.
fn asked_words(index: &Index, question: &str) -> Vec<String> {
    let mut words = Vec::new();
    for compound in compounds(question) {
        if index.postings.contains_key(&stem(&compound.joined)) {
            words.push(compound.joined);
        } else {
            words.extend(compound.parts);
        }
    }
    let mut asked: Vec<String> = Vec::new();
    for word in words {
        if asked.len() < MOST_WORDS && !is_common(&word) && !asked.contains(&word) {
            asked.push(word);
        }
    }
    asked
}

impl Term {
    /// Returns a word with what it finds, which is nothing if the manual does not have it.
    fn of(index: &Index, word: &str) -> Self {
        let mut roots = BTreeMap::new();
        if word.chars().count() >= FEWEST_OF_BEGINNING {
            for (longer, root) in index.written.range(word.to_owned()..) {
                if !longer.starts_with(word) {
                    break;
                }
                roots.insert(root.clone(), OF_BEGINNING);
            }
        }
        let own = stem(word);
        for root in synonyms(&own) {
            if index.postings.contains_key(&root) {
                roots.insert(root, OF_SYNONYM);
            }
        }
        if index.postings.contains_key(&own) {
            roots.insert(own, 1.0);
        }
        let mut sections = BTreeSet::new();
        for root in roots.keys() {
            for posting in &index.postings[root] {
                sections.insert(posting.section);
            }
        }
        let all = index.sections.len() as f64;
        let having = sections.len().max(1) as f64;
        Self {
            roots,
            weight: (1.0 + all / having).ln(),
        }
    }
}

/// Returns the synonyms of a word without its ending.
fn synonyms(root: &str) -> Vec<String> {
    let mut found = Vec::new();
    for group in SYNONYMS {
        let mut roots = Vec::new();
        for word in *group {
            roots.push(as_one_word(&compounds(word)));
        }
        if roots.iter().any(|other| other == root) {
            found.extend(roots);
        }
    }
    found
}

/// Returns how much a place tells of what a section is about.
const fn weight_of(place: Place) -> f64 {
    match place {
        Place::Name => 4.0,
        Place::Title => 3.0,
        Place::Heading => 2.5,
        Place::Subject => 1.5,
        Place::TitleAbove => 1.0,
        Place::Text => 0.3,
    }
}

/// The sections and passages of the manual with what they have of a question.
struct Ranking<'a> {
    index: &'a Index,
    /// The words of the question.
    terms: &'a [Term],
    /// All words of the question without their endings, the common ones too.
    words: BTreeSet<String>,
    /// Those that tell what it is about.
    telling: BTreeSet<String>,
    /// The question as one word.
    subject: String,
    /// What each section has.
    sections: BTreeMap<usize, Tally>,
    /// The weights of the words that each passage has.
    passages: BTreeMap<usize, f64>,
}

impl<'a> Ranking<'a> {
    /// Ranks the manual by the words of a question.
    fn of(index: &'a Index, question: &str, terms: &'a [Term]) -> Self {
        let compounds = compounds(question);
        let mut ranking = Self {
            index,
            terms,
            words: BTreeSet::new(),
            telling: BTreeSet::new(),
            subject: subject_of(&compounds),
            sections: BTreeMap::new(),
            passages: BTreeMap::new(),
        };
        for compound in &compounds {
            let root = stem(&compound.joined);
            if !is_common(&compound.joined) {
                ranking.telling.insert(root.clone());
            }
            ranking.words.insert(root);
            for part in &compound.parts {
                ranking.words.insert(stem(part));
            }
        }
        for term in terms {
            ranking.add_term(term);
        }
        ranking
    }

    /// Adds what sections and passages have of a word.
    fn add_term(&mut self, term: &Term) {
        let mut sections: BTreeMap<usize, Mentions> = BTreeMap::new();
        let mut passages: BTreeMap<usize, f64> = BTreeMap::new();
        for (root, &part) in &term.roots {
            for &Posting {
                section,
                passage,
                place,
            } in &self.index.postings[root]
            {
                let mentions = sections.entry(section).or_default();
                mentions.place = mentions.place.max(part * weight_of(place));
                if place == Place::Text {
                    mentions.count += part;
                }
                if let Some(passage) = passage {
                    let counted = if place == Place::Subject {
                        part * WITH_SUBJECT
                    } else {
                        part
                    };
                    let best = passages.entry(passage).or_default();
                    *best = best.max(counted);
                }
            }
        }
        for (section, mentions) in sections {
            let length = self.index.length_of(section) as f64 / USUAL_LENGTH;
            let often = mentions.count / (mentions.count + 1.0 + length);
            let tally = self.sections.entry(section).or_default();
            tally.score += term.weight * (mentions.place + often);
            tally.covered += term.weight;
        }
        for (passage, part) in passages {
            *self.passages.entry(passage).or_default() += term.weight * part;
        }
    }

    /// Returns the sections that have any word, the best first. `is_whole` says that the manual knows all words.
    fn hits(&self, is_whole: bool) -> Vec<Hit> {
        let mut all = 0.0;
        for term in self.terms {
            all += term.weight;
        }
        let best = self.best_passages();
        let mut hits = Vec::new();
        for (place, section) in self.index.sections.iter().enumerate() {
            let asked = self.asked_of(section);
            let tally = match self.sections.get(&place) {
                Some(tally) => *tally,
                None if asked.is_whole => Tally::default(),
                None => continue,
            };
            let passage = match best.get(&place) {
                Some(&passage) => passage,
                None => section.first,
            };
            let covered = if asked.is_whole {
                1.0
            } else {
                tally.covered / all
            };
            let added = OF_ASKED * asked.words as f64 + self.of_passage(passage);
            hits.push(Hit {
                topic: section.topic,
                heading: section.heading.clone(),
                // Looked for only in those that are shown.
                word: String::new(),
                // A sum of the same numbers in another order differs in its last digits.
                has_all: is_whole && covered > 0.999,
                passage,
                score: (tally.score + added) * covered * covered,
            });
        }
        // Equal ones keep the order of the manual.
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        hits
    }

    /// Returns the passage of each section that has most of the question, the first of equal ones.
    fn best_passages(&self) -> BTreeMap<usize, usize> {
        let mut best: BTreeMap<usize, usize> = BTreeMap::new();
        for &passage in self.passages.keys() {
            let section = self.index.passages[passage].section;
            let before = best.get(&section).copied();
            let is_better = match before {
                Some(before) => self.of_passage(passage) > self.of_passage(before),
                None => true,
            };
            if is_better {
                best.insert(section, passage);
            }
        }
        best
    }

    /// Returns what a passage adds to its section.
    fn of_passage(&self, passage: usize) -> f64 {
        let Some(weight) = self.passages.get(&passage) else {
            return 0.0;
        };
        let own = &self.index.passages[passage];
        let topic = self.index.sections[own.section].topic;
        let mut added = TOGETHER * weight;
        if own.kind == PassageKind::Code {
            added *= OF_CODE;
        } else if own.subject == self.subject && topic.name == GLOSSARY {
            added += OF_DEFINITION;
        } else if own.subject == self.subject {
            added += OF_SUBJECT;
        }
        added
    }

    /// Returns the longest of the questions that a section answers, of those that were asked.
    fn asked_of(&self, section: &Section) -> AskedHere {
        let mut longest = AskedHere::default();
        for asked in &section.asked {
            let mut roots = BTreeSet::new();
            for word in compounds(asked.words) {
                roots.insert(stem(&word.joined));
            }
            if roots.len() > longest.words && roots.is_subset(&self.words) {
                longest = AskedHere {
                    words: roots.len(),
                    is_whole: !self.telling.is_empty() && self.telling.is_subset(&roots),
                };
            }
        }
        longest
    }

    /// Returns a word of a passage for which it was found, as it is written there; empty if it has none.
    fn word_of(&self, passage: usize) -> String {
        let Some(passage) = self.index.passages.get(passage) else {
            return String::new();
        };
        let mut best = String::new();
        let mut most = 0.0;
        for written in passage.text.split(|sign: char| !is_of_word(sign)) {
            for compound in compounds(written) {
                let weight = self.weight_of_word(&compound);
                if weight > most {
                    most = weight;
                    written.clone_into(&mut best);
                }
            }
        }
        best
    }

    /// Returns how much a written word counts; 0 if it was not asked for.
    fn weight_of_word(&self, word: &Compound) -> f64 {
        let mut most: f64 = 0.0;
        for own in word.words() {
            let root = stem(&own);
            for term in self.terms {
                if let Some(part) = term.roots.get(&root) {
                    most = most.max(term.weight * part);
                }
            }
        }
        most
    }
}

/// Returns the words of a question as one, but for those that tell nothing.
fn subject_of(compounds: &[Compound]) -> String {
    let mut all = String::new();
    for compound in compounds {
        if !is_common(&compound.joined) {
            all.push_str(&compound.joined);
        }
    }
    stem(&all)
}

/// Returns whether a sign may be in the midst of a word.
fn is_of_word(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '-' || sign == '_'
}
