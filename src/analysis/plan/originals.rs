//! The present content of the files that a plan changes.

use super::PlanInputs;
use crate::base::shown::shown;
use crate::model::{Format, Snapshot};
use crate::source::format::pbs::sched_priv;
use crate::source::format::{LoadError, Request};
use std::path::PathBuf;

/// Reads the PBS files that a tree was read from, so that a plan changes as little of them as possible.
///
/// The inputs are empty if the source is not PBS, or cannot be read a second time.
///
/// # Errors
/// Returns an error if a file cannot be read.
pub fn originals(snapshot: &Snapshot, request: &Request) -> Result<PlanInputs, LoadError> {
    let path = &request.path;
    if snapshot.source.format != Format::Pbs || path.as_os_str() == "-" || !path.exists() {
        return Ok(PlanInputs::default());
    }
    let (resource_group, beside) = if path.is_dir() {
        let folder = sched_priv(path)?.unwrap_or_else(|| path.clone());
        let beside = folder.join("sched_config");
        (folder.join("resource_group"), Some(beside))
    } else {
        (path.clone(), None)
    };
    let sched_config = request.sched_config.clone().or(beside);
    let read = |path: Option<PathBuf>| {
        let Some(path) = path.filter(|path| path.exists()) else {
            return Ok(None);
        };
        std::fs::read(&path).map(Some).map_err(|error| {
            let file = shown(path.as_os_str().as_encoded_bytes());
            LoadError::Refused(format!("{file} could not be read: {error}"))
        })
    };
    Ok(PlanInputs {
        resource_group: read(Some(resource_group))?,
        sched_config: read(sched_config)?,
        ..PlanInputs::default()
    })
}
