//! The comparison of two trees: added, removed, moved and changed nodes, changed ranks, and their causes.
//!
//! Both trees are ranked by one policy, each with its own settings. They may be two readings of a source, two sources,
//! or two scenarios, one of which may have no edits.

mod attribution;
mod matching;

pub use attribution::{Attribution, Cause, PlacesByCause};
pub(super) use matching::Alike;
pub use matching::{Matching, counterparts};

use crate::model::{FairShare, Kind, NodeId, PrintedNumbers, Settings, Tree};
use crate::rules::policy::{ColumnId, Evaluation, Policy};
use crate::scenario::Scenario;
use std::cmp::Reverse;
use std::sync::Arc;

/// In trees of up to this many users all moves are attributed by default. Each takes an evaluation of the tree.
pub(crate) const ALL_ATTRIBUTED: usize = 2_000;

/// The number of largest moves that are attributed by default in a larger tree.
pub(crate) const USUALLY_ATTRIBUTED: usize = 40;

/// One of the two trees with its evaluation. Clones are cheap, as they share every column.
#[derive(Clone, Debug)]
pub struct Side {
    pub(crate) policy: Policy,
    /// The tree.
    pub tree: Tree,
    pub(crate) settings: Settings,
    /// The printed numbers of its source.
    printed: Option<Arc<PrintedNumbers>>,
    /// Its numbers under the policy.
    pub evaluation: Evaluation,
}

impl Side {
    /// Returns the tree of a scenario with its numbers under a policy.
    fn edited(scenario: &Scenario, policy: Policy) -> Self {
        Self {
            policy,
            tree: scenario.tree().clone(),
            settings: scenario.settings().clone(),
            printed: scenario.base().printed.clone(),
            evaluation: scenario.evaluation_under(policy).clone(),
        }
    }

    /// Returns whether a node is below the top of the compared subtree, or is it. A tree may have neither.
    fn is_within(&self, node: Option<NodeId>, top: Option<NodeId>) -> bool {
        match (node, top) {
            (Some(node), Some(top)) => self.tree.order().is_within(node, top),
            _ => false,
        }
    }
}

/// Two trees and what differs between them.
#[derive(Clone, Debug)]
pub struct Diff {
    /// The old tree.
    pub before: Side,
    /// The new tree.
    pub after: Side,
    /// The nodes of each tree in the other one.
    pub matching: Matching,
    /// The top of the compared subtree in both trees. `None` if all nodes are compared.
    top: Option<Pair<Option<NodeId>>>,
    /// What differs.
    pub changes: Changes,
}

impl Diff {
    /// Compares two scenarios under the policy of the second: nodes of one snapshot by id, of two by path.
    pub fn between(before: &Scenario, after: &Scenario) -> Self {
        let matching = if std::ptr::eq(before.base(), after.base()) {
            Matching::by_id(before.tree(), after.tree(), after.base().tree.id_count())
        } else {
            Matching::by_path(before.tree(), after.tree())
        };
        let before = Side::edited(before, after.policy_under(before.settings()));
        let after = Side::edited(after, after.policy());
        let changes = Changes::between(&before, &after, &matching);
        Self {
            before,
            after,
            matching,
            top: None,
            changes,
        }
    }

    /// Restricts the comparison to a node of either tree and all nodes below it. Ranks remain those among all users.
    pub fn below(mut self, top: Pair<Option<NodeId>>) -> Self {
        self.top = Some(top);
        let mut changes = std::mem::take(&mut self.changes);
        changes.retain(|before, after| self.is_compared(before, after));
        self.changes = changes;
        self
    }

    /// Returns whether a node is in the compared subtree, in at least one of the trees.
    fn is_compared(&self, before: Option<NodeId>, after: Option<NodeId>) -> bool {
        let Some(top) = self.top else {
            return true;
        };
        self.before.is_within(before, top.before) || self.after.is_within(after, top.after)
    }

    /// Returns the policy that both trees are ranked by.
    pub(crate) fn policy(&self) -> Policy {
        self.after.policy
    }

    /// Returns the users whose rank differs, those that moved most first.
    pub fn moves(&self) -> &[RankMove] {
        &self.changes.moves
    }

    /// Returns whether nothing differs: nodes, shares, usage, the settings that the policy reads, ranks.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Returns every compared node that is in both trees, in the order of the new tree.
    pub fn pairs(&self) -> impl Iterator<Item = Pair<NodeId>> {
        self.all_pairs()
            .filter(|pair| self.is_compared(Some(pair.before), Some(pair.after)))
    }

    /// Returns every node that is in both trees, in the order of the new tree.
    fn all_pairs(&self) -> impl Iterator<Item = Pair<NodeId>> {
        let nodes = self.after.tree.nodes().iter();
        nodes.filter_map(|&after| {
            let before = self.matching.before(after)?;
            Some(Pair { before, after })
        })
    }

