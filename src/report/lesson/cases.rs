//! The nodes of a tree that fit a lesson: its cases, the clearest first.

use crate::model::{Kind, NodeId, Tree, path_of};
use crate::open::opened::apply_text;
use crate::rules::policy::Evaluation;
use crate::scenario::Scenario;
use std::cmp::{Ordering, Reverse};

/// How many cases are tried before a tree is said not to fit.
pub(super) const MOST_TRIED: usize = 20;

/// The nodes of a case, in the order of the roles of its pick.
pub(super) type Case = Vec<NodeId>;

/// Looks for the cases of a lesson on a tree, the clearest first.
pub(super) struct CaseSearch<'a> {
    /// The tree as it was opened.
    scenario: &'a Scenario,
    /// Its nodes.
    tree: &'a Tree,
    /// Its numbers.
    evaluation: &'a Evaluation,
}

impl<'a> CaseSearch<'a> {
    /// Looks on the tree of a scenario.
    pub(super) fn of(scenario: &'a Scenario) -> Self {
        Self {
            scenario,
            tree: scenario.tree(),
            evaluation: scenario.evaluation(),
        }
    }

    /// Returns the ranked users, the first one first.
    fn ranking(&self) -> impl Iterator<Item = NodeId> {
        let positions = self.evaluation.ranking().positions().iter();
        positions.map(|&position| self.tree.nodes()[position as usize])
    }

    /// Returns the usage of a user; 0 if it is not known.
    fn used(&self, user: NodeId) -> f64 {
        self.tree.usage(user).amount().unwrap_or(0.0)
    }

    /// Returns how many times its target the account of a user used; 0 if that is not more than once.
    fn over(&self, user: NodeId) -> f64 {
        match self.served(user) {
            Some(served) if served > 1.0 => served,
            _ => 0.0,
        }
    }

    /// Returns the served ratio of the account of a user; `None` if it has none.
    fn served(&self, user: NodeId) -> Option<f64> {
        let account = self.tree.parent(user)?;
        self.served_of(account)
    }

    /// Returns the served ratio of an account; `None` if it has none.
    fn served_of(&self, account: NodeId) -> Option<f64> {
        self.scenario.target(account)?.served()
    }

    /// Finds users that used nothing: first in the account farthest over its target.
    pub(super) fn unused(&self) -> impl Iterator<Item = Case> {
        // PBS starts every usage at one. Elsewhere that is some usage.
        let least = if self.tree.kinds_follow_shape() {
            1.0
        } else {
            0.0
        };
        let mut unused = Vec::new();
        let mut busy = Vec::new();
        for user in self.ranking() {
            if self.used(user) > least {
                busy.push(user);
            } else if self.over(user) > 0.0 && self.has_shares(user) {
                unused.push(user);
            }
        }
        unused.sort_by(|&one, &other| self.over(other).total_cmp(&self.over(one)));
        busy.sort_by(|&one, &other| self.used(other).total_cmp(&self.used(one)));
        let users = unused.into_iter();
        users.filter_map(move |user| self.overtaken(user, &busy))
    }

    /// Returns the case of an unused user. Of the users of other accounts that rank before, the rival is the one that used
    /// most. The sides are where the paths of the two diverge. `None` without a rival whose order these sides decide.
    fn overtaken(&self, user: NodeId, busy: &[NodeId]) -> Option<Case> {
        let tree = self.tree;
        let account = tree.parent(user)?;
        let rival = self.rival(user, account, busy)?;
        let split = tree.line(user).into_iter().zip(tree.line(rival));
        let mut diverging = split.skip_while(|(one, other)| one == other);
        let (side, opposite) = diverging.next()?;
        let policy = self.scenario.policy();
        if policy.orders_by_level() {
            // Where the two tie, a level further down decides.
            let decision = policy.decision(tree, self.evaluation, user, rival);
            decision.first?;
            if decision.own != side || decision.other != opposite || !self.is_over(side) {
                return None;
            }
        }
        Some(vec![user, rival, account, side, opposite])
    }

