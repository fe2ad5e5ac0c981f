//! One open tree: its scenario, its rows, and where the user is in them.

use crate::model::{Kind, NodeId};
use crate::report;
use crate::report::outline::{Outline, Search, Sort, View};
use crate::rules::policy::{ColumnId, Comparison, Policy};
use crate::scenario::{OtherScenarios, Scenario};
use crate::source::format::native::Reference;
use crate::source::format::{Problems, Series};
use crate::source::opened::Opened;
use crate::source::verify::Verification;
use crate::tui::state::columns;
use crate::tui::state::comparison::PolicyComparison;
use crate::tui::state::node_set::NodeSet;
use crate::tui::state::pane::{Pane, Why};
use crate::tui::state::pending::{Pending, Scope};
use crate::tui::state::reading::Moves;
use crate::tui::state::scenario_file::ScenarioFile;
use crate::tui::state::screen::Screen;
use crate::tui::state::time::Time;

/// The revision of the tree that a key for more or fewer shares left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NudgeRevision(pub(crate) u64);

/// One open tree.
#[derive(Clone, Debug)]
pub struct Session {
    /// The snapshot and what has been done to it, in the scenario in front.
    pub scenario: Scenario,
    /// The other scenarios on the snapshot.
    pub other_scenarios: OtherScenarios,
    /// What was odd or wrong in the source.
    pub problems: Problems,
    /// The numbers that the scheduler recorded, held against ours.
    pub verification: Verification,
    /// The screen that is open, or below a page.
    pub(crate) screen: Screen,
    /// The tree, the ranking, the users under all policies.
    panes: [Pane; 3],
    /// The columns chosen; nothing takes what fits.
    pub columns: Option<Vec<ColumnId>>,
    /// How many columns are scrolled out on the left.
    pub column_offset: usize,
    /// The why pane.
    pub why: Why,
    /// The first line of the why pane shown.
    pub why_offset: usize,
    /// The last search.
    pub search: Option<Search>,
    /// What of the scenarios is in a file.
    pub(crate) file: ScenarioFile,
    /// The source, as a scenario file refers to it.
    pub(crate) reference: Reference,
    /// How often edits may have changed, or were saved.
    pub(crate) changes: u64,
    /// How often the tree or its settings may have changed.
    pub(crate) revision: u64,
    /// The tree under all policies.
    pub(crate) compared: PolicyComparison,
    /// Changes whose numbers are still being worked out.
    pub(crate) pending: Pending,
    /// The time of day at which the source was read, where known.
    pub(crate) read_at: Option<String>,
    /// The series of dumps of which the tree is one, where it is.
    pub(crate) series: Option<Series>,
    /// Who moved by the last reading, where the source was read again.
    pub(crate) moves: Option<Moves>,
    /// Whether the last try to read the source again failed.
    pub(crate) is_stale: bool,
    /// The nodes that edits are about, if any are marked.
    pub marks: NodeSet,
    /// The nodes whose shares family edits leave alone.
    pub locks: NodeSet,
    /// The Time screen.
    pub(crate) time: Time,
    /// The state that a key for more or fewer shares left, so that holding it is one edit.
    pub(crate) nudge: Option<NudgeRevision>,
}

