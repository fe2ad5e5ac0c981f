//! The origin of the parts of a snapshot.

use super::{Format, Scheduler, UsagePrecision};
use crate::base::shown::Shown;
use std::fmt;

/// The origin of a part of a snapshot. Names of files and commands are safe text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Files of these names or paths were read.
    Read(Vec<String>),
    /// A command was run, spelled as in a shell.
    Ran(String),
    /// A file of this path was copied.
    Copied(String),
    /// The output with the associations and their shares.
    Associations(OutputFile),
    /// The output with the usage, and the precision of that.
    Usage(OutputFile, UsagePrecision),
    /// The output with the recorded factors.
    Factors(OutputFile),
    /// PBS's `sched_formula`, with its formula.
    SchedFormula(String),
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
    /// Its name, as safe text.
    pub file: Shown,
    /// Its format.
    pub format: Format,
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
