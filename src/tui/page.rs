//! Pages: answers that need room and may take time — the plan, what it takes, what costs a node, two nodes side by
//! side, two readings of a source. A page is worked out on a thread from a copy of the scenario, stands below the
//! tabs, and can be scrolled, copied and saved.

mod choosing;
mod compare;
mod content;
mod contention;
mod diff;
mod drawing;
mod keys;
mod plan;
mod solve;
mod timeline;

pub use content::Page;
use content::{Role, Section};
use drawing::Drawn;
pub(super) use drawing::draw;
pub(super) use keys::hints;

use super::dialog::Purpose;
use super::{Action, App, Effect, Message};
use crate::analysis::contention::Machine;
use crate::analysis::plan::slurm::name_fault;
use crate::analysis::solve::{Goal, ON_TARGET};
use crate::base::number::counted;
use crate::model::{NodeId, Tree, path_of, resolve};
use crate::rules::policy::Policy;
use crate::scenario::Scenario;
use crate::source::format::Series;
use crate::source::format::native::Reference;
use ratatui::layout::Rect;
use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a page is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// The edits, who wins and who loses by them, and the scheduler's commands.
    Plan,
    /// What it takes that a node reaches a goal.
    Goal(NodeId, Goal),
    /// What the rank of a node hangs on.
    Rank(NodeId),
    /// Two nodes side by side.
    Pair([NodeId; 2]),
    /// Another file against the open tree.
    Diff(PathBuf),
    /// A machine that hands out cores, perhaps under another policy too.
    Contention(Machine, Option<Policy>),
    /// What became of these nodes, by path, through the series.
    Timeline(Vec<String>),
}

/// Why a tree has no history.
pub(super) const NO_SERIES: &str = "this tree is not one of a series; open a directory of dumps with dates in their \
                                    names, as sshare-2025-04-22.txt";

/// Hears how far a search has come and stops it when nobody waits any more.
type Progress<'a> = &'a mut dyn FnMut(usize) -> ControlFlow<()>;

impl Subject {
    /// What stands on top while the page is worked out.
    const fn title(&self) -> &'static str {
        match self {
            Self::Plan => "the plan",
            Self::Goal(..) => "what it takes",
            Self::Rank(_) => "what the rank hangs on",
            Self::Pair(_) => "the comparison",
            Self::Diff(_) => "the differences",
            Self::Contention(..) => "what is delivered",
            Self::Timeline(_) => "the history",
        }
    }

    /// The same question about another state of the tree; nothing where a node it is about is not there.
    fn follow(&self, before: &Tree, after: &Tree) -> Option<Self> {
        let there = |node: NodeId| {
            let path = path_of(before, node)?;
            let found = resolve(after, path.as_bytes()).ok()?;
            // A bare name may mean a node elsewhere.
            (path_of(after, found)? == path).then_some(found)
        };
        Some(match self {
            Self::Plan => Self::Plan,
            Self::Goal(node, Goal::AheadOf(other)) => {
                Self::Goal(there(*node)?, Goal::AheadOf(there(*other)?))
            }
            Self::Goal(node, goal) => Self::Goal(there(*node)?, *goal),
            Self::Rank(node) => Self::Rank(there(*node)?),
            Self::Pair([one, other]) => Self::Pair([there(*one)?, there(*other)?]),
            Self::Diff(path) => Self::Diff(path.clone()),
            Self::Contention(machine, against) => {
                let mut machine = machine.clone();
                for (node, _) in &mut machine.demands {
                    *node = there(*node)?;
                }
                Self::Contention(machine, *against)
            }
            // A node that is not there now has a history all the same.
            Self::Timeline(paths) => Self::Timeline(paths.clone()),
        })
    }
}

/// A page to be worked out. Its clones are cheap: they share every column.
#[derive(Clone, Debug)]
pub struct Asking {
    number: u64,
    subject: Subject,
    scenario: Box<Scenario>,
    reference: Reference,
    series: Option<Series>,
    is_cancelled: Arc<AtomicBool>,
}

