//! Two trees held against each other: what came, went, moved or changed, who runs earlier or later, and which of the
//! changes did that.
//!
//! Both are ranked by one policy, each with its own settings. What is compared may be two readings of a source, two
//! sources, a snapshot and its edits, or two scenarios.

mod attribution;
mod changes;
mod dilution;
mod matching;

pub use attribution::{Attribution, Cause, PlacesByCause};
pub use changes::{Changes, Pair, RankMove, SettingChange};
pub use dilution::{Dilution, TargetShift};
pub use matching::{Matching, counterparts};

use crate::model::{Kind, NodeId, Settings, Tree};
use crate::rules::policy::{Evaluation, Policy};
use crate::scenario::Scenario;

/// Up to how many users of the new tree the moves of all are attributed without being asked: each takes an evaluation.
pub const ALL_ATTRIBUTED: usize = 2_000;

/// How many of the largest moves are attributed in a larger tree unless something else was asked for.
pub const USUALLY_ATTRIBUTED: usize = 40;

/// One of the two trees, with its numbers. Its clones are cheap: they share every column.
#[derive(Clone, Debug)]
pub struct Side {
    policy: Policy,
    tree: Tree,
    settings: Settings,
    evaluation: Evaluation,
}

impl Side {
    /// The tree.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The settings it was evaluated under.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Its numbers.
    #[must_use]
    pub fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    /// The rule of its numbers.
    #[must_use]
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// A scenario with its edits under a policy.
    fn edited(scenario: &Scenario, policy: Policy) -> Self {
        let evaluation = if policy == scenario.policy() {
            scenario.evaluation().clone()
        } else {
            policy.evaluate(scenario.tree(), scenario.settings())
        };
        Self {
            policy,
            tree: scenario.tree().clone(),
            settings: scenario.settings().clone(),
            evaluation,
        }
    }

    /// The snapshot under a scenario, without its edits.
    fn untouched(scenario: &Scenario) -> Self {
        Self {
            policy: scenario.policy_before(),
            tree: scenario.base().tree.clone(),
            settings: scenario.base().settings.clone(),
            evaluation: scenario.baseline().clone(),
        }
    }
}

/// Two trees and what differs between them.
#[derive(Clone, Debug)]
pub struct Diff {
    policy: Policy,
    before: Side,
    after: Side,
    matching: Matching,
    /// The topmost nodes of what is compared, where that is not all.
    top: Option<Pair<Option<NodeId>>>,
    changes: Changes,
}

impl Diff {
    /// Compares two scenarios, edits included, under the policy of the second. Nodes of one and the same snapshot are
    /// matched by what they are, those of two snapshots by path.
    #[must_use]
    pub fn between(before: &Scenario, after: &Scenario) -> Self {
        let policy = after.policy();
        let matching = if std::ptr::eq(before.base(), after.base()) {
            Matching::by_id(before.tree(), after.tree(), after.base().tree.id_count())
        } else {
            Matching::by_path(before.tree(), after.tree())
        };
        Self::matched(
            policy,
            Side::edited(before, after.policy_under(before.settings())),
            Side::edited(after, policy),
            matching,
        )
    }

    /// Compares the snapshot under a scenario with what its edits made of it.
    #[must_use]
    pub fn of_edits(scenario: &Scenario) -> Self {
        let base = &scenario.base().tree;
        Self::matched(
            scenario.policy(),
            Side::untouched(scenario),
            Side::edited(scenario, scenario.policy()),
            Matching::by_id(base, scenario.tree(), base.id_count()),
        )
    }

    fn matched(policy: Policy, before: Side, after: Side, matching: Matching) -> Self {
        let changes = Changes::between(policy, &before, &after, &matching);
        Self {
            policy,
            before,
            after,
            matching,
            top: None,
            changes,
        }
    }

    /// The same, with only what lies below a node of the old or of the new tree, itself included. Ranks stay those
    /// among all users.
    #[must_use]
    pub fn below(mut self, top: Pair<Option<NodeId>>) -> Self {
        self.top = Some(top);
        let mut changes = std::mem::take(&mut self.changes);
        changes.retain(|before, after| self.is_compared(before, after));
        self.changes = changes;
        self
    }

    /// Whether a node lies below the topmost ones, on one side at least.
    fn is_compared(&self, before: Option<NodeId>, after: Option<NodeId>) -> bool {
        let Some(top) = self.top else {
            return true;
        };
        let is_within = |side: &Side, node: Option<NodeId>, top: Option<NodeId>| match (node, top) {
            (Some(node), Some(top)) => side.tree.order().is_within(node, top),
            _ => false,
        };
        is_within(&self.before, before, top.before) || is_within(&self.after, after, top.after)
    }

    /// The rule both are ranked by.
    #[must_use]
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// The old tree.
    #[must_use]
    pub fn before(&self) -> &Side {
        &self.before
    }

    /// The new tree.
    #[must_use]
    pub fn after(&self) -> &Side {
        &self.after
    }

    /// Which node is which.
    #[must_use]
    pub fn matching(&self) -> &Matching {
        &self.matching
    }

    /// What came, went, moved and changed.
    #[must_use]
    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    /// The users whose rank differs, those that moved most first.
    #[must_use]
    pub fn moves(&self) -> &[RankMove] {
        &self.changes.moves
    }

    /// Whether nothing differs: nodes, shares, usage, the settings that the policy reads, ranks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Every node that is on both sides, in the order of the new tree.
    pub fn pairs(&self) -> impl Iterator<Item = Pair<NodeId>> {
        self.all_pairs()
            .filter(|pair| self.is_compared(Some(pair.before), Some(pair.after)))
    }

    /// The same, wherever they stand.
    fn all_pairs(&self) -> impl Iterator<Item = Pair<NodeId>> {
        let nodes = self.after.tree.nodes().iter();
        nodes.filter_map(|&after| {
            let before = self.matching.before(after)?;
            Some(Pair { before, after })
        })
    }

    /// How many users are on both sides and have a rank on both.
    #[must_use]
    pub fn ranked_user_count(&self) -> usize {
        let is_ranked = |pair: &Pair<NodeId>| {
            self.after.tree.kind(pair.after) == Kind::User
                && self.before.evaluation.rank(pair.before).is_some()
                && self.after.evaluation.rank(pair.after).is_some()
        };
        self.pairs().filter(is_ranked).count()
    }

    /// What became of the targets of nodes that nobody touched.
    #[must_use]
    pub fn dilution(&self) -> Dilution {
        Dilution::of(self)
    }

    /// How many of the moves are attributed: all in a tree of up to [`ALL_ATTRIBUTED`] users, else the number asked
    /// for or [`USUALLY_ATTRIBUTED`] of the largest.
    #[must_use]
    pub fn attributable(&self, asked: Option<usize>) -> usize {
        let moves = self.moves().len();
        if self.after.tree.user_count() <= ALL_ATTRIBUTED {
            moves
        } else {
            asked.unwrap_or(USUALLY_ATTRIBUTED).min(moves)
        }
    }

    /// Which changes moved the users of so many of the largest moves, in the order of [`Diff::moves`].
    #[must_use]
    pub fn attribute(&self, count: usize) -> Vec<PlacesByCause> {
        let moves = &self.moves()[..count.min(self.moves().len())];
        if moves.is_empty() {
            return Vec::new();
        }
        let mut attribution = Attribution::of(self);
        let moves = moves.iter();
        moves
            .filter_map(|user| attribution.because(user.nodes.after))
            .collect()
    }
}
