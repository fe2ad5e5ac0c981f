//! The net changes of the edits: an edit that a later one reverts is not counted.

use crate::model::{NodeId, Settings, Tree};
use crate::scenario::{Edit, Scenario};
use std::collections::HashSet;

/// The kind of a change.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// The shares of a node.
    Shares(NodeId),
    /// The recorded usage of a node.
    Usage(NodeId),
    /// A node that was not there.
    Added(NodeId),
    /// A node that is no longer there.
    Removed(NodeId),
    /// A node in another account.
    Moved(NodeId),
    /// A node with another name.
    Renamed(NodeId),
    /// A setting, by its key.
    Setting(String),
    /// The clock.
    Time,
}

impl ChangeKind {
    /// Returns the node, or `None` for what concerns all.
    pub(crate) const fn node(&self) -> Option<NodeId> {
        match *self {
            Self::Shares(node)
            | Self::Usage(node)
            | Self::Added(node)
            | Self::Removed(node)
            | Self::Moved(node)
            | Self::Renamed(node) => Some(node),
            Self::Setting(_) | Self::Time => None,
        }
    }
}

/// A change from the snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What differs.
    pub what: ChangeKind,
    /// The position of the edit in the history; `None` for one that is only being tried.
    pub(crate) entry: Option<usize>,
}

/// All changes from the snapshot, in the order of the edits. What a later edit reverts is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeList {
    /// The differences.
    pub list: Vec<Change>,
}

impl ChangeList {
    /// Returns what differs from the snapshot of a scenario.
    pub(crate) fn of(scenario: &Scenario) -> Self {
        let base = &scenario.base().tree;
        let mut search = ChangeSearch {
            base,
            next_added: base.id_count(),
            entry: None,
            found: Vec::new(),
        };
        for (place, entry) in scenario.history().edits().into_iter().enumerate() {
            search.entry = Some(place);
            search.add(&entry.edit);
            for part in entry.edit.parts() {
                if let Edit::SetSetting { key, .. } = part {
                    search.add_kind(ChangeKind::Setting(key.clone()));
                }
            }
        }
        if let Some(edit) = scenario.trial() {
            search.entry = None;
            search.add(edit);
        }
        let mut seen = HashSet::new();
        let mut list = Vec::new();
        for change in search.found {
            if is_different(scenario, &change.what) && seen.insert(change.what.clone()) {
                list.push(change);
            }
        }
        Self { list }
    }

    /// Returns whether settings are among them: they touch no node and may change all.
    pub(crate) fn has_settings(&self) -> bool {
        let mut changes = self.list.iter();
        changes.any(|change| matches!(change.what, ChangeKind::Setting(_)))
    }

    /// Returns whether they can take a part of the shares from nodes that were not edited.
    pub(crate) fn can_dilute(&self) -> bool {
        let mut changes = self.list.iter();
        changes.any(|change| !matches!(change.what, ChangeKind::Usage(_) | ChangeKind::Time))
    }
}

/// Collects everything that edits can change.
struct ChangeSearch<'a> {
    /// The snapshot.
    base: &'a Tree,
    /// The index of the next node that an edit adds.
    next_added: usize,
    /// The position in the history of the edit that is looked at; `None` for one that is only being tried.
    entry: Option<usize>,
    /// What the edits so far can change, repetitions included.
    found: Vec<Change>,
}

impl ChangeSearch<'_> {
    /// Adds a kind of change.
    fn add_kind(&mut self, what: ChangeKind) {
        let entry = self.entry;
        self.found.push(Change { what, entry });
    }

    /// Adds all settings, which may follow from one.
    fn add_settings(&mut self) {
        for key in Settings::keys() {
            self.add_kind(ChangeKind::Setting(key.into()));
        }
    }

    /// Adds everything that an edit can change.
    fn add(&mut self, edit: &Edit) {
        let what = match edit {
            Edit::Batch(parts) => {
                for part in parts {
                    self.add(part);
                }
                return;
            }
            // To PBS, the shares of `unknown` are a setting.
            Edit::SetShares { node, .. } if Some(*node) == self.base.unknown() => {
                self.add_settings();
                return;
            }
            Edit::SetSetting { .. } => {
                self.add_settings();
                return;
            }
            Edit::SetShares { node, .. } => ChangeKind::Shares(*node),
            // Usage that follows from another change is not a change of its own.
            Edit::SetUsage { node, .. } => ChangeKind::Usage(*node),
            Edit::Add { .. } => {
                let node = NodeId::from_index(self.next_added);
                self.next_added += 1;
                ChangeKind::Added(node)
            }
            Edit::Remove { node } => ChangeKind::Removed(*node),
            Edit::Move { node, .. } => ChangeKind::Moved(*node),
            Edit::Rename { node, .. } => ChangeKind::Renamed(*node),
            Edit::Wait { .. } | Edit::Pace(_) => ChangeKind::Time,
        };
        self.add_kind(what);
    }
}

/// Returns whether a change is one from the snapshot.
fn is_different(scenario: &Scenario, what: &ChangeKind) -> bool {
    let tree = scenario.tree();
    let base = &scenario.base().tree;
    match *what {
        ChangeKind::Shares(node) => is_kept(scenario, node) && scenario.has_new_shares(node),
        ChangeKind::Usage(node) => {
            is_kept(scenario, node) && base.shown_usage(node) != tree.shown_usage(node)
        }
        ChangeKind::Added(node) => scenario.is_new(node) && tree.contains(node),
        ChangeKind::Removed(node) => !scenario.is_new(node) && !tree.contains(node),
        ChangeKind::Moved(node) => {
            is_kept(scenario, node) && tree.parent(node) != base.parent(node)
        }
        ChangeKind::Renamed(node) => is_kept(scenario, node) && tree.name(node) != base.name(node),
        ChangeKind::Setting(ref key) => {
            scenario.base().settings.get(key) != scenario.settings().get(key)
        }
        ChangeKind::Time => scenario.time_passed() > 0,
    }
}

/// Returns whether a node is in the snapshot and in the edited tree.
fn is_kept(scenario: &Scenario, node: NodeId) -> bool {
    !scenario.is_new(node) && scenario.tree().contains(node)
}
