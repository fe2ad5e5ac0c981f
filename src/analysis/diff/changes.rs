//! Added, removed, moved and changed nodes, and changed ranks.

use super::{Matching, Side};
use crate::model::{FairShare, Kind, NodeId, Settings, Tree};

/// A value before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair<T> {
    /// In the old tree.
    pub before: T,
    /// In the new tree.
    pub after: T,
}

/// A user whose rank changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankMove {
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
    pub(super) fn between(before: &Side, after: &Side, matching: &Matching) -> Self {
        let keys = after.policy.setting_keys().iter().copied();
        let mut settings = changed_settings(keys, &before.settings, &after.settings);
        // An assumed value is no difference: the source does not state it.
        let assumed = FairShare::Assumed.text();
        settings.retain(|setting| setting.before != assumed && setting.after != assumed);
        let mut changes = Self {
            settings,
            ..Self::default()
        };
        let (old, new) = (&before.tree, &after.tree);
        for &node in new.nodes() {
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
            let ranks = (before.evaluation.rank(was), after.evaluation.rank(node));
            if let (Some(before), Some(after)) = ranks
                && before != after
                && new.kind(node) == Kind::User
            {
                let ranks = Pair { before, after };
                changes.moves.push(RankMove { nodes: pair, ranks });
            }
        }
        let is_gone = |node: &NodeId| matching.after(*node).is_none();
        changes.removed = old.nodes().iter().copied().filter(is_gone).collect();
        let by_size = |user: &RankMove| std::cmp::Reverse(user.places().unsigned_abs());
        changes.moves.sort_by_key(by_size);
        changes
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.added.is_empty()
            && self.removed.is_empty()
            && self.moved.is_empty()
            && self.changed.is_empty()
            && self.moves.is_empty()
            && self.settings.is_empty()
    }

    /// Keeps the changes of nodes for which `is_kept` returns true, given the node in the old and in the new tree.
    pub(super) fn retain(&mut self, is_kept: impl Fn(Option<NodeId>, Option<NodeId>) -> bool) {
        let is_pair_kept = |pair: &Pair<NodeId>| is_kept(Some(pair.before), Some(pair.after));
        self.added.retain(|&node| is_kept(None, Some(node)));
        self.removed.retain(|&node| is_kept(Some(node), None));
        self.moved.retain(is_pair_kept);
        self.changed.retain(is_pair_kept);
        self.moves.retain(|user| is_pair_kept(&user.nodes));
    }
}

pub(super) fn has_moved(old: &Tree, new: &Tree, matching: &Matching, pair: Pair<NodeId>) -> bool {
    match (old.parent(pair.before), new.parent(pair.after)) {
        (Some(was), Some(is)) => matching.after(was) != Some(is),
        _ => false,
    }
}

pub(in crate::analysis) fn changed_settings(
    keys: impl Iterator<Item = &'static str>,
    before: &Settings,
    after: &Settings,
) -> Vec<SettingChange> {
    let value = |settings: &Settings, key| settings.get(key).unwrap_or_default();
    let changes = keys.map(|key| SettingChange {
        key,
        before: value(before, key),
        after: value(after, key),
    });
    let is_changed = |change: &SettingChange| change.before != change.after;
    changes.filter(is_changed).collect()
}
