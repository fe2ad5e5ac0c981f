//! One open tree: its scenarios, where they come from, the file that holds them, and how they are seen.

use super::reading::hold_against_again;
use super::{
    LessonPlace, Lists, Moves, NodeSet, OpenLesson, Reading, Screen, ShownColumns, Time, Told,
};
use crate::base::fingerprint::Fingerprint;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::native::{Reference, not_read, write_scenarios};
use crate::format::{Example, Problems, Request, SavedScenario};
use crate::model::{NodeId, Settings, Snapshot, Tree, resolve};
use crate::open::opened::{Opened, TreeSource, saved};
use crate::report::lesson::WhyView;
use crate::report::outline::Search;
use crate::report::words::listed;
use crate::report::{self, label};
use crate::rules::policy::{Comparison, Policy};
use crate::scenario::{Edit, OtherScenarios, Scenario};
use crate::tui::job::Running;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// One open tree.
#[derive(Clone, Debug)]
pub struct Session {
    /// The scenario in front, with the snapshot.
    pub scenario: Scenario,
    /// The other scenarios on the snapshot.
    pub other_scenarios: OtherScenarios,
    /// Where the snapshot comes from.
    pub source: TreeSource,
    /// The users that moved by the last reading, if the source was read again.
    moves: Option<Moves>,
    /// Whether the last attempt to read it again failed.
    pub(crate) is_stale: bool,
    pub(crate) file: ScenarioFile,
    /// Counts changes of edits, and saves. What is only tried is no change.
    pub(crate) changes: u64,
    /// Counts changes of the tree and its settings on the screen.
    pub(crate) revision: u64,
    pub(crate) compared: PolicyComparison,
    pub(crate) pending: Pending,
    pub(crate) screen: Screen,
    pub(crate) lists: Lists,
    pub(crate) columns: ShownColumns,
    pub(crate) why: WhyView,
    pub(crate) why_offset: usize,
    pub(crate) search: Option<Search>,
    /// The marked nodes, which edits change together.
    pub(crate) marks: NodeSet,
    /// The nodes whose shares family edits do not change.
    pub(crate) locks: NodeSet,
    pub(crate) time: Time,
    /// The lesson that is played on the tree, or was left.
    pub(crate) lesson: Option<OpenLesson>,
    /// What the last edit did. `None` once anything else changed the scenario.
    pub(crate) told: Option<Told>,
}

/// The ranks of the users under all policies, as far as they are known.
#[derive(Clone, Debug, Default)]
pub(crate) struct PolicyComparison {
    pub(crate) comparison: Option<Box<Comparison>>,
    pub(crate) revision: u64,
    /// The job that compares, and the revision of its tree.
    pub(crate) asked: Running<u64>,
}

/// What a change affects, from the least to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scope {
    /// The current policy: what is known of all policies stays true.
    Policy,
    /// Single nodes: only numbers near them are computed again.
    Nodes,
    /// A setting, and with it every number.
    Settings,
}

impl Scope {
    /// Returns what an edit affects.
    pub(crate) const fn by(edit: &Edit) -> Self {
        match edit {
            Edit::SetSetting { .. } | Edit::Wait { .. } | Edit::Pace(_) => Self::Settings,
            _ => Self::Nodes,
        }
    }
}

/// A change whose numbers are not on the screen yet.
#[derive(Clone, Debug)]
pub(crate) struct PendingChange {
    pub(crate) scenario: Scenario,
    pub(crate) scope: Scope,
    /// Whether the job that runs computes this very state.
    pub(crate) is_asked: bool,
}

/// The change to be shown and its job: one at a time, because a held key would start a thread with each repeat.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pending {
    pub(crate) changed: Option<PendingChange>,
    pub(crate) asked: Running<()>,
}

