//! The outputs that were found beside a tree: files, or what a scheduler printed.

use super::companion::Companion;
use crate::format::input::{self, Input};
use crate::format::{LoadResult, OnProgress};
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

/// A companion: a file, or what a scheduler printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompanionSource {
    /// The path of a file.
    File(PathBuf),
    /// What a command printed.
    Printed(Arc<Input>),
}

impl CompanionSource {
    /// Returns its contents, without what copying added to a file.
    pub(crate) fn read(&self, report: OnProgress<'_>) -> LoadResult<Cow<'_, Input>> {
        match self {
            Self::File(path) => {
                let mut input = input::read(path, report)?;
                if let Some(cleaned) = input::clean(&input.bytes) {
                    input.bytes = cleaned.bytes;
                }
                Ok(Cow::Owned(input))
            }
            Self::Printed(input) => Ok(Cow::Borrowed(input)),
        }
    }
}

/// The companions that were found with a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Companions(pub Vec<(Companion, CompanionSource)>);

impl Companions {
    /// Returns those of a kind, in the order in which they were found.
    pub fn of(&self, kind: Companion) -> Vec<CompanionSource> {
        let mut found = Vec::new();
        for (companion, source) in &self.0 {
            if *companion == kind {
                found.push(source.clone());
            }
        }
        found
    }
}