    /// Returns the number of users with a rank in both trees.
    pub(crate) fn ranked_user_count(&self) -> usize {
        let mut count = 0;
        for Pair { before, after } in self.pairs() {
            let is_ranked = self.after.tree.kind(after) == Kind::User
                && self.before.evaluation.rank(before).is_some()
                && self.after.evaluation.rank(after).is_some();
            count += usize::from(is_ranked);
        }
        count
    }

    /// Returns the changes of targets of unedited nodes.
    pub fn target_shifts(&self) -> TargetShifts {
        let mut changes = Vec::new();
        let mut lost = Vec::new();
        let mut gained = Vec::new();
        for pair in self.pairs() {
            let Some(change) = self.target_change(pair) else {
                continue;
            };
            changes.push(change);
            if change.relative < -NOTABLE {
                lost.push(change);
            } else if change.relative > NOTABLE {
                gained.push(change);
            }
        }
        let accounts = accounts(&changes);
        TargetShifts {
            column: self.policy().target_column(),
            accounts,
            users: changes.len() - accounts,
            lost: TargetShift::of(lost),
            gained: TargetShift::of(gained),
        }
    }

    /// Returns how the target of an unedited node changed. `None` for edited and moved nodes, for the root, and where the
    /// change is not defined.
    fn target_change(&self, pair: Pair<NodeId>) -> Option<TargetChange> {
        let old = &self.before;
        let new = &self.after;
        if old.tree.shares(pair.before) != new.tree.shares(pair.after)
            || old.tree.parent(pair.before).is_none()
            || has_moved(&old.tree, &new.tree, &self.matching, pair)
        {
            return None;
        }
        let column = self.policy().target_column();
        let was = old.evaluation.number(column, pair.before)?;
        let is = new.evaluation.number(column, pair.after)?;
        let relative = is / was - 1.0;
        // A change relative to a target of 0 is undefined.
        (was > 0.0 && relative.is_finite()).then_some(TargetChange {
            relative,
            kind: new.tree.kind(pair.after),
        })
    }

    /// Returns the number of moves to attribute: all in a small tree, otherwise the requested or usual number.
    pub(crate) fn attributable(&self, requested: Option<usize>) -> usize {
        let moves = self.moves().len();
        if self.after.tree.user_count() <= ALL_ATTRIBUTED {
            moves
        } else {
            requested.unwrap_or(USUALLY_ATTRIBUTED).min(moves)
        }
    }

    /// Attributes the `count` largest moves to changes, in the order of [`Diff::moves`].
    pub fn attribute(&self, count: usize) -> Vec<PlacesByCause> {
        let moves = &self.moves()[..count.min(self.moves().len())];
        if moves.is_empty() {
            return Vec::new();
        }
        let mut attribution = Attribution::of(self);
        let mut places = Vec::with_capacity(moves.len());
        for user in moves {
            places.extend(attribution.attribute(user.nodes.after));
        }
        places
    }
}

/// The smallest relative change of a target that counts.
const NOTABLE: f64 = 0.001;

/// Relative changes of targets in one direction; losses are negative.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TargetShift {
    /// The number of accounts.
    pub accounts: usize,
    pub(crate) users: usize,
    /// The smallest change; 0 if there are none.
    pub least: f64,
    /// The median change; for an even number the larger of the two in the middle.
    pub median: f64,
    /// The largest change; 0 if there are none.
    pub most: f64,
}

impl TargetShift {
    /// Returns the number of changed targets.
    pub fn count(&self) -> usize {
        self.accounts + self.users
    }

    /// Summarises changes of targets.
    fn of(mut changes: Vec<TargetChange>) -> Self {
        if changes.is_empty() {
            return Self::default();
        }
        changes.sort_by(|a, b| a.relative.abs().total_cmp(&b.relative.abs()));
        let accounts = accounts(&changes);
        Self {
            accounts,
            users: changes.len() - accounts,
            least: changes[0].relative,
            median: changes[changes.len() / 2].relative,
            most: changes[changes.len() - 1].relative,
        }
    }
}

/// The change of a node's target.
#[derive(Clone, Copy)]
struct TargetChange {
    /// The change relative to the old target; losses are negative.
    relative: f64,
    kind: Kind,
}

/// Returns how many of the targets are those of accounts.
fn accounts(changes: &[TargetChange]) -> usize {
    let mut accounts = 0;
    for change in changes {
        accounts += usize::from(change.kind == Kind::Account);
    }
    accounts
}

/// The changes of the targets of nodes that are in both trees, under the same account and with the same shares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetShifts {
    pub(crate) column: ColumnId,
    /// The number of unedited accounts that had a target, without the root.
    pub accounts: usize,
    /// The number of unedited users that had a target.
    pub users: usize,
    /// Targets that shrank by more than a thousandth.
    pub lost: TargetShift,
    /// Targets that grew by more than a thousandth.
    pub gained: TargetShift,
}

