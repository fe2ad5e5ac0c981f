//! The manual taken apart for a search: its sections, the passages of each, and where each word is.

use super::synonyms::{ASKED, Asked};
use super::words::{Compound, compounds, stem};
use super::{TOPICS, Topic, document};
use crate::base::shown::Shown;
use crate::report::document::{Block, Medium, Part};
use crate::report::line::{Emphasis, Line};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A section of a topic: what is below one of its headings, or above the first one.
#[derive(Debug)]
pub(super) struct Section {
    /// The topic.
    pub(super) topic: Topic,
    /// The heading; empty for what is above the first one.
    pub(super) heading: Shown,
    /// The questions that it answers.
    pub(super) asked: Vec<&'static Asked>,
    /// Its first passage, by its place among all.
    pub(super) first: usize,
}

/// The smallest text that a search gives: a sentence, a row of a table, or a line of code.
#[derive(Debug)]
pub(super) struct Passage {
    /// The section, by its place among all.
    pub(super) section: usize,
    /// The paragraph, list item, row or line of code that it is of, counted through the manual. The headings of a table are
    /// with its first row.
    pub(super) block: usize,
    /// The text.
    pub(super) text: Shown,
    /// What it is about, as one word without endings: the first cell of a row, or the strong text with which a paragraph
    /// begins. Empty for any other passage.
    pub(super) subject: String,
    /// What it is.
    pub(super) kind: PassageKind,
}

/// What a passage is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PassageKind {
    /// A sentence of a paragraph or of an item of a list.
    Sentence,
    /// A row of a table.
    Row,
    /// A line of a file, or of what a command prints.
    Code,
}

/// What a word is a part of, by how much it tells of what a section is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The name of the topic, for the section that begins it.
    Name,
    /// The title of the topic, for the section that begins it.
    Title,
    /// The title of the topic, for its further sections.
    TitleAbove,
    /// The heading of the section.
    Heading,
    /// What a passage is about.
    Subject,
    /// Any other text.
    Text,
}

/// A place where a word is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Posting {
    /// The section.
    pub(super) section: usize,
    /// The passage; `None` for a title or a heading.
    pub(super) passage: Option<usize>,
    /// What the word is a part of.
    pub(super) place: Place,
}

/// The manual, to be searched.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// The sections in the order of the manual.
    pub(super) sections: Vec<Section>,
    /// The passages in the order of the manual.
    pub(super) passages: Vec<Passage>,
    /// Where each word without its ending is.
    pub(super) postings: BTreeMap<String, Vec<Posting>>,
    /// Each word as it is written, in small letters, without its ending.
    pub(super) written: BTreeMap<String, String>,
    /// The blocks that were read so far.
    blocks: usize,
}

/// The index, made at the first search.
static INDEX: LazyLock<Index> = LazyLock::new(Index::of_manual);

/// Returns the index of the manual.
pub(super) fn index() -> &'static Index {
    &INDEX
}

impl Index {
    /// Reads all topics.
    fn of_manual() -> Self {
        let mut index = Self::default();
        for &topic in TOPICS {
            index.read_topic(topic);
        }
        index
    }

    /// Reads a topic to its end.
    fn read_topic(&mut self, topic: Topic) {
        self.begin_section(topic, Shown::default());
        for part in document(topic).parts_in(Medium::Text) {
            let Part::Block(block) = part else { continue };
            match block {
                Block::Heading(heading) => self.begin_section(topic, heading.clone()),
                Block::Prose(line) | Block::Item(_, line) => self.read_prose(line),
                Block::ProseTable(table) => {
                    for (place, row) in table.rows.iter().enumerate() {
                        self.read_row(row);
                        if place > 0 {
                            self.blocks += 1;
                        }
                    }
                }
                Block::Verbatim { lines, .. } => {
                    for fields in lines {
                        self.add_passage(Shown::joined(fields, "  "), "", PassageKind::Code);
                        self.blocks += 1;
                    }
                }
                // A topic has none of these with words.
                Block::Section(_)
                | Block::Line(_)
                | Block::Choice(..)
                | Block::Sentence(_)
                | Block::Paragraph(_)
                | Block::Note(_)
                | Block::Figures(_)
                | Block::Link { .. }
                | Block::FoldStart(_)
                | Block::FoldEnd
                | Block::Gap => {}
            }
        }
    }

