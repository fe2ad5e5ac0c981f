//! One open tree: its scenarios, its lists, and the cursor in them.

use crate::format::native::Reference;
use crate::format::{Example, Problems, Series};
use crate::model::{Kind, NodeId, resolve};
use crate::open::FileStates;
use crate::open::opened::Opened;
use crate::report;
use crate::report::outline::{Listing, Outline, Search, Sort};
use crate::rules::policy::{ColumnId, Comparison, Policy};
use crate::scenario::{OtherScenarios, Scenario};
use crate::trust::verify::Verification;
use crate::tui::state::columns;
use crate::tui::state::comparison::PolicyComparison;
use crate::tui::state::lesson::OpenLesson;
use crate::tui::state::node_set::NodeSet;
use crate::tui::state::pane::{Pane, Why};
use crate::tui::state::pending::{Pending, Scope};
use crate::tui::state::reading::Moves;
use crate::tui::state::scenario_file::ScenarioFile;
use crate::tui::state::screen::Screen;
use crate::tui::state::time::Time;

/// The revision of the tree after a key for one share more or fewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NudgeRevision(pub(crate) u64);

/// An account that was selected before a list of users was shown, and the row that the cursor got there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LeftAccount {
    account: NodeId,
    row: usize,
}

/// One open tree.
#[derive(Clone, Debug)]
pub struct Session {
    /// The scenario in front, with the snapshot.
    pub scenario: Scenario,
    /// The other scenarios on the snapshot.
    pub other_scenarios: OtherScenarios,
    /// The problems of the source.
    pub problems: Problems,
    /// The comparison of the scheduler's recorded numbers with the computed ones; empty while that is computed.
    pub verification: Verification,
    /// The screen that is open, or below a page.
    pub(crate) screen: Screen,
    /// The tree, the ranking, the users under all policies.
    panes: [Pane; 3],
    /// The chosen columns; `None` shows those that fit.
    pub columns: Option<Vec<ColumnId>>,
    /// The columns that the user prefers under every policy, by name.
    preferred_columns: Vec<&'static str>,
    /// The number of columns that are scrolled out on the left.
    pub column_offset: usize,
    /// The why pane.
    pub why: Why,
    /// The first line shown in the why pane.
    pub why_offset: usize,
    /// The last search.
    pub search: Option<Search>,
    /// The list as it was before a name is typed to be found.
    before_search: Option<Box<Pane>>,
    /// The account that was left for a list of users.
    left_account: Option<LeftAccount>,
    /// The file that holds the scenarios.
    pub(crate) file: ScenarioFile,
    /// The source, as a scenario file refers to it.
    pub(crate) reference: Reference,
    /// Counts changes of edits, and saves.
    pub(crate) changes: u64,
    /// Counts changes of the tree and its settings.
    pub(crate) revision: u64,
    /// The tree under all policies.
    pub(crate) compared: PolicyComparison,
    /// The change whose numbers are still being computed.
    pub(crate) pending: Pending,
    /// The time of day at which the source was read, where known.
    pub(crate) read_at: Option<String>,
    /// The states of the source's files when they were read, if these will show a change.
    pub(crate) file_states: Option<FileStates>,
    /// The series of dumps that the tree belongs to, if any.
    pub(crate) series: Option<Series>,
    /// The users that moved by the last reading, if the source was read again.
    pub(crate) moves: Option<Moves>,
    /// Whether the last attempt to read the source again failed.
    pub(crate) is_stale: bool,
    /// The marked nodes, which edits change together.
    pub marks: NodeSet,
    /// The nodes whose shares family edits do not change.
    pub locks: NodeSet,
    /// The state of the Time screen.
    pub(crate) time: Time,
    /// Set after a key for one share more or fewer, so that holding it is one edit.
    pub(crate) nudge: Option<NudgeRevision>,
    /// The lesson that is played on the tree, or was left.
    pub(crate) lesson: Option<OpenLesson>,
    /// What the open example shows, and the policy under which it does. `None` for other trees.
    caption: Option<(&'static str, Policy)>,
}

impl Session {
    /// Returns the session of a tree that was opened.
    pub fn new(opened: Opened) -> Self {
        let Opened {
            scenario,
            other_scenarios,
            problems,
            scenario_path,
            scenario_seen,
            reference,
            verification,
            read_at,
            file_states,
            series,
        } = opened;
        let file = ScenarioFile::opened(
            scenario_path,
            scenario_seen,
            other_scenarios.all(&scenario),
            &problems,
        );
        let tree = Outline::new(&scenario, Listing::Tree);
        let mut session = Self {
            scenario,
            other_scenarios,
            problems,
            verification,
            screen: Screen::default(),
            panes: [
                Pane {
                    outline: tree,
                    ..Pane::default()
                },
                Pane::default(),
                Pane::default(),
            ],
            columns: None,
            preferred_columns: Vec::new(),
            column_offset: 0,
            why: Why::default(),
            why_offset: 0,
            search: None,
            before_search: None,
            left_account: None,
            file,
            reference,
            changes: 0,
            revision: 1,
            compared: PolicyComparison::default(),
            pending: Pending::default(),
            read_at,
            file_states,
            series,
            moves: None,
            is_stale: false,
            marks: NodeSet::default(),
            locks: NodeSet::default(),
            time: Time::default(),
            nudge: None,
            lesson: None,
            caption: None,
        };
        let example = Example::of(&session.reference.request);
        session.caption = example.map(|example| (example.caption(), example.policy()));
        session.select_first();
        session
    }

