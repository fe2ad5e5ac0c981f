//! The sentence about the last edit: what was done, how the ranks moved by it, and how to take it back.

use crate::base::shown::{Shown, sentence};
use crate::report::impact::Before;
use crate::report::lint::formula_faults;
use crate::report::words::impact::effect;
use crate::tui::state::Session;

/// What is known of an edit when it is made.
#[derive(Clone, Debug)]
pub(crate) struct News {
    /// What was done, in a few words.
    pub(crate) done: Shown,
    /// The ranks before it. `None` if no ranks are told.
    pub(crate) before: Option<Before>,
    /// Whether it set a formula, whose faults are told.
    pub(crate) sets_formula: bool,
    /// The key that takes it back. `None` if nothing is left to take back.
    pub(crate) undo: Option<String>,
}

impl News {
    /// Returns news that are told as they are, with nothing to take back.
    pub(crate) const fn plain(done: Shown) -> Self {
        Self {
            done,
            before: None,
            sets_formula: false,
            undo: None,
        }
    }
}

/// The sentence about an edit, and the revision of the tree that it made.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) revision: u64,
    pub(crate) sentence: Shown,
    pub(crate) news: News,
}

impl Session {
    /// Tells what an edit did, until the next change. What needs numbers that are still computed is told with them.
    pub(crate) fn tell(&mut self, news: News) {
        let mut done = news.done.clone();
        let mut moved = None;
        let mut joint = ": ";
        if !self.is_behind() {
            let before = news.before.as_ref();
            moved = before.map(|before| effect(&before.effect(&self.scenario)));
            let fault = if news.sets_formula {
                formula_faults(&self.report()).into_iter().next()
            } else {
                None
            };
            if let Some(fault) = fault {
                // The fault names the setting, too, and is a sentence of its own.
                done = fault.message;
                joint = "; ";
            }
        }
        let undo = news.undo.as_ref();
        let undo = undo.map(|key| sentence!("{key} takes it back"));
        let begin = Shown::joined([Some(done), moved].into_iter().flatten(), joint);
        let sentence = Shown::joined([Some(begin), undo].into_iter().flatten(), "; ");
        let revision = self.revision;
        self.told = Some(Told {
            revision,
            sentence,
            news,
        });
    }

    /// Tells the last edit again, now that its numbers are known.
    pub(crate) fn tell_again(&mut self) {
        if let Some(told) = self.told.take() {
            self.tell(told.news);
        }
    }
}
