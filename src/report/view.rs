//! A tree under a policy, as reports see it, and its nodes by name.

use super::outline::ColumnNumbers;
use super::words::listed;
use crate::base::number::{Value, counted, grouped, word_for};
use crate::base::shown::{Shown, cells, name_cells, sentence, shown};
use crate::format::Problems;
use crate::model::{
    NodeId, PrintedNumbers, Recorded, Settings, ShareBounds, Shares, Source, Tree, path_for_people,
};
use crate::rules::policy::{Basis, ColumnId, Evaluation, Policy, RuleColumn};
use crate::scenario::{Entry, Scenario};
use crate::trust::verify::{Caveat, Fact, Verification};

/// Rules that have no rank for the same users.
struct Unranked {
    /// The rules.
    rules: Vec<Policy>,
    /// The users; there is at least one.
    users: Vec<NodeId>,
}

/// A tree under a policy, as reports see it.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The tree.
    pub(crate) tree: &'a Tree,
    /// The settings it was evaluated under.
    pub settings: &'a Settings,
    /// The policy.
    pub(crate) policy: Policy,
    /// The numbers under the policy.
    pub(crate) evaluation: &'a Evaluation,
    /// The scenario that is seen, which has the numbers of the other rules; `None` for a tree before its edits.
    pub(crate) scenario: Option<&'a Scenario>,
    /// Where the tree comes from.
    pub(crate) source: &'a Source,
    /// What was found wrong with the source.
    pub(crate) problems: &'a Problems,
    /// The numbers that the scheduler printed besides shares and usage.
    pub(crate) recorded: &'a Recorded,
    /// The numbers that are shown as printed until the first edit.
    pub(crate) printed: Option<&'a PrintedNumbers>,
    /// Why the ranks may differ from the scheduler's; `None` if they should not.
    pub(crate) caveat: Option<&'a Caveat>,
    /// How the computed numbers compare with the recorded ones; `None` if they were not compared.
    pub(crate) verification: Option<&'a Verification>,
    /// What was done, the oldest first.
    pub(crate) edits: &'a [Entry],
    /// Whether the tree is as it was read, so that recorded numbers apply to it.
    pub(crate) is_untouched: bool,
    /// The columns whose numbers are not shown, because they answer a question of a lesson.
    pub(crate) hidden: &'a [ColumnId],
}

impl<'a> View<'a> {
    /// Returns the view of a scenario with its edits.
    pub fn of(scenario: &'a Scenario, problems: &'a Problems) -> Self {
        Self {
            tree: scenario.tree(),
            settings: scenario.settings(),
            policy: scenario.policy(),
            evaluation: scenario.evaluation(),
            scenario: Some(scenario),
            source: &scenario.base().source,
            problems,
            recorded: &scenario.base().recorded,
            printed: scenario.base().printed.as_deref(),
            caveat: None,
            verification: None,
            edits: scenario.history().done(),
            is_untouched: scenario.history().is_untouched() && scenario.trial().is_none(),
            hidden: &[],
        }
    }

    /// Returns the view of the snapshot under a scenario, without its edits.
    pub(crate) fn before(scenario: &'a Scenario, problems: &'a Problems) -> Self {
        Self {
            tree: &scenario.base().tree,
            settings: &scenario.base().settings,
            policy: scenario.policy_before(),
            evaluation: scenario.baseline(),
            scenario: None,
            edits: &[],
            is_untouched: true,
            ..Self::of(scenario, problems)
        }
    }

    /// Returns the view with the verification of the recorded numbers.
    pub fn verified(self, verification: &'a Verification) -> Self {
        Self {
            caveat: verification.caveat_of(self.policy),
            verification: Some(verification),
            ..self
        }
    }

    /// Returns the view of the same tree under another policy, with its numbers.
    pub(crate) fn under(self, policy: Policy, evaluation: &'a Evaluation) -> Self {
        let mut view = self;
        view.policy = policy;
        view.evaluation = evaluation;
        view.caveat = None;
        if let Some(verification) = self.verification {
            view.caveat = verification.caveat_of(policy);
        }
        view
    }

