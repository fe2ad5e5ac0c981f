//! Whether a later dump shows that a plan was carried out.

use super::changes::{Changes, SettingChange, State};
use super::refusals::path;
use crate::model::{Kind, NodeId, Shares, Snapshot, Tree, Usage, path_of, resolve};
use crate::scenario::Scenario;

/// How a change stands in the later dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// As planned.
    Applied,
    /// As it was before.
    Before,
    /// Neither.
    Other,
}

impl Standing {
    /// Its word in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Before => "still as before",
            Self::Other => "something else",
        }
    }
}

/// What became of one change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// How it stands.
    pub standing: Standing,
    /// What was to change and what there is now, in a sentence.
    pub sentence: String,
}

/// Holds a later dump against a scenario, change by change.
#[must_use]
pub fn verify(scenario: &Scenario, later: &Snapshot) -> Vec<Verdict> {
    let (before, after) = (State::before(scenario), State::after(scenario));
    let changes = Changes::between(before, after);
    let inspection = Inspection {
        before: before.tree,
        after: after.tree,
        later: &later.tree,
    };
    let of = &inspection;
    let added = changes.added.iter().map(|&node| of.added(node));
    let mut verdicts: Vec<Verdict> = added.collect();
    // A node that moved and got another name is told of once.
    let is_moved = |node: &&NodeId| before.tree.parent(**node) != after.tree.parent(**node);
    let renamed = changes.renamed.iter().filter(|node| !is_moved(node));
    verdicts.extend(
        changes
            .moved
            .iter()
            .chain(renamed)
            .map(|&node| of.placed(node)),
    );
    verdicts.extend(changes.shares.iter().filter_map(|&node| of.shares(node)));
    verdicts.extend(changes.usage.iter().filter_map(|&node| of.usage(node)));
    verdicts.extend(changes.removed.iter().map(|&node| of.removed(node)));
    verdicts.extend(changes.settings.iter().map(|change| setting(change, later)));
    verdicts
}

struct Inspection<'a> {
    before: &'a Tree,
    after: &'a Tree,
    later: &'a Tree,
}

fn verdict(standing: Standing, sentence: String) -> Verdict {
    Verdict { standing, sentence }
}

/// Which of two values a third one is.
fn standing<T: PartialEq>(now: &T, before: &T, after: &T) -> Standing {
    if now == after {
        Standing::Applied
    } else if now == before {
        Standing::Before
    } else {
        Standing::Other
    }
}

impl Inspection<'_> {
    /// The node of the later tree that has the path which a node has in one of ours.
    fn find(&self, tree: &Tree, node: NodeId) -> Option<NodeId> {
        let path = path_of(tree, node).filter(|path| !path.is_empty())?;
        let found = resolve(self.later, path.as_bytes()).ok()?;
        // A bare name would be found anywhere.
        (path_of(self.later, found)? == path).then_some(found)
    }

    /// The node where it was to be, else where it was.
    fn find_either(&self, node: NodeId) -> Option<NodeId> {
        self.find(self.after, node)
            .or_else(|| self.find(self.before, node))
    }

    fn added(&self, node: NodeId) -> Verdict {
        let name = path(self.after, node);
        let wanted = self.after.shares(node);
        match self.find(self.after, node) {
            None => verdict(
                Standing::Before,
                format!("{name} was to be added and is not there"),
            ),
            Some(found) if self.later.shares(found) == wanted => verdict(
                Standing::Applied,
                format!("{name} is there, with {}", counted(wanted)),
            ),
            Some(found) => verdict(
                Standing::Other,
                format!(
                    "{name} is there, but with {} in place of {}",
                    counted(self.later.shares(found)),
                    counted(wanted)
                ),
            ),
        }
    }

    fn removed(&self, node: NodeId) -> Verdict {
        let name = path(self.before, node);
        match self.find(self.before, node) {
            None => verdict(Standing::Applied, format!("{name} is gone")),
            Some(_) => verdict(
                Standing::Before,
                format!("{name} was to be removed and is still there"),
            ),
        }
    }

    /// A node that was to move or to get another name.
    fn placed(&self, node: NodeId) -> Verdict {
        let [old, new] = [self.before, self.after].map(|tree| path(tree, node));
        let there = [self.before, self.after].map(|tree| self.find(tree, node).is_some());
        match there {
            [false, true] => verdict(Standing::Applied, format!("{old} is now {new}")),
            [true, false] => verdict(
                Standing::Before,
                format!("{old} was to become {new} and is still there"),
            ),
            [true, true] => verdict(
                Standing::Other,
                format!("{old} was to become {new}, and both are there"),
            ),
            [false, false] => verdict(
                Standing::Other,
                format!("{old} was to become {new}, and neither is there"),
            ),
        }
    }

    fn shares(&self, node: NodeId) -> Option<Verdict> {
        let name = path(self.after, node);
        let (before, after) = (self.before.shares(node), self.after.shares(node));
        if Some(node) == self.after.unknown() {
            // They are a setting, which has a verdict of its own.
            return None;
        }
        let Some(found) = self.find_either(node) else {
            return Some(verdict(
                Standing::Other,
                format!("{name} was to get {} and is not there", counted(after)),
            ));
        };
        let now = self.later.shares(found);
        let standing = standing(&now, &before, &after);
        let sentence = match standing {
            Standing::Applied => format!("{name} has {}", counted(after)),
            Standing::Before => format!("{name} still has {}, not {after}", counted(before)),
            Standing::Other => format!(
                "{name} has {}, neither {after} nor {before} as before",
                counted(now)
            ),
        };
        Some(verdict(standing, sentence))
    }

    /// Usage goes on after a plan; only what an admin sets by itself is looked at.
    fn usage(&self, node: NodeId) -> Option<Verdict> {
        if self.after.kind(node) == Kind::Account {
            return None;
        }
        let name = path(self.after, node);
        let (before, after) = (self.before.usage(node), self.after.usage(node));
        let now = self
            .find_either(node)
            .map_or(Usage::NONE, |found| self.later.usage(found));
        let standing = standing(&now, &before, &after);
        let [before, after, now] = [before, after, now].map(|usage| {
            let amount = usage.amount();
            amount.map_or_else(
                || "no usage".to_owned(),
                |amount| format!("usage of {amount}"),
            )
        });
        let sentence = match standing {
            Standing::Applied => format!("{name} has {after}"),
            Standing::Before => format!("{name} still has {before}"),
            Standing::Other => format!(
                "{name} has {now}, neither {after} nor {before}; jobs may have used more since"
            ),
        };
        Some(verdict(standing, sentence))
    }
}

fn counted(shares: Shares) -> String {
    match shares.count() {
        Some(1) => "1 share".to_owned(),
        Some(count) => format!("{count} shares"),
        None => "parent shares".to_owned(),
    }
}

fn setting(change: &SettingChange, later: &Snapshot) -> Verdict {
    let SettingChange { key, before, after } = change;
    let now = later.settings.get(key).unwrap_or_default();
    let standing = standing(&now, before, after);
    let sentence = match standing {
        Standing::Applied => format!("{key} is {after}"),
        Standing::Before => format!("{key} is still {before}"),
        Standing::Other => format!("{key} is {now}, neither {after} nor {before}"),
    };
    verdict(standing, sentence)
}
