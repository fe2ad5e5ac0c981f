//! The present content of the files that a plan changes.

use super::PlanInputs;
use crate::format::input::{self, PathKind};
use crate::format::pbs::sched_priv;
use crate::format::{LoadError, Request};
use crate::model::{Format, Snapshot};
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Reads the PBS files that a tree was read from, so that a plan changes as little of them as possible.
///
/// The inputs are empty if the source is not PBS, or cannot be read a second time.
///
/// # Errors
/// Returns an error if a file cannot be read.
pub fn originals(snapshot: &Snapshot, request: &Request) -> Result<PlanInputs, LoadError> {
    let path = &request.path;
    if snapshot.source.format != Format::Pbs || path.as_os_str() == "-" {
        return Ok(PlanInputs::default());
    }
    let Some(kind) = input::find(path)? else {
        return Ok(PlanInputs::default());
    };
    let (resource_group, beside) = if kind == PathKind::Directory {
        let folder = sched_priv(path)?.unwrap_or_else(|| path.clone());
        let beside = folder.join("sched_config");
        (folder.join("resource_group"), Some(beside))
    } else {
        (path.clone(), None)
    };
    let sched_config = request.sched_config.clone().or(beside);
    let read = |path: Option<PathBuf>| {
        let Some(path) = path else {
            return Ok(None);
        };
        if !input::is_there(&path)? {
            return Ok(None);
        }
        let read = input::read_as_is(&path, &mut |_| ControlFlow::Continue(()))?;
        Ok::<_, LoadError>(Some(read.bytes))
    };
    Ok(PlanInputs {
        resource_group: read(Some(resource_group))?,
        sched_config: read(sched_config)?,
        ..PlanInputs::default()
    })
}
