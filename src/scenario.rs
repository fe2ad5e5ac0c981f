//! What if: a snapshot, the edits made on it, and the resulting numbers.
//!
//! The snapshot never changes. The scenario edits its own copy of the tree, which shares every column that no edit
//! touched. Undo returns to a state that was kept and makes the edits since then again, so it has no limit.

mod amount;
mod clock;
mod compared;
mod edit;
mod family;
mod history;
mod job;
mod language;
mod other_scenarios;
mod policy_choice;

pub use amount::{Amount, AmountError};
pub use edit::{Edit, EditError, PaceChange, check_wait};
pub(crate) use family::shared_out;
pub use family::{ShareHolders, level_sum, trade};
pub use history::{EditEntry, Entry, History, PolicyChange, RejectedEdit};
pub use job::{JobError, example_job, job_usage};
pub(crate) use language::Parsed;
pub use language::{
    LanguageError, is_worked_out, parse, parse_briefly, rate_line, shares_line, uneven_split, write,
};
pub use other_scenarios::{NameError, OtherScenarios};

use crate::model::{Listing, NodeId, Settings, Snapshot, TieOrder, Tree};
use crate::rules::policy::{
    Basis, Evaluation, EveryRule, Explanation, ExplanationCache, Policy, RuleColumn, Target,
};
use compared::ComparedScenario;
use edit::settle_usage;
use language::is_of_time;
pub(crate) use language::{NewNode, root_or, spelled_path};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

/// A snapshot with edits.
#[derive(Clone, Debug)]
pub struct Scenario {
    name: String,
    base: Arc<Snapshot>,
    state: EditedState,
    policy: Policy,
    /// Whether the policy is the scheduler's own, which depends on settings.
    is_following: bool,
    history: History,
    /// Edits that do not fit the tree and are kept without being applied.
    rejected: Vec<RejectedEdit>,
    baseline: OnceCell<Arc<Evaluation>>,
    /// The snapshot's numbers as computed, if it shows printed ones.
    computed: OnceCell<Arc<Evaluation>>,
    /// The edit that is only being tried.
    trial: Option<Trial>,
    /// The trial that ended last, until the next change.
    tried: Option<Trial>,
    compared: Option<ComparedScenario>,
    numbers: CurrentNumbers,
}

/// A tree and its settings with the edits up to a moment. Clones share every column of the tree.
#[derive(Clone, Debug)]
pub(crate) struct EditedState {
    tree: Tree,
    settings: Settings,
}

impl EditedState {
    fn of(base: &Snapshot) -> Self {
        Self {
            tree: base.tree_in_memory().into_owned(),
            settings: base.settings.clone(),
        }
    }

    /// Returns what the numbers of this state are made from.
    fn basis<'a>(&'a self, base: &'a Snapshot) -> Basis<'a> {
        Basis {
            tree: &self.tree,
            settings: &self.settings,
            printed: base.printed.as_deref(),
        }
    }

    /// Makes an edit. If it does not fit, nothing changes.
    fn make(&mut self, edit: &Edit, base: &Snapshot) -> Result<(), EditError> {
        let known = self.tree.id_count();
        edit.apply(&mut self.tree, &mut self.settings)?;
        settle_usage(edit, known, base, &mut self.tree, &self.settings);
        Ok(())
    }
}

/// An edit that is tried, and the other side of it: the state before it as long as it is on the screen, and the state
/// after it once it has ended.
#[derive(Clone, Debug)]
struct Trial {
    edit: Edit,
    state: EditedState,
    numbers: CurrentNumbers,
}

/// What was computed from the tree and the settings as they are, at most once until the next change.
#[derive(Clone, Debug, Default)]
struct CurrentNumbers {
    evaluation: OnceCell<Arc<Evaluation>>,
    /// Under the rules that are looked at beside the current one.
    rules: EveryRule,
    explanations: RefCell<ExplanationCache>,
    /// The largest portion among the children of each account that was drawn.
    largest: RefCell<HashMap<NodeId, f64>>,
}

