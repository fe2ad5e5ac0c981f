//! What the screen of a step shows, on paper: the tree, the ranking, another screen, an explanation or curves. It is printed
//! where it is not what the reader has seen already, and waits for the answers that it would tell.

use super::outlook::{Outlook, outlook};
use crate::analysis::plan::{Plan, PlanInputs, plan};
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence};
use crate::model::{Kind, NodeId};
use crate::report::lesson::question::About;
use crate::report::lesson::staged::HiddenAnswers;
use crate::report::lesson::{Staged, Step, StepView, TRAINING, Until, WhyView, caption};
use crate::report::plan::{PlanReport, without_commands};
use crate::report::render::document::{Block, Document, Medium};
use crate::report::render::drawing::Drawing;
use crate::report::render::line::Line;
use crate::report::{Field, Options, Report, View, explain, factor_curves, policies, show};
use crate::rules::policy::{ColumnId, Comparison};
use crate::scenario::Scenario;

/// The most rows that are printed, unless a step names more nodes.
const MOST_ROWS: usize = 24;

/// What a step shows beside its sentences.
pub(super) enum Exhibit {
    /// Rows of the tree.
    Tree(Rows),
    /// Users by rank.
    Ranking(Rows),
    /// Why the selected node has its rank.
    Explanation(Vec<Line>),
    /// The users under every policy.
    Policies(Comparison),
    /// The commands that apply the edits.
    Plan(Plan),
    /// The edits of a tree without a scheduler.
    PlanWithoutCommands,
    /// The selected node as time passes.
    Time(Outlook),
    /// The factor over usage.
    Curves(Drawing),
    /// The factor over usage and shares.
    Map(Drawing),
}

/// Rows of a table, and how many others the tree has.
pub(super) struct Rows {
    /// The rows and columns of a table whose nodes have guide lines.
    options: Options,
    /// The columns of a table without them, which begin with a node's path.
    columns_of_list: Option<Vec<Field>>,
    /// How many nodes have no row.
    left_out: usize,
}

/// What was printed of the tree before a step.
#[derive(Default)]
struct Seen<'a> {
    /// The last table of the tree.
    tree: Option<SeenTable<'a>>,
    /// The last ranking.
    ranking: Option<SeenTable<'a>>,
    /// The last explanation.
    explanation: Option<SeenExplanation<'a>>,
    /// The tree of which each other screen was printed last, with the selected node, by the name of the screen.
    screens: Vec<(&'static str, &'a Scenario, Option<NodeId>)>,
}

/// A table that was printed.
struct SeenTable<'a> {
    /// The tree.
    now: &'a Scenario,
    /// The nodes that had rows.
    nodes: Vec<NodeId>,
    /// The columns; empty for the usual ones.
    columns: Vec<ColumnId>,
    /// The columns whose numbers were hidden.
    hidden: &'a [ColumnId],
}

/// An explanation that was printed.
struct SeenExplanation<'a> {
    /// The tree.
    now: &'a Scenario,
    /// The node.
    node: NodeId,
    /// Whether it was whole.
    is_whole: bool,
}

/// A step whose screen is printed.
struct ShownStep<'a> {
    /// The step.
    step: &'a Step,
    /// What is on its screen.
    screen: StepView,
    /// Its tree.
    view: &'a View<'a>,
    /// The same tree.
    now: &'a Scenario,
    /// The selected node; `None` if none was selected yet.
    selected: Option<NodeId>,
}

/// Returns, by step, what it shows and what the reader has not seen before.
pub(super) fn exhibits<'a>(
    staged: &'a Staged,
    views: &'a [View<'a>],
    hidden: &[HiddenAnswers],
) -> Vec<Vec<Exhibit>> {
    let mut seen = Seen::default();
    let mut steps = Vec::new();
    for (number, view) in views.iter().enumerate() {
        let screen = staged.view(number);
        let mut selected = None;
        if let Some((_, path)) = &screen.select {
            // A step before may have removed it.
            selected = caption::node(view, path).ok();
        }
        let stage = staged.stage(number);
        let shown = ShownStep {
            step: stage.step,
            screen,
            view,
            now: stage.now,
            selected,
        };
        steps.push(shown.exhibits(&mut seen, hidden[number].is_any));
    }
    steps
}

