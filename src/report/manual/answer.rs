//! What the manual says about a question, as text: the best sections, each with the command that prints its topic.

use super::index::{PassageKind, index};
use super::search::{Found, Hit, search};
use crate::base::nearest::nearest;
use crate::base::number::counted;
use crate::base::shell::command;
use crate::base::shown::{Shown, cells, cut, sentence, shown, wrap};

/// How many sections an answer shows at most, so that it is one screen.
const MOST_HITS: usize = 5;

/// How many lines of a section an answer shows at most.
const MOST_LINES: usize = 2;

/// How many cells the lines of a section are indented by.
const INDENT: usize = 2;

/// The widest text of a question that is repeated.
const WIDEST_QUESTION: usize = 40;

/// Returns the best sections for a question as text of a screen of that width, each with the command that prints its
/// topic. The error says that nothing was found, with the nearest of the words of the manual and of the known `names`.
pub fn answer(question: &str, names: &[&str], width: usize) -> Result<String, Shown> {
    let asked = shown(question.trim().as_bytes()).cut(WIDEST_QUESTION);
    let found = search(question);
    if found.hits.is_empty() {
        return Err(nothing_found(&found, names, &asked));
    }
    let count = counted(found.hits.len(), "topic", "topics");
    let mut lines = vec![format!(
        "'{asked}' is in {count} of the manual, the best first:"
    )];
    if found.hits.len() > MOST_HITS {
        lines = vec![format!(
            "'{asked}' is in {count} of the manual; the best {MOST_HITS}:"
        )];
    }
    if !found.unknown.is_empty() {
        let missing = unknown_words(&found.unknown, names);
        lines.push(format!("No topic has {missing}."));
    }
    for hit in found.hits.iter().take(MOST_HITS) {
        lines.push(String::new());
        lines.push(heading_of(hit, width));
        for line in excerpt(hit, width.saturating_sub(INDENT)) {
            lines.push(format!("{:INDENT$}{line}", ""));
        }
    }
    lines.push(String::new());
    Ok(lines.join("\n"))
}

/// Returns the heading of a section, with the command that prints its topic at the end of the line.
fn heading_of(hit: &Hit, width: usize) -> String {
    let command = command(["fairscope", "help", hit.topic.name]);
    let title = hit.topic.subject();
    let mut heading = title.to_owned();
    if hit.heading.is_empty() {
        heading += ": ";
        heading += hit.topic.about();
    } else {
        heading += ", ";
        heading += &hit.heading;
    }
    let room = width.saturating_sub(cells(&command) + INDENT);
    let fitting = cut(&heading, room);
    let gap = width.saturating_sub(cells(&fitting) + cells(&command));
    format!("{fitting}{:gap$}{command}", "")
}

/// Returns the first lines of the passage that was found, with what follows in its paragraph.
fn excerpt(hit: &Hit, width: usize) -> Vec<String> {
    // The signs of what is left out need room.
    let wrapped = paragraph(hit.passage, width.saturating_sub(4));
    let mut first = 0;
    for (place, line) in wrapped.iter().enumerate() {
        if !hit.word.is_empty() && line.contains(&hit.word) {
            first = (place + 1).saturating_sub(MOST_LINES);
            break;
        }
    }
    let end = wrapped.len().min(first + MOST_LINES);
    let mut lines = wrapped[first..end].to_vec();
    if first > 0
        && let Some(line) = lines.first_mut()
    {
        line.insert_str(0, "… ");
    }
    if end < wrapped.len()
        && let Some(line) = lines.last_mut()
    {
        line.push_str(" …");
    }
    lines
}

/// Returns a passage and what follows in its paragraph, wrapped. Rows begin lines of their own.
fn paragraph(passage: usize, width: usize) -> Vec<String> {
    let passages = &index().passages;
    let mut sentences = Vec::new();
    let mut lines = Vec::new();
    if let Some(first) = passages.get(passage) {
        for passage in &passages[passage..] {
            if passage.block != first.block {
                break;
            }
            if passage.kind == PassageKind::Sentence {
                sentences.push(passage.text.as_str());
            } else {
                lines.extend(wrap(&passage.text, width));
            }
        }
    }
    if !sentences.is_empty() {
        lines.extend(wrap(&sentences.join(" "), width));
    }
    lines
}

/// Returns the sentence that the manual has nothing about a question.
fn nothing_found(found: &Found, names: &[&str], asked: &Shown) -> Shown {
    if found.unknown.is_empty() {
        return sentence!("no word to search for in '{asked}' (fairscope help lists the topics)");
    }
    let missing = unknown_words(&found.unknown, names);
    sentence!("the manual has nothing about {missing} (fairscope help lists the topics)")
}

/// Returns the names and after them all words of the manual.
fn known_words<'a>(names: &[&'a str]) -> Vec<&'a str> {
    let mut known = names.to_vec();
    for word in index().written.keys() {
        known.push(word);
    }
    known
}

/// Returns whether a word is one of the names, mistyped: no word of the manual is more like it.
pub fn is_like_a_name(word: &str, names: &[&str]) -> bool {
    match nearest(word, &known_words(names)) {
        Some(near) => names.contains(&near),
        None => false,
    }
}

/// How many unknown words are named.
const MOST_UNKNOWN: usize = 3;

/// Returns unknown words, each with the nearest known one.
fn unknown_words(words: &[String], names: &[&str]) -> Shown {
    let known = known_words(names);
    let mut told = Vec::new();
    for word in words.iter().take(MOST_UNKNOWN) {
        let name = shown(word.as_bytes()).cut(WIDEST_QUESTION);
        told.push(match nearest(word, &known) {
            Some(near) => sentence!("'{name}' (did you mean '{near}'?)"),
            None => sentence!("'{name}'"),
        });
    }
    if words.len() > MOST_UNKNOWN {
        let more = words.len() - MOST_UNKNOWN;
        told.push(sentence!("{more} more"));
    }
    Shown::joined(told, ", ")
}