    /// Puts the cursor where the tree is read from: on the node with which an example is introduced, or else on the
    /// first account, which says more than the root and Slurm's user of that name.
    fn select_first(&mut self) {
        let tree = self.scenario.tree();
        let example = Example::of(&self.reference.request);
        let focus = example.and_then(Example::focus);
        if let Some(node) = focus.and_then(|path| resolve(tree, path.as_bytes()).ok()) {
            return self.select(node);
        }
        let rows = self.pane().outline.rows();
        let below = rows.get(1..).unwrap_or_default();
        let first = below.iter().position(|&node| tree.has_children(node));
        let first = first.unwrap_or(0);
        self.pane_mut().cursor = (first + 1).min(below.len());
    }

    /// Returns whether the tree is an example without a lesson.
    pub(crate) fn shows_example(&self) -> bool {
        self.lesson.is_none() && self.caption.is_some()
    }

    /// Returns what the open example shows, in one sentence; `None` for other trees, and once edits, another policy or
    /// other settings show something else.
    pub(crate) fn caption(&self) -> Option<&'static str> {
        let (caption, policy) = self.caption.filter(|_| self.shows_example())?;
        let scenario = &self.scenario;
        let is_as_made = scenario.history().is_untouched()
            && !scenario.is_trying()
            && self.reference.request.settings.is_empty()
            && scenario.policy() == policy;
        is_as_made.then_some(caption)
    }

    /// Returns whether the numbers of a column are hidden, because they would tell what a lesson asks.
    pub(crate) fn veils(&self, column: ColumnId) -> bool {
        let lesson = self.lesson.as_ref().filter(|_| self.plays_lesson());
        lesson.is_some_and(|lesson| lesson.veils(column, self.scenario.policy()))
    }

    /// Returns whether a lesson is played on the tree.
    pub(crate) fn plays_lesson(&self) -> bool {
        self.lesson.as_ref().is_some_and(|lesson| !lesson.is_left)
    }

    /// Returns which list is on the screen.
    pub fn listing(&self) -> Listing {
        self.screen.listing()
    }

    /// Returns the list on the screen.
    pub fn pane(&self) -> &Pane {
        &self.panes[self.listing() as usize]
    }

    /// Returns the list on the screen, to be changed.
    pub fn pane_mut(&mut self) -> &mut Pane {
        &mut self.panes[self.screen.listing() as usize]
    }

