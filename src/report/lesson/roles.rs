//! The roles of a lesson: its nodes by what they are, and how those that fit are found on other trees.

use super::Pick;
use crate::base::shown::{Shown, sentence, shown};
use crate::model::{Kind, NodeId, Tree, path_of};
use crate::open::opened::apply_text;
use crate::rules::policy::Evaluation;
use crate::scenario::Scenario;
use std::cmp::Reverse;
use toml::de::DeTable;

/// How many cases are tried before a tree is said not to fit.
const MOST_TRIED: usize = 20;

/// A role, and the path of the node that has it.
pub(super) type Role = (&'static str, String);

/// The nodes of a case, in the order of [`Pick::roles`].
type Case = Vec<NodeId>;

/// An edit of a lesson, and the order that it puts two nodes in.
struct OrderingEdit {
    /// In the edit language, with roles in the place of paths.
    edit: &'static str,
    /// The place in the case of the node that ranks first then.
    first: usize,
    /// The place of the node that ranks behind it.
    next: usize,
}

impl Pick {
    /// Returns the roles of a lesson.
    pub(super) const fn roles(self) -> &'static [&'static str] {
        match self {
            Self::UnusedUser => &["user", "rival", "account", "side", "opposite"],
            Self::Tie => &["one", "other"],
            Self::Dilution => &["lab", "sibling", "user"],
        }
    }

    /// Returns the edits of a lesson whose order it promises.
    const fn edits(self) -> &'static [OrderingEdit] {
        match self {
            Self::UnusedUser => &[OrderingEdit {
                edit: "shares @side*=10",
                first: 0,
                next: 1,
            }],
            Self::Tie => &[
                OrderingEdit {
                    edit: "usage @other+=3600",
                    first: 0,
                    next: 1,
                },
                OrderingEdit {
                    edit: "usage @one+=7200",
                    first: 1,
                    next: 0,
                },
            ],
            Self::Dilution => &[],
        }
    }

    /// Returns the roles with the paths of the nodes of the clearest case on a tree.
    ///
    /// # Errors
    /// The sentence says what was looked for.
    pub fn cast(self, scenario: &Scenario) -> Result<Vec<Role>, Shown> {
        let search = CaseSearch::of(scenario);
        let fitting = match self {
            Self::UnusedUser => self.first_fitting(scenario, search.unused()),
            Self::Tie => self.first_fitting(scenario, search.tied().into_iter()),
            Self::Dilution => self.first_fitting(scenario, search.diluting()),
        };
        if let Some(cast) = fitting {
            return Ok(cast);
        }
        let title = shown(scenario.base().source.title.as_bytes());
        let needed = self.help();
        Err(sentence!(
            "no nodes of {title} fit this lesson, which needs {needed}"
        ))
    }

    /// Returns the paths of the first case that fits. `None` if none of those tried does.
    fn first_fitting(
        self,
        scenario: &Scenario,
        cases: impl Iterator<Item = Case>,
    ) -> Option<Vec<Role>> {
        for case in cases.take(MOST_TRIED) {
            if let Some(cast) = self.fits(scenario, &case) {
                return Some(cast);
            }
        }
        None
    }

    /// Returns the paths of a case that a lesson can name, if its edits put its nodes in the order that it promises.
    fn fits(self, scenario: &Scenario, case: &[NodeId]) -> Option<Vec<Role>> {
        let mut cast = Vec::new();
        for (&role, &node) in self.roles().iter().zip(case) {
            let path = path_of(scenario.tree(), node)?;
            if path.contains(['{', '}', '"', '\\']) {
                return None;
            }
            cast.push((role, path));
        }
        let mut edited = scenario.clone();
        for ordering in self.edits() {
            let edit = fill(ordering.edit, &cast);
            apply_text(&mut edited, edit.as_bytes()).ok()?;
            let evaluation = edited.evaluation();
            let first = evaluation.rank(case[ordering.first]);
            let next = evaluation.rank(case[ordering.next]);
            if first >= next {
                return None;
            }
        }
        Some(cast)
    }
}

/// Looks for the cases of a lesson on a tree, the clearest first.
struct CaseSearch<'a> {
    /// The tree as it was opened.
    scenario: &'a Scenario,
    /// Its nodes.
    tree: &'a Tree,
    /// Its numbers.
    evaluation: &'a Evaluation,
}

impl<'a> CaseSearch<'a> {
    /// Looks on the tree of a scenario.
    fn of(scenario: &'a Scenario) -> Self {
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
        self.scenario.target(account)?.served()
    }

    /// Finds users that used nothing: first in the account farthest over its target.
    fn unused(&self) -> impl Iterator<Item = Case> {
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
            } else if self.over(user) > 0.0 {
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
            if decision.own != side || decision.other != opposite {
                return None;
            }
        }
        Some(vec![user, rival, account, side, opposite])
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
    fn tied(&self) -> Vec<Case> {
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

    /// Finds levels with two accounts that have shares and users, from the root down.
    fn diluting(&self) -> impl Iterator<Item = Case> {
        let accounts = self.tree.nodes().iter();
        accounts.filter_map(|&account| self.diluted(account))
    }

    /// Returns the case of the two members of an account with the most shares: the second one gets more, and the first one
    /// pays, with its user that ranks first. `None` without two that compete.
    fn diluted(&self, account: NodeId) -> Option<Case> {
        let tree = self.tree;
        let mut level = Vec::new();
        for member in tree.children(account) {
            if self.competes(member) {
                level.push(member);
            }
        }
        level.sort_by_key(|&node| Reverse(tree.shares(node).count()));
        let [sibling, lab, ..] = level[..] else {
            return None;
        };
        for user in self.ranking() {
            if tree.order().is_within(user, sibling) {
                return Some(vec![lab, sibling, user]);
            }
        }
        None
    }

    /// Returns whether a node is an account with shares and ranked users.
    fn competes(&self, node: NodeId) -> bool {
        self.tree.kind(node) == Kind::Account
            && self.evaluation.best_rank(node).is_some()
            && self.tree.shares(node).count() > Some(0)
    }
}

/// Returns the text of a lesson with paths in the places of its roles, as in `@user`: those of `cast`, or its own.
pub fn fill(text: &str, cast: &[Role]) -> String {
    let mut filled = text.to_owned();
    for (role, path) in cast {
        filled = filled.replace(&format!("@{role}"), path);
    }
    for (role, path) in own_roles(text) {
        filled = filled.replace(&format!("@{role}"), &path);
    }
    filled
}

/// Returns the roles that a lesson casts itself, each with its path.
fn own_roles(text: &str) -> Vec<(String, String)> {
    let mut cast = Vec::new();
    if let Ok(lesson) = DeTable::parse(text)
        && let Some(value) = lesson.get_ref().get("roles")
        && let Some(roles) = value.get_ref().as_table()
    {
        for (role, value) in roles {
            if let Some(path) = value.get_ref().as_str() {
                cast.push((role.get_ref().to_string(), path.to_owned()));
            }
        }
    }
    cast
}
