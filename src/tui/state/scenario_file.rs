//! The file that holds the scenarios of a tree, and what it will hold.

use crate::base::save::Fingerprint;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::native::{Reference, not_read, write_scenarios};
use crate::format::{Problems, SavedScenario};
use crate::model::Snapshot;
use crate::open::opened::Opened;
use crate::scenario::Scenario;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Identifies a state of all scenarios: the name of each and the mark of its edits. Where the clock was moved to after
/// the last of them is not part of it, for that is done again with a key.
pub(crate) type Versions = Vec<(String, u64)>;

#[derive(Clone, Debug, Default)]
pub(crate) struct ScenarioFile {
    pub(crate) path: Option<PathBuf>,
    pub(crate) seen: Option<Fingerprint>,
    /// The state that it holds; `None` if no file that the user knows of holds any.
    pub(crate) versions: Option<Versions>,
    /// What of the file was not understood and would be lost by saving; empty if there is nothing.
    pub(crate) unread: Shown,
    /// The file that is being written, and the state that it will hold.
    pub(crate) under_way: Option<(PathBuf, Versions)>,
    pub(crate) tree_state: Arc<OnceLock<u64>>,
}

impl ScenarioFile {
    pub(crate) fn opened(opened: &Opened) -> Self {
        let path = opened.scenario_path.clone();
        let unread = path.as_deref().map(|path| unread(path, &opened.problems));
        Self {
            path,
            seen: opened.scenario_seen,
            versions: Some(versions(opened.other_scenarios.all(&opened.scenario))),
            unread: unread.unwrap_or_default(),
            ..Self::default()
        }
    }
}

pub(crate) fn versions<'a>(scenarios: impl Iterator<Item = &'a Scenario>) -> Versions {
    let version = |it: &Scenario| (it.name().to_owned(), it.mark_before_waiting());
    scenarios.map(version).collect()
}

/// Returns what of a scenario file was not understood: keys by their names, all else by its line.
fn unread(path: &Path, problems: &Problems) -> Shown {
    let file = shown(path.as_os_str().as_encoded_bytes());
    let of_file = problems.list().iter();
    let of_file = of_file.filter(|problem| file == *problem.file);
    let parts: Vec<String> = of_file.filter_map(not_read).collect();
    match &parts[..] {
        [parts @ .., last] if !parts.is_empty() => sentence!("{} and {last}", parts.join(", ")),
        parts => Shown::again(parts.concat()),
    }
}

/// The scenarios of a tree before they are written as a file, which takes up to a second for a large tree or many edits.
#[derive(Clone, Debug)]
pub(crate) struct UnwrittenScenarios {
    pub(super) path: PathBuf,
    pub(super) reference: Reference,
    pub(super) base: Arc<Snapshot>,
    pub(super) tree_state: Arc<OnceLock<u64>>,
    pub(super) scenarios: Vec<SavedScenario>,
    pub(super) front: usize,
}

impl UnwrittenScenarios {
    pub(crate) fn write(&self) -> String {
        // A live tree is another one each time.
        let is_file = self.reference.request.live.is_none();
        let hash = || self.base.tree.state_hash();
        let tree_state = is_file.then(|| *self.tree_state.get_or_init(hash));
        let (scenarios, front) = (&self.scenarios, self.front);
        write_scenarios(&self.path, &self.reference, tree_state, scenarios, front)
    }
}
