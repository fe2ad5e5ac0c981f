//! Scenario files: a source and the scenarios on it.

mod list;
mod source;

use super::document::{Document, VERSION, quoted};
use super::write;
use crate::base::shown::sentence;
use crate::format::{
    Example, LoadError, LoadResult, Loaded, LoadedScenarios, OnProgress, OpenSource, Request,
    SavedScenario, is_example,
};
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};
use toml::de::DeTable;

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
            state: match request.live() {
                Some(_) => None,
                None => source::state(request.path()),
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
    let Reference { request, state } = reference;
    let folder = path.parent().unwrap_or_else(|| Path::new(""));
    let path = |path: &Option<PathBuf>| path.as_ref().map(|path| written(path, folder));
    let (key, value) = match request.live() {
        Some(scheduler) => ("live", quoted(scheduler.name())),
        None if is_example(request.path()) => {
            let name = request.path().to_string_lossy();
            let named = name.split_once(':').map(|(_, name)| name);
            ("example", quoted(named.unwrap_or(Example::Site.name())))
        }
        None => ("path", written(request.path(), folder)),
    };
    let more = request
        .source
        .more()
        .iter()
        .map(|path| written(path, folder));
    let more = more.collect::<Vec<_>>().join(", ");
    let modified = state.and_then(|(_, modified)| write::time(modified));
    let history = &request.history;
    let at = history.until.and_then(write::time);
    let zone = history.zone.as_ref();
    let zone = zone.and_then(|zone| zone.iana_name());
    let adds_usage = history.adds_usage.then(|| "true".to_owned());
    let state_hash = tree_state.map(|state| format!("{state:016x}"));
    let source = [
        (key, Some(value)),
        ("more", (!more.is_empty()).then(|| format!("[{more}]"))),
        ("cluster", request.cluster.as_deref().map(quoted)),
        ("format", request.format.map(|format| quoted(format.name()))),
        ("config", path(&request.beside.config)),
        ("usage", path(&request.beside.usage)),
        ("sched_config", path(&request.beside.sched_config)),
        ("jobs", path(&request.beside.jobs)),
        ("at", at.map(|time| quoted(&time))),
        ("timezone", zone.map(quoted)),
        ("add_usage", adds_usage),
        ("size", state.map(|(size, _)| size.to_string())),
        ("modified", modified.map(|time| quoted(&time))),
        ("state", state_hash.map(|hash| quoted(&hash))),
    ];
    let mut text =
        format!("# What-ifs on a fairshare tree, for fairscope.\nfairscope = {VERSION}\n");
    // Writing to a String cannot fail.
    let mut line = |key: &str, value: &str| _ = writeln!(text, "{key} = {value}");
    if let [alone] = scenarios
        && let Some(policy) = alone.policy.filter(|_| list::is_alone(scenarios))
    {
        line("policy", &quoted(policy.name()));
    }
    for (place, (key, value)) in request.settings.iter().enumerate() {
        let start = if place == 0 { "\n[settings]\n" } else { "" };
        line(&format!("{start}{}", quoted(key)), &quoted(value));
    }
    let mut start = "\n[source]\n";
    for (key, value) in source {
        if let Some(value) = value {
            line(&format!("{start}{key}"), &value);
            start = "";
        }
    }
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
    let parts: Vec<_> = path.components().filter(plain).collect();
    let folders: Vec<_> = folder.components().filter(plain).collect();
    let both = parts.iter().zip(&folders);
    let shared = both.take_while(|(part, folder)| part == folder).count();
    let up = std::iter::repeat_n(Component::ParentDir, folders.len() - shared);
    let seen: PathBuf = up.chain(parts[shared..].iter().copied()).collect();
    if seen.as_os_str().is_empty() {
        // The folder itself: an empty path would be invalid.
        return PathBuf::from(".");
    }
    seen
}

pub(super) fn parse<'a>(
    mut document: Document<'a>,
    top: &DeTable<'a>,
    request: &Request,
    report: OnProgress<'_>,
    open_source: OpenSource<'_>,
) -> LoadResult<Loaded> {
    let file = document.problems.file.clone();
    let refused = |sentence: &str| Err(LoadError::Refused(sentence!("{file}: {sentence}")));
    let Some(source) = document.table(top, "source") else {
        return refused("source is not a table; write [source] and below it path = \"...\"");
    };
    document.check_keys(source, source::KEYS);
    if let Some(tree) = top.get("tree") {
        let message = "there are both [tree] and [source]; [tree] is not read";
        let advice = "remove one of the two: a file is a tree or a scenario";
        document.warn(tree, "toml-tree-in-scenario", message, advice);
    }
    let (scenarios, front) = list::read(&mut document, top);
    let inner = match source::request(&mut document, top, source, request) {
        Ok(inner) => inner,
        Err(sentence) => return refused(&sentence),
    };
    let mut loaded = open_source(&inner, report).map_err(|error| match error {
        LoadError::Cancelled => error,
        LoadError::Nested => LoadError::Refused(sentence!("{file}: {error}")),
        LoadError::Missing(path) => LoadError::Missing(sentence!("{file}: its source {path}")),
        error => LoadError::Refused(sentence!("{file}: its source cannot be opened: {error}")),
    })?;
    source::check_state(&mut document, source, &inner, &loaded.snapshot.tree);
    document.problems.append(loaded.problems);
    loaded.problems = document.problems;
    let named = scenarios.get(front).and_then(|front| front.policy);
    loaded.policy = named.or(loaded.policy);
    loaded.scenarios = Some(LoadedScenarios {
        path: request.path().to_owned(),
        list: scenarios,
        front,
    });
    Ok(loaded)
}