impl<'a> ShownStep<'a> {
    /// Returns what the step shows. Of a tree about which later steps ask, it is the rows alone, without the numbers that
    /// answer.
    fn exhibits(&self, seen: &mut Seen<'a>, is_asked_later: bool) -> Vec<Exhibit> {
        let mut exhibits = Vec::new();
        let screen = self.screen.screen.unwrap_or("tree");
        if screen == "tree" {
            exhibits.extend(self.tree(seen));
        }
        if is_asked_later {
            return exhibits;
        }
        match screen {
            "tree" => exhibits.extend(self.explanation(seen)),
            "ranking" => exhibits.extend(self.ranking(seen)),
            "policies" if self.is_new(seen, "policies", None) => {
                let comparison = policies::compare(self.view);
                exhibits.push(Exhibit::Policies(comparison));
            }
            "plan" if self.is_new(seen, "plan", None) => exhibits.extend(self.plan()),
            "time" if self.is_new(seen, "time", self.selected) => {
                exhibits.extend(self.outlook());
            }
            _ => {}
        }
        exhibits.extend(self.factor_plots(seen));
        exhibits
    }

    /// Returns whether a screen shows something else than when it was printed last, and notes it.
    fn is_new(&self, seen: &mut Seen<'a>, screen: &'static str, selected: Option<NodeId>) -> bool {
        for (name, now, node) in &mut seen.screens {
            if *name == screen {
                let is_new = !std::ptr::eq(*now, self.now) || *node != selected;
                *now = self.now;
                *node = selected;
                return is_new;
            }
        }
        seen.screens.push((screen, self.now, selected));
        true
    }

    /// Returns the rows of the tree; `None` if they were printed before.
    fn tree(&self, seen: &mut Seen<'a>) -> Option<Exhibit> {
        let nodes = self.nodes_of_tree();
        let rows = self.new_rows(&mut seen.tree, nodes, &self.about())?;
        Some(Exhibit::Tree(rows))
    }

    /// Returns the users by rank; `None` if they were printed before.
    fn ranking(&self, seen: &mut Seen<'a>) -> Option<Exhibit> {
        let tree = self.view.tree;
        let mut about = self.about();
        about.retain(|&node| tree.kind(node) == Kind::User);
        let users = self.users_of_ranking(&about);
        let mut rows = self.new_rows(&mut seen.ranking, users, &about)?;
        rows.left_out -= tree.node_count() - tree.users().count();
        // A ranking has the columns of its policy.
        rows.options.columns = None;
        Some(Exhibit::Ranking(rows))
    }

    /// Returns rows for nodes, unless those that are needed were printed with the same numbers.
    fn new_rows(
        &self,
        seen: &mut Option<SeenTable<'a>>,
        nodes: Vec<NodeId>,
        needed: &[NodeId],
    ) -> Option<Rows> {
        let columns = self.screen.columns.clone().unwrap_or_default();
        if let Some(table) = seen
            && std::ptr::eq(table.now, self.now)
            && table.columns == columns
            && table.hidden == self.view.hidden
            && needed.iter().all(|node| table.nodes.contains(node))
        {
            return None;
        }
        let mut rows = Rows {
            options: Options {
                only: Some(nodes.clone()),
                ..Options::default()
            },
            columns_of_list: None,
            left_out: self.view.tree.node_count() - nodes.len(),
        };
        if !columns.is_empty() {
            let mut fields = Vec::new();
            for &column in &columns {
                fields.push(Field::current(column));
            }
            let mut with_paths = vec![Field::Path];
            with_paths.extend(&fields);
            rows.options.columns = Some(fields);
            rows.columns_of_list = Some(with_paths);
        }
        *seen = Some(SeenTable {
            now: self.now,
            nodes,
            columns,
            hidden: self.view.hidden,
        });
        Some(rows)
    }

