//! A tree as read, with its settings, its time and its origin. It never changes.

use super::{
    Format, PrintedNumbers, Recorded, Scheduler, Settings, Shares, Tree, UsageEstimate,
    UsagePrecision, release_of,
};
use crate::base::shown::{Shown, shown};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// The origin of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Source {
    /// The kind of file.
    pub format: Format,
    /// The path as the user gave it, as text for people and for JSON; `-` for standard input.
    pub path: Shown,
    /// The name on the screen: the last part of the path, or the name of a built-in tree.
    pub title: Shown,
    /// When the facts were true, in Unix seconds, if known.
    pub taken: Option<i64>,
    /// The unit of usage.
    pub usage_unit: String,
    /// The cluster's name; empty if the source does not tell.
    pub cluster: String,
    /// The scheduler's version in its own form, such as `24.11.5`; empty if the source does not tell.
    pub version: String,
    /// The file with the scheduler's own numbers, if it is not the path itself.
    pub recorded_in: Shown,
    /// Whether the source has no settings, so that the defaults are used.
    pub lacks_settings: bool,
    /// Whether there is no tree: only outputs about jobs were opened.
    pub lacks_tree: bool,
    /// Which of several sources gave what, one sentence each; empty for a source that is one file.
    pub origins: Vec<Origin>,
    /// The bytes of the `sacctmgr dump` it was read from, which holds more than a tree.
    pub dump: Option<Arc<Vec<u8>>>,
}

/// A tree as it was read, with everything needed to evaluate it.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The tree as it was read.
    pub tree: Tree,
    /// The settings under which its numbers are computed.
    pub settings: Settings,
    /// Its origin.
    pub source: Source,
    /// What the scheduler printed beside shares and usage.
    pub recorded: Arc<Recorded>,
    /// The numbers that are shown as printed until the first edit, or `None` if all are shown as computed.
    pub printed: Option<Arc<PrintedNumbers>>,
    /// What the recorded numbers tell of the usage in the scheduler's memory, or `None` if nothing was estimated.
    pub estimate: Option<Arc<UsageEstimate>>,
}

impl Snapshot {
    /// Returns a snapshot of which all numbers are computed.
    pub fn new(tree: Tree, settings: Settings, source: Source, recorded: Recorded) -> Self {
        let recorded = Arc::new(recorded);
        Self {
            tree,
            settings,
            source,
            recorded,
            printed: None,
            estimate: None,
        }
    }

    /// Returns the tree with the estimated digits of usage, from which edits and clocks go on.
    pub(crate) fn tree_in_memory(&self) -> Cow<'_, Tree> {
        match &self.estimate {
            Some(estimate) => Cow::Owned(estimate.applied_to(&self.tree)),
            None => Cow::Borrowed(&self.tree),
        }
    }

    /// Returns the release of Slurm that the source states. `None` if it states none, or is of another scheduler.
    pub(crate) fn slurm_release(&self) -> Option<(u32, u32)> {
        if self.settings.scheduler != Some(Scheduler::Slurm) {
            return None;
        }
        release_of(&self.source.version)
    }

    /// Returns the owners of this snapshot and another one, in words for people, if they can hardly be of one cluster:
    /// their schedulers differ, or else their clusters. Unknown schedulers and clusters do not count as different.
    pub(crate) fn different_clusters(&self, other: &Self) -> Option<(Subject, Subject)> {
        if let (Some(own), Some(others)) = (self.settings.scheduler, other.settings.scheduler)
            && own != others
        {
            return Some((Subject::Scheduler(own), Subject::Scheduler(others)));
        }
        let own = &self.source.cluster;
        let others = &other.source.cluster;
        if own.is_empty() || others.is_empty() || own == others {
            return None;
        }
        let subject = |cluster: &String| Subject::Cluster(shown(cluster.as_bytes()));
        Some((subject(own), subject(others)))
    }
}

/// The origin of a part of a snapshot. Names of files and commands are safe text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Files of these names or paths were read.
    Read(Vec<String>),
    /// A command was run, spelled as in a shell.
    Ran(String),
    /// Names were replaced by pseudonyms.
    Anonymised,
    /// A file of this path was copied.
    Copied(String),
    /// The output with the associations and their shares.
    Associations(OutputFile),
    /// The output with the usage, and the precision of that.
    Usage(OutputFile, UsagePrecision),
    /// The output with the recorded factors.
    Factors(OutputFile),
    /// The file whose jobs gave the tree its usage, and how many these are.
    Jobs(String, usize),
    /// PBS's `sched_formula`, with its formula.
    SchedFormula(String),
    /// `--set unknown_shares`, instead of the shares of a row.
    UnknownShares {
        /// What the row states.
        row: Shares,
        /// What is used.
        set: Shares,
    },
    /// The recorded numbers, which reveal the policy and its settings.
    InForce {
        /// The name of the policy.
        policy: &'static str,
        /// The settings that differ from those that were read: `KEY=VALUE`.
        settings: Vec<String>,
    },
}

/// One of several outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputFile {
    /// Its name.
    pub(crate) file: Shown,
    /// Its format.
    pub(crate) format: Format,
}

/// The subject of a snapshot, as far as it distinguishes it from another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A tree of a scheduler.
    Scheduler(Scheduler),
    /// A tree of the cluster of this name, as safe text.
    Cluster(Shown),
}

impl fmt::Display for Subject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scheduler(scheduler) => formatter.write_str(scheduler.title()),
            Self::Cluster(name) => write!(formatter, "the cluster {name}"),
        }
    }
}
