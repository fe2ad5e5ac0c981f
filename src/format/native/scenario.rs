//! Scenario files: a source and the scenarios on it.

mod list;
mod source;
mod summary;

use super::document::{Document, DocumentError, VERSION, quoted};
use super::problem::NativeProblem;
use super::write::{self, put, put_text};
use crate::base::shown::{Shown, sentence};
use crate::format::{
    Example, LoadError, LoadResult, Loaded, LoadedScenarios, OnProgress, OpenSource, Request,
    SavedScenario, is_example,
};
use list::Listed;
pub use source::FileState;
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};
pub use summary::EditSummary;
use toml::de::DeTable;

/// What stands before the bytes of a path that is not UTF-8.
const BYTES: &str = "bytes:";

/// The source of a scenario, and its state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reference {
    /// What to open.
    pub request: Request,
    /// The state of the source, or `None` if it is no file.
    pub state: Option<FileState>,
}

impl Reference {
    /// Returns a reference to a source in its present state on disk.
    pub fn to(request: &Request) -> Self {
        Self {
            request: request.clone(),
            state: match request.live() {
                Some(_) => None,
                None => FileState::at(request.path()),
            },
        }
    }
}

/// Writes scenarios for a file at `path`: the source as seen from there with the number of its tree, and the edits with
/// their reasons. The one at `front` is shown first.
///
/// The source's paths and `path` must both be absolute or both be relative to the same folder.
pub fn write_scenarios(
    path: &Path,
    reference: &Reference,
    tree_state: Option<u64>,
    scenarios: &[SavedScenario],
    front: usize,
) -> String {
    let request = &reference.request;
    let mut text =
        format!("# What-ifs on a fairshare tree, for fairscope.\nfairscope = {VERSION}\n");
    if let [alone] = scenarios
        && list::is_alone(scenarios)
        && let Some(policy) = alone.policy
    {
        put_text(&mut text, "policy", policy.name());
    }
    if !request.settings.is_empty() {
        text.push_str("\n[settings]\n");
    }
    for (key, value) in &request.settings {
        put_text(&mut text, &quoted(key), value);
    }
    text.push_str("\n[source]\n");
    let folder = path.parent().unwrap_or_else(|| Path::new(""));
    write_source(&mut text, reference, folder);
    if let Some(state) = tree_state {
        put_text(&mut text, "state", &format!("{state:016x}"));
    }
    list::write(&mut text, scenarios, front);
    text
}

/// Writes what was opened, as seen from a folder.
fn write_source(text: &mut String, reference: &Reference, folder: &Path) {
    let request = &reference.request;
    if let Some(scheduler) = request.live() {
        put_text(text, "live", scheduler.name());
    } else if is_example(request.path()) {
        let source = request.path().to_string_lossy();
        let name = match source.split_once(':') {
            Some((_, name)) => name,
            None => Example::Site.name(),
        };
        put_text(text, "example", name);
    } else {
        put(text, "path", &written(request.path(), folder));
    }
    let more = request.source.more();
    if !more.is_empty() {
        let more: Vec<String> = more.iter().map(|path| written(path, folder)).collect();
        put(text, "more", &format!("[{}]", more.join(", ")));
    }
    if let Some(cluster) = &request.cluster {
        put_text(text, "cluster", cluster);
    }
    if let Some(format) = request.format {
        put_text(text, "format", format.name());
    }
    let beside = &request.beside;
    for (key, path) in [
        ("config", &beside.config),
        ("usage", &beside.usage),
        ("sched_config", &beside.sched_config),
        ("jobs", &beside.jobs),
    ] {
        if let Some(path) = path {
            put(text, key, &written(path, folder));
        }
    }
    let history = &request.history;
    if let Some(time) = history.until.and_then(write::time) {
        put_text(text, "at", &time);
    }
    if let Some(zone) = &history.zone
        && let Some(name) = zone.iana_name()
    {
        put_text(text, "timezone", name);
    }
    if history.adds_usage {
        put(text, "add_usage", "true");
    }
    if let Some(state) = reference.state {
        put(text, "size", &state.size.to_string());
        if let Some(time) = write::time(state.modified) {
            put_text(text, "modified", &time);
        }
    }
}

