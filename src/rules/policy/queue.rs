//! The users of a tree in the order of their ranks, one after the other, without the numbers of everybody else.
//!
//! A busy cluster hands out its cores to the first few users of each cycle, and a cycle's charge changes the usage of a
//! few. What a cycle costs then depends on these, and not on the size of the tree.

use super::Policy;
use super::fair_tree::FairTreeQueue;
use super::pbs::PbsQueue;
use super::siblings::NextUser;
use crate::base::extended::Extended;
use crate::model::{NodeId, Scheduler, Settings, Tree, Usage};

/// The users of a tree in the order of their ranks, while a clock charges usage to some of them.
#[derive(Debug)]
pub(crate) enum UserQueue {
    /// PBS's order without a formula.
    Pbs(PbsQueue),
    /// Fair Tree's order.
    FairTree(FairTreeQueue),
}

/// A scheduler's usage after it was counted.
#[derive(Clone, Copy)]
pub struct UsageCount<'a> {
    /// The settings at this moment.
    pub settings: &'a Settings,
    /// The users to whom usage was charged since the count before.
    pub charged: &'a [NodeId],
    /// What is left of usage since the count before, as a part of 1, where the scheduler decays it at each count.
    pub left: f64,
    /// The usage as the scheduler writes it.
    pub usage: &'a dyn Fn(NodeId) -> Usage,
    /// The usage as the scheduler holds it.
    pub held: &'a dyn Fn(NodeId) -> Extended,
}

impl Policy {
    /// Returns whether users of such a scheduler's trees are usually found one after the other, without an evaluation.
    pub fn has_queue(self, settings: &Settings) -> bool {
        match self {
            Self::PbsWalk => settings.scheduler == Some(Scheduler::Pbs),
            Self::FairTree | Self::FairTreeDocumented => {
                settings.scheduler == Some(Scheduler::Slurm)
            }
            _ => false,
        }
    }

    /// Returns the users that are asked for, by position, in the order of their ranks while a clock charges usage to
    /// them. `None` if only an evaluation gives their ranks under this policy.
    pub(crate) fn queue(
        self,
        tree: &Tree,
        settings: &Settings,
        is_wanted: Vec<bool>,
    ) -> Option<UserQueue> {
        if !self.has_queue(settings) {
            return None;
        }
        if self == Self::PbsWalk {
            PbsQueue::new(tree, is_wanted).map(UserQueue::Pbs)
        } else {
            FairTreeQueue::new(tree, settings, is_wanted).map(UserQueue::FairTree)
        }
    }
}

impl UserQueue {
    /// Takes the usage after a count.
    pub(crate) fn count(&mut self, count: UsageCount<'_>) {
        match self {
            Self::Pbs(queue) => queue.charge(count.settings, count.charged, count.usage),
            Self::FairTree(queue) => queue.charge(count.left, count.charged, count.held),
        }
    }

    /// Begins again with the first user.
    pub(crate) fn begin(&mut self) {
        match self {
            Self::Pbs(queue) => queue.begin(),
            Self::FairTree(queue) => queue.begin(),
        }
    }

    /// Returns the next user by the usage of the last count; `held` is the usage as the scheduler holds it.
    pub(crate) fn next_user(&mut self, held: &dyn Fn(NodeId) -> Extended) -> NextUser {
        match self {
            Self::Pbs(queue) => queue.next_user(),
            Self::FairTree(queue) => queue.next_user(held),
        }
    }
}