    /// Whether numbers are shown as printed and none is computed: the source lists only some of the associations.
    pub(crate) fn shows_only_printed(&self) -> bool {
        self.basis().shows_only_printed(self.policy)
    }

    /// Returns what its numbers are made from.
    pub(crate) fn basis(&self) -> Basis<'a> {
        Basis {
            tree: self.tree,
            settings: self.settings,
            printed: self.printed,
        }
    }

    /// Returns the recorded factor if it determines the order better than the computed one, else `None`.
    pub(crate) fn better_recorded(&self) -> Option<Fact> {
        if !self.is_untouched {
            return None;
        }
        self.caveat?.recorded
    }

    /// Returns the policy's columns for people, with the factor of [`Self::better_recorded`] before the computed one.
    pub(crate) fn usual_columns(&self) -> Vec<ColumnId> {
        let mut columns = self.policy.usual_columns().to_vec();
        if let Some(fact) = self.better_recorded() {
            let mut place = 0;
            while place < columns.len() && columns[place] != ColumnId::Factor {
                place += 1;
            }
            columns.insert(place, ColumnId::Recorded(fact));
        }
        columns
    }

    /// Returns the number of a node in a column, the tree's own facts included.
    pub(crate) fn value(&self, column: ColumnId, node: NodeId) -> Value {
        self.rule_value(column.into(), node)
    }

    /// Returns the best rank that a user can have under the rule of a column, if there are users that are not listed.
    pub(crate) fn least_rank(&self, column: RuleColumn, node: NodeId) -> Option<u32> {
        self.evaluation_of(column)?.least_rank(node)
    }

    /// Returns the number of a node in a column of any rule.
    pub(crate) fn rule_value(&self, column: RuleColumn, node: NodeId) -> Value {
        let Some(evaluation) = self.evaluation_of(column) else {
            return Value::Null;
        };
        let numbers = ColumnNumbers {
            tree: self.tree,
            settings: self.settings,
            recorded: self.recorded,
            policy: column.rule.unwrap_or(self.policy),
            evaluation,
        };
        numbers.value(column.column, node)
    }

    /// Returns the numbers of the rule of a column, or `None` for another rule of a tree before its edits.
    pub(crate) fn evaluation_of(&self, column: RuleColumn) -> Option<&'a Evaluation> {
        match column.rule {
            Some(rule) => Some(self.scenario?.evaluation_under(rule)),
            None => Some(self.evaluation),
        }
    }

    /// Returns a sentence for the other rules among columns that have no rank for users whom the current rule ranks, and
    /// the reason where it is known: their cells are blank. Rules without the same users have one sentence.
    pub(crate) fn unranked_elsewhere(&self, columns: &[RuleColumn]) -> Vec<Shown> {
        let Some(scenario) = self.scenario else {
            return Vec::new();
        };
        scenario.compute_rules_of(columns.iter().copied());
        let mut rules = RuleColumn::rules(columns.iter().copied());
        rules.sort_by_key(|&rule| rule as usize);
        let mut all: Vec<Unranked> = Vec::new();
        for rule in rules {
            let users = self.unranked_by(scenario.evaluation_under(rule));
            if users.is_empty() {
                continue;
            }
            match all.iter_mut().find(|unranked| unranked.users == users) {
                Some(unranked) => unranked.rules.push(rule),
                None => all.push(Unranked {
                    rules: vec![rule],
                    users,
                }),
            }
        }
        let mut sentences = Vec::new();
        for unranked in &all {
            sentences.push(self.unranked(unranked));
        }
        sentences
    }

    /// Returns the users that have a rank here, and none in other numbers.
    fn unranked_by(&self, other: &Evaluation) -> Vec<NodeId> {
        let ranks = self.evaluation.ranks();
        let others = other.ranks();
        let mut users = Vec::new();
        for (position, &user) in self.tree.nodes().iter().enumerate() {
            if let Some(1..) = ranks.get(position)
                && others.get(position) == Some(&0)
            {
                users.push(user);
            }
        }
        users
    }

    /// Returns the sentence for rules that have no rank for the same users.
    fn unranked(&self, unranked: &Unranked) -> Shown {
        let rules = &unranked.rules;
        let users = &unranked.users;
        let mut rule_names = Vec::new();
        let mut are_foreign = true;
        for &rule in rules {
            rule_names.push(rule.name().into());
            // Slurm's `parent` is unknown to the other schedulers.
            are_foreign &= rule.is_of_pbs() || rule == Policy::Flux;
        }
        let names = listed(&rule_names);
        let first = self.label(users[0]);
        let count = counted(users.len(), "user", "users");
        if are_foreign && users.iter().all(|&user| self.has_parent_shares(user)) {
            let know = word_for(rules.len(), "knows", "know");
            return sentence!(
                "{names} {know} no parent shares: no rank for {count}, such as {first}"
            );
        }
        let have = word_for(rules.len(), "has", "have");
        sentence!("{names} {have} no rank for {count}, such as {first}")
    }

    /// Returns whether a node or an account above it has shares `parent`.
    fn has_parent_shares(&self, node: NodeId) -> bool {
        let tree = self.tree;
        let mut path = tree.upwards(node);
        path.any(|own| own != NodeId::ROOT && tree.shares(own).is_parent())
    }

    /// Returns the name of a node, for people.
    pub fn name(&self, node: NodeId) -> Shown {
        shown(self.tree.name(node))
    }

    /// Returns the name of a node as [`label`] does.
    pub(crate) fn label(&self, node: NodeId) -> Shown {
        label(self.tree, node)
    }

    /// Returns the path of a node, for people.
    pub(crate) fn path(&self, node: NodeId) -> Shown {
        path(self.tree, node)
    }
}

