//! Scenario files: a source and the scenarios on it.

mod list;
mod source;

use super::document::{Document, quoted};
use super::{VERSION, write};
use crate::base::shown::sentence;
use crate::format::{
    Example, LoadError, Loaded, OnProgress, OpenSource, Problems, Request, SavedScenario,
    is_example,
};
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

/// The source of a scenario, and its state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reference {
    /// What to open.
    pub request: Request,
    /// The size in bytes and the time of change in Unix seconds of the source, if it is a file.
    pub state: Option<(u64, i64)>,
}

impl Reference {
    /// Returns a reference to a source in its present state on disk.
    pub fn to(request: &Request) -> Self {
        Self {
            request: request.clone(),
            state: match request.live {
                Some(_) => None,
                None => state(&request.path),
            },
        }
    }
}

fn state(path: &Path) -> Option<(u64, i64)> {
    let metadata = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    Some((metadata.len(), metadata.mtime()))
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
    let Reference { request, state } = reference;
    let folder = path.parent().unwrap_or_else(|| Path::new(""));
    let mut text =
        format!("# What-ifs on a fairshare tree, for fairscope.\nfairscope = {VERSION}\n");
    let mut line = |key: &str, value: &str| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{key} = {value}");
    };
    if let [alone] = scenarios
        && let Some(policy) = alone.policy.filter(|_| list::is_alone(scenarios))
    {
        line("policy", &quoted(policy.name()));
    }
    let mut settings = String::new();
    for (key, value) in &request.settings {
        let _ = writeln!(settings, "{} = {}", quoted(key), quoted(value));
    }
    let mut source = String::new();
    let mut line = |key: &str, value: &str| {
        let _ = writeln!(source, "{key} = {value}");
    };
    if let Some(scheduler) = request.live {
        line("live", &quoted(scheduler.name()));
    } else if is_example(&request.path) {
        let name = request.path.to_string_lossy();
        match name.split_once(':') {
            Some((_, name)) => line("example", &quoted(name)),
            None => line("example", &quoted(Example::Site.name())),
        }
    } else {
        line("path", &written(&request.path, folder));
    }
    if !request.more.is_empty() {
        let paths = request.more.iter().map(|path| written(path, folder));
        line(
            "more",
            &format!("[{}]", paths.collect::<Vec<_>>().join(", ")),
        );
    }
    if let Some(cluster) = &request.cluster {
        line("cluster", &quoted(cluster));
    }
    if let Some(format) = request.format {
        line("format", &quoted(format.name()));
    }
    for (key, path) in [
        ("config", &request.config),
        ("usage", &request.usage),
        ("sched_config", &request.sched_config),
        ("jobs", &request.jobs),
    ] {
        if let Some(path) = path {
            line(key, &written(path, folder));
        }
    }
    if let Some((size, modified)) = state {
        line("size", &size.to_string());
        if let Some(time) = write::time(*modified) {
            line("modified", &quoted(&time));
        }
    }
    if let Some(tree_state) = tree_state {
        line("state", &quoted(&format!("{tree_state:016x}")));
    }
    if !settings.is_empty() {
        let _ = write!(text, "\n[settings]\n{settings}");
    }
    let _ = write!(text, "\n[source]\n{source}");
    list::write(&mut text, scenarios, front);
    text
}

/// Returns a path as a TOML value, relative to a folder. A path that is not UTF-8 is written as `\xNN` after `bytes:`.
fn written(path: &Path, folder: &Path) -> String {
    let path = seen_from(path, folder);
    match path.to_str() {
        Some(text) if !text.starts_with("bytes:") => quoted(text),
        _ => {
            let mut text = "bytes:".to_owned();
            for byte in path.as_os_str().as_bytes() {
                // Writing to a String cannot fail.
                let _ = write!(text, "{byte:02X}");
            }
            quoted(&text)
        }
    }
}

/// Returns a path relative to a folder, without looking at the disk.
fn seen_from(path: &Path, folder: &Path) -> PathBuf {
    let climbs = |path: &Path| path.components().any(|part| part == Component::ParentDir);
    if path.is_absolute() != folder.is_absolute() || climbs(folder) {
        // One is absolute and the other is not: only the path as given can be right.
        return path.to_owned();
    }
    let plain = |part: &Component<'_>| *part != Component::CurDir;
    let (parts, folders): (Vec<_>, Vec<_>) = (
        path.components().filter(plain).collect(),
        folder.components().filter(plain).collect(),
    );
    let shared = parts
        .iter()
        .zip(&folders)
        .take_while(|(part, folder)| part == folder)
        .count();
    let up = std::iter::repeat_n(Component::ParentDir, folders.len() - shared);
    let seen: PathBuf = up.chain(parts[shared..].iter().copied()).collect();
    if seen.as_os_str().is_empty() {
        // The folder itself: an empty path would be invalid.
        return PathBuf::from(".");
    }
    seen
}

/// Reads a scenario and its source.
pub(super) fn parse(
    document: &Document<'_>,
    request: &Request,
    mut problems: Problems,
    report: OnProgress<'_>,
    open_source: OpenSource<'_>,
) -> Result<Loaded, LoadError> {
    let refused = |sentence: &str| {
        Err(LoadError::Refused(sentence!(
            "{}: {sentence}",
            document.file
        )))
    };
    let Some(source) = document.table("source", &mut problems) else {
        return refused("source is not a table; write [source] and below it path = \"...\"");
    };
    document.check_keys(source, source::KEYS, &mut problems);
    if let Some(tree) = document.value("tree") {
        let message = "there are both [tree] and [source]; [tree] is not read";
        let advice = "remove one of the two: a file is a tree or a scenario";
        document.warn(
            tree,
            "toml-tree-in-scenario",
            message,
            advice,
            &mut problems,
        );
    }
    let (scenarios, front) = list::read(document, &mut problems);
    let mut loaded = {
        let inner = match source::request(document, source, request, &mut problems) {
            Ok(inner) => inner,
            Err(sentence) => return refused(&sentence),
        };
        let loaded = open_source(&inner, report).map_err(|error| match error {
            LoadError::Cancelled => error,
            LoadError::Nested => LoadError::Refused(sentence!("{}: {error}", document.file)),
            LoadError::Missing(path) => {
                LoadError::Missing(sentence!("{}: its source {path}", document.file))
            }
            error => LoadError::Refused(sentence!(
                "{}: its source cannot be opened: {error}",
                document.file
            )),
        })?;
        source::check_state(
            document,
            source,
            &inner,
            &loaded.snapshot.tree,
            &mut problems,
        );
        loaded
    };
    problems.append(loaded.problems);
    loaded.problems = problems;
    let named = scenarios.get(front).and_then(|front| front.policy);
    loaded.policy = named.or(loaded.policy);
    (loaded.scenarios, loaded.front) = (scenarios, front);
    loaded.scenario = Some(request.path.clone());
    Ok(loaded)
}