impl TargetShifts {
    /// Returns the number of unedited nodes that had a target.
    pub(crate) fn untouched(&self) -> usize {
        self.accounts + self.users
    }
}

/// A value before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pair<T> {
    /// In the old tree.
    pub before: T,
    /// In the new tree.
    pub after: T,
}

/// A user whose rank changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankMove {
    /// The user in both trees.
    pub nodes: Pair<NodeId>,
    pub(crate) ranks: Pair<u32>,
}

impl RankMove {
    /// Returns the ranks gained; positive if the user runs earlier, negative if later.
    pub fn places(&self) -> i64 {
        i64::from(self.ranks.before) - i64::from(self.ranks.after)
    }
}

/// A changed setting.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields are what their names say")]
pub struct SettingChange {
    pub key: &'static str,
    pub before: String,
    pub after: String,
}

/// The differences between two trees.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Nodes of the new tree only, in tree order.
    pub added: Vec<NodeId>,
    /// Nodes of the old tree only, in tree order.
    pub removed: Vec<NodeId>,
    /// Nodes that moved to another account, in the order of the new tree; not those that moved with their account.
    pub moved: Vec<Pair<NodeId>>,
    /// Nodes whose shares, recorded usage or name changed, in the order of the new tree.
    pub changed: Vec<Pair<NodeId>>,
    /// Users whose rank changed, those that moved most first, then in the order of the new tree.
    pub(crate) moves: Vec<RankMove>,
    /// Changed settings that the policy reads.
    pub settings: Vec<SettingChange>,
}

impl Changes {
    /// Compares two trees whose nodes are matched.
    fn between(before: &Side, after: &Side, matching: &Matching) -> Self {
        let keys = after.policy.setting_keys().iter().copied();
        let mut settings = changed_settings(keys, &before.settings, &after.settings);
        // An assumed value is no difference: the source does not state it.
        let assumed = FairShare::Assumed.text();
        settings.retain(|setting| setting.before != assumed && setting.after != assumed);
        let mut changes = Self {
            settings,
            ..Self::default()
        };
        let old = &before.tree;
        let new = &after.tree;
        for &node in new.nodes() {
            if new.is_others(node) {
                continue;
            }
            let Some(was) = matching.before(node) else {
                changes.added.push(node);
                continue;
            };
            let pair = Pair {
                before: was,
                after: node,
            };
            if has_moved(old, new, matching, pair) {
                changes.moved.push(pair);
            }
            if old.shares(was) != new.shares(node)
                || old.usage(was) != new.usage(node)
                || old.name(was) != new.name(node)
            {
                changes.changed.push(pair);
            }
            if new.kind(node) == Kind::User
                && let Some(before) = before.evaluation.rank(was)
                && let Some(after) = after.evaluation.rank(node)
                && before != after
            {
                let ranks = Pair { before, after };
                changes.moves.push(RankMove { nodes: pair, ranks });
            }
        }
        for &node in old.nodes() {
            if matching.after(node).is_none() && !old.is_others(node) {
                changes.removed.push(node);
            }
        }
        changes
            .moves
            .sort_by_key(|user| Reverse(user.places().unsigned_abs()));
        changes
    }

    /// Returns whether nothing differs.
    pub(crate) fn is_empty(&self) -> bool {
        self.added.is_empty()
            && self.removed.is_empty()
            && self.moved.is_empty()
            && self.changed.is_empty()
            && self.moves.is_empty()
            && self.settings.is_empty()
    }

    /// Keeps the changes of nodes for which `is_kept` returns true, given the node in the old and in the new tree.
    fn retain(&mut self, is_kept: impl Fn(Option<NodeId>, Option<NodeId>) -> bool) {
        let is_pair_kept = |pair: &Pair<NodeId>| is_kept(Some(pair.before), Some(pair.after));
        self.added.retain(|&node| is_kept(None, Some(node)));
        self.removed.retain(|&node| is_kept(Some(node), None));
        self.moved.retain(is_pair_kept);
        self.changed.retain(is_pair_kept);
        self.moves.retain(|user| is_pair_kept(&user.nodes));
    }
}

/// Returns whether a node of both trees is in another account.
fn has_moved(old: &Tree, new: &Tree, matching: &Matching, pair: Pair<NodeId>) -> bool {
    match (old.parent(pair.before), new.parent(pair.after)) {
        (Some(was), Some(is)) => matching.after(was) != Some(is),
        _ => false,
    }
}

/// Returns the settings whose values differ, in the order of the keys.
pub(crate) fn changed_settings(
    keys: impl Iterator<Item = &'static str>,
    before: &Settings,
    after: &Settings,
) -> Vec<SettingChange> {
    let mut changes = Vec::new();
    for key in keys {
        let change = SettingChange {
            key,
            before: before.get(key).unwrap_or_default(),
            after: after.get(key).unwrap_or_default(),
        };
        if change.before != change.after {
            changes.push(change);
        }
    }
    changes
}
