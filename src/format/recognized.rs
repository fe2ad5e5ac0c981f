//! Inputs that were looked at.

use super::input::{self, Input};
use super::{Format, LoadError, Refusal};

/// What a source holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A tree, or a part of one.
    Tree(Format),
    /// Slurm's configuration, which is read beside a tree.
    Settings,
}

/// A source whose kind was looked for, without what copying added around it.
pub(crate) struct Recognized {
    pub(crate) input: Input,
    /// `None` if it is of no known kind.
    pub(crate) kind: Option<Kind>,
}

impl Recognized {
    /// Returns the format of its tree, or `None` if it has none of a known format.
    pub(crate) fn format(&self) -> Option<Format> {
        match self.kind? {
            Kind::Tree(format) => Some(format),
            Kind::Settings => None,
        }
    }

    /// Checks that it is not certainly something that cannot be read.
    pub(crate) fn check(&self) -> Result<(), LoadError> {
        if self.input.bytes.is_empty() {
            let advice = "expected a tree: check what should have written it";
            return Err(Refusal::is(&self.input.name(), "empty", advice).into());
        }
        input::check(&self.input)
    }
}