    /// Returns the nodes of the tree that have rows: all of a small tree, else those that the step is about, with what is
    /// around them as far as there is room.
    fn nodes_of_tree(&self) -> Vec<NodeId> {
        let tree = self.view.tree;
        let all = tree.within(NodeId::ROOT);
        if all.len() <= MOST_ROWS {
            return all.to_vec();
        }
        let about = self.about();
        let mut listed = vec![NodeId::ROOT];
        for &node in &about {
            add_missing(&mut listed, tree.line(node));
        }
        for &node in &about {
            add_if_room(&mut listed, tree.children(node).collect());
        }
        for &node in &about {
            if let Some(account) = tree.parent(node) {
                add_if_room(&mut listed, tree.children(account).collect());
            }
        }
        add_if_room(&mut listed, tree.children(NodeId::ROOT).collect());
        listed
    }

    /// Returns the users that a ranking lists: the first ones, and those that the step is about.
    fn users_of_ranking(&self, about: &[NodeId]) -> Vec<NodeId> {
        let tree = self.view.tree;
        let evaluation = self.view.evaluation;
        let mut users: Vec<NodeId> = tree.users().collect();
        users.sort_by_key(|&user| evaluation.rank(user).unwrap_or(u32::MAX));
        users.truncate(MOST_ROWS);
        add_missing(&mut users, about.to_vec());
        users
    }

    /// Returns the nodes that the step is about: the selected one, and those that its sentences, its question and its task
    /// name.
    fn about(&self) -> Vec<NodeId> {
        let mut about = Vec::new();
        about.extend(self.selected);
        for path in named(self.step) {
            if let Ok(node) = caption::node(self.view, path) {
                add_missing(&mut about, vec![node]);
            }
        }
        about
    }

    /// Returns why the selected node has its rank: the first sentence, or the whole explanation where that is on the screen.
    fn explanation(&self, seen: &mut Seen<'a>) -> Option<Exhibit> {
        let node = self.selected?;
        let why = self.screen.why.unwrap_or(WhyView::Shown);
        if why == WhyView::Hidden {
            return None;
        }
        let is_whole = why == WhyView::Full;
        if let Some(last) = &seen.explanation
            && std::ptr::eq(last.now, self.now)
            && last.node == node
            && (last.is_whole || !is_whole)
        {
            return None;
        }
        seen.explanation = Some(SeenExplanation {
            now: self.now,
            node,
            is_whole,
        });
        let explanation = self.now.explain(node);
        let mut lines = explain::lines(self.view, &explanation);
        if !is_whole {
            lines.truncate(1);
        }
        Some(Exhibit::Explanation(lines))
    }

    /// Returns the plan; `None` without edits.
    fn plan(&self) -> Option<Exhibit> {
        if self.now.history().is_untouched() {
            return None;
        }
        let Some(scheduler) = self.now.settings().scheduler else {
            return Some(Exhibit::PlanWithoutCommands);
        };
        let mut cluster = "";
        if self.view.source.cluster.is_empty() {
            cluster = TRAINING;
        }
        let inputs = PlanInputs {
            cluster: cluster.to_owned(),
            ..PlanInputs::default()
        };
        Some(Exhibit::Plan(plan(self.now, scheduler, &inputs)))
    }

    /// Returns the selected node as time passes; `None` without one.
    fn outlook(&self) -> Option<Exhibit> {
        let outlook = outlook(self.view, self.now, self.selected?)?;
        Some(Exhibit::Time(outlook))
    }

    /// Returns the curves and the map of the factor, where the step shows them.
    fn factor_plots(&self, seen: &mut Seen<'a>) -> Vec<Exhibit> {
        let mut plots = Vec::new();
        let Some(node) = self.selected else {
            return plots;
        };
        for &action in &self.screen.actions {
            match action {
                "curves" if self.is_new(seen, "curves", Some(node)) => {
                    let drawing = factor_curves::curve_drawing(self.now, node);
                    plots.push(Exhibit::Curves(drawing));
                }
                "map" if self.is_new(seen, "map", Some(node)) => {
                    let drawing = factor_curves::map_drawing(self.now, node);
                    plots.push(Exhibit::Map(drawing));
                }
                _ => {}
            }
        }
        plots
    }
}

