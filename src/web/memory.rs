//! What a page remembers: marks, columns and finished lessons. They are kept as long as the page is open, and longer only
//! if the reader has the page keep them.

use crate::tui::recent::Kept;
use crate::tui::{Memory, Message};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What is remembered, as it is kept.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub(super) struct PageMemory {
    /// The marked paths by source.
    marks: BTreeMap<PathBuf, Vec<String>>,
    /// The chosen columns by source.
    columns: BTreeMap<PathBuf, Vec<String>>,
    /// The names of the lessons that were finished.
    lessons: BTreeSet<String>,
}

impl PageMemory {
    /// Notes or looks something up. Returns what the explorer hears of it.
    pub(super) fn carry_out(&mut self, memory: Memory) -> Vec<Message> {
        match memory {
            Memory::KeepWords(kept, source, words) => {
                self.words_mut(kept).insert(source, words);
                Vec::new()
            }
            Memory::Recall(source) => self.recalled(&source),
            Memory::Finish(lesson) => {
                self.lessons.insert(lesson.to_owned());
                Vec::new()
            }
            Memory::RecallFinished => {
                let mut names = Vec::new();
                for name in &self.lessons {
                    names.push(name.clone().into_bytes());
                }
                vec![Message::Finished(names)]
            }
            // A page has no list of sources, and its explorer removes drafts.
            Memory::Remember(_) | Memory::RemoveDraft(_) => Vec::new(),
        }
    }

    fn words_mut(&mut self, kept: Kept) -> &mut BTreeMap<PathBuf, Vec<String>> {
        match kept {
            Kept::Marks => &mut self.marks,
            Kept::Columns => &mut self.columns,
        }
    }

    /// Returns what was kept for a source, by its kind.
    fn recalled(&mut self, source: &Path) -> Vec<Message> {
        let mut told = Vec::new();
        for kept in Kept::ALL {
            let mut words = Vec::new();
            for word in self.words_mut(kept).get(source).into_iter().flatten() {
                words.push(word.clone().into_bytes());
            }
            told.push(Message::Recalled(kept, source.to_owned(), words));
        }
        told
    }
}
