//! Requests for a source, and the progress of loading it.

use super::jobs::History;
use crate::base::shown::{Shown, shown};
use crate::model::{Format, Scheduler, Source};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The path by which messages name a scheduler that is asked.
pub const LIVE_PATH: &str = "live";

/// What to open, and the options of the user that hold for any source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Where the tree comes from.
    pub source: SourceKind,
    /// The files that the user gave beside the source, each for a purpose of its own.
    pub beside: FilesBeside,
    /// The format, if the user gave it; otherwise it is detected from the content.
    pub format: Option<Format>,
    /// The cluster to read if a source contains several.
    pub cluster: Option<String>,
    /// Whether the cluster's name is used beyond the source, so that it may be given for a source without clusters.
    pub names_cluster: bool,
    /// When the usage that jobs gave is asked for.
    pub history: Box<History>,
    /// How long each command of a scheduler may take; `None` for the default.
    pub timeout: Option<Duration>,
    /// `--set KEY=VALUE`, in order. They take precedence over the source.
    pub settings: Vec<(String, String)>,
}

/// Where a tree comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// A file or directory. The path `-` is standard input, `example:NAME` a built-in tree, and an empty path the first
    /// built-in tree.
    Path {
        /// The path.
        path: PathBuf,
        /// Further files about the same tree: outputs of Slurm are combined.
        more: Vec<PathBuf>,
    },
    /// Dumps of one tree at different times, or one directory of them. The newest is opened.
    Series(Vec<PathBuf>),
    /// A scheduler that is asked.
    Live {
        /// The scheduler.
        scheduler: Scheduler,
        /// Files that are combined with the answers of Slurm.
        more: Vec<PathBuf>,
    },
}

impl Default for SourceKind {
    fn default() -> Self {
        Self::path(PathBuf::new())
    }
}

impl SourceKind {
    /// Returns the source at a path, without further files.
    pub(crate) fn path(path: PathBuf) -> Self {
        Self::Path {
            path,
            more: Vec::new(),
        }
    }

    /// Returns the further files about the same tree.
    pub(crate) fn more(&self) -> &[PathBuf] {
        match self {
            Self::Path { more, .. } | Self::Live { more, .. } => more,
            Self::Series(_) => &[],
        }
    }

    /// Returns its paths, and those of its further files, to be changed.
    pub(crate) fn paths_mut(&mut self) -> Vec<&mut PathBuf> {
        match self {
            Self::Path { path, more } => std::iter::once(path).chain(more).collect(),
            Self::Series(paths) | Self::Live { more: paths, .. } => paths.iter_mut().collect(),
        }
    }
}

/// Files that the user gave beside a source. Which of them a source can use depends on its format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilesBeside {
    /// The output of `scontrol show config`, for Slurm's settings.
    pub config: Option<PathBuf>,
    /// The usage file that goes with a `resource_group` file.
    pub usage: Option<PathBuf>,
    /// The `sched_config` that goes with a `resource_group` file.
    pub sched_config: Option<PathBuf>,
    /// Jobs that ran, which give the tree its usage.
    pub jobs: Option<PathBuf>,
}

impl FilesBeside {
    /// Returns the files that were given.
    pub(crate) fn given(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.config, &self.usage, &self.sched_config, &self.jobs]
            .into_iter()
            .flatten()
    }

    /// Returns the files that were given, to be changed.
    pub(crate) fn given_mut(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        [
            &mut self.config,
            &mut self.usage,
            &mut self.sched_config,
            &mut self.jobs,
        ]
        .into_iter()
        .flatten()
    }

    /// Returns these files, and for those that were not given the ones of another request.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            config: self.config.or(other.config),
            usage: self.usage.or(other.usage),
            sched_config: self.sched_config.or(other.sched_config),
            jobs: self.jobs.or(other.jobs),
        }
    }
}

impl Request {
    /// Creates the request to open a path, without anything else.
    pub fn to_open(path: impl Into<PathBuf>) -> Self {
        Self {
            source: SourceKind::path(path.into()),
            ..Self::default()
        }
    }

    /// Returns the request to open another path with the same further files and options.
    pub(crate) fn with_path(&self, path: PathBuf) -> Self {
        let more = self.source.more().to_vec();
        Self {
            source: SourceKind::Path { path, more },
            ..self.clone()
        }
    }

    /// Returns the path by which messages name the source: `live` for a scheduler, and empty for a series.
    pub fn path(&self) -> &Path {
        match &self.source {
            SourceKind::Path { path, .. } => path,
            SourceKind::Series(_) => Path::new(""),
            SourceKind::Live { .. } => Path::new(LIVE_PATH),
        }
    }

    /// Returns the scheduler that is asked; `None` if files are opened.
    pub fn live(&self) -> Option<Scheduler> {
        match self.source {
            SourceKind::Live { scheduler, .. } => Some(scheduler),
            SourceKind::Path { .. } | SourceKind::Series(_) => None,
        }
    }

    /// Returns whether the source is standard input, which can be read only once.
    pub(crate) fn is_standard_input(&self) -> bool {
        self.path().as_os_str() == "-"
    }

    /// Returns its file as named in messages.
    pub(super) fn file_name(&self) -> Shown {
        shown(self.path().as_os_str().as_encoded_bytes())
    }

    /// Returns the description of its source, if that is one file that does not state the unit of its usage.
    pub(super) fn file_source(&self, format: Format) -> Source {
        let title = match self.path().file_name() {
            Some(_) if self.is_standard_input() => "standard input".into(),
            Some(name) => shown(name.as_encoded_bytes()),
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
pub struct Progress {
    /// The file, or the command of a scheduler, as people know it.
    pub file: Shown,
    /// What is counted.
    pub unit: ProgressUnit,
    /// How much is done, in that unit.
    pub done: u64,
    /// How much there is to do, in that unit; `None` if that is not known.
    pub total: Option<u64>,
    /// How many nodes were read.
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
