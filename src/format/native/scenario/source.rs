//! The source that a scenario refers to.

use super::super::document::{Document, plain};
use super::super::write;
use super::state;
use crate::base::shown::{sentence, shown};
use crate::format::{Example, Format, Problems, Request, is_example};
use crate::model::{Scheduler, Tree};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The keys of `[source]`.
pub(super) const KEYS: &[&str] = &[
    "path",
    "example",
    "format",
    "more",
    "live",
    "config",
    "cluster",
    "usage",
    "sched_config",
    "jobs",
    "size",
    "modified",
    "state",
];

/// Returns the request for the source of a scenario. Options of the user take precedence.
///
/// # Errors
/// If the scenario does not name its source, with how to fix it.
pub(super) fn request(
    document: &Document<'_>,
    source: &DeTable<'_>,
    request: &Request,
    problems: &mut Problems,
) -> Result<Request, String> {
    let folder = request.path.parent().unwrap_or_else(|| Path::new(""));
    let mut path = |key| {
        document
            .string(source, key, problems)
            .and_then(|text| read_path(text, folder))
    };
    let (main, usage, sched_config) = (path("path"), path("usage"), path("sched_config"));
    // Scenarios saved in the folder of their source once had an empty path.
    let is_itself = source
        .get("path")
        .and_then(|value| value.get_ref().as_str())
        == Some("");
    let main = main.or_else(|| is_itself.then(|| read_path(".", folder)).flatten());
    let (config, jobs) = (path("config"), path("jobs"));
    let live = live(document, source, main.is_some(), problems)?;
    let cluster = document.string(source, "cluster", problems);
    let more = more(document, source, folder, problems);
    let main = match source.get("example").map(Spanned::get_ref) {
        _ if live.is_some() => PathBuf::from("live"),
        // The first example of earlier versions, to which such a file belongs.
        Some(DeValue::Boolean(true)) => Example::Small.source().into(),
        Some(DeValue::String(name)) => PathBuf::from(format!("example:{name}")),
        _ => main.ok_or(
            "[source] has no path that can be read; write path = \"...\", as seen from the scenario's own folder, \
             or example = true",
        )?,
    };
    let format = format(document, source, problems);
    let mut settings = Vec::new();
    if let Some(table) = document.table("settings", problems) {
        let texts = table
            .iter()
            .map(|(key, value)| (key.get_ref().to_string(), plain(value.get_ref())));
        settings.extend(texts.filter_map(|(key, text)| Some((key, text?))));
    }
    settings.extend(request.settings.iter().cloned());
    Ok(Request {
        path: main,
        more,
        series: Vec::new(),
        live,
        timeout: request.timeout,
        config: request.config.clone().or(config),
        cluster: request
            .cluster
            .clone()
            .or_else(|| cluster.map(str::to_owned)),
        names_cluster: request.names_cluster,
        format,
        usage: request.usage.clone().or(usage),
        sched_config: request.sched_config.clone().or(sched_config),
        jobs: request.jobs.clone().or(jobs),
        settings,
    })
}

/// Returns the scheduler that a scenario asks.
fn live(
    document: &Document<'_>,
    source: &DeTable<'_>,
    has_path: bool,
    problems: &mut Problems,
) -> Result<Option<Scheduler>, String> {
    let Some(name) = document.string(source, "live", problems) else {
        return Ok(None);
    };
    let scheduler = Scheduler::named(name);
    if let (None, Some(value)) = (scheduler, source.get("live")) {
        let message = format!("unknown scheduler '{}\'", shown(name.as_bytes()));
        let advice = "write slurm, pbs or flux";
        if !has_path {
            return Err(format!("{message} in [source]; {advice}"));
        }
        let message = sentence!("{message}; the path is opened instead");
        document.warn(value, "toml-unknown-scheduler", message, advice, problems);
    }
    Ok(scheduler)
}