impl Scenario {
    /// Returns a scenario without edits.
    pub fn new(base: Arc<Snapshot>, policy: Policy) -> Self {
        Self {
            name: String::new(),
            state: EditedState::of(&base),
            base,
            policy,
            is_following: false,
            history: History::default(),
            rejected: Vec::new(),
            baseline: OnceCell::new(),
            computed: OnceCell::new(),
            trial: None,
            tried: None,
            compared: None,
            numbers: CurrentNumbers::default(),
        }
    }

    /// Returns the name that distinguishes it from others on the same snapshot; empty if it has none.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sets the name.
    pub fn set_name(&mut self, name: impl Into<String>) {
        self.name = name.into();
    }

    /// Returns the untouched snapshot.
    pub fn base(&self) -> &Snapshot {
        &self.base
    }

    pub(crate) fn shared_base(&self) -> Arc<Snapshot> {
        Arc::clone(&self.base)
    }

    /// Returns the tree with all edits applied.
    pub fn tree(&self) -> &Tree {
        &self.state.tree
    }

    /// Returns the settings with all edits applied.
    pub fn settings(&self) -> &Settings {
        &self.state.settings
    }

    /// Returns what was done and undone.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Returns what the numbers of the edited tree are made from.
    pub fn basis(&self) -> Basis<'_> {
        self.state.basis(&self.base)
    }

    /// Returns the numbers of the edited tree, computed at most once per change.
    pub fn evaluation(&self) -> &Evaluation {
        self.current_evaluation()
    }

    /// Returns these numbers to be kept while the tree is changed.
    pub(crate) fn shared_evaluation(&self) -> Arc<Evaluation> {
        Arc::clone(self.current_evaluation())
    }

    fn current_evaluation(&self) -> &Arc<Evaluation> {
        self.numbers.evaluation.get_or_init(|| {
            if self.is_unchanged() {
                return Arc::clone(self.baseline());
            }
            Arc::new(self.policy.evaluate_as_printed(self.basis()))
        })
    }

    /// Returns the numbers of the edited tree under a rule, computed at most once per change.
    pub fn evaluation_under(&self, rule: Policy) -> &Evaluation {
        if rule == self.policy {
            return self.evaluation();
        }
        self.numbers.rules.under(rule, self.basis())
    }

    /// Computes the numbers of the rules of columns together, which takes less time than one by one.
    pub(crate) fn compute_rules_of(&self, columns: impl IntoIterator<Item = RuleColumn>) {
        let mut rules = RuleColumn::rules(columns);
        rules.retain(|&rule| rule != self.policy);
        let known = (self.policy, self.evaluation());
        let every_rule = &self.numbers.rules;
        every_rule.compute(&rules, known, self.basis());
    }

    /// Returns the numbers of the rule of a column.
    pub(crate) fn evaluation_of(&self, column: RuleColumn) -> &Evaluation {
        self.evaluation_under(column.rule.unwrap_or(self.policy))
    }

    /// Applies an edit and records how to undo it. An edit that does not fit the tree changes nothing.
    pub fn apply(&mut self, edit: Edit) -> Result<(), EditError> {
        self.apply_because(edit, String::new())
    }

    /// Applies an edit as [`Scenario::apply`] does, and records the reason. One without parts, as when a level is scaled to
    /// the sum that it has, is none.
    pub fn apply_because(&mut self, edit: Edit, reason: String) -> Result<(), EditError> {
        self.end_trial();
        if edit.parts().is_empty() {
            return Ok(());
        }
        let entry = self.entry(edit, reason);
        let tried = self.tried.take_if(|tried| tried.edit == entry.edit);
        if let Some(Trial { state, numbers, .. }) = tried {
            self.state = state;
            self.record(entry);
            self.numbers = numbers;
            return Ok(());
        }
        self.state.make(&entry.edit, &self.base)?;
        self.record(entry);
        Ok(())
    }

    /// Returns the entry of an edit that is about to be made.
    fn entry(&self, edit: Edit, reason: String) -> EditEntry {
        EditEntry {
            text: write(&edit, &self.state.tree),
            edit,
            reason,
            mark: 0,
            is_nudge: false,
            other_side: self.kept_state(),
            since_kept: 0,
            updates_association: false,
        }
    }

    /// Returns the present state if it is to be kept with the next edit.
    fn kept_state(&self) -> Option<Arc<EditedState>> {
        if !self.history.keeps_next(self.kept_after()) {
            return None;
        }
        let state = self.state.clone();
        Some(Arc::new(state))
    }

    fn kept_after(&self) -> usize {
        history::kept_after(self.state.tree.id_count())
    }

    fn record(&mut self, entry: EditEntry) {
        self.history.undone.clear();
        self.history.push_edit(entry);
        self.forget_numbers();
    }

    /// Applies an edit that changes shares by a step. Steps for the same nodes, one after the other, are one edit; none
    /// stays if they change nothing.
    pub(crate) fn nudge(&mut self, edit: Edit) -> Result<(), EditError> {
        self.end_trial();
        let before = self.tree_before_steps(&edit);
        let mut entry = self.entry(edit, String::new());
        self.state.make(&entry.edit, &self.base)?;
        let Some(before) = before else {
            entry.is_nudge = true;
            self.record(entry);
            return Ok(());
        };
        let is_taken_back = entry.edit.gives_shares_of(&before);
        if let Some(Entry::Edit(mut last)) = self.history.done.pop()
            && !is_taken_back
        {
            last.edit = entry.edit;
            last.text = entry.text;
            self.history.push_edit(last);
        }
        self.forget_numbers();
        Ok(())
    }

    /// Returns the tree before the steps of shares that an edit joins. `None` if it is the first of its steps.
    pub(crate) fn tree_before_steps(&self, edit: &Edit) -> Option<Tree> {
        let last = self.history.done.last()?.edit()?;
        let nodes = last.edit.nodes_given_shares();
        if !last.is_nudge || nodes != edit.nodes_given_shares() {
            return None;
        }
        let place = self.history.done.len() - 1;
        let before = self.state_before(place);
        Some(before.tree)
    }

    /// Makes the next step of shares an edit of its own.
    pub(crate) fn end_nudges(&mut self) {
        self.history.end_nudges();
    }

    /// Returns the seconds of simulated time.
    pub fn time_passed(&self) -> u64 {
        let base = self.base.settings.time.passed;
        self.state.settings.time.passed.saturating_sub(base)
    }

    /// Returns the scenario without edits of time and those that need them, or `None` if it has none of time.
    pub fn without_time(&self) -> Option<Self> {
        let done = self.history.edits();
        if !done.iter().any(|entry| has_time(&entry.text)) {
            return None;
        }
        let mut timeless = self.beside(None);
        timeless.name.clone_from(&self.name);
        for entry in done {
            let text = without_lines_of_time(&entry.text);
            let EditedState { tree, settings } = &timeless.state;
            if let Ok(edit) = parse(text.as_bytes(), tree, settings) {
                // An edit that fits after time has passed may not fit without.
                let _ = timeless.apply_because(edit, entry.reason.clone());
            }
        }
        Some(timeless)
    }

    /// Applies an edit as a trial, which the next edit, undo or [`Scenario::end_trial`] undoes, and which is not in the
    /// history. An earlier trial is undone even if the edit does not fit.
    pub fn try_out(&mut self, edit: Edit) -> Result<(), EditError> {
        self.end_trial();
        let before = self.state.clone();
        self.state.make(&edit, &self.base)?;
        self.trial = Some(Trial {
            edit,
            state: before,
            numbers: std::mem::take(&mut self.numbers),
        });
        self.forget_numbers();
        Ok(())
    }

    /// Undoes the current trial. Returns whether there was one.
    pub fn end_trial(&mut self) -> bool {
        let Some(mut trial) = self.trial.take() else {
            return false;
        };
        std::mem::swap(&mut self.state, &mut trial.state);
        std::mem::swap(&mut self.numbers, &mut trial.numbers);
        self.policy = self.policy_under(&self.state.settings);
        self.tried = Some(trial);
        true
    }

    /// Returns the tree without the current trial, if there is one.
    pub(crate) fn tree_before_trial(&self) -> &Tree {
        match &self.trial {
            Some(trial) => &trial.state.tree,
            None => self.tree(),
        }
    }

    pub(crate) fn trial(&self) -> Option<&Edit> {
        self.trial.as_ref().map(|trial| &trial.edit)
    }

    /// Forgets what was computed, because the tree or the settings have changed.
    fn forget_numbers(&mut self) {
        self.policy = self.policy_under(&self.state.settings);
        self.relist();
        self.numbers = CurrentNumbers::default();
        self.tried = None;
    }

    /// Lists tied accounts by name while an edit updates an association, as Slurm up to 23.02 does.
    fn relist(&mut self) {
        let slurm = &self.state.settings.slurm;
        let mut is_by_age = slurm.tie_order == TieOrder::Newest;
        let mut listing = None;
        if let Some(estimate) = &self.base.estimate
            && let Some(revealed) = &estimate.listing
        {
            is_by_age |= revealed.is_by_age();
            listing = Some(revealed.clone());
        }
        if is_by_age && self.updates_association() {
            listing = Some(Arc::new(Listing::Updated));
        }
        self.state.tree.set_listing(listing);
    }

    /// Returns whether an edit or the present trial updates an association.
    fn updates_association(&self) -> bool {
        if let Some(trial) = self.trial()
            && trial.updates_association()
        {
            return true;
        }
        match self.history.last_edit() {
            Some(last) => last.updates_association,
            None => false,
        }
    }

    /// Undoes the last edit or change of the policy. Returns it, or `None` if there is none.
    pub fn undo(&mut self) -> Option<&Entry> {
        self.end_trial();
        let last = self.history.done.len().checked_sub(1)?;
        match self.history.done[last] {
            Entry::Edit(_) => self.undo_edit(last),
            Entry::Policy(change) => {
                self.history.done.pop();
                self.history.undone.push(Entry::Policy(change));
                self.set_policy(change.from);
            }
        }
        self.history.end_nudges();
        self.history.undone.last()
    }

    /// Undoes the edit at this place, after which there is none.
    fn undo_edit(&mut self, place: usize) {
        let before = self.state_before(place);
        let after = std::mem::replace(&mut self.state, before);
        if let Entry::Edit(mut entry) = self.history.done.remove(place) {
            let takes_long = entry.takes_long(self.kept_after());
            entry.is_nudge = false;
            entry.other_side = None;
            if takes_long {
                entry.other_side = Some(Arc::new(after));
            }
            self.history.undone.push(Entry::Edit(entry));
        }
        self.forget_numbers();
    }

    /// Returns the state before the entry at a place: the last one that was kept, with the edits since then made again.
    fn state_before(&self, place: usize) -> EditedState {
        let (first, mut state) = match self.last_kept(place) {
            Some((first, kept)) => (first, kept.clone()),
            None => (0, EditedState::of(&self.base)),
        };
        for entry in &self.history.done[first..place] {
            if let Some(entry) = entry.edit() {
                let made = state.make(&entry.edit, &self.base);
                made.expect("the edit was made in this state before");
            }
        }
        state
    }

    /// Returns the last state that was kept with an entry up to a place, and the place of that entry.
    fn last_kept(&self, place: usize) -> Option<(usize, &EditedState)> {
        let done = &self.history.done[..=place];
        for (place, entry) in done.iter().enumerate().rev() {
            if let Some(entry) = entry.edit()
                && let Some(kept) = entry.other_side.as_deref()
            {
                return Some((place, kept));
            }
        }
        None
    }

    /// Redoes what was undone last. Returns it, or `None` if there is nothing.
    pub fn redo(&mut self) -> Option<&Entry> {
        self.end_trial();
        let mut entry = match self.history.undone.pop()? {
            Entry::Edit(entry) => entry,
            Entry::Policy(change) => {
                self.history.done.push(Entry::Policy(change));
                self.set_policy(change.to);
                return self.history.done.last();
            }
        };
        let before = self.kept_state();
        if let Some(after) = std::mem::replace(&mut entry.other_side, before) {
            self.state = Arc::unwrap_or_clone(after);
        } else {
            let made = self.state.make(&entry.edit, &self.base);
            made.expect("the edit was made in this state before");
        }
        self.history.push_edit(entry);
        self.forget_numbers();
        self.history.done.last()
    }

    /// Sets the reason of the last edit, replacing an earlier one.
    pub(crate) fn give_reason(&mut self, reason: &str) {
        if let Some(mut last) = self.history.last_edit().cloned() {
            reason.clone_into(&mut last.reason);
            last.is_nudge = false;
            self.history.replace_last_edit(last);
        }
    }

    /// Explains a node under the current policy.
    pub fn explain(&self, node: NodeId) -> Explanation {
        let mut explanations = self.numbers.explanations.borrow_mut();
        let EditedState { tree, settings } = &self.state;
        let evaluation = self.evaluation();
        let policy = self.policy;
        policy.explain(tree, settings, evaluation, &mut explanations, node)
    }

    /// Compares a node with its target. `None` for the root, nodes without numbers, and Slurm's `parent` shares.
    pub(crate) fn target(&self, node: NodeId) -> Option<Target> {
        let evaluation = self.evaluation();
        self.policy.target(self.tree(), evaluation, node)
    }

    /// Returns the target and the usage of a node, both relative to the target of its account. The two are equal if the
    /// node is on target. `None` if the policy has no numbers for the node.
    pub(crate) fn balance(&self, node: NodeId) -> Option<(f64, f64)> {
        let (target, used) = self.portions(node)?;
        if node == NodeId::ROOT {
            // The root has no siblings to share with.
            return Some((1.0, 1.0));
        }
        if self.policy.counts_by_level() {
            return Some((target, used));
        }
        let account = self.state.tree.parent(node)?;
        let (above, _) = self.portions(account)?;
        let are_finite = target.is_finite() && used.is_finite();
        if above > 0.0 && are_finite {
            return Some((target / above, used / above));
        }
        if used > 0.0 {
            // With a target of 0 % or less, any usage exceeds it.
            return Some((0.0, f64::INFINITY));
        }
        Some((0.0, 0.0))
    }

    /// Returns the target and the usage of a node as portions. `None` if the policy has no numbers for the node.
    fn portions(&self, node: NodeId) -> Option<(f64, f64)> {
        self.policy.portions(self.evaluation(), node)
    }

    /// Returns the largest target or usage among a node and its siblings, as [`Scenario::balance`] gives them. Numbers
    /// that are not finite do not count. At least the smallest positive number, so that it can divide.
    pub(crate) fn largest_of_level(&self, node: NodeId) -> f64 {
        let Some(above) = self.state.tree.parent(node) else {
            return 1.0;
        };
        if let Some(&largest) = self.numbers.largest.borrow().get(&above) {
            return largest;
        }
        let mut largest = f64::MIN_POSITIVE;
        for child in self.tree().children(above) {
            let Some((target, used)) = self.balance(child) else {
                continue;
            };
            for side in [target, used] {
                if side.is_finite() {
                    largest = largest.max(side);
                }
            }
        }
        self.numbers.largest.borrow_mut().insert(above, largest);
        largest
    }
}

/// Returns whether a line of an edit is about time.
fn has_time(text: &str) -> bool {
    text.lines().any(|line| is_of_time(line.as_bytes()))
}

/// Returns the text of an edit without its lines about time.
fn without_lines_of_time(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        if !is_of_time(line.as_bytes()) {
            lines.push(line);
        }
    }
    lines.join("\n")
}