impl Session {
    /// Shows the tree of what was opened.
    #[must_use]
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
            series,
        } = opened;
        let file = ScenarioFile::opened(
            scenario_path,
            scenario_seen,
            other_scenarios.all(&scenario),
            &problems,
        );
        let tree = Outline::new(&scenario, View::Tree);
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
            column_offset: 0,
            why: Why::default(),
            why_offset: 0,
            search: None,
            file,
            reference,
            changes: 0,
            revision: 1,
            compared: PolicyComparison::default(),
            pending: Pending::default(),
            read_at,
            series,
            moves: None,
            is_stale: false,
            marks: NodeSet::default(),
            locks: NodeSet::default(),
            time: Time::default(),
            nudge: None,
        };
        // The first account or user says more than the root.
        session.pane_mut().cursor = usize::from(session.pane().outline.rows().len() > 1);
        session
    }

    /// Returns which list is on the screen.
    #[must_use]
    pub fn view(&self) -> View {
        self.screen.view()
    }

    /// The list on the screen.
    #[must_use]
    pub fn pane(&self) -> &Pane {
        &self.panes[self.view() as usize]
    }

    /// The list on the screen, to change it.
    pub fn pane_mut(&mut self) -> &mut Pane {
        &mut self.panes[self.screen.view() as usize]
    }

    /// The selected node.
    #[must_use]
    pub fn selected(&self) -> NodeId {
        self.pane().selected()
    }

    /// The tree as reports see it.
    pub(crate) fn report(&self) -> report::View<'_> {
        report::View::of(&self.scenario, &self.problems).verified(&self.verification)
    }

    /// Makes the rows again after an edit and stays on the selected node.
    pub fn refresh(&mut self) {
        self.note_changed_tree();
        self.change_outline(Outline::rebuild);
    }

    /// Takes up the same source as it is now, in which the nodes have those counterparts; what is shown stays.
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
            series,
        } = opened;
        (self.scenario, self.other_scenarios) = (scenario, other_scenarios);
        self.problems = problems;
        self.verification = verification;
        self.reference = reference;
        self.read_at = read_at;
        self.series = series;
        self.file.forget_tree();
        self.follow_tree(counterparts);
    }

    /// Makes the screen follow another tree in place of the one it showed, in which the nodes have those counterparts.
    pub(crate) fn follow_tree(&mut self, counterparts: &[Option<NodeId>]) {
        // Answers under way are about a tree that is gone.
        self.pending = Pending::default();
        self.compared = PolicyComparison::default();
        self.time.forget();
        self.note_changed_tree();
        self.marks.follow(counterparts);
        self.locks.follow(counterparts);
        let tree = self.scenario.tree();
        if let Some(search) = &mut self.search {
            *search = Search::new(tree, &search.text);
        }
        for (pane, view) in self
            .panes
            .iter_mut()
            .zip([View::Tree, View::Ranking, View::Users])
        {
            if pane.outline.view() == view {
                pane.outline.follow(&self.scenario, counterparts);
            }
        }
    }

    /// Whether the source is a scheduler, or was read again.
    pub(crate) fn is_read_again(&self) -> bool {
        self.reference.request.live.is_some() || self.moves.is_some() || self.is_stale
    }

    /// Stays on a node after the rows were made again.
    pub(crate) fn select_again(&mut self, node: NodeId) {
        self.select_or_clamp(node);
    }

    /// The policies one can go through: those worth comparing, and the one in force.
    #[must_use]
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

    /// Puts a policy in force.
    pub fn set_policy(&mut self, policy: Policy) {
        self.change(Scope::Policy, |scenario| scenario.set_policy(policy));
    }

    /// Makes the screen follow a change of the scenario, under which `before` was in force until now.
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

    /// Shows the usual columns of the policy in force, and no order by a column it does not have.
    pub(crate) fn fit_to_policy(&mut self) {
        self.columns = None;
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

    /// Lists the users in this order; who stays on top of the list stays there.
    pub(crate) fn list_users(&mut self, users: Vec<NodeId>) {
        let Self {
            panes,
            scenario,
            screen,
            ..
        } = self;
        let pane = &mut panes[View::Users as usize];
        let node = Some(pane.selected()).filter(|_| pane.cursor > 0);
        pane.outline.set_users(scenario, users);
        pane.cursor = pane.cursor.min(pane.outline.rows().len().saturating_sub(1));
        if let Some(node) = node.filter(|_| *screen == Screen::Policies) {
            self.select_or_clamp(node);
        }
    }

    /// Puts the cursor on a node, unfolding what hides it.
    pub fn select(&mut self, node: NodeId) {
        let Self {
            panes,
            screen,
            scenario,
            ..
        } = self;
        let outline = &mut panes[screen.view() as usize].outline;
        if screen.view() == View::Tree {
            outline.reveal(scenario, node);
        }
        self.select_or_clamp(node);
    }

    fn select_or_clamp(&mut self, node: NodeId) {
        let tree = self.scenario.tree();
        let pane = &mut self.panes[self.screen.view() as usize];
        let mut wanted = Some(node).filter(|&node| tree.contains(node));
        // A node that has no row any more hands the cursor to the nearest account above that has.
        let row = loop {
            let Some(node) = wanted else { break None };
            if let Some(row) = pane.outline.row_of(tree, node) {
                break Some(row);
            }
            wanted = tree
                .parent(node)
                .filter(|_| self.screen.view() == View::Tree);
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

    /// Shows the other list, with the same node selected where it has a row there.
    pub fn show(&mut self, view: View) {
        let node = self.selected();
        let filter = self.pane().outline.filter();
        self.screen = Screen::of(view);
        let Self {
            panes, scenario, ..
        } = self;
        let pane = &mut panes[view as usize];
        if pane.outline.view() == view {
            pane.outline.rebuild(scenario);
        } else {
            pane.outline = Outline::new(scenario, view);
            if view == View::Users {
                // In the order of the tree until policies have been compared.
                let users = |&&node: &&NodeId| scenario.tree().kind(node) == Kind::User;
                let users = scenario.tree().nodes().iter().filter(users).copied();
                pane.outline.set_users(scenario, users.collect());
            }
        }
        // What is filtered on one screen is filtered on the other: the same question from another side.
        if pane.outline.filter() != filter {
            pane.outline.set_filter(scenario, filter);
        }
        if view == View::Users && scenario.tree().kind(node) != Kind::User {
            // On whom policies disagree most is on top, and nobody asked for somebody else.
            return;
        }
        if view == View::Ranking && scenario.tree().kind(node) != Kind::User {
            // An account has no rank: its best user stands for it.
            let span = scenario.tree().order().span(node);
            let users = scenario.tree().nodes()[span].iter().copied();
            let best = users
                .filter_map(|user| Some((scenario.evaluation().rank(user)?, user)))
                .min();
            if let Some((_, user)) = best {
                self.select(user);
            }
            return;
        }
        self.select(node);
    }

    /// Folds or unfolds an account.
    pub fn set_unfolded(&mut self, node: NodeId, unfolded: bool) -> bool {
        let Self {
            panes,
            screen,
            scenario,
            ..
        } = self;
        panes[screen.view() as usize]
            .outline
            .set_unfolded(scenario, node, unfolded)
    }

    /// Changes the list and stays on the selected node.
    pub fn change_outline(&mut self, change: impl FnOnce(&mut Outline, &Scenario)) {
        let node = self.selected();
        let Self {
            panes,
            screen,
            scenario,
            ..
        } = self;
        change(&mut panes[screen.view() as usize].outline, scenario);
        self.select_or_clamp(node);
    }

    /// Sorts by a column, or from the other end if it sorts by that column already.
    pub fn sort_by(&mut self, sort: Option<Sort>) {
        let now = self.pane().outline.sort();
        let sort = match (sort, now) {
            (Some(wanted), Some(now)) if wanted.column == now.column => Some(now.reversed()),
            (sort, _) => sort,
        };
        self.change_outline(|outline, scenario| outline.set_sort(scenario, sort));
    }

    /// Whether the comparison there is is of the tree as it is now.
    pub(crate) fn is_compared(&self) -> bool {
        self.compared.revision == self.revision
            && self
                .compared
                .comparison
                .as_ref()
                .is_some_and(|comparison| comparison.policies() == self.offered_policies())
    }
}
