//! The Time screen: what becomes of the numbers as time goes on, beside the tree, which moves along.
//!
//! The lines begin where the last wait began and go on past the clock, so moving the clock does not change them: they
//! are worked out on a thread, once for everything that is asked of them. The clock itself is an edit of the scenario.

mod axis;
mod chart;
mod drawing;
mod following;
mod keys;
mod legend;
mod moving;
mod playing;
mod quantity;
mod recovery;
mod words;

pub(super) use drawing::{arrange, draw};
use following::Question;
pub use following::{Followed, Following};
pub(super) use keys::{HINTS, STOPPED};
pub use moving::Moving;
use moving::UnderWay;
use quantity::Quantity;
use words::Assumed;

use super::{App, Effect, Session};
use crate::analysis::solve::Goal;
use crate::model::NodeId;
use crate::report::outline::View;
use crate::rules::policy::Policy;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Seconds of a day.
const DAY: u64 = 24 * 60 * 60;

/// How far ahead one can look: a day, a week, a month and so on up to five years.
const HORIZONS: [u64; 9] = [
    DAY,
    3 * DAY,
    7 * DAY,
    14 * DAY,
    30 * DAY,
    90 * DAY,
    180 * DAY,
    365 * DAY,
    5 * 365 * DAY,
];

/// How much time a step can take.
const STEPS: [u64; 6] = [300, 3600, 6 * 3600, DAY, 7 * DAY, 30 * DAY];

/// The most lines that can be told apart.
const MOST_LINES: usize = 8;

/// How many users before the selected one, and behind it, are drawn with it where nothing is marked.
const RIVALS: u32 = 2;

/// Whose lines are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum Lines {
    /// Those of several nodes, under what is assumed now.
    #[default]
    Nodes,
    /// Those of the selected node, under each of several assumptions.
    Assumptions,
}

/// Whose lines were chosen, and for what they were.
#[derive(Clone, Debug, PartialEq)]
struct Chosen {
    selected: NodeId,
    marked: Vec<NodeId>,
    mark: u64,
    policy: Policy,
    nodes: Vec<NodeId>,
}

/// A question that a thread works on.
#[derive(Clone, Debug)]
struct Asked {
    number: u64,
    question: Question,
    is_cancelled: Arc<AtomicBool>,
}

/// The Time screen of one tree.
#[derive(Clone, Debug)]
pub(super) struct Time {
    is_open: bool,
    quantity: Quantity,
    lines: Lines,
    /// Its place among the horizons.
    horizon: usize,
    /// Its place among the steps.
    step: usize,
    /// The goal that was set; nothing takes being on target.
    goal: Option<Goal>,
    /// The half-life in seconds that the lines are also drawn under.
    other_half_life: Option<u64>,
    /// The beat that is waited for while time passes by itself.
    beat: Option<u64>,
    chosen: Option<Chosen>,
    followed: Option<Box<Followed>>,
    assumed: Option<Assumed>,
    asked: Option<Asked>,
    /// What nobody wants to wait for.
    given_up: Option<Question>,
    /// The move of the clock that a thread works on.
    moving: Option<UnderWay>,
}

impl Default for Time {
    fn default() -> Self {
        Self {
            is_open: false,
            quantity: Quantity::Factor,
            lines: Lines::default(),
            horizon: 4,
            step: 3,
            goal: None,
            other_half_life: None,
            beat: None,
            chosen: None,
            followed: None,
            assumed: None,
            asked: None,
            given_up: None,
            moving: None,
        }
    }
}

impl Time {
    /// Whether the screen is open.
    pub(super) const fn is_open(&self) -> bool {
        self.is_open
    }

    /// Forgets what was drawn of a tree that is gone.
    pub(super) fn forget(&mut self) {
        self.stop_asking();
        self.chosen = None;
        self.followed = None;
        self.assumed = None;
        self.given_up = None;
        self.stop_moving();
        if matches!(self.goal, Some(Goal::AheadOf(_))) {
            // That node was one of the tree that is gone.
            self.goal = None;
        }
    }

    /// What is drawn: what was asked for, or the next of which there are numbers.
    fn drawn(&self) -> Quantity {
        let mut quantity = self.quantity;
        let Some(followed) = &self.followed else {
            return quantity;
        };
        for _ in Quantity::ALL {
            if followed.has(quantity) {
                return quantity;
            }
            quantity = quantity.next();
        }
        self.quantity
    }

