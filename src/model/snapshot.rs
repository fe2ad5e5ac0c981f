//! A tree as read, with its settings, its time and where it came from. Never changed.

use super::{Format, Origin, Recorded, Settings, Subject, Tree};
use crate::base::shown::shown;
use std::sync::Arc;

/// Where a snapshot came from.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Source {
    /// What kind of file it is.
    pub format: Format,
    /// The path as the user gave it, as text for people and for JSON; `-` for standard input.
    pub path: String,
    /// What the screen calls it: the last part of the path, or the name of a built-in tree.
    pub title: String,
    /// When the facts were true, in Unix seconds, where that is known.
    pub taken: Option<i64>,
    /// What usage is counted in.
    pub usage_unit: String,
    /// The cluster's name, where the source tells.
    pub cluster: String,
    /// The scheduler's version as it calls it, where the source tells: `24.11.5`.
    pub version: String,
    /// The file that holds what the scheduler recorded beside shares and usage, where it is not the path itself.
    pub recorded_in: String,
    /// Whether it says nothing about settings, so that those of the snapshot are the usual ones.
    pub lacks_settings: bool,
    /// Which of several sources gave what; empty for a source that is one file.
    pub origins: Vec<Origin>,
    /// The `sacctmgr dump` that the associations were read from, byte for byte, where they were: it holds more than a
    /// tree does, and is written again with only the edits in it.
    pub dump: Option<Arc<Vec<u8>>>,
}

/// A tree as it was read, with everything needed to evaluate it.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The tree.
    pub tree: Tree,
    /// What the source said about how to count.
    pub settings: Settings,
    /// Where it came from.
    pub source: Source,
    /// What the scheduler printed beside shares and usage.
    pub recorded: Arc<Recorded>,
}

impl Snapshot {
    /// Returns what this snapshot and another one are of where they can hardly be of one cluster: their schedulers
    /// differ, or else their clusters. What a source does not tell is no difference.
    #[must_use]
    pub fn different_clusters(&self, other: &Self) -> Option<(Subject, Subject)> {
        let scheduler = |snapshot: &Self| {
            let scheduler = snapshot.settings.scheduler;
            scheduler.map(Subject::Scheduler)
        };
        let cluster = |snapshot: &Self| {
            let cluster = &snapshot.source.cluster;
            (!cluster.is_empty()).then(|| Subject::Cluster(shown(cluster.as_bytes())))
        };
        let differs = |of: &dyn Fn(&Self) -> Option<Subject>| {
            of(self).zip(of(other)).filter(|(one, other)| one != other)
        };
        differs(&scheduler).or_else(|| differs(&cluster))
    }
}