/// Returns a path as a TOML value, relative to a folder. A path that is not UTF-8 is written as `\xNN` after `bytes:`.
fn written(path: &Path, folder: &Path) -> String {
    let path = seen_from(path, folder);
    match path.to_str() {
        Some(text) if !text.starts_with(BYTES) => quoted(text),
        _ => {
            let mut text = BYTES.to_owned();
            for byte in path.as_os_str().as_encoded_bytes() {
                // Writing to a String cannot fail.
                let _ = write!(text, "{byte:02X}");
            }
            quoted(&text)
        }
    }
}

/// Returns a path relative to a folder, without looking at the disk.
fn seen_from(path: &Path, folder: &Path) -> PathBuf {
    if path.is_absolute() != folder.is_absolute() || climbs(folder) {
        // One is absolute and the other is not: only the path as given can be right.
        return path.to_owned();
    }
    let parts = plain_parts(path);
    let folders = plain_parts(folder);
    let mut shared = 0;
    while shared < parts.len() && parts.get(shared) == folders.get(shared) {
        shared += 1;
    }
    let mut seen = PathBuf::new();
    for _ in shared..folders.len() {
        seen.push(Component::ParentDir);
    }
    seen.extend(&parts[shared..]);
    if seen.as_os_str().is_empty() {
        // The folder itself: an empty path would be invalid.
        seen.push(".");
    }
    seen
}

/// Returns whether a path has a `..`.
fn climbs(path: &Path) -> bool {
    path.components().any(|part| part == Component::ParentDir)
}

/// Returns the parts of a path without those that are `.`.
fn plain_parts(path: &Path) -> Vec<Component<'_>> {
    let parts = path.components();
    parts.filter(|part| *part != Component::CurDir).collect()
}

/// Reads a file with scenarios, and opens their source.
pub(super) fn parse<'a>(
    mut document: Document<'a>,
    top: &DeTable<'a>,
    request: &Request,
    report: OnProgress,
    open_source: OpenSource,
) -> LoadResult<Loaded> {
    let file = document.problems.file.clone();
    let Some(source) = document.table(top, "source") else {
        return Err(DocumentError::SourceNotATable.of_file(&file));
    };
    document.check_keys(source, source::KEYS);
    if let Some(tree) = top.get("tree") {
        document.report(tree, NativeProblem::TreeInScenario);
    }
    let Listed { scenarios, front } = list::read(&mut document, top);
    let inner = match source::request(&mut document, top, source, request) {
        Ok(inner) => inner,
        Err(error) => return Err(LoadError::Refused(sentence!("{file}: {error}"))),
    };
    let mut loaded = match open_source(&inner, report) {
        Ok(loaded) => loaded,
        Err(error) => return Err(of_source(error, &file)),
    };
    source::check_state(&mut document, source, &inner, &loaded.snapshot.tree);
    document.problems.append(loaded.problems);
    loaded.problems = document.problems;
    loaded.scenarios = Some(LoadedScenarios {
        path: request.path().to_owned(),
        list: scenarios,
        front,
    });
    Ok(loaded)
}

/// Returns why the source of a scenario could not be opened, with the file of the scenario.
fn of_source(error: LoadError, file: &Shown) -> LoadError {
    match error {
        LoadError::Cancelled => error,
        LoadError::Nested => LoadError::Refused(sentence!("{file}: {error}")),
        LoadError::Missing(path) => LoadError::Missing(sentence!("{file}: its source {path}")),
        error => LoadError::Refused(sentence!("{file}: its source cannot be opened: {error}")),
    }
}