/// Returns the paths of the nodes that the sentences, the question and the task of a step name.
fn named(step: &Step) -> Vec<&str> {
    let mut paths = step.text.paths();
    if let Some(question) = &step.question {
        paths.extend(question.text.paths());
        match &question.about {
            About::Most { nodes, .. } => {
                for node in nodes {
                    paths.push(node);
                }
            }
            About::Reaches { node, .. } | About::Change { node, .. } => paths.push(node),
        }
    }
    if let Some(task) = &step.task {
        paths.extend(task.text.paths());
        match &task.until {
            Until::Goal { node, .. } => paths.push(node),
            Until::Selected(path) => paths.push(path),
            Until::Action(_) => {}
        }
    }
    paths
}

/// Adds those nodes that are not listed yet.
fn add_missing(listed: &mut Vec<NodeId>, nodes: Vec<NodeId>) {
    for node in nodes {
        if !listed.contains(&node) {
            listed.push(node);
        }
    }
}

/// Adds those nodes that are not listed yet, if there is room for all of them.
fn add_if_room(listed: &mut Vec<NodeId>, mut nodes: Vec<NodeId>) {
    nodes.retain(|node| !listed.contains(node));
    if listed.len() + nodes.len() <= MOST_ROWS {
        listed.extend(nodes);
    }
}

impl Rows {
    /// Adds the tree with its guide lines; Markdown has a list of it.
    fn add_tree<'d>(&self, document: &mut Document<'d>, view: &'d View<'d>) {
        document.gap_in_text();
        let tree = show::tree(view, &self.options);
        document.table_in(&[Medium::Text, Medium::Html], tree);
        let of_list = Options {
            columns: self.columns_of_list.clone(),
            ..self.options.clone()
        };
        let list = show::list(view, &of_list);
        document.table_in(&[Medium::Markdown], list);
        document.note(self.left_out("more node", "more nodes"));
    }

    /// Adds the users by rank.
    fn add_ranking<'d>(&self, document: &mut Document<'d>, view: &'d View<'d>) {
        document.subsection("Ranking");
        document.table(show::ranking(view, &self.options));
        document.note(self.left_out("more user", "more users"));
    }

    /// Returns how many have no row; `None` if all have one.
    fn left_out(&self, one: &'static str, many: &'static str) -> Option<Shown> {
        if self.left_out == 0 {
            return None;
        }
        let left = counted(self.left_out, one, many);
        Some(sentence!("… and {left}"))
    }
}

impl Exhibit {
    /// Returns the report that shows it; `None` if it needs none.
    pub(super) fn report<'a>(
        &'a self,
        view: &'a View<'a>,
        now: &'a Scenario,
    ) -> Option<Box<dyn Report + 'a>> {
        match self {
            Self::Policies(comparison) => Some(Box::new(policies::report(view, comparison))),
            Self::Plan(plan) => Some(Box::new(PlanReport {
                scenario: now,
                view,
                plan,
                unread: None,
                drift: None,
            })),
            _ => None,
        }
    }

    /// Adds it to a document, with its report.
    pub(super) fn add_to<'d>(
        &'d self,
        document: &mut Document<'d>,
        view: &'d View<'d>,
        report: Option<&'d dyn Report>,
    ) {
        match self {
            Self::Tree(rows) => rows.add_tree(document, view),
            Self::Ranking(rows) => rows.add_ranking(document, view),
            Self::Explanation(lines) => add_explanation(document, lines),
            Self::Policies(_) => document.subsection("Every policy"),
            Self::Plan(_) => document.subsection("The plan"),
            Self::PlanWithoutCommands => {
                document.subsection("The plan");
                if let Some(scenario) = view.scenario {
                    document.append(without_commands(scenario));
                }
            }
            Self::Time(outlook) => outlook.add_to(document),
            Self::Curves(drawing) => add_drawing(document, "Curves", drawing),
            Self::Map(drawing) => add_drawing(document, "Map", drawing),
        }
        if let Some(report) = report {
            document.append(report.document());
        }
    }
}

/// Adds the lines of an explanation, whose headings are below that of the step.
fn add_explanation(document: &mut Document<'_>, lines: &[Line]) {
    let mut explanation = Document::default();
    explanation.gap();
    for line in lines {
        explanation.line(line.clone());
    }
    document.append(explanation);
}

/// Adds a drawing below its heading.
fn add_drawing(document: &mut Document<'_>, heading: &'static str, drawing: &Drawing) {
    document.subsection(heading);
    document.push(Block::Figures(drawing.clone()));
}
