//! The source that a scenario refers to.

use crate::base::shown::{sentence, shown};
use crate::format::native::document::{Document, plain};
use crate::format::native::read::moment;
use crate::format::native::write;
use crate::format::{Example, FilesBeside, Format, Request, SourceKind, is_example};
use crate::model::{Scheduler, Tree};
use jiff::tz::TimeZone;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub(super) const KEYS: &str = "path example format more live config cluster usage sched_config jobs at timezone \
                               add_usage size modified state";

/// Returns the request for the source of a scenario. Options of the user take precedence.
pub(super) fn request<'a>(
    document: &mut Document<'a>,
    top: &DeTable<'a>,
    source: &DeTable<'a>,
    request: &Request,
) -> Result<Request, String> {
    let folder = request.path().parent().unwrap_or_else(|| Path::new(""));
    let keys = ["path", "usage", "sched_config", "config", "jobs"];
    let [main, usage, sched_config, config, jobs] = keys.map(|key| {
        let text = document.string(source, key)?;
        // Scenarios saved in the folder of their source once had an empty path.
        let is_folder = key == "path" && text.is_empty();
        read_path(if is_folder { "." } else { text }, folder)
    });
    let live = live(document, source, main.is_some())?;
    let cluster = document.string(source, "cluster");
    let more = more(document, source, folder);
    let kind = if let Some(scheduler) = live {
        SourceKind::Live { scheduler, more }
    } else {
        let path = match source.get("example").map(Spanned::get_ref) {
            // The first example of earlier versions, to which such a file belongs.
            Some(DeValue::Boolean(true)) => Example::Small.source().into(),
            Some(DeValue::String(name)) => PathBuf::from(format!("example:{name}")),
            _ => main.ok_or(
                "[source] has no path that can be read; write path = \"...\", as seen from the scenario's own folder, \
                 or example = true",
            )?,
        };
        SourceKind::Path { path, more }
    };
    let known: Vec<_> = Format::ALL.iter().map(|format| format.name()).collect();
    let advice = sentence!("expected one of {}", known.join(", "));
    let ignored = "the format of the source is detected from its content";
    let problem = ("toml-unknown-format", ignored, advice);
    let format = document.named(source, "format", Format::named, problem);
    let stated = document.table(top, "settings").into_iter().flatten();
    let stated = stated
        .filter_map(|(key, value)| Some((key.get_ref().to_string(), plain(value.get_ref())?)));
    let settings = stated.chain(request.settings.iter().cloned()).collect();
    let beside = FilesBeside {
        config,
        usage,
        sched_config,
        jobs,
    };
    let mut given = request.clone();
    let history = &mut given.history;
    let zone = document.string(source, "timezone");
    history.zone = history.zone.take().or_else(|| TimeZone::get(zone?).ok());
    let at = moment(document, source, "at", &history.zone());
    history.until = history.until.or(at);
    let adds = source.get("add_usage").map(Spanned::get_ref);
    history.adds_usage |= matches!(adds, Some(DeValue::Boolean(true)));
    Ok(Request {
        source: kind,
        beside: given.beside.or(beside),
        cluster: given.cluster.or_else(|| cluster.map(str::to_owned)),
        format,
        settings,
        ..given
    })
}

fn live<'a>(
    document: &mut Document<'a>,
    source: &DeTable<'a>,
    has_path: bool,
) -> Result<Option<Scheduler>, String> {
    let Some(name) = document.string(source, "live") else {
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
        document.warn(value, "toml-unknown-scheduler", message, advice);
    }
    Ok(scheduler)
}

fn more<'a>(document: &mut Document<'a>, source: &DeTable<'a>, folder: &Path) -> Vec<PathBuf> {
    let Some(value) = source.get("more") else {
        return Vec::new();
    };
    let advice = "write it like this: more = [\"sshare.txt\"]";
    let Some(list) = value.get_ref().as_array() else {
        let message = "more is not a list of paths and is not read";
        document.warn(value, "toml-not-a-list", message, advice);
        return Vec::new();
    };
    let paths = list.iter().filter_map(|value| {
        let text = value.get_ref().as_str();
        let path = text.and_then(|text| read_path(text, folder));
        if path.is_none() {
            let message = "one entry of more is not a path and is not read";
            document.warn(value, "toml-not-text", message, advice);
        }
        path
    });
    paths.collect()
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
    let path = shown(request.path().as_os_str().as_bytes());
    let changed = match source.get("state") {
        None => changed_file(source, request.path()).map(|value| {
            let message = sentence!(
                "{path} has changed since the scenario was saved; the edits apply to the current tree"
            );
            (value, message)
        }),
        Some(value) => {
            let now = format!("{:016x}", tree.state_hash());
            let what = if is_example(request.path()) {
                "the built-in tree".into()
            } else {
                sentence!("the tree of {path}")
            };
            let message = sentence!(
                "{what} is not the one that the scenario was saved on; the edits apply to the current one"
            );
            (plain(value.get_ref()) != Some(now)).then_some((value, message))
        }
    };
    if let Some((value, message)) = changed {
        let advice = "look through the edits, and save the scenario again";
        document.warn(value, "toml-source-changed", message, advice);
    }
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

/// Returns the size of a file in bytes and the time of its change in Unix seconds; `None` if it is no file.
pub(super) fn state(path: &Path) -> Option<(u64, i64)> {
    let metadata = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    Some((metadata.len(), metadata.mtime()))
}
