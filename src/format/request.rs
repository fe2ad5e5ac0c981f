//! Requests for a source, and the progress of loading it.

use super::jobs::History;
use crate::base::shown::{Shown, shown};
use crate::model::{Format, Scheduler, Source};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::time::Duration;

/// What to open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The path; `-` is standard input, `example:NAME` a built-in tree, and an empty path the first built-in tree.
    pub path: PathBuf,
    /// Further files about the same tree: outputs of Slurm are combined.
    pub more: Vec<PathBuf>,
    /// Dumps of one tree at different times, or a directory of them, in place of a path. The newest is opened.
    pub series: Vec<PathBuf>,
    /// The scheduler to ask in place of a path.
    pub live: Option<Scheduler>,
    /// How long each of its commands may take; `None` for the default.
    pub timeout: Option<Duration>,
    /// A file of `scontrol show config`, for Slurm's settings.
    pub config: Option<PathBuf>,
    /// The cluster to read if a source contains several.
    pub cluster: Option<String>,
    /// Whether the cluster's name is used beyond the source, so that it may be given for a source without clusters.
    pub names_cluster: bool,
    /// The format, if the user gave it; otherwise it is detected from the content.
    pub format: Option<Format>,
    /// The usage file that goes with a `resource_group` file.
    pub usage: Option<PathBuf>,
    /// The `sched_config` that goes with a `resource_group` file.
    pub sched_config: Option<PathBuf>,
    /// A file with jobs that ran, which give the tree its usage.
    pub jobs: Option<PathBuf>,
    /// When that usage is asked for.
    pub history: Box<History>,
    /// `--set KEY=VALUE`, in order. They take precedence over the source.
    pub settings: Vec<(String, String)>,
}

impl Request {
    /// Returns the request of a path without anything else.
    pub fn of(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            ..Self::default()
        }
    }

    /// Returns its file as named in messages.
    pub(super) fn file_name(&self) -> Shown {
        shown(self.path.as_os_str().as_bytes())
    }

    /// Returns its source, if that is one file that does not state the unit of its usage.
    pub(super) fn source(&self, format: Format) -> Source {
        let title = match self.path.file_name() {
            Some(_) if self.path.as_os_str() == "-" => "standard input".into(),
            Some(name) => shown(name.as_bytes()),
            None => self.file_name(),
        };
        Source {
            format,
            path: self.file_name(),
            title,
            lacks_settings: format == Format::Csv,
            ..Source::default()
        }
    }
}

/// The progress of loading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields are what their names say")]
pub struct Progress {
    pub file: Shown,
    pub unit: ProgressUnit,
    /// How much is done, in that unit.
    pub done: u64,
    /// How much there is to do, if known.
    pub total: Option<u64>,
    pub nodes: usize,
}

/// What loading counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProgressUnit {
    /// Bytes of a file.
    #[default]
    Bytes,
    /// Seconds of the scheduler's clock, which charges jobs.
    Seconds,
}

/// Called now and then while loading. Breaking off cancels.
pub type OnProgress<'a> = &'a mut dyn FnMut(&Progress) -> ControlFlow<()>;
