//! Whether a later dump shows that a plan was carried out.

mod lookup;

use super::changes::{EditState, NetChanges, SettingChange};
use super::statement::path;
use super::{Omission, planned_tree};
use crate::model::{Kind, NodeId, Shares, Snapshot, Tree, Usage};
use crate::scenario::Scenario;
use lookup::{ChildIndex, PathLookup};
use std::collections::BTreeSet;

/// How a change stands in the later dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeStatus {
    /// As planned.
    Applied,
    /// As it was before.
    Before,
    /// Neither.
    Other,
    /// The later dump holds nothing of the kind.
    Unknown,
}

/// What became of one change.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeVerdict {
    /// How it stands.
    pub standing: ChangeStatus,
    /// Whether the plan had left it out, so that nothing else was to be expected.
    pub is_left_out: bool,
    /// What was to change, and what there is now.
    pub finding: Finding,
}

impl ChangeVerdict {
    /// Whether the later dump is as the plan would have it.
    #[must_use]
    pub fn is_fine(&self) -> bool {
        self.is_left_out || self.standing == ChangeStatus::Applied
    }
}

/// A change, and what there is of it in the later dump. Nodes go by their paths, as they may be shown.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// A node was to be added.
    Added {
        /// The node.
        name: String,
        /// The shares it was to get.
        wanted: Shares,
        /// The shares it has; `None` where it is not there.
        now: Option<Shares>,
    },
    /// A node was to be removed.
    Removed {
        /// The node.
        name: String,
    },
    /// A node was to stand elsewhere or to get another name.
    Placed {
        /// Where it stood.
        old: String,
        /// Where it was to stand.
        new: String,
        /// Whether something stands in both places.
        is_in_both: bool,
    },
    /// A node was to get other shares.
    Shares {
        /// The node.
        name: String,
        /// Its shares before.
        before: Shares,
        /// The shares it was to get.
        after: Shares,
        /// The shares it has; `None` where it is not there.
        now: Option<Shares>,
    },
    /// A user was to get other usage.
    Usage {
        /// The user.
        name: String,
        /// Its usage before.
        before: Usage,
        /// The usage it was to get.
        after: Usage,
        /// The usage it has; `None` where the dump holds no usage.
        now: Option<Usage>,
    },
    /// A setting was to get another value.
    Setting {
        /// What was to change.
        change: SettingChange,
        /// The value it has; `None` where the dump says nothing about settings.
        now: Option<String>,
    },
}

/// Holds a later dump against a scenario, change by change; first what a plan could tell the scheduler, then what it
/// left out.
#[must_use]
pub fn verify(
    scenario: &Scenario,
    later: &Snapshot,
    omissions: &BTreeSet<Omission>,
) -> Vec<ChangeVerdict> {
    // A plan leaves out the time that passes in a scenario, and the later dump has a time of its own.
    let timeless = scenario.without_time();
    let scenario = timeless.as_ref().unwrap_or(scenario);
    let (before, after) = (EditState::before(scenario), EditState::after(scenario));
    let planned_tree = planned_tree(scenario, omissions);
    let planned = EditState {
        tree: &planned_tree,
        ..after
    };
    let there = ChildIndex::new(&later.tree);
    let places = [before.tree, after.tree, &planned_tree].map(ChildIndex::new);
    let [of_before, of_wanted, of_reached] = &places;
    let inspection = |places| Inspection::new(of_before, places, of_wanted, &there, later);
    let is_planned = |part: Omission| !omissions.contains(&part);
    let mut verdicts =
        inspection(of_reached).verdicts(&NetChanges::between(before, planned), &is_planned);
    if !omissions.is_empty() {
        let is_left_out = |part: Omission| omissions.contains(&part);
        let changes = NetChanges::between(before, after);
        let mut others = inspection(of_wanted).verdicts(&changes, &is_left_out);
        for verdict in &mut others {
            // Somebody may have found another way.
            verdict.is_left_out = verdict.standing != ChangeStatus::Applied;
        }
        verdicts.append(&mut others);
    }
    verdicts
}