impl PartialEq for Asking {
    /// Numbers are given once, so the same number is the same question.
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Asking {}

impl Asking {
    /// Works out the page.
    #[must_use]
    pub fn perform(self) -> Message {
        let scenario = &self.scenario;
        let is_cancelled = || self.is_cancelled.load(Ordering::Relaxed);
        let progress: Progress<'_> = &mut |_| {
            if is_cancelled() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let page = match &self.subject {
            Subject::Plan => Ok(plan::page(scenario, &self.reference)),
            Subject::Goal(node, goal) => {
                solve::goal(scenario, *node, *goal, progress).map_err(|error| error.to_string())
            }
            Subject::Rank(node) => {
                solve::hangs_on(scenario, *node, progress).map_err(|error| error.to_string())
            }
            Subject::Pair(pair) => {
                compare::page(scenario, *pair, progress).map_err(|error| error.to_string())
            }
            Subject::Diff(path) => {
                diff::page(scenario, path, &is_cancelled).map_err(|error| error.to_string())
            }
            Subject::Contention(machine, against) => {
                contention::page(scenario, machine, *against, &is_cancelled)
                    .map_err(|error| error.to_string())
            }
            Subject::Timeline(paths) => match &self.series {
                None => Err(NO_SERIES.to_owned()),
                Some(series) => {
                    let request = &self.reference.request;
                    timeline::page(scenario, request, series, paths, &is_cancelled)
                        .map_err(|error| error.to_string())
                }
            },
        };
        Message::Answered {
            number: self.number,
            page: page.map(Box::new),
        }
    }
}

/// A page on the screen, or one that is being worked out.
#[derive(Debug)]
pub(super) struct Open {
    number: u64,
    subject: Subject,
    page: Option<Box<Page>>,
    /// Whether the page is of an earlier state, and the one of now is being worked out.
    is_outdated: bool,
    offset: usize,
    /// The choice under the cursor.
    choice: usize,
    /// The lines on the screen at the last drawing, and how many there are.
    height: Cell<(usize, usize)>,
    /// Where the lines stood at the last drawing.
    area: Cell<Rect>,
    /// The lines of the page, broken at a width.
    lines: RefCell<Option<(usize, Vec<Drawn>)>>,
    is_cancelled: Arc<AtomicBool>,
}

impl Open {
    /// The file that the tree is held against.
    pub(super) fn other_file(&self) -> Option<&Path> {
        match &self.subject {
            Subject::Diff(path) => Some(path),
            _ => None,
        }
    }

    /// Whether it is the page of the plan, which has a tab.
    pub(super) fn is_plan(&self) -> bool {
        self.subject == Subject::Plan
    }

    /// The page, if it is there and says how things stand now.
    fn answer(&self) -> Option<&Page> {
        self.page.as_deref().filter(|_| !self.is_outdated)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        // Nobody waits for what is not on the screen.
        self.is_cancelled.store(true, Ordering::Relaxed);
    }
}

/// The goal that was typed; a number alone is a rank.
pub(super) fn typed_goal(text: &str, tree: &Tree) -> Result<Goal, String> {
    let text = text.trim();
    let is_rank = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let goal = if is_rank {
        Goal::parse(format!("rank<={text}").as_bytes(), tree)
    } else {
        Goal::parse(text.as_bytes(), tree)
    };
    goal.map_err(|error| error.to_string())
}

impl App {
    /// Opens a page; the effect that comes back works it out.
    pub(super) fn open_page(&mut self, subject: Subject) -> Vec<Effect> {
        let number = self.questions + 1;
        let Some(session) = self.session_mut() else {
            return Vec::new();
        };
        session.catch_up();
        let is_cancelled = Arc::<AtomicBool>::default();
        let asking = Asking {
            number,
            subject: subject.clone(),
            scenario: Box::new(session.scenario.clone()),
            reference: session.reference.clone(),
            series: session.series.clone(),
            is_cancelled: Arc::clone(&is_cancelled),
        };
        self.questions = number;
        self.page = Some(Open {
            number,
            subject,
            page: None,
            is_outdated: false,
            offset: 0,
            choice: 0,
            height: Cell::default(),
            area: Cell::default(),
            lines: RefCell::default(),
            is_cancelled,
        });
        vec![Effect::Ask(Box::new(asking))]
    }

    /// Works the page out once more after the tree on the screen took the place of another one. The lines there are
    /// stay until the new ones come, but nothing can be done with them.
    pub(super) fn ask_page_again(&mut self, before: &Tree) -> Vec<Effect> {
        let Some(session) = self.sessions.get_mut(self.current) else {
            return Vec::new();
        };
        let Some(open) = &mut self.page else {
            return Vec::new();
        };
        session.catch_up();
        let Some(subject) = open.subject.follow(before, session.scenario.tree()) else {
            let left = open.subject.title();
            self.page = None;
            return self.fail(format!(
                "{left} was about a node that is not in this tree; choose another one"
            ));
        };
        let (page, offset) = (open.page.take(), open.offset);
        let effects = self.open_page(subject);
        if let Some(open) = &mut self.page {
            open.is_outdated = page.is_some();
            (open.page, open.offset) = (page, offset);
        }
        effects
    }