/// Returns the further outputs that belong to the source.
fn more(
    document: &Document<'_>,
    source: &DeTable<'_>,
    folder: &Path,
    problems: &mut Problems,
) -> Vec<PathBuf> {
    let Some(value) = source.get("more") else {
        return Vec::new();
    };
    let advice = "write it like this: more = [\"sshare.txt\"]";
    let Some(list) = value.get_ref().as_array() else {
        let message = "more is not a list of paths and is not read";
        document.warn(value, "toml-not-a-list", message, advice, problems);
        return Vec::new();
    };
    let mut paths = Vec::new();
    for value in list {
        let text = value.get_ref().as_str();
        if let Some(path) = text.and_then(|text| read_path(text, folder)) {
            paths.push(path);
        } else {
            let message = "one entry of more is not a path and is not read";
            document.warn(value, "toml-not-text", message, advice, problems);
        }
    }
    paths
}

/// Returns the format that a scenario states for its source.
fn format(
    document: &Document<'_>,
    source: &DeTable<'_>,
    problems: &mut Problems,
) -> Option<Format> {
    let name = document.string(source, "format", problems)?;
    let format = Format::named(name);
    if let (None, Some(value)) = (format, source.get("format")) {
        let known: Vec<_> = Format::ALL.iter().map(|format| format.name()).collect();
        let message = sentence!(
            "unknown format '{}\'; the format of the source is detected from its content",
            shown(name.as_bytes())
        );
        let advice = sentence!("expected one of {}", known.join(", "));
        document.warn(value, "toml-unknown-format", message, advice, problems);
    }
    format
}

/// Reports if the source is not the one on which the scenario was made. The number of its tree decides. A file without
/// that number is compared by size and time of the source. A live tree is never the same.
pub(super) fn check_state(
    document: &Document<'_>,
    source: &DeTable<'_>,
    request: &Request,
    tree: &Tree,
    problems: &mut Problems,
) {
    if request.live.is_some() {
        return;
    }
    let path = shown(request.path.as_os_str().as_bytes());
    let (value, message) = if let Some(value) = source.get("state") {
        let now = format!("{:016x}", tree.state_hash());
        if plain(value.get_ref()).as_ref() == Some(&now) {
            return;
        }
        let what = if is_example(&request.path) {
            "the built-in tree".to_owned()
        } else {
            format!("the tree of {path}")
        };
        (
            value,
            sentence!(
                "{what} is not the one that the scenario was saved on; the edits apply to the current one"
            ),
        )
    } else {
        let Some(value) = changed_file(source, &request.path) else {
            return;
        };
        (
            value,
            sentence!(
                "{path} has changed since the scenario was saved; the edits apply to the current tree"
            ),
        )
    };
    let advice = "look through the edits, and save the scenario again";
    document.warn(value, "toml-source-changed", message, advice, problems);
}

/// Returns the key in which a file differs from its former state, or `None` if it does not.
fn changed_file<'t, 'a>(source: &'t DeTable<'a>, path: &Path) -> Option<&'t Spanned<DeValue<'a>>> {
    let (size, modified) = state(path)?;
    let now = [
        ("size", Some(size.to_string())),
        ("modified", write::time(modified)),
    ];
    now.iter().find_map(|(key, now)| {
        let value = source.get(*key)?;
        (plain(value.get_ref()) != *now).then_some(value)
    })
}

/// Reads a path of a scenario in that folder.
fn read_path(text: &str, folder: &Path) -> Option<PathBuf> {
    let bytes = match text.strip_prefix("bytes:") {
        None => text.as_bytes().to_vec(),
        Some(hex) => hex
            .as_bytes()
            .chunks(2)
            .map(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok())
            .collect::<Option<_>>()?,
    };
    if bytes.is_empty() {
        return None;
    }
    let path = Path::new(OsStr::from_bytes(&bytes));
    // The folder itself keeps its own name.
    let is_itself = path == Path::new(".") && !folder.as_os_str().is_empty();
    Some(if is_itself {
        folder.to_owned()
    } else {
        folder.join(path)
    })
}