struct Inspection<'a, 'p> {
    before: &'a Tree,
    /// What is held against the later dump.
    after: &'a Tree,
    after_places: &'p ChildIndex<'a>,
    later: &'a Snapshot,
    /// Whether the later dump holds any usage.
    knows_usage: bool,
    later_places: &'p ChildIndex<'a>,
    /// Where nodes stand in the later dump if they are as before, as planned, or as somebody may have made them by
    /// hand.
    if_before: PathLookup<'a, 'p>,
    if_after: PathLookup<'a, 'p>,
    if_wanted: PathLookup<'a, 'p>,
    /// Who takes the place that a node had.
    heir: PathLookup<'a, 'p>,
    /// Who had the place that a node takes.
    holder: PathLookup<'a, 'p>,
}

fn verdict(standing: ChangeStatus, finding: Finding) -> ChangeVerdict {
    ChangeVerdict {
        standing,
        is_left_out: false,
        finding,
    }
}

/// Which of two values a third one is.
fn standing<T: PartialEq>(now: &T, before: &T, after: &T) -> ChangeStatus {
    if now == after {
        ChangeStatus::Applied
    } else if now == before {
        ChangeStatus::Before
    } else {
        ChangeStatus::Other
    }
}

impl<'a, 'p> Inspection<'a, 'p> {
    fn new(
        before: &'p ChildIndex<'a>,
        after: &'p ChildIndex<'a>,
        wanted: &'p ChildIndex<'a>,
        there: &'p ChildIndex<'a>,
        later: &'a Snapshot,
    ) -> Self {
        let is_stated = |&node: &NodeId| later.tree.usage(node).amount().is_some();
        Self {
            before: before.tree,
            after: after.tree,
            after_places: after,
            later,
            knows_usage: later.tree.nodes().iter().any(is_stated),
            later_places: there,
            if_before: PathLookup::new(before.tree, there),
            if_after: PathLookup::new(after.tree, there),
            if_wanted: PathLookup::new(wanted.tree, there),
            heir: PathLookup::new(before.tree, after),
            holder: PathLookup::new(after.tree, before),
        }
    }

    /// A verdict on each change that is asked for.
    fn verdicts(
        &self,
        changes: &NetChanges,
        is_asked: &dyn Fn(Omission) -> bool,
    ) -> Vec<ChangeVerdict> {
        let NetChanges {
            added,
            removed,
            moved,
            renamed,
            shares,
            usage,
            settings,
        } = changes;
        let asked = |part: fn(NodeId) -> Omission| move |node: &&NodeId| is_asked(part(**node));
        let of_place = asked(Omission::Place);
        let mut verdicts = Vec::new();
        verdicts.extend(added.iter().filter(&of_place).map(|&node| self.added(node)));
        verdicts.extend(
            moved
                .iter()
                .filter(&of_place)
                .map(|&node| self.placed(node)),
        );
        // A node that moved and got another name is told of once.
        let is_told = |node: &&NodeId| {
            self.before.parent(**node) != self.after.parent(**node)
                && is_asked(Omission::Place(**node))
        };
        let renamed = renamed.iter().filter(asked(Omission::Name));
        let renamed = renamed.filter(|node| !is_told(node));
        verdicts.extend(renamed.map(|&node| self.placed(node)));
        let shares = shares.iter().filter(asked(Omission::Shares));
        verdicts.extend(shares.filter_map(|&node| self.shares(node)));
        let usage = usage.iter().filter(asked(Omission::Usage));
        verdicts.extend(usage.filter_map(|&node| self.usage(node)));
        for &node in removed.iter().filter(&of_place) {
            self.removed(node, &mut verdicts);
        }
        let settings = settings
            .iter()
            .filter(|change| is_asked(Omission::Setting(change.key)));
        verdicts.extend(settings.map(|change| setting(change, self.later)));
        verdicts
    }

    /// How the place of a node stands: where another one takes it or had it, that somebody is there tells nothing.
    fn place(&self, node: NodeId) -> ChangeStatus {
        let is_other = |other: &NodeId| *other != node;
        let heir = self.heir.find(node).filter(is_other);
        let holder = self.holder.find(node).filter(is_other);
        let there = [&self.if_before, &self.if_after].map(|road| road.find(node));
        match (there, heir, holder) {
            ([_, Some(found)], Some(_), Some(holder)) => standing(
                &self.later.tree.shares(found),
                &self.before.shares(holder),
                &self.after.shares(node),
            ),
            ([_, Some(_)], Some(_), None) | ([None, Some(_)], None, _) => ChangeStatus::Applied,
            ([Some(_), None], ..) | ([Some(_), Some(_)], None, Some(_)) => ChangeStatus::Before,
            ([Some(_), Some(_)], None, None) | ([None, None], ..) => ChangeStatus::Other,
        }
    }

