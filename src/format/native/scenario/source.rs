//! The source that a scenario refers to: what to open, and whether it is still the same.

use super::BYTES;
use crate::base::disk::{self, MetadataExt as _};
use crate::base::shown::{Shown, shown};
use crate::format::native::document::{Document, plain};
use crate::format::native::problem::NativeProblem;
use crate::format::native::read::moment;
use crate::format::native::write;
use crate::format::{Example, FilesBeside, Format, Request, SourceKind, is_example};
use crate::model::{Scheduler, Tree};
use jiff::tz::TimeZone;
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
    "at",
    "timezone",
    "add_usage",
    "size",
    "modified",
    "state",
];

/// What shows whether a source has changed since its scenario was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState {
    /// In bytes.
    pub size: u64,
    /// When it was changed last, in Unix seconds.
    pub modified: i64,
}

impl FileState {
    /// Returns the state of a file, or `None` if there is no file.
    pub(super) fn at(path: &Path) -> Option<Self> {
        let metadata = disk::metadata(path).ok()?;
        if !metadata.is_file() {
            return None;
        }
        Some(Self {
            size: metadata.len(),
            modified: metadata.mtime(),
        })
    }
}

/// Why the source of a scenario cannot be opened.
#[derive(Debug, thiserror::Error)]
pub(super) enum SourceError {
    #[error(
        "[source] has no path that can be read; write path = \"...\", as seen from the scenario's own folder, or example \
         = true"
    )]
    NoPath,
    #[error("unknown scheduler '{0}' in [source]; write slurm, pbs or flux")]
    Scheduler(Shown),
}

/// Returns the request for the source of a scenario. Options of the user take precedence.
pub(super) fn request<'a>(
    document: &mut Document<'a>,
    top: &DeTable<'a>,
    source: &DeTable<'a>,
    request: &Request,
) -> Result<Request, SourceError> {
    let folder = request.path().parent().unwrap_or_else(|| Path::new(""));
    let main = match document.string(source, "path") {
        // Scenarios saved in the folder of their source once had an empty path.
        Some("") => read_path(".", folder),
        Some(path) => read_path(path, folder),
        None => None,
    };
    let beside = FilesBeside {
        usage: read_companion(document, source, "usage", folder),
        sched_config: read_companion(document, source, "sched_config", folder),
        config: read_companion(document, source, "config", folder),
        jobs: read_companion(document, source, "jobs", folder),
    };
    let live = live(document, source, main.is_some())?;
    let cluster = document.string(source, "cluster");
    let more = more(document, source, folder);
    let kind = if let Some(scheduler) = live {
        SourceKind::Live { scheduler, more }
    } else {
        let path = match source.get("example").map(Spanned::get_ref) {
            // The first example of earlier versions, to which such a file belongs.
            Some(DeValue::Boolean(true)) => Example::Small.source().into(),
            Some(DeValue::String(name)) => format!("example:{name}").into(),
            _ => main.ok_or(SourceError::NoPath)?,
        };
        SourceKind::Path { path, more }
    };
    let format = document.named(source, "format", Format::named, |name| {
        let mut known = Vec::new();
        for format in Format::ALL {
            known.push(format.name());
        }
        NativeProblem::UnknownFormat {
            name,
            known: known.join(", "),
        }
    });
    let mut settings = Vec::new();
    for (key, value) in document.table(top, "settings").into_iter().flatten() {
        if let Some(value) = plain(value.get_ref()) {
            let key = key.get_ref().to_string();
            settings.push((key, value));
        }
    }
    settings.extend_from_slice(&request.settings);
    let given = request.clone();
    let mut history = given.history;
    let zone = document.named(
        source,
        "timezone",
        |name| TimeZone::get(name).ok(),
        |name| NativeProblem::UnknownZone { name },
    );
    history.zone = history.zone.or(zone);
    let at = moment(document, source, "at", &history.zone());
    history.until = history.until.or(at);
    if let Some(value) = source.get("add_usage") {
        history.adds_usage |= value.get_ref().as_bool() == Some(true);
    }
    Ok(Request {
        source: kind,
        beside: given.beside.or(beside),
        cluster: given.cluster.or_else(|| cluster.map(str::to_owned)),
        format,
        settings,
        history,
        ..given
    })
}