/// Returns the name of a node, for people, with its partition or ordinal if it has one: `alice@gpu`, `alice#2`.
pub(crate) fn label(tree: &Tree, node: NodeId) -> Shown {
    let mut label = Shown::default();
    put_label(&mut label, tree, node);
    label
}

/// Adds the name of a node as [`label`] returns it.
pub(super) fn put_label(text: &mut Shown, tree: &Tree, node: NodeId) {
    if tree.is_others(node) {
        *text += &others(tree, node);
        return;
    }
    text.push_name(tree.name(node));
    if let Some(partition) = tree.partition(node) {
        *text += &"@".into();
        text.push_name(partition);
    }
    if let Some(ordinal) = tree.ordinal(node) {
        *text += &sentence!("#{ordinal}");
    }
}

/// Returns what a level has and the source does not list: `(others: 31 shares)`, or `(others)` if nothing tells the shares.
fn others(tree: &Tree, node: NodeId) -> Shown {
    match tree.unlisted_shares(node) {
        None => "(others)".into(),
        Some(bounds) => {
            let shares = share_range(bounds);
            sentence!("(others: {shares})")
        }
    }
}

/// Returns a number of shares, or between which numbers it is.
pub(crate) fn share_range(bounds: ShareBounds) -> Shown {
    if bounds.least == bounds.most {
        return counted(bounds.least, "share", "shares");
    }
    let least = grouped(bounds.least);
    let most = grouped(bounds.most);
    sentence!("{least} to {most} shares")
}

/// Returns the cells that a node's label takes.
pub(crate) fn label_cells(tree: &Tree, node: NodeId) -> usize {
    if tree.is_others(node) {
        cells(&others(tree, node))
    } else if tree.partition(node).is_none() && tree.ordinal(node).is_none() {
        name_cells(tree.name(node))
    } else {
        cells(&label(tree, node))
    }
}

/// Returns shares for people: `1,000`, `parent`.
pub(crate) fn shares(shares: Shares) -> Shown {
    match shares.count() {
        Some(count) => grouped(count),
        None => "parent".into(),
    }
}

/// Returns shares with their word: `5 shares`, `parent shares`.
pub(crate) fn with_shares(count: Shares) -> Shown {
    let word = match count.count() {
        Some(1) => "share",
        _ => "shares",
    };
    let shares = shares(count);
    sentence!("{shares} {word}")
}

/// Returns the path of a node, for people; the root is shown by its name.
pub(crate) fn path(tree: &Tree, node: NodeId) -> Shown {
    if node == NodeId::ROOT {
        return shown(tree.name(node));
    }
    path_for_people(tree, node)
}
