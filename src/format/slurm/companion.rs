//! Outputs of Slurm's commands beside a tree: about its jobs, and about what these cost.

use crate::base::shown::Shown;
use crate::base::table::table;
use crate::model::{NodeId, Tree};
use std::borrow::Cow;
use std::collections::HashMap;

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

    /// Returns the number by which `sprio` lists the job: without tasks of an array. The components of a heterogeneous job,
    /// such as `192+1`, have numbers of their own, one after the other.
    pub(crate) fn number(&self) -> Cow<'_, str> {
        if let Some((job, component)) = self.id.split_once('+')
            && let Ok(first) = job.parse::<u64>()
            && let Ok(offset) = component.parse::<u64>()
        {
            let number = first.saturating_add(offset);
            return number.to_string().into();
        }
        match self.id.find(['_', '+']) {
            Some(end) => self.id[..end].into(),
            None => (*self.id).into(),
        }
    }

    /// Returns whether people may call it that: by its number, or as `squeue` prints it, `192+1` and `190_3`, a task of
    /// the array `190_[0-20%4]`.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        if *self.id == *name || self.number() == name {
            return true;
        }
        if let Some((job, task)) = name.split_once('_')
            && let Ok(task) = task.parse()
        {
            return job == self.number() && self.has_task(task);
        }
        false
    }

    /// Returns whether it is an array with a task, as far as that is printed: `190` and `190_[0-9,...]` may have any.
    fn has_task(&self, task: u64) -> bool {
        let Some((_, tasks)) = self.id.split_once('_') else {
            return true;
        };
        let mut list = tasks.trim_matches(['[', ']']);
        // Behind a % stands how many may run at once.
        if let Some((before, _)) = list.split_once('%') {
            list = before;
        }
        for range in list.split(',') {
            match TaskRange::parse(range) {
                Some(range) if !range.has(task) => {}
                // A long list is cut.
                _ => return true,
            }
        }
        false
    }

    /// Returns the beginning of a name that is always printed.
    pub(crate) fn beginning(name: &[u8]) -> &[u8] {
        let length = name.len().min(Self::CUT);
        &name[..length]
    }

    /// Returns whether a name was printed as `text`.
    pub(crate) fn is_printed(&self, name: &[u8], text: &[u8]) -> bool {
        if self.cuts_names && text == Self::beginning(name) {
            return true;
        }
        text == name
    }

    /// Returns whether a user of this name is printed.
    pub(crate) fn is_of(&self, user: &[u8]) -> bool {
        match &self.user {
            Some(text) => self.is_printed(user, text),
            None => false,
        }
    }

    /// Returns whether it has user and account, neither of them cut.
    fn is_whole(&self) -> bool {
        !self.cuts_names && self.user.is_some() && self.account.is_some()
    }

    /// Takes over user and account from another output.
    pub(crate) fn fill(&mut self, other: &Self) {
        let is_whole = self.is_whole() || other.is_whole();
        if other.cuts_names && other.user.is_some() {
            self.cuts_names = true;
        }
        if is_whole {
            self.cuts_names = false;
        }
        take_longer(&mut self.user, other.user.as_ref());
        take_longer(&mut self.account, other.account.as_ref());
    }
}

/// Tasks of an array: `4`, `0-9` or, for every other one, `0-9:2`.
struct TaskRange {
    /// The first task.
    first: u64,
    /// The last task; the step may pass over it.
    last: u64,
    /// From 1.
    step: u64,
}

impl TaskRange {
    /// Reads a range; `None` for another text.
    fn parse(text: &str) -> Option<Self> {
        let (range, step) = text.split_once(':').unwrap_or((text, "1"));
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let range = Self {
            first: first.parse().ok()?,
            last: last.parse().ok()?,
            step: step.parse().ok()?,
        };
        if range.step == 0 {
            return None;
        }
        Some(range)
    }

    /// Returns whether a task is one of them.
    fn has(&self, task: u64) -> bool {
        if task < self.first || task > self.last {
            return false;
        }
        let offset = task - self.first;
        offset.is_multiple_of(self.step)
    }
}

/// The users of a tree, by the beginnings of their names, to find the associations of jobs.
pub(crate) struct UsersByName<'a> {
    tree: &'a Tree,
    /// By the first eight letters of their names, in the order of the tree.
    users: HashMap<&'a [u8], Vec<NodeId>>,
}

impl<'a> UsersByName<'a> {
    /// Lists the users of a tree.
    pub(crate) fn of(tree: &'a Tree) -> Self {
        let mut users: HashMap<&[u8], Vec<NodeId>> = HashMap::new();
        for user in tree.users() {
            let beginning = JobLabel::beginning(tree.name(user));
            let alike = users.entry(beginning).or_default();
            alike.push(user);
        }
        Self { tree, users }
    }

    /// Returns the association of a job: that of its user and account, for its partition if there is one. `None` if there
    /// is none, or if the names that are printed leave several.
    pub(crate) fn association(&self, job: &JobLabel) -> Option<NodeId> {
        let user = job.user.as_deref()?;
        let same_beginning = self.users.get(JobLabel::beginning(user))?;
        let mut likely = Vec::new();
        for &node in same_beginning {
            let is_user = job.is_of(self.tree.name(node));
            if !is_user || !self.has_account(node, job) {
                continue;
            }
            // Without the partition of the job, its association may be any of them.
            match (&job.partition, self.tree.partition(node)) {
                (Some(partition), Some(own)) if own == partition => return Some(node),
                (Some(_), Some(_)) => {}
                _ => likely.push(node),
            }
        }
        match likely[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Returns whether the account of a user may be that of a job.
    fn has_account(&self, user: NodeId, job: &JobLabel) -> bool {
        let Some(text) = &job.account else {
            return true;
        };
        let Some(account) = self.tree.parent(user) else {
            return false;
        };
        job.is_printed(self.tree.name(account), text)
    }
}

/// Returns a name that was printed; `None` for an empty cell.
pub(super) fn owned(cell: &[u8]) -> Option<Vec<u8>> {
    if cell.is_empty() {
        return None;
    }
    Some(cell.to_vec())
}

/// Takes over a name that is not cut, or not known yet.
pub(super) fn take_longer(name: &mut Option<Vec<u8>>, other: Option<&Vec<u8>>) {
    let Some(other) = other else {
        return;
    };
    match name {
        Some(known) if known.len() >= other.len() => {}
        _ => *name = Some(other.clone()),
    }
}
