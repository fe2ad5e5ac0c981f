//! The sentence about the last edit: what was done, how the ranks moved by it, and how to take it back.

use crate::analysis::impact::Before;
use crate::base::shown::Shown;

/// What is known of an edit when it is made.
#[derive(Clone, Debug)]
pub(crate) struct News {
    /// What was done, in a few words.
    pub(crate) done: Shown,
    /// The ranks before it. `None` if no ranks are told.
    pub(crate) before: Option<Before>,
    /// Whether it set a formula, whose faults are told.
    pub(crate) sets_formula: bool,
    /// The key that undoes it; `None` if there is nothing to undo.
    pub(crate) undo: Option<String>,
}

impl News {
    /// Returns news without ranks, which no key takes back.
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
