//! Whether a later dump shows that a plan was applied.

use super::note::path;
use super::{NetChanges, Omission, planned_tree};
use crate::analysis::diff::{Alike, Matching, SettingChange};
use crate::base::shown::Shown;
use crate::format::slurm::dump::unescaped;
use crate::model::{Format, Kind, NodeId, Shares, Snapshot, Tree, Usage};
use crate::scenario::Scenario;
use std::collections::BTreeSet;

/// The status of a change in the later dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeStatus {
    /// The dump is as planned.
    Applied,
    /// The dump is as before the plan.
    Before,
    /// The dump is neither.
    Other,
    /// The dump contains no such data.
    Unknown,
}

/// The verdict on a change.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeVerdict {
    /// Its status.
    pub standing: ChangeStatus,
    /// Whether the plan omitted the change, so that it was not to be expected.
    pub(crate) is_left_out: bool,
    pub(crate) finding: Finding,
}

impl ChangeVerdict {
    /// Returns whether the later dump is as the plan makes it.
    pub fn is_fine(&self) -> bool {
        self.is_left_out || self.standing == ChangeStatus::Applied
    }
}

/// A planned change, and what the dump contains now: `None` without the node, any usage or any settings. Nodes are named
/// by their paths.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Finding {
    Added {
        name: Shown,
        wanted: Shares,
        now: Option<Shares>,
    },
    Removed {
        name: Shown,
    },
    /// A node should have moved or been renamed.
    Placed {
        old: Shown,
        new: Shown,
        is_in_both: bool,
    },
    Shares(Shown, Observed<Shares>),
    Usage(Shown, Observed<Usage>),
    /// The key of the setting and its values as text.
    Setting(&'static str, Observed<String>),
}

/// A value before the plan, as planned, and in the dump.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Observed<T> {
    pub(crate) before: T,
    pub(crate) after: T,
    pub(crate) now: Option<T>,
}

impl<T: PartialEq> Observed<T> {
    /// Returns the status of its change, which is `absent` without a value in the dump.
    fn standing(&self, absent: ChangeStatus) -> ChangeStatus {
        match &self.now {
            None => absent,
            Some(now) if *now == self.after => ChangeStatus::Applied,
            Some(now) if *now == self.before => ChangeStatus::Before,
            Some(_) => ChangeStatus::Other,
        }
    }
}

/// Compares a later dump with a scenario: first the planned changes, then those that the plan omitted.
pub fn verify(
    scenario: &Scenario,
    later: &Snapshot,
    omissions: &BTreeSet<Omission>,
) -> Vec<ChangeVerdict> {
    // A plan does not include the time that passes in a scenario, and the later dump has its own time.
    let timeless = scenario.without_time();
    let scenario = timeless.as_ref().unwrap_or(scenario);
    let before = &scenario.base().tree;
    let wanted = scenario.tree();
    let planned = planned_tree(scenario, omissions);
    let alike = alike(scenario.base(), later);
    let if_before = Matching::of_paths(before, &later.tree, alike);
    let if_planned = Matching::of_paths(&planned, &later.tree, alike);
    let if_wanted = Matching::of_paths(wanted, &later.tree, alike);
    let planned_changes = Inspection {
        before,
        after: &planned,
        later,
        knows_usage: knows_usage(&later.tree),
        omissions,
        is_of_omitted: false,
        if_before: &if_before,
        if_after: &if_planned,
        if_wanted: &if_wanted,
        if_along: with_families(&if_planned, before, &later.tree, alike),
        paths: Matching::of_paths(before, &planned, None),
    };
    let mut verdicts = planned_changes.verdicts(&NetChanges::up_to(scenario, &planned));
    if omissions.is_empty() {
        return verdicts;
    }
    let omitted_changes = Inspection {
        after: wanted,
        is_of_omitted: true,
        if_after: &if_wanted,
        if_along: with_families(&if_wanted, before, &later.tree, alike),
        paths: Matching::of_paths(before, wanted, None),
        ..planned_changes
    };
    for mut verdict in omitted_changes.verdicts(&NetChanges::of(scenario)) {
        // Somebody may have made the change in another way.
        verdict.is_left_out = verdict.standing != ChangeStatus::Applied;
        verdicts.push(verdict);
    }
    verdicts
}

/// Returns how names of two snapshots can differ and be the same: a dump of `sacctmgr` escapes backslashes. `None` if both
/// write names in the same way.
fn alike(base: &Snapshot, later: &Snapshot) -> Option<Alike> {
    let was_dump = base.source.format == Format::SacctmgrDump;
    let is_dump = later.source.format == Format::SacctmgrDump;
    if was_dump == is_dump {
        return None;
    }
    Some(is_same_unescaped)
}

/// Returns whether a name is another one with two backslashes for one, as a dump has it.
fn is_same_unescaped(name: &[u8], other: &[u8]) -> bool {
    name.contains(&b'\\') && (unescaped(other) == name || other == unescaped(name))
}

