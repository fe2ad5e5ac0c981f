//! PBS: it has no command that prints a tree, so the scheduler's own files are read in place.

use super::{Answer, Output};
use crate::base::shown::sentence;
use crate::format::{Format, LoadError, LoadResult, Loaded, OnProgress, Request, input};
use crate::model::Origin;
use crate::open::load;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

const HOME: &str = "/var/spool/pbs";

const CONFIG: &str = "/etc/pbs.conf";

/// The files of a `sched_priv` that are read.
const FILES: [&str; 4] = ["resource_group", "usage", "sched_config", "sched_formula"];

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
    for name in FILES {
        let path = folder.join(name);
        // A scheduler without usage has no usage file yet.
        if name != "resource_group" && !input::is_there(&path)? {
            continue;
        }
        answer.outputs.push(Output {
            name,
            origin: origin(&path),
            bytes: input::read(&path, &mut *report)?.bytes,
        });
    }
    Ok(answer)
}

fn origin(path: &Path) -> Origin {
    Origin::Read(vec![input::name(path).into()])
}

fn folder() -> LoadResult<PathBuf> {
    let folder = home()?.join("sched_priv");
    match input::find(&folder) {
        Ok(Some(_)) => return Ok(folder),
        Ok(None) | Err(LoadError::Unfit(_)) => {}
        Err(error) => return Err(error),
    }
    Err(LoadError::Refused(sentence!(
        "{} does not exist or cannot be read, so there is no {} tree here; run fairscope on the PBS server as root, \
         set PBS_HOME, or open a copy of its sched_priv",
        input::name(&folder),
        Format::Pbs.name(),
    )))
}

/// Returns the directory of PBS: from the environment, from its configuration, or the default.
fn home() -> LoadResult<PathBuf> {
    if let Some(home) = std::env::var_os("PBS_HOME").filter(|home| !home.is_empty()) {
        return Ok(home.into());
    }
    let named = std::env::var_os("PBS_CONF_FILE").filter(|path| !path.is_empty());
    let path = PathBuf::from(named.unwrap_or_else(|| CONFIG.into()));
    let bytes = match input::read_as_is(&path, &mut |_| ControlFlow::Continue(())) {
        Ok(input) => input.bytes,
        Err(LoadError::Missing(_)) => return Ok(HOME.into()),
        Err(error) => return Err(error),
    };
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = text.lines().rev();
    let home = lines.find_map(|line| line.trim().strip_prefix("PBS_HOME="));
    Ok(home.map_or_else(|| HOME.into(), |home| home.trim().into()))
}
