//! The policy of a scenario: a chosen one, or the order of PBS, which follows its `job_sort_formula`.

use super::{CurrentNumbers, Entry, PolicyChange, Scenario};
use crate::model::{Scheduler, Settings, Snapshot};
use crate::rules::policy::Policy;
use std::sync::Arc;

impl Scenario {
    /// Returns a scenario without edits under the scheduler's own policy, which in PBS follows `job_sort_formula`.
    pub fn following(base: Arc<Snapshot>) -> Self {
        let policy = Policy::usual(&base.settings);
        let is_following = base.settings.scheduler == Some(Scheduler::Pbs);
        Self {
            is_following,
            ..Self::new(base, policy)
        }
    }

    /// Returns whether no policy was chosen, so that it follows the settings.
    pub(crate) fn is_following(&self) -> bool {
        self.is_following
    }

    /// Returns the current policy.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// Returns the policy of the untouched snapshot, which differs from the current one if an edit changed PBS's order.
    pub fn policy_before(&self) -> Policy {
        self.policy_under(&self.base.settings)
    }

    /// Returns the policy under other settings: the same one, unless it follows them.
    pub(crate) fn policy_under(&self, settings: &Settings) -> Policy {
        if self.is_following && settings.scheduler == Some(Scheduler::Pbs) {
            Policy::usual(settings)
        } else {
            self.policy
        }
    }

    /// Sets another policy and keeps the edits. The scheduler's own policy follows the settings of PBS again.
    pub fn set_policy(&mut self, policy: Policy) {
        if policy == self.policy {
            return;
        }
        let is_own = policy == Policy::usual(&self.state.settings);
        self.is_following = is_own && self.state.settings.scheduler == Some(Scheduler::Pbs);
        self.numbers = CurrentNumbers::default();
        self.tried = None;
        if let Some(trial) = &mut self.trial {
            trial.numbers = CurrentNumbers::default();
        }
        self.baseline.take();
        self.computed.take();
        if let Some(compared) = &mut self.compared {
            compared.evaluation.take();
        }
        self.policy = policy;
    }

    /// Makes a policy the current one, as a change that can be undone. Undone edits stay, for they are the same under every
    /// policy.
    pub(crate) fn choose_policy(&mut self, policy: Policy) {
        if policy != self.policy {
            let change = PolicyChange {
                from: self.policy,
                to: policy,
            };
            self.history.undone.retain(|entry| entry.edit().is_some());
            self.history.done.push(Entry::Policy(change));
            self.set_policy(policy);
        }
    }

    /// Drops the choice of a policy that came last, as if it had not been made.
    pub(crate) fn drop_policy_choice(&mut self) {
        if let Some(&Entry::Policy(last)) = self.history.done.last() {
            self.history.done.pop();
            self.set_policy(last.from);
        }
    }

    /// Returns another scenario on the same snapshot, without edits, under the given policy or that of this one.
    pub fn beside(&self, policy: Option<Policy>) -> Self {
        let base = Arc::clone(&self.base);
        let mut beside = match policy {
            Some(policy) => Self::new(base, policy),
            None if self.is_following => Self::following(base),
            None => Self::new(base, self.policy),
        };
        if beside.policy == self.policy_before() {
            beside.baseline = self.baseline.clone();
        }
        beside
    }
}
