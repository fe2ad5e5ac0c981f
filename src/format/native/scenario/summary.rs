//! What a file of scenarios tells before its source is opened: the source, and how many edits there are.

use super::source::read_path;
use crate::base::shown::{Shown, shown};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::path::Path;

/// The edits in a file of scenarios.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditSummary {
    /// The last part of the path of the source, or the name of the example or scheduler that stands for it.
    pub source: Shown,
    /// The edits of all scenarios.
    pub edits: usize,
}

/// A file of scenarios, as far as the summary reads it.
#[derive(Deserialize)]
struct Written {
    source: WrittenSource,
    /// The edits of an only scenario.
    #[serde(default)]
    edit: Vec<IgnoredAny>,
    #[serde(default)]
    scenario: Vec<WrittenScenario>,
}

/// The source of a file: it has one of these.
#[derive(Deserialize)]
struct WrittenSource {
    path: Option<String>,
    example: Option<String>,
    live: Option<String>,
}

/// One of several scenarios.
#[derive(Deserialize)]
struct WrittenScenario {
    #[serde(default)]
    edit: Vec<IgnoredAny>,
}

impl EditSummary {
    /// Returns the summary of the text of a file, or `None` if it is no file of scenarios.
    pub fn of(text: &str) -> Option<Self> {
        let written: Written = toml::from_str(text).ok()?;
        let mut edits = written.edit.len();
        for scenario in &written.scenario {
            edits += scenario.edit.len();
        }
        let source = written.source.name()?;
        Some(Self { source, edits })
    }
}

impl WrittenSource {
    /// Returns the name of the source; `None` if the file names none.
    fn name(&self) -> Option<Shown> {
        if let Some(written) = &self.path {
            let path = read_path(written, Path::new(""))?;
            let name = path.file_name().unwrap_or(path.as_os_str());
            return Some(shown(name.as_encoded_bytes()));
        }
        let name = self.example.as_ref().or(self.live.as_ref())?;
        Some(shown(name.as_bytes()))
    }
}