impl Session {
    /// Returns the session of a tree that was opened.
    pub fn new(opened: Opened) -> Self {
        let file = ScenarioFile::opened(&opened);
        let lists = Lists::new(&opened.scenario);
        let mut session = Self {
            scenario: opened.scenario,
            other_scenarios: opened.other_scenarios,
            source: opened.source,
            moves: None,
            is_stale: false,
            file,
            changes: 0,
            revision: 1,
            compared: PolicyComparison::default(),
            pending: Pending::default(),
            screen: Screen::default(),
            lists,
            columns: ShownColumns::default(),
            why: WhyView::Shown,
            why_offset: 0,
            search: None,
            marks: NodeSet::default(),
            locks: NodeSet::default(),
            time: Time::new(),
            lesson: None,
            told: None,
        };
        session.select_first();
        session
    }

    /// Returns the tree of the scenario in front.
    pub(crate) fn tree(&self) -> &Tree {
        self.scenario.tree()
    }

    /// Returns the policy that the tree on the screen is ranked by.
    pub(crate) fn policy(&self) -> Policy {
        self.scenario.policy()
    }

    /// Returns the settings of the scenario in front, edits included.
    pub(crate) fn settings(&self) -> &Settings {
        self.scenario.settings()
    }

    /// Returns the name of a node as the tree on the screen labels it.
    pub(crate) fn label(&self, node: NodeId) -> Shown {
        label(self.tree(), node)
    }

    /// Puts the cursor on the node that introduces an example, or else on the first account, which says most.
    fn select_first(&mut self) {
        let tree = self.scenario.tree();
        if let Some(example) = Example::of(self.request())
            && let Some(path) = example.focus()
            && let Ok(node) = resolve(tree, path.as_bytes())
        {
            return self.select(node);
        }
        let pane = self.pane();
        let mut first = 1;
        for (row, &node) in pane.outline.rows().iter().enumerate().skip(1) {
            if tree.has_children(node) {
                first = row;
                break;
            }
        }
        let row = first.min(pane.last());
        self.pane_mut().cursor = row;
    }

    /// Returns whether the tree is an example without a lesson.
    pub(crate) fn shows_example(&self) -> bool {
        self.lesson.is_none() && Example::of(self.request()).is_some()
    }

    /// Returns what the last edit did, until the next change, or what the open example shows. `None` for other trees, and
    /// once edits or settings show something else.
    pub fn caption(&self) -> Option<Shown> {
        if let Some(told) = &self.told
            && told.revision == self.revision
            && self.played_lesson().is_none()
        {
            return Some(told.sentence.clone());
        }
        let example = Example::of(self.request())?;
        let scenario = &self.scenario;
        let is_edited = !scenario.history().is_untouched() || scenario.trial().is_some();
        let is_set = !self.request().settings.is_empty();
        let is_other_policy = scenario.policy() != example.policy();
        if self.lesson.is_some() || is_edited || is_set || is_other_policy {
            return None;
        }
        Some(example.caption().into())
    }

    /// Returns the lesson that is played on the tree; `None` if there is none, or if it was left.
    pub(crate) fn played_lesson(&self) -> Option<&OpenLesson> {
        match &self.lesson {
            Some(lesson) if lesson.place != LessonPlace::Left => Some(lesson),
            _ => None,
        }
    }

    /// Returns why there is nothing to see that would tell an answer; `None` if all may be seen.
    pub(crate) fn veil(&self) -> Option<Shown> {
        let lesson = self.played_lesson()?;
        let mut open = lesson.staged.open(lesson.step, lesson.is_revealed);
        let step = open.next()? + 1;
        Some(sentence!("hidden until the answer of step {step}"))
    }

    /// Returns how the source of the tree is opened.
    pub(crate) fn request(&self) -> &Request {
        &self.source.reference.request
    }