    /// The node in the later dump: where it was to be, else where it was.
    fn find(&self, node: NodeId) -> Option<NodeId> {
        let roads = [&self.if_after, &self.if_before, &self.if_wanted];
        let is_as_before = self.place(node) == ChangeStatus::Before;
        let roads = roads.iter().skip(usize::from(is_as_before));
        roads.copied().find_map(|road| road.find(node))
    }

    fn added(&self, node: NodeId) -> ChangeVerdict {
        let name = path(self.after, node);
        let wanted = self.after.shares(node);
        let found = self.if_after.find(node);
        let now = found.map(|found| self.later.tree.shares(found));
        let before = self.holder.find(node).map(|node| self.before.shares(node));
        let standing = if now == Some(wanted) {
            ChangeStatus::Applied
        } else if now.is_none() || before == now {
            ChangeStatus::Before
        } else {
            ChangeStatus::Other
        };
        verdict(standing, Finding::Added { name, wanted, now })
    }

    /// A node that was to go. Where another one was to take its place, what was below it is looked at.
    fn removed(&self, node: NodeId, verdicts: &mut Vec<ChangeVerdict>) {
        let order = self.before.order();
        let mut next = order.span(node).start;
        while next < order.span(node).end {
            let node = self.before.nodes()[next];
            if self.heir.find(node).is_some() {
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

    /// Whether a node that was to go is where it was, or went along with its account.
    fn is_still_there(&self, node: NodeId) -> bool {
        let below = |places: &ChildIndex<'a>, account| places.child(account, self.before, node);
        let account = self
            .before
            .parent(node)
            .filter(|&account| self.after.contains(account));
        let is_along = account.is_some_and(|account| {
            let is_taken = below(self.after_places, account).is_some();
            let there = self.if_after.find(account).filter(|_| !is_taken);
            there.is_some_and(|there| below(self.later_places, there).is_some())
        });
        is_along || self.if_before.find(node).is_some()
    }

    /// A node that was to move or to get another name.
    fn placed(&self, node: NodeId) -> ChangeVerdict {
        let [old, new] = [self.before, self.after].map(|tree| path(tree, node));
        let is_in_both = self.if_after.find(node).is_some() && self.if_before.find(node).is_some();
        let finding = Finding::Placed {
            old,
            new,
            is_in_both,
        };
        verdict(self.place(node), finding)
    }

    fn shares(&self, node: NodeId) -> Option<ChangeVerdict> {
        let name = path(self.after, node);
        let (before, after) = (self.before.shares(node), self.after.shares(node));
        if Some(node) == self.after.unknown() {
            // They are a setting, which has a verdict of its own.
            return None;
        }
        let now = self.find(node).map(|found| self.later.tree.shares(found));
        let standing = now.map_or(ChangeStatus::Other, |now| standing(&now, &before, &after));
        let finding = Finding::Shares {
            name,
            before,
            after,
            now,
        };
        Some(verdict(standing, finding))
    }

    /// Usage goes on after a plan; only what an admin sets by itself is looked at.
    fn usage(&self, node: NodeId) -> Option<ChangeVerdict> {
        // What follows from a move is nothing that anybody sets.
        let is_moved = self.before.parent(node) != self.after.parent(node);
        if self.after.kind(node) == Kind::Account || is_moved {
            return None;
        }
        let name = path(self.after, node);
        let (before, after) = (self.before.usage(node), self.after.usage(node));
        let now = self.knows_usage.then(|| {
            let found = self.find(node);
            found.map_or(Usage::NONE, |found| self.later.tree.usage(found))
        });
        let standing = now.map_or(ChangeStatus::Unknown, |now| standing(&now, &before, &after));
        let finding = Finding::Usage {
            name,
            before,
            after,
            now,
        };
        Some(verdict(standing, finding))
    }
}

fn setting(change: &SettingChange, later: &Snapshot) -> ChangeVerdict {
    let now =
        (!later.source.lacks_settings).then(|| later.settings.get(change.key).unwrap_or_default());
    let standing = now.as_ref().map_or(ChangeStatus::Unknown, |now| {
        standing(now, &change.before, &change.after)
    });
    let change = change.clone();
    verdict(standing, Finding::Setting { change, now })
}