/// Reads the path of a file that is opened together with the source.
fn read_companion<'a>(
    document: &mut Document<'a>,
    source: &DeTable<'a>,
    key: &'static str,
    folder: &Path,
) -> Option<PathBuf> {
    read_path(document.string(source, key)?, folder)
}

/// Reads the scheduler of a live tree. An unknown one is a problem if there is a path to open instead.
fn live<'a>(
    document: &mut Document<'a>,
    source: &DeTable<'a>,
    has_path: bool,
) -> Result<Option<Scheduler>, SourceError> {
    let Some(name) = document.string(source, "live") else {
        return Ok(None);
    };
    let scheduler = Scheduler::named(name);
    if scheduler.is_none()
        && let Some(value) = source.get("live")
    {
        let name = shown(name.as_bytes());
        if !has_path {
            return Err(SourceError::Scheduler(name));
        }
        document.report(value, NativeProblem::UnknownLiveScheduler { name });
    }
    Ok(scheduler)
}

/// Reads the paths of the other outputs of the same tree.
fn more<'a>(document: &mut Document<'a>, source: &DeTable<'a>, folder: &Path) -> Vec<PathBuf> {
    let Some(value) = source.get("more") else {
        return Vec::new();
    };
    let Some(list) = value.get_ref().as_array() else {
        document.report(value, NativeProblem::MoreNotAList);
        return Vec::new();
    };
    let mut paths = Vec::new();
    for value in list {
        if let Some(text) = value.get_ref().as_str()
            && let Some(path) = read_path(text, folder)
        {
            paths.push(path);
        } else {
            document.report(value, NativeProblem::MoreNotAPath);
        }
    }
    paths
}

/// Reports if the source is not the one on which the scenario was made. The number of its tree decides. A file without
/// that number is compared by size and time of the source. A live tree is never the same.
pub(super) fn check_state<'a>(
    document: &mut Document<'a>,
    source: &DeTable<'a>,
    request: &Request,
    tree: &Tree,
) {
    if request.live().is_some() {
        return;
    }
    let path = shown(request.path().as_os_str().as_encoded_bytes());
    let Some(state) = source.get("state") else {
        if let Some(value) = changed_file(source, request.path()) {
            document.report(value, NativeProblem::ChangedFile { path });
        }
        return;
    };
    let now = format!("{:016x}", tree.state_hash());
    if plain(state.get_ref()) == Some(now) {
        return;
    }
    let problem = if is_example(request.path()) {
        NativeProblem::ChangedExample
    } else {
        NativeProblem::ChangedTree { path }
    };
    document.report(state, problem);
}

/// Returns the key in which a file differs from its former state, or `None` if it does not.
fn changed_file<'t, 'a>(source: &'t DeTable<'a>, path: &Path) -> Option<&'t Spanned<DeValue<'a>>> {
    let now = FileState::at(path)?;
    if let Some(size) = source.get("size")
        && plain(size.get_ref()) != Some(now.size.to_string())
    {
        return Some(size);
    }
    let modified = source.get("modified")?;
    if plain(modified.get_ref()) == write::time(now.modified) {
        return None;
    }
    Some(modified)
}

/// Reads a path as seen from a folder: as it is, or its bytes in hexadecimal after `bytes:`. `None` if it is empty or no
/// path.
pub(super) fn read_path(text: &str, folder: &Path) -> Option<PathBuf> {
    let bytes = match text.strip_prefix(BYTES) {
        None => text.as_bytes().to_vec(),
        Some(digits) => read_hexadecimal(digits)?,
    };
    if bytes.is_empty() {
        return None;
    }
    let path = PathBuf::from(disk::name_of(bytes));
    // The folder itself keeps its own name.
    let has_folder = !folder.as_os_str().is_empty();
    if has_folder && path == Path::new(".") {
        return Some(folder.to_owned());
    }
    Some(folder.join(path))
}

/// Reads bytes, of two hexadecimal digits each.
fn read_hexadecimal(digits: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for pair in digits.as_bytes().chunks(2) {
        let digits = str::from_utf8(pair).ok()?;
        let byte = u8::from_str_radix(digits, 16).ok()?;
        bytes.push(byte);
    }
    Some(bytes)
}
