//! The users of a tree in the order of their ranks, one after the other, without the numbers of everybody else.
//!
//! A busy cluster hands out its cores to the first few users of each cycle, and a cycle's charge changes the usage of a
//! few. What a cycle costs then depends on these, and not on the size of the tree.

use super::Policy;
use super::fair_tree::FairTreeQueue;
use super::pbs::PbsQueue;
use super::siblings::NextUser;
use crate::base::extended::Extended;
use crate::model::{NodeId, Settings, Tree, Usage};

/// The users of a tree in the order of their ranks, while a clock charges usage to some of them.
#[derive(Debug)]
pub struct UserQueue(Rule);

/// The rules that have such a queue.
#[derive(Debug)]
enum Rule {
    Pbs(PbsQueue),
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

impl UserQueue {
    /// Returns the queue of the users that are asked for, by position. `None` under policies and for trees without one.
    pub(super) fn of(
        policy: Policy,
        tree: &Tree,
        settings: &Settings,
        is_wanted: Vec<bool>,
    ) -> Option<Self> {
        let rule = match policy {
            Policy::PbsWalk => PbsQueue::of(tree, is_wanted).map(Rule::Pbs),
            Policy::FairTree | Policy::FairTreeDocumented => {
                FairTreeQueue::of(tree, settings, is_wanted).map(Rule::FairTree)
            }
            _ => None,
        };
        rule.map(Self)
    }

    /// Takes the usage after a count.
    pub fn count(&mut self, count: UsageCount<'_>) {
        match &mut self.0 {
            Rule::Pbs(queue) => queue.charge(count.settings, count.charged, count.usage),
            Rule::FairTree(queue) => queue.charge(count.left, count.charged, count.held),
        }
    }

    /// Begins again with the first user.
    pub fn begin(&mut self) {
        match &mut self.0 {
            Rule::Pbs(queue) => queue.begin(),
            Rule::FairTree(queue) => queue.begin(),
        }
    }

    /// Returns the next user by the usage of the last count; `held` is the usage as the scheduler holds it.
    pub fn next_user(&mut self, held: &dyn Fn(NodeId) -> Extended) -> NextUser {
        match &mut self.0 {
            Rule::Pbs(queue) => queue.next_user(),
            Rule::FairTree(queue) => queue.next_user(held),
        }
    }
}
