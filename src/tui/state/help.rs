//! The help: sections of keys, and the text that narrows them.

use crate::base::fuzzy::Fuzzy;
use crate::base::shown::Shown;

/// A heading of help, and the keys under it.
#[derive(Clone, Debug)]
pub struct HelpSection {
    /// The heading.
    pub title: &'static str,
    /// The keys and what they do.
    pub entries: Vec<HelpEntry>,
}

/// What one action needs and does.
#[derive(Clone, Debug)]
pub struct HelpEntry {
    /// Its keys, the first ones first.
    pub keys: Vec<Shown>,
    /// Its name in the keymap; empty for the mouse.
    pub name: &'static str,
    /// What it does.
    pub help: &'static str,
}

/// The open help.
#[derive(Clone, Debug)]
pub struct Help {
    /// What is in front, as the title says.
    pub place: &'static str,
    /// All that has an effect there.
    pub sections: Vec<HelpSection>,
    /// What was typed to narrow it.
    pub query: String,
    /// The first row shown.
    pub offset: usize,
}

impl Help {
    /// Returns the sections with the entries that match what was typed. A section without any is left out.
    pub fn passing(&self) -> Vec<HelpSection> {
        let query = self.query.to_lowercase();
        let is_part = |entry: &HelpEntry| {
            let is_key = entry.keys.iter().any(|key| **key == *self.query);
            is_key || entry.name.contains(&query) || entry.help.to_lowercase().contains(&query)
        };
        let passing = self.passing_by(is_part);
        if !passing.is_empty() {
            return passing;
        }
        let fuzzy = std::cell::RefCell::new(Fuzzy::new(&self.query));
        self.passing_by(|entry| fuzzy.borrow_mut().score(entry.help).is_some())
    }

    fn passing_by(&self, passes: impl Fn(&HelpEntry) -> bool) -> Vec<HelpSection> {
        let sections = self.sections.iter().map(|section| HelpSection {
            title: section.title,
            entries: section
                .entries
                .iter()
                .filter(|entry| passes(entry))
                .cloned()
                .collect(),
        });
        sections
            .filter(|section| !section.entries.is_empty())
            .collect()
    }
}
