//! A text in full, and in short for where there is less room.

use crate::base::shown::Shown;

/// A text in full and in short.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wording {
    /// The whole text.
    pub(crate) full: Shown,
    /// The shorter text that says the same.
    pub(crate) short: Shown,
}

impl Wording {
    /// Returns a text that has no shorter form.
    pub(crate) fn same(text: impl Into<Shown>) -> Self {
        let full = text.into();
        Self {
            short: full.clone(),
            full,
        }
    }
}
