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
    let (before, wanted) = (&scenario.base().tree, scenario.tree());
    let planned = planned_tree(scenario, omissions);
    let is_dump = |snapshot: &Snapshot| snapshot.source.format == Format::SacctmgrDump;
    let reads_escapes = is_dump(scenario.base()) != is_dump(later);
    let alike = reads_escapes.then_some(is_same_unescaped as Alike);
    let [if_before, if_planned, if_wanted] =
        [before, &planned, wanted].map(|tree| Matching::of_paths(tree, &later.tree, alike));
    let inspection = |after, if_after| {
        let mut if_along = Matching::clone(if_after);
        if_along.match_families(before, &later.tree, alike);
        let is_stated = |&node: &NodeId| later.tree.usage(node).amount().is_some();
        Inspection {
            before,
            after,
            later,
            knows_usage: later.tree.nodes().iter().any(is_stated),
            if_before: &if_before,
            if_after,
            if_along,
            if_wanted: &if_wanted,
            paths: Matching::of_paths(before, after, None),
        }
    };
    let is_planned = |part: Omission| !omissions.contains(&part);
    let changes = NetChanges::up_to(scenario, &planned);
    let mut verdicts = inspection(&planned, &if_planned).verdicts(&changes, &is_planned);
    if !omissions.is_empty() {
        let is_left_out = |part: Omission| omissions.contains(&part);
        let changes = NetChanges::of(scenario);
        let mut others = inspection(wanted, &if_wanted).verdicts(&changes, &is_left_out);
        for verdict in &mut others {
            // Somebody may have made the change in another way.
            verdict.is_left_out = verdict.standing != ChangeStatus::Applied;
        }
        verdicts.append(&mut others);
    }
    verdicts
}

/// Returns whether a name is another one with two backslashes for one, as a dump has it.
fn is_same_unescaped(name: &[u8], other: &[u8]) -> bool {
    name.contains(&b'\\') && (unescaped(other) == name || other == unescaped(name))
}

/// The comparison of one set of changes with the later dump.
struct Inspection<'a> {
    before: &'a Tree,
    after: &'a Tree,
    later: &'a Snapshot,
    knows_usage: bool,
    /// The nodes of the later dump at the paths of the tree before, the expected tree, and the scenario as a whole.
    if_before: &'a Matching,
    if_after: &'a Matching,
    if_wanted: &'a Matching,
    /// Those at the paths of the expected tree, and of removed nodes those that moved along with their account.
    if_along: Matching,
    /// The nodes of the tree before and of the expected tree that have the same path.
    paths: Matching,
}

fn verdict(standing: ChangeStatus, finding: Finding) -> ChangeVerdict {
    ChangeVerdict {
        standing,
        is_left_out: false,
        finding,
    }
}