    /// Returns the tree as reports see it: with its problems, and what is known of the printed numbers.
    pub(crate) fn report(&self) -> report::View<'_> {
        let view = report::View::of(&self.scenario, &self.source.problems);
        view.verified(&self.source.verification)
    }

    /// Fits everything to another tree, in which nodes have these counterparts. Drops what was found out before.
    pub(crate) fn follow_tree(&mut self, counterparts: &[Option<NodeId>]) {
        self.forget_answers();
        self.note_changed_tree();
        self.marks.follow(counterparts);
        self.locks.follow(counterparts);
        if let Some(search) = &mut self.search {
            *search = Search::new(self.scenario.tree(), &search.text);
        }
        self.lists.follow(&self.scenario, counterparts);
    }

    /// Drops what was found out about the tree, and the jobs that run: their answers will be refused.
    pub(crate) fn forget_answers(&mut self) {
        self.told = None;
        self.pending = Pending::default();
        self.compared = PolicyComparison::default();
        self.time.forget();
    }

    /// Returns whether the source was read more than once, or is a scheduler.
    pub(crate) fn is_read_again(&self) -> bool {
        self.request().live().is_some() || self.moves.is_some() || self.is_stale
    }

    /// Returns whether ranks can differ from earlier ones, by an edit, another scenario or another reading.
    pub(crate) fn compares(&self) -> bool {
        !self.scenario.history().is_untouched()
            || self.scenario.trial().is_some()
            || self.scenario.compared().is_some()
            || self.moves.is_some()
    }

    /// Returns the policy that the source itself is ranked by.
    pub(crate) fn own_policy(&self) -> Policy {
        match self.source.policy {
            Some(policy) => policy,
            None => Policy::usual(self.latest().settings()),
        }
    }

    /// Returns the policies to go through: those worth comparing, and the current one.
    pub(crate) fn offered_policies(&self) -> Vec<Policy> {
        let scenario = self.latest();
        let mut offered = Comparison::usual(scenario.settings());
        if !offered.contains(&scenario.policy()) {
            // Only a formula can be missing, and it is the last in any case.
            offered.push(scenario.policy());
        }
        offered
    }

    /// Returns whether the ranks under all offered policies are known for the tree on the screen.
    pub(crate) fn is_compared(&self) -> bool {
        match &self.compared.comparison {
            Some(comparison) if self.compared.revision == self.revision => {
                comparison.policies == self.offered_policies()
            }
            _ => false,
        }
    }

    /// Notes that the tree or its settings changed, by an edit or another reading.
    pub(crate) fn note_changed_tree(&mut self) {
        self.changes += 1;
        self.revision += 1;
    }

    /// Shows the preferred or the default columns of the current policy, and drops an order by a column that it lacks.
    pub(crate) fn fit_to_policy(&mut self) {
        self.columns.fit(&self.scenario);
        self.why_offset = 0;
        self.lists.fit_to_policy(&self.scenario);
    }

    /// Replaces the tree by a new reading. Returns how many more edits are rejected than before.
    pub(crate) fn adopt(&mut self, reading: Reading) -> usize {
        let mut opened = reading.opened;
        let counterparts = reading.counterparts;
        let rejected = rejected_count(self.scenarios());
        let meant = self.latest();
        if reading.changes != self.changes {
            // Edits changed while the source was read.
            let scenarios = self.scenarios().map(saved).collect();
            opened.replace_scenarios(scenarios, self.other_scenarios.place());
            hold_against_again(&mut opened, meant);
        }
        opened.scenario.set_policy(meant.policy());
        let selected = counterpart(self.scenario.tree(), self.selected(), &counterparts);
        self.scenario = opened.scenario;
        self.other_scenarios = opened.other_scenarios;
        self.source = opened.source;
        self.moves = Some(reading.moves);
        self.is_stale = false;
        self.file.tree_state = Arc::default();
        self.follow_tree(&counterparts);
        self.select_or_clamp(selected);
        let now_rejected = rejected_count(self.scenarios());
        now_rejected.saturating_sub(rejected)
    }

    /// Returns the places gained (positive) or lost by the last reading, if the scenario is compared with that.
    pub(crate) fn places_moved(&self, node: NodeId) -> Option<i64> {
        let moves = self.moves.as_ref()?;
        let is_other_policy = moves.policy != self.scenario.policy();
        if is_other_policy || self.scenario.is_compared() {
            return None;
        }
        moves.places.get(node.index()).copied()
    }
}

