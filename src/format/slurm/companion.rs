//! Outputs of Slurm's commands beside a tree: about its jobs, and about what these cost.

use crate::base::shown::Shown;
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

/// What the outputs about jobs that wait call a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobLabel {
    /// The number of the job; for tasks of an array that of the array, behind which `squeue` prints `_[0-4]`.
    pub id: Shown,
    /// The user; `None` where it is not printed.
    pub user: Option<Vec<u8>>,
    /// The account; `None` where it is not printed, as by `sprio` before Slurm 23.02.
    pub account: Option<Vec<u8>>,
    /// The partition, for `squeue` several with commas; `None` where it is not printed.
    pub partition: Option<Vec<u8>>,
    /// Whether user and account may be cut to eight letters.
    pub cuts_names: bool,
}

impl JobLabel {
    /// The letters to which names are cut.
    const CUT: usize = 8;

    /// Returns the number of the job without tasks of an array or the part of a heterogeneous job.
    pub(crate) fn number(&self) -> &str {
        let end = self.id.find(['_', '+']).unwrap_or(self.id.len());
        &self.id[..end]
    }

    /// Returns the beginning of a name that is always printed.
    pub(crate) fn beginning(name: &[u8]) -> &[u8] {
        &name[..name.len().min(Self::CUT)]
    }

    /// Returns whether a name was printed as `text`.
    pub(crate) fn is_printed(&self, name: &[u8], text: &[u8]) -> bool {
        name == text || (self.cuts_names && text == Self::beginning(name))
    }

    /// Returns whether a user of this name is printed.
    pub(crate) fn is_of(&self, user: &[u8]) -> bool {
        let printed = self.user.as_deref();
        printed.is_some_and(|text| self.is_printed(user, text))
    }

    /// Takes over user and account from another output.
    pub(crate) fn fill(&mut self, other: &Self) {
        let is_whole = |it: &Self| !it.cuts_names && it.user.is_some() && it.account.is_some();
        let cuts_names = self.cuts_names || (other.cuts_names && other.user.is_some());
        self.cuts_names = cuts_names && !is_whole(self) && !is_whole(other);
        take_longer(&mut self.user, other.user.as_ref());
        take_longer(&mut self.account, other.account.as_ref());
    }
}

/// Takes over a name that is not cut, or not known yet.
pub(super) fn take_longer(name: &mut Option<Vec<u8>>, other: Option<&Vec<u8>>) {
    if other.map(Vec::len) > name.as_ref().map(Vec::len) {
        *name = other.cloned();
    }
}

/// Returns the cells of a line between bars, or else its words.
pub(super) fn divided(line: &[u8], has_bars: bool) -> Vec<&[u8]> {
    if has_bars {
        let cells = line.split(|&byte| byte == b'|');
        return cells.map(<[u8]>::trim_ascii).collect();
    }
    let words = line.split(u8::is_ascii_whitespace);
    words.filter(|word| !word.is_empty()).collect()
}
