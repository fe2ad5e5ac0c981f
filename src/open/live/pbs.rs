//! PBS: it has no command that prints a tree, so the scheduler's own files are read in place.

use super::{Answer, Output};
use crate::base::shown::sentence;
use crate::format::{Format, LoadError, LoadResult, Loaded, OnProgress, Request, input};
use crate::model::Origin;
use crate::open::load;
use crate::open::refused;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The usual directory of PBS.
const HOME: &str = "/var/spool/pbs";

/// The usual path of PBS's configuration, which may name another directory.
const CONFIG: &str = "/etc/pbs.conf";

/// The files of a `sched_priv` that are read.
const FILES: &[&str] = &["resource_group", "usage", "sched_config", "sched_formula"];

/// Opens the tree in the scheduler's own directory.
pub(super) fn ask(request: &Request, report: OnProgress<'_>) -> LoadResult<Loaded> {
    let folder = folder()?;
    let mut loaded = load(&request.with_path(folder.clone()), report)?;
    loaded.snapshot.source.origins.insert(0, origin(&folder));
    Ok(loaded)
}

/// Reads the files of that tree for a snapshot.
pub(super) fn collect(report: OnProgress<'_>) -> LoadResult<Answer> {
    let folder = folder()?;
    let mut answer = Answer::default();
    for &name in FILES {
        let path = folder.join(name);
        // A scheduler without usage has no usage file yet.
        if name != "resource_group" && !input::is_there(&path)? {
            continue;
        }
        let input = input::read(&path, report)?;
        answer.outputs.push(Output {
            name,
            origin: origin(&path),
            bytes: input.bytes,
        });
    }
    Ok(answer)
}

/// Returns the origin of what was read at a path.
fn origin(path: &Path) -> Origin {
    Origin::Read(vec![input::name(path).into()])
}

/// Returns the scheduler's `sched_priv`. Fails if it is not there.
fn folder() -> LoadResult<PathBuf> {
    let folder = home()?.join("sched_priv");
    match input::find(&folder) {
        Ok(Some(_)) => Ok(folder),
        Ok(None) | Err(LoadError::Unfit(_)) => refused(sentence!(
            "{} does not exist or cannot be read, so there is no {} tree here; run fairscope on the PBS server as root, \
             set PBS_HOME, or open a copy of its sched_priv",
            input::name(&folder),
            Format::Pbs.name(),
        )),
        Err(error) => Err(error),
    }
}

/// Returns the path in an environment variable; `None` if it is unset or empty.
fn path_in_environment(variable: &str) -> Option<PathBuf> {
    let path = std::env::var_os(variable)?;
    if path.is_empty() {
        return None;
    }
    Some(path.into())
}

/// Returns the directory of PBS: from the environment, from its configuration, or the default.
fn home() -> LoadResult<PathBuf> {
    if let Some(home) = path_in_environment("PBS_HOME") {
        return Ok(home);
    }
    let config = match path_in_environment("PBS_CONF_FILE") {
        Some(path) => path,
        None => CONFIG.into(),
    };
    let bytes = match input::read_as_is(&config, &mut |_| ControlFlow::Continue(())) {
        Ok(input) => input.bytes,
        Err(LoadError::Missing(_)) => return Ok(HOME.into()),
        Err(error) => return Err(error),
    };
    let text = String::from_utf8_lossy(&bytes);
    // The last line counts.
    for line in text.lines().rev() {
        if let Some(home) = line.trim().strip_prefix("PBS_HOME=") {
            return Ok(home.trim().into());
        }
    }
    Ok(HOME.into())
}