/// Returns how many edits of all scenarios do not fit the tree.
fn rejected_count<'a>(scenarios: impl Iterator<Item = &'a Scenario>) -> usize {
    let mut count = 0;
    for scenario in scenarios {
        count += scenario.rejected().len();
    }
    count
}

/// Returns the counterpart of a node, or that of the nearest account above it that has one.
fn counterpart(tree: &Tree, node: NodeId, counterparts: &[Option<NodeId>]) -> NodeId {
    for above in tree.upwards(node) {
        if let Some(Some(counterpart)) = counterparts.get(above.index()) {
            return *counterpart;
        }
    }
    NodeId::ROOT
}

/// Identifies a state of all scenarios: the name of each and the mark of its edits. Where the clock was moved to after
/// the last of them is not part of it, for that is done again with a key.
type Versions = Vec<(String, u64)>;

/// The file that holds the scenarios of a tree, and what is known of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScenarioFile {
    pub(crate) path: Option<PathBuf>,
    pub(crate) seen: Option<Fingerprint>,
    /// The state that it holds; `None` if no file that the user knows of holds any.
    pub(crate) versions: Option<Versions>,
    /// What of the file was not understood and would be lost by saving; empty if there is nothing.
    pub(crate) unread: Shown,
    /// The file that is being written, and the state that it will hold.
    pub(crate) under_way: Option<(PathBuf, Versions)>,
    pub(crate) tree_state: Arc<OnceLock<u64>>,
}

impl ScenarioFile {
    /// Returns what is known of the file of a tree that was just opened.
    fn opened(opened: &Opened) -> Self {
        let path = opened.scenario_path.clone();
        let mut unread = Shown::default();
        if let Some(path) = &path {
            unread = unread_of(path, &opened.source.problems);
        }
        Self {
            path,
            seen: opened.scenario_seen,
            versions: Some(versions(opened.other_scenarios.all(&opened.scenario))),
            unread,
            ..Self::default()
        }
    }
}

/// Returns the state of scenarios as a file holds it.
pub(crate) fn versions<'a>(scenarios: impl Iterator<Item = &'a Scenario>) -> Versions {
    let mut versions = Vec::new();
    for scenario in scenarios {
        let mark = scenario.mark_before_waiting();
        versions.push((scenario.name().to_owned(), mark));
    }
    versions
}

/// Returns what of a scenario file was not understood: keys by their names, all else by its line.
fn unread_of(path: &Path, problems: &Problems) -> Shown {
    let file = shown(path.as_os_str().as_encoded_bytes());
    let mut parts = Vec::new();
    for problem in problems.list() {
        if file == *problem.file {
            parts.extend(not_read(problem));
        }
    }
    listed(&parts)
}

/// The scenarios of a tree before they are written as a file, which takes up to a second for a large tree or many edits.
#[derive(Clone, Debug)]
pub(crate) struct UnwrittenScenarios {
    pub(super) path: PathBuf,
    pub(super) reference: Reference,
    pub(super) base: Arc<Snapshot>,
    pub(super) tree_state: Arc<OnceLock<u64>>,
    pub(super) scenarios: Vec<SavedScenario>,
    pub(super) front: usize,
}

impl UnwrittenScenarios {
    /// Returns the file that holds them.
    pub(crate) fn write(&self) -> String {
        let mut tree_state = None;
        // A live tree is another one each time.
        if self.reference.request.live().is_none() {
            let state = self.tree_state.get_or_init(|| self.base.tree.state_hash());
            tree_state = Some(*state);
        }
        write_scenarios(
            &self.path,
            &self.reference,
            tree_state,
            &self.scenarios,
            self.front,
        )
    }
}
