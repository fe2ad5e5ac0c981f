//! The roles of a lesson: its nodes by what they are, and how those that fit are found on other trees.

use super::Pick;
use crate::base::shown::{Shown, sentence, shown};
use crate::model::{Kind, NodeId, path_of};
use crate::open::opened::apply_text;
use crate::scenario::Scenario;
use std::cmp::Reverse;
use toml::de::DeTable;

impl Pick {
    pub(super) const fn roles(self) -> &'static [&'static str] {
        match self {
            Self::UnusedUser => &["user", "rival", "account", "side", "opposite"],
            Self::Tie => &["one", "other"],
            Self::Dilution => &["lab", "sibling", "user"],
        }
    }

    /// Returns the roles with the paths of the nodes of the clearest case on a tree. The error says what was looked for.
    pub fn cast(self, scenario: &Scenario) -> Result<Vec<(&'static str, String)>, Shown> {
        const MOST_TRIED: usize = 20;
        let fits = |nodes: Vec<NodeId>| self.fits(scenario, &nodes);
        let fitting = match self {
            Self::UnusedUser => unused(scenario).take(MOST_TRIED).find_map(fits),
            Self::Tie => tied(scenario).take(MOST_TRIED).find_map(fits),
            Self::Dilution => diluting(scenario).take(MOST_TRIED).find_map(fits),
        };
        fitting.ok_or_else(|| {
            let title = shown(scenario.base().source.title.as_bytes());
            sentence!(
                "no nodes of {title} fit this lesson, which needs {}",
                self.help()
            )
        })
    }

    /// Returns the paths of a case that a lesson can name, if its edits put its nodes in the order that it promises.
    fn fits(self, scenario: &Scenario, nodes: &[NodeId]) -> Option<Vec<(&'static str, String)>> {
        let is_plain = |path: &String| !path.contains(['{', '}', '"', '\\']);
        let paths = nodes
            .iter()
            .map(|&node| path_of(scenario.tree(), node).filter(is_plain));
        let paths: Vec<String> = paths.collect::<Option<_>>()?;
        let cast: Vec<(&str, String)> = self.roles().iter().copied().zip(paths).collect();
        let edits: &[(&str, [usize; 2])] = match self {
            Self::UnusedUser => &[("shares @side*=10", [0, 1])],
            Self::Tie => &[("usage @other+=3600", [0, 1]), ("usage @one+=7200", [1, 0])],
            Self::Dilution => &[],
        };
        let mut edited = scenario.clone();
        let is_so = edits.iter().all(|(edit, order)| {
            let is_edited = apply_text(&mut edited, fill(edit, &cast).as_bytes()).is_ok();
            let [first, next] = order.map(|place| edited.evaluation().rank(nodes[place]));
            is_edited && first < next
        });
        is_so.then_some(cast)
    }
}

fn ranking(scenario: &Scenario) -> impl Iterator<Item = NodeId> {
    let positions = scenario.evaluation().ranking().positions().iter();
    positions.map(|&at| scenario.tree().nodes()[at as usize])
}

/// Finds users that used nothing: first in the account farthest over its target. Of the users of other accounts that rank
/// before, the rival is the one that used most. The sides are where the paths of the two diverge.
fn unused(scenario: &Scenario) -> impl Iterator<Item = Vec<NodeId>> {
    let (tree, rank) = (scenario.tree(), |user| scenario.evaluation().rank(user));
    let used = |user: NodeId| tree.usage(user).amount().unwrap_or(0.0);
    let served = |user: NodeId| scenario.target(tree.parent(user)?)?.served();
    let over = |user: NodeId| served(user).filter(|&served| served > 1.0).unwrap_or(0.0);
    // PBS starts every usage at one. Elsewhere that is some usage.
    let least = if tree.kinds_follow_shape() { 1.0 } else { 0.0 };
    let users = ranking(scenario);
    let (mut unused, mut busy): (Vec<_>, Vec<_>) = users.partition(|&user| used(user) <= least);
    unused.retain(|&user| over(user) > 0.0);
    unused.sort_by(|&one, &other| over(other).total_cmp(&over(one)));
    busy.sort_by(|&one, &other| used(other).total_cmp(&used(one)));
    unused.into_iter().filter_map(move |user| {
        let account = tree.parent(user)?;
        let mut before = busy.iter().filter(|&&rival| rank(rival) < rank(user));
        let &rival = before.find(|&&rival| !tree.order().is_within(rival, account))?;
        let mut sides = tree.line(user).into_iter().zip(tree.line(rival));
        let (side, opposite) = sides.find(|(one, other)| one != other)?;
        let policy = scenario.policy();
        if policy.orders_by_level() {
            // Where the two tie, a level further down decides.
            let decision = policy.decision(tree, scenario.evaluation(), user, rival);
            let is_decided = decision.first.is_some() && decision.sides == [side, opposite];
            is_decided.then_some(())?;
        }
        Some(vec![user, rival, account, side, opposite])
    })
}

/// Finds two users of one rank, the best rank first. In PBS a factor may be no number.
fn tied(scenario: &Scenario) -> impl Iterator<Item = Vec<NodeId>> {
    let column = scenario.policy().factor_column();
    let factor = |user: NodeId| scenario.evaluation().number(column, user);
    let has_factor = |user: &NodeId| factor(*user).is_none_or(|factor| !factor.is_nan());
    let users: Vec<NodeId> = ranking(scenario).filter(has_factor).collect();
    let rank = |user| scenario.evaluation().rank(user);
    let is_tie = |pair: &&[NodeId]| rank(pair[0]) == rank(pair[1]);
    let pairs = users.windows(2).filter(is_tie).map(<[NodeId]>::to_vec);
    let pairs: Vec<Vec<NodeId>> = pairs.collect();
    pairs.into_iter()
}

/// Finds levels with two accounts that have shares and users, from the root down. The two with the most shares are taken:
/// the second one gets more, and the first one pays, with its user that ranks first.
fn diluting(scenario: &Scenario) -> impl Iterator<Item = Vec<NodeId>> {
    let (tree, evaluation) = (scenario.tree(), scenario.evaluation());
    let competes = |&node: &NodeId| {
        let has_users = tree.kind(node) == Kind::Account && evaluation.best_rank(node).is_some();
        has_users && tree.shares(node).count() > Some(0)
    };
    tree.nodes().iter().filter_map(move |&account| {
        let mut level: Vec<NodeId> = tree.children(account).filter(competes).collect();
        level.sort_by_key(|&node| Reverse(tree.shares(node).count()));
        let &[sibling, lab, ..] = &level[..] else {
            return None;
        };
        let user = ranking(scenario).find(|&user| tree.order().is_within(user, sibling))?;
        Some(vec![lab, sibling, user])
    })
}

/// Returns the text of a lesson with paths in the places of its roles, as in `@user`: those of `cast`, or its own.
pub fn fill(text: &str, cast: &[(&str, String)]) -> String {
    let parsed = DeTable::parse(text).ok();
    let table = parsed.as_ref().map(toml::Spanned::get_ref);
    let roles = table.and_then(|table| table.get("roles")?.get_ref().as_table());
    let own = roles.into_iter().flat_map(|roles| roles.iter());
    let own = own.filter_map(|(role, path)| Some((&**role.get_ref(), path.get_ref().as_str()?)));
    let cast = cast.iter().map(|(role, path)| (*role, &**path)).chain(own);
    cast.fold(text.to_owned(), |text, (role, path)| {
        text.replace(&format!("@{role}"), path)
    })
}