    /// Finds users below an account over its target and behind a user elsewhere, the one that ranks last first.
    pub(super) fn over_served(&self) -> impl Iterator<Item = Case> {
        let ranked: Vec<NodeId> = self.ranking().collect();
        let from_last: Vec<NodeId> = ranked.iter().rev().copied().collect();
        let users = from_last.into_iter();
        users.filter_map(move |user| self.held_back(user, &ranked))
    }

    /// Returns the case of a user that an account over its target holds back: with that account, and with the last user
    /// outside of it that ranks before. `None` without such an account or such a user.
    fn held_back(&self, user: NodeId, ranked: &[NodeId]) -> Option<Case> {
        let tree = self.tree;
        if !self.has_shares(user) {
            return None;
        }
        let mut accounts = tree.line(user).into_iter();
        let account = accounts.find(|&above| above != user && self.is_over(above))?;
        if tree.shares(account).count()? < 1 {
            return None;
        }
        let rank = self.evaluation.rank(user);
        for &neighbour in ranked.iter().rev() {
            let is_ahead = self.evaluation.rank(neighbour) < rank;
            if is_ahead && !tree.order().is_within(neighbour, account) {
                return Some(vec![user, account, neighbour]);
            }
        }
        None
    }

    /// Finds levels with two accounts of which one was served less, from the root down.
    pub(super) fn unequal(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        if !self.scenario.policy().orders_by_level() {
            return cases;
        }
        for &account in self.tree.nodes() {
            self.add_unequal_below(account, &mut cases);
            if cases.len() >= MOST_TRIED {
                break;
            }
        }
        cases
    }

    /// Adds the cases of an account's member that was served most and of those that were served least, each with its user
    /// that ranks first, where the policy puts the users in that order.
    fn add_unequal_below(&self, account: NodeId, cases: &mut Vec<Case>) {
        /// How many members are compared with the one that was served most.
        const MOST: usize = 4;
        let mut level = Vec::new();
        for member in self.tree.children(account) {
            if self.competes(member) && self.served_of(member).is_some() {
                level.push(member);
            }
        }
        level.sort_by(|&one, &other| {
            let order = self.served_of(one).partial_cmp(&self.served_of(other));
            order.unwrap_or(Ordering::Equal)
        });
        let Some(other) = level.pop() else {
            return;
        };
        for one in level.into_iter().take(MOST) {
            if self.served_of(one) < self.served_of(other)
                && let Some(user) = self.first_user(one)
                && let Some(rival) = self.first_user(other)
                && self.evaluation.rank(user) < self.evaluation.rank(rival)
            {
                cases.push(vec![one, other, user, rival]);
            }
        }
    }

    /// Finds pairs of users of one account, first where one ranks first.
    pub(super) fn differing(&self) -> impl Iterator<Item = Case> {
        let users: Vec<NodeId> = self.ranking().collect();
        users.into_iter().filter_map(|user| self.pair_of(user))
    }

    /// Returns the case of a user and of the one beside it that used most. `None` if none used more.
    fn pair_of(&self, user: NodeId) -> Option<Case> {
        let account = self.tree.parent(user)?;
        let mut most = user;
        for beside in self.tree.children(account) {
            let is_user = self.evaluation.rank(beside).is_some() && self.has_shares(beside);
            if is_user && self.used(beside) > self.used(most) {
                most = beside;
            }
        }
        if most == user || !self.has_shares(user) {
            return None;
        }
        Some(vec![user, most])
    }

    /// Finds users that used something and are not alone in their account, the one that used most first.
    pub(super) fn heavy(&self) -> impl Iterator<Item = Case> {
        let mut users = Vec::new();
        for user in self.ranking() {
            if self.used(user) > 0.0 && self.has_shares(user) {
                users.push(user);
            }
        }
        users.sort_by(|&one, &other| self.used(other).total_cmp(&self.used(one)));
        users.into_iter().filter_map(|user| {
            let account = self.tree.parent(user)?;
            let is_alone = self.tree.children(account).count() < 2;
            (!is_alone && account != NodeId::ROOT).then(|| vec![user, account])
        })
    }

