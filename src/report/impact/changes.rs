//! The net changes of the edits: an edit that a later one reverts is not counted.

use crate::base::number::{amount, counted, grouped, word_for};
use crate::base::shown::{Shown, sentence, shown};
use crate::model::{NodeId, Settings, Tree, duration_for_people};
use crate::report::{path, shares, with_shares};
use crate::scenario::{Edit, Scenario};
use std::collections::{BTreeMap, HashSet};

/// How many changes are named in a sentence; more are counted.
const NAMED: usize = 2;

/// The kind of a change.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "variants are what their names say")]
pub enum ChangeKind {
    Shares(NodeId),
    /// The recorded usage of a node.
    Usage(NodeId),
    Added(NodeId),
    Removed(NodeId),
    Moved(NodeId),
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

/// All changes from the snapshot, in the order of the edits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The differences.
    pub list: Vec<Change>,
}

impl Changes {
    pub(crate) fn of(scenario: &Scenario) -> Self {
        let mut seen = HashSet::new();
        let mut list = Vec::new();
        let mut take = |what: ChangeKind, entry| {
            if is_different(scenario, &what) && seen.insert(what.clone()) {
                list.push(Change { what, entry });
            }
        };
        let base = &scenario.base().tree;
        let mut added = base.id_count();
        for (place, entry) in scenario.history().edits().into_iter().enumerate() {
            each_change(&entry.edit, base, &mut added, &mut |what| {
                take(what, Some(place));
            });
            for part in entry.edit.parts() {
                if let Edit::SetSetting { key, .. } = part {
                    take(ChangeKind::Setting(key.clone()), Some(place));
                }
            }
        }
        if let Some(edit) = scenario.trial() {
            each_change(edit, base, &mut added, &mut |what| take(what, None));
        }
        Self { list }
    }

    /// Whether settings are among them: they touch no node and may change all.
    pub(crate) fn has_settings(&self) -> bool {
        let mut changes = self.list.iter();
        changes.any(|change| matches!(change.what, ChangeKind::Setting(_)))
    }

    /// Whether they can take a part of the shares from nodes that were not edited.
    pub(crate) fn can_dilute(&self) -> bool {
        let keeps = |what: &ChangeKind| matches!(what, ChangeKind::Usage(_) | ChangeKind::Time);
        self.list.iter().any(|change| !keeps(&change.what))
    }

    /// Returns the changes as the beginning of a sentence: by name where they are few, else counted.
    pub(crate) fn named(&self, scenario: &Scenario) -> Shown {
        let text = match &self.list[..] {
            [] if scenario.history().is_untouched() => "no edits".into(),
            [] => {
                let edits = scenario.history().edits().len();
                let leave = word_for(edits, "leaves", "leave");
                let edits = counted(edits, "edit", "edits");
                sentence!("{edits} that {leave} all as it was")
            }
            few if few.len() <= NAMED => {
                let doing = few.iter().map(|change| doing(scenario, &change.what));
                Shown::joined(doing, " and ")
            }
            many => {
                let mut kinds = BTreeMap::new();
                for change in many {
                    *kinds.entry(kind(scenario, &change.what)).or_insert(0) += 1;
                }
                let kinds = kinds.iter();
                let kinds = kinds.map(|((_, word), count)| sentence!("{} {word}", grouped(count)));
                let kinds = kinds.collect::<Vec<_>>().join(", ");
                // One edit may change many nodes; those that were made are counted as everywhere else.
                let edits = scenario.history().edits().len();
                let changes = if edits == many.len() {
                    Shown::default()
                } else {
                    sentence!(" with {}", counted(many.len(), "change", "changes"))
                };
                sentence!("{}{changes} ({kinds})", counted(edits, "edit", "edits"))
            }
        };
        let mut letters = text.chars();
        letters.next().map_or_else(Shown::default, |first| {
            Shown::again(first.to_uppercase().chain(letters).collect())
        })
    }
}

/// What a change is called where changes are counted, after its place in the sentence.
fn kind(scenario: &Scenario, what: &ChangeKind) -> (u8, &'static str) {
    match what {
        ChangeKind::Shares(node) => match is_raised(scenario, *node) {
            Some(true) => (0, "raised"),
            Some(false) => (1, "lowered"),
            None => (2, "to or from parent"),
        },
        ChangeKind::Usage(_) => (3, "given other usage"),
        ChangeKind::Added(_) => (4, "added"),
        ChangeKind::Removed(_) => (5, "removed"),
        ChangeKind::Moved(_) => (6, "moved"),
        ChangeKind::Renamed(_) => (7, "renamed"),
        ChangeKind::Setting(_) => (8, "set"),
        ChangeKind::Time => (9, "of waiting"),
    }
}

/// Whether shares went up or down; `None` where `parent` is on one side.
fn is_raised(scenario: &Scenario, node: NodeId) -> Option<bool> {
    let before = scenario.base().tree.shares(node).count()?;
    Some(scenario.tree().shares(node).count()? > before)
}

