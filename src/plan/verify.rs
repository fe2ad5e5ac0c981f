//! Whether a later dump shows that a plan was carried out.

use super::changes::{Changes, SettingChange, State};
use super::refusals::path;
use super::{LeftOut, reached};
use crate::model::{Kind, NodeId, Shares, Snapshot, Tree, Usage, path_of, resolve};
use crate::scenario::Scenario;
use std::collections::BTreeSet;

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
    /// Whether the plan had left it out, so that nothing else was to be expected.
    pub is_left_out: bool,
    /// What was to change and what there is now, in a sentence.
    pub sentence: String,
}

impl Verdict {
    /// Whether the later dump is as the plan would have it.
    #[must_use]
    pub fn is_fine(&self) -> bool {
        self.is_left_out || self.standing == Standing::Applied
    }

    /// Its word in reports.
    #[must_use]
    pub fn name(&self) -> &'static str {
        if self.is_left_out {
            "left out of the plan"
        } else {
            self.standing.name()
        }
    }
}

/// Holds a later dump against a scenario, change by change; first what a plan could tell the scheduler, then what it
/// left out.
#[must_use]
pub fn verify(scenario: &Scenario, later: &Snapshot, left_out: &BTreeSet<LeftOut>) -> Vec<Verdict> {
    let (before, after) = (State::before(scenario), State::after(scenario));
    let reached = reached(scenario, left_out);
    let planned = State {
        tree: &reached,
        ..after
    };
    let inspection = |tree| Inspection {
        before: before.tree,
        after: tree,
        wanted: after.tree,
        later,
    };
    let is_planned = |part: LeftOut| !left_out.contains(&part);
    let mut verdicts =
        inspection(&reached).verdicts(&Changes::between(before, planned), &is_planned);
    if !left_out.is_empty() {
        let is_left_out = |part: LeftOut| left_out.contains(&part);
        let changes = Changes::between(before, after);
        let mut others = inspection(after.tree).verdicts(&changes, &is_left_out);
        for verdict in &mut others {
            // Somebody may have found another way.
            verdict.is_left_out = verdict.standing != Standing::Applied;
        }
        verdicts.append(&mut others);
    }
    verdicts
}

struct Inspection<'a> {
    before: &'a Tree,
    /// What is held against the later dump.
    after: &'a Tree,
    /// The tree with all that was wanted, for names that somebody may have given by hand.
    wanted: &'a Tree,
    later: &'a Snapshot,
}

/// The node of another tree that has the path which a node has in its own.
fn namesake(tree: &Tree, node: NodeId, other: &Tree) -> Option<NodeId> {
    let path = path_of(tree, node).filter(|path| !path.is_empty())?;
    let found = resolve(other, path.as_bytes()).ok()?;
    // A bare name would be found anywhere.
    (path_of(other, found)? == path).then_some(found)
}

fn verdict(standing: Standing, sentence: String) -> Verdict {
    Verdict {
        standing,
        is_left_out: false,
        sentence,
    }
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
    /// A verdict on each change that is asked for.
    fn verdicts(&self, changes: &Changes, is_asked: &dyn Fn(LeftOut) -> bool) -> Vec<Verdict> {
        let Changes {
            added,
            removed,
            moved,
            renamed,
            shares,
            usage,
            settings,
        } = changes;
        let asked = |part: fn(NodeId) -> LeftOut| move |node: &&NodeId| is_asked(part(**node));
        let of_place = asked(LeftOut::Place);
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
                && is_asked(LeftOut::Place(**node))
        };
        let renamed = renamed.iter().filter(asked(LeftOut::Name));
        let renamed = renamed.filter(|node| !is_told(node));
        verdicts.extend(renamed.map(|&node| self.placed(node)));
        let shares = shares.iter().filter(asked(LeftOut::Shares));
        verdicts.extend(shares.filter_map(|&node| self.shares(node)));
        let usage = usage.iter().filter(asked(LeftOut::Usage));
        verdicts.extend(usage.filter_map(|&node| self.usage(node)));
        verdicts.extend(
            removed
                .iter()
                .filter(&of_place)
                .filter_map(|&node| self.removed(node)),
        );
        let settings = settings
            .iter()
            .filter(|change| is_asked(LeftOut::Setting(change.key)));
        verdicts.extend(settings.map(|change| setting(change, self.later)));
        verdicts
    }

    /// The node of the later tree that has the path which a node has in one of ours.
    fn find(&self, tree: &Tree, node: NodeId) -> Option<NodeId> {
        namesake(tree, node, &self.later.tree)
    }

    /// The node where it was to be, else where it was.
    fn find_either(&self, node: NodeId) -> Option<NodeId> {
        self.find(self.after, node)
            .or_else(|| self.find(self.before, node))
            .or_else(|| self.find(self.wanted, node))
    }

    fn added(&self, node: NodeId) -> Verdict {
        let name = path(self.after, node);
        let wanted = self.after.shares(node);
        match self.find(self.after, node) {
            None => verdict(
                Standing::Before,
                format!("{name} was to be added and is not there"),
            ),
            Some(found) if self.later.tree.shares(found) == wanted => verdict(
                Standing::Applied,
                format!("{name} is there, with {}", counted(wanted)),
            ),
            Some(found) => verdict(
                Standing::Other,
                format!(
                    "{name} is there, but with {} in place of {}",
                    counted(self.later.tree.shares(found)),
                    counted(wanted)
                ),
            ),
        }
    }

    /// A node that was to go; nothing if another one was to take its place.
    fn removed(&self, node: NodeId) -> Option<Verdict> {
        if namesake(self.before, node, self.after).is_some() {
            return None;
        }
        let name = path(self.before, node);
        Some(match self.find(self.before, node) {
            None => verdict(Standing::Applied, format!("{name} is gone")),
            Some(_) => verdict(
                Standing::Before,
                format!("{name} was to be removed and is still there"),
            ),
        })
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
        let now = self.later.tree.shares(found);
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
            .map_or(Usage::NONE, |found| self.later.tree.usage(found));
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