    /// Returns the selected node.
    pub fn selected(&self) -> NodeId {
        self.pane().selected()
    }

    /// Returns the tree as reports take it.
    pub(crate) fn report(&self) -> report::View<'_> {
        report::View::of(&self.scenario, &self.problems).verified(&self.verification)
    }

    /// Rebuilds the rows after an edit and stays on the selected node.
    pub fn refresh(&mut self) {
        self.note_changed_tree();
        self.change_outline(Outline::rebuild);
    }

    /// Replaces the source by what was read of it again, in which nodes have these counterparts; the view stays.
    pub(crate) fn replace_source(&mut self, opened: Opened, counterparts: &[Option<NodeId>]) {
        let Opened {
            scenario,
            other_scenarios,
            problems,
            scenario_path: _,
            scenario_seen: _,
            reference,
            verification,
            read_at,
            file_states,
            series,
        } = opened;
        (self.scenario, self.other_scenarios) = (scenario, other_scenarios);
        self.problems = problems;
        self.verification = verification;
        self.reference = reference;
        self.read_at = read_at;
        self.file_states = file_states;
        self.series = series;
        self.file.forget_tree();
        self.follow_tree(counterparts);
    }

    /// Fits the lists, marks and search to another tree, in which nodes have these counterparts.
    pub(crate) fn follow_tree(&mut self, counterparts: &[Option<NodeId>]) {
        self.forget_answers();
        self.note_changed_tree();
        self.marks.follow(counterparts);
        self.locks.follow(counterparts);
        let tree = self.scenario.tree();
        if let Some(search) = &mut self.search {
            *search = Search::new(tree, &search.text);
        }
        for (pane, listing) in
            self.panes
                .iter_mut()
                .zip([Listing::Tree, Listing::Ranking, Listing::Users])
        {
            if pane.outline.listing() == listing {
                pane.outline.follow(&self.scenario, counterparts);
            }
        }
    }

    /// Drops what was found out about the tree, and the jobs that run: their answers will be refused.
    pub(crate) fn forget_answers(&mut self) {
        self.pending = Pending::default();
        self.compared = PolicyComparison::default();
        self.time.forget();
    }

    /// Returns whether the source is a scheduler, or was read again.
    pub(crate) fn is_read_again(&self) -> bool {
        self.reference.request.live.is_some() || self.moves.is_some() || self.is_stale
    }

    /// Returns whether ranks can differ from earlier ones: after an edit, beside another scenario, or after a source was
    /// read again.
    pub(crate) fn compares(&self) -> bool {
        !self.scenario.history().is_untouched()
            || self.scenario.trial().is_some()
            || self.scenario.compared().is_some()
            || self.moves.is_some()
    }

    /// Selects a node again after the rows were rebuilt.
    pub(crate) fn select_again(&mut self, node: NodeId) {
        self.select_or_clamp(node);
    }

    /// Returns the policies to go through: those worth comparing, and the current one.
    pub fn offered_policies(&self) -> Vec<Policy> {
        let scenario = self.latest();
        let mut offered = Comparison::usual(scenario.settings());
        let in_force = scenario.policy();
        if !offered.contains(&in_force) {
            // Only a formula can be missing, and it is the last in any case.
            offered.push(in_force);
        }
        offered
    }

    /// Makes a policy the current one.
    pub fn choose_policy(&mut self, policy: Policy) {
        self.change(Scope::Policy, |scenario| scenario.choose_policy(policy));
    }

    /// Fits the screen to a change of the scenario; `before` is the policy before it.
    pub(crate) fn follow(&mut self, before: Policy, scope: Scope) {
        if self.scenario.policy() != before {
            self.fit_to_policy();
        }
        match scope {
            Scope::Policy => self.changes += 1,
            Scope::Nodes | Scope::Settings => self.note_changed_tree(),
        }
        self.change_outline(Outline::rebuild);
    }

    fn note_changed_tree(&mut self) {
        self.changes += 1;
        self.revision += 1;
    }

    /// Shows these columns under every policy, as far as it has them.
    pub(crate) fn prefer_columns(&mut self, names: Vec<&'static str>) {
        self.preferred_columns = names;
        self.columns = columns::preferred(&self.preferred_columns, &self.scenario);
    }

    /// Shows the preferred or the default columns of the current policy, and drops an order by a column that it lacks.
    pub(crate) fn fit_to_policy(&mut self) {
        self.columns = columns::preferred(&self.preferred_columns, &self.scenario);
        self.column_offset = 0;
        self.why_offset = 0;
        let available = columns::available(&self.scenario);
        let Self {
            panes, scenario, ..
        } = self;
        for pane in panes {
            let column = pane.outline.sort().and_then(|sort| sort.column);
            if column.is_some_and(|column| !available.contains(&column)) {
                pane.outline.set_sort(scenario, None);
            }
        }
    }

    /// Lists the users in this order; a cursor on the first row stays there.
    pub(crate) fn list_users(&mut self, users: Vec<NodeId>) {
        let Self {
            panes,
            scenario,
            screen,
            ..
        } = self;
        let pane = &mut panes[Listing::Users as usize];
        let node = Some(pane.selected()).filter(|_| pane.cursor > 0);
        pane.outline.set_users(scenario, users);
        pane.cursor = pane.cursor.min(pane.outline.rows().len().saturating_sub(1));
        if let Some(node) = node.filter(|_| *screen == Screen::Policies) {
            self.select_or_clamp(node);
        }
    }

    /// Puts the cursor on a node, unfolding what hides it. In a list of users, on the first user of an account.
    pub fn select(&mut self, node: NodeId) {
        let Self {
            panes,
            screen,
            scenario,
            ..
        } = self;
        let outline = &mut panes[screen.listing() as usize].outline;
        if screen.listing() == Listing::Tree {
            outline.reveal(scenario, node);
            return self.select_or_clamp(node);
        }
        let user = match scenario.tree().kind(node) {
            Kind::User => Some(node),
            Kind::Account => first_user(scenario, node),
        };
        self.select_or_clamp(user.unwrap_or(node));
    }

    fn select_or_clamp(&mut self, node: NodeId) {
        let tree = self.scenario.tree();
        let pane = &mut self.panes[self.screen.listing() as usize];
        let mut wanted = Some(node).filter(|&node| tree.contains(node));
        // If the node has no row any more, the nearest account above that has one is selected.
        let row = loop {
            let Some(node) = wanted else { break None };
            if let Some(row) = pane.outline.row_of(tree, node) {
                break Some(row);
            }
            wanted = tree
                .parent(node)
                .filter(|_| self.screen.listing() == Listing::Tree);
        };
        let last = pane.outline.rows().len().saturating_sub(1);
        let cursor = row.unwrap_or(pane.cursor).min(last);
        if cursor != pane.cursor {
            self.why_offset = 0;
        }
        pane.cursor = cursor;
    }

    /// Moves the cursor to a row.
    pub fn go_to(&mut self, row: usize) {
        let last = self.pane().outline.rows().len().saturating_sub(1);
        self.pane_mut().cursor = row.min(last);
        self.why_offset = 0;
    }

    /// Shows a list, with the same node selected if it has a row there. In the ranking, its first user stands in for an
    /// account. The account is selected again in the tree, if the cursor has not moved meanwhile.
    pub fn show(&mut self, listing: Listing) {
        let row = self.pane().cursor;
        let left = self.left_account.take().filter(|left| left.row == row);
        let tree = self.scenario.tree();
        let left = left
            .map(|left| left.account)
            .filter(|&node| tree.contains(node));
        let node = left.unwrap_or_else(|| self.selected());
        let filter = self.pane().outline.filter();
        self.screen = Screen::of(listing);
        // Who goes to a screen wants to see it.
        if self.why == Why::Zoomed {
            self.why = Why::Shown;
        }
        let Self {
            panes, scenario, ..
        } = self;
        let pane = &mut panes[listing as usize];
        if pane.outline.listing() == listing {
            pane.outline.rebuild(scenario);
        } else {
            pane.outline = Outline::new(scenario, listing);
            if listing == Listing::Users {
                // In the order of the tree until policies have been compared.
                let users = |&&node: &&NodeId| scenario.tree().kind(node) == Kind::User;
                let users = scenario.tree().nodes().iter().filter(users).copied();
                pane.outline.set_users(scenario, users.collect());
            }
        }
        // A filter on one screen is a filter on the others.
        if pane.outline.filter() != filter {
            pane.outline.set_filter(scenario, filter);
        }
        let is_user = scenario.tree().kind(node) == Kind::User;
        let selected = match listing {
            Listing::Tree => Some(node),
            _ if is_user => Some(node),
            // An account has no rank: its best user is selected.
            Listing::Ranking => first_user(scenario, node),
            // The user with the largest spread is on top, and no other was selected.
            Listing::Users => None,
        };
        match selected {
            Some(node) => self.select(node),
            // The rows may have become fewer since the list was last shown.
            None => self.go_to(self.pane().cursor),
        }
        self.left_account = (listing != Listing::Tree && !is_user).then(|| LeftAccount {
            account: node,
            row: self.pane().cursor,
        });
    }

    /// Goes to the selected user in the tree.
    pub(crate) fn show_in_tree(&mut self) {
        self.left_account = None;
        self.show(Listing::Tree);
    }

    /// Notes the list as it is before a name is typed to be found.
    pub(crate) fn begin_search(&mut self) {
        self.before_search = Some(Box::new(self.pane().clone()));
    }

    /// Forgets the list as it was before a name was typed to be found.
    pub(crate) fn end_search(&mut self) {
        self.before_search = None;
    }

    /// Folds the list again as it was before a name was typed to be found, with the same node selected.
    pub(crate) fn restart_search(&mut self) {
        let Some(before) = self.before_search.clone() else {
            return;
        };
        let node = before.selected();
        *self.pane_mut() = *before;
        self.change_outline(Outline::rebuild);
        self.select_or_clamp(node);
    }

    /// Folds or unfolds an account.
    pub fn set_unfolded(&mut self, node: NodeId, unfolded: bool) -> bool {
        let Self {
            panes,
            screen,
            scenario,
            ..
        } = self;
        panes[screen.listing() as usize]
            .outline
            .set_unfolded(scenario, node, unfolded)
    }

    /// Changes the list on the screen and stays on the selected node.
    pub fn change_outline(&mut self, change: impl FnOnce(&mut Outline, &Scenario)) {
        let node = self.selected();
        let Self {
            panes,
            screen,
            scenario,
            ..
        } = self;
        change(&mut panes[screen.listing() as usize].outline, scenario);
        self.select_or_clamp(node);
    }

    /// Sorts by a column, or reverses the order if it sorts by that column already.
    pub fn sort_by(&mut self, sort: Option<Sort>) {
        let now = self.pane().outline.sort();
        let sort = match (sort, now) {
            (Some(wanted), Some(now)) if wanted.column == now.column => Some(now.reversed()),
            (sort, _) => sort,
        };
        self.change_outline(|outline, scenario| outline.set_sort(scenario, sort));
    }

    /// Returns whether the comparison is of the tree as it is now.
    pub(crate) fn is_compared(&self) -> bool {
        self.compared.revision == self.revision
            && self
                .compared
                .comparison
                .as_ref()
                .is_some_and(|comparison| comparison.policies() == self.offered_policies())
    }
}

/// Returns the first user below an account in the ranking. `None` if none of them has a rank.
fn first_user(scenario: &Scenario, account: NodeId) -> Option<NodeId> {
    let span = scenario.tree().order().span(account);
    let users = scenario.tree().nodes()[span].iter().copied();
    let ranked = users.filter_map(|user| Some((scenario.evaluation().rank(user)?, user)));
    ranked.min_by_key(|&(rank, _)| rank).map(|(_, user)| user)
}