    /// Shows a page that is still waited for.
    pub(super) fn show_answered(
        &mut self,
        number: u64,
        page: Result<Box<Page>, String>,
    ) -> Vec<Effect> {
        let Some(open) = self.page.as_mut().filter(|open| open.number == number) else {
            return Vec::new();
        };
        match page {
            Ok(page) => {
                let is_asked = page.lacks_cluster && open.page.is_none();
                // What was chosen may not be among the choices of another state.
                open.choice = page.first_choice;
                open.page = Some(page);
                open.is_outdated = false;
                open.lines.take();
                self.typed_path = None;
                if is_asked && self.dialog.is_none() {
                    return self.prompt(Purpose::Cluster, String::new());
                }
            }
            Err(reason) => {
                self.page = None;
                return self.refuse_path(reason);
            }
        }
        Vec::new()
    }

    /// Asks for a goal of the selected node.
    pub(super) fn ask_for_goal(&mut self) -> Vec<Effect> {
        let Some(session) = self.session() else {
            return Vec::new();
        };
        let node = session.selected();
        if node == NodeId::ROOT {
            return self.fail(
                "the root holds all users and has no place among them; choose an account or a user below it",
            );
        }
        self.prompt(Purpose::Goal(node), ON_TARGET.to_owned())
    }

    /// Opens the page of the goal that was typed.
    pub(super) fn take_goal(&mut self, node: NodeId, text: &str) -> Result<Vec<Effect>, String> {
        let Some(session) = self.session() else {
            return Ok(Vec::new());
        };
        let goal = typed_goal(text, session.scenario.tree())?;
        Ok(self.open_page(Subject::Goal(node, goal)))
    }

    /// Names the cluster that the commands are for, and works the plan out again.
    pub(super) fn take_cluster(&mut self, name: &str) -> Result<Vec<Effect>, String> {
        if let Some(fault) = name_fault(name.as_bytes()) {
            return Err(fault.to_owned());
        }
        let Some(session) = self.session_mut() else {
            return Ok(Vec::new());
        };
        let request = &mut session.reference.request;
        request.cluster = Some(name.to_owned());
        request.names_cluster = true;
        Ok(self.open_page(Subject::Plan))
    }

    /// Asks for a machine that hands out cores.
    pub(super) fn ask_for_machine(&mut self) -> Vec<Effect> {
        self.prompt(Purpose::Machine, contention::USUAL.to_owned())
    }

    /// Opens the page of the machine that was typed.
    pub(super) fn take_machine(&mut self, text: &str) -> Result<Vec<Effect>, String> {
        let Some(session) = self.session() else {
            return Ok(Vec::new());
        };
        let (machine, against) = contention::parse(text, session.scenario.tree())?;
        Ok(self.open_page(Subject::Contention(machine, against)))
    }

    /// Opens what the rank of the selected node hangs on.
    pub(super) fn ask_what_rank_hangs_on(&mut self) -> Vec<Effect> {
        let Some(session) = self.session() else {
            return Vec::new();
        };
        let node = session.selected();
        self.open_page(Subject::Rank(node))
    }

    /// Opens the history of the marked nodes, or of the selected one.
    pub(super) fn ask_for_history(&mut self) -> Vec<Effect> {
        let Some(session) = self.session() else {
            return Vec::new();
        };
        if session.series.is_none() {
            return self.fail(NO_SERIES);
        }
        let tree = session.scenario.tree();
        let mut nodes = session.marks.nodes(tree);
        if nodes.is_empty() {
            nodes.push(session.selected());
        }
        let paths = nodes.iter().filter_map(|&node| path_of(tree, node));
        let paths: Vec<String> = paths.collect();
        if paths.is_empty() {
            return self.fail("this node lies too deep to have a path");
        }
        self.open_page(Subject::Timeline(paths))
    }

    /// Compares the two marked nodes, or the marked one with the selected one.
    pub(super) fn compare_marked(&mut self) -> Vec<Effect> {
        let Some(session) = self.session() else {
            return Vec::new();
        };
        let marked = session.marks.nodes(session.scenario.tree());
        let selected = session.selected();
        let pair = match marked[..] {
            [first, second] => [first, second],
            [one] if one != selected => [one, selected],
            [_, _, _, ..] => {
                let count = counted(marked.len(), "node is", "nodes are");
                let clear = self.keymap.hint(Action::Marks);
                return self.fail(format!(
                    "{count} marked, and two are compared; {clear} takes marks away"
                ));
            }
            _ => {
                let (mark, key) = (Action::Mark, Action::CompareTwo);
                let (mark, key) = (self.keymap.hint(mark), self.keymap.hint(key));
                return self.fail(format!(
                    "{mark} marks a node: mark two, or one and go to the other, then {key} compares them"
                ));
            }
        };
        if let Some(session) = self.session_mut() {
            // They were placed for this, and would be what the next edit is about.
            session.marks.clear();
        }
        self.open_page(Subject::Pair(pair))
    }
}