    /// Returns the user of an account that ranks first; `None` if none of its users has a rank.
    fn first_user(&self, account: NodeId) -> Option<NodeId> {
        let order = self.tree.order();
        self.ranking().find(|&user| order.is_within(user, account))
    }

    /// Returns whether a user has shares of its own.
    fn has_shares(&self, user: NodeId) -> bool {
        self.tree.shares(user).count() > Some(0)
    }

    /// Returns whether an account used more than its target.
    fn is_over(&self, account: NodeId) -> bool {
        self.served_of(account) > Some(1.0)
    }

    /// Returns the first of the busy users that ranks before a user and is not in its account; `None` if none does.
    fn rival(&self, user: NodeId, account: NodeId, busy: &[NodeId]) -> Option<NodeId> {
        let order = self.tree.order();
        let rank = self.evaluation.rank(user);
        for &rival in busy {
            let is_ahead = self.evaluation.rank(rival) < rank;
            if is_ahead && !order.is_within(rival, account) {
                return Some(rival);
            }
        }
        None
    }

    /// Finds two users of one rank, the best rank first.
    pub(super) fn tied(&self) -> Vec<Case> {
        let evaluation = self.evaluation;
        let column = self.scenario.policy().factor_column();
        let mut users = Vec::new();
        for user in self.ranking() {
            // In PBS a factor may be no number.
            match evaluation.number(column, user) {
                Some(factor) if factor.is_nan() => {}
                _ => users.push(user),
            }
        }
        let mut cases = Vec::new();
        for pair in users.windows(2) {
            if evaluation.rank(pair[0]) == evaluation.rank(pair[1]) {
                cases.push(pair.to_vec());
            }
        }
        cases
    }

    /// Finds pairs of accounts of one level that have shares and users, from the root down: first those where a user of
    /// the one that pays falls.
    pub(super) fn diluting(&self) -> Vec<Case> {
        let mut falling = Vec::new();
        let mut others = Vec::new();
        for &account in self.tree.nodes() {
            for [lab, sibling] in self.competing_pairs(account) {
                if falling.len() + others.len() == MOST_TRIED {
                    break;
                }
                let first = self.first_user(sibling);
                match (self.falls(lab, sibling), first) {
                    (Some(user), _) => falling.push(vec![lab, sibling, user]),
                    (None, Some(user)) => others.push(vec![lab, sibling, user]),
                    (None, None) => {}
                }
            }
        }
        falling.append(&mut others);
        falling
    }

    /// Returns the pairs of the members of an account with the most shares: of which one may get more, and the other pays.
    fn competing_pairs(&self, account: NodeId) -> Vec<[NodeId; 2]> {
        /// How many members are looked at.
        const MOST: usize = 4;
        let tree = self.tree;
        let mut level = Vec::new();
        for member in tree.children(account) {
            if self.competes(member) {
                level.push(member);
            }
        }
        level.sort_by_key(|&node| Reverse(tree.shares(node).count()));
        level.truncate(MOST);
        let mut pairs = Vec::new();
        for &sibling in &level {
            for &lab in &level {
                if lab != sibling {
                    pairs.push([lab, sibling]);
                }
            }
        }
        pairs
    }

    /// Returns the first user of an account that falls once a sibling has twice its shares; `None` if none does.
    fn falls(&self, lab: NodeId, sibling: NodeId) -> Option<NodeId> {
        let path = path_of(self.tree, lab)?;
        let mut edited = self.scenario.clone();
        let edit = format!("shares {path}*=2");
        apply_text(&mut edited, edit.as_bytes()).ok()?;
        let order = self.tree.order();
        self.ranking().find(|&user| {
            let before = self.evaluation.rank(user);
            order.is_within(user, sibling) && edited.evaluation().rank(user) > before
        })
    }

    /// Returns whether a node is an account with shares and ranked users.
    fn competes(&self, node: NodeId) -> bool {
        self.tree.kind(node) == Kind::Account
            && self.evaluation.best_rank(node).is_some()
            && self.tree.shares(node).count() > Some(0)
    }
}