impl Inspection<'_> {
    fn verdicts(&self, net: &NetChanges, asks: &dyn Fn(Omission) -> bool) -> Vec<ChangeVerdict> {
        let asked = |part: fn(NodeId) -> Omission| move |node: &&NodeId| asks(part(**node));
        let of_place = asked(Omission::Place);
        let mut verdicts = Vec::new();
        let added = net.added.iter().filter(&of_place);
        verdicts.extend(added.map(|&node| self.added(node)));
        let moved = || net.moved.iter().filter(&of_place);
        verdicts.extend(moved().map(|&node| self.placed(node)));
        // A node that moved and was renamed gets one verdict.
        let is_told = |node: &&NodeId| {
            self.before.parent(**node) != self.after.parent(**node) && asks(Omission::Place(**node))
        };
        let renamed = net.renamed.iter().filter(asked(Omission::Name));
        let renamed = renamed.filter(|node| !is_told(node));
        verdicts.extend(renamed.map(|&node| self.placed(node)));
        let shares = net.shares.iter().filter(asked(Omission::Shares));
        verdicts.extend(shares.filter_map(|&node| self.shares(node)));
        verdicts.extend(moved().filter_map(|&node| self.shares_of_moved(node)));
        let usage = net.usage.iter().filter(asked(Omission::Usage));
        verdicts.extend(usage.filter_map(|&node| self.usage(node)));
        for &node in net.removed.iter().filter(&of_place) {
            self.removed(node, &mut verdicts);
        }
        let settings = net.settings.iter();
        let settings = settings.filter(|change| asks(Omission::Setting(change.key)));
        verdicts.extend(settings.map(|change| setting(change.clone(), self.later)));
        verdicts
    }

    /// Returns the status of a move. If another node takes the old path or had the new one, shares decide.
    fn place(&self, node: NodeId) -> ChangeStatus {
        let is_other = |other: &NodeId| *other != node;
        let successor = self.paths.after(node).filter(is_other);
        let predecessor = self.paths.before(node).filter(is_other);
        let there = [self.if_before, self.if_after].map(|matching| matching.after(node));
        match (there, successor, predecessor) {
            ([_, Some(found)], Some(_), Some(predecessor)) => {
                let shares = Observed {
                    before: self.before.shares(predecessor),
                    after: self.after.shares(node),
                    now: Some(self.later.tree.shares(found)),
                };
                shares.standing(ChangeStatus::Other)
            }
            ([_, Some(_)], Some(_), None) | ([None, Some(_)], None, _) => ChangeStatus::Applied,
            ([Some(_), None], ..) | ([Some(_), Some(_)], None, Some(_)) => ChangeStatus::Before,
            ([Some(_), Some(_)], None, None) | ([None, None], ..) => ChangeStatus::Other,
        }
    }

    /// Returns the node in the later dump: at its planned path, otherwise at its old one. `None` if it is at neither.
    fn find(&self, node: NodeId) -> Option<NodeId> {
        let matchings = [self.if_after, self.if_before, self.if_wanted];
        let is_as_before = self.place(node) == ChangeStatus::Before;
        let mut matchings = matchings.iter().skip(usize::from(is_as_before));
        matchings.find_map(|matching| matching.after(node))
    }

    fn added(&self, node: NodeId) -> ChangeVerdict {
        let (name, wanted) = (path(self.after, node), self.after.shares(node));
        let found = self.if_after.after(node);
        let now = found.map(|found| self.later.tree.shares(found));
        let before = self.paths.before(node).map(|node| self.before.shares(node));
        let standing = if now == Some(wanted) {
            ChangeStatus::Applied
        } else if now.is_none() || before == now {
            ChangeStatus::Before
        } else {
            ChangeStatus::Other
        };
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
        let account = self.before.parent(node);
        let is_along = account.is_some_and(|account| self.if_after.after(account).is_some())
            && self.if_along.after(node).is_some();
        is_along || self.if_before.after(node).is_some()
    }

    fn placed(&self, node: NodeId) -> ChangeVerdict {
        let [old, new] = [self.before, self.after].map(|tree| path(tree, node));
        let is_in_both =
            self.if_after.after(node).is_some() && self.if_before.after(node).is_some();
        let finding = Finding::Placed {
            old,
            new,
            is_in_both,
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
            now: self.find(node).map(|found| self.later.tree.shares(found)),
        };
        let standing = shares.standing(ChangeStatus::Other);
        let finding = Finding::Shares(path(self.after, node), shares);
        Some(verdict(standing, finding))
    }

    /// Returns the verdict on a moved user's shares, if they should be as before and are not.
    fn shares_of_moved(&self, node: NodeId) -> Option<ChangeVerdict> {
        let is_kept = self.before.shares(node) == self.after.shares(node);
        let is_moved = self.place(node) == ChangeStatus::Applied;
        let is_told = is_kept && is_moved && self.after.kind(node) == Kind::User;
        self.shares(node)
            .filter(|verdict| is_told && verdict.standing == ChangeStatus::Other)
    }

    /// Returns the verdict on changed usage. `None` unless an admin sets it directly, because usage keeps changing.
    fn usage(&self, node: NodeId) -> Option<ChangeVerdict> {
        // The usage of accounts and moved users follows from other changes.
        let is_moved = self.before.parent(node) != self.after.parent(node);
        if self.after.kind(node) == Kind::Account || is_moved {
            return None;
        }
        let now = || {
            let found = self.find(node);
            found.map_or(Usage::NONE, |found| self.later.tree.usage(found))
        };
        let usage = Observed {
            before: self.before.usage(node),
            after: self.after.usage(node),
            now: self.knows_usage.then(now),
        };
        let standing = usage.standing(ChangeStatus::Unknown);
        let finding = Finding::Usage(path(self.after, node), usage);
        Some(verdict(standing, finding))
    }
}

fn setting(change: SettingChange, later: &Snapshot) -> ChangeVerdict {
    let now = || later.settings.get(change.key).unwrap_or_default();
    let values = Observed {
        now: (!later.source.lacks_settings).then(now),
        before: change.before,
        after: change.after,
    };
    let standing = values.standing(ChangeStatus::Unknown);
    verdict(standing, Finding::Setting(change.key, values))
}