/// Calls `take` with everything that an edit can change. `added` is the index of the next node that an edit adds.
fn each_change(edit: &Edit, base: &Tree, added: &mut usize, take: &mut impl FnMut(ChangeKind)) {
    let settings = || Settings::keys().map(|key| ChangeKind::Setting(key.into()));
    match edit {
        Edit::Batch(parts) => {
            for part in parts {
                each_change(part, base, added, take);
            }
        }
        // To PBS, the shares of `unknown` are a setting.
        Edit::SetShares { node, .. } if Some(*node) == base.unknown() => settings().for_each(take),
        Edit::SetShares { node, .. } => take(ChangeKind::Shares(*node)),
        // Usage that follows from another change is not a change of its own.
        Edit::SetUsage { node, .. } => take(ChangeKind::Usage(*node)),
        Edit::SetSetting { .. } => settings().for_each(take),
        Edit::Add { .. } => {
            take(ChangeKind::Added(NodeId::from_index(*added)));
            *added += 1;
        }
        Edit::Remove { node } => take(ChangeKind::Removed(*node)),
        Edit::Move { node, .. } => take(ChangeKind::Moved(*node)),
        Edit::Rename { node, .. } => take(ChangeKind::Renamed(*node)),
        Edit::Wait { .. } | Edit::Pace(_) => take(ChangeKind::Time),
    }
}

fn is_different(scenario: &Scenario, what: &ChangeKind) -> bool {
    let (tree, base) = (scenario.tree(), &scenario.base().tree);
    let is_old = |node: NodeId| !scenario.is_new(node) && tree.contains(node);
    match *what {
        ChangeKind::Shares(node) => is_old(node) && scenario.has_new_shares(node),
        ChangeKind::Usage(node) => is_old(node) && base.shown_usage(node) != tree.shown_usage(node),
        ChangeKind::Added(node) => scenario.is_new(node) && tree.contains(node),
        ChangeKind::Removed(node) => !scenario.is_new(node) && !tree.contains(node),
        ChangeKind::Moved(node) => is_old(node) && tree.parent(node) != base.parent(node),
        ChangeKind::Renamed(node) => is_old(node) && tree.name(node) != base.name(node),
        ChangeKind::Setting(ref key) => {
            scenario.base().settings.get(key) != scenario.settings().get(key)
        }
        ChangeKind::Time => scenario.time_passed() > 0,
    }
}

/// Returns a change as an activity: `raising physics from 40 to 60`.
fn doing(scenario: &Scenario, what: &ChangeKind) -> Shown {
    let (_, name, [from, to]) = texts(scenario, what);
    match what {
        ChangeKind::Shares(node) => {
            let verb = match is_raised(scenario, *node) {
                Some(true) => "raising",
                Some(false) => "lowering",
                None => "changing the shares of",
            };
            sentence!("{verb} {name} from {from} to {to}")
        }
        ChangeKind::Usage(_) => sentence!("changing the usage of {name} from {from} to {to}"),
        ChangeKind::Added(_) => sentence!("adding {name} with {to}"),
        ChangeKind::Removed(node) => match removed_below(scenario, *node) {
            0 => sentence!("removing {name}"),
            below => {
                let below = counted(below, "node", "nodes");
                sentence!("removing {name} with {below} below it")
            }
        },
        ChangeKind::Moved(_) => sentence!("moving {name} from {from} to {to}"),
        ChangeKind::Renamed(_) => sentence!("renaming {name} to {to}"),
        ChangeKind::Setting(_) => sentence!("setting {name} from {from} to {to}"),
        ChangeKind::Time => sentence!("after {to}"),
    }
}

/// How many nodes of the snapshot went with a removed one: those below it that no edit had taken out or away before.
fn removed_below(scenario: &Scenario, node: NodeId) -> usize {
    let tree = scenario.tree();
    let mut count = 0;
    let mut waiting = vec![node];
    while let Some(node) = waiting.pop() {
        let first = waiting.len();
        // What was removed by itself is no living child, even of a removed node.
        waiting.extend(tree.children(node));
        let children = waiting[first..].iter();
        count += children.filter(|&&child| !scenario.is_new(child)).count();
    }
    count
}

/// Returns what differs, in a word; the path of the node that it is of, or what else; and how that was and is.
pub(crate) fn texts(scenario: &Scenario, what: &ChangeKind) -> (&'static str, Shown, [Shown; 2]) {
    let (tree, base) = (scenario.tree(), &scenario.base().tree);
    let (trees, nothing) = ([base, tree], Shown::default());
    match *what {
        ChangeKind::Shares(node) => {
            let sides = trees.map(|tree| shares(tree.shares(node)));
            ("shares", path(tree, node), sides)
        }
        ChangeKind::Usage(node) => {
            let usages = trees.map(|tree| tree.shown_usage(node));
            let sides = usages.map(|usage| usage.map_or_else(|| "none".into(), amount));
            ("usage", path(tree, node), sides)
        }
        ChangeKind::Added(node) => {
            let sides = [nothing, with_shares(tree.shares(node))];
            ("added", path(tree, node), sides)
        }
        ChangeKind::Removed(node) => {
            let sides = [with_shares(base.shares(node)), nothing];
            ("removed", path(base, node), sides)
        }
        ChangeKind::Moved(node) => {
            let above = |tree: &Tree| place(tree, tree.parent(node).unwrap_or(NodeId::ROOT));
            ("moved", path(base, node), trees.map(above))
        }
        ChangeKind::Renamed(node) => {
            let names = trees.map(|tree| shown(tree.name(node)));
            ("renamed", path(base, node), names)
        }
        ChangeKind::Setting(ref key) => {
            let settings = [&scenario.base().settings, scenario.settings()];
            let values = settings.map(|settings| {
                let value = settings.get(key).filter(|value| !value.is_empty());
                value.map_or_else(|| "none".into(), |value| shown(value.as_bytes()))
            });
            ("setting", shown(key.as_bytes()), values)
        }
        ChangeKind::Time => {
            let sides = [nothing, duration_for_people(scenario.time_passed())];
            ("time", "the clock".into(), sides)
        }
    }
}

pub(crate) fn place(tree: &Tree, level: NodeId) -> Shown {
    if level == NodeId::ROOT {
        "the top".into()
    } else {
        path(tree, level)
    }
}
