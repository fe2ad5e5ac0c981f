//! The net changes of the edits, in words.

use crate::analysis::impact::{ChangeKind, ChangeList};
use crate::base::number::{amount, counted, grouped, word_for};
use crate::base::shown::{Shown, sentence, shown};
use crate::model::{NodeId, Settings, Tree, duration_for_people};
use crate::report::{path, shares, with_shares};
use crate::scenario::Scenario;
use std::collections::BTreeMap;

/// How many changes are named in a sentence; more are counted.
const NAMED: usize = 2;

/// Returns the changes as the beginning of a sentence: by name where they are few, else counted.
pub(crate) fn named(scenario: &Scenario, changes: &ChangeList) -> Shown {
    let text = if changes.list.is_empty() {
        nothing_changed(scenario)
    } else if changes.list.len() <= NAMED {
        let mut activities = Vec::new();
        for change in &changes.list {
            activities.push(doing(scenario, &change.what));
        }
        Shown::joined(activities, " and ")
    } else {
        by_kind(scenario, changes)
    };
    let mut letters = text.chars();
    let Some(first) = letters.next() else {
        return Shown::default();
    };
    let upper = first.to_uppercase();
    Shown::again(upper.chain(letters).collect())
}

/// Returns how many changes of each kind there are.
fn by_kind(scenario: &Scenario, changes: &ChangeList) -> Shown {
    let mut kinds = BTreeMap::new();
    for change in &changes.list {
        *kinds.entry(kind(scenario, &change.what)).or_insert(0) += 1;
    }
    let mut counts = Vec::new();
    for ((_, word), count) in kinds {
        let number = grouped(count);
        counts.push(sentence!("{number} {word}"));
    }
    let kinds = counts.join(", ");
    let count = scenario.history().edits().len();
    let edits = counted(count, "edit", "edits");
    // One edit may change many nodes; those that were made are counted as everywhere else.
    if count == changes.list.len() {
        return sentence!("{edits} ({kinds})");
    }
    let changes = counted(changes.list.len(), "change", "changes");
    sentence!("{edits} with {changes} ({kinds})")
}

/// Returns that there are no edits, or that they change nothing.
fn nothing_changed(scenario: &Scenario) -> Shown {
    if scenario.history().is_untouched() {
        return "no edits".into();
    }
    let count = scenario.history().edits().len();
    let edits = counted(count, "edit", "edits");
    let leave = word_for(count, "leaves", "leave");
    sentence!("{edits} that {leave} all as it was")
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

/// Returns whether shares went up or down; `None` where `parent` is on one side.
fn is_raised(scenario: &Scenario, node: NodeId) -> Option<bool> {
    let base = &scenario.base().tree;
    let before = base.shares(node).count()?;
    let after = scenario.tree().shares(node).count()?;
    Some(after > before)
}

/// Returns a change as an activity: `raising physics from 40 to 60`.
fn doing(scenario: &Scenario, what: &ChangeKind) -> Shown {
    let ChangeTexts {
        name,
        before: from,
        after: to,
        ..
    } = texts(scenario, what);
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

/// Returns how many nodes of the snapshot went with a removed one: those below it that no edit had taken out or away before.
fn removed_below(scenario: &Scenario, node: NodeId) -> usize {
    let tree = scenario.tree();
    let mut count = 0;
    let mut waiting = vec![node];
    while let Some(node) = waiting.pop() {
        let first = waiting.len();
        // What was removed by itself is no living child, even of a removed node.
        waiting.extend(tree.children(node));
        for &child in &waiting[first..] {
            count += usize::from(!scenario.is_new(child));
        }
    }
    count
}

/// A change in words.
pub(crate) struct ChangeTexts {
    /// What differs, in a word.
    pub(crate) what: &'static str,
    /// The path of the node that it is of, or what else.
    pub(crate) name: Shown,
    /// How that was; empty for what was not there.
    pub(crate) before: Shown,
    /// How it is; empty for what is no longer there.
    pub(crate) after: Shown,
}

/// Returns a change in words.
pub(crate) fn texts(scenario: &Scenario, what: &ChangeKind) -> ChangeTexts {
    let tree = scenario.tree();
    let base = &scenario.base().tree;
    match *what {
        ChangeKind::Shares(node) => ChangeTexts {
            what: "shares",
            name: path(tree, node),
            before: shares(base.shares(node)),
            after: shares(tree.shares(node)),
        },
        ChangeKind::Usage(node) => ChangeTexts {
            what: "usage",
            name: path(tree, node),
            before: usage(base, node),
            after: usage(tree, node),
        },
        ChangeKind::Added(node) => ChangeTexts {
            what: "added",
            name: path(tree, node),
            before: Shown::default(),
            after: with_shares(tree.shares(node)),
        },
        ChangeKind::Removed(node) => ChangeTexts {
            what: "removed",
            name: path(base, node),
            before: with_shares(base.shares(node)),
            after: Shown::default(),
        },
        ChangeKind::Moved(node) => ChangeTexts {
            what: "moved",
            name: path(base, node),
            before: place_of(base, node),
            after: place_of(tree, node),
        },
        ChangeKind::Renamed(node) => ChangeTexts {
            what: "renamed",
            name: path(base, node),
            before: shown(base.name(node)),
            after: shown(tree.name(node)),
        },
        ChangeKind::Setting(ref key) => ChangeTexts {
            what: "setting",
            name: shown(key.as_bytes()),
            before: setting(&scenario.base().settings, key),
            after: setting(scenario.settings(), key),
        },
        ChangeKind::Time => ChangeTexts {
            what: "time",
            name: "the clock".into(),
            before: Shown::default(),
            after: duration_for_people(scenario.time_passed()),
        },
    }
}

/// Returns the usage of a node, as it is shown.
fn usage(tree: &Tree, node: NodeId) -> Shown {
    match tree.shown_usage(node) {
        Some(usage) => amount(usage),
        None => "none".into(),
    }
}

/// Returns the value of a setting.
fn setting(settings: &Settings, key: &str) -> Shown {
    match settings.get(key) {
        Some(value) if !value.is_empty() => shown(value.as_bytes()),
        _ => "none".into(),
    }
}

/// Returns the account that a node is in.
fn place_of(tree: &Tree, node: NodeId) -> Shown {
    place(tree, tree.parent(node).unwrap_or(NodeId::ROOT))
}

/// Returns an account as the place of its members: `the top` for the root.
pub(crate) fn place(tree: &Tree, level: NodeId) -> Shown {
    if level == NodeId::ROOT {
        return "the top".into();
    }
    path(tree, level)
}
