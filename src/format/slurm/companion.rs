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
            && let (Ok(job), Ok(component)) = (job.parse::<u64>(), component.parse::<u64>())
        {
            return job.saturating_add(component).to_string().into();
        }
        let end = self.id.find(['_', '+']).unwrap_or(self.id.len());
        self.id[..end].into()
    }

    /// Returns whether people may call it that: by its number, or as `squeue` prints it, `192+1` and `190_3`, a task of
    /// the array `190_[0-20%4]`.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        if *self.id == *name || self.number() == name {
            return true;
        }
        let Some((job, task)) = name.split_once('_') else {
            return false;
        };
        job == self.number() && task.parse().is_ok_and(|task| self.has_task(task))
    }

    /// Returns whether it is an array with a task, as far as that is printed: `190` and `190_[0-9,...]` may have any.
    fn has_task(&self, task: u64) -> bool {
        let Some((_, tasks)) = self.id.split_once('_') else {
            return true;
        };
        let tasks = tasks.trim_matches(['[', ']']);
        let tasks = tasks.split_once('%').map_or(tasks, |(tasks, _)| tasks);
        tasks.split(',').any(|range| {
            let (range, step) = range.split_once(':').unwrap_or((range, "1"));
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            match (
                first.parse::<u64>(),
                last.parse::<u64>(),
                step.parse::<u64>(),
            ) {
                (Ok(first), Ok(last), Ok(step @ 1..)) => {
                    (first..=last).contains(&task) && (task - first).is_multiple_of(step)
                }
                // A long list is cut.
                _ => true,
            }
        })
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

/// The users of a tree, by the beginnings of their names, to find the associations of jobs.
pub(crate) struct UsersByName<'a> {
    tree: &'a Tree,
    users: HashMap<&'a [u8], Vec<NodeId>>,
}

impl<'a> UsersByName<'a> {
    pub(crate) fn of(tree: &'a Tree) -> Self {
        let mut users: HashMap<&[u8], Vec<NodeId>> = HashMap::new();
        for user in tree.users() {
            let beginning = JobLabel::beginning(tree.name(user));
            users.entry(beginning).or_default().push(user);
        }
        Self { tree, users }
    }

    /// Returns the association of a job: that of its user and account, for its partition if there is one. `None` if there
    /// is none, or if the names that are printed leave several.
    pub(crate) fn association(&self, job: &JobLabel) -> Option<NodeId> {
        let tree = self.tree;
        let is = |node: NodeId, text: &[u8]| job.is_printed(tree.name(node), text);
        let is_account = |text: &[u8], node| tree.parent(node).is_some_and(|it| is(it, text));
        let user = job.user.as_deref()?;
        let mut nodes = self.users.get(JobLabel::beginning(user))?.clone();
        nodes.retain(|&node| is(node, user));
        nodes.retain(|&node| job.account.as_deref().is_none_or(|it| is_account(it, node)));
        // Without the partition of the job, its association may be any of them.
        if let Some(partition) = &job.partition {
            let is_own = |node: &NodeId| tree.partition(*node) == Some(partition);
            if let Some(&own) = nodes.iter().find(|node| is_own(node)) {
                return Some(own);
            }
            nodes.retain(|&node| tree.partition(node).is_none());
        }
        match nodes[..] {
            [node] => Some(node),
            _ => None,
        }
    }
}

/// Takes over a name that is not cut, or not known yet.
pub(super) fn take_longer(name: &mut Option<Vec<u8>>, other: Option<&Vec<u8>>) {
    if other.map(Vec::len) > name.as_ref().map(Vec::len) {
        *name = other.cloned();
    }
}
