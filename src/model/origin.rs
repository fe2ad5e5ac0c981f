//! Where the parts of a snapshot came from.

use super::{Format, Scheduler, UsagePrecision};
use std::fmt;

/// Where a part of a snapshot came from. Names of files and commands are fit to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Files of these names or paths were read.
    Read(Vec<String>),
    /// A command was run, spelled as in a shell.
    Ran(String),
    /// A file of this path was copied.
    Copied(String),
    /// The output that the associations and their shares are from.
    Associations(OutputFile),
    /// The output that usage is from, and how much of usage it shows.
    Usage(OutputFile, UsagePrecision),
    /// The output that the recorded factors are from.
    Factors(OutputFile),
    /// PBS's `sched_formula`, with the formula it holds.
    SchedFormula(String),
    /// The recorded numbers, which show what is in force.
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
    /// Its name, fit to be shown.
    pub file: String,
    /// What kind of file it is.
    pub format: Format,
}

/// What a snapshot is of, as far as that tells it from another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A tree of a scheduler.
    Scheduler(Scheduler),
    /// A tree of the cluster of this name, fit to be shown.
    Cluster(String),
}

impl fmt::Display for Subject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scheduler(scheduler) => formatter.write_str(scheduler.title()),
            Self::Cluster(name) => write!(formatter, "the cluster {name}"),
        }
    }
}
