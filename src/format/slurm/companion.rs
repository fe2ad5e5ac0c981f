//! Outputs of Slurm's commands beside a tree: about its jobs, and about what these cost.

use crate::base::table::table;
use std::path::PathBuf;

table! {
    /// An output of Slurm that has no tree, and is read beside one.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Companion {
        Sprio, "sprio", "The jobs that wait, with the parts of their priorities";
        Squeue, "squeue", "The jobs that wait, with the reasons";
        Sacct, "sacct", "The jobs that ran";
        Partitions, "scontrol show partition", "What a second of a job costs";
        Qos, "sacctmgr show qos", "By what a QOS multiplies that";
    }
}

/// The companions that were found with a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Companions(pub Vec<(Companion, PathBuf)>);

impl Companions {
    /// Returns the files of a kind, in the order in which they were found.
    pub fn of(&self, kind: Companion) -> Vec<PathBuf> {
        let all = self.0.iter();
        let found = all.filter(|(companion, _)| *companion == kind);
        found.map(|(_, path)| path.clone()).collect()
    }
}
