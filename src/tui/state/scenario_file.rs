//! What of the scenarios is on the disk.

use crate::base::save::Fingerprint;
use crate::base::shown::shown;
use crate::scenario::Scenario;
use crate::source::format::Problems;
use crate::source::format::native::not_read;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

/// What one state of all scenarios is told from others by: the name of each and the number of its edits.
pub(crate) type Versions = Vec<(String, u64)>;

/// What is on the disk.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScenarioFile {
    /// The file that the scenarios were saved to or opened from.
    pub(crate) path: Option<PathBuf>,
    /// That file as it was then.
    pub(crate) seen: Option<Fingerprint>,
    /// What it holds; nothing where no file the user knows of holds anything.
    pub(crate) versions: Option<Versions>,
    /// What of the file is not read and so would not be written again, as it may be shown; empty where there is nothing.
    pub(crate) unread: String,
    /// What is being written, and where to.
    pub(crate) under_way: Option<(PathBuf, Versions)>,
    /// The number of the snapshot's tree, once it was asked for.
    pub(crate) tree_state: OnceCell<u64>,
}

impl ScenarioFile {
    /// What was just opened from a file, or from none.
    pub(crate) fn opened<'a>(
        path: Option<PathBuf>,
        seen: Option<Fingerprint>,
        scenarios: impl Iterator<Item = &'a Scenario>,
        problems: &Problems,
    ) -> Self {
        Self {
            unread: path
                .as_deref()
                .map_or_else(String::new, |path| unread(path, problems)),
            path,
            seen,
            versions: Some(versions(scenarios)),
            ..Self::default()
        }
    }

    /// Notes that the snapshot is another one.
    pub(crate) fn forget_tree(&mut self) {
        self.tree_state.take();
    }
}

pub(crate) fn versions<'a>(scenarios: impl Iterator<Item = &'a Scenario>) -> Versions {
    scenarios
        .map(|scenario| (scenario.name().to_owned(), scenario.history().mark()))
        .collect()
}

/// What of a scenario file is not read: keys by their names, all else by its line.
fn unread(path: &Path, problems: &Problems) -> String {
    let file = shown(path.as_os_str().as_encoded_bytes());
    let of_file = problems.list().iter();
    let of_file = of_file.filter(|problem| problem.file == file);
    let parts: Vec<String> = of_file.filter_map(not_read).collect();
    match &parts[..] {
        [parts @ .., last] if !parts.is_empty() => format!("{} and {last}", parts.join(", ")),
        parts => parts.concat(),
    }
}
