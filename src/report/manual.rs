//! The manual: one topic a file of `assets/manual`, compiled in, and laid out for a width.

mod layout;
mod parse;

pub use layout::{Line, lines, plain_text};
pub use parse::{Emphasis, Link, Piece, links};

/// A topic of the manual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topic {
    /// The word by which it is asked for.
    pub name: &'static str,
    /// The text, in Markdown. The first line is the title.
    pub text: &'static str,
}

macro_rules! topics {
    ($($name:literal)*) => {
        /// All topics, in the order of reading.
        pub const TOPICS: &[Topic] = &[$(Topic {
            name: $name,
            text: include_str!(concat!("../../assets/manual/", $name, ".md")),
        },)*];
    };
}

topics! {
    "explorer"
    "lessons"
    "slurm"
    "pbs"
    "flux"
    "changes"
    "time"
    "contention"
    "dumps"
    "commands"
    "formats"
    "verify"
    "edits"
    "formulas"
    "columns"
    "keys"
    "recordings"
    "configuration"
    "settings"
    "json"
    "problems"
    "questions"
    "promises"
}

impl Topic {
    /// Returns the topic of that name, or `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        TOPICS.iter().copied().find(|topic| topic.name == name)
    }

    /// Returns the title.
    pub fn title(self) -> &'static str {
        let line = self.text.lines().next().unwrap_or_default();
        line.trim_start_matches(['#', ' '])
    }

    /// Returns what the topic is about: the title without the name of the topic.
    pub fn about(self) -> &'static str {
        // The title begins with the name and a colon.
        let title = self.title();
        title.get(self.name.len() + 2..).unwrap_or(title)
    }
}