/// Returns whether a tree states any usage.
fn knows_usage(tree: &Tree) -> bool {
    let mut nodes = tree.nodes().iter();
    nodes.any(|&node| tree.usage(node).amount().is_some())
}

/// Returns a matching with removed nodes that moved along with their account.
fn with_families(
    matching: &Matching,
    before: &Tree,
    later: &Tree,
    alike: Option<Alike>,
) -> Matching {
    let mut families = matching.clone();
    families.match_families(before, later, alike);
    families
}

/// The comparison of one set of changes with the later dump.
struct Inspection<'a> {
    before: &'a Tree,
    after: &'a Tree,
    later: &'a Snapshot,
    knows_usage: bool,
    omissions: &'a BTreeSet<Omission>,
    /// Whether the changes are those that the plan omitted, and not those that it makes.
    is_of_omitted: bool,
    /// The nodes of the later dump at the paths of the tree before, the expected tree, and the scenario as a whole.
    if_before: &'a Matching,
    if_after: &'a Matching,
    if_wanted: &'a Matching,
    /// Those at the paths of the expected tree, and of removed nodes those that moved along with their account.
    if_along: Matching,
    /// The nodes of the tree before and of the expected tree that have the same path.
    paths: Matching,
}

/// Returns the verdict on a change that the plan makes.
fn verdict(standing: ChangeStatus, finding: Finding) -> ChangeVerdict {
    ChangeVerdict {
        standing,
        is_left_out: false,
        finding,
    }
}

