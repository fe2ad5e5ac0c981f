//! One tree under several policies: the rank each gives, and how far they agree.

use super::{Evaluation, Policy};
use crate::model::{Kind, NodeId, Settings, Tree};

/// One tree under several policies.
#[derive(Clone, Debug)]
pub struct Comparison {
    policies: Vec<Policy>,
    evaluations: Vec<Evaluation>,
    /// The users, those whose ranks differ most first.
    users: Vec<NodeId>,
    /// By pair of policies: Kendall's tau.
    taus: Vec<Vec<Option<f64>>>,
}

impl Comparison {
    /// Evaluates a tree under each of the policies and compares the ranks.
    #[must_use]
    pub fn of(tree: &Tree, settings: &Settings, policies: &[Policy]) -> Self {
        let evaluations: Vec<Evaluation> = policies
            .iter()
            .map(|policy| policy.evaluate(tree, settings))
            .collect();
        let users = tree
            .nodes()
            .iter()
            .copied()
            .filter(|&node| tree.kind(node) == Kind::User);
        let mut comparison = Self {
            policies: policies.to_vec(),
            evaluations,
            users: users.collect(),
            taus: vec![vec![None; policies.len()]; policies.len()],
        };
        let mut users = std::mem::take(&mut comparison.users);
        users.sort_by_cached_key(|&user| std::cmp::Reverse(comparison.spread(user)));
        comparison.users = users;
        comparison
    }

    /// The policies compared.
    #[must_use]
    pub fn policies(&self) -> &[Policy] {
        &self.policies
    }

    /// The users, those whose ranks differ most first; then in tree order.
    #[must_use]
    pub fn users(&self) -> &[NodeId] {
        &self.users
    }

    /// The rank of a user under a policy, given by its place among the policies compared.
    #[must_use]
    pub fn rank(&self, policy: usize, user: NodeId) -> Option<u32> {
        self.evaluations.get(policy)?.rank(user)
    }

    /// The places between the best and the worst rank of a user.
    #[must_use]
    pub fn spread(&self, user: NodeId) -> u32 {
        let ranks = || {
            self.evaluations
                .iter()
                .filter_map(|numbers| numbers.rank(user))
        };
        ranks().max().unwrap_or(0) - ranks().min().unwrap_or(0)
    }

    /// Kendall's tau-b of the ranks of two policies, given by their places: 1 is the same order, -1 the reverse,
    /// and ties are allowed for. Nothing where one of them has all users tied, or ranks fewer than two.
    #[must_use]
    pub fn tau(&self, a: usize, b: usize) -> Option<f64> {
        *self.taus.get(a)?.get(b)?
    }
}