    /// Begins a section below a heading, or that at the beginning of a topic.
    fn begin_section(&mut self, topic: Topic, heading: Shown) {
        let mut asked = Vec::new();
        for question in ASKED {
            if question.topic == topic.name && *question.heading == *heading {
                asked.push(question);
            }
        }
        if heading.is_empty() {
            self.note_words(topic.name, Place::Name, None);
            self.note_words(topic.title(), Place::Title, None);
        } else {
            self.note_words(topic.title(), Place::TitleAbove, None);
        }
        self.note_words(&heading, Place::Heading, None);
        self.sections.push(Section {
            topic,
            heading,
            asked,
            first: self.passages.len(),
        });
    }

    /// Reads a paragraph or an item of a list.
    fn read_prose(&mut self, line: &Line) {
        let mut subject = "";
        if let Some(first) = line.spans.first()
            && first.emphasis == Emphasis::Strong
        {
            subject = &first.text;
        }
        self.read_block(&line.text(), subject);
    }

    /// Reads a row of a table. It is about its first cell.
    fn read_row(&mut self, cells: &[Line]) {
        let mut texts = Vec::new();
        for cell in cells {
            texts.push(cell.text());
        }
        let Some(first) = texts.first().cloned() else {
            return;
        };
        // A row of one cell is only the heading of those below it.
        if texts.iter().skip(1).all(|text| text.is_empty()) {
            return;
        }
        self.add_passage(Shown::joined(&texts, "  "), &first, PassageKind::Row);
    }

    /// Reads a block of text, sentence by sentence. The first one is about its subject.
    fn read_block(&mut self, text: &str, subject: &str) {
        let mut about = subject;
        let mut begin = 0;
        for end in ends_of_sentences(text) {
            let own = text[begin..end].trim().to_owned();
            self.add_passage(Shown::again(own), about, PassageKind::Sentence);
            about = "";
            begin = end;
        }
        self.blocks += 1;
    }

    /// Returns how many passages a section has, at least one.
    pub(super) fn length_of(&self, section: usize) -> usize {
        let end = match self.sections.get(section + 1) {
            Some(next) => next.first,
            None => self.passages.len(),
        };
        let length = end - self.sections[section].first;
        length.max(1)
    }

    /// Adds a passage to the section that is being read.
    fn add_passage(&mut self, text: Shown, subject: &str, kind: PassageKind) {
        let passage = self.passages.len();
        self.note_words(&text, Place::Text, Some(passage));
        self.note_words(subject, Place::Subject, Some(passage));
        self.passages.push(Passage {
            section: self.sections.len() - 1,
            block: self.blocks,
            text,
            subject: as_one_word(&compounds(subject)),
            kind,
        });
    }

    /// Notes where the words of a text are. Titles and headings are noted before their section is added.
    fn note_words(&mut self, text: &str, place: Place, passage: Option<usize>) {
        let section = match passage {
            Some(_) => self.sections.len() - 1,
            None => self.sections.len(),
        };
        let posting = Posting {
            section,
            passage,
            place,
        };
        for compound in compounds(text) {
            for word in compound.words() {
                self.note_word(word, posting);
            }
        }
    }

    /// Notes where a word is.
    fn note_word(&mut self, word: String, posting: Posting) {
        let root = stem(&word);
        self.written.insert(word, root.clone());
        self.postings.entry(root).or_default().push(posting);
    }
}

/// Returns the words of a text as one, without its ending: `halflife` for `half-life`.
pub(super) fn as_one_word(words: &[Compound]) -> String {
    let mut all = String::new();
    for word in words {
        all.push_str(&word.joined);
    }
    stem(&all)
}

/// Returns where the sentences of a text end.
fn ends_of_sentences(text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    for (at, sign) in text.match_indices(['.', '?', '!']) {
        let end = at + sign.len();
        if text[end..].starts_with(' ') {
            ends.push(end);
        }
    }
    ends.push(text.len());
    ends
}