impl Inspection<'_> {
    /// Returns the verdicts on the changes that are asked for.
    fn verdicts(&self, net: &NetChanges) -> Vec<ChangeVerdict> {
        let mut verdicts = Vec::new();
        for &node in &net.added {
            if self.asks(Omission::Place(node)) {
                verdicts.push(self.added(node));
            }
        }
        let mut moved = Vec::new();
        for &node in &net.moved {
            if self.asks(Omission::Place(node)) {
                moved.push(node);
                verdicts.push(self.placed(node));
            }
        }
        for &node in &net.renamed {
            // A node that moved and was renamed gets one verdict.
            let is_told = self.is_moved(node) && self.asks(Omission::Place(node));
            if self.asks(Omission::Name(node)) && !is_told {
                verdicts.push(self.placed(node));
            }
        }
        for &node in &net.shares {
            if self.asks(Omission::Shares(node)) {
                verdicts.extend(self.shares(node));
            }
        }
        for node in moved {
            verdicts.extend(self.shares_of_moved(node));
        }
        for &node in &net.usage {
            if self.asks(Omission::Usage(node)) {
                verdicts.extend(self.usage(node));
            }
        }
        for &node in &net.removed {
            if self.asks(Omission::Place(node)) {
                self.removed(node, &mut verdicts);
            }
        }
        for change in &net.settings {
            if self.asks(Omission::Setting(change.key)) {
                verdicts.push(self.setting(change));
            }
        }
        verdicts
    }

    /// Returns whether a part of a node is one of the changes.
    fn asks(&self, part: Omission) -> bool {
        self.omissions.contains(&part) == self.is_of_omitted
    }

    /// Returns whether a node should be in another account.
    fn is_moved(&self, node: NodeId) -> bool {
        self.before.parent(node) != self.after.parent(node)
    }

    /// Returns the status of a move. If another node takes the old path or had the new one, shares decide.
    fn place(&self, node: NodeId) -> ChangeStatus {
        let is_at_old_path = self.if_before.after(node).is_some();
        let Some(found) = self.if_after.after(node) else {
            return if is_at_old_path {
                ChangeStatus::Before
            } else {
                ChangeStatus::Other
            };
        };
        // The node that had the new path, and the one that takes the old path.
        let predecessor = self.paths.before(node).unwrap_or(node);
        let successor = self.paths.after(node).unwrap_or(node);
        if successor != node {
            if predecessor == node {
                return ChangeStatus::Applied;
            }
            let shares = Observed {
                before: self.before.shares(predecessor),
                after: self.after.shares(node),
                now: Some(self.later.tree.shares(found)),
            };
            return shares.standing(ChangeStatus::Other);
        }
        if !is_at_old_path {
            ChangeStatus::Applied
        } else if predecessor != node {
            ChangeStatus::Before
        } else {
            ChangeStatus::Other
        }
    }

    /// Returns the node in the later dump: at its planned path, otherwise at its old one. `None` if it is at neither.
    fn find(&self, node: NodeId) -> Option<NodeId> {
        let is_as_before = self.place(node) == ChangeStatus::Before;
        if !is_as_before && let Some(found) = self.if_after.after(node) {
            return Some(found);
        }
        if let Some(found) = self.if_before.after(node) {
            return Some(found);
        }
        self.if_wanted.after(node)
    }

    /// Returns the shares of a node in the later dump. `None` if it is not there.
    fn shares_now(&self, found: Option<NodeId>) -> Option<Shares> {
        Some(self.later.tree.shares(found?))
    }

    /// Returns the verdict on an added node.
    fn added(&self, node: NodeId) -> ChangeVerdict {
        let wanted = self.after.shares(node);
        let now = self.shares_now(self.if_after.after(node));
        let mut before = None;
        if let Some(old) = self.paths.before(node) {
            before = Some(self.before.shares(old));
        }
        let standing = if now == Some(wanted) {
            ChangeStatus::Applied
        } else if now.is_none() || before == now {
            ChangeStatus::Before
        } else {
            ChangeStatus::Other
        };
        let name = path(self.after, node);
        verdict(standing, Finding::Added { name, wanted, now })
    }

    /// Adds the verdicts on a removed node, or, if another node takes its path, on the nodes below it.
    fn removed(&self, node: NodeId, verdicts: &mut Vec<ChangeVerdict>) {
        let order = self.before.order();
        let mut next = order.span(node).start;
        while next < order.span(node).end {
            let node = self.before.nodes()[next];
            if self.paths.after(node).is_some() {
                next += 1;
                continue;
            }
            next = order.span(node).end;
            let name = path(self.before, node);
            let standing = if self.is_still_there(node) {
                ChangeStatus::Before
            } else {
                ChangeStatus::Applied
            };
            verdicts.push(verdict(standing, Finding::Removed { name }));
        }
    }

    /// Returns whether a removed node is still where it was, or moved along with its account.
    fn is_still_there(&self, node: NodeId) -> bool {
        if self.if_before.after(node).is_some() {
            return true;
        }
        let Some(account) = self.before.parent(node) else {
            return false;
        };
        let is_account_there = self.if_after.after(account).is_some();
        is_account_there && self.if_along.after(node).is_some()
    }

    /// Returns the verdict on a node with another path.
    fn placed(&self, node: NodeId) -> ChangeVerdict {
        let is_at_old_path = self.if_before.after(node).is_some();
        let is_at_new_path = self.if_after.after(node).is_some();
        let finding = Finding::Placed {
            old: path(self.before, node),
            new: path(self.after, node),
            is_in_both: is_at_old_path && is_at_new_path,
        };
        verdict(self.place(node), finding)
    }

    /// Returns the verdict on changed shares. `None` for those of PBS's `unknown`.
    fn shares(&self, node: NodeId) -> Option<ChangeVerdict> {
        if Some(node) == self.after.unknown() {
            // These shares are a setting, which has its own verdict.
            return None;
        }
        let shares = Observed {
            before: self.before.shares(node),
            after: self.after.shares(node),
            now: self.shares_now(self.find(node)),
        };
        let standing = shares.standing(ChangeStatus::Other);
        let finding = Finding::Shares(path(self.after, node), shares);
        Some(verdict(standing, finding))
    }

    /// Returns the verdict on a moved user's shares, if they should be as before and are not.
    fn shares_of_moved(&self, node: NodeId) -> Option<ChangeVerdict> {
        let is_kept = self.before.shares(node) == self.after.shares(node);
        let is_user = self.after.kind(node) == Kind::User;
        if !is_kept || !is_user || self.place(node) != ChangeStatus::Applied {
            return None;
        }
        let verdict = self.shares(node)?;
        if verdict.standing == ChangeStatus::Other {
            Some(verdict)
        } else {
            None
        }
    }

    /// Returns the verdict on changed usage. `None` unless an admin sets it directly, because usage keeps changing.
    fn usage(&self, node: NodeId) -> Option<ChangeVerdict> {
        // The usage of accounts and moved users follows from other changes.
        if self.after.kind(node) == Kind::Account || self.is_moved(node) {
            return None;
        }
        let usage = Observed {
            before: self.before.usage(node),
            after: self.after.usage(node),
            now: self.usage_now(node),
        };
        let standing = usage.standing(ChangeStatus::Unknown);
        let finding = Finding::Usage(path(self.after, node), usage);
        Some(verdict(standing, finding))
    }

    /// Returns the usage of a node in the later dump. `None` if that states no usage at all.
    fn usage_now(&self, node: NodeId) -> Option<Usage> {
        if !self.knows_usage {
            return None;
        }
        match self.find(node) {
            Some(found) => Some(self.later.tree.usage(found)),
            None => Some(Usage::NONE),
        }
    }

    /// Returns the verdict on a changed setting.
    fn setting(&self, change: &SettingChange) -> ChangeVerdict {
        let mut now = None;
        if !self.later.source.lacks_settings {
            let value = self.later.settings.get(change.key);
            now = Some(value.unwrap_or_default());
        }
        let values = Observed {
            before: change.before.clone(),
            after: change.after.clone(),
            now,
        };
        let standing = values.standing(ChangeStatus::Unknown);
        verdict(standing, Finding::Setting(change.key, values))
    }
}