    /// Tells the thread at work that nobody waits for it.
    fn stop_asking(&mut self) {
        if let Some(asked) = &self.asked {
            asked.is_cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// Whether what is on the screen is still being worked out.
    fn is_working(&self) -> bool {
        self.asked.is_some() || self.moving.is_some()
    }

    const fn horizon(&self) -> u64 {
        HORIZONS[self.horizon]
    }

    const fn step(&self) -> u64 {
        STEPS[self.step]
    }
}

impl Session {
    /// Chooses whose lines are drawn: those that are marked, else the selected node with its nearest rivals. They stay
    /// while the clock moves, though their places change.
    fn choose_lines(&mut self) -> Vec<NodeId> {
        let mark = self.scenario.mark_before_waiting();
        let policy = self.scenario.policy();
        let mut marked = self.marks.nodes(self.scenario.tree());
        marked.truncate(MOST_LINES);
        let selected = self.selected();
        let is_same = |chosen: &&Chosen| {
            (chosen.selected, chosen.mark, chosen.policy) == (selected, mark, policy)
                && chosen.marked == marked
        };
        if let Some(chosen) = self.time.chosen.as_ref().filter(is_same) {
            return chosen.nodes.clone();
        }
        let nodes = if marked.is_empty() {
            self.rivals(selected)
        } else {
            marked.clone()
        };
        self.time.chosen = Some(Chosen {
            selected,
            marked,
            mark,
            policy,
            nodes: nodes.clone(),
        });
        nodes
    }

    /// A node with those that it competes with: users next to it in rank, or siblings of an account.
    fn rivals(&self, node: NodeId) -> Vec<NodeId> {
        let (tree, numbers) = (self.scenario.tree(), self.scenario.evaluation());
        let mut nodes = vec![node];
        let Some(rank) = numbers.rank(node) else {
            let family = tree.parent(node).into_iter();
            let siblings = family.flat_map(|parent| tree.children(parent));
            let others = siblings.filter(|&other| other != node && Some(other) != tree.unknown());
            nodes.extend(others.take(2 * RIVALS as usize));
            return nodes;
        };
        let ranks = tree.nodes().iter().zip(numbers.ranks());
        let near = ranks.filter(|&(&other, &place)| {
            place > 0 && other != node && place.abs_diff(rank) <= RIVALS
        });
        let mut near: Vec<(u32, NodeId)> = near.map(|(&node, &place)| (place, node)).collect();
        near.sort_unstable();
        nodes.extend(near.into_iter().map(|(_, node)| node));
        nodes.truncate(MOST_LINES);
        nodes
    }

    /// Everything that decides what the lines look like.
    fn question(&mut self) -> Question {
        let lines = self.time.lines;
        let nodes = match lines {
            Lines::Nodes => self.choose_lines(),
            Lines::Assumptions => vec![self.selected()],
        };
        // The clock stays within the first three quarters of what is drawn.
        let waited = self.scenario.waited();
        let mut until = self.time.horizon();
        while waited > until / 4 * 3 {
            until = until.saturating_mul(2);
        }
        let tree = self.scenario.tree();
        let is_there =
            |goal: &Goal| !matches!(goal, Goal::AheadOf(other) if !tree.contains(*other));
        Question {
            goal: self.time.goal.filter(is_there),
            mark: self.scenario.mark_before_waiting(),
            policy: self.scenario.policy(),
            lines,
            nodes,
            selected: self.selected(),
            until,
            other_half_life: self.time.other_half_life,
        }
    }
}

impl App {
    /// Opens the screen beside the tree; on it, works out again what was stopped.
    pub(super) fn open_time(&mut self) -> Vec<Effect> {
        if let Some(session) = self.session_mut() {
            session.time.given_up = None;
            if !session.time.is_open {
                session.time.is_open = true;
                session.show(View::Tree);
            }
        }
        Vec::new()
    }

    /// Leaves the screen; time stops passing by itself.
    pub(super) fn close_time(&mut self) {
        if let Some(session) = self.session_mut() {
            session.time.is_open = false;
            session.time.beat = None;
            session.time.stop_asking();
        }
    }

    /// The question to ask, if the screen is open and shows the answer to another one. One is asked at a time: the one
    /// under way is told to stop first. Notes what is assumed as well.
    pub(super) fn ask_to_follow(&mut self) -> Option<Effect> {
        let number = self.questions + 1;
        let session = self.sessions.get_mut(self.current)?;
        if !session.time.is_open {
            return None;
        }
        session.note_assumed();
        if session.is_behind() || session.scenario.is_trying() {
            return None;
        }
        let question = session.question();
        let time = &mut session.time;
        if let Some(asked) = &time.asked {
            if asked.question != question {
                time.stop_asking();
            }
            return None;
        }
        let is_there = time
            .followed
            .as_ref()
            .is_some_and(|followed| followed.question == question);
        if is_there || time.given_up.as_ref() == Some(&question) {
            return None;
        }
        let is_cancelled = Arc::<AtomicBool>::default();
        time.given_up = None;
        time.asked = Some(Asked {
            number,
            question: question.clone(),
            is_cancelled: Arc::clone(&is_cancelled),
        });
        self.questions = number;
        let scenario = Box::new(session.scenario.before_waiting());
        Some(Effect::Follow(Box::new(Following::new(
            number,
            question,
            scenario,
            is_cancelled,
        ))))
    }

    /// Shows lines that are still waited for.
    pub(super) fn show_followed(
        &mut self,
        number: u64,
        followed: Option<Box<Followed>>,
    ) -> Vec<Effect> {
        let is_asker = |session: &&mut Session| {
            let asked = session.time.asked.as_ref();
            asked.is_some_and(|asked| asked.number == number)
        };
        let Some(session) = self.sessions.iter_mut().find(is_asker) else {
            return Vec::new();
        };
        let asked = session.time.asked.take();
        let was_cancelled = asked.is_some_and(|asked| asked.is_cancelled.load(Ordering::Relaxed));
        if let Some(followed) = followed.filter(|_| !was_cancelled) {
            session.time.followed = Some(followed);
        }
        Vec::new()
    }
}
